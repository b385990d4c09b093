"""The diff of `--diff`, beside that of Ruff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ruff_beside import Beside, run_ruff

from idemlint.output.unified_diff import unified_diff

if TYPE_CHECKING:
    from pathlib import Path

_LONG = "".join(f"x{number} = {number}\n" for number in range(30))


@pytest.mark.parametrize(
    "source",
    [
        "import os\nx = 1\n",
        "import os\nx = 1",
        "import os",
        "import os\n",
        "import os\r\nx = 1\r\ny = 2\r\n",
        f"import os\n{_LONG}import sys\n{_LONG}",
        f"import os\n\nimport sys\nx = 1\n\n\nimport re\n{_LONG}",
        f"{_LONG}import os\nimport sys\nimport re",
        "\n\n\nimport os\n\n\n",
    ],
)
def test_diff_is_that_of_ruff(tmp_path: Path, source: str) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(source.encode())
    flags = ("--select", "F401", "--exit-zero", "a.py")
    after = Beside(tmp_path, flags).fixed(unsafe=False).contents[path].decode()
    theirs = run_ruff(tmp_path, *flags, "--diff", "--quiet")
    assert unified_diff("a.py", source, after) == theirs


def test_source_without_a_name_has_no_header() -> None:
    assert unified_diff("", "a\nb\n", "a\nc\n") == "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n"


def test_equal_texts_have_no_diff() -> None:
    assert unified_diff("a.py", "a\n", "a\n") == ""


def test_new_and_removed_last_newlines_are_named() -> None:
    assert unified_diff("a", "b", "b\n") == (
        "--- a\n+++ a\n@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+b\n\n"
    )


def test_colours_mark_what_changes() -> None:
    diff = unified_diff("a", "b\nc\n", "b\nd\n", color=True)
    assert diff == (
        "--- \x1b[31ma\x1b[0m\n+++ \x1b[32ma\x1b[0m\n@@ -1,2 +1,2 @@\n b\n"
        "\x1b[31m-c\x1b[0m\n\x1b[32m+d\x1b[0m\n\n"
    )

"""Imports of which fixes take the last use."""

from __future__ import annotations

from pathlib import Path

import pytest

from idemlint.fixes.tidying import without_idle_imports

_FILE = Path("/project/a.py")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("import uuid\nx = uuid.uuid4()\n", "import uuid\nx = key\n", "x = key\n"),
        ("from a import b, c\nb, c\n", "from a import b, c\nc\n", "from a import c\nc\n"),
        ("from a import b, c\nb, c\n", "from a import b, c\nb\n", "from a import b\nb\n"),
        ("from a import b, c\nb, c\n", "from a import b, c\n1\n", "1\n"),
        ("1\n\nimport a\n\n\na\n", "1\n\nimport a\n\n\nb\n", "1\n\n\nb\n"),
        ("import a as b\r\nb\r\nx\r\n", "import a as b\r\nx\r\n", "x\r\n"),
    ],
)
def test_an_import_without_a_use_goes(before: str, after: str, expected: str) -> None:
    assert without_idle_imports(_FILE, before.encode(), after.encode()).decode() == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import a\nimport b\nb\n", "import a\nimport b\nb, 1\n"),
        ("import a  # noqa\na\n", "import a  # noqa\n1\n"),
        ("import a\na\n", "import a\n__all__ = ['a']\n"),
        ("import a; x = 1\na\n", "import a; x = 1\n1\n"),
        ("import a\na(\n", "import a\n1\n"),
    ],
    ids=["never used", "comment", "export", "shared row", "broken before"],
)
def test_any_other_import_stays(before: str, after: str) -> None:
    assert without_idle_imports(_FILE, before.encode(), after.encode()).decode() == after


def test_what_a_package_imports_stays() -> None:
    path = Path("/project/__init__.py")
    assert without_idle_imports(path, b"import a\na\n", b"import a\n1\n") == b"import a\n1\n"

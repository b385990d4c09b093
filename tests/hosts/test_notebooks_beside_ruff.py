"""Notebooks on the command line: reports, diffs and fixes, beside the installed Ruff."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from terminals import RULES, Result, comparable, contents_of

if TYPE_CHECKING:
    from terminals import Terminal

CELLS = (
    ["import os\n", "import sys\n", "x = 'é'\n", "print(x)"],
    ["import json\n", "\n", "def f():\n", "\ty = 1\n", "\treturn None == 3\n"],
    ["%time\n", "import re  # noqa: F401\n", "import ast"],
    ["!ls"],
    ["x = = 1"],
)
MARKDOWN = {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}


def notebook(*cells: list[str]) -> str:
    """A notebook in the layout that Ruff writes."""
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    code: list[dict[str, Any]] = [{**empty, "source": cell} for cell in cells]
    whole = {"cells": [MARKDOWN, *code], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def write(terminal: Terminal) -> None:
    files = {
        "n.ipynb": notebook(*CELLS[:4]),
        "sub/o.ipynb": notebook(CELLS[1]),
        "broken.ipynb": notebook(CELLS[0], CELLS[4]),
        "clean.ipynb": notebook(["x = 1"]),
        "no_json.ipynb": "{",
        "m.py": "import os\n",
    }
    terminal.write(**{name.replace("/", "__"): text for name, text in files.items()})


RUNS = [
    "n.ipynb sub",
    "clean.ipynb",
    "broken.ipynb",
    "no_json.ipynb --output-format concise",
    "m.py n.ipynb --fix",
    "n.ipynb --fix --unsafe-fixes --show-fixes",
    "n.ipynb --fix-only --exit-non-zero-on-fix",
    "broken.ipynb --fix",
    "n.ipynb --diff",
    "sub clean.ipynb --diff --unsafe-fixes",
    "broken.ipynb --diff",
    "n.ipynb --diff -q",
    "n.ipynb --statistics",
    "n.ipynb --add-noqa",
    "n.ipynb --ignore-noqa --output-format concise",
    *(
        f"n.ipynb sub --output-format {name}"
        for name in ("concise", "full", "json", "json-lines", "pylint", "azure")
    ),
]


def ruffs(result: Result) -> Result:
    """What Ruff prints, without the header that it gives to a last cell that does not change."""
    out = re.sub(r"^--- (.+)\n\+\+\+ \1\n(?!@)", "", result.out, flags=re.MULTILINE)
    return comparable(Result(result.code, out, result.err))


@pytest.mark.parametrize("line", RUNS)
def test_a_run_over_notebooks_ends_as_with_ruff(terminal: Terminal, line: str) -> None:
    write(terminal)
    before = contents_of(terminal.folder)
    theirs = terminal.ruff("check", *RULES, "--no-cache", *line.split())
    after = contents_of(terminal.folder)
    for name, data in before.items():
        (terminal.folder / name).write_bytes(data)

    ours = terminal.with_ruffs_findings("--isolated", "--no-cache", *line.split())

    assert comparable(ours) == ruffs(theirs)
    assert contents_of(terminal.folder) == after


@pytest.mark.parametrize("flags", ["", "--fix", "--diff", "--fix --unsafe-fixes", "--fix-only -q"])
def test_a_notebook_on_standard_input_is_treated_as_by_ruff(terminal: Terminal, flags: str) -> None:
    args = ("--no-cache", "--stdin-filename", "n.ipynb", *flags.split())
    text = notebook(*CELLS[:4])
    theirs = terminal.ruff("check", *RULES, *args, stdin=text)

    ours = terminal.with_ruffs_findings("--isolated", *args, stdin=text)

    assert comparable(ours) == ruffs(theirs)


FRESH = """\
def charge(order):
    for _ in range(3):
        key = str(uuid.uuid4())
        headers = {"Idempotency-Key": key}
        try:
            return requests.post("https://api.example.com", json=[order], headers=headers)
        except requests.ConnectionError:
            continue
"""


def test_our_own_fixes_keep_the_bytes_around_them(terminal: Terminal) -> None:
    text = notebook(["import uuid\n", "import requests"], FRESH.splitlines(keepends=True))
    # nobody's layout, and a key that no reader knows
    text = text.replace('"metadata": {}', '"metadata" :{"ours": [1 , 2]}').replace("\n", "\r\n")
    (terminal.folder / "n.ipynb").write_bytes(text.encode())

    result = terminal.idemlint("check", "--isolated", "--no-cache", "--fix", "n.ipynb")

    assert (result.code, result.out) == (0, "Found 1 error (1 fixed, 0 remaining).\n")
    after = (terminal.folder / "n.ipynb").read_bytes().decode()
    old, new = (side.split("\r\n") for side in (text, after))
    moved = '    "        key = str(uuid.uuid4())\\n",'
    assert [row for row in new if row not in old] == ['    "    key = str(uuid.uuid4())\\n",']
    assert [row for row in old if row not in new] == [moved]
    assert "\n" not in after.replace("\r\n", "")

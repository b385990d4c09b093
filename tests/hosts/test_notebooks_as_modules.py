"""A notebook is checked and fixed as the module that its cells make: the fixtures, cut into cells."""

from __future__ import annotations

import ast
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from marked import fixtures

if TYPE_CHECKING:
    from terminals import Terminal

FEWEST_RULES = 10
PROJECT = '[project]\nname = "x"\n'


def cells(text: str) -> list[str]:
    """One cell a statement at the top of a module."""
    starts = [
        min([node.lineno, *(entry.lineno for entry in getattr(node, "decorator_list", ()))])
        for node in ast.parse(text).body
    ]
    rows = text.splitlines(keepends=True)
    bounds = [0, *(start - 1 for start in starts[1:]), len(rows)]
    return ["".join(rows[first:last]) for first, last in pairwise(bounds)]


def notebook(text: str) -> str:
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    sources = [cell.removesuffix("\n").splitlines(keepends=True) for cell in cells(text)]
    code = [{**empty, "source": source} for source in sources]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def rows(text: str) -> list[str]:
    """The rows with something in them, without imports."""
    return [
        row for row in text.splitlines() if row.strip() and not row.startswith(("import ", "from "))
    ]


def imported(text: str) -> set[str]:
    """The names that the imports of a text bind."""
    return {
        alias.asname or alias.name
        for statement in ast.parse(text).body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
    }


def test_findings_and_fixes_are_those_of_the_module(terminal: Terminal) -> None:
    # one file of each rule
    modules = {
        unit.name.split("/")[0]: text
        for unit in reversed(fixtures())
        for text in unit.plain().values()
        if len(unit.files) == 1
    }
    for name, text in modules.items():
        for kind, file, content in (("py", "m.py", text), ("book", "m.ipynb", notebook(text))):
            place = terminal.folder / kind / name
            place.mkdir(parents=True)
            # the rule alone: what one fix makes needless depends on which comes first
            lint = f'[tool.idemlint.lint]\nselect = ["{name}"]\n'
            (place / "pyproject.toml").write_text(PROJECT + lint)
            (place / file).write_text(content, encoding="utf-8")
    args = ("check", "--preview", "--no-cache", "--output-format", "json", ".")

    found = json.loads(terminal.idemlint(*args).out)
    assert counted(found, "m.py") == counted(found, "m.ipynb")
    assert len(counted(found, "m.py")) > FEWEST_RULES

    terminal.idemlint(*args, "--fix", "--unsafe-fixes")
    changed = 0
    for name, text in modules.items():
        module = terminal.read(f"py/{name}/m.py")
        book = json.loads(terminal.read(f"book/{name}/m.ipynb"))
        joined = "\n".join("".join(cell["source"]) for cell in book["cells"])
        assert rows(joined) == rows(module), name
        # a notebook keeps those that are of no use any more
        assert imported(joined) >= imported(module), name
        changed += rows(module) != rows(text)
    assert changed > FEWEST_RULES


def counted(found: list[dict[str, str]], name: str) -> Counter[tuple[str, str]]:
    """By fixture and rule how often."""
    places = [(Path(entry["filename"]), entry["code"]) for entry in found]
    return Counter((path.parent.name, code) for path, code in places if path.name == name)

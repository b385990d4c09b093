"""Each row counts: without it, something else is told of one of the programs about it.

Nearly always something else is reported; of a few, only a fix or the inventory is another.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from row_programs import CLAIMS, claims
from row_project import Project
from row_uses import PROGRAMS, programs, programs_for_fixes, programs_for_inventory

from idemlint.knowledge import loader
from idemlint.knowledge.facts import Knowledge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from idemlint.knowledge.loader import Tables

TABLES = tuple(dict.fromkeys((*CLAIMS, *PROGRAMS)))
PARTS = 8
"""So many times a table is loaded without some of its rows; those of one part are far apart."""
BATCH = 6
"""So many programs about a row are tried at once."""


@pytest.fixture(scope="module")
def tables() -> Tables:
    """All rows as they are written, before paths are put into the words of other rows."""
    sources = [(path, path.read_bytes()) for path in loader._shipped_files()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "_index", lambda tables: None)
        return loader._compile(loader._parse(sources), ())


def without(tables: Tables, table: str, numbers: set[int], patch: pytest.MonkeyPatch) -> Knowledge:
    rows = dict(tables.rows)
    rows[table] = [row for number, row in enumerate(rows[table]) if number not in numbers]
    left = loader.Tables(
        {name: list(listed) for name, listed in rows.items()}, tables.lists, tables.tokens, {}
    )
    loader._index(left)
    patch.setattr("idemlint.knowledge.facts.load_tables", lambda user_rows=(): left)
    try:
        return Knowledge()
    finally:
        patch.undo()


def about(table: str, knowledge: Knowledge) -> list[Iterator[str]]:
    """For each row of a table, the programs about it."""
    found: list[Iterator[str]] = []
    shown = [listed for _, listed in claims(table, knowledge)] if table in CLAIMS else []
    for number, row in enumerate(knowledge.rows(table)):
        first = [claim.code for claim in shown[number]] if shown else []
        found.append(itertools.chain(first, programs(table, row, knowledge)))
    return found


def label(row: Any) -> str:
    """What names a row: its id, else its first path or pattern."""
    for column in ("id", "pattern", "call", "path", "host", "verbs", "names", "methods"):
        value = getattr(row, column, "")
        if value:
            return value if isinstance(value, str) else str(value[0])
    return ""


@pytest.mark.parametrize("table", TABLES)
def test_without_a_row_something_else_is_reported(
    table: str, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = Knowledge()
    whole = Project(tmp_path / "whole", knowledge)
    rows = knowledge.rows(table)
    left = set(range(len(rows)))
    parts = [
        Project(tmp_path / f"{part}", without(tables, table, numbers, monkeypatch))
        for part in range(PARTS)
        if (numbers := {number for number in left if number % PARTS == part})
    ]
    untold = about(table, knowledge)
    while left:
        batch = {number: list(itertools.islice(untold[number], BATCH)) for number in left}
        if not any(batch.values()):
            break
        for part, project in enumerate(parts):
            tried = sorted(number for number in left if number % PARTS == part and batch[number])
            codes = [code for number in tried for code in batch[number]]
            told = iter(zip(whole.reported(codes), project.reported(codes), strict=True))
            for number in tried:
                pairs = list(itertools.islice(told, len(batch[number])))
                if any(first != second for first, second in pairs):
                    left.discard(number)
    for number in sorted(left):
        project = parts[number % PARTS]
        for_fixes = list(programs_for_fixes(table, rows[number]))
        for_inventory = list(programs_for_inventory(table, rows[number]))
        if whole.fixed(for_fixes) != project.fixed(for_fixes) or (
            whole.unknown(for_inventory) != project.unknown(for_inventory)
        ):
            left.discard(number)
    assert not left, [label(rows[number]) for number in sorted(left)]

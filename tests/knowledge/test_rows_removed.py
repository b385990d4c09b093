"""Each row counts: without it, something else is reported in one of the programs about it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from row_programs import CLAIMS, claims
from row_project import Project
from row_uses import PROGRAMS, programs

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

_SQL = "a statement says what it does, whatever object runs it"
NOT_SHOWN: dict[str, dict[str, str]] = {
    "type": {
        "asyncpg.Connection": _SQL,
        "asyncpg.Pool": _SQL,
        "psycopg.AsyncConnection": _SQL,
        "psycopg.AsyncCursor": _SQL,
        "django.db.models.Manager": "the program has to set the manager of a class, and to ask it",
        "pydantic.main.BaseModel": "the class of a schema, in a module that has to hold the tool too",
        "pydantic.fields.Field": "the field of a class of a schema",
    },
    "gives": {
        "aiomysql.Pool.acquire": _SQL,
        "aiomysql.create_pool": _SQL,
        "aiosqlite.Connection.execute": _SQL,
        "asyncpg.connect": _SQL,
        "asyncpg.create_pool": _SQL,
        "django.db.connection.cursor": _SQL,
        "mysql.connector.connect": _SQL,
        "psycopg.Connection.connect": _SQL,
        "psycopg.Connection.cursor": _SQL,
        "psycopg2.connect": _SQL,
        "psycopg2.extensions.connection.cursor": _SQL,
        "pymysql.connect": _SQL,
        "pymysql.connections.Connection.cursor": _SQL,
        "sqlalchemy.create_engine": _SQL,
        "sqlalchemy.ext.asyncio.create_async_engine": _SQL,
        "sqlalchemy.orm.Session.begin_nested": _SQL,
        "sqlite3.connect": _SQL,
        "sqlite3.Connection.cursor": _SQL,
        "aio_pika.connect": "two calls on the way to the call that acts",
        "aio_pika.connect_robust": "two calls on the way to the call that acts",
        "langgraph.config.get_store": "two calls on the way to the call that acts",
        "pymongo.database.Database.get_collection": "two calls on the way to the call that acts",
        "pymongo.MongoClient.get_database": "two calls on the way to the call that acts",
        "langgraph.graph.StateGraph.compile": "the graph has to be built from nodes first",
    },
    "quiet": {
        "add_note": "it is only told in the inventory, which names calls that are not known",
        "get": "it is only told in the inventory, which names calls that are not known",
    },
}
"""By table, the rows for which no program is generated, by their first path, each with the reason."""


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
    excused = NOT_SHOWN.get(table, {})
    assert excused.keys() <= {label(row) for row in rows}
    left = {number for number, row in enumerate(rows) if label(row) not in excused}
    parts = [
        Project(tmp_path / f"{part}", without(tables, table, numbers, monkeypatch))
        for part in range(PARTS)
        if (numbers := {number for number in left if number % PARTS == part})
    ]
    untold = about(table, knowledge)
    while left:
        batch = {number: list(itertools.islice(untold[number], BATCH)) for number in left}
        assert any(batch.values()), [label(rows[number]) for number in sorted(left)]
        for part, project in enumerate(parts):
            numbers = sorted(number for number in left if number % PARTS == part and batch[number])
            codes = [code for number in numbers for code in batch[number]]
            told = iter(zip(whole.reported(codes), project.reported(codes), strict=True))
            for number in numbers:
                pairs = list(itertools.islice(told, len(batch[number])))
                if any(first != second for first, second in pairs):
                    left.discard(number)

"""OP-4: the database refuses the second row; without its constraint nothing does."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Pages

NEEDS = {"PostgreSQL": "postgres", "Redis": "redis_store", "DynamoDB": "dynamodb"}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "database.sqlite3"


def rows(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM notes").fetchone()
    return int(count)


@pytest.fixture
def count_rows(store: str, database: Path, request: pytest.FixtureRequest) -> Any:
    """How many notes the store has."""
    if store == "Redis":
        redis = request.getfixturevalue("redis_store")
        return lambda: len(redis.keys("notes:*"))
    if store == "DynamoDB":
        table = request.getfixturevalue("dynamodb")
        return lambda: table.scan()["Count"]
    if store == "PostgreSQL":
        import psycopg

        dsn = request.getfixturevalue("postgres")

        def count() -> Any:
            with psycopg.connect(dsn) as connection:
                return connection.execute("SELECT count(*) FROM notes").fetchone()[0]

        return count
    return lambda: rows(database)


@pytest.fixture(params=["SQLite", "PostgreSQL", "SQLAlchemy", "Redis", "DynamoDB"])
def store(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name == "SQLAlchemy":
        pytest.importorskip("sqlalchemy")
    if name in NEEDS:
        request.getfixturevalue(NEEDS[name])
    return name


@pytest.fixture
def block(store: str, pages: Pages) -> Any:
    module = pages.load("OP-4", store)
    if hasattr(module, "create_table"):
        module.create_table()
    return module


def test_a_repeat_adds_no_row(block: Any, count_rows: Any) -> None:
    first = block.add_note("hello", "key")
    again = block.add_note("hello", "key")
    assert (first["was_replay"], again["was_replay"]) == (False, True)
    assert first.get("id") == again.get("id")
    assert count_rows() == 1
    assert block.add_note("hello", "other key")["was_replay"] is False
    assert count_rows() == 2


def test_of_eight_calls_at_once_one_adds_the_row(block: Any, count_rows: Any) -> None:
    together = threading.Barrier(8)

    def add(number: int) -> bool:
        together.wait()
        return not block.add_note("hello", f"key-{number % 4}")["was_replay"]

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(add, range(8))) == 4
    assert count_rows() == 4


@pytest.mark.parametrize(
    ("step", "outcome"), [("block.add_note('hello', 'key'); die()", True), ("die()", False)]
)
def test_a_crash_leaves_a_row_or_none(
    step: str, outcome: bool, pages: Pages, database: Path
) -> None:
    pages.crash("OP-4", "SQLite", step)
    assert pages.load("OP-4", "SQLite").add_note("hello", "key")["was_replay"] is outcome
    assert rows(database) == 1


# Django keeps its settings for the life of a process.


def test_django_adds_no_second_row(pages: Pages, database: Path) -> None:
    pytest.importorskip("django")
    script = """
block.create_table()
for key in ("key", "key", "other key"):
    print(block.add_note("hello", key))
"""
    ran = pages.run("OP-4", "Django", script)
    assert ran.stdout.splitlines() == [
        "{'id': 1, 'was_replay': False}",
        "{'id': 1, 'was_replay': True}",
        "{'id': 2, 'was_replay': False}",
    ], ran.stderr
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM notes_note").fetchone() == (2,)


def test_of_eight_calls_to_django_at_once_one_adds_the_row(pages: Pages) -> None:
    pytest.importorskip("django")
    script = """
from concurrent.futures import ThreadPoolExecutor
import threading
block.create_table()
together = threading.Barrier(8)
def add(number):
    together.wait()
    return block.add_note("hello", "key")["was_replay"]
with ThreadPoolExecutor(8) as pool:
    print(sorted(pool.map(add, range(8))))
"""
    ran = pages.run("OP-4", "Django", script)
    assert ran.stdout == f"{[False, *[True] * 7]}\n", ran.stderr


# What is not guaranteed.

UNCONSTRAINED = "CREATE TABLE notes (idempotency_key TEXT NOT NULL, text TEXT NOT NULL)"


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT OR IGNORE INTO notes VALUES ('key', 'hello')",
        "INSERT INTO notes VALUES ('key', 'hello') ON CONFLICT DO NOTHING",
    ],
)
def test_without_a_constraint_forms_without_columns_insert_the_duplicate(insert: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(UNCONSTRAINED)
        for _ in range(2):
            connection.execute(insert)
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (2,)


NAMED = "INSERT INTO notes VALUES ('key', 'hello') ON CONFLICT (idempotency_key) DO NOTHING"


def test_without_a_constraint_named_columns_are_an_error_in_sqlite() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(UNCONSTRAINED)
        with pytest.raises(sqlite3.OperationalError, match="does not match any PRIMARY KEY"):
            connection.execute(NAMED)


def test_without_a_constraint_postgresql_does_the_same(postgres: str) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(UNCONSTRAINED)
        for _ in range(2):
            connection.execute("INSERT INTO notes VALUES ('key', 'hello') ON CONFLICT DO NOTHING")
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (2,)
        with pytest.raises(psycopg.errors.InvalidColumnReference):
            connection.execute(NAMED)

"""The store is a SQLite file, `DATABASE`, which is made at the first call.

All processes must be on one machine and the file on a disk of that machine, no network share.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from dataclasses import astuple
from typing import TYPE_CHECKING

from idemlint.scaffold.templates.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DATABASE"]

DATABASE = os.environ.get("IDEMPOTENCY_DATABASE", "idempotency.sqlite3")

SCHEMA = """
CREATE TABLE IF NOT EXISTS idempotency_records (
    operation TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    args_hash TEXT NOT NULL,
    args TEXT NOT NULL,
    status TEXT NOT NULL,
    claim TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (operation, tool, key)
)
"""


@contextmanager
def connection() -> Iterator[sqlite3.Connection]:
    """A connection on which each statement is a transaction of its own."""
    database = sqlite3.connect(DATABASE, timeout=60, isolation_level=None)
    try:
        database.execute(SCHEMA)
        yield database
    finally:
        database.close()


def claim_record(record: Record, forget_before: float = 0.0) -> Record:
    """Insert the record unless its key is taken; returns the one that stands.

    A call that was completed before `forget_before` holds its key no more.
    """
    with connection() as database:
        while True:
            if forget_before:
                database.execute(
                    "DELETE FROM idempotency_records WHERE operation = ? AND tool = ? AND key = ?"
                    " AND status = 'completed' AND updated_at < ?",
                    (record.operation, record.tool, record.key, forget_before),
                )
            database.execute(
                "INSERT INTO idempotency_records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (operation, tool, key) DO NOTHING",
                astuple(record),
            )
            found = database.execute(
                "SELECT * FROM idempotency_records WHERE operation = ? AND tool = ? AND key = ?",
                (record.operation, record.tool, record.key),
            ).fetchone()
            if found is not None:
                return Record(*found)


def find_record(operation: str, tool: str, key: str) -> Record | None:
    """The record of a key."""
    with connection() as database:
        found = database.execute(
            "SELECT * FROM idempotency_records WHERE operation = ? AND tool = ? AND key = ?",
            (operation, tool, key),
        ).fetchone()
    return None if found is None else Record(*found)


def replace_record(old: Record, new: Record) -> bool:
    """Put `new` in the place of `old`; whether `old` still stood."""
    with connection() as database:
        updated = database.execute(
            "UPDATE idempotency_records SET status = ?, claim = ?, result = ?, updated_at = ?"
            " WHERE operation = ? AND tool = ? AND key = ? AND claim = ? AND status = ?",
            (
                *(new.status, new.claim, new.result, new.updated_at),
                *(old.operation, old.tool, old.key, old.claim, old.status),
            ),
        )
        return updated.rowcount == 1


def drop_record(record: Record) -> bool:
    """Free the key; whether the record still stood."""
    with connection() as database:
        dropped = database.execute(
            "DELETE FROM idempotency_records"
            " WHERE operation = ? AND tool = ? AND key = ? AND claim = ? AND status = ?",
            (record.operation, record.tool, record.key, record.claim, record.status),
        )
        return dropped.rowcount == 1


def open_records(operation: str, before: float) -> list[Record]:
    """The records without an end that nobody touched after `before`, oldest first."""
    with connection() as database:
        found = database.execute(
            "SELECT * FROM idempotency_records WHERE operation = ? AND updated_at <= ?"
            " AND status NOT IN ('completed', 'undone') ORDER BY updated_at",
            (operation, before),
        )
        return [Record(*row) for row in found]


def drop_closed(operation: str, before: float) -> int:
    """Forget the records that ended before `before`; returns how many."""
    with connection() as database:
        dropped = database.execute(
            "DELETE FROM idempotency_records WHERE operation = ? AND updated_at < ?"
            " AND status IN ('completed', 'undone')",
            (operation, before),
        )
        return dropped.rowcount

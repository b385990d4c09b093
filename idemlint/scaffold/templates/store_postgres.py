"""The store is a table in PostgreSQL, at `DATABASE`. Call `create_table` once, at deployment.

Each step opens a connection of its own: let `connection` return one of your pool if you have one,
in autocommit mode.
"""

from __future__ import annotations

import os
from dataclasses import astuple
from typing import Any

import psycopg

from idemlint.scaffold.templates.records import Record

__all__ = ["DATABASE", "create_table"]

DATABASE = os.environ.get("IDEMPOTENCY_DATABASE", "postgresql:///")

SCHEMA = """
CREATE TABLE IF NOT EXISTS idempotency_records (
    operation text NOT NULL,
    tool text NOT NULL,
    key text NOT NULL,
    args_hash text NOT NULL,
    args text NOT NULL,
    status text NOT NULL,
    claim text NOT NULL,
    result text NOT NULL,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL,
    PRIMARY KEY (operation, tool, key)
)
"""


def connection() -> psycopg.Connection[tuple[Any, ...]]:
    """A connection on which each statement is a transaction of its own."""
    return psycopg.connect(DATABASE, autocommit=True)


def create_table() -> None:
    """Make the table if there is none."""
    with connection() as database, database.transaction():
        # Two sessions that create a table at once fail, in spite of IF NOT EXISTS.
        database.execute("SELECT pg_advisory_xact_lock(hashtext('idempotency_records'))")
        database.execute(SCHEMA)


def claim_record(record: Record, forget_before: float = 0.0) -> Record:
    """Insert the record unless its key is taken; returns the one that stands.

    A call that was completed before `forget_before` holds its key no more.
    """
    with connection() as database:
        while True:
            if forget_before:
                database.execute(
                    "DELETE FROM idempotency_records"
                    " WHERE operation = %s AND tool = %s AND key = %s"
                    " AND status = 'completed' AND updated_at < %s",
                    (record.operation, record.tool, record.key, forget_before),
                )
            database.execute(
                "INSERT INTO idempotency_records VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
                " ON CONFLICT (operation, tool, key) DO NOTHING",
                astuple(record),
            )
            found = database.execute(
                "SELECT * FROM idempotency_records WHERE operation = %s AND tool = %s AND key = %s",
                (record.operation, record.tool, record.key),
            ).fetchone()
            if found is not None:
                return Record(*found)


def find_record(operation: str, tool: str, key: str) -> Record | None:
    """The record of a key."""
    with connection() as database:
        found = database.execute(
            "SELECT * FROM idempotency_records WHERE operation = %s AND tool = %s AND key = %s",
            (operation, tool, key),
        ).fetchone()
    return None if found is None else Record(*found)


def replace_record(old: Record, new: Record) -> bool:
    """Put `new` in the place of `old`; whether `old` still stood."""
    with connection() as database:
        updated = database.execute(
            "UPDATE idempotency_records SET status = %s, claim = %s, result = %s, updated_at = %s"
            " WHERE operation = %s AND tool = %s AND key = %s AND claim = %s AND status = %s",
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
            " WHERE operation = %s AND tool = %s AND key = %s AND claim = %s AND status = %s",
            (record.operation, record.tool, record.key, record.claim, record.status),
        )
        return dropped.rowcount == 1


def open_records(operation: str, before: float) -> list[Record]:
    """The records without an end that nobody touched after `before`, oldest first."""
    with connection() as database:
        found = database.execute(
            "SELECT * FROM idempotency_records WHERE operation = %s AND updated_at <= %s"
            " AND status NOT IN ('completed', 'undone') ORDER BY updated_at",
            (operation, before),
        )
        return [Record(*row) for row in found]


def drop_closed(operation: str, before: float) -> int:
    """Forget the records that ended before `before`; returns how many."""
    with connection() as database:
        dropped = database.execute(
            "DELETE FROM idempotency_records WHERE operation = %s AND updated_at < %s"
            " AND status IN ('completed', 'undone')",
            (operation, before),
        )
        return dropped.rowcount

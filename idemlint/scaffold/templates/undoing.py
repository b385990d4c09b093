"""How a completed call is undone."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from idemlint.scaffold.templates.records import (
    COMPLETED,
    UNDONE,
    Record,
    begun_now,
    changed,
    in_doubt,
)
from idemlint.scaffold.templates.store_sqlite import drop_record, find_record, replace_record

if TYPE_CHECKING:
    from collections.abc import Sequence

UNDOING = "undoing"


def begin_undo(operation: str, tool: str, key: str) -> Record | None:
    """Claim the undoing of a completed call; `None` if there is nothing to undo.

    Raises `InDoubtError` when the call, or an undoing of it, has not ended.
    """
    record = find_record(operation, tool, key)
    if record is None or record.status == UNDONE:
        return None
    undoing = replace(begun_now(record), status=UNDOING, claim=uuid.uuid4().hex)
    if record.status != COMPLETED or not replace_record(record, undoing):
        raise in_doubt(record)
    return undoing


def end_undo(undoing: Record) -> None:
    """Record that the undo happened; raises `InDoubtError` if somebody else settled it."""
    if not replace_record(undoing, replace(begun_now(undoing), status=UNDONE)):
        raise in_doubt(undoing)


def settle_by(record: Record, standing: Sequence[object]) -> None:
    """Give the record the end that fits what stands on the other side: one effect, or none."""
    if standing:
        replace_record(record, changed(record, COMPLETED, standing[0]))
    elif record.status == UNDOING:
        replace_record(record, replace(begun_now(record), status=UNDONE))
    else:
        drop_record(record)

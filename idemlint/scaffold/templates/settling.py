"""How a record gets its end."""

from __future__ import annotations

from idemlint.scaffold.templates.records import (
    COMPLETED,
    Done,
    Record,
    Verdict,
    changed,
    in_doubt,
    is_ours,
)
from idemlint.scaffold.templates.store_sqlite import claim_record, drop_record, replace_record


def end_call(record: Record, value: object) -> None:
    """Record what the effect returned; raises `InDoubtError` if somebody else has the key by now.

    That is so when a reconciliation came too early, took the call for dead and freed its key.
    """
    done = changed(record, COMPLETED, value)
    if not replace_record(record, done):
        standing = claim_record(done)
        if not is_ours(done, standing):
            raise in_doubt(standing)


def settle(record: Record, verdict: Done | Verdict) -> bool:
    """Give the record the end that was found; whether it has one now."""
    if isinstance(verdict, Done):
        replace_record(record, changed(record, COMPLETED, verdict.value))
    elif verdict is Verdict.NOT_DONE:
        drop_record(record)
    return verdict is not Verdict.UNKNOWN

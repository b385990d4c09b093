"""Write a checkpoint before a call, so that a repeat knows of it after a crash (OP-8).

    with checkpoint(key, {"to": to}) as call:
        if not call.was_replay:
            call.result = send_email(to)
    return call.result

`checkpoint(key, args)` writes a row `in_progress` before its block runs, and `completed` with
`call.result` after it. The same key again
- has `was_replay` and the recorded result when the block has ended;
- raises `InDoubtError` when it has not, because it still runs or its process died: the effect may
  have happened, so the block does not run again;
- raises `ConflictError` when the arguments differ.
An exception in the block leaves the row `in_progress`.

`reconcile(look_up, older_than=...)` is for a job that runs now and then: it asks you about each
call without an end, and completes it or frees its key.
`expire(older_than=...)` forgets what ended long ago: from then on the key can act again.

The key comes from the caller, one for each intent, and is the same when the call is repeated.
Arguments and results are kept as JSON: pass what `look_up` needs to find the effect, no secrets.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from idemlint.scaffold.templates.checkpoints import Checkpoint
from idemlint.scaffold.templates.engine import claim_or_wait, settle_open
from idemlint.scaffold.templates.records import (
    IN_PROGRESS,
    ConflictError,
    Done,
    InDoubtError,
    Pending,
    Verdict,
    is_ours,
    new_record,
)
from idemlint.scaffold.templates.settling import end_call
from idemlint.scaffold.templates.store_sqlite import drop_closed, drop_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import timedelta

__all__ = [
    "Checkpoint",
    "ConflictError",
    "Done",
    "InDoubtError",
    "Pending",
    "Verdict",
    "checkpoint",
    "expire",
    "reconcile",
]

OPERATION = "OP-8"


@contextmanager
def checkpoint(
    key: str,
    args: Mapping[str, object] | None = None,
    *,
    tool: str = "",
    not_done: tuple[type[BaseException], ...] = (),
    wait_seconds: float = 0.0,
) -> Iterator[Checkpoint]:
    """Mark the block as in progress, then as completed with the `result` that it assigned.

    Exceptions of `not_done` prove that nothing happened: they free the key. A call that is still
    running is waited for up to `wait_seconds`. Raises `ConflictError` and `InDoubtError`.
    """
    mine = new_record(OPERATION, tool, key, args or {}, IN_PROGRESS)
    standing = claim_or_wait(mine, wait_seconds)
    call = Checkpoint(standing, is_ours(mine, standing))
    try:
        yield call
    except not_done:
        if not call.was_replay:
            drop_record(standing)
        raise
    if not call.was_replay:
        end_call(standing, call.result)


def reconcile(
    look_up: Callable[[Pending], Done | Verdict], *, older_than: timedelta
) -> list[Pending]:
    """Settle the calls that have no end; returns those that stay in doubt, for a person to see.

    `look_up` asks the other side and answers `Done(value)`, `Verdict.NOT_DONE` or
    `Verdict.UNKNOWN`. `older_than` must exceed the longest time that an effect can take: a key that
    is freed while its effect still runs lets a second one through.
    """
    return settle_open(OPERATION, look_up, older_than)


def expire(*, older_than: timedelta) -> int:
    """Forget the calls that ended longer ago than that; returns how many."""
    return drop_closed(OPERATION, time.time() - older_than.total_seconds())

"""Run an effect once for each key (OP-2).

    sent = await run_once(key, {"to": to, "body": body}, lambda: send_email(to, body))
    return sent.as_reply()

`run_once(key, args, effect)` claims the key in the store before the effect and records what it
returned after it. The same key again
- returns the recorded value with `was_replay` when the effect has ended;
- raises `InDoubtError` when it has not, because it still runs or its process died: it may have
  happened, so it is never run again;
- raises `ConflictError` when the arguments differ.

`reconcile(look_up, older_than=...)` is for a job that runs now and then: it asks you about each
call without an end, and completes it or frees its key.
`expire(older_than=...)` forgets what ended long ago: from then on the key can act again.

The key comes from the caller, one for each intent, and is the same when the call is repeated.
Arguments and results are kept as JSON: pass what `look_up` needs to find the effect, no secrets.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from idemlint.scaffold.templates.engine_async import act_once, claim_or_wait, settle_open
from idemlint.scaffold.templates.records import (
    PENDING,
    ConflictError,
    Done,
    InDoubtError,
    OnceResult,
    Pending,
    Verdict,
    is_ours,
    new_record,
    replay,
)
from idemlint.scaffold.templates.store_sqlite import drop_closed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import timedelta

__all__ = [
    "ConflictError",
    "Done",
    "InDoubtError",
    "OnceResult",
    "Pending",
    "Verdict",
    "expire",
    "reconcile",
    "run_once",
]

T = TypeVar("T")

OPERATION = "OP-2"


async def run_once(
    key: str,
    args: Mapping[str, object],
    effect: Callable[[], Awaitable[T]],
    *,
    tool: str = "",
    not_done: tuple[type[BaseException], ...] = (),
    wait_seconds: float = 0.0,
) -> OnceResult[T]:
    """Run `effect` unless a call with this key and `tool` has run it.

    An exception of `effect` leaves the call in doubt, unless it is one of `not_done`: exceptions
    which prove that nothing happened, so that the key is free again. A call that is still running
    is waited for up to `wait_seconds`. Raises `ConflictError` and `InDoubtError`.
    """
    mine = new_record(OPERATION, tool, key, args, PENDING)
    standing = await claim_or_wait(mine, wait_seconds)
    if is_ours(mine, standing):
        return await act_once(standing, effect, not_done)
    return replay(standing)


async def reconcile(
    look_up: Callable[[Pending], Awaitable[Done | Verdict]], *, older_than: timedelta
) -> list[Pending]:
    """Settle the calls that have no end; returns those that stay in doubt, for a person to see.

    `look_up` asks the other side and answers `Done(value)`, `Verdict.NOT_DONE` or
    `Verdict.UNKNOWN`. `older_than` must exceed the longest time that an effect can take: a key that
    is freed while its effect still runs lets a second one through.
    """
    return await settle_open(OPERATION, look_up, older_than)


async def expire(*, older_than: timedelta) -> int:
    """Forget the calls that ended longer ago than that; returns how many."""
    return await asyncio.to_thread(drop_closed, OPERATION, time.time() - older_than.total_seconds())

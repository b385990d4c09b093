"""Run an effect that can be undone once for each key, and undo it once (OP-5).

    booked = await run_once(key, {"flight": flight}, lambda: book(flight, reference=key))
    await undo_once(key, cancel)

`run_once(key, args, effect)` records the intent before the effect and what it returned after it.
The same key again
- returns the recorded value with `was_replay` when the effect has ended;
- raises `InDoubtError` when it has not, because it still runs or its process died: it may have
  happened, so it is never run again;
- raises `UndoneError` when it was undone, and `ConflictError` when the arguments differ.

`undo_once(key, undo)` compensates a completed call, also once.
`reconcile(find, undo, older_than=...)` is for a job that runs now and then: it reads from the other
side what each call without an end has left there, keeps the first, undoes the others, and frees the
key where nothing is there.
`expire(older_than=...)` forgets what ended long ago: from then on the key can act again.

Give the other side the key as a reference, so that `find` can look for it.
Arguments and results are kept as JSON: pass what `find` needs, no secrets.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any, TypeVar

from idemlint.scaffold.templates.engine_async import act_once, claim_or_wait
from idemlint.scaffold.templates.records import (
    PENDING,
    UNDONE,
    ConflictError,
    InDoubtError,
    OnceResult,
    Pending,
    UndoneError,
    is_ours,
    new_record,
    pending,
    replay,
)
from idemlint.scaffold.templates.store_sqlite import drop_closed, open_records
from idemlint.scaffold.templates.undoing import begin_undo, end_undo, settle_by

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import timedelta

__all__ = [
    "ConflictError",
    "InDoubtError",
    "OnceResult",
    "Pending",
    "UndoneError",
    "expire",
    "reconcile",
    "run_once",
    "undo_once",
]

T = TypeVar("T")

OPERATION = "OP-5"


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
    is waited for up to `wait_seconds`. Raises `ConflictError`, `InDoubtError` and `UndoneError`.
    """
    mine = new_record(OPERATION, tool, key, args, PENDING)
    standing = await claim_or_wait(mine, wait_seconds)
    if is_ours(mine, standing):
        return await act_once(standing, effect, not_done)
    if standing.status == UNDONE:
        raise UndoneError(key)
    return replay(standing)


async def undo_once(key: str, undo: Callable[[Any], Awaitable[object]], *, tool: str = "") -> bool:
    """Call `undo` with what the effect returned; `False` if there is nothing (more) to undo.

    An exception of `undo` leaves the undoing in doubt, until `reconcile` has read what stands.
    Raises `InDoubtError` when the call or another undoing has not ended.
    """
    undoing = await asyncio.to_thread(begin_undo, OPERATION, tool, key)
    if undoing is None:
        return False
    await undo(json.loads(undoing.result))
    await asyncio.to_thread(end_undo, undoing)
    return True


async def reconcile(
    find: Callable[[Pending], Awaitable[Sequence[object] | None]],
    undo: Callable[[Any], Awaitable[object]],
    *,
    older_than: timedelta,
) -> list[Pending]:
    """Settle the calls that have no end; returns those that stay in doubt, for a person to see.

    `find` reads what the other side holds for the call and has not undone, oldest first, each as
    the effect would have returned it; `None` if nobody can tell. All but the first are undone.
    `older_than` must exceed the longest time that an effect can take: a key that is freed while its
    effect still runs lets a second one through.
    """
    before = time.time() - older_than.total_seconds()
    left = []
    for record in await asyncio.to_thread(open_records, OPERATION, before):
        standing = await find(entry := pending(record))
        if standing is None:
            left.append(entry)
            continue
        for surplus in standing[1:]:
            await undo(surplus)
        await asyncio.to_thread(settle_by, record, standing[:1])
    return left


async def expire(*, older_than: timedelta) -> int:
    """Forget the calls that ended longer ago than that; returns how many."""
    return await asyncio.to_thread(drop_closed, OPERATION, time.time() - older_than.total_seconds())

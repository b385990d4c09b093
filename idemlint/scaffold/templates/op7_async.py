"""Run the effect of a tool that is served over MCP once for each key, within a window (OP-7).

    @mcp.tool
    async def post_message(
        channel: str,
        text: str,
        idempotency_key: Annotated[str, Field(description=KEY_DESCRIPTION, min_length=8)],
    ) -> dict[str, Any]:
        args = {"channel": channel, "text": text}
        posted = await run_once(
            idempotency_key, args, lambda: post(channel, text), tool="post_message"
        )
        return posted.as_reply()

The key is a required parameter of the tool, since models leave out an optional one;
`KEY_DESCRIPTION` says in the schema what it is for, and how long a repeat is recognised.

`run_once(key, args, effect)` claims the key in the store before the effect and records what it
returned after it. The same key again
- returns the recorded value with `was_replay` when the effect has ended, no longer than `WINDOW`
  ago; after that the key can act again;
- waits while the effect runs, then raises `InDoubtError`; so it does, without end, when the process
  died: the effect may have happened, and is never run again;
- raises `ConflictError` when the arguments differ.

`reconcile(look_up, older_than=...)` is for a job that runs now and then: it asks you about each
call without an end, and completes it or frees its key.
`expire()` deletes what is older than the window.

Arguments and results are kept as JSON: pass what `look_up` needs to find the effect, no secrets.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
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

__all__ = [
    "KEY_DESCRIPTION",
    "WINDOW",
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

OPERATION = "OP-7"
WINDOW = timedelta(hours=24)
KEY_DESCRIPTION = (
    "Identifies one intended call. Send the same key again to repeat that call: within "
    f"{WINDOW // timedelta(minutes=1)} minutes it acts only once. A new intent needs a new key."
)


async def run_once(
    key: str,
    args: Mapping[str, object],
    effect: Callable[[], Awaitable[T]],
    *,
    tool: str = "",
    not_done: tuple[type[BaseException], ...] = (),
    wait_seconds: float = 10.0,
) -> OnceResult[T]:
    """Run `effect` unless a call with this key and `tool` has run it within the window.

    An exception of `effect` leaves the call in doubt, unless it is one of `not_done`: exceptions
    which prove that nothing happened, so that the key is free again. A call that is still running
    is waited for up to `wait_seconds`. Raises `ConflictError` and `InDoubtError`.
    """
    mine = new_record(OPERATION, tool, key, args, PENDING)
    standing = await claim_or_wait(mine, wait_seconds, time.time() - WINDOW.total_seconds())
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


async def expire() -> int:
    """Delete the calls that ended before the window; returns how many."""
    return await asyncio.to_thread(drop_closed, OPERATION, time.time() - WINDOW.total_seconds())

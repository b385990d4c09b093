"""How a call is claimed, run and settled. The store is asked in a worker thread."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from idemlint.scaffold.templates.records import (
    Done,
    OnceResult,
    Pending,
    Record,
    Verdict,
    begun_now,
    in_doubt,
    is_ours,
    is_over,
    moment,
    pending,
)
from idemlint.scaffold.templates.settling import end_call, settle
from idemlint.scaffold.templates.store_sqlite import claim_record, drop_record, open_records

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import timedelta

T = TypeVar("T")

POLL_SECONDS = 0.05


async def claim_or_wait(mine: Record, wait_seconds: float, forget_before: float = 0.0) -> Record:
    """The record that stands: ours, or that of a call which has ended.

    Raises `InDoubtError` when a call with this key has not ended after `wait_seconds`.
    """
    deadline = time.monotonic() + wait_seconds
    while True:
        standing = await asyncio.to_thread(claim_record, begun_now(mine), forget_before)
        if is_ours(mine, standing) or is_over(mine, standing):
            return standing
        if time.monotonic() >= deadline:
            raise in_doubt(standing)
        await asyncio.sleep(POLL_SECONDS)


async def act_once(
    record: Record, effect: Callable[[], Awaitable[T]], not_done: tuple[type[BaseException], ...]
) -> OnceResult[T]:
    """Run the effect of a claimed record, and record its end."""
    try:
        value = await effect()
    except not_done:
        await asyncio.to_thread(drop_record, record)
        raise
    await asyncio.to_thread(end_call, record, value)
    return OnceResult(value, False, moment(record.created_at))


async def settle_open(
    operation: str, look_up: Callable[[Pending], Awaitable[Done | Verdict]], older_than: timedelta
) -> list[Pending]:
    """Ask about every call without an end; returns those that stay so."""
    before = time.time() - older_than.total_seconds()
    left = []
    for record in await asyncio.to_thread(open_records, operation, before):
        entry = pending(record)
        verdict = await look_up(entry)
        if not await asyncio.to_thread(settle, record, verdict):
            left.append(entry)
    return left

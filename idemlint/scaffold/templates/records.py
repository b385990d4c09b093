"""The record of a call, and what can be said of it."""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")

PENDING = "pending"
IN_PROGRESS = "in_progress"
COMPLETED = "completed"
UNDONE = "undone"
CLOSED = (COMPLETED, UNDONE)


@dataclass(frozen=True, slots=True)
class Record:
    """What the store keeps of a call; `claim` is new for each attempt, so that no two share it."""

    operation: str
    tool: str
    key: str
    args_hash: str
    args: str
    status: str
    claim: str
    result: str
    created_at: float
    updated_at: float


class ConflictError(Exception):
    """The key came before with other arguments: a mistake of the caller. Nothing was done."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} belongs to a call with other arguments")
        self.key = key


class InDoubtError(Exception):
    """A call with this key has begun and not ended: it still runs, or it died on the way.

    Nothing was done now. Wait and ask again, or let `reconcile` find out.
    """

    def __init__(self, key: str, since: datetime) -> None:
        began = since.isoformat(timespec="seconds")
        super().__init__(f"the call with the key {key!r} began at {began} and has not ended")
        self.key = key
        self.since = since


class UndoneError(Exception):
    """The call with this key was undone, so its result stands no more. Nothing was done now."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the call with the key {key!r} was undone")
        self.key = key


@dataclass(frozen=True, slots=True)
class OnceResult(Generic[T]):
    """What the effect returned: now or, with `was_replay`, in the call begun at `called_at`.

    The value of a replay has been through JSON: a tuple comes back as a list.
    """

    value: T
    was_replay: bool
    called_at: datetime

    def as_reply(self) -> dict[str, Any]:
        """The same for a model, which can so tell a replay from a second effect."""
        return {
            "result": self.value,
            "was_replay": self.was_replay,
            "original_called_at": self.called_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Pending:
    """A call without an end, for `reconcile` to ask about."""

    tool: str
    key: str
    args: dict[str, Any]
    since: datetime


@dataclass(frozen=True, slots=True)
class Done:
    """A finding of `reconcile`: the effect happened, and this is what it returned."""

    value: object


class Verdict(Enum):
    """The other findings: nothing happened (the key is free again), or nobody can tell yet."""

    NOT_DONE = "not done"
    UNKNOWN = "unknown"


def new_record(
    operation: str, tool: str, key: str, args: Mapping[str, object], status: str
) -> Record:
    """A record that claims the key; raises `TypeError` where an argument is not JSON."""
    if not key:
        raise ValueError("an empty key tells no call from another")
    text = json.dumps(dict(args), sort_keys=True, separators=(",", ":"), allow_nan=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    now = time.time()
    return Record(operation, tool, key, digest, text, status, uuid.uuid4().hex, "null", now, now)


def begun_now(record: Record) -> Record:
    """The same record, begun at this moment: its age decides when it may be reconciled."""
    now = time.time()
    return replace(record, created_at=now, updated_at=now)


def changed(record: Record, status: str, value: object) -> Record:
    """The record in its next state, with the value that a replay returns."""
    return replace(record, status=status, result=json.dumps(value), updated_at=time.time())


def is_ours(mine: Record, standing: Record) -> bool:
    """Whether `mine` holds the key, so that its effect may run."""
    return standing.claim == mine.claim


def is_over(mine: Record, standing: Record) -> bool:
    """Whether the call whose record stands has ended; raises `ConflictError` if it is another."""
    if standing.args_hash != mine.args_hash:
        raise ConflictError(mine.key)
    return standing.status in CLOSED


def moment(timestamp: float) -> datetime:
    """The time of a record."""
    return datetime.fromtimestamp(timestamp, timezone.utc)


def in_doubt(record: Record) -> InDoubtError:
    """What to raise for a record without an end."""
    return InDoubtError(record.key, moment(record.updated_at))


def replay(record: Record) -> OnceResult[Any]:
    """What a completed call returned."""
    return OnceResult(json.loads(record.result), True, moment(record.created_at))


def pending(record: Record) -> Pending:
    """What reconciliation is told of a record."""
    since = moment(record.updated_at)
    return Pending(record.tool, record.key, json.loads(record.args), since)

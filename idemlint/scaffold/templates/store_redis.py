"""The store is Redis, at `DATABASE`.

A claim that Redis forgets lets a second effect through, so it must write every command to its disk
(`appendonly yes`, `appendfsync always`) and evict nothing (`maxmemory-policy noeviction`). A
replica that takes over may have missed the last claims.
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import asdict
from typing import Any

import redis

from idemlint.scaffold.templates.records import CLOSED, Record

__all__ = ["DATABASE"]

DATABASE = os.environ.get("IDEMPOTENCY_DATABASE", "redis://localhost:6379/0")

# In each script KEYS are the record, the index that it belongs to, and the index that it does not.
CLAIM = """
local standing = redis.call('GET', KEYS[1])
if standing then
  local found = cjson.decode(standing)
  if found.status ~= 'completed' or found.updated_at >= tonumber(ARGV[4]) then
    return standing
  end
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return ARGV[2]
"""

# The client sends a script again when it lost the answer, so `new` may stand already.
REPLACE = """
local standing = redis.call('GET', KEYS[1])
if standing == ARGV[2] then
  return 1
end
local found = standing and cjson.decode(standing)
if not found or found.claim ~= ARGV[4] or found.status ~= ARGV[5] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1
"""

DROP = """
local standing = redis.call('GET', KEYS[1])
local found = standing and cjson.decode(standing)
if not found or found.claim ~= ARGV[2] or found.status ~= ARGV[3] then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
"""


# `Any`, since the types of redis-py differ from version to version.
@functools.cache
def client() -> Any:
    """The connections of this process."""
    return redis.Redis.from_url(DATABASE)


def name(operation: str, part: str) -> str:
    """The Redis key of a record or an index; the braces keep those of one operation together."""
    return f"idempotency:{{{operation}}}:{part}"


def member(tool: str, key: str) -> str:
    """The name of a record in the indexes."""
    return json.dumps([tool, key])


def names(record: Record) -> tuple[str, str, str]:
    """The Redis keys that the scripts take."""
    indexes = ("closed", "open") if record.status in CLOSED else ("open", "closed")
    parts = (f"record:{member(record.tool, record.key)}", *indexes)
    first, second, third = (name(record.operation, part) for part in parts)
    return first, second, third


def claim_record(record: Record, forget_before: float = 0.0) -> Record:
    """Insert the record unless its key is taken; returns the one that stands.

    A call that was completed before `forget_before` holds its key no more.
    """
    this, text = member(record.tool, record.key), json.dumps(asdict(record))
    arguments = (this, text, record.updated_at, forget_before)
    return Record(**json.loads(client().eval(CLAIM, 3, *names(record), *arguments)))


def find_record(operation: str, tool: str, key: str) -> Record | None:
    """The record of a key."""
    found = client().get(name(operation, f"record:{member(tool, key)}"))
    return None if found is None else Record(**json.loads(found))


def replace_record(old: Record, new: Record) -> bool:
    """Put `new` in the place of `old`; whether `old` still stood."""
    this, text = member(old.tool, old.key), json.dumps(asdict(new))
    arguments = (this, text, new.updated_at, old.claim, old.status)
    return bool(client().eval(REPLACE, 3, *names(new), *arguments))


def drop_record(record: Record) -> bool:
    """Free the key; whether the record still stood."""
    arguments = (member(record.tool, record.key), record.claim, record.status)
    return bool(client().eval(DROP, 3, *names(record), *arguments))


def indexed(operation: str, index: str, before: float) -> list[Record]:
    """The records of an index that nobody touched after `before`, oldest first."""
    found = client().zrangebyscore(name(operation, index), "-inf", before)
    keys = [name(operation, f"record:{this.decode()}") for this in found]
    texts = client().mget(keys) if keys else []
    return [Record(**json.loads(text)) for text in texts if text is not None]


def open_records(operation: str, before: float) -> list[Record]:
    """The records without an end that nobody touched after `before`, oldest first."""
    return indexed(operation, "open", before)


def drop_closed(operation: str, before: float) -> int:
    """Forget the records that ended before `before`; returns how many."""
    return sum(drop_record(record) for record in indexed(operation, "closed", before))

"""The registry: a committed file whose diff shows which tool lost its key, or came without one."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.config.errors import ConfigError
from idemlint.config.loading import os_error_text
from idemlint.inventory import EffectState, Standing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.inventory import EntryRecord, Inventory

__all__ = ["Registry", "RegistryError"]

_VERSION = 1
_NOTE = "Written by `idemlint tools --write`; review its diff, do not edit it"
_FIELDS = ("kind", "framework", "standing", "key", "effects", "guards", "unknown")
_LISTS = {"guards": "guarded by", "unknown": "calls without being resolved"}
_BAD = (Standing.UNGUARDED, Standing.WEAK)
_Facts = dict[str, Any]


class RegistryError(ConfigError):
    """A registry that cannot be read; the message names the file."""


@dataclass(frozen=True, slots=True)
class Registry:
    """What is known of each entry, by `path::name`; rows are left out, so that a diff is quiet.

    Paths are relative to the folder of the registry, with `/`.
    """

    entries: dict[str, _Facts]

    @classmethod
    def of(cls, inventory: Inventory, path: Path) -> Registry:
        """The registry of an inventory, as it is kept at `path`."""
        folder = os.path.abspath(path.parent)  # noqa: PTH100 - links are not followed
        found: dict[str, _Facts] = {}
        for entry in sorted(inventory.entries, key=lambda each: each.sort_key[1:]):
            name = f"{_relative(entry.place.path, folder)}::{entry.name}"
            number = 2
            unique = name
            while unique in found:
                unique = f"{name}#{number}"
                number += 1
            found[unique] = _facts(entry)
        return cls(dict(sorted(found.items())))

    @classmethod
    def read(cls, path: Path) -> Registry:
        """The registry at `path`; raises `RegistryError`."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = os_error_text(error) if isinstance(error, OSError) else "no UTF-8"
            raise RegistryError(f"The registry `{path}` cannot be read: {reason}") from None
        except ValueError as error:
            raise RegistryError(f"The registry `{path}` is no JSON: {error}") from None
        return cls(dict(_checked(data, path)))

    @property
    def text(self) -> str:
        """The file: JSON with a field a row."""
        whole = {"note": _NOTE, "version": _VERSION, "entries": self.entries}
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"

    def changes(self, now: Registry) -> list[str]:
        """What has changed since, a sentence each, what is worse first."""
        changed: list[tuple[bool, str]] = []
        for name in sorted(self.entries.keys() | now.entries.keys()):
            before, after = self.entries.get(name), now.entries.get(name)
            if before == after:
                continue
            if before is None:
                assert after is not None
                changed.append(_new(name, after))
            elif after is None:
                changed.append((False, f"gone: {name}"))
            else:
                changed.append(_different(name, before, after))
        return [text for _, text in sorted(changed, key=lambda change: not change[0])]


def _facts(entry: EntryRecord) -> _Facts:
    key = f"{entry.key.name} ({entry.key.need})" if entry.key.name else entry.key.need
    return {
        "kind": entry.kind,
        "framework": entry.framework,
        "standing": entry.standing.value,
        "key": key,
        "effects": _effects(entry),
        "guards": sorted({guard.kind for guard in entry.guards}),
        "unknown": sorted({f"{call.call} ({call.reason})" for call in entry.unknown}),
    }


def _effects(entry: EntryRecord) -> dict[str, str]:
    """What an entry does, and what a repeat of each does; of two that read alike the worse."""
    order = list(EffectState)
    found: dict[str, EffectState] = {}
    for effect in entry.effects:
        state = found.setdefault(effect.phrase, effect.state)
        found[effect.phrase] = min(state, effect.state, key=order.index)
    return {phrase: found[phrase].value for phrase in sorted(found)}


def _relative(path: Path, folder: str) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _checked(data: object, path: Path) -> Iterator[tuple[str, _Facts]]:
    """The entries of a file, if it is a registry of this version."""
    wrong = f"The registry `{path}` was not written by `idemlint tools --write`"
    if not isinstance(data, dict) or not isinstance(data.get("entries"), dict):
        raise RegistryError(f"{wrong}: it has no `entries`")
    if data.get("version") != _VERSION:
        raise RegistryError(
            f"The registry `{path}` has version {data.get('version')!r}, this idemlint writes"
            f" version {_VERSION}; write it anew with `idemlint tools --write {path}`"
        )
    for name, facts in data["entries"].items():
        if not isinstance(facts, dict) or not facts.keys() >= set(_FIELDS):
            raise RegistryError(f"{wrong}: `{name}` lacks a field of {', '.join(_FIELDS)}")
        if not isinstance(facts["effects"], dict) or not all(
            isinstance(facts[field], list) for field in _LISTS
        ):
            raise RegistryError(f"{wrong}: a field of `{name}` has another type")
        if facts["standing"] not in {standing.value for standing in Standing}:
            raise RegistryError(f"{wrong}: `{name}` has the standing {facts['standing']!r}")
        yield name, facts


def _new(name: str, after: _Facts) -> tuple[bool, str]:
    is_worse = Standing(after["standing"]) in _BAD
    sign = "worse" if is_worse else "new"
    did = ", ".join(f"{phrase} ({state})" for phrase, state in after["effects"].items())
    return is_worse, f"{sign}: {name} is new and {_said(after)}{f': {did}' if did else ''}"


def _different(name: str, before: _Facts, after: _Facts) -> tuple[bool, str]:
    old, new = Standing(before["standing"]), Standing(after["standing"])
    lost_key = _need(before) > _need(after)
    is_worse = lost_key or (new.rank < old.rank and new in (*_BAD, Standing.OPAQUE))
    parts = []
    if before["key"] != after["key"]:
        verb = "lost its key" if lost_key else "has another key"
        parts.append(f"{verb}: {before['key']} → {after['key']}")
    if old is not new:
        parts.append(f"{old.value} → {new.value}")
    parts += _effect_changes(before["effects"], after["effects"])
    for field, noun in _LISTS.items():
        parts += (
            f"no longer {noun} `{item}`" for item in before[field] if item not in after[field]
        )
        parts += (f"now {noun} `{item}`" for item in after[field] if item not in before[field])
    for field in ("kind", "framework"):
        if before[field] != after[field]:
            parts.append(f"{field} {before[field]} → {after[field]}")
    is_better = not is_worse and new.rank > old.rank
    sign = "worse" if is_worse else "better" if is_better else "changed"
    return is_worse, f"{sign}: {name}: {'; '.join(parts)}"


def _effect_changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for phrase in sorted(before.keys() | after.keys()):
        old, new = before.get(phrase), after.get(phrase)
        if old is None:
            yield f"now {phrase} ({new})"
        elif new is None:
            yield f"no longer {phrase}"
        elif old != new:
            yield f"{phrase}: {old} → {new}"


def _need(facts: _Facts) -> int:
    """How sure a key comes: required, optional, none."""
    key = str(facts["key"])
    return 2 if key.endswith("(required)") else int(key.endswith("(optional)"))


def _said(facts: _Facts) -> str:
    return str(facts["standing"]).replace("no-effect", "has no effect")

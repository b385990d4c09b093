"""What a format of the inventory is given, and the words that these formats share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint import catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic
    from idemlint.inventory import CodePlace, EntryRecord, Inventory, Standing

__all__ = [
    "InventoryReport",
    "counted",
    "effect_text",
    "guard_text",
    "key_text",
    "operation_url",
    "summary_lines",
]

_KEYS = {"n/a": "-", "unknown": "not known", "none": "none"}
_GUARDS = {
    "key": "key",
    "bad-key": "key differs",
    "atomic-write": "atomic write",
    "lookup": "lookup",
    "declared": "declared",
    "kept-result": "kept result",
}


@dataclass(frozen=True, slots=True)
class InventoryReport:
    """An inventory and how it is to be shown; `quiet` leaves the summary out."""

    inventory: Inventory
    cwd: Path
    color: bool = False
    hyperlinks: bool = False
    quiet: bool = False

    def shown_path(self, path: Path) -> str:
        """`path` as people read it: relative to the working directory if it lies below it."""
        text, base = str(path), str(self.cwd).rstrip(os.sep) + os.sep
        return text[len(base) :] if text.startswith(base) and len(text) > len(base) else text

    def shown_place(self, place: CodePlace, after: Path | None = None) -> str:
        """A place as `path:row`, without the path where it is the one of the place before."""
        path = "" if place.path == after else self.shown_path(place.path)
        cell = f":cell {place.cell}" if place.cell is not None else ""
        return f"{path}{cell}:{place.row}"


def effect_text(entry: EntryRecord) -> str:
    """What an entry does, as a predicate."""
    effect = entry.main_effect
    if effect is not None:
        return effect.phrase
    return {
        "opaque": "not resolved",
        "read": "reads",
        "none": "no effect found",
    }.get(entry.effect_class, entry.effect_class)


def key_text(entry: EntryRecord) -> str:
    """The key parameter, and whether it has to be given."""
    key = entry.key
    return f"{key.name} ({key.need})" if key.name else _KEYS.get(key.need, key.need)


def guard_text(entry: EntryRecord) -> str:
    """The kinds of guards that its effects have, in short."""
    found = [_GUARDS.get(guard.kind, guard.kind) for guard in entry.guards]
    if found:
        return ", ".join(dict.fromkeys(found))
    return "none" if entry.effects else "-"


def codes(findings: tuple[Diagnostic, ...]) -> list[str]:
    """The codes of findings, each once, with how often where that is more than once."""
    listed = [found.code for found in findings]
    return [
        code if listed.count(code) == 1 else f"{code}x{listed.count(code)}"
        for code in dict.fromkeys(listed)
    ]


def operation_url(code: str) -> str:
    """Where the page of an operation can be read; empty if there is none."""
    known = catalogue.operations().get(code)
    return catalogue.page_url(known.page) if known is not None else ""


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 entry`, `2 entries`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def summary_lines(inventory: Inventory) -> list[str]:
    """How many entries there are, how they stand, and how many are fully resolved."""
    total = len(inventory.entries)
    if not total:
        return ["No tools, nodes or tasks found."]
    listed = ", ".join(f"{count} {_said(s)}" for s, count in inventory.counts.items())
    share = f"{100 * inventory.resolved_share:.1f}".removesuffix(".0")
    return [
        f"{counted(total, 'entry', 'entries')}: {listed}.",
        f"Effects fully resolved: {inventory.resolved} of {total} ({share}%).",
    ]


def _said(standing: Standing) -> str:
    return {"no-effect": "without effect", "once": "that nothing runs again"}.get(
        standing.value, standing.value
    )

"""The inventory as one object, for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from idemlint.output.report import emit

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.inventory import (
        CodePlace,
        EffectRecord,
        EntryRecord,
        GuardRecord,
        Step,
        UnknownRecord,
    )
    from idemlint.output.inventory_report import InventoryReport

__all__ = ["render"]

_VERSION = 1


def render(report: InventoryReport, stream: TextIO) -> None:
    """Write the object: the format's version, the counts, the entries in the order of risk."""
    inventory = report.inventory
    whole = {
        "version": _VERSION,
        "summary": {
            "entries": len(inventory.entries),
            "resolved": inventory.resolved,
            "resolved_share": round(inventory.resolved_share, 4),
            "standings": {found.value: count for found, count in inventory.counts.items()},
        },
        "entries": [_entry(entry) for entry in inventory.entries],
    }
    emit(stream, json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


def _entry(entry: EntryRecord) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "framework": entry.framework,
        **_place(entry.place),
        "standing": entry.standing.value,
        "effect_class": entry.effect_class,
        "is_resolved": entry.is_resolved,
        "key": {"need": entry.key.need, "name": entry.key.name or None},
        "targets": list(entry.targets),
        "effects": [_effect(effect) for effect in entry.effects],
        "unknown_calls": [_unknown(call) for call in entry.unknown],
        "replays": [
            {
                "text": replay.text,
                "causes": list(replay.causes),
                "location": None if replay.place is None else _place(replay.place),
            }
            for replay in entry.replays
        ],
        "operation": entry.operation or None,
        "reason": entry.reason or None,
        "findings": [_finding(found) for found in entry.findings],
        "silenced": [_finding(found) for found in entry.silenced],
    }


def _effect(effect: EffectRecord) -> dict[str, Any]:
    return {
        "class": effect.does,
        "text": effect.phrase,
        "target": effect.target,
        "is_own_store": effect.own,
        "native_key": effect.takes or None,
        "state": effect.state.value,
        "guard": None if effect.guard is None else _guard(effect.guard),
        "path": _steps(effect.steps),
    }


def _guard(guard: GuardRecord) -> dict[str, Any]:
    return {
        "kind": guard.kind,
        "text": guard.text,
        "holds": guard.holds,
        "location": _place(guard.place),
    }


def _unknown(call: UnknownRecord) -> dict[str, Any]:
    return {"call": call.call, "reason": call.reason, "path": _steps(call.steps)}


def _steps(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    return [{"call": step.call, "function": step.function, **_place(step.place)} for step in steps]


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "name": found.name,
        "message": found.message,
        "severity": found.severity.value,
        "operation": found.operation or None,
        "suggestion": found.suggestion,
        "url": found.url,
        "filename": str(found.path),
        "location": {"row": found.range.start.row, "column": found.range.start.column},
        "cell": found.cell,
    }


def _place(place: CodePlace) -> dict[str, Any]:
    return {
        "filename": str(place.path),
        "row": place.row,
        "column": place.column,
        "cell": place.cell,
    }

"""Cures for producers and queues that cannot tell a repeat (IDM503)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editors import Editors
from idemlint.fixes.placing import place_key
from idemlint.fixes.taking import hand_down, take_key
from idemlint.model.symbols import Literal, Place

if TYPE_CHECKING:
    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence
    from idemlint.model.model import Model
    from idemlint.model.runs import Occurrence

__all__ = ["producer_fix"]

_SAFE_ACKS = {"all", "-1", -1}


def producer_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Turn idempotence on at the constructor; give a send its deduplication id."""
    occurrence, made = evidence.subject
    if made is None:
        return _deduplicated(evidence, occurrence, model)
    return _turned_on(occurrence, made, model)


def _turned_on(occurrence: Occurrence, made: Place, model: Model) -> Fix | None:
    call, key = made.node, occurrence.deed.key
    assert isinstance(call, ast.Call) and key is not None
    name = key.setting
    editors = Editors()
    editor = editors.of(made.frame.module)
    level = Applicability.SAFE if _is_allowed(made, model) else Applicability.DISPLAY
    message = f"Turn `{name}` on"
    for keyword in call.keywords:
        if keyword.arg == name:
            editor.replace_node(keyword.value, "True")
            return editors.fix(message, level)
    for node in (*call.args, *(k.value for k in call.keywords if k.arg is None)):
        for symbol in model.names.resolve(Place(node, made.frame, made.statement)):
            if not isinstance(symbol, Literal) or not isinstance(symbol.node, ast.Dict):
                continue
            inner = editors.of(symbol.place.frame.module)
            for entry, value in zip(symbol.node.keys, symbol.node.values, strict=True):
                if isinstance(entry, ast.Constant) and entry.value == name:
                    inner.replace_node(value, "True")
                    return editors.fix(message, level)
            inner.add_entry(symbol.node, f'"{name}"', "True")
            return editors.fix(message, level)
    if "." in name:
        return None
    editor.add_keyword(call, name, "True")
    return editors.fix(message, level)


def _is_allowed(made: Place, model: Model) -> bool:
    """Whether the other settings go with idempotence: all acknowledge, and sending again is on."""
    call = made.node
    assert isinstance(call, ast.Call)
    given: dict[str, ast.expr] = {k.arg: k.value for k in call.keywords if k.arg}
    for node in call.args:
        for entry in model.values.mapping(Place(node, made.frame, made.statement)).entries:
            given[entry.key] = entry.value.node
    for name in ("acks", "request.required.acks"):
        value = given.get(name)
        if value is not None and not _is_one_of(value, _SAFE_ACKS):
            return False
    for name in ("retries", "message.send.max.retries"):
        value = given.get(name)
        if isinstance(value, ast.Constant) and not value.value:
            return False
    return not any("in.flight" in name or "in_flight" in name for name in given)


def _is_one_of(node: ast.expr, values: set[object]) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ast.unparse(node) == "-1"
    return isinstance(node, ast.Constant) and node.value in values


def _deduplicated(evidence: Evidence, occurrence: Occurrence, model: Model) -> Fix | None:
    """Pass the key of the tool, or show where an id has to stand."""
    entry, deed = evidence.entry, occurrence.deed
    if entry is not None and entry.is_tool and model.entries.key_parameters(entry):
        editors = Editors()
        key = take_key(entry, model, editors)
        handed = (
            hand_down([hop.frame for hop in occurrence.hops], key, model, editors) if key else None
        )
        if handed is not None and place_key(
            deed, handed[0], model, editors, optional=not handed[1]
        ):
            return editors.fix("Send the key as the deduplication id", Applicability.UNSAFE)
    editors = Editors()
    if place_key(deed, "idempotency_key", model, editors, optional=False):
        return editors.fix("Send an id that names the operation", Applicability.DISPLAY)
    return None

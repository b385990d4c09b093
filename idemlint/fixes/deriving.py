"""Keys that a body computes itself, from the ids that its framework keeps over its own replays."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.knowledge.rows import Identity

if TYPE_CHECKING:
    from idemlint.fixes.keys import Cure
    from idemlint.model.entries import Entry
    from idemlint.model.program import Function

__all__ = ["derived_key"]


def derived_key(cure: Cure, entry: Entry) -> str | None:
    """`str(uuid5(…))` of ids that stay, the body's name and what tells its effects apart.

    Ids that several intents share are completed by what of the state the effect uses. `None` where
    the framework keeps no id, or where nothing tells the rounds of a loop apart.
    """
    function = entry.function
    row = _kept_id(cure, entry)
    rounds = _round_names(cure)
    if function is None or row is None or rounds is None:
        return None
    fields: list[str] = []
    if row.kind == "coarse":
        state = next((name for name in function.positional if name != function.self_name), "")
        fields = _state_reads(cure, state)
        if not fields and not rounds:
            fields = _whole_state(cure, state)
    ids = _ids(row, cure, function)
    if ids is None:
        return None
    parts = [
        *(f"{{{written}}}" for written in ids),
        entry.name,
        *(f"{{{field}}}" for field in (*fields, *rounds)),
        *_number(cure, function),
    ]
    text = ":".join(parts)
    quote = "'" if '"' in text else '"'
    namespace = cure.editor.add_import("uuid", "NAMESPACE_URL")
    uuid5 = cure.editor.add_import("uuid", "uuid5")
    return f"str({uuid5}({namespace}, f{quote}{text}{quote}))"


def _kept_id(cure: Cure, entry: Entry) -> Identity | None:
    """What the framework of a body keeps over its replays."""
    if entry.replay is None:
        return None
    for row in cure.model.knowledge.rows("identity"):
        if isinstance(row, Identity) and entry.replay.id in row.within:
            return row
    return None


def _ids(row: Identity, cure: Cure, function: Function) -> list[str] | None:
    """The ids as they are written in the body; what they need is imported, or a new parameter."""
    module, _, name = row.imports.rpartition(".")
    if not row.taken_as:
        local = cure.editor.add_import(module, name)
        return [written.format(local) for written in row.written]
    names = [arg.arg for arg in function.parameters]
    taken = next((name for name in names if name in row.taken_as), None)
    if taken is None:
        if function.node.args.kwarg is not None or function.node.args.vararg is not None:
            return None
        hint = cure.editor.add_import(module, name)
        taken = row.taken_as[0]
        if not cure.editor.add_parameter(function, f"{taken}: {hint}", required=True):
            return None
    return [written.format(taken) for written in row.written]


def _number(cure: Cure, function: Function) -> list[str]:
    """A number where the body has several keys that would be the same: that of the place."""
    made = cure.editor.code(cure.node)
    same = [
        node
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, type(cure.node)) and cure.editor.code(node) == made
    ]
    same.sort(key=cure.editor.span)
    return [str(same.index(cure.node) + 1)] if len(same) > 1 and cure.node in same else []


def _whole_state(cure: Cure, state: str) -> list[str]:
    """What tells one intent from another where the effect gets no field of the state by itself."""
    call = cure.occurrence.deed.call
    if any(isinstance(node, ast.Name) and node.id == state for node in ast.walk(call)):
        return [f"{cure.editor.add_import('json', 'dumps')}({state}, sort_keys=True)"]
    if cure.function is None:
        return []
    left_out = _own_fields(cure, state)
    reads = [_field(node, state) for node in ast.walk(cure.function.node)]
    return [name for name in dict.fromkeys(reads) if name and name not in left_out][:4]


def _own_fields(cure: Cure, state: str) -> set[str]:
    """The fields that are read for the key or assigned where it is made; they may be missing."""
    keys = [cure.use.place.node, *getattr(cure.statement(), "targets", ())]
    return {_field(node, state) for part in keys for node in ast.walk(part)}


def _round_names(cure: Cure) -> list[str] | None:
    """What tells the rounds around the value apart; `None` where no name does."""
    found: list[str] = []
    for parent in cure.parents():
        targets: list[ast.expr] = []
        if isinstance(parent, ast.For | ast.AsyncFor):
            targets = [parent.target]
        elif isinstance(parent, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            targets = [generator.target for generator in parent.generators]
        elif isinstance(parent, ast.While):
            return None
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name in names:
                if not isinstance(name, ast.Name) or name.id == "_":
                    return None
                found.append(name.id)
    return found


def _state_reads(cure: Cure, state: str) -> list[str]:
    """The fields of the state that the effect uses, as they are written in an f-string.

    What the rounds around the value go through is left out: it is told apart by their names.
    """
    calls = (cure.occurrence.deed.call, cure.occurrence.top.event.node)
    left_out = _own_fields(cure, state)
    rounds = [g.iter for p in cure.parents() for g in getattr(p, "generators", ())]
    skipped = {id(node) for part in rounds for node in ast.walk(part)}
    nodes = (node for call in calls for node in ast.walk(call) if id(node) not in skipped)
    reads = [_field(node, state) for node in nodes]
    return [name for name in dict.fromkeys(reads) if name and name not in left_out][:4]


def _field(node: ast.AST, state: str) -> str:
    """A field of the state as it is written, empty for any other node."""
    if not (
        isinstance(node, ast.Subscript | ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == state
    ):
        return ""
    if isinstance(node, ast.Attribute):
        return "" if node.attr in ("get", "items", "keys") else f"{state}.{node.attr}"
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return f"{state}['{node.slice.value}']"
    return ""

"""Cures for keys that do not arrive at a provider, or are too wide (IDM501, IDM107, IDM106)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editors import Editors
from idemlint.fixes.once import run_through
from idemlint.fixes.placing import place_key
from idemlint.fixes.taking import KEY, hand_down, take_key
from idemlint.model.entries import Entry, EntryKind
from idemlint.model.runs import Occurrence

if TYPE_CHECKING:
    from idemlint.diagnostic import Fix
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.entries import ToolParameter
    from idemlint.model.evidence import Evidence
    from idemlint.model.keys import KeyUse
    from idemlint.model.model import Model
    from idemlint.model.program import Function
    from idemlint.model.symbols import Frame

__all__ = ["coarse_fix", "native_fix", "unused_fix"]

_TIGHT = (ast.Name, ast.Call, ast.Attribute, ast.Constant, ast.Subscript)


def native_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Pass the key of the tool or an id of the intent; where there is none, show a parameter."""
    occurrence: Occurrence = evidence.subject
    entry = evidence.entry
    if entry is not None and entry.is_tool:
        fix = _passed(entry, occurrence, model)
        if fix is not None:
            return fix
        fix = _through_module(evidence, occurrence, model)
        if fix is not None:
            return fix
    return _from_scope(evidence, occurrence, model) or _as_parameter(evidence, occurrence, model)


def unused_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Pass the key on where the effect can take it; else show where it would be claimed."""
    act: object
    parameter, act = evidence.subject
    entry = evidence.entry
    assert entry is not None
    if isinstance(act, Occurrence):
        fix = _passed(entry, act, model)
        if fix is not None:
            return fix
    return _claimed(entry, parameter, act, evidence.operation)


def coarse_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Show where the part would stand that tells one intent from another."""
    use: KeyUse = evidence.subject
    editors = Editors()
    editor = editors.of(use.place.frame.module)
    function = use.place.frame.function
    known = _intent_in(function, model.knowledge) if function is not None else None
    start, end = editor.span(use.place.node)
    code = editor.code(use.place.node)
    is_text = isinstance(use.place.node, ast.JoinedStr) and code[1:2] == code[-1:]
    if is_text and not (known and code[-1] in known):
        editor.insert(end - 1, f":{{{known or 'intent_id'}}}")
    else:
        quote = '"' if "'" in (known or "") else "'"
        part = f"f{quote}:{{{known}}}{quote}" if known else 'f":{intent_id}"'
        if isinstance(
            use.place.node, ast.Name | ast.Call | ast.Attribute | ast.Constant | ast.Subscript
        ):
            editor.insert(end, f" + {part}")
        else:
            editor.insert(start, "(")
            editor.insert(end, f") + {part}")
    return editors.fix("Add what makes the intent unique", Applicability.DISPLAY)


def _passed(entry: Entry, occurrence: Occurrence, model: Model) -> Fix | None:
    """Hand the key of a tool down to the call, through the parameters that carry it already."""
    deed = occurrence.deed
    editors = Editors()
    key = take_key(entry, model, editors) if deed.key is not None else None
    if key is None:
        return None
    frames = [hop.frame for hop in occurrence.hops]
    while len(frames) > 1:
        carrier = _carried_as(key, frames[1])
        if carrier is None:
            break
        key = carrier
        frames = frames[1:]
    handed = hand_down(frames, key, model, editors)
    if handed is None:
        return None
    written, is_required = handed
    if not place_key(deed, written, model, editors, optional=not is_required):
        return None
    return editors.fix(f"Pass `{key}` on", Applicability.UNSAFE)


def _through_module(evidence: Evidence, occurrence: Occurrence, model: Model) -> Fix | None:
    """Run the call by the project's own module, where its provider's key has no sure place."""
    entry = evidence.entry
    assert entry is not None
    function, top = entry.function, occurrence.top
    editors = Editors()
    key = take_key(entry, model, editors)
    if key is None or function is None or top.frame.function is not function:
        return None
    statement = top.event.statement
    if not run_through(function, statement, key, function.name, evidence.operation, editors):
        return None
    return editors.fix(f"Run the call once for each `{key}`", Applicability.UNSAFE)


def _carried_as(key: str, frame: Frame) -> str | None:
    """The parameter of a helper that is given the key."""
    for name, given in frame.arguments.items():
        if isinstance(given.node, ast.Name | ast.Attribute) and ast.unparse(given.node) == key:
            return name
    return None


def _from_scope(evidence: Evidence, occurrence: Occurrence, model: Model) -> Fix | None:
    """An id of the intent that stands in scope: a parameter, or a field of the state."""
    function = occurrence.leaf.frame.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    found = _intent_in(function, model.knowledge)
    if found is None:
        return None
    editors = Editors()
    quote = '"' if "'" in found else "'"
    written = f"f{quote}{function.name}-{{{found}}}{quote}"
    if quote == "'":
        written = f'f"{function.name}-{{{found}}}"'
    if not place_key(occurrence.deed, written, model, editors, optional=False):
        return None
    return editors.fix(f"Pass a key that is made of `{found}`", Applicability.UNSAFE)


def _intent_in(function: Function, knowledge: Knowledge) -> str | None:
    """How an id of the intent is written: a parameter, or a field that is read from one."""

    def fits(name: str) -> bool:
        kinds = knowledge.field_kinds(name)
        return knowledge.is_record_name(name) and ("intent" in kinds or "shared" not in kinds)

    names = [arg.arg for arg in function.parameters if arg.arg != function.self_name]
    for name in names:
        if fits(name) and name != "id":
            return name
    for statement in function.body:
        for node in ast.walk(statement):
            read = _field_read(node, names)
            if read is not None and fits(read[0]):
                return read[1]
    return None


def _field_read(node: ast.AST, names: list[str]) -> tuple[str, str] | None:
    """The field that an expression reads from one of the names, and how it is written."""
    base = node.value if isinstance(node, ast.Subscript | ast.Attribute) else None
    if not isinstance(base, ast.Name) or base.id not in names:
        return None
    if isinstance(node, ast.Attribute):
        return node.attr, f"{base.id}.{node.attr}"
    assert isinstance(node, ast.Subscript)
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value, f"{base.id}['{node.slice.value}']"
    return None


def _as_parameter(evidence: Evidence, occurrence: Occurrence, model: Model) -> Fix | None:
    """Show the key as a parameter of the body, or made of what a node has in its state."""
    entry = evidence.entry
    editors = Editors()
    frames = [hop.frame for hop in occurrence.hops]
    function = frames[0].function
    assert function is not None
    if entry is not None and entry.kind is EntryKind.NODE:
        state = next((n for n in function.positional if n != function.self_name), "state")
        key: str | None = f"{state}['{KEY}']"
    elif entry is not None:
        key = take_key(entry, model, editors)
    else:
        added = function.parameter(KEY) is None and editors.of(function.module).add_parameter(
            function, f"{KEY}: str", required=True
        )
        key = KEY if added else None
    handed = hand_down(frames, key, model, editors) if key is not None else None
    if handed is None:
        return None
    written, is_required = handed
    if not place_key(occurrence.deed, written, model, editors, optional=not is_required):
        return None
    return editors.fix("Pass a key that is the same on a replay", Applicability.DISPLAY)


def _claimed(entry: Entry, parameter: ToolParameter, act: object, operation: str) -> Fix | None:
    """Run the effect by the project's own module; without one, show the claim of the key."""
    function = entry.function
    if function is None or isinstance(function.node, ast.Lambda) or not function.body:
        return None
    key = _written_key(function, parameter)
    if key is None:
        return None
    statement = _statement_of(act, function)
    editors = Editors()
    if isinstance(act, Occurrence) and act.top.frame.function is function:
        if run_through(function, statement, key, function.name, operation, editors):
            return editors.fix(f"Run the effect once for each `{key}`", Applicability.UNSAFE)
    editor = editors.of(function.module)
    if not editor.stands_alone(statement):
        return None
    editor.insert_before(
        statement,
        "# INSERT … ON CONFLICT (key) DO NOTHING; where that inserts nothing, the result is there",
        f"if not claim({key}):",
        f"    return stored_result({key})",
    )
    return editors.fix(f"Claim `{key}` before the effect", Applicability.DISPLAY)


def _written_key(function: Function, parameter: ToolParameter) -> str | None:
    """How the body reads a key that it takes; out of the one mapping of arguments for a schema."""
    if parameter.source == "field" and parameter.path:
        return f"{parameter.path}.{parameter.name}"
    if function.parameter(parameter.name) is not None:
        return parameter.name
    names = [arg.arg for arg in function.parameters if arg.arg != function.self_name]
    return f'{names[-1]}["{parameter.name}"]' if names else None


def _statement_of(act: object, function: Function) -> ast.stmt:
    """The statement of the body that leads to the effect."""
    if isinstance(act, Occurrence):
        return act.top.event.statement
    assert isinstance(act, tuple)
    body = [s for s in function.body if act[1] in set(ast.walk(s))]
    return body[0] if body else function.body[-1]

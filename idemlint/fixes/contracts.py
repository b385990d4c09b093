"""Cures for what a tool promises: missing and optional keys, wrong hints, replays that are hidden.

IDM401, IDM402, IDM403, IDM404.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.callers import is_filled_by_place, pass_on
from idemlint.fixes.claiming import claim_first
from idemlint.fixes.editors import Editors
from idemlint.fixes.placing import place_key
from idemlint.fixes.schemas import extend_schema, key_of_schema, list_as_required
from idemlint.fixes.taking import KEY, hand_down, make_required, take_key
from idemlint.model.functions import value_of

if TYPE_CHECKING:
    from idemlint.diagnostic import Fix
    from idemlint.model.contract_faults import WrittenHint
    from idemlint.model.entries import Entry, ToolParameter
    from idemlint.model.evidence import Evidence
    from idemlint.model.model import Model
    from idemlint.model.runs import Occurrence

__all__ = ["hint_fix", "parameter_fix", "required_fix", "surfaced_fix"]


def parameter_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Add a required key and pass it to where the effect's provider looks for one.

    Where one of the effects has no such place, the key is claimed before them instead. A schema
    that is written down as a dictionary gets the key, too.
    """
    entry = evidence.entry
    assert entry is not None
    effects = _distinct(evidence.subject[1]) if evidence.subject is not None else []
    if entry.function is None or (entry.schema is not None and not _has_class_schema(entry, model)):
        return _in_schema(entry, effects, model, evidence.operation)
    message = f"Add a required `{KEY}` parameter to `{entry.name}`"
    editors = Editors()
    key = take_key(entry, model, editors)
    if key is None:
        return _in_schema(entry, effects, model, evidence.operation)
    if effects and all(_passed(o, key, model, editors) for o in effects):
        fix = editors.fix(f"{message} and pass it on", Applicability.UNSAFE)
        if fix is not None:
            return fix
    editors = Editors()
    key = take_key(entry, model, editors)
    if key is not None and claim_first(entry, key, effects, editors, operation=evidence.operation):
        fix = editors.fix(f"{message} and claim it before the effect", Applicability.UNSAFE)
        if fix is not None:
            return fix
    editors = Editors()
    take_key(entry, model, editors)
    return editors.fix(message, Applicability.DISPLAY)


def _distinct(effects: list[Occurrence]) -> list[Occurrence]:
    """One way to each effect."""
    found: dict[ast.AST, Occurrence] = {}
    for occurrence in effects:
        found.setdefault(occurrence.deed.call, occurrence)
    return list(found.values())


def _passed(occurrence: Occurrence, key: str, model: Model, editors: Editors) -> bool:
    deed = occurrence.deed
    if not deed.is_effect or deed.key is None or not deed.duplicates or not deed.key_is_certain:
        return False
    frames = [hop.frame for hop in occurrence.hops]
    handed = hand_down(frames, key, model, editors)
    if handed is None:
        return False
    written, is_required = handed
    return place_key(deed, written, model, editors, optional=not is_required)


def _has_class_schema(entry: Entry, model: Model) -> bool:
    from idemlint.model.symbols import ClassSymbol

    assert entry.schema is not None
    return any(isinstance(symbol, ClassSymbol) for symbol in model.names.resolve(entry.schema))


def _in_schema(entry: Entry, effects: list[Occurrence], model: Model, operation: str) -> Fix | None:
    """Add the key to a schema that is written down as a dictionary, and to what it requires.

    A body that reads its arguments passes the key on or claims it; else the schema alone is shown.
    """
    message = f"Add a required `{KEY}` to the schema of `{entry.name}`"
    editors = Editors()
    key = key_of_schema(entry, model, editors)
    if key is not None and effects:
        if all(_passed(o, key.written, model, editors) for o in effects):
            fix = editors.fix(f"{message} and pass it on", Applicability.UNSAFE)
            if fix is not None:
                return fix
    editors = Editors()
    key = key_of_schema(entry, model, editors)
    if key is not None and claim_first(
        entry, key.written, effects, editors, block=key.block, operation=operation
    ):
        fix = editors.fix(f"{message} and claim it before the effect", Applicability.UNSAFE)
        if fix is not None:
            return fix
    editors = Editors()
    if not extend_schema(entry, model, editors):
        return None
    return editors.fix(message, Applicability.DISPLAY)


def required_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Take the default away from an optional key, or list it in the schema as required."""
    entry = evidence.entry
    parameter: ToolParameter = evidence.subject
    assert entry is not None
    editors = Editors()
    if parameter.source == "schema":
        _list_as_required(entry, parameter, model, editors)
    else:
        make_required(parameter, editors)
        function = entry.function
        if function is not None and not (
            pass_on(function, parameter.name, model, editors)
            and not is_filled_by_place(function, model)
        ):
            editors.show_only()
    return editors.fix(f"Make `{parameter.name}` required", Applicability.UNSAFE)


def _list_as_required(
    entry: Entry, parameter: ToolParameter, model: Model, editors: Editors
) -> None:
    from idemlint.model.symbols import Literal

    assert entry.schema is not None
    for symbol in model.names.resolve(entry.schema):
        if not isinstance(symbol, Literal) or not isinstance(symbol.node, ast.Dict):
            continue
        editor = editors.of(symbol.place.frame.module)
        quote = editor.code(parameter.node)[0] if isinstance(parameter.node, ast.Constant) else '"'
        name = f"{quote}{parameter.name}{quote}"
        described = value_of(symbol.node, parameter.name)
        if isinstance(described, ast.Dict):
            # inputs that are written without a schema around them say it of each one
            nullable = value_of(described, "nullable")
            if nullable is not None:
                editor.replace_node(nullable, "False")
        else:
            list_as_required(symbol.node, name, editor)
        return


def hint_fix(evidence: Evidence) -> Fix | None:
    """Set a hint to what the body does."""
    hint: WrittenHint = evidence.subject
    editors = Editors()
    editors.of(hint.module).replace_node(hint.value, "False")
    return editors.fix(f"Set `{hint.name}` to `False`", Applicability.UNSAFE)


def surfaced_fix(evidence: Evidence) -> Fix | None:
    """Add `was_replay` to a dictionary that is returned; else show where the sign belongs."""
    value = evidence.subject.value
    editors = Editors()
    editor = editors.of(evidence.module)
    message = "Say that it is a replay"
    if isinstance(value, ast.Dict):
        editor.add_entry(value, '"was_replay"', "True")
        return editors.fix(message, Applicability.UNSAFE)
    editor.replace_node(value, f'{{"result": {editor.code(value)}, "was_replay": True}}')
    return editors.fix(message, Applicability.DISPLAY)

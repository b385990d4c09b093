"""Putting a key where a provider looks for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from idemlint.fixes.editing import Editor
    from idemlint.fixes.editors import Editors
    from idemlint.model.deeds import Deed
    from idemlint.model.model import Model
    from idemlint.model.symbols import Place

__all__ = ["place_key"]


def place_key(deed: Deed, key: str, model: Model, editors: Editors, *, optional: bool) -> bool:
    """Give an effect the key in its provider's own place; false if there is none that is sure.

    `optional` says that the key can be `None`, which a header must not be.
    """
    slot = deed.key
    if slot is None:
        return False
    place = model.deeds.carrying_call(deed)
    call = place.node
    assert isinstance(call, ast.Call)
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    editor = editors.of(place.frame.module)
    if slot.argument:
        name = next((name for name in slot.argument if isinstance(name, str)), "")
        if not name or any(keyword.arg == name for keyword in call.keywords):
            return False
        editor.add_keyword(call, name, key)
        return True
    entry = slot.header or slot.entry or slot.field
    if not entry or "." in entry:
        return False
    within = [name for name in slot.within if isinstance(name, str)]
    if not within:
        within = ["headers"] if slot.header else ["json"] if slot.field else []
    return _into_mapping(place, within, entry, key, model, editor, optional=optional)


def _into_mapping(
    place: Place,
    within: list[str],
    entry: str,
    key: str,
    model: Model,
    editor: Editor,
    *,
    optional: bool,
) -> bool:
    call = place.node
    assert isinstance(call, ast.Call)
    for name in within:
        for keyword in call.keywords:
            if keyword.arg == name:
                return _extend(keyword.value, place, entry, key, model, editor, optional=optional)
    if not within or any(keyword.arg is None for keyword in call.keywords):
        return False
    written = f'{{"{entry}": {key}}}'
    if optional:
        written = f"{written} if {key} else None"
    editor.add_keyword(call, within[0], written)
    return True


def _extend(
    value: ast.expr,
    place: Place,
    entry: str,
    key: str,
    model: Model,
    editor: Editor,
    *,
    optional: bool,
) -> bool:
    literal = _literal(value, place, model)
    if literal is not None and not optional:
        editor.add_entry(literal, f'"{entry}"', key)
        return True
    addition = f'"{entry}": {key}'
    if optional:
        addition = f'**({{"{entry}": {key}}} if {key} else {{}})'
    code = editor.code(value)
    spread = code if isinstance(value, ast.Name | ast.Attribute | ast.Call) else f"({code})"
    if isinstance(value, ast.Dict):
        if optional:
            editor.add_entry_text(value, addition)
            return True
        editor.add_entry(value, f'"{entry}"', key)
        return True
    if isinstance(value, ast.Constant) and value.value is None:
        editor.replace_node(value, f"{{{addition}}}")
        return True
    editor.replace_node(value, f"{{**{spread}, {addition}}}")
    return True


def _literal(value: ast.expr, place: Place, model: Model) -> ast.Dict | None:
    """The dictionary that a variable of the same function was made as, and not given away."""
    if isinstance(value, ast.Dict):
        return value
    function = place.frame.function
    if not isinstance(value, ast.Name) or function is None:
        return None
    found = model.names.flow(function).definitions_at(place.statement, value.id)
    if len(found) == 1 and found[0].kind == "value" and isinstance(found[0].node, ast.Dict):
        return found[0].node
    return None

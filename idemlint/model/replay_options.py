"""Whether the options of a body say that its framework tries it again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.arguments import Given, given, says
from idemlint.model.functions import all_statements, value_of
from idemlint.model.symbols import Literal, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge import rows
    from idemlint.model.names import Names
    from idemlint.model.program import Function
    from idemlint.model.symbols import Frame
    from idemlint.model.values import Values

__all__ = ["is_retried"]

_COUNTS = ("max_retries", "retry_kwargs")
"""These say how often, where something else says that it is tried again at all."""


def is_retried(row: rows.Replay, options: Place | None, function: Function, values: Values) -> bool:
    """Whether the row of a body, its own options, or those around it, let it be tried again.

    `options` is the decorator or the call that registers it. What stands around it are decorators
    of the functions that it is defined in, and `with` statements. Options that cannot be read can
    say that a body is not tried again, as others that are.
    """
    is_open = False
    for off in row.off_with:
        name, _, text = off.partition("=")
        found = _given(options, name, values)
        is_open = is_open or found.is_open
        if any(says(values.names, value, text) for value in found.places):
            return False
    if _asks(row, options, values):
        return True
    if is_open or row.retried:
        return not is_open
    if not row.within or any(_given(options, name, values).places for name in row.only_with):
        return False
    return any(_asks(row, place, values) for place in _around(row, options, function, values.names))


def _given(options: Place | None, name: str, values: Values) -> Given:
    if options is None or not isinstance(options.node, ast.Call):
        return Given()
    return given(values, options, (name,))


def _asks(row: rows.Replay, options: Place | None, values: Values) -> bool:
    """Whether one of the options that let a body be tried again is given, and not as none."""
    for name in row.only_with:
        option, _, key = name.partition(".")
        if name in _COUNTS:
            continue
        for value in _given(options, option, values).places:
            node = _value_in(value, key, values.names) if key else value.node
            if node is not None and (not isinstance(node, ast.Constant) or node.value):
                return True
    return False


def _value_in(place: Place, key: str, names: Names) -> ast.expr | None:
    """What a mapping that is written down holds under a name."""
    for symbol in names.resolve(place):
        value = value_of(symbol.node, key) if isinstance(symbol, Literal) else None
        if value is not None:
            return value
    return None


def _around(
    row: rows.Replay, options: Place | None, function: Function, names: Names
) -> Iterator[Place]:
    """The calls around a body whose options count for it."""
    node = function.node if options is None or row.kind == "decorator" else options.node
    frame = names.module_frame(function.module) if options is None else options.frame
    inner = frame.function if row.kind == "call" else function.parent
    while inner is not None:
        yield from _contexts(row, node, all_statements(inner.body), names.frame(inner), names)
        outer = inner.parent
        frame = names.module_frame(inner.module) if outer is None else names.frame(outer)
        for decorator in inner.decorators:
            yield from _known(row, Place(decorator, frame), names)
        inner = outer
    module = names.module_frame(function.module) if row.kind == "decorator" else frame
    if module.function is None:
        yield from _contexts(row, node, module.module.statements_with("with "), module, names)


def _contexts(
    row: rows.Replay,
    node: ast.AST,
    statements: Iterator[ast.stmt],
    frame: Frame,
    names: Names,
) -> Iterator[Place]:
    """What the `with` statements enter in whose rows a node stands."""
    first: int = node.lineno  # type: ignore[attr-defined]
    for statement in statements:
        if not isinstance(statement, ast.With) or statement.end_lineno is None:
            continue
        if statement.lineno <= first <= statement.end_lineno:
            for item in statement.items:
                yield from _known(row, Place(item.context_expr, frame, statement), names)


def _known(row: rows.Replay, place: Place, names: Names) -> Iterator[Place]:
    if isinstance(place.node, ast.Call):
        called = Place(place.node.func, place.frame, place.statement)
        if not set(row.within).isdisjoint(names.paths(called)):
            yield place

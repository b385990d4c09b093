"""What a call gives for an argument, in its brackets or in a mapping that it spreads."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.symbols import Constant, External, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.model.names import Names
    from idemlint.model.values import Values

__all__ = ["Given", "argument", "given", "says"]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What a call can give for an argument; `is_open` says that it can be more than these."""

    places: tuple[Place, ...] = ()
    is_open: bool = False


_NOTHING = Given()


def argument(call: ast.Call, places: Iterable[int | str]) -> ast.expr | None:
    """The argument at the first of the places that the call fills."""
    for place in places:
        if isinstance(place, int):
            if len(call.args) > place and not any(
                isinstance(value, ast.Starred) for value in call.args[: place + 1]
            ):
                return call.args[place]
        else:
            for keyword in call.keywords:
                if keyword.arg == place:
                    return keyword.value
    return None


def given(values: Values, call: Place, places: Iterable[int | str]) -> Given:
    """What a call gives at one of the places; `f(**options)` gives what `options` holds."""
    node = call.node
    assert isinstance(node, ast.Call)
    places = tuple(places)
    value = argument(node, places)
    if value is not None:
        return Given((Place(value, call.frame, call.statement),))
    spread = [keyword.value for keyword in node.keywords if keyword.arg is None]
    names = [name for name in places if isinstance(name, str)]
    if not spread or not names:
        return _NOTHING
    mappings = [values.mapping(Place(each, call.frame, call.statement)) for each in spread]
    found = [entry.value for mapping in mappings for name in names for entry in mapping.get(name)]
    return Given(tuple(found), any(mapping.is_open for mapping in mappings))


def says(names: Names, place: Place, text: str) -> bool:
    """Whether an expression is, or can be, what a text writes: `1`, `stop_after_attempt(1)`."""
    node = place.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = (node.left, node.right)
        return any(says(names, Place(side, place.frame, place.statement), text) for side in sides)
    return any(
        written == text or written.endswith(f".{text}") for written in _written(names, place)
    )


def _written(names: Names, place: Place) -> Iterator[str]:
    """How an expression can be written: as it is, and with what its names stand for."""
    yield ast.unparse(place.node)
    for symbol in names.resolve(place):
        if isinstance(symbol, Constant):
            yield repr(symbol.value)
        elif isinstance(symbol, External):
            made = symbol.made
            if made is None:
                yield symbol.path
            elif isinstance(made.node, ast.Call) and not made.node.keywords:
                arguments = [
                    next(iter(_constants(names, Place(a, made.frame, made.statement))), "…")
                    for a in made.node.args
                ]
                for path in names.paths(Place(made.node.func, made.frame, made.statement)):
                    yield f"{path}({', '.join(arguments)})"


def _constants(names: Names, place: Place) -> Iterator[str]:
    return (repr(s.value) for s in names.resolve(place) if isinstance(s, Constant))

"""All nodes of a syntax tree, four times as fast as `ast.walk` gives them."""

from __future__ import annotations

import ast

__all__ = ["walk"]

_NOT_NODES = frozenset(
    {
        "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level",
        "module", "name", "rest", "simple", "type_comment",
    }
)  # fmt: skip
"""The fields that hold texts and numbers, and `ctx`, whose nodes nobody looks for."""
_LEAVES = (ast.Constant, ast.Global, ast.Nonlocal, ast.MatchSingleton)
_fields: dict[type[ast.AST], tuple[str, ...]] = {}


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all below it, level by level as `ast.walk` has them, without `Load` and `Store`."""
    found: list[ast.AST] = [node]
    for inner in found:
        kind = inner.__class__
        names = _fields.get(kind)
        if names is None:
            names = _fields[kind] = _children(kind)
        for name in names:
            value = getattr(inner, name, None)
            if value.__class__ is list:
                found += (
                    value if None not in value else [item for item in value if item is not None]
                )
            elif value is not None:
                found.append(value)
    return found


def _children(kind: type[ast.AST]) -> tuple[str, ...]:
    if issubclass(kind, _LEAVES):
        return ()
    return tuple(name for name in kind._fields if name not in _NOT_NODES)

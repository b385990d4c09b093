"""Texts and canonical forms of expressions, as far as they can be read off the code."""

from __future__ import annotations

import ast
import string
from typing import TYPE_CHECKING

from idemlint.model.symbols import (
    ClassSymbol,
    Constant,
    External,
    Frame,
    FunctionSymbol,
    Instance,
    Literal,
    ModuleSymbol,
    Place,
)

if TYPE_CHECKING:
    from idemlint.model.names import Names

__all__ = ["HOLE", "canonical", "constants", "text_of"]

HOLE = "{}"
_MAX_DEPTH = 12


def constants(names: Names, place: Place) -> list[object]:
    """The constants that an expression can be; empty if one possibility is not a constant."""
    found: list[object] = []
    for symbol in names.resolve(place):
        if not isinstance(symbol, Constant):
            return []
        found.append(symbol.value)
    return found


def text_of(names: Names, place: Place, depth: int = 0) -> str | None:
    """The text of an expression with `{}` for what is not known; `None` if nothing is."""
    node = place.node
    if depth > _MAX_DEPTH:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = []
        for value in node.values:
            if isinstance(value, ast.Constant):
                parts.append(str(value.value))
            elif isinstance(value, ast.FormattedValue):
                inner = Place(value.value, place.frame, place.statement)
                parts.append(text_of(names, inner, depth + 1) or HOLE)
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left = text_of(names, Place(node.left, place.frame, place.statement), depth + 1)
        right = text_of(names, Place(node.right, place.frame, place.statement), depth + 1)
        if left is None and right is None:
            return None
        return (left or HOLE) + (right or HOLE)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return text_of(names, Place(node.left, place.frame, place.statement), depth + 1)
    if isinstance(node, ast.Call):
        return _called_text(names, node, place, depth)
    if isinstance(node, ast.IfExp):
        body = text_of(names, Place(node.body, place.frame, place.statement), depth + 1)
        return body or text_of(names, Place(node.orelse, place.frame, place.statement), depth + 1)
    for symbol in names.resolve(place):
        if isinstance(symbol, Constant) and isinstance(symbol.value, str):
            return symbol.value
        if isinstance(symbol, Literal) and isinstance(symbol.node, ast.JoinedStr):
            return text_of(names, symbol.place, depth + 1)
        if isinstance(symbol, External) and symbol.made is not None:
            if symbol.made.node is not node:
                return text_of(names, symbol.made, depth + 1)
    if isinstance(node, ast.Name):
        return _defined_text(names, node, place, depth)
    return None


def _called_text(names: Names, node: ast.Call, place: Place, depth: int) -> str | None:
    """Texts in wrappers: `text("…")`, `"…".format(x)`, `url.rstrip("/")`, `urljoin(a, b)`."""
    func = node.func
    if isinstance(func, ast.Attribute):
        if func.attr == "format":
            return _formatted(names, func.value, node, place, depth)
        if func.attr in ("strip", "lstrip", "rstrip", "replace", "removesuffix"):
            return text_of(names, Place(func.value, place.frame, place.statement), depth + 1)
        if func.attr == "join":
            return None
        if func.attr in ("get", "getenv") and len(node.args) == 2:
            return text_of(names, Place(node.args[1], place.frame, place.statement), depth + 1)
    for symbol in names.resolve(Place(func, place.frame, place.statement)):
        if isinstance(symbol, External):
            tail = symbol.path.rpartition(".")[2]
            if tail in ("text", "SQL", "str", "dedent", "cleandoc") and node.args:
                return text_of(names, Place(node.args[0], place.frame, place.statement), depth + 1)
            if tail == "urljoin" and len(node.args) > 1:
                return _joined(names, node, place, depth)
        elif isinstance(symbol, FunctionSymbol):
            frame = names.enter(symbol, place)
            for point in names.flow(symbol.function).returns:
                if point.value is not None and depth < _MAX_DEPTH:
                    found = text_of(names, Place(point.value, frame, point.statement), depth + 2)
                    if found is not None:
                        return found
    return None


def _formatted(
    names: Names, template: ast.expr, node: ast.Call, place: Place, depth: int
) -> str | None:
    """`"…{}…{name}".format(a, name=b)`, filled in as far as the arguments are known."""
    text = text_of(names, Place(template, place.frame, place.statement), depth + 1)
    if text is None:
        return None
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return text
    values: dict[str, ast.expr] = {str(number): value for number, value in enumerate(node.args)}
    values.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
    if any(isinstance(value, ast.Starred) for value in node.args):
        values = {}
    found: list[str] = []
    count = 0
    for literal, name, _, _ in parts:
        found.append(literal)
        if name is not None:
            value = values.get(name or str(count))
            count += not name
            inner = Place(value, place.frame, place.statement) if value is not None else None
            found.append((text_of(names, inner, depth + 1) if inner else None) or HOLE)
    return "".join(found)


def _joined(names: Names, node: ast.Call, place: Place, depth: int) -> str | None:
    parts = [
        text_of(names, Place(value, place.frame, place.statement), depth + 1) or HOLE
        for value in node.args[:2]
    ]
    return "/".join(part.strip("/") for part in parts)


def _defined_text(names: Names, node: ast.Name, place: Place, depth: int) -> str | None:
    frame = place.frame
    if frame.function is None:
        return None
    for definition in names.flow(frame.function).definitions_at(place.statement, node.id):
        if definition.kind == "value" and isinstance(definition.node, ast.expr):
            found = text_of(names, Place(definition.node, frame, definition.statement), depth + 1)
            if found is not None:
                return found
        elif definition.kind == "parameter":
            given = frame.arguments.get(definition.name)
            if given is not None:
                return text_of(names, given, depth + 1)
    return None


def canonical(names: Names, place: Place, depth: int = 0) -> str:
    """A text that two expressions share when they are the same value, followed through names.

    Names with one definition stand for it, parameters for what they were given. Two different
    expressions never share a text because of this; the same value may have two texts.
    """
    node = place.node
    if depth > _MAX_DEPTH:
        return "…"

    def inner(child: ast.expr) -> str:
        return canonical(names, Place(child, place.frame, place.statement), depth + 1)

    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Name):
        return _canonical_name(names, node, place, depth)
    if isinstance(node, ast.Attribute):
        for symbol in names.resolve(Place(node.value, place.frame, place.statement)):
            if isinstance(symbol, ModuleSymbol):
                return f"<{symbol.module.name}.{node.attr}>"
            if isinstance(symbol, Instance):
                return f"<{symbol.cls.qualified_name}>.{node.attr}"
        return f"{inner(node.value)}.{node.attr}"
    if isinstance(node, ast.Subscript):
        return f"{inner(node.value)}[{inner(node.slice)}]"
    if isinstance(node, ast.Call):
        arguments = [inner(a.value if isinstance(a, ast.Starred) else a) for a in node.args]
        arguments += [f"{k.arg}={inner(k.value)}" for k in node.keywords]
        return f"{inner(node.func)}({', '.join(arguments)})"
    if isinstance(node, ast.JoinedStr):
        parts = [
            str(v.value) if isinstance(v, ast.Constant) else "{" + inner(v.value) + "}"
            for v in node.values
            if isinstance(v, ast.Constant | ast.FormattedValue)
        ]
        return "f" + repr("".join(parts))
    if isinstance(node, ast.BinOp):
        return f"({inner(node.left)} {type(node.op).__name__} {inner(node.right)})"
    if isinstance(node, ast.Await | ast.Starred | ast.NamedExpr):
        return inner(node.value)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return f"[{', '.join(map(inner, node.elts))}]"
    if isinstance(node, ast.Dict):
        pairs = [
            f"{'**' if key is None else inner(key)}: {inner(value)}"
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return "{" + ", ".join(pairs) + "}"
    return ast.dump(node)


def _canonical_name(names: Names, node: ast.Name, place: Place, depth: int) -> str:
    frame: Frame | None = place.frame
    statement = place.statement
    while frame is not None and frame.function is not None:
        flow = names.flow(frame.function)
        definitions = flow.definitions_at(statement, node.id)
        if not definitions and node.id in flow.definitions:
            definitions = tuple(flow.definitions[node.id])
        if definitions and node.id not in flow.globals:
            only = definitions[0]
            if len(definitions) == 1 and only.kind in ("value", "context"):
                if isinstance(only.node, ast.expr):
                    return canonical(names, Place(only.node, frame, only.statement), depth + 1)
            if only.kind == "parameter" and len(definitions) == 1:
                given = frame.arguments.get(node.id)
                if given is not None:
                    return canonical(names, given, depth + 1)
            return f"<{frame.function.qualified_name}:{node.id}>"
        parent = frame.function.parent
        frame = frame.closure or (names.frame(parent) if parent else None)
        statement = None
    for symbol in names.module_name(node.id, place.frame.module):
        if isinstance(symbol, ClassSymbol):
            return f"<{symbol.cls.qualified_name}>"
        if isinstance(symbol, FunctionSymbol):
            return f"<{symbol.function.qualified_name}>"
        if isinstance(symbol, External) and symbol.made is None:
            return f"<{symbol.path}>"
    return _module_variable(names, node.id, place)


def _module_variable(names: Names, name: str, place: Place) -> str:
    """A variable of a module, the same through imports of it."""
    module = place.frame.module
    for _ in range(4):
        binding = next((b for b in module.bindings(name) if b.kind == "import"), None)
        if binding is None or not binding.member:
            break
        if binding.module.startswith("."):
            target = names.program.find_relative(binding.module, module)
        else:
            target = names.program.find(binding.module, module)
        if target is None:
            break
        module, name = target, binding.member
    return f"<{module.name}.{name}>"

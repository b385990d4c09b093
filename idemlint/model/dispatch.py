"""Tools that are declared by a schema, and what runs when the model calls them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import argument
from idemlint.model.functions import (
    all_statements,
    functions_of,
    own_nodes,
    shallow_nodes,
    value_of,
)
from idemlint.model.selection import Family
from idemlint.model.symbols import ClassSymbol, Frame, FunctionSymbol, Literal, Place
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.names import Names
    from idemlint.model.program import Function, Module
    from idemlint.model.selection import Places
    from idemlint.model.values import Values

__all__ = ["DeclaredTool", "Dispatch"]


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredTool:
    """A tool with a schema. `frame` is how its body runs; `anchor` is where a finding starts.

    `options` is the call or the dictionary that declares it.
    """

    name: str
    anchor: ast.AST
    anchor_module: Module
    schema: Place | None
    row: rows.Tool
    frame: Frame
    function: Function | None
    options: Place | None = None


@dataclass(frozen=True, slots=True)
class _Schema:
    name: str
    node: ast.AST
    schema: Place | None
    row: rows.Tool
    options: Place | None = None


class Dispatch:
    """Finds declared tools. A dispatcher is a function that compares the name that it is given."""

    def __init__(self, names: Names, values: Values, knowledge: Knowledge, places: Places) -> None:
        self.names = names
        self.values = values
        self.knowledge = knowledge
        self.places = places
        self._compared: dict[Function, dict[str, set[str]]] = {}

    def of(self, module: Module) -> Iterator[DeclaredTool]:
        """The tools whose schemas stand in a module."""
        schemas = list(self._schemas(module))
        dispatchers = list(self._dispatchers(module)) if schemas else []
        for schema in schemas:
            own = self._tabled(schema.name, dispatchers)
            frame = None if own is not None else self._branch(schema.name, module, dispatchers)
            if own is None:
                own = self._own_function(schema.name, module)
            if frame is None and own is not None:
                yield DeclaredTool(
                    schema.name, own.node, own.module, schema.schema, schema.row,
                    self.names.frame(own), own, schema.options,
                )  # fmt: skip
            else:
                yield DeclaredTool(
                    schema.name, schema.node, module, schema.schema, schema.row,
                    frame or self.names.module_frame(module), frame.function if frame else None,
                    schema.options,
                )  # fmt: skip

    def _own_function(self, name: str, module: Module) -> Function | None:
        for symbol in self.names.module_name(name, module):
            if isinstance(symbol, FunctionSymbol):
                return symbol.function
        return None

    # schemas

    def _schemas(self, module: Module) -> Iterator[_Schema]:
        chunks = self.places.chunks(module, Family.SCHEMA)
        frame = self.names.module_frame(module)
        places: list[Place] = []
        for chunk in chunks:
            for statement in module.index.statements(chunk):
                places.extend(Place(node, frame) for node in own_nodes(statement))
        for function in functions_of(
            module, chunks, lambda function: self.places.of_function(function) & Family.SCHEMA
        ):
            inner = self.names.frame(function)
            for statement in all_statements(function.body):
                places.extend(Place(node, inner, statement) for node in shallow_nodes(statement))
        for place in places:
            found = self._schema(place)
            if found is not None:
                yield found

    def _schema(self, place: Place) -> _Schema | None:
        node = place.node
        if isinstance(node, ast.Dict):
            return self._written(node, place)
        if not isinstance(node, ast.Call):
            return None
        if any(keyword.arg == "name" for keyword in node.keywords):
            written = self._constructed(node, place)
            if written is not None:
                return written
        for path in self.names.paths(Place(node.func, place.frame, place.statement)):
            for row in self.knowledge.tools(path):
                if row.kind != "schema":
                    continue
                name, schema = argument(node, row.name), argument(node, row.schema)
                if isinstance(name, ast.Constant) and schema is not None:
                    where = Place(schema, place.frame, place.statement)
                    return _Schema(str(name.value), name, where, row, place)
        return None

    def _constructed(self, node: ast.Call, place: Place) -> _Schema | None:
        """An object of a class of the project that is given the entries of a row and a schema."""
        schemas = self.knowledge.tool_schemas["schemas"]
        if not any(
            isinstance(keyword.value, ast.Dict) and value_of(keyword.value, "properties")
            for keyword in node.keywords
            if keyword.arg in schemas
        ):
            return None
        symbols = self.names.resolve(Place(node.func, place.frame, place.statement))
        if not any(isinstance(symbol, ClassSymbol) for symbol in symbols):
            return None
        given = [(k.arg, k.value) for k in node.keywords if k.arg is not None]
        entries = ast.Dict([ast.Constant(name) for name, _ in given], [value for _, value in given])
        return self._written(ast.copy_location(entries, node), place)

    def _written(self, node: ast.Dict, place: Place) -> _Schema | None:
        """A dictionary with the entries of a row."""
        for row in self.knowledge.rows("tool"):
            if row.kind != "schema" or not row.entries:
                continue
            values = _entries(node, row.entries)
            if values is None:
                continue
            name = values.get("name")
            schema = next(
                (values[key] for key in self.knowledge.tool_schemas["schemas"] if key in values),
                None,
            )
            if (
                schema is not None
                and isinstance(name, ast.Constant)
                and isinstance(name.value, str)
            ):
                where = Place(schema, place.frame, place.statement)
                return _Schema(name.value, name, where, row, place)
        return None

    # dispatchers

    def _dispatchers(self, module: Module) -> Iterator[Function]:
        """The functions of a module, and of those that it takes functions from, that compare names."""
        seen: set[Function] = set()
        for other in dict.fromkeys((module, *self._neighbours(module))):
            for function in functions_of(other, other.index.chunks):
                if function not in seen and self._names_compared(function):
                    seen.add(function)
                    yield function

    def _neighbours(self, module: Module) -> Iterator[Module]:
        for bindings in list(module.loose_bindings.values()):
            for binding in bindings:
                if binding.kind == "import":
                    for symbol in self.names.imported(binding.module, binding.member, module):
                        if isinstance(symbol, FunctionSymbol):
                            yield symbol.function.module

    def _branch(self, name: str, module: Module, dispatchers: list[Function]) -> Frame | None:
        """The run of a dispatcher in which the tool of that name is called."""
        for function in dispatchers:
            for asked, texts in self._names_compared(function).items():
                if name not in texts:
                    continue
                text = ast.copy_location(ast.Constant(name), function.node)
                place = Place(text, self.names.module_frame(module))
                closure = self.names.frame(function.parent) if function.parent else None
                parameter, _, attribute = asked.partition(".")
                frame = Frame(function.module, function, closure=closure)
                if attribute:
                    frame.attributes[asked] = place
                else:
                    frame.arguments[parameter] = place
                return frame
        return None

    def _tabled(self, name: str, dispatchers: list[Function]) -> Function | None:
        """The one function that a dispatcher finds under this name alone in a table."""
        found: set[Function] = set()
        for function in dispatchers:
            if not any(name in texts for texts in self._names_compared(function).values()):
                continue
            asked = [n for n in function.positional if n != function.self_name]
            for node in walk(function.node):
                for table, subject in _look_ups(node):
                    if _asked(subject, asked, self.knowledge.tool_schemas["fields"]):
                        found.update(self._held(table, name, function))
        return found.pop() if len(found) == 1 else None

    def _held(self, table: ast.expr, name: str, function: Function) -> Iterator[Function]:
        for symbol in self.names.resolve(Place(table, self.names.frame(function))):
            if isinstance(symbol, Literal):
                value = value_of(symbol.node, name)
                where = symbol.place
                if value is not None and _is_alone(value, symbol.node):
                    for held in self.names.resolve(Place(value, where.frame, where.statement)):
                        if isinstance(held, FunctionSymbol) and held.function.owner is None:
                            yield held.function

    def _names_compared(self, function: Function) -> dict[str, set[str]]:
        """The texts that a parameter, or the `name` of one, is compared with or looked up in."""
        known = self._compared.get(function)
        if known is None:
            known = self._compared[function] = {}
            asked = [n for n in function.positional if n != function.self_name]
            for node in walk(function.node):
                for subject, text in self._comparisons(node, function):
                    name = _asked(subject, asked, self.knowledge.tool_schemas["fields"])
                    if name:
                        known.setdefault(name, set()).update(text)
        return known

    def _comparisons(
        self, node: ast.AST, function: Function
    ) -> Iterator[tuple[ast.expr, set[str]]]:
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                others = [s for s in (node.left, *node.comparators) if s is not side]
                yield side, {text for other in others for text in _texts(other)}
        elif isinstance(node, ast.Match):
            yield node.subject, {text for case in node.cases for text in _texts(case.pattern)}
        else:
            for table, subject in _look_ups(node):
                yield subject, self._keys(table, function)

    def _keys(self, table: ast.expr, function: Function) -> set[str]:
        """The keys of a dictionary that is written down."""
        found: set[str] = set()
        for symbol in self.names.resolve(Place(table, self.names.frame(function))):
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.Dict):
                for key in symbol.node.keys:
                    if key is not None:
                        found.update(_texts(key))
        return found


def _look_ups(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """A table, and what is looked up in it."""
    if isinstance(node, ast.Subscript):
        yield node.value, node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get" and node.args:
            yield node.func.value, node.args[0]


def _is_alone(value: ast.expr, table: ast.AST) -> bool:
    """Whether nothing else in a table is the same."""
    text = ast.unparse(value)
    return sum(ast.unparse(v) == text for v in getattr(table, "values", ())) == 1


def _asked(subject: ast.expr, parameters: list[str], fields: Container[str]) -> str:
    """`name` of a parameter that is called so, `params.name` of one that has it; empty for others."""
    if isinstance(subject, ast.Name):
        return subject.id if subject.id in parameters else ""
    if isinstance(subject, ast.Attribute) and isinstance(subject.value, ast.Name):
        if subject.value.id in parameters and subject.attr in fields:
            return f"{subject.value.id}.{subject.attr}"
    return ""


def _texts(node: ast.AST) -> set[str]:
    return {
        inner.value
        for inner in walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    }


def _entries(node: ast.Dict, wanted: tuple[str, ...]) -> dict[str, ast.expr] | None:
    """The values of all entries of a row (`function.name`, `type:function`); `None` if one lacks."""
    values: dict[str, ast.expr] = {}
    for entry in wanted:
        path, _, fixed = entry.partition(":")
        value: ast.expr | None = node
        for key in path.split("."):
            value = value_of(value, key)
        if value is None:
            return None
        if fixed and not (isinstance(value, ast.Constant) and value.value == fixed):
            return None
        values[path.rpartition(".")[2]] = value
    return values

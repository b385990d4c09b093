"""What a value is made of: which calls can have generated it, and are they the same on a replay.

A value is traced backwards from where it is used, through assignments, formatting, hashing, helper
functions and the arguments of their callers. What cannot be followed is `UNKNOWN`.
"""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from idemlint.model.arguments import given
from idemlint.model.flow import dotted_name
from idemlint.model.kept_fields import KeptFields
from idemlint.model.names import is_recursive
from idemlint.model.symbols import (
    ClassSymbol,
    Constant,
    External,
    Frame,
    FunctionSymbol,
    Instance,
    Literal,
    Parameter,
    Place,
)
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import Definition, Mutation
    from idemlint.model.names import Names
    from idemlint.model.program import Function, Module

__all__ = ["Entry", "Mapping", "Origin", "Step", "ValueKind", "Values"]

MAX_DEPTH = 6
MAX_ORIGINS = 12
_READS = {"get", "pop", "setdefault", "getdefault"}
_ORDERING = {"sorted", "len", "min", "max", "sum", "any", "all", "bool"}
_TEXT_METHODS = {"format", "join", "replace", "format_map"}
_PLAIN_TYPES = {"str", "int", "float", "bool", "bytes"}
_MAX_NAMES = 3
_DUMPS = {"dumps", "dump", "encode", "model_dump", "dict", "copy", "to_dict", "urlencode", "asdict"}


class ValueKind(enum.Enum):
    """What an origin is on a replay of one intent."""

    FRESH = "fresh"
    """Another value at each run."""
    CLOCK = "clock"
    """A time."""
    CALL_ID = "call-id"
    """An id that is new when the call is made again."""
    ATTEMPT = "attempt"
    """A count of the attempts: another value at each one."""
    UNSTABLE = "unstable"
    """Another value in another process, for the same arguments."""
    COARSE = "coarse"
    """The same for several intents."""
    STABLE = "stable"
    """The same on each replay."""
    PARAMETER = "parameter"
    """Given by the caller of the entry."""
    CONSTANT = "constant"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Step:
    """A place on the way from a use to an origin, with a label for the reader."""

    module: Module
    node: ast.AST
    label: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value, or a part of it, comes from.

    `node` generates it. `name` is the parameter of a `PARAMETER` origin, `key` the entry or attribute
    that is read from it. `once` says that the code runs once a process or object, not at each run.
    `steps` lead from the use to the origin. `note` is a row's word on it.
    """

    kind: ValueKind
    node: ast.AST
    module: Module
    frame: Frame = field(compare=False)
    name: str = ""
    key: str = ""
    once: bool = False
    fallback: bool = False
    steps: tuple[Step, ...] = field(default=(), compare=False)
    note: str = field(default="", compare=False)
    row: object = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a mapping: the place of its value and what led there."""

    key: str
    value: Place
    key_node: ast.AST
    steps: tuple[Step, ...] = ()


@dataclass(slots=True)
class Mapping:
    """What is known of a mapping; `is_open` says that there can be more entries than these."""

    entries: list[Entry] = field(default_factory=list)
    is_open: bool = False

    def get(self, name: str, *, fold: bool = False) -> list[Entry]:
        """The entries of a key; `fold` ignores case."""
        if fold:
            name = name.lower()
            return [entry for entry in self.entries if entry.key.lower() == name]
        return [entry for entry in self.entries if entry.key == name]


class Values:
    """Traces values; answers are kept in the frames."""

    def __init__(self, names: Names, knowledge: Knowledge) -> None:
        self.names = names
        self.knowledge = knowledge
        self.kept_fields = KeptFields(names, knowledge)
        self._depth = 0

    # origins

    def origins(self, place: Place) -> tuple[Origin, ...]:
        """All origins of the value at `place`; constants give none."""
        memo = place.frame.memo
        key = ("origins", place.node)
        known = memo.get(key, False)
        if known is None:
            return ()
        if known is not False:
            return known  # type: ignore[no-any-return]
        if self._depth > 50:
            return (self._origin(ValueKind.UNKNOWN, place),)
        memo[key] = None
        self._depth += 1
        try:
            found: list[Origin] = []
            for origin in self._trace(place):
                if origin not in found:
                    found.append(origin)
                if len(found) >= MAX_ORIGINS:
                    break
        finally:
            self._depth -= 1
        memo[key] = tuple(found)
        return memo[key]  # type: ignore[no-any-return]

    def _origin(
        self, kind: ValueKind, place: Place, *, name: str = "", key: str = "", note: str = "",
        row: object = None,
    ) -> Origin:  # fmt: skip
        return Origin(
            kind, place.node, place.frame.module, place.frame, name, key, note=note, row=row
        )

    def _trace(self, place: Place) -> Iterable[Origin]:
        node = place.node
        if isinstance(node, ast.Constant):
            return ()
        if isinstance(node, ast.Name):
            return self._name(node, place)
        if isinstance(node, ast.Call):
            return self._call(node, place)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, place)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, place)
        if isinstance(node, ast.BoolOp):
            return self._alternatives(node.values, place)
        if isinstance(node, ast.IfExp):
            return self._alternatives((node.body, node.orelse), place)
        if isinstance(node, ast.Await | ast.FormattedValue | ast.Starred | ast.NamedExpr):
            return self._inner(place, node.value)
        if isinstance(node, ast.JoinedStr):
            return self._union(node.values, place)
        if isinstance(node, ast.BinOp):
            return self._union((node.left, node.right), place)
        if isinstance(node, ast.UnaryOp):
            return self._inner(place, node.operand)
        if isinstance(node, ast.Tuple | ast.List):
            return self._union(node.elts, place)
        if isinstance(node, ast.Set):
            return [self._set(place), *self._union(node.elts, place)]
        if isinstance(node, ast.SetComp):
            return [self._set(place), *self._inner(place, node.elt)]
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self._inner(place, node.elt)
        if isinstance(node, ast.Dict):
            return self._union([*filter(None, node.keys), *node.values], place)
        if isinstance(node, ast.Compare):
            return ()
        return (self._origin(ValueKind.UNKNOWN, place),)

    def _set(self, place: Place) -> Origin:
        return self._origin(
            ValueKind.UNSTABLE,
            place,
            note="a set of texts has another order in each process",
            row=self.knowledge.unstable("set"),
        )

    def _inner(self, place: Place, node: ast.expr) -> tuple[Origin, ...]:
        return self.origins(Place(node, place.frame, place.statement))

    def _union(self, nodes: Iterable[ast.expr], place: Place) -> Iterator[Origin]:
        for node in nodes:
            yield from self._inner(place, node)

    def _alternatives(self, nodes: Iterable[ast.expr], place: Place) -> Iterator[Origin]:
        for number, node in enumerate(nodes):
            for origin in self._inner(place, node):
                yield replace(origin, fallback=True) if number else origin

    # names

    def _name(self, node: ast.Name, place: Place) -> Iterable[Origin]:
        return self._named(node.id, place.frame, place.statement, place)

    def _named(
        self, name: str, frame: Frame, statement: ast.stmt | None, place: Place
    ) -> Iterable[Origin]:
        function = frame.function
        if function is None:
            return self._module_value(name, frame, place)
        flow = self.names.flow(function)
        if name not in flow.globals:
            definitions = flow.definitions_at(statement, name)
            if not definitions and name in flow.definitions:
                definitions = tuple(flow.definitions[name])
            if definitions:
                return [
                    origin
                    for definition in definitions
                    for origin in self._defined(definition, frame, place)
                ]
        if frame.closure is not None:
            return self._named(name, frame.closure, None, place)
        if function.parent is not None:
            return self._named(name, self.names.frame(function.parent), None, place)
        return self._module_value(name, self.names.module_frame(frame.module), place)

    def _module_value(self, name: str, frame: Frame, place: Place) -> Iterable[Origin]:
        found: list[Origin] = []
        for binding in frame.module.bindings(name):
            if binding.kind == "value" and isinstance(binding.node, ast.expr):
                inner = self.origins(Place(binding.node, frame, None))
                found.extend(replace(origin, once=True) for origin in inner)
            elif binding.kind == "import":
                for symbol in self.names.imported(binding.module, binding.member, frame.module):
                    if isinstance(symbol, External):
                        found.extend(self._path(symbol.path, place, called=False))
        return found

    def _defined(self, definition: Definition, frame: Frame, place: Place) -> Iterable[Origin]:
        kind, node, statement = definition.kind, definition.node, definition.statement
        if kind == "parameter":
            return self.parameter(definition.name, frame, place)
        if kind in ("value", "augmented") and isinstance(node, ast.expr):
            step = Step(frame.module, node, f"`{definition.name}` is set here")
            return self._stepped(self.origins(Place(node, frame, statement)), step)
        if kind == "item" and isinstance(node, ast.expr):
            return self._element(definition, node, frame, statement)
        if kind in ("function", "class", "import"):
            return ()
        return (self._origin(ValueKind.UNKNOWN, place),)

    def _element(
        self, definition: Definition, node: ast.expr, frame: Frame, statement: ast.stmt | None
    ) -> Iterable[Origin]:
        source = Place(node, frame, statement)
        for symbol in self.names.definition(definition, frame):
            if isinstance(symbol, External):
                row = self.knowledge.identity(symbol.path)
                if row is not None:
                    return (self._identity(row, source),)
        if definition.key is not None:
            found: list[Origin] = []
            for value in self._returned_places(source):
                if isinstance(value.node, ast.Tuple | ast.List):
                    if definition.key < len(value.node.elts):
                        part = value.node.elts[definition.key]
                        found.extend(self.origins(Place(part, value.frame, value.statement)))
            if found:
                return found
        return [
            origin
            for origin in self.origins(source)
            if origin.kind in (ValueKind.PARAMETER, ValueKind.UNKNOWN, ValueKind.STABLE)
        ] or (self._origin(ValueKind.UNKNOWN, source),)

    def _returned_places(self, place: Place) -> Iterator[Place]:
        """The expression itself, or what the called function of the program returns."""
        node = place.node
        if isinstance(node, ast.Await):
            yield from self._returned_places(Place(node.value, place.frame, place.statement))
            return
        if isinstance(node, ast.Call):
            for symbol in self.names.resolve(Place(node.func, place.frame, place.statement)):
                if isinstance(symbol, FunctionSymbol):
                    frame = self.names.enter(symbol, place)
                    for point in self.names.flow(symbol.function).returns:
                        if point.value is not None:
                            yield Place(point.value, frame, point.statement)
            return
        yield place

    def parameter(self, name: str, frame: Frame, place: Place) -> Iterable[Origin]:
        """Where the value of a parameter comes from: the caller's argument, or the caller itself."""
        function = frame.function
        assert function is not None
        if name == function.self_name:
            return (self._origin(ValueKind.UNKNOWN, place, name=name),)
        given = frame.arguments.get(name)
        parameter = function.parameter(name)
        if given is not None:
            step = Step(given.frame.module, given.node, f"passed as `{name}`")
            return self._stepped(self.origins(given), step)
        found: list[Origin] = []
        default = function.defaults.get(name)
        if default is not None:
            outer = self._definition_frame(frame)
            origins = self.origins(Place(default, outer, None))
            found = [replace(origin, once=True, fallback=True) for origin in origins]
        if frame.call is not None and default is not None:
            return found
        node = parameter if parameter is not None else place.node
        row = self._identity_of_parameter(name, frame)
        if row is not None and row.kind != "coarse":
            kind = ValueKind(row.kind)
            return [
                Origin(kind, place.node, frame.module, frame, name, note=row.renewed, row=row),
                *found,
            ]
        kind = ValueKind.COARSE if row is not None else ValueKind.PARAMETER
        return [Origin(kind, node, frame.module, frame, name, row=row), *found]

    def _identity_of_parameter(self, name: str, frame: Frame):  # type: ignore[no-untyped-def]
        function = frame.function
        assert function is not None
        parameter = function.parameter(name)
        if parameter is not None and isinstance(parameter.annotation, ast.Subscript):
            items = parameter.annotation.slice
            if isinstance(items, ast.Tuple):
                for item in items.elts[1:]:
                    target = item.func if isinstance(item, ast.Call) else item
                    for path in self.names.paths(Place(target, self._definition_frame(frame))):
                        row = self.knowledge.identity(path)
                        if row is not None:
                            return row
        return self.knowledge.identity_parameters.get(name)

    def _definition_frame(self, frame: Frame) -> Frame:
        function = frame.function
        assert function is not None
        if frame.closure is not None:
            return frame.closure
        if function.parent is not None:
            return self.names.frame(function.parent)
        return self.names.module_frame(frame.module)

    def _stepped(self, origins: Iterable[Origin], step: Step) -> list[Origin]:
        return [replace(origin, steps=(step, *origin.steps)) for origin in origins]

    # attributes and items

    def _attribute(self, node: ast.Attribute, place: Place) -> Iterable[Origin]:
        for symbol in self.names.resolve(place):
            if isinstance(symbol, External):
                found = self._path(symbol.path, place, called=False)
                if found:
                    return found
        base = Place(node.value, place.frame, place.statement)
        found_entries = self._field(base, node.attr, place)
        if found_entries is not None:
            return found_entries
        return self._read(self.origins(base), node.attr)

    def _field(self, base: Place, name: str, place: Place) -> Iterable[Origin] | None:
        """A field of an object of the program: what its constructor or a method put there."""
        found = self._changed_field(base, name, place)
        if found is not None:
            return found
        found, known = [], False
        dotted = dotted_name(base.node)
        for symbol in self.names.resolve(base):
            if not isinstance(symbol, Instance):
                continue
            method = self.names.method(symbol.cls, name)
            if method is not None and method.is_property:
                frame = self.names.enter(FunctionSymbol(method, symbol), None)
                for point in self.names.flow(method).returns:
                    if point.value is not None:
                        known = True
                        found.extend(self.origins(Place(point.value, frame, point.statement)))
                continue
            if symbol.made is not None and isinstance(symbol.made.node, ast.Call):
                if not self.names.method(symbol.cls, "__init__"):
                    for where in given(self, symbol.made, (name,)).places:
                        found.extend(self.origins(where))
                        known = True
                if not known:
                    generated = self._field_default(symbol, name)
                    if generated is not None:
                        return generated
            elif self._is_given(base):
                generated = self._field_default(symbol, name)
                return [self._given_field(dotted, name, place), *(generated or ())]
            if not known:
                for ancestor in self.names.bases(symbol.cls):
                    if not isinstance(ancestor, ClassSymbol):
                        continue
                    assigned = self.names.assigned_attributes(ancestor.cls).get(name, ())
                    for value, function, statement in assigned:
                        known = True
                        frame = self.names.method_frame(function, symbol)
                        inner = self.origins(Place(value, frame, statement))
                        if not _is_made_in_run(symbol, base.frame):
                            inner = tuple(replace(origin, once=True) for origin in inner)
                        found.extend(inner)
        return found if known else None

    def _changed_field(self, base: Place, name: str, place: Place) -> list[Origin] | None:
        """A field that the function itself has put into an object before."""
        found: list[Origin] = []
        known = False
        dotted = dotted_name(base.node)
        for mutation in self._mutations(dotted, place, base.frame):
            if mutation.kind != "attribute" or _constant_key(mutation.key) != name:
                continue
            if mutation.value is None:
                continue
            known = True
            if self.kept_fields.holds(mutation, name, place):
                found.append(self._origin(ValueKind.STABLE, place))
                continue
            origins = self.origins(Place(mutation.value, base.frame, mutation.statement))
            if self._may_be_skipped(mutation.statement, place) and self._is_given(base):
                origins = tuple(replace(origin, fallback=True) for origin in origins)
                found.append(self._given_field(dotted, name, place))
            found.extend(origins)
        return found if known else None

    def _given_field(self, dotted: str, name: str, place: Place) -> Origin:
        """A field of an object that a parameter brings."""
        owner = dotted.partition(".")[0]
        return Origin(ValueKind.PARAMETER, place.node, place.frame.module, place.frame, owner, name)

    def _may_be_skipped(self, statement: ast.stmt, place: Place) -> bool:
        """Whether a statement runs under a condition that does not hold for all of a function."""
        function = place.frame.function
        if function is None or place.statement is None:
            return False
        conditions = self.names.flow(function).conditions
        return not set(conditions.get(statement, ())) <= set(conditions.get(place.statement, ()))

    def _is_given(self, base: Place) -> bool:
        return any(origin.kind is ValueKind.PARAMETER for origin in self.origins(base))

    def _field_default(self, symbol: Instance, name: str) -> list[Origin] | None:
        """What a model field is when it is left out: its default or its factory."""
        for ancestor in self.names.bases(symbol.cls):
            if not isinstance(ancestor, ClassSymbol):
                continue
            for binding in ancestor.cls.members.get(name, ()):
                if binding.kind == "value" and isinstance(binding.node, ast.expr):
                    return self.field_default(Place(binding.node, self._class_frame(ancestor)))
        return None

    def _class_frame(self, symbol: ClassSymbol) -> Frame:
        cls = symbol.cls
        return self.names.frame(cls.parent) if cls.parent else self.names.module_frame(cls.module)

    def field_default(self, place: Place) -> list[Origin]:
        """What a field with this right-hand side holds when it is left out."""
        node = place.node
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg in ("default_factory", "factory"):
                    where = Place(keyword.value, place.frame, place.statement)
                    return [replace(origin, fallback=True) for origin in self.called(where)]
                if keyword.arg == "default":
                    where = Place(keyword.value, place.frame, place.statement)
                    return [
                        replace(origin, fallback=True, once=True) for origin in self.origins(where)
                    ]
            return []
        return [replace(origin, once=True, fallback=True) for origin in self.origins(place)]

    def called(self, place: Place) -> list[Origin]:
        """The origins of what a callable gives when it is called without arguments."""
        found: list[Origin] = []
        for symbol in self.names.resolve(place):
            if isinstance(symbol, External):
                found.extend(self._path(symbol.path, place, called=True))
            elif isinstance(symbol, FunctionSymbol):
                frame = self.names.enter(symbol, None)
                for point in self.names.flow(symbol.function).returns:
                    if point.value is not None:
                        found.extend(self.origins(Place(point.value, frame, point.statement)))
        return found

    def _subscript(self, node: ast.Subscript, place: Place) -> Iterable[Origin]:
        for symbol in self.names.resolve(place):
            if isinstance(symbol, External):
                found = self._path(symbol.path, place, called=False)
                if found:
                    return found
        base = Place(node.value, place.frame, place.statement)
        if isinstance(node.slice, ast.Slice):
            return self.origins(base)
        key = _constant_key(node.slice)
        if key is not None:
            known = self.mapping(base).get(key)
            if known:
                given = self._read(self._parameters(base), key)
                found_entries = [
                    replace(
                        origin,
                        steps=(*entry.steps, *origin.steps),
                        fallback=origin.fallback or bool(given),
                    )
                    for entry in known
                    for origin in self.origins(entry.value)
                ]
                return [*found_entries, *given]
        return self._read(self.origins(base), key or "")

    def _parameters(self, base: Place) -> list[Origin]:
        return [o for o in self.origins(base) if o.kind is ValueKind.PARAMETER]

    def _read(self, origins: Iterable[Origin], key: str) -> list[Origin]:
        """What reading an entry or attribute of a value with these origins gives."""
        return [
            replace(origin, key=origin.key or key) if origin.kind is ValueKind.PARAMETER else origin
            for origin in origins
        ]

    # calls

    def _call(self, node: ast.Call, place: Place) -> Iterable[Origin]:
        callee = Place(node.func, place.frame, place.statement)
        symbols = self.names.resolve(callee)
        found: list[Origin] = []
        known = False
        for symbol in symbols:
            if isinstance(symbol, External):
                inner = self._outside_call(symbol.path, node, place)
                if inner is not None:
                    known = True
                    found.extend(inner)
            elif isinstance(symbol, FunctionSymbol):
                known = True
                found.extend(self._helper(symbol, place))
            elif isinstance(symbol, ClassSymbol):
                known = True
                found.extend(self._arguments(node, place))
            elif isinstance(symbol, Instance):
                continue
        if known:
            return found
        return self._method(node, place)

    def _shows_address(self, node: ast.Call, place: Place, method: str) -> bool:
        """Whether the argument is an object of a plain class of the program without `method`."""
        if len(node.args) != 1:
            return False
        symbols = self.names.resolve(Place(node.args[0], place.frame, place.statement))
        return bool(symbols) and all(
            isinstance(symbol, Instance)
            and not symbol.cls.node.decorator_list
            and all(
                isinstance(base, ClassSymbol) and not base.cls.node.keywords
                for base in self.names.bases(symbol.cls)
            )
            and self.names.method(symbol.cls, method) is None
            for symbol in symbols
        )

    def _holds_no_entries(self, nodes: list[ast.expr], place: Place, depth: int = 0) -> bool:
        """Whether values are texts, numbers, or lists of them, for all that is said of them."""
        return bool(nodes) and all(self._is_without_entries(n, place, depth) for n in nodes)

    def _is_without_entries(self, node: ast.expr, place: Place, depth: int) -> bool:
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare):
            return True
        if isinstance(node, ast.List | ast.Tuple):
            return self._holds_no_entries(node.elts, place, depth)
        function = place.frame.function
        if not isinstance(node, ast.Name) or function is None or depth > _MAX_NAMES:
            return False
        found = [
            d
            for d in self.names.flow(function).definitions_at(place.statement, node.id)
            if d.kind != "parameter"
        ]
        if any(d.kind != "value" or not isinstance(d.node, ast.expr) for d in found):
            return False
        if found and node.id not in {arg.arg for arg in function.parameters}:
            return all(
                self._is_without_entries(d.node, Place(d.node, place.frame, d.statement), depth + 1)
                for d in found
                if isinstance(d.node, ast.expr)
            )
        said = next((a.annotation for a in function.parameters if a.arg == node.id), None)
        return not found and said is not None and _is_plain_type(said)

    def _outside_call(self, path: str, node: ast.Call, place: Place) -> Iterable[Origin] | None:
        row = self.knowledge.value(path)
        unstable = self.knowledge.unstable(path)
        if (
            unstable is not None
            and not _has_argument(node, unstable.unless)
            and (not unstable.shows or self._shows_address(node, place, unstable.shows))
            and not (unstable.of_entries and self._holds_no_entries(node.args[:1], place))
        ):
            origin = self._origin(
                ValueKind.UNSTABLE, place, name=path, note=unstable.because, row=unstable
            )
            if path == "set" and not node.args:
                return ()
            return [origin, *self._arguments(node, place)]
        if path in _ORDERING:
            return [o for o in self._arguments(node, place) if o.kind is not ValueKind.UNSTABLE]
        identity = self.knowledge.identity(path)
        if identity is not None:
            return (self._identity(identity, place),)
        if row is not None:
            given = len(node.args) + len(node.keywords)
            if row.kind == "pure" or 0 < row.fewer_arguments_than <= given:
                return self._arguments(node, place)
            if row.kind == "stable":
                return (self._origin(ValueKind.STABLE, place),)
            kind = ValueKind.FRESH if row.kind == "fresh" else ValueKind.CLOCK
            return (self._origin(kind, place, name=path, note=row.gives, row=row),)
        tail = path.rpartition(".")[2]
        if path.startswith(("str.", "bytes.")) and tail in self.knowledge.pure_methods:
            return None
        value = self.knowledge.value(path.rpartition(".")[0])
        if value is not None and value.kind == "clock" and tail in self.knowledge.pure_methods:
            return None
        return None

    def _path(self, path: str, place: Place, *, called: bool) -> list[Origin]:
        identity = self.knowledge.identity(path)
        if identity is not None:
            return [self._identity(identity, place)]
        if called:
            row = self.knowledge.value(path)
            if row is not None and row.kind in ("fresh", "clock"):
                kind = ValueKind.FRESH if row.kind == "fresh" else ValueKind.CLOCK
                return [self._origin(kind, place, name=path, note=row.gives, row=row)]
        return []

    def _identity(self, row, place: Place) -> Origin:  # type: ignore[no-untyped-def]
        return self._origin(ValueKind(row.kind), place, note=row.renewed or row.gives, row=row)

    def _arguments(self, node: ast.Call, place: Place) -> list[Origin]:
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        return list(self._union(values, place))

    def _helper(self, symbol: FunctionSymbol, place: Place) -> Iterable[Origin]:
        """What a function of the program gives, traced through what it returns."""
        function = symbol.function
        path = function.qualified_name
        if self.knowledge.own_packages and self.knowledge.is_own(path):
            assert isinstance(place.node, ast.Call)
            told = self._outside_call(path, place.node, place)
            if told is not None:
                return told
        if self.is_kept(function, place.frame):
            return (self._origin(ValueKind.STABLE, place),)
        frame = self.names.enter(symbol, place)
        if frame.depth > MAX_DEPTH or is_recursive(frame):
            return (self._origin(ValueKind.UNKNOWN, place),)
        step = Step(place.frame.module, place.node, f"made by `{function.name}`")
        found: list[Origin] = []
        for point in self.names.flow(function).returns:
            if point.value is not None:
                inner = self.origins(Place(point.value, frame, point.statement))
                found.extend(self._stepped(inner, step))
        return found

    def is_kept(self, function: Function, caller: Frame) -> bool:
        """Whether a framework reads the result of `function` back when `caller` is replayed."""
        for path in self.decorator_paths(function):
            for row in self.knowledge.replays(path):
                if not row.kept_in:
                    continue
                owner = caller.function
                while owner is not None:
                    if any(p in row.kept_in for p in self.decorator_paths(owner)):
                        return True
                    owner = owner.parent
        return False

    def decorator_paths(self, function: Function) -> list[str]:
        """The paths of the decorators of a function."""
        found: list[str] = []
        frame = self._definition_frame(self.names.frame(function))
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            found.extend(self.names.paths(Place(target, frame)))
        return found

    def _method(self, node: ast.Call, place: Place) -> Iterable[Origin]:
        """A method of a value that is not an object of the program."""
        if not isinstance(node.func, ast.Attribute):
            return (self._origin(ValueKind.UNKNOWN, place),)
        name = node.func.attr
        base = Place(node.func.value, place.frame, place.statement)
        if name in _READS:
            return self._lookup(node, base, place)
        if name in self.knowledge.pure_methods:
            origins = [*self.origins(base), *self._arguments(node, place)]
            if name == "update" and dotted_name(base.node):
                return origins
            return origins
        if name in ("hexdigest", "digest"):
            return self.origins(base)
        return (self._origin(ValueKind.UNKNOWN, place),)

    def _lookup(self, node: ast.Call, base: Place, place: Place) -> Iterable[Origin]:
        """`d.get(key, default)`: the entry, or the default as a fallback."""
        key = _constant_key(node.args[0]) if node.args else None
        found: list[Origin] = []
        known = self.mapping(base).get(key) if key is not None else []
        for entry in known:
            found.extend(self.origins(entry.value))
        if not known:
            found.extend(self._read(self.origins(base), key or ""))
        else:
            found.extend(self._read(self._parameters(base), key or ""))
        if len(node.args) > 1:
            default = Place(node.args[1], place.frame, place.statement)
            found.extend(replace(origin, fallback=True) for origin in self.origins(default))
        return found

    # mappings

    def mapping(self, place: Place) -> Mapping:
        """What is known of the mapping, model or keyword arguments at `place`."""
        memo = place.frame.memo
        key = ("mapping", place.node)
        known = memo.get(key, False)
        if known is None:
            return Mapping(is_open=True)
        if known is not False:
            return known  # type: ignore[no-any-return]
        memo[key] = None
        made = Mapping()
        if self._depth > 40:
            made.is_open = True
        else:
            self._depth += 1
            try:
                self._fill(place, made)
            finally:
                self._depth -= 1
        memo[key] = made
        return made

    def _fill(self, place: Place, made: Mapping) -> None:
        node = place.node
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                where = Place(value, place.frame, place.statement)
                if key is None:
                    self._merge(made, self.mapping(where))
                    continue
                name = self._key(Place(key, place.frame, place.statement))
                if name is None:
                    made.is_open = True
                else:
                    made.entries.append(Entry(name, where, key))
        elif isinstance(node, ast.Name):
            self._fill_name(node, place, made)
        elif isinstance(node, ast.Call):
            self._fill_call(node, place, made)
        elif isinstance(node, ast.Await | ast.NamedExpr | ast.Starred):
            self._merge(made, self.mapping(Place(node.value, place.frame, place.statement)))
        elif isinstance(node, ast.BoolOp):
            self._fill_all(node.values, place, made)
        elif isinstance(node, ast.IfExp):
            self._fill_all((node.body, node.orelse), place, made)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._fill_all((node.left, node.right), place, made)
        elif isinstance(node, ast.List | ast.Tuple):
            self._fill_all(node.elts, place, made)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp):
            self._fill_all((node.elt,), place, made)
        elif isinstance(node, ast.DictComp):
            self._fill_filtered(node, place, made)
        elif isinstance(node, ast.Attribute):
            self._fill_attribute(node, place, made)
        elif isinstance(node, ast.Subscript):
            asked = _constant_key(node.slice)
            base = self.mapping(Place(node.value, place.frame, place.statement))
            entries = base.get(asked) if asked is not None else []
            for entry in entries:
                self._merge(made, self.mapping(entry.value))
            made.is_open = made.is_open or not entries
        elif isinstance(node, ast.Constant):
            pass
        else:
            made.is_open = True

    def _fill_filtered(self, node: ast.DictComp, place: Place, made: Mapping) -> None:
        """`{k: v for k, v in d.items() if …}` holds no more than `d`."""
        source = node.generators[0].iter
        if (
            isinstance(source, ast.Call)
            and isinstance(source.func, ast.Attribute)
            and source.func.attr == "items"
            and isinstance(node.key, ast.Name)
        ):
            self._fill_all((source.func.value,), place, made)
        else:
            made.is_open = True

    def _key(self, place: Place) -> str | None:
        if isinstance(place.node, ast.Constant):
            return place.node.value if isinstance(place.node.value, str) else None
        for symbol in self.names.resolve(place):
            if isinstance(symbol, Constant) and isinstance(symbol.value, str):
                return symbol.value
        return None

    def _merge(self, made: Mapping, other: Mapping, step: Step | None = None) -> None:
        """Take in what another mapping holds, reached by a step."""
        if step is None:
            made.entries.extend(other.entries)
        else:
            made.entries.extend(
                Entry(entry.key, entry.value, entry.key_node, (step, *entry.steps))
                for entry in other.entries
            )
        made.is_open = made.is_open or other.is_open

    def _fill_all(self, nodes: Iterable[ast.expr], place: Place, made: Mapping) -> None:
        for node in nodes:
            self._merge(made, self.mapping(Place(node, place.frame, place.statement)))

    def _fill_name(self, node: ast.Name, place: Place, made: Mapping) -> None:
        frame: Frame | None = place.frame
        statement = place.statement
        while frame is not None and frame.function is not None:
            flow = self.names.flow(frame.function)
            definitions = flow.definitions_at(statement, node.id)
            if not definitions and node.id in flow.definitions:
                definitions = tuple(flow.definitions[node.id])
            if definitions:
                for definition in definitions:
                    self._fill_definition(definition, frame, made)
                self._fill_mutations(node.id, Place(node, frame, statement), frame, made)
                return
            parent = frame.function.parent
            frame = frame.closure or (self.names.frame(parent) if parent else None)
            statement = None
        module_frame = self.names.module_frame(place.frame.module)
        bindings = place.frame.module.bindings(node.id)
        for binding in bindings:
            if binding.kind == "value" and isinstance(binding.node, ast.expr):
                self._merge(made, self.mapping(Place(binding.node, module_frame, None)))
            else:
                self._fill_symbols(place, made)
        made.is_open = made.is_open or not bindings

    def _fill_symbols(self, place: Place, made: Mapping) -> None:
        symbols = self.names.resolve(place)
        for symbol in symbols:
            if isinstance(symbol, Literal) and symbol.place.node is not place.node:
                self._merge(made, self.mapping(symbol.place))
            elif isinstance(symbol, Instance | External) and symbol.made is not None:
                if symbol.made.node is not place.node:
                    self._merge(made, self.mapping(symbol.made))
                else:
                    made.is_open = True
            else:
                made.is_open = True
        made.is_open = made.is_open or not symbols

    def _fill_definition(self, definition: Definition, frame: Frame, made: Mapping) -> None:
        node, statement = definition.node, definition.statement
        if definition.kind == "parameter":
            assert frame.function is not None
            given = frame.arguments.get(definition.name)
            if given is not None:
                self._merge(made, self.mapping(given))
                return
            default = frame.function.defaults.get(definition.name)
            made.is_open = frame.call is None or default is None
        elif definition.kind in ("value", "augmented") and isinstance(node, ast.expr):
            inner = self.mapping(Place(node, frame, statement))
            self._merge(made, inner, Step(frame.module, node, f"`{definition.name}` is set here"))
        else:
            made.is_open = True

    def _mutations(self, name: str, place: Place, frame: Frame) -> Iterator[Mutation]:
        """Changes of `name` in the function that can run before the place."""
        if not name or frame.function is None:
            return
        flow = self.names.flow(frame.function)
        before = -1
        if place.statement is not None and place.statement in flow.before:
            before = flow.before[place.statement]
        for mutation in flow.mutations:
            if mutation.name == name and before >> mutation.index & 1:
                yield mutation

    def _fill_mutations(self, name: str, place: Place, frame: Frame, made: Mapping) -> None:
        for mutation in self._mutations(name, place, frame):
            if mutation.value is None:
                continue
            where = Place(mutation.value, frame, mutation.statement)
            if mutation.kind in ("item", "attribute", "setdefault", "__setitem__"):
                if mutation.key is None:
                    continue
                key = self._key(Place(mutation.key, frame, mutation.statement))
                if key is None:
                    made.is_open = True
                else:
                    made.entries.append(Entry(key, where, mutation.node))
            elif mutation.kind in ("update", "append", "extend", "insert", "add"):
                self._merge(made, self.mapping(where))

    def _fill_call(self, node: ast.Call, place: Place, made: Mapping) -> None:
        callee = Place(node.func, place.frame, place.statement)
        symbols = self.names.resolve(callee)
        functions = [symbol for symbol in symbols if isinstance(symbol, FunctionSymbol)]
        for symbol in functions:
            frame = self.names.enter(symbol, place)
            if frame.depth > MAX_DEPTH or is_recursive(frame):
                made.is_open = True
                continue
            step = Step(place.frame.module, node, f"made by `{symbol.function.name}`")
            for point in self.names.flow(symbol.function).returns:
                if point.value is not None:
                    inner = self.mapping(Place(point.value, frame, point.statement))
                    self._merge(made, inner, step)
        if functions:
            return
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if isinstance(node.func, ast.Name):
            name = node.func.id
        if name in _DUMPS and isinstance(node.func, ast.Attribute) and not node.args:
            dumped = Place(node.func.value, place.frame, place.statement)
            self._merge(made, self.mapping(dumped))
            self._fill_defaults(dumped, made)
            return
        for keyword in node.keywords:
            where = Place(keyword.value, place.frame, place.statement)
            if keyword.arg is None:
                self._merge(made, self.mapping(where))
            else:
                made.entries.append(Entry(keyword.arg, where, keyword))
        if name in ("dict", *_DUMPS):
            for value in node.args[:1]:
                dumped = Place(value, place.frame, place.statement)
                self._merge(made, self.mapping(dumped))
                self._fill_defaults(dumped, made)
        elif not any(_constructs(symbol) for symbol in symbols):
            made.is_open = True

    def _fill_defaults(self, place: Place, made: Mapping) -> None:
        """The fields of an object that were left to their defaults."""
        known = {entry.key for entry in made.entries}
        assert isinstance(place.node, ast.expr)
        for symbol in self.names.resolve(place):
            if not isinstance(symbol, Instance):
                continue
            for ancestor in self.names.bases(symbol.cls):
                if not isinstance(ancestor, ClassSymbol):
                    continue
                for name in ancestor.cls.annotations:
                    if name in known or name not in ancestor.cls.members:
                        continue
                    read = ast.copy_location(ast.Attribute(place.node, name), place.node)
                    where = Place(read, place.frame, place.statement)
                    made.entries.append(Entry(name, where, place.node))

    def _fill_attribute(self, node: ast.Attribute, place: Place, made: Mapping) -> None:
        dotted = dotted_name(node)
        found = False
        if dotted:
            before = len(made.entries)
            self._fill_mutations(dotted, place, place.frame, made)
            found = len(made.entries) > before
        base = Place(node.value, place.frame, place.statement)
        for symbol in self.names.resolve(base):
            if not isinstance(symbol, Instance):
                continue
            given = self._constructed_with(symbol, node.attr)
            if given is not None:
                self._merge(made, self.mapping(given), self._set_at(base))
                found = True
            for ancestor in self.names.bases(symbol.cls):
                if not isinstance(ancestor, ClassSymbol):
                    continue
                assigned = self.names.assigned_attributes(ancestor.cls).get(node.attr, ())
                for value, function, statement in assigned:
                    frame = self.names.method_frame(function, symbol)
                    self._merge(made, self.mapping(Place(value, frame, statement)))
                    found = True
        if not found:
            self._fill_symbols(place, made)

    def _set_at(self, base: Place) -> Step | None:
        """Where the function gives an object its name."""
        node, function = base.node, base.frame.function
        if isinstance(node, ast.Name) and function is not None:
            for found in self.names.flow(function).definitions_at(base.statement, node.id):
                if found.kind == "value" and found.node is not None:
                    return Step(base.frame.module, found.node, f"`{node.id}` is set here")
        return None

    def _constructed_with(self, symbol: Instance, name: str) -> Place | None:
        """What an object of a class without a constructor of its own was given for a field."""
        made = symbol.made
        if made is None or not isinstance(made.node, ast.Call):
            return None
        if self.names.method(symbol.cls, "__init__") is not None:
            return None
        fields = [
            statement.target.id
            for statement in symbol.cls.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        ]
        if not any(isinstance(argument, ast.Starred) for argument in made.node.args):
            by_place = dict(zip(fields, made.node.args, strict=False))
            if name in by_place:
                return Place(by_place[name], made.frame, made.statement)
        return next(iter(given(self, made, (name,)).places), None)


def _is_plain_type(annotation: ast.expr) -> bool:
    """`str`, `int | None`, `list[str]`: a type whose values hold no entries."""
    names = {node.id for node in walk(annotation) if isinstance(node, ast.Name)}
    return bool(names & _PLAIN_TYPES) and names <= {
        *_PLAIN_TYPES,
        "list",
        "tuple",
        "Optional",
        "List",
    }


def _is_made_in_run(symbol: Instance, frame: Frame) -> bool:
    """Whether an object is made by the run that uses it, and not once for the process."""
    if symbol.made is None or symbol.made.frame.function is None:
        return False
    function = symbol.made.frame.function
    around: Frame | None = frame
    while around is not None:
        if around.function is function:
            return function.name != "__init__"
        around = around.call.frame if around.call is not None else None
    return False


def _constant_key(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _has_argument(node: ast.Call, name: str) -> bool:
    """Whether a keyword is given and not false, or can come with `**`."""
    if not name:
        return False
    for keyword in node.keywords:
        if keyword.arg is None:
            return True
        if keyword.arg == name:
            return not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
    return False


def _constructs(symbol: object) -> bool:
    """Whether calling a symbol makes an object of what it is given."""
    if isinstance(symbol, External):
        return symbol.path.rpartition(".")[2][:1].isupper()
    return isinstance(symbol, ClassSymbol)


def is_parameter_symbol(symbol: object) -> bool:
    """Whether a symbol is a parameter of which nothing is known."""
    return isinstance(symbol, Parameter)

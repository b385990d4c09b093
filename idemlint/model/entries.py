"""The bodies that can run more than once for one intent: tools, nodes, tasks, what is retried."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idemlint.model.deeds import argument
from idemlint.model.dispatch import Dispatch
from idemlint.model.flow import last_name
from idemlint.model.functions import classes_of, functions_of, own_nodes
from idemlint.model.replay_options import is_retried
from idemlint.model.selection import Family
from idemlint.model.symbols import (
    ClassSymbol,
    Constant,
    External,
    Frame,
    FunctionSymbol,
    Instance,
    Literal,
    Place,
)
from idemlint.model.text import text_of
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.names import Names
    from idemlint.model.program import Class, Function, Module
    from idemlint.model.selection import Places
    from idemlint.model.symbols import Symbol
    from idemlint.model.values import Values
    from idemlint.source.index import Chunk

__all__ = ["Entries", "Entry", "EntryKind", "ToolParameter"]

_HIDDEN_ALWAYS = {"self", "cls"}


class EntryKind(enum.Enum):
    """Why a body is an entry."""

    TOOL = "tool"
    NODE = "node"
    TASK = "task"
    WORKFLOW = "workflow"
    RETRIED = "retried function"
    HANDLER = "handler"


@dataclass(frozen=True, slots=True, eq=False)
class ToolParameter:
    """A parameter that the model sees; `node` is where it is written, in `module`.

    `source`: parameter (of the function), field (of a model), schema (an entry of a dictionary).
    `path` is the parameter of the function that holds it, for a field.
    """

    name: str
    node: ast.AST
    module: Module
    required: bool
    source: str
    default: Place | None = None
    annotation: ast.expr | None = None
    description: str = ""
    path: str = ""


@dataclass(eq=False)
class Entry:
    """A replayed body. `frame` is how it runs; `anchor` is where a finding about it starts.

    `name` is what the model or the framework calls it, `because` why it can run again, `retried`
    whether the framework itself runs it again without a new call.
    """

    kind: EntryKind
    function: Function | None
    frame: Frame
    name: str
    anchor: ast.AST
    anchor_module: Module
    framework: str
    because: str
    tool: rows.Tool | None = None
    replay: rows.Replay | None = None
    retried: bool = False
    options: Place | None = None
    schema: Place | None = None
    parameters: list[ToolParameter] = field(default_factory=list)
    parameters_known: bool = True

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.name}>"

    @property
    def is_tool(self) -> bool:
        """Whether a model calls it."""
        return self.kind is EntryKind.TOOL


class Entries:
    """Finds entries in modules."""

    def __init__(self, names: Names, values: Values, knowledge: Knowledge, places: Places) -> None:
        self.names = names
        self.values = values
        self.knowledge = knowledge
        self.places = places
        self.dispatch = Dispatch(names, values, knowledge, places)
        self._of_module: dict[Module, list[Entry]] = {}
        calls = [*knowledge.rows("tool"), *knowledge.rows("replay")]
        self._call_names = frozenset(
            path.rpartition(".")[2]
            for row in calls
            if row.kind in ("call", "schema", "decorator")
            for path in row.path
        )

    def of(self, module: Module) -> list[Entry]:
        """The entries that a module declares, once each, in the order of the file."""
        known = self._of_module.get(module)
        if known is None:
            self._of_module[module] = []
            known = self._of_module[module] = self._unique(self._find(module))
        return known

    def _unique(self, entries: Iterable[Entry]) -> list[Entry]:
        """One entry a body: a schema or a decorator that says more wins."""
        found: dict[tuple[int, str, str], Entry] = {}
        for entry in entries:
            body = id(entry.function.node) if entry.function is not None else id(entry.anchor)
            name = entry.name if entry.anchor is not getattr(entry.function, "node", None) else ""
            key = (body, entry.kind.value, name)
            before = found.get(key)
            if before is None or (before.schema is None and entry.schema is not None):
                found[key] = entry
        return list(found.values())

    def _find(self, module: Module) -> Iterator[Entry]:
        chunks = self.places.chunks(module, Family.ENTRY)
        for function in functions_of(module, chunks, marked_by="@"):
            yield from self._decorated(function)
        for cls in classes_of(module, chunks):
            yield from self._class_entries(cls)
        for place in self._calls(module, chunks):
            yield from self._registered(place)
        yield from self._dispatched(module)
        for chunk in chunks:
            for function in module.functions_of(chunk):
                yield from self._named(function)

    # decorators

    def _decorated(self, function: Function) -> Iterator[Entry]:
        frame = self._outer_frame(function)
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            place = Place(target, frame, self._statement_of(function))
            options = Place(decorator, frame) if isinstance(decorator, ast.Call) else None
            for symbol in self.names.resolve(place):
                yield from self._by_decorator(function, symbol, options)

    def _by_decorator(
        self, function: Function, symbol: Symbol, options: Place | None
    ) -> Iterator[Entry]:
        for path in self.names.paths_of(symbol):
            for tool in self.knowledge.tools(path):
                if tool.kind == "decorator":
                    yield self._tool(function, tool, options)
                    return
            for replay in self.knowledge.replays(path):
                if replay.kind == "decorator":
                    yield self._replay(function, replay, options)
                    return
        if isinstance(symbol, FunctionSymbol) and symbol.function is not function:
            tool_row = self._wrapped_tool(symbol.function)
            if tool_row is not None:
                yield self._tool(function, tool_row, None)

    def _wrapped_tool(self, decorator: Function) -> rows.Tool | None:
        """The row of the tool decorator that a decorator of the project applies."""
        for node in walk(decorator.node):
            if not isinstance(node, ast.Call):
                continue
            inner = node.func
            target = inner.func if isinstance(inner, ast.Call) else inner
            frame = self.names.frame(decorator)
            for path in self.names.paths(Place(target, frame)):
                for row in self.knowledge.tools(path):
                    if row.kind == "decorator" or (row.kind == "call" and row.body):
                        return row
        return None

    def _outer_frame(self, function: Function) -> Frame:
        if function.parent is not None:
            return self.names.frame(function.parent)
        if function.owner is not None and function.owner.parent is not None:
            return self.names.frame(function.owner.parent)
        return self.names.module_frame(function.module)

    def _statement_of(self, function: Function) -> ast.stmt | None:
        node = function.node
        return node if isinstance(node, ast.stmt) and function.parent is not None else None

    # classes

    def _class_entries(self, cls: Class) -> Iterator[Entry]:
        if not cls.node.bases:
            return
        for path in self.names.class_paths(cls)[1:]:
            for tool in self.knowledge.tools(path):
                if tool.kind == "base" and tool.methods:
                    if not all(name in cls.members for name in tool.needs):
                        continue
                    yield from self._tool_class(cls, tool)
                    return
            for replay in self.knowledge.replays(path):
                if replay.kind == "base":
                    for name in replay.methods:
                        method = cls.method(name)
                        if method is not None:
                            yield self._replay(method, replay, None)
                    return

    def _tool_class(self, cls: Class, row: rows.Tool) -> Iterator[Entry]:
        bodies = [m for m in map(cls.method, row.methods) if m is not None]
        for method in bodies:
            if self._only_forwards(method, row):
                continue
            frame = Frame(cls.module, method, receiver=Instance(cls))
            entry = Entry(
                EntryKind.TOOL,
                method,
                frame,
                self._class_tool_name(cls, row) or cls.name,
                method.node,
                cls.module,
                row.framework,
                "the model or its framework calls a tool again",
                tool=row,
            )
            entry.schema = self._class_schema(cls, row)
            self._fill_parameters(entry)
            yield entry

    def _only_forwards(self, method: Function, row: rows.Tool) -> bool:
        """An `_arun` that only calls `_run` is the same tool."""
        body = [s for s in method.body if not _is_docstring(s)]
        if len(body) != 1:
            return False
        if isinstance(body[0], ast.Raise):
            return True
        for node in walk(body[0]):
            if isinstance(node, ast.Attribute) and node.attr in row.methods:
                return node.attr != method.name
        return False

    def _class_tool_name(self, cls: Class, row: rows.Tool) -> str:
        for name in row.name:
            if isinstance(name, str):
                for binding in cls.members.get(name, ()):
                    if isinstance(binding.node, ast.Constant):
                        return str(binding.node.value)
        return ""

    def _class_schema(self, cls: Class, row: rows.Tool) -> Place | None:
        frame = self.names.module_frame(cls.module)
        for name in row.schema:
            if isinstance(name, str):
                for binding in cls.members.get(name, ()):
                    if binding.kind == "value" and isinstance(binding.node, ast.expr):
                        return Place(binding.node, frame)
        return None

    # calls that register

    def _calls(self, module: Module, chunks: list[Chunk]) -> Iterator[Place]:
        """The calls whose name is that of a registration, in annotations too."""
        frame = self.names.module_frame(module)
        aliases = module.aliases

        def registers(name: str) -> bool:
            return aliases.get(name, name) in self._call_names

        for chunk in chunks:
            for statement in module.index.statements(chunk):
                for call in _own_calls(statement):
                    if registers(_registering_name(call)):
                        yield Place(call, frame)
        for function in functions_of(
            module,
            chunks,
            # a constructor can hand its methods to that of the base class
            lambda function: (
                aliases
                or function.name == "__init__"
                or self.places.of_function(function) & Family.ENTRY
            ),
        ):
            if any(map(registers, function.called_words)):
                for event in self.names.flow(function).calls:
                    if registers(_registering_name(event.node)):
                        yield Place(event.node, self.names.frame(function), event.statement)
            yield from self._annotation_calls(function)

    def _annotation_calls(self, function: Function) -> Iterator[Place]:
        """Calls inside of annotations, such as `Annotated[T, Resolve(f)]`."""
        frame = self._outer_frame(function)
        for arg in function.parameters:
            if isinstance(arg.annotation, ast.Subscript):
                for node in walk(arg.annotation):
                    if isinstance(node, ast.Call):
                        if frame.module.own_name(last_name(node.func)) in self._call_names:
                            yield Place(node, frame)

    def _registered(self, place: Place) -> Iterator[Entry]:
        call = place.node
        assert isinstance(call, ast.Call)
        for path in self.names.paths(Place(call.func, place.frame, place.statement)):
            for tool in self.knowledge.tools(path):
                if tool.kind == "call":
                    yield from self._registered_tools(tool, place, call)
            for replay in self.knowledge.replays(path):
                if replay.kind == "call":
                    for function in self._bodies(replay, place, call):
                        yield self._replay(function.function, replay, place, function)
        yield from self._applied(place, call)

    def _applied(self, place: Place, call: ast.Call) -> Iterator[Entry]:
        """The functions that a call applies a decorator to: `tool(f)`, `server.tool()(f)`."""
        if not call.args or isinstance(call.args[0], ast.Constant | ast.Starred):
            return
        maker = call.func.func if isinstance(call.func, ast.Call) else call.func
        paths = self.names.paths(Place(maker, place.frame, place.statement))
        tools = [row for path in paths for row in self.knowledge.tools(path)]
        replays = [row for path in paths for row in self.knowledge.replays(path)]
        options = place
        if isinstance(call.func, ast.Call):
            options = Place(call.func, place.frame, place.statement)
        for body in self._functions(Place(call.args[0], place.frame, place.statement)):
            if self._is_tool_already(body.function):
                continue
            for tool in tools:
                if tool.kind == "decorator":
                    yield self._tool(body.function, tool, options, body)
            for replay in replays:
                if replay.kind == "decorator":
                    yield self._replay(body.function, replay, options, body)

    def _registered_tools(self, row: rows.Tool, place: Place, call: ast.Call) -> Iterator[Entry]:
        for body in self._bodies(row, place, call):
            if self._is_tool_already(body.function):
                continue
            entry = self._tool(body.function, row, place, body)
            yield entry

    def _is_tool_already(self, function: Function) -> bool:
        return any(self.knowledge.tools(path) for path in self.values.decorator_paths(function))

    def _bodies(
        self, row: rows.Tool | rows.Replay, place: Place, call: ast.Call
    ) -> Iterator[FunctionSymbol]:
        for where in row.body:
            value = argument(call, (where,))
            if value is not None:
                yield from self._functions(Place(value, place.frame, place.statement))
        for where in row.bodies:
            value = argument(call, (where,))
            if value is not None:
                for element in self.elements(Place(value, place.frame, place.statement)):
                    yield from self._functions(element)
                    if isinstance(element.node, ast.Tuple):
                        # a pair of a name and a body
                        for part in self.elements(element):
                            yield from self._functions(part)

    def _functions(self, place: Place) -> Iterator[FunctionSymbol]:
        for symbol in self.names.resolve(place):
            if isinstance(symbol, FunctionSymbol):
                yield symbol
            elif isinstance(symbol, Instance):
                method = self.names.method(symbol.cls, "__call__")
                if method is not None:
                    yield FunctionSymbol(method, symbol)

    def elements(self, place: Place) -> Iterator[Place]:
        """What a list holds, as far as it is written down, and what was added to it."""
        yield from self._added(place)
        for symbol in self.names.resolve(place):
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.List | ast.Tuple):
                where = symbol.place
                for element in symbol.node.elts:
                    if isinstance(element, ast.Starred):
                        yield from self.elements(Place(element.value, where.frame, where.statement))
                    else:
                        yield Place(element, where.frame, where.statement)
            elif isinstance(symbol, Literal) and isinstance(symbol.node, ast.Dict):
                for value in symbol.node.values:
                    yield Place(value, symbol.place.frame, symbol.place.statement)

    def _added(self, place: Place) -> Iterator[Place]:
        """What was appended to a list that is held by a variable."""
        function = place.frame.function
        if function is None or not isinstance(place.node, ast.Name):
            return
        flow = self.names.flow(function)
        before = flow.before.get(place.statement, -1) if place.statement is not None else -1
        for mutation in flow.mutations:
            if mutation.name != place.node.id or not before >> mutation.index & 1:
                continue
            if mutation.value is not None and mutation.kind in ("append", "insert", "add"):
                yield Place(mutation.value, place.frame, mutation.statement)
            elif mutation.value is not None and mutation.kind == "extend":
                yield from self.elements(Place(mutation.value, place.frame, mutation.statement))

    # making entries

    def _tool(
        self,
        function: Function,
        row: rows.Tool,
        options: Place | None,
        symbol: FunctionSymbol | None = None,
    ) -> Entry:
        frame = self._entry_frame(function, symbol)
        entry = Entry(
            EntryKind.TOOL,
            function,
            frame,
            self._tool_name(function, row, options),
            function.node,
            function.module,
            row.framework,
            "the model or its framework calls a tool again",
            tool=row,
            options=options,
        )
        entry.schema = self._schema_of(row, options)
        self._fill_parameters(entry)
        return entry

    def _entry_frame(self, function: Function, symbol: FunctionSymbol | None) -> Frame:
        if symbol is not None and (symbol.closure or symbol.receiver or symbol.preset):
            return self.names.enter(symbol, None)
        return self.names.frame(function)

    def _tool_name(self, function: Function, row: rows.Tool, options: Place | None) -> str:
        if options is not None and isinstance(options.node, ast.Call):
            value = argument(options.node, row.name)
            if value is not None and row.kind in ("decorator", "call"):
                place = Place(value, options.frame, options.statement)
                text = text_of(self.names, place)
                # a variable of a loop holds the names of others, too
                texts = sum(isinstance(symbol, Constant) for symbol in self.names.resolve(place))
                if text and texts < 2:
                    return text
        return function.name

    def _schema_of(self, row: rows.Tool, options: Place | None) -> Place | None:
        if options is None or not isinstance(options.node, ast.Call):
            return None
        value = argument(options.node, row.schema)
        if value is None or isinstance(value, ast.Constant):
            return None
        return Place(value, options.frame, options.statement)

    def _replay(
        self,
        function: Function,
        row: rows.Replay,
        options: Place | None,
        symbol: FunctionSymbol | None = None,
    ) -> Entry:
        kind = EntryKind.NODE if row.node else EntryKind.TASK
        if row.orchestrates:
            kind = EntryKind.WORKFLOW
        return Entry(
            kind,
            function,
            self._entry_frame(function, symbol),
            function.name,
            function.node,
            function.module,
            row.framework,
            row.because or f"{row.framework} can run it again",
            replay=row,
            retried=is_retried(row, options, function, self.values),
            options=options,
        )

    def _named(self, function: Function) -> Iterator[Entry]:
        """Handlers that a platform finds by their name."""
        if function.owner is not None or function.parent is not None:
            return
        for row in self.knowledge.rows("replay"):
            if row.kind == "name" and function.name in row.path:
                if list(function.positional) == ["event", "context"]:
                    yield Entry(
                        EntryKind.HANDLER,
                        function,
                        self.names.frame(function),
                        function.name,
                        function.node,
                        function.module,
                        row.framework,
                        row.because,
                        replay=row,
                    )

    # schemas and dispatchers

    def _dispatched(self, module: Module) -> Iterator[Entry]:
        """Tools that are declared by a schema, and run by a function of their name or by a dispatcher."""
        for declared in self.dispatch.of(module):
            entry = Entry(
                EntryKind.TOOL,
                declared.function,
                declared.frame,
                declared.name,
                declared.anchor,
                declared.anchor_module,
                declared.row.framework,
                "the model or its framework calls a tool again",
                tool=declared.row,
            )
            entry.schema = declared.schema
            entry.options = declared.options
            self._fill_parameters(entry)
            yield entry

    # parameters

    def _fill_parameters(self, entry: Entry) -> None:
        """What the model sees: the schema if there is one, else the function's parameters."""
        if entry.schema is not None:
            listed = self._schema_parameters(entry.schema)
            if listed is not None:
                entry.parameters = listed
                return
            if entry.function is None or not entry.function.parameters:
                entry.parameters_known = False
                return
        if entry.function is None:
            entry.parameters_known = False
            return
        entry.parameters = list(self._function_parameters(entry))

    def _function_parameters(self, entry: Entry) -> Iterator[ToolParameter]:
        function, row = entry.function, entry.tool
        assert function is not None
        hidden_names = {*_HIDDEN_ALWAYS, *(row.hidden_names if row else ())}
        frame = self._outer_frame(function)
        first = row.hidden_first if row else False
        if function.node.args.kwarg is not None and row is not None and row.kind != "decorator":
            entry.parameters_known = False
        for number, arg in enumerate(function.parameters):
            if arg.arg in hidden_names or arg.arg == function.self_name:
                continue
            if first and number == (1 if function.self_name else 0):
                continue
            if row is not None and self._is_hidden(arg, function, row, frame):
                continue
            default = function.defaults.get(arg.arg)
            inner = list(self._model_fields(arg.annotation, frame, arg.arg))
            if inner:
                yield from inner
                continue
            required, described = True, ""
            if default is not None:
                required, described = _field_facts(default, frame.module.aliases)
            yield ToolParameter(
                arg.arg,
                arg,
                function.module,
                required and not self._is_optional(arg.annotation, frame),
                "parameter",
                Place(default, frame) if default is not None else None,
                arg.annotation,
                f"{_described(arg, function)} {described}".strip(),
                arg.arg,
            )

    def _is_hidden(self, arg: ast.arg, function: Function, row: rows.Tool, frame: Frame) -> bool:
        if arg.annotation is not None:
            for symbol in self.names.annotation(arg.annotation, frame):
                if any(path in row.hidden_types for path in self.names.paths_of(symbol)):
                    return True
            if isinstance(arg.annotation, ast.Subscript) and isinstance(
                arg.annotation.slice, ast.Tuple
            ):
                for item in arg.annotation.slice.elts[1:]:
                    target = item.func if isinstance(item, ast.Call) else item
                    for path in self.names.paths(Place(target, frame)):
                        tail = path.rpartition(".")[2]
                        if path in row.hidden_types or any(
                            tail == m.rpartition(".")[2] for m in row.hidden_metadata
                        ):
                            return True
        default = function.defaults.get(arg.arg)
        if isinstance(default, ast.Call) and row.hidden_defaults:
            for path in self.names.paths(Place(default.func, frame)):
                if path in row.hidden_defaults:
                    return True
        return False

    def _is_optional(self, annotation: ast.expr | None, frame: Frame) -> bool:
        """`T | None` or `Optional[T]`, through an alias too."""
        if annotation is None:
            return False
        aliases = frame.module.aliases
        if _allows_none(annotation, aliases):
            return True
        if isinstance(annotation, ast.Name):
            for symbol in self.names.resolve(Place(annotation, frame)):
                if isinstance(symbol, Literal):
                    return _allows_none(symbol.node, aliases)
            for binding in frame.module.bindings(annotation.id):
                if isinstance(binding.node, ast.expr):
                    return _allows_none(binding.node, aliases)
        return False

    def _model_fields(
        self, annotation: ast.expr | None, frame: Frame, parameter: str
    ) -> Iterator[ToolParameter]:
        if annotation is None:
            return
        for symbol in self.names.annotation(annotation, frame):
            if isinstance(symbol, Instance) and self._is_model(symbol.cls):
                yield from self._fields(symbol.cls, parameter)
                return

    def _is_model(self, cls: Class) -> bool:
        if any(path in self.knowledge.model_bases for path in self.names.class_paths(cls)):
            return True
        return any(
            last_name(d.func if isinstance(d, ast.Call) else d) == "dataclass"
            for d in cls.node.decorator_list
        )

    def _fields(self, cls: Class, parameter: str = "") -> Iterator[ToolParameter]:
        seen: set[str] = set()
        for ancestor in self.names.bases(cls):
            if not isinstance(ancestor, ClassSymbol):
                continue
            frame = self.names.module_frame(ancestor.cls.module)
            for statement in ancestor.cls.node.body:
                if not isinstance(statement, ast.AnnAssign) or not isinstance(
                    statement.target, ast.Name
                ):
                    continue
                name = statement.target.id
                if name in seen or name.startswith("_") or name == "model_config":
                    continue
                seen.add(name)
                required, description = _field_facts(statement.value, frame.module.aliases)
                yield ToolParameter(
                    name,
                    statement,
                    ancestor.cls.module,
                    required and not self._is_optional(statement.annotation, frame),
                    "field",
                    Place(statement.value, frame) if statement.value is not None else None,
                    statement.annotation,
                    description,
                    parameter,
                )

    def _schema_parameters(self, schema: Place) -> list[ToolParameter] | None:
        """The properties of a JSON schema, or the fields of a model class."""
        for symbol in self.names.resolve(schema):
            if isinstance(symbol, ClassSymbol):
                return list(self._fields(symbol.cls))
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.Dict):
                return self._properties(symbol.node, symbol.place)
            if isinstance(symbol, External):
                break
        node = schema.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("model_json_schema", "schema"):
                inner = Place(node.func.value, schema.frame, schema.statement)
                for symbol in self.names.resolve(inner):
                    if isinstance(symbol, ClassSymbol):
                        return list(self._fields(symbol.cls))
        return None

    def _properties(self, node: ast.Dict, place: Place) -> list[ToolParameter] | None:
        properties = _dict_path(node, ["properties"])
        where = Place(properties, place.frame, place.statement) if properties else None
        if where is None:
            plain = {
                key.value: (key, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            if plain and all(not isinstance(v, ast.Constant) for _, v in plain.values()):
                return [
                    ToolParameter(
                        str(name), key, place.frame.module, not _is_nullable(value), "schema"
                    )
                    for name, (key, value) in plain.items()
                ]
            return [] if not plain or set(plain) == {"type"} else None
        mapping = self.values.mapping(where)
        if mapping.is_open and not mapping.entries:
            return None
        required = self._required(node, place)
        found = []
        for entry in mapping.entries:
            described = self.values.mapping(entry.value).get("description")
            text = text_of(self.names, described[0].value) if described else ""
            found.append(
                ToolParameter(
                    entry.key,
                    entry.key_node,
                    entry.value.frame.module,
                    required is None or entry.key in required,
                    "schema",
                    description=text or "",
                )
            )
        return found

    def _required(self, node: ast.Dict, place: Place) -> set[str] | None:
        """What a JSON schema demands; `None` where that is not known, also where it is spread."""
        listed = _dict_path(node, ["required"])
        if listed is None:
            return set() if all(key is not None for key in node.keys) else None
        for symbol in self.names.resolve(Place(listed, place.frame, place.statement)):
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.List | ast.Tuple):
                if all(isinstance(element, ast.Constant) for element in symbol.node.elts):
                    return {str(e.value) for e in symbol.node.elts if isinstance(e, ast.Constant)}
        return None

    # keys among the parameters

    def key_parameters(self, entry: Entry) -> list[ToolParameter]:
        """The parameters of a tool that carry a key, by their name or their description."""
        return [parameter for parameter in entry.parameters if self.is_key(parameter)]

    def is_key(self, parameter: ToolParameter) -> bool:
        """Whether a parameter carries a key."""
        if self.knowledge.is_key_name(parameter.name):
            return True
        return self.knowledge.is_described_key(parameter.name, parameter.description)


def _own_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    for node in own_nodes(statement):
        if isinstance(node, ast.Call):
            yield node


def _registering_name(call: ast.Call) -> str:
    """The name of what is called, or of what made it: `tool` in `tool(f)` and in `server.tool()(f)`."""
    return last_name(call.func.func if isinstance(call.func, ast.Call) else call.func)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _dict_path(node: ast.expr, keys: list[str]) -> ast.expr | None:
    for name in keys:
        if not isinstance(node, ast.Dict):
            return None
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name:
                node = value
                break
        else:
            return None
    return node


def _field_facts(value: ast.expr | None, aliases: Mapping[str, str]) -> tuple[bool, str]:
    """Whether a model field must be given, and its description."""
    if value is None:
        return True, ""
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.Constant) and value.value is ..., ""
    description = ""
    required = True
    for keyword in value.keywords:
        if keyword.arg in ("default", "default_factory", "factory"):
            required = isinstance(keyword.value, ast.Constant) and keyword.value.value is ...
        elif keyword.arg == "description" and isinstance(keyword.value, ast.Constant):
            description = str(keyword.value.value)
    if value.args:
        first = value.args[0]
        required = isinstance(first, ast.Constant) and first.value is ...
    name = last_name(value.func)
    if aliases.get(name, name) not in ("Field", "field"):
        required = False
    return required, description


def _is_nullable(value: ast.expr) -> bool:
    """Whether what is written of an input lets it be left out: `{"nullable": True}`."""
    found = _dict_path(value, ["nullable"])
    return isinstance(found, ast.Constant) and found.value is True


def _allows_none(annotation: ast.expr, aliases: Mapping[str, str]) -> bool:
    """Whether a type, written down or as a text, can be left out or be `None`."""
    if isinstance(annotation, ast.Constant):
        text = annotation.value if isinstance(annotation.value, str) else ""
        return annotation.value is None or "None" in text or "Optional[" in text
    if isinstance(annotation, ast.BinOp):
        return _allows_none(annotation.left, aliases) or _allows_none(annotation.right, aliases)
    if isinstance(annotation, ast.Subscript):
        name = last_name(annotation.value)
        name = aliases.get(name, name)
        if name in ("Optional", "NotRequired"):
            return True
        parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
        if name == "Annotated" and parts:
            return _allows_none(parts[0], aliases)
        return name == "Union" and any(_allows_none(part, aliases) for part in parts)
    return False


def _described(arg: ast.arg, function: Function) -> str:
    """What the annotation and the docstring say of a parameter."""
    texts: list[str] = []
    if arg.annotation is not None:
        texts.extend(
            node.value
            for node in walk(arg.annotation)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
    for line in function.docstring.splitlines():
        stripped = line.strip()
        if stripped.startswith((f"{arg.arg}:", f"{arg.arg} (", f":param {arg.arg}")):
            texts.append(stripped)
    return " ".join(texts)

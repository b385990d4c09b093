"""What a name, an attribute or a call denotes, across the files of the program.

Nothing is guessed: an expression that cannot be followed has no symbols.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from idemlint.model.flow import Flow, flow_of
from idemlint.model.program import inner_statements
from idemlint.model.symbols import (
    ClassSymbol,
    Constant,
    External,
    Frame,
    FunctionSymbol,
    Instance,
    Literal,
    ModuleSymbol,
    Parameter,
    Place,
    Symbol,
)
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import Definition
    from idemlint.model.program import Binding, Class, Function, Module, Program

__all__ = ["BUILTINS", "Names"]

MAX_DEPTH = 6
MAX_SYMBOLS = 6
BUILTINS = frozenset(dir(builtins))
_UNTYPED = BUILTINS | {"typing.Any", "typing_extensions.Any"}
_TYPE_VARIABLES = {"typing.TypeVar", "typing_extensions.TypeVar"}
_WRAPPERS = {"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Awaitable"}
_UNIONS = {"Union"}
_CONTAINERS = {
    "list", "List", "Sequence", "Iterable", "Iterator", "tuple", "Tuple", "set", "Set", "AsyncIterator",
    "AsyncGenerator", "Generator", "AsyncIterable", "Collection", "frozenset", "deque",
}  # fmt: skip
_GENERATORS = {
    "Iterator",
    "Generator",
    "AsyncIterator",
    "AsyncGenerator",
    "Iterable",
    "AsyncIterable",
}
_LITERALS = (
    ast.Dict, ast.List, ast.Tuple, ast.Set, ast.JoinedStr, ast.ListComp, ast.DictComp, ast.SetComp,
    ast.GeneratorExp,
)  # fmt: skip
_SAME = {"copy", "strip", "rstrip", "lstrip"}


class Names:
    """Answers what expressions denote; one object a run, all answers kept in their frames."""

    def __init__(self, program: Program, knowledge: Knowledge) -> None:
        self.program = program
        self.knowledge = knowledge
        self._library_users: dict[tuple[Module, rows.ReceiverName], bool] = {}
        self._flows: dict[ast.AST, Flow] = {}
        self._earlier_flows: dict[ast.AST, Flow] = {}
        self._frames: dict[ast.AST, Frame] = {}
        self._module_frames: dict[Module, Frame] = {}
        self._attributes: dict[Class, dict[str, list[tuple[ast.expr, Function, ast.stmt]]]] = {}
        self._handed: dict[tuple[Class, str], list[Symbol]] = {}
        self._globals: dict[Module, dict[str, list[tuple[ast.expr, Function, ast.stmt]]]] = {}
        self._entered: list[Frame] = []
        self._bases: dict[ast.AST, list[ClassSymbol | External]] = {}
        self._class_paths: dict[ast.AST, list[str]] = {}
        self._depth = 0
        self._cut_short = 0

    # frames and flows

    def flow(self, function: Function) -> Flow:
        """The flow of a function, made once."""
        made = self._flows.get(function.node)
        if made is None:
            made = self._earlier_flows.pop(function.node, None) or flow_of(function)
            self._flows[function.node] = made
        return made

    def take_over(self, earlier: Names) -> None:
        """Use what an earlier run knows of functions whose nodes are the same.

        That is their flows; those of lambdas are not theirs alone.
        """
        self._earlier_flows = {
            node: flow for node, flow in earlier._flows.items() if not isinstance(node, ast.Lambda)
        }

    def module_frame(self, module: Module) -> Frame:
        """The frame of the top of a module."""
        made = self._module_frames.get(module)
        if made is None:
            made = self._module_frames[module] = Frame(module)
        return made

    def frame(self, function: Function) -> Frame:
        """The frame of a function that anybody may call: no argument is known."""
        made = self._frames.get(function.node)
        if made is None:
            closure = self.frame(function.parent) if function.parent else None
            made = Frame(function.module, function, closure=closure)
            self._frames[function.node] = made
        return made

    def forget_calls(self) -> None:
        """Drop the answers that hang on calls; frames form cycles that would live to the end."""
        for frame in self._entered:
            frame.memo.clear()
            if frame.call is not None:
                frame.resolved.clear()
        self._entered.clear()

    def close(self) -> None:
        """Drop all answers: what they are about holds the frames that they are kept in."""
        self.forget_calls()
        for frame in (*self._frames.values(), *self._module_frames.values()):
            frame.memo.clear()
            frame.resolved.clear()

    # expressions

    def resolve(self, place: Place) -> tuple[Symbol, ...]:
        """All that the expression at `place` can denote."""
        return self._resolve(place.node, place.frame, place.statement)

    def paths(self, place: Place) -> list[str]:
        """The paths that rows may know the expression by: outside paths and qualified names."""
        return [path for symbol in self.resolve(place) for path in self.paths_of(symbol)]

    def paths_of(self, symbol: Symbol) -> list[str]:
        """The paths of one symbol; a class of the program brings those of its outside bases."""
        if isinstance(symbol, External):
            return [symbol.path]
        if isinstance(symbol, ClassSymbol | Instance):
            return self.class_paths(symbol.cls)
        if isinstance(symbol, FunctionSymbol):
            function = symbol.function
            if function.owner is not None:
                return [f"{base}.{function.name}" for base in self.class_paths(function.owner)]
            return [self.knowledge.alias(function.qualified_name)]
        if isinstance(symbol, ModuleSymbol):
            return [symbol.module.name]
        return []

    def class_paths(self, cls: Class) -> list[str]:
        """The qualified names of a class and of all classes it derives from, its own first."""
        known = self._class_paths.get(cls.node)
        if known is not None:
            return known
        before = self._cut_short
        found: list[str] = []
        for base in self.bases(cls):
            path = base.path if isinstance(base, External) else base.cls.qualified_name
            found.append(self.knowledge.alias(path))
            if isinstance(base, ClassSymbol):
                found.extend(self._export_paths(base.cls))
        found = list(dict.fromkeys(found))
        if self._cut_short == before:
            self._class_paths[cls.node] = found
        return found

    def _export_paths(self, cls: Class) -> Iterator[str]:
        """A class is known by the packages that hand it on: `pkg.sub.mod.C` as `pkg.sub.C`."""
        parts = cls.module.name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            yield self.knowledge.alias(".".join((*parts[:length], cls.name)))

    def bases(self, cls: Class) -> list[ClassSymbol | External]:
        """The class and its ancestors, nearest first; outside classes by their path."""
        known = self._bases.get(cls.node)
        if known is not None:
            return known
        before = self._cut_short
        found: list[ClassSymbol | External] = [ClassSymbol(cls)]
        frame = self._class_frame(cls)
        for base in cls.node.bases:
            target = base.value if isinstance(base, ast.Subscript) else base
            for symbol in self._resolve(target, frame, None):
                if isinstance(symbol, ClassSymbol) and symbol not in found:
                    found.extend(b for b in self.bases(symbol.cls) if b not in found)
                elif isinstance(symbol, External) and symbol not in found:
                    found.append(symbol)
        if self._cut_short == before:
            self._bases[cls.node] = found
        return found

    def _class_frame(self, cls: Class) -> Frame:
        return self.frame(cls.parent) if cls.parent else self.module_frame(cls.module)

    def _resolve(
        self, node: ast.AST | None, frame: Frame, statement: ast.stmt | None
    ) -> tuple[Symbol, ...]:
        if node is None:
            return ()
        known = frame.resolved.get(node, False)
        if known is None:
            # in the middle of this very question
            self._cut_short += 1
            return ()
        if known is not False:
            return known  # type: ignore[return-value]
        if self._depth > 60:
            self._cut_short += 1
            return ()
        frame.resolved[node] = None
        self._depth += 1
        try:
            found = _unique(self._symbols(node, frame, statement))
        finally:
            self._depth -= 1
        frame.resolved[node] = found
        return found

    def _symbols(self, node: ast.AST, frame: Frame, statement: ast.stmt | None) -> Iterable[Symbol]:
        if isinstance(node, ast.Name):
            return self.name(node.id, frame, statement)
        if isinstance(node, ast.Attribute):
            return self._attribute_of(node, frame, statement)
        if isinstance(node, ast.Call):
            return self.call_result(node, frame, statement)
        if isinstance(node, ast.Await):
            return self._resolve(node.value, frame, statement)
        if isinstance(node, ast.Constant):
            return (Constant(node.value),)
        if isinstance(node, ast.Subscript):
            return self._item(node, frame, statement)
        if isinstance(node, ast.BoolOp):
            return self._either(node, frame, statement)
        if isinstance(node, ast.IfExp):
            return self._all((node.body, node.orelse), frame, statement)
        if isinstance(node, ast.NamedExpr):
            return self._resolve(node.value, frame, statement)
        if isinstance(node, ast.Lambda):
            function = frame.module.function(node, None, frame.function)
            return (FunctionSymbol(function, closure=frame),)
        if isinstance(node, ast.BinOp):
            return self._operation(node, frame, statement)
        if isinstance(node, _LITERALS):
            return (Literal(Place(node, frame, statement), node),)
        return ()

    def _all(
        self, nodes: Iterable[ast.expr], frame: Frame, statement: ast.stmt | None
    ) -> list[Symbol]:
        return [symbol for node in nodes for symbol in self._resolve(node, frame, statement)]

    def _either(self, node: ast.BoolOp, frame: Frame, statement: ast.stmt | None) -> list[Symbol]:
        """What `a or b` can be: nothing behind a function or class, which are true."""
        found: list[Symbol] = []
        for value in node.values:
            symbols = self._resolve(value, frame, statement)
            found.extend(symbols)
            if (
                symbols
                and isinstance(node.op, ast.Or)
                and all(isinstance(symbol, FunctionSymbol | ClassSymbol) for symbol in symbols)
            ):
                break
        return found

    def _operation(
        self, node: ast.BinOp, frame: Frame, statement: ast.stmt | None
    ) -> Iterable[Symbol]:
        if isinstance(node.op, ast.Div):
            # `folder / name` is what the folder is
            return [
                symbol
                for symbol in self._resolve(node.left, frame, statement)
                if isinstance(symbol, External)
            ]
        if isinstance(node.op, ast.BitOr):
            return (Literal(Place(node, frame, statement), node),)
        return ()

    # names

    def name(self, name: str, frame: Frame, statement: ast.stmt | None) -> Iterable[Symbol]:
        """What a name stands for in a frame, at a statement of it (anywhere if `None`)."""
        function = frame.function
        if function is not None:
            flow = self.flow(function)
            if name not in flow.globals:
                definitions = flow.definitions_at(statement, name)
                if not definitions and name in flow.definitions:
                    definitions = tuple(flow.definitions[name])
                if definitions:
                    return [
                        symbol
                        for definition in definitions
                        for symbol in self.definition(definition, frame)
                    ]
            if frame.closure is not None:
                return self.name(name, frame.closure, None)
            if function.parent is not None:
                return self.name(name, self.frame(function.parent), None)
        return self.module_name(name, frame.module)

    def definition(self, definition: Definition, frame: Frame) -> Iterable[Symbol]:
        """What a local definition binds."""
        kind, node, statement = definition.kind, definition.node, definition.statement
        if kind == "parameter":
            return self.parameter(definition.name, frame)
        if kind in ("value", "augmented"):
            found = self._resolve(node, frame, statement)
            if isinstance(statement, ast.AnnAssign) and _is_vaguer(node, found):
                return list(self.annotation(statement.annotation, frame)) or found
            return found
        if kind == "context":
            return self.entered(self._resolve(node, frame, statement))
        if kind == "item" and isinstance(statement, ast.For | ast.AsyncFor):
            return self._round(node, definition.key, frame, statement)
        if kind == "item":
            parts = list(self._element(self._resolve(node, frame, statement), definition.key))
            if isinstance(definition.key, int) and all(s == Constant(None) for s in parts):
                parts += self._annotated_part(node, definition.key, frame, statement)
            return parts
        if kind == "function":
            owner = None
            function = frame.module.function(node, owner, frame.function)  # type: ignore[arg-type]
            return (FunctionSymbol(function, closure=frame),)
        if kind == "class":
            return (ClassSymbol(frame.module.class_(node, frame.function)),)  # type: ignore[arg-type]
        if kind == "import":
            return self._local_import(definition, frame.module)
        if kind == "exception" and isinstance(node, ast.ExceptHandler):
            return self._resolve(node.type, frame, statement)
        return ()

    def _annotated_part(
        self, node: ast.AST | None, number: int, frame: Frame, statement: ast.stmt | None
    ) -> Iterator[Symbol]:
        """What a part of the tuple that a function gives is annotated with."""
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call):
            return
        for callee in self._resolve(call.func, frame, statement):
            if not isinstance(callee, FunctionSymbol) or isinstance(
                callee.function.node, ast.Lambda
            ):
                continue
            said = callee.function.node.returns
            if isinstance(said, ast.Subscript) and isinstance(said.slice, ast.Tuple):
                parts = said.slice.elts
                if _is_named(said.value, "tuple") or _is_named(said.value, "Tuple"):
                    if number < len(parts):
                        yield from self.annotation(parts[number], self._plain_frame(callee))

    def _local_import(self, definition: Definition, module: Module) -> Iterable[Symbol]:
        statement = definition.statement
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname == definition.name:
                    return self.imported(alias.name, "", module)
                if not alias.asname and alias.name.partition(".")[0] == definition.name:
                    return self.imported(definition.name, "", module)
        elif isinstance(statement, ast.ImportFrom):
            source = "." * statement.level + (statement.module or "")
            for alias in statement.names:
                if (alias.asname or alias.name) == definition.name:
                    return self.imported(source, alias.name, module)
        return ()

    def parameter(self, name: str, frame: Frame) -> Iterable[Symbol]:
        """What a parameter holds: what it was given, or what it is annotated with."""
        function = frame.function
        assert function is not None
        if name == function.self_name:
            if frame.receiver is not None:
                return (frame.receiver,)
            assert function.owner is not None
            if function.is_class_method:
                return (ClassSymbol(function.owner),)
            return (Instance(function.owner),)
        given = frame.arguments.get(name)
        if given is not None:
            found = self.resolve(given)
            if found:
                return found
        parameter = function.parameter(name)
        if parameter is not None and parameter.annotation is not None:
            found = tuple(self.annotation(parameter.annotation, self._definition_frame(frame)))
            if found:
                return found
        if given is None and function.decorators:
            passed = self._passed_by_decorator(name, function, frame)
            if passed is not None:
                return (passed,)
        default = function.defaults.get(name)
        if default is not None and given is None:
            found = self._resolve(default, self._definition_frame(frame), None)
            if found and found != (Constant(None),):
                return (*found, Parameter(function, name))
        return (Parameter(function, name),) if given is None else ()

    def _passed_by_decorator(self, name: str, function: Function, frame: Frame) -> Symbol | None:
        """What a decorator such as `@app.task(bind=True)` passes as a parameter."""
        if name not in function.positional[:1]:
            return None
        for decorator in function.decorators:
            if not isinstance(decorator, ast.Call):
                continue
            for path in self.paths(Place(decorator.func, self._definition_frame(frame))):
                row = self.knowledge.decorated_parameter(path)
                if row is None or function.positional.index(name) != row.parameter:
                    continue
                given = {k.arg: k.value for k in decorator.keywords}
                value = given.get(row.option)
                if not row.option or (isinstance(value, ast.Constant) and value.value):
                    return External(row.target)
        return None

    def _definition_frame(self, frame: Frame) -> Frame:
        """The frame that annotations and defaults of a function are read in."""
        function = frame.function
        assert function is not None
        if frame.closure is not None:
            return frame.closure
        return self.frame(function.parent) if function.parent else self.module_frame(frame.module)

    def module_name(self, name: str, module: Module) -> Iterable[Symbol]:
        """What a name at the top of a module stands for; a builtin if nothing binds it."""
        frame = self.module_frame(module)
        key = ("module name", name)
        if key in frame.memo:
            return frame.memo[key] or ()
        frame.memo[key] = None
        found: list[Symbol] = []
        bindings = module.bindings(name)
        for binding in bindings:
            found.extend(self._binding(binding, module))
        if all(symbol == Constant(None) for symbol in found):
            for value, function, statement in self._assigned_globals(module).get(name, ()):
                found.extend(self._resolve(value, self.frame(function), statement))
            if not found or found == [Constant(None)]:
                found.extend(self._annotated_name(name, module))
        if not bindings and not found:
            for binding in module.loose_bindings.get("*", ()):
                found.extend(self.imported(binding.module, name, module))
                if found:
                    break
        if not bindings and not found and name in BUILTINS:
            found.append(External(name))
        answer = frame.memo[key] = _unique(found)
        return answer

    def _annotated_name(self, name: str, module: Module) -> Iterable[Symbol]:
        for binding in module.bindings(name):
            statement = binding.statement
            if isinstance(statement, ast.AnnAssign):
                return self.annotation(statement.annotation, self.module_frame(module))
        return ()

    def _assigned_globals(
        self, module: Module
    ) -> dict[str, list[tuple[ast.expr, Function, ast.stmt]]]:
        known = self._globals.get(module)
        if known is not None:
            return known
        known = self._globals[module] = {}
        if "global " not in module.source.text:
            return known
        for function in list(module.functions()):
            if not function.mentions("global "):
                continue
            names: set[str] = set()
            assigned: list[tuple[str, ast.expr, ast.stmt]] = []
            for node in walk(function.node):
                if isinstance(node, ast.Global):
                    names.update(node.names)
                elif isinstance(node, ast.Assign):
                    assigned += [
                        (target.id, node.value, node)
                        for target in node.targets
                        if isinstance(target, ast.Name)
                    ]
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    if node.value is not None:
                        assigned.append((node.target.id, node.value, node))
            for name, value, statement in assigned:
                if name in names:
                    known.setdefault(name, []).append((value, function, statement))
        return known

    def _binding(self, binding: Binding, module: Module) -> Iterable[Symbol]:
        if binding.kind == "import":
            return self.imported(binding.module, binding.member, module)
        if binding.kind == "class":
            return (ClassSymbol(module.class_(binding.node)),)  # type: ignore[arg-type]
        if binding.kind == "function":
            return self._defined(module.function(binding.node, None, None))  # type: ignore[arg-type]
        frame = self.module_frame(module)
        if binding.kind == "value":
            found = self._resolve(binding.node, frame, None)
            statement = binding.statement
            if isinstance(statement, ast.With | ast.AsyncWith):
                return self.entered(found)
            if not found and isinstance(statement, ast.AnnAssign):
                return self.annotation(statement.annotation, frame)
            return found
        if isinstance(binding.statement, ast.For | ast.AsyncFor):
            return self._round(binding.node, binding.key, frame, None)
        if binding.node is not None:
            return self._element(self._resolve(binding.node, frame, None), binding.key)
        return ()

    def _defined(self, function: Function) -> Iterable[Symbol]:
        return (FunctionSymbol(function),)

    def imported(self, module: str, member: str, importer: Module) -> Iterable[Symbol]:
        """What an import binds; `module` starts with dots if it is relative."""
        if module.startswith("."):
            target = self.program.find_relative(module, importer)
            if target is None:
                joined = f"{module}{member}" if module.endswith(".") else f"{module}.{member}"
                inner = self.program.find_relative(joined, importer) if member else None
                return (ModuleSymbol(inner),) if inner else ()
        else:
            target = self.program.find(module, importer)
            if target is None and member:
                inner = self.program.find(f"{module}.{member}", importer)
                if inner is not None:
                    return (ModuleSymbol(inner),)
        if target is None:
            path = f"{module}.{member}" if member else module
            return (External(self.knowledge.alias(path)),)
        if not member:
            return (ModuleSymbol(target),)
        return self.module_member(target, member)

    def module_member(self, module: Module, name: str) -> Iterable[Symbol]:
        """What `module.name` stands for."""
        if module.bindings(name) or "*" in module.loose_bindings:
            found = [s for s in self.module_name(name, module) if not _is_builtin(s, name)]
            if found:
                return found
        inner = self.program.submodule(module, name)
        return (ModuleSymbol(inner),) if inner is not None else ()

    # attributes

    def _attribute_of(
        self, node: ast.Attribute, frame: Frame, statement: ast.stmt | None
    ) -> Iterable[Symbol]:
        found: list[Symbol] = []
        bases = self._resolve(node.value, frame, statement)
        for base in bases:
            found.extend(self.attribute(base, node.attr))
        if not found and all(isinstance(base, Parameter) for base in bases):
            found.extend(self._by_usual_name(node.value, node.attr, frame.module))
        return found

    def _by_usual_name(
        self, receiver: ast.expr, attribute: str, module: Module
    ) -> Iterable[Symbol]:
        """An object of unknown type with the usual name of one, in a module that uses its library."""
        name = receiver.attr if isinstance(receiver, ast.Attribute) else ""
        if isinstance(receiver, ast.Name):
            name = receiver.id
        row = self.knowledge.receiver_names.get(name)
        if row is None or not self._uses(module, row):
            return ()
        return (External(self.knowledge.alias(f"{row.target}.{attribute}")),)

    def _uses(self, module: Module, row: rows.ReceiverName) -> bool:
        """Whether a module imports what a row is about, itself or `through` one that it imports."""
        if not row.imports or any(map(module.imports, row.imports)):
            return True
        if not row.through:
            return False
        key = (module, row)
        if key not in self._library_users:
            self._library_users[key] = any(
                other.imports(top) for other in self._imported_by(module) for top in row.imports
            )
        return self._library_users[key]

    def _imported_by(self, module: Module) -> Iterator[Module]:
        """The project's modules that a module imports at its top."""
        for bindings in module.loose_bindings.values():
            for binding in bindings:
                if binding.kind != "import":
                    continue
                if binding.module.startswith("."):
                    other = self.program.find_relative(binding.module, module)
                else:
                    other = self.program.find(binding.module, module)
                if other is not None:
                    yield other

    def attribute(self, base: Symbol, name: str) -> Iterable[Symbol]:
        """What attribute `name` of a symbol denotes."""
        if isinstance(base, External):
            path = f"{base.path}.{name}"
            number = self.knowledge.type_argument(path)
            if number is not None:
                return base.of[number : number + 1]
            return (External(self.knowledge.alias(path), made=base.made),)
        if isinstance(base, ModuleSymbol):
            return self.module_member(base.module, name)
        if isinstance(base, ClassSymbol | Instance):
            return self._class_attribute(base, name)
        if isinstance(base, Constant) and isinstance(base.value, str | bytes):
            return (External(f"{type(base.value).__name__}.{name}"),)
        if isinstance(base, FunctionSymbol):
            return self._function_attribute(base, name)
        return ()

    def _function_attribute(self, base: FunctionSymbol, name: str) -> Iterable[Symbol]:
        function = base.function
        frame = (
            self._class_frame(function.owner)
            if function.owner is not None
            else self._definition_frame(self.frame(function))
        )
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            for path in self.paths(Place(target, frame)):
                kind = self.knowledge.decorated_type(path)
                if kind is not None:
                    return (External(self.knowledge.alias(f"{kind}.{name}")),)
        return ()

    def _class_attribute(self, base: ClassSymbol | Instance, name: str) -> Iterable[Symbol]:
        outside: list[Symbol] = []
        for ancestor in self.bases(base.cls):
            if isinstance(ancestor, External):
                if not _is_plain_base(ancestor.path):
                    path = self.knowledge.alias(f"{ancestor.path}.{name}")
                    outside.append(External(path))
                continue
            found = tuple(self._own_attribute(base, ancestor.cls, name))
            if found:
                return found
        return outside

    def _own_attribute(
        self, base: ClassSymbol | Instance, cls: Class, name: str
    ) -> Iterable[Symbol]:
        method = cls.method(name)
        if method is not None:
            closure = self.frame(method.parent) if method.parent else None
            if method.is_property and isinstance(base, Instance):
                return self.returned(FunctionSymbol(method, base, closure), None)
            receiver: Symbol | None = base
            if method.is_static:
                receiver = None
            elif method.is_class_method:
                receiver = ClassSymbol(base.cls)
            elif isinstance(base, ClassSymbol):
                receiver = None
            return (FunctionSymbol(method, receiver, closure),)
        found: list[Symbol] = []
        if isinstance(base, Instance):
            for value, function, statement in self.assigned_attributes(cls).get(name, ()):
                frame = self.method_frame(function, base)
                found.extend(self._resolve(value, frame, statement))
                if isinstance(statement, ast.AnnAssign) and not found:
                    found.extend(self.annotation(statement.annotation, frame))
        if found and any(symbol != Constant(None) for symbol in found):
            return [symbol for symbol in found if symbol != Constant(None)]
        frame = self._class_frame(cls)
        for binding in cls.members.get(name, ()):
            if binding.kind == "class":
                found.append(ClassSymbol(cls.module.class_(binding.node)))  # type: ignore[arg-type]
            elif binding.kind == "value":
                found.extend(self._resolve(binding.node, frame, None))
        annotation = cls.annotations.get(name)
        if annotation is not None and all(symbol == Constant(None) for symbol in found):
            found.extend(self.annotation(annotation, frame))
            if not found and isinstance(base, Instance):
                return self._handed_over(cls, name)
        return found

    def _handed_over(self, cls: Class, name: str) -> Iterable[Symbol]:
        """The functions that a field is given where objects of a class are made in its module."""
        key = (cls, name)
        known = self._handed.get(key)
        if known is None:
            known = self._handed[key] = []
            frame = self.module_frame(cls.module)
            for statement in cls.module.statements_with(f"{cls.name}(", f"{name}="):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Call) and _is_named(node.func, cls.name):
                        for keyword in node.keywords:
                            if keyword.arg == name:
                                symbols = self._resolve(keyword.value, frame, None)
                                known += [s for s in symbols if isinstance(s, FunctionSymbol)]
        return known[:MAX_SYMBOLS]

    def method_frame(self, function: Function, receiver: Instance) -> Frame:
        """The frame of a method; the constructor gets the arguments that made the object."""
        if receiver.made is None or function.name != "__init__":
            return self.frame(function)
        key = ("constructor", function)
        caller = receiver.made.frame
        memo = caller.memo.setdefault(("frames", receiver.made.node), {})
        if key not in memo:
            memo[key] = self.enter(FunctionSymbol(function, receiver), receiver.made)
        made: Frame = memo[key]
        return made

    def assigned_attributes(
        self, cls: Class
    ) -> dict[str, list[tuple[ast.expr, Function, ast.stmt]]]:
        """What methods of the class assign to `self.name`."""
        known = self._attributes.get(cls)
        if known is not None:
            return known
        known = self._attributes[cls] = {}
        for statement in cls.node.body:
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            method = cls.module.function(statement, cls, cls.parent)
            if method.self_name and _can_assign(method):
                _collect_assigned(statement.body, method, known)
        return known

    # calls

    def call_result(
        self, node: ast.Call, frame: Frame, statement: ast.stmt | None
    ) -> Iterable[Symbol]:
        """What a call gives."""
        place = Place(node, frame, statement)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self._super(frame)
        found: list[Symbol] = []
        for callee in self._resolve(node.func, frame, statement):
            found.extend(self._result(callee, place))
        return found

    def _super(self, frame: Frame) -> Iterable[Symbol]:
        function = frame.function
        while function is not None and function.owner is None:
            function = function.parent
        if function is None or function.owner is None:
            return ()
        for base in self.bases(function.owner)[1:]:
            if isinstance(base, ClassSymbol):
                return (Instance(base.cls),)
            return (base,)
        return ()

    def _result(self, callee: Symbol, place: Place) -> Iterable[Symbol]:
        node = place.node
        assert isinstance(node, ast.Call)
        if isinstance(callee, External):
            return self._outside_result(callee, place, node)
        if isinstance(callee, ClassSymbol):
            return (Instance(callee.cls, place),)
        if isinstance(callee, FunctionSymbol):
            given = self.knowledge.own_result(callee.function.qualified_name)
            if given is not None:
                return (External(given, made=place),)
            return self.returned(callee, place)
        if isinstance(callee, Instance):
            method = self._find_method(callee.cls, "__call__")
            if method is not None:
                return self.returned(FunctionSymbol(method, callee), place)
        return ()

    def _outside_result(self, callee: External, place: Place, node: ast.Call) -> Iterable[Symbol]:
        path = callee.path
        caller = self.knowledge.caller(path)
        if caller is not None and len(node.args) > caller.calls:
            inner = self._resolve(node.args[caller.calls], place.frame, place.statement)
            if caller.later:
                return [
                    replace(s, preset=place) if isinstance(s, FunctionSymbol | External) else s
                    for s in inner
                ]
            return [
                symbol
                for callee in inner
                if isinstance(callee, FunctionSymbol)
                for symbol in self.returned(callee, None)
            ]
        if path in ("functools.wraps", "typing.cast"):
            if path == "typing.cast" and len(node.args) == 2:
                return self._resolve(node.args[1], place.frame, place.statement) or tuple(
                    self.annotation(node.args[0], place.frame)
                )
            return (External(path),)
        if path == "functools.wraps" and node.args:
            return self._resolve(node.args[0], place.frame, place.statement)
        if self.knowledge.is_told_by_argument(path):
            text = self._first_text(node, place)
            if text is not None:
                path = f'{path}("{text}")'
        return (External(self.knowledge.given(path), made=place),)

    def _first_text(self, node: ast.Call, place: Place) -> str | None:
        values: list[ast.expr] = list(node.args[:1])
        if not values:
            values = [k.value for k in node.keywords if k.arg in ("service_name", "serviceName")]
        for value in values:
            for symbol in self._resolve(value, place.frame, place.statement):
                if isinstance(symbol, Constant) and isinstance(symbol.value, str):
                    text = symbol.value
                    return text if "." not in text and '"' not in text else None
        return None

    def _find_method(self, cls: Class, name: str) -> Function | None:
        for base in self.bases(cls):
            if isinstance(base, ClassSymbol):
                method = base.cls.method(name)
                if method is not None:
                    return method
        return None

    def method(self, cls: Class, name: str) -> Function | None:
        """The method that an object of the class runs under that name."""
        return self._find_method(cls, name)

    def enter(self, callee: FunctionSymbol, place: Place | None) -> Frame:
        """The frame of a call: parameters are bound to the call's arguments."""
        function = callee.function
        if place is None or not isinstance(place.node, ast.Call):
            if callee.receiver is None and callee.closure is None and callee.preset is None:
                return self.frame(function)
            return Frame(
                function.module,
                function,
                self._preset(callee, {}),
                callee.receiver,
                callee.closure,
            )
        memo = place.frame.memo.setdefault(("entered", place.node), {})
        key = (function.node, callee.receiver)
        made: Frame | None = memo.get(key)
        if made is None:
            arguments = self._bind_arguments(callee, place)
            made = memo[key] = Frame(
                function.module,
                function,
                self._preset(callee, arguments),
                callee.receiver,
                callee.closure,
                place,
                place.frame.depth + 1,
            )
            self._entered += (place.frame, made)
        return made

    def _preset(self, callee: FunctionSymbol, arguments: dict[str, Place]) -> dict[str, Place]:
        preset = callee.preset
        if preset is None or not isinstance(preset.node, ast.Call):
            return arguments
        names = [n for n in callee.function.positional if n != callee.function.self_name]
        filled = dict(zip(names, preset.node.args[1:], strict=False))
        filled.update({k.arg: k.value for k in preset.node.keywords if k.arg})
        shift = len(preset.node.args) - 1
        if shift and arguments:
            moved = {}
            for name, place in arguments.items():
                if name in names and names.index(name) + shift < len(names):
                    moved[names[names.index(name) + shift]] = place
                else:
                    moved[name] = place
            arguments = moved
        given = {
            name: Place(value, preset.frame, preset.statement) for name, value in filled.items()
        }
        return {**given, **arguments}

    def _bind_arguments(self, callee: FunctionSymbol, place: Place) -> dict[str, Place]:
        node = place.node
        assert isinstance(node, ast.Call)
        function = callee.function
        names = list(function.positional)
        if (callee.receiver is not None and function.self_name and names) or (
            function.name == "__init__" and names
        ):
            names = names[1:]
        bound: dict[str, Place] = {}
        values = list(node.args)
        caller = self._caller_of(place)
        if caller is not None:
            values = values[caller + 1 :]
        for name, value in zip(names, values, strict=False):
            if isinstance(value, ast.Starred):
                break
            bound[name] = Place(value, place.frame, place.statement)
        arguments = function.node.args
        if len(values) > len(names) and arguments.vararg is not None:
            rest = ast.Tuple(values[len(names) :], ast.Load())
            ast.copy_location(rest, values[len(names)])
            bound[arguments.vararg.arg] = Place(rest, place.frame, place.statement)
        known = {arg.arg for arg in function.parameters}
        loose: list[ast.keyword] = []
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg in known:
                bound[keyword.arg] = Place(keyword.value, place.frame, place.statement)
            elif keyword.arg is None:
                self._bind_mapping(keyword.value, known, place, bound)
                loose.append(keyword)
            else:
                loose.append(keyword)
        if arguments.kwarg is not None and loose:
            keys = [None if k.arg is None else ast.Constant(k.arg) for k in loose]
            for key, keyword in zip(keys, loose, strict=True):
                if key is not None:
                    ast.copy_location(key, keyword.value)
            mapping = ast.Dict(list(keys), [k.value for k in loose])
            ast.copy_location(mapping, node)
            bound[arguments.kwarg.arg] = Place(mapping, place.frame, place.statement)
        return bound

    def _bind_mapping(
        self, value: ast.expr, known: set[str], place: Place, bound: dict[str, Place]
    ) -> None:
        """`f(**{"a": x})` binds what is written down."""
        for symbol in self._resolve(value, place.frame, place.statement):
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.Dict):
                for key, inner in zip(symbol.node.keys, symbol.node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value in known:
                        where = symbol.place
                        bound.setdefault(str(key.value), Place(inner, where.frame, where.statement))

    def _caller_of(self, place: Place) -> int | None:
        """The position of the function in a call that calls it (`asyncio.to_thread(f, …)`)."""
        node = place.node
        assert isinstance(node, ast.Call)
        for symbol in self._resolve(node.func, place.frame, place.statement):
            if isinstance(symbol, External):
                caller = self.knowledge.caller(symbol.path)
                if caller is not None:
                    return caller.calls
        return None

    def returned(self, callee: FunctionSymbol, place: Place | None) -> Iterable[Symbol]:
        """What a function of the program gives: what it returns, else what it is annotated with.

        The answer is the same for all callers, unless it hangs on what they pass.
        """
        function = callee.function
        frame = self._plain_frame(callee)
        found = self._returned_in(function, frame)
        if place is not None and (
            any(isinstance(symbol, Parameter) and symbol.function is function for symbol in found)
            or (not found and self._is_made_from_argument(function, place))
            or any(_closes_over(symbol, frame) for symbol in found)
        ):
            inner = self.enter(callee, place)
            if inner.depth <= MAX_DEPTH and not is_recursive(inner):
                return self._returned_in(function, inner)
        return found

    def _is_made_from_argument(self, function: Function, place: Place) -> bool:
        """Whether a call hands an object to a parameter of which the function says no type."""
        call = place.node
        if not isinstance(call, ast.Call) or all(
            arg.annotation is not None or arg.arg == function.self_name
            for arg in function.parameters
        ):
            return False
        return any(
            isinstance(symbol, External | Instance)
            for value in (*call.args, *(keyword.value for keyword in call.keywords))
            if isinstance(value, ast.Name | ast.Attribute)
            for symbol in self._resolve(value, place.frame, place.statement)
        )

    def _plain_frame(self, callee: FunctionSymbol) -> Frame:
        """The frame of a function of which only the receiver is known."""
        if callee.preset is not None:
            return self.enter(callee, None)
        if callee.receiver is None and callee.closure is None:
            return self.frame(callee.function)
        memo = (callee.closure or self.frame(callee.function)).memo
        key = ("plain", callee.function.node, callee.receiver)
        made: Frame | None = memo.get(key)
        if made is None:
            made = memo[key] = self.enter(callee, None)
        return made

    def _returned_in(self, function: Function, frame: Frame) -> tuple[Symbol, ...]:
        key = "returned"
        if key in frame.memo:
            return frame.memo[key] or ()
        frame.memo[key] = None
        flow = self.flow(function)
        found: list[Symbol] = []
        for point in (*flow.returns, *flow.yields):
            if point.value is not None:
                found.extend(self._resolve(point.value, frame, point.statement))
        useful = [s for s in found if not isinstance(s, Constant | Parameter)]
        if not useful:
            found = [*self._annotated_result(function, frame), *found]
        frame.memo[key] = _unique(found)
        return frame.memo[key]  # type: ignore[no-any-return]

    def _annotated_result(self, function: Function, frame: Frame) -> Iterable[Symbol]:
        if isinstance(function.node, ast.Lambda) or function.node.returns is None:
            return ()
        return self.annotation(function.node.returns, self._definition_frame(frame))

    def entered(self, managers: tuple[Symbol, ...]) -> Iterable[Symbol]:
        """What `with manager as x` binds."""
        found: list[Symbol] = []
        for manager in managers:
            if isinstance(manager, Instance):
                for name in ("__enter__", "__aenter__"):
                    method = self._find_method(manager.cls, name)
                    if method is not None:
                        found.extend(self.returned(FunctionSymbol(method, manager), None))
                        break
                else:
                    found.append(manager)
            else:
                found.append(manager)
        return found

    # items and annotations

    def _item(
        self, node: ast.Subscript, frame: Frame, statement: ast.stmt | None
    ) -> Iterable[Symbol]:
        found: list[Symbol] = []
        key: object = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.slice, ast.Name | ast.Attribute):
            constants = [
                symbol.value
                for symbol in self._resolve(node.slice, frame, statement)
                if isinstance(symbol, Constant)
            ]
            key = constants[0] if len(constants) == 1 else None
        for base in self._resolve(node.value, frame, statement):
            if isinstance(base, External):
                path = f"{base.path}.[{key}]" if isinstance(key, str) else f"{base.path}.[]"
                alias = self.knowledge.alias(path)
                if alias == path and isinstance(key, str):
                    plain = self.knowledge.alias(f"{base.path}.[]")
                    alias = plain if plain != f"{base.path}.[]" else path
                found.append(External(alias, made=base.made))
            elif isinstance(base, Literal):
                found.extend(self._literal_item(base, key))
            elif isinstance(base, ClassSymbol):
                found.append(base)
        return found

    def _literal_item(self, base: Literal, key: object) -> Iterable[Symbol]:
        node, place = base.node, base.place
        if isinstance(node, ast.Dict):
            chosen = [
                value
                for item, value in zip(node.keys, node.values, strict=True)
                if item is not None
                and (key is None or (isinstance(item, ast.Constant) and item.value == key))
            ]
            return self._all(chosen, place.frame, place.statement)
        if isinstance(node, ast.List | ast.Tuple):
            if isinstance(key, int) and -len(node.elts) <= key < len(node.elts):
                return self._resolve(node.elts[key], place.frame, place.statement)
            if key is None:
                return self._all(node.elts, place.frame, place.statement)
        return ()

    def _round(
        self, node: ast.AST | None, key: int | None, frame: Frame, loop: ast.stmt | None
    ) -> Iterable[Symbol]:
        """What a loop over an expression binds in a round: an element, or the part `key` of it."""
        part = _part_of_entries(node, key)
        if part and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found: list[Symbol] = []
            for base in self._resolve(node.func.value, frame, loop):
                if isinstance(base, Literal) and isinstance(base.node, ast.Dict):
                    listed = base.node.values if part == "values" else base.node.keys
                    nodes = [entry for entry in listed if entry is not None]
                    found.extend(self._all(nodes, base.place.frame, base.place.statement))
            if found:
                return found
        elements = tuple(self._element(self._resolve(node, frame, loop), None))
        if key is None:
            return elements
        rest = [symbol for symbol in elements if not isinstance(symbol, Literal)]
        literals = tuple(symbol for symbol in elements if isinstance(symbol, Literal))
        return [*rest, *self._element(literals, key)]

    def _element(self, bases: tuple[Symbol, ...], key: int | None) -> Iterable[Symbol]:
        """What iterating or unpacking gives."""
        found: list[Symbol] = []
        for base in bases:
            if isinstance(base, External):
                path = f"{base.path}.[]"
                found.append(External(self.knowledge.alias(path), made=base.made))
            elif isinstance(base, Literal):
                found.extend(self._literal_item(base, key))
        return found

    def annotation(self, node: ast.expr | None, frame: Frame) -> Iterable[Symbol]:
        """The objects that an annotation allows; `None` and plain values are left out."""
        if node is None:
            return ()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                try:
                    parsed = ast.parse(node.value, mode="eval").body
                except (SyntaxError, ValueError):
                    return ()
                return self.annotation(ast.copy_location(parsed, node), frame)
            return ()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return [*self.annotation(node.left, frame), *self.annotation(node.right, frame)]
        if isinstance(node, ast.Subscript):
            return self._generic(node, frame)
        found: list[Symbol] = []
        for symbol in self._resolve(node, frame, None):
            if isinstance(symbol, ClassSymbol):
                found.append(Instance(symbol.cls))
            elif isinstance(symbol, External) and symbol.path in _TYPE_VARIABLES:
                found.extend(self._bound(symbol))
            elif isinstance(symbol, External) and symbol.path not in _UNTYPED:
                found.append(External(symbol.path, symbol.of))
            elif isinstance(symbol, Literal) and isinstance(symbol.node, ast.BinOp):
                found.extend(self.annotation(symbol.node, symbol.place.frame))
        return found

    def _bound(self, variable: External) -> Iterable[Symbol]:
        """The objects that a type variable stands for: those of its bound or its constraints."""
        made = variable.made
        if made is None or not isinstance(made.node, ast.Call):
            return ()
        bounds = [k.value for k in made.node.keywords if k.arg == "bound"]
        types = bounds or made.node.args[1:]
        return [symbol for node in types for symbol in self.annotation(node, made.frame)]

    def _generic(self, node: ast.Subscript, frame: Frame) -> Iterable[Symbol]:
        name = node.value.attr if isinstance(node.value, ast.Attribute) else ""
        if isinstance(node.value, ast.Name):
            name = node.value.id
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in _WRAPPERS:
            return self.annotation(arguments[0], frame)
        if name in _UNIONS:
            return [s for argument in arguments for s in self.annotation(argument, frame)]
        if name in _GENERATORS:
            return self.annotation(arguments[0], frame)
        if name in _CONTAINERS or name in ("dict", "Dict", "Mapping", "type", "Type", "Callable"):
            if name in ("type", "Type"):
                return [
                    ClassSymbol(s.cls) if isinstance(s, Instance) else s
                    for s in self.annotation(arguments[0], frame)
                ]
            return ()
        of = tuple(s for argument in arguments for s in list(self.annotation(argument, frame))[:1])
        found: list[Symbol] = []
        for symbol in self._resolve(node.value, frame, None):
            if isinstance(symbol, ClassSymbol):
                found.append(Instance(symbol.cls))
            elif isinstance(symbol, External):
                found.append(External(symbol.path, of))
        return found


def is_recursive(frame: Frame) -> bool:
    """Whether the function of a frame runs already on the way to it."""
    caller = frame.call.frame if frame.call is not None else None
    while caller is not None:
        if caller.function is frame.function:
            return True
        caller = caller.call.frame if caller.call is not None else None
    return False


def _part_of_entries(node: ast.AST | None, key: int | None) -> str:
    """Which half of the entries of a mapping a loop is about: `keys`, `values` or neither."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        if node.func.attr == "values" and key is None:
            return "values"
        if node.func.attr == "items" and key in (0, 1):
            return "values" if key else "keys"
    return ""


def _closes_over(symbol: Symbol, frame: Frame) -> bool:
    """Whether a function was defined by the call that gave it: it sees what that was passed."""
    return isinstance(symbol, FunctionSymbol) and symbol.closure is frame


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_builtin(symbol: Symbol, name: str) -> bool:
    return isinstance(symbol, External) and symbol.path == name and name in BUILTINS


def _is_plain_base(path: str) -> bool:
    """Bases whose attributes say nothing about effects."""
    top = path.partition(".")[0]
    return top in ("object", "abc", "typing", "enum", "Exception", "pydantic", "typing_extensions")


def _unique(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    if isinstance(symbols, tuple) and len(symbols) < 2:
        return symbols
    found: list[Symbol] = []
    for symbol in symbols:
        if symbol not in found:
            found.append(symbol)
            if len(found) >= MAX_SYMBOLS:
                break
    return tuple(found)


def _can_assign(method: Function) -> bool:
    """Whether a method assigns to an attribute of its object; its body is not parsed for that."""
    text = method.module.source.text
    start, end = method.span
    assigned, annotated = _assigns_to(method.self_name)
    return assigned.search(text, start, end) is not None or any(
        _BEGINS_STATEMENT.search(text, max(start, found.start() - _INDENT), found.start())
        for found in annotated.finditer(text, start, end)
    )


_INDENT = 200
"""Characters in which the row of a statement begins."""
_BEGINS_STATEMENT = re.compile(r"[\n;:(][ \t]*\Z")


@functools.cache
def _assigns_to(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    # a pattern that begins with a plain text is looked for fast
    attribute = rf"{re.escape(name)}\.\w+[ \t\\\r\n)]*"
    return re.compile(rf"{attribute}=(?!=)"), re.compile(rf"{attribute}:")


def _collect_assigned(
    body: Sequence[ast.stmt],
    method: Function,
    found: dict[str, list[tuple[ast.expr, Function, ast.stmt]]],
) -> None:
    for statement in body:
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign):
            targets, value = [statement.target], statement.value
            if value is None:
                value = ast.copy_location(ast.Constant(None), statement)
        for target in targets:
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id == method.self_name
                and value is not None
            ):
                found.setdefault(target.attr, []).append((value, method, statement))
        _collect_assigned(inner_statements(statement), method, found)


def _is_vaguer(value: ast.AST | None, symbols: Iterable[Symbol]) -> bool:
    """Whether an annotation says more than the value: that is read from an object of a library."""
    if isinstance(value, ast.Attribute | ast.Subscript):
        return all(isinstance(symbol, External | Parameter) for symbol in symbols)
    return not symbols

"""Containers that live as long as the process, and what a condition looks up in them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.flow import dotted_name, last_name
from idemlint.model.symbols import FunctionSymbol, Instance, ModuleSymbol, Place
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import Condition
    from idemlint.model.names import Names
    from idemlint.model.program import Class, Function, Module
    from idemlint.model.symbols import Frame

__all__ = ["Container", "Memory"]

_MAX_DEPTH = 4
_LITTLE = 300
"""How long, in characters, a function is that may only hand a question on."""
_ADDING = {"add", "append", "appendleft", "setdefault", "update", "insert", "__setitem__"}
_REMOVING = {"pop", "remove", "discard"}
_FACTORIES = {"default_factory", "factory"}


@dataclass(frozen=True, slots=True)
class Container:
    """A container of a module, or of a class (`owner`), by its name; `statement` makes it."""

    module: Module
    owner: Class | None
    name: str
    statement: ast.stmt

    @property
    def owner_name(self) -> str:
        """The name of its class, empty for one of a module."""
        return self.owner.name if self.owner is not None else ""


def _may_look_up(function: Function) -> bool:
    """A look at the text: whether a function looks something up, or only hands the question on."""
    text = function.module.source.text
    start, end = function.span
    return (
        end - start < _LITTLE
        or text.find(" in ", start, end) >= 0
        or text.find(".get(", start, end) >= 0
    )


class Memory:
    """Finds containers and how they are used."""

    def __init__(self, names: Names, knowledge: Knowledge, functions: frozenset[str]) -> None:
        self.names = names
        self.knowledge = knowledge
        self._functions = functions
        self._kept: dict[Container, bool] = {}

    # what a condition looks up

    def looked_up(self, condition: Condition, frame: Frame) -> Container | None:
        """The container whose content decides a condition."""
        if condition.kind != "test" or not isinstance(condition.node, ast.expr):
            return None
        return self._first(condition.node, frame, condition.statement, 0)

    def _first(
        self, node: ast.expr, frame: Frame, statement: ast.stmt | None, depth: int
    ) -> Container | None:
        """The first container that what an expression is made from looks up."""
        if depth > _MAX_DEPTH or frame.function is None:
            return None
        key = ("looks up", node)
        known: tuple[int, Container | None] = frame.memo.get(key, (_MAX_DEPTH + 1, None))
        # nothing from here is nothing from deeper down; what is found from there is found from here
        if known[0] != depth and (known[1] is None) is (depth < known[0]):
            frame.memo[key] = depth, None
            known = frame.memo[key] = depth, next(self._in(node, frame, statement, depth), None)
        return known[1]

    def _in(
        self, node: ast.expr, frame: Frame, statement: ast.stmt | None, depth: int
    ) -> Iterator[Container]:
        assert frame.function is not None
        flow = self.names.flow(frame.function)
        for inner in walk(node):
            found = None
            if isinstance(inner, ast.Compare):
                for operator, right in zip(inner.ops, inner.comparators, strict=True):
                    if isinstance(operator, ast.In | ast.NotIn):
                        yield from self.named(right, frame, statement)
            elif isinstance(inner, ast.Call):
                func = inner.func
                if isinstance(func, ast.Attribute) and func.attr in ("get", "__contains__"):
                    yield from self.named(func.value, frame, statement)
                found = self._in_callee(inner, frame, statement, depth)
            elif isinstance(inner, ast.Name):
                for definition in flow.definitions_at(statement, inner.id):
                    made = definition.node
                    if definition.kind == "value" and isinstance(made, ast.expr):
                        found = found or self._first(made, frame, definition.statement, depth + 1)
            if found is not None:
                yield found

    def _in_callee(
        self, call: ast.Call, frame: Frame, statement: ast.stmt | None, depth: int
    ) -> Container | None:
        """A function of the project that looks it up, and tells by what it returns."""
        func = call.func
        if frame.module.own_name(last_name(func)) not in self._functions:
            return None
        place = Place(call, frame, statement)
        for symbol in self.names.resolve(Place(call.func, frame, statement)):
            if not isinstance(symbol, FunctionSymbol) or not _may_look_up(symbol.function):
                continue
            inner = self.names.enter(symbol, place)
            for point in self.names.flow(symbol.function).returns:
                if point.value is None:
                    continue
                told = [(point.value, point.statement)]
                told += [
                    (condition.node, condition.statement)
                    for condition in point.conditions
                    if isinstance(condition.node, ast.expr)
                ]
                for node, where in told:
                    found = self._first(node, inner, where, depth + 1)
                    if found is not None:
                        return found
        return None

    # containers

    def named(
        self, node: ast.expr, frame: Frame, statement: ast.stmt | None
    ) -> Iterator[Container]:
        """The containers that an expression stands for."""
        for container in self._containers(node, frame, statement):
            if not self.knowledge.is_counter(f"{container.owner_name} {container.name}"):
                yield container

    def _containers(
        self, node: ast.expr, frame: Frame, statement: ast.stmt | None
    ) -> Iterator[Container]:
        if isinstance(node, ast.Name):
            if not self._is_local(node.id, frame):
                yield from self._of_module(node.id, frame.module, 0)
        elif isinstance(node, ast.Attribute):
            for symbol in self.names.resolve(Place(node.value, frame, statement)):
                if isinstance(symbol, ModuleSymbol):
                    yield from self._of_module(node.attr, symbol.module, 0)
                elif isinstance(symbol, Instance) or hasattr(symbol, "cls"):
                    yield from self._of_class(node.attr, symbol.cls)

    def _is_local(self, name: str, frame: Frame) -> bool:
        function = frame.function
        while function is not None:
            flow = self.names.flow(function)
            if name in flow.definitions and name not in flow.globals:
                return True
            function = function.parent
        return False

    def _of_module(self, name: str, module: Module, depth: int) -> Iterator[Container]:
        for binding in module.bindings(name):
            if binding.kind == "import" and depth < _MAX_DEPTH:
                yield from self._imported(binding.module, binding.member, module, depth)
            elif binding.kind == "value" and binding.statement is not None:
                frame = self.names.module_frame(module)
                if isinstance(binding.node, ast.expr) and self._is_empty(binding.node, frame):
                    yield Container(module, None, name, binding.statement)

    def _imported(
        self, source: str, member: str, module: Module, depth: int
    ) -> Iterator[Container]:
        if not member:
            return
        program = self.names.program
        if source.startswith("."):
            target = program.find_relative(source, module)
        else:
            target = program.find(source, module)
        if target is not None:
            yield from self._of_module(member, target, depth + 1)

    def _of_class(self, name: str, cls: Class) -> Iterator[Container]:
        for base in self.names.bases(cls):
            owner = getattr(base, "cls", None)
            if owner is None:
                continue
            for value, function, statement in self.names.assigned_attributes(owner).get(name, ()):
                if function.name == "__init__" and self._is_empty(
                    value, self.names.frame(function)
                ):
                    yield Container(owner.module, owner, name, statement)
                    return
            for binding in owner.members.get(name, ()):
                statement = binding.statement
                if statement is not None and isinstance(binding.node, ast.expr):
                    if self._is_empty(binding.node, self.names.module_frame(owner.module)):
                        yield Container(owner.module, owner, name, statement)
                        return

    def _is_empty(self, node: ast.expr, frame: Frame) -> bool:
        """Whether an expression makes a container with nothing in it."""
        if isinstance(node, ast.Dict):
            return not node.keys
        if isinstance(node, ast.List):
            return not node.elts
        if not isinstance(node, ast.Call):
            return False
        for keyword in node.keywords:
            if keyword.arg in _FACTORIES:
                return self._makes_container(keyword.value, frame)
        if any(
            isinstance(a, ast.Call | ast.Dict | ast.ListComp | ast.GeneratorExp) for a in node.args
        ):
            return False
        return self._makes_container(node.func, frame)

    def _makes_container(self, node: ast.expr, frame: Frame) -> bool:
        return any(
            path in self.knowledge.containers for path in self.names.paths(Place(node, frame))
        )

    # how a container is used

    def adds(self, function: Function, container: Container) -> bool:
        """Whether a function puts something into a container."""
        flow = self.names.flow(function)
        frame = self.names.frame(function)
        for mutation in flow.mutations:
            if mutation.name.rpartition(".")[2] == container.name and (
                mutation.kind == "item" or mutation.kind in _ADDING
            ):
                return True
        return any(
            event.name in _ADDING
            and isinstance(event.node.func, ast.Attribute)
            and container in self._containers(event.node.func.value, frame, event.statement)
            for event in flow.calls
        )

    def keeps(self, container: Container) -> bool:
        """Whether keys stay in a container: what is taken out by its key again is no memory.

        Taking out what is too old, or what has just failed, is no such thing.
        """
        known = self._kept.get(container)
        if known is None:
            known = self._kept[container] = not any(
                self._takes_out(function, container) for function in self._users(container)
            )
        return known

    def _users(self, container: Container) -> Iterator[Function]:
        if container.owner is not None:
            yield from container.owner.methods()
            return
        for chunk in list(container.module.index.chunks):
            text = container.module.source.text
            if text.find(container.name, chunk.start, chunk.end) >= 0:
                yield from container.module.functions_of(chunk)

    def _takes_out(self, function: Function, container: Container) -> bool:
        given = {arg.arg for arg in function.parameters}
        for statement, is_handled in _with_handlers(function.body, handled=False):
            if is_handled:
                continue
            for key in _removed(statement, container.name):
                if isinstance(key, ast.Name) and key.id in given:
                    return True
        return False


def _with_handlers(body: list[ast.stmt], *, handled: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The simple statements of a body, and whether each stands in a handler or a loop."""
    for statement in body:
        yield statement, handled
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        inner = handled or isinstance(statement, ast.For | ast.AsyncFor | ast.While)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(statement, name, None)
            if isinstance(block, list):
                yield from _with_handlers(block, handled=inner)
        for handler in getattr(statement, "handlers", ()):
            yield from _with_handlers(handler.body, handled=True)
        for case in getattr(statement, "cases", ()):
            yield from _with_handlers(case.body, handled=inner)


def _removed(statement: ast.stmt, name: str) -> Iterator[ast.expr]:
    """The keys that a statement takes out of what has this last name."""
    if isinstance(statement, ast.Delete):
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and _last(target.value) == name:
                yield target.slice
        return
    if isinstance(statement, ast.Expr | ast.Assign | ast.Return | ast.AnnAssign):
        for node in walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _REMOVING and node.args and _last(node.func.value) == name:
                    yield node.args[0]


def _last(node: ast.expr) -> str:
    return dotted_name(node).rpartition(".")[2]

"""What runs again without a new call: retry loops, retry decorators, helpers that repeat a callable."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import argument
from idemlint.model.program import inner_statements
from idemlint.model.symbols import External, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import CallEvent, Flow
    from idemlint.model.guards import Guards
    from idemlint.model.names import Names
    from idemlint.model.program import Function
    from idemlint.model.symbols import Frame

__all__ = ["Retries", "Retrying"]

_COUNTERS = {"range", "count", "itertools.count", "itertools.repeat", "trange", "tqdm"}
_REFUSED = {
    "ConnectError", "ConnectTimeout", "ConnectionRefusedError", "RateLimitError", "RateLimitExceeded",
    "TooManyRequests", "ThrottlingException", "NewConnectionError", "PoolTimeout", "NameResolutionError",
    "ConnectTimeoutError", "gaierror",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Retrying:
    """What runs a piece of code again: a loop (`statement`), a decorator or call (`row`, `node`)."""

    node: ast.AST
    words: str
    statement: ast.stmt | None = None
    row: rows.Retry | None = None


class Retries:
    """Finds what is retried."""

    def __init__(self, names: Names, guards: Guards, knowledge: Knowledge) -> None:
        self.names = names
        self.guards = guards
        self.knowledge = knowledge

    def decorator(self, function: Function) -> Retrying | None:
        """The retry decorator of a function, unless it is switched off or repeats only refusals."""
        if not function.decorators:
            return None
        frame = (
            self.names.frame(function.parent)
            if function.parent
            else self.names.module_frame(function.module)
        )
        for decorator in function.decorators:
            call = decorator if isinstance(decorator, ast.Call) else None
            target = call.func if call is not None else decorator
            for path in self.names.paths(Place(target, frame)):
                for row in self.knowledge.retries(path):
                    if row.kind != "decorator":
                        continue
                    if call is not None and self._is_off(row, call, frame):
                        continue
                    name = ast.unparse(target)
                    return Retrying(decorator, f"`@{name}`", row=row)
        return None

    def _is_off(self, row: rows.Retry, call: ast.Call, frame: Frame) -> bool:
        given = {k.arg: ast.unparse(k.value) for k in call.keywords if k.arg}
        for off in row.off_with:
            name, _, value = off.partition("=")
            if name in given and given[name].endswith(value):
                return True
        filtered = argument(call, row.filter) if row.filter else None
        return filtered is not None and self._only_refusals(filtered)

    def _only_refusals(self, node: ast.expr) -> bool:
        """Whether a filter names only errors that prove that nothing happened."""
        if isinstance(node, ast.Call):
            return bool(node.args) and all(self._only_refusals(arg) for arg in node.args)
        listed = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        names = [
            n.attr if isinstance(n, ast.Attribute) else n.id if isinstance(n, ast.Name) else ""
            for n in listed
        ]
        return bool(names) and all(name in _REFUSED for name in names)

    def loop(self, event: CallEvent, frame: Frame) -> Retrying | None:
        """The innermost loop that sends the call of `event` again when it failed."""
        function = frame.function
        assert function is not None
        flow = self.names.flow(function)
        for statement in reversed(event.loops):
            if self._is_retry_loop(statement, event, frame, flow):
                kind = "the loop"
                return Retrying(statement, f"{kind} in `{function.name}`", statement=statement)
        return None

    def _is_retry_loop(self, loop: ast.stmt, event: CallEvent, frame: Frame, flow: Flow) -> bool:
        if isinstance(loop, ast.For | ast.AsyncFor):
            iterated = self._iterated(loop, frame)
            if iterated == "retry":
                return True
            if iterated == "data":
                return False
            if self._uses(event.node, loop.target):
                return False
        if not self._leaves_on_success(loop, event, flow):
            return False
        around = [t for t in event.tries if _contains(loop, t)]
        for statement in around:
            for handler in statement.handlers:
                if _goes_round(handler.body) and not self._refuses(handler):
                    return True
        return self._status_decides(loop, event, frame, flow)

    def _iterated(self, loop: ast.For | ast.AsyncFor, frame: Frame) -> str:
        """What a loop goes over: attempts, a retry library's iterator, or data."""
        node = loop.iter
        if isinstance(node, ast.Call):
            for symbol in self.names.resolve(Place(node.func, frame, loop)):
                if isinstance(symbol, External):
                    if any(row.kind == "iterator" for row in self.knowledge.retries(symbol.path)):
                        return "retry"
                    if symbol.path in _COUNTERS:
                        return "attempts"
                    if symbol.path == "enumerate" and node.args:
                        return self._delays(node.args[0], frame, loop)
            return "data"
        for symbol in self.names.resolve(Place(node, frame, loop)):
            if isinstance(symbol, External) and any(
                row.kind == "iterator" for row in self.knowledge.retries(symbol.path)
            ):
                return "retry"
        return self._delays(node, frame, loop)

    def _delays(self, node: ast.expr, frame: Frame, loop: ast.stmt) -> str:
        """A tuple of numbers is a list of delays."""
        if isinstance(node, ast.Tuple | ast.List) and node.elts:
            if all(
                isinstance(e, ast.Constant) and isinstance(e.value, int | float) for e in node.elts
            ):
                return "attempts"
        if isinstance(node, ast.Name) and any(
            word in node.id.lower() for word in ("delay", "backoff", "attempt", "retr", "wait")
        ):
            return "attempts"
        return "data"

    def _uses(self, call: ast.Call, target: ast.expr) -> bool:
        """Whether what is sent depends on the loop's variable."""
        names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        return any(
            isinstance(node, ast.Name) and node.id in names
            for value in values
            for node in ast.walk(value)
        )

    def _leaves_on_success(self, loop: ast.stmt, event: CallEvent, flow: Flow) -> bool:
        """Whether a return or break follows the call inside of the loop."""
        bit = 1 << event.index
        for point in flow.returns:
            if _contains(loop, point.statement) and point.before & bit:
                return True
            if point.statement is event.statement:
                return True
        for node in _statements(loop):
            if isinstance(node, ast.Break) and flow.before.get(node, 0) & bit:
                return True
        return isinstance(loop, ast.While) and not (
            isinstance(loop.test, ast.Constant) and bool(loop.test.value)
        )

    def _refuses(self, handler: ast.ExceptHandler) -> bool:
        return handler.type is not None and self._only_refusals(handler.type)

    def _status_decides(self, loop: ast.stmt, event: CallEvent, frame: Frame, flow: Flow) -> bool:
        """`if answer.status_code < 500: return` sends again for the other answers."""
        leaving: list[ast.stmt] = [
            point.statement for point in flow.returns if _contains(loop, point.statement)
        ]
        leaving += [
            node for node in _statements(loop) if isinstance(node, ast.Break | ast.Continue)
        ]
        for statement in leaving:
            for condition in flow.conditions.get(statement, ()):
                if condition.kind != "test" or not isinstance(condition.node, ast.expr):
                    continue
                text = ast.unparse(condition.node)
                if "status" not in text and ".ok" not in text and "is_success" not in text:
                    continue
                if "429" in text and "5" not in text.replace("429", ""):
                    continue
                if any(
                    source.deed.place.node is event.node
                    for source in self.guards.sources(condition, frame)
                ):
                    return True
        return False


def _statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    for inner in inner_statements(statement):
        yield inner
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _statements(inner)


def _contains(outer: ast.stmt, inner: ast.stmt) -> bool:
    return any(statement is inner for statement in _statements(outer))


def _goes_round(body: list[ast.stmt]) -> bool:
    """Whether a handler can lead to the next round of the loop around it."""
    for statement in body:
        if isinstance(statement, ast.Return | ast.Raise | ast.Break):
            return False
        if isinstance(statement, ast.Continue):
            return True
        if isinstance(statement, ast.If) and statement.orelse:
            if not _goes_round(statement.body) and not _goes_round(statement.orelse):
                return False
    return True

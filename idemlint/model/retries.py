"""What runs again without a new call: retry loops, retry decorators, helpers that repeat a callable."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.arguments import given, says
from idemlint.model.flow import last_name
from idemlint.model.functions import all_statements
from idemlint.model.recursions import Recursions
from idemlint.model.refusals import Refusals
from idemlint.model.symbols import External, FunctionSymbol, Place
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import CallEvent, Flow
    from idemlint.model.guards import Guards
    from idemlint.model.names import Names
    from idemlint.model.program import Function
    from idemlint.model.symbols import Frame, Symbol

__all__ = ["Retries", "Retrying", "functions_in"]

_MAX_DEFINITIONS = 4


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
        self.refusals = Refusals(names, knowledge)
        self.recursions = Recursions(names, guards, self.refusals)

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
            for symbol in self.names.resolve(Place(target, frame)):
                found = self._by_decorator(symbol, decorator, call, frame)
                if found is not None:
                    return found
        return None

    def _by_decorator(
        self, symbol: Symbol, decorator: ast.expr, call: ast.Call | None, frame: Frame
    ) -> Retrying | None:
        target = call.func if call is not None else decorator
        words = f"`@{ast.unparse(target)}`"
        for path in self.names.paths_of(symbol):
            for row in self.knowledge.retries(path):
                if row.kind in ("decorator", "iterator") and not (
                    call is not None and self.is_off(row, Place(call, frame))
                ):
                    return Retrying(decorator, words, row=row)
        if isinstance(symbol, FunctionSymbol):
            if self.repeated(symbol.function) is not None:
                return Retrying(decorator, words)
        elif isinstance(symbol, External) and symbol.made is not None:
            # `again = retry(stop=…)`, then `@again`
            made = symbol.made.node
            if call is None and isinstance(made, ast.Call):
                for path in self.names.paths(Place(made.func, symbol.made.frame)):
                    for row in self.knowledge.retries(path):
                        if row.kind == "decorator" and not self.is_off(row, symbol.made):
                            return Retrying(decorator, words, row=row)
        return None

    def is_off(self, row: rows.Retry, made: Place) -> bool:
        """Whether the arguments of a call say, or can say, that nothing is run again."""
        for off in row.off_with:
            name, _, text = off.partition("=")
            found = given(self.guards.values, made, (name,))
            if found.is_open or any(says(self.names, value, text) for value in found.places):
                return True
        filters = given(self.guards.values, made, row.filter).places if row.filter else ()
        return any(self._only_refusals(place.node, place.frame) for place in filters)

    def _only_refusals(self, node: ast.expr, frame: Frame) -> bool:
        """Whether a filter names only errors that prove that nothing happened."""
        if isinstance(node, ast.Call):
            if node.args and all(self._only_refusals(arg, frame) for arg in node.args):
                return True
            return bool(node.args) and all(self.refusals.predicate(a, frame) for a in node.args)
        listed = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        return bool(listed) and all(
            self.refusals.error(item, frame) or self.refusals.predicate(item, frame)
            for item in listed
        )

    def again(self, event: CallEvent, frame: Frame) -> Retrying | None:
        """What sends the call of `event` again when it failed: a loop, its function once more."""
        found = self.loop(event, frame)
        if found is None:
            call = self.recursions.of(event, frame)
            if call is not None:
                assert frame.function is not None
                found = Retrying(call, f"`{frame.function.name}` that calls itself")
        return found

    # loops

    def loop(self, event: CallEvent, frame: Frame) -> Retrying | None:
        """The innermost loop that sends the call of `event` again when it failed."""
        function = frame.function
        assert function is not None
        if not event.loops:
            return None
        key = ("retry loop", event.node)
        if key not in frame.memo:
            flow = self.names.flow(function)
            found = None
            for statement in reversed(event.loops):
                if self._is_retry_loop(statement, event, frame, flow):
                    words = f"the loop in `{function.name}`"
                    found = Retrying(statement, words, statement=statement)
                    break
            frame.memo[key] = found
        retrying: Retrying | None = frame.memo[key]
        return retrying

    def _is_retry_loop(self, loop: ast.stmt, event: CallEvent, frame: Frame, flow: Flow) -> bool:
        iterated = ""
        if isinstance(loop, ast.For | ast.AsyncFor):
            iterated = self._iterated(loop, frame)
            if iterated == "retry":
                return True
            if iterated == "data" or self._uses(event.node, loop.target):
                return False
            if self._depends_on_method(loop.iter, frame, loop, 0):
                return False
        if not self._leaves_on_success(loop, event, flow):
            return False
        if self._sends_something_else(loop, event, frame, flow):
            return False
        inside = flow.inside(loop)
        around = [t for t in event.tries if t in inside]
        for statement in around:
            for handler in statement.handlers:
                if self._resends(handler, statement, loop, frame):
                    return True
        return self._outcome_decides(loop, event, frame, flow, counts=iterated == "attempts")

    def _iterated(self, loop: ast.For | ast.AsyncFor, frame: Frame) -> str:
        """What a loop goes over: attempts, a retry library's iterator, or data."""
        key = ("iterated", loop)
        if key not in frame.memo:
            frame.memo[key] = self._kind_of_rounds(loop, frame)
        found: str = frame.memo[key]
        return found

    def _kind_of_rounds(self, loop: ast.For | ast.AsyncFor, frame: Frame) -> str:
        node = loop.iter
        if isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr not in self.knowledge.rounds:
                return "data"
            for symbol in self.names.resolve(Place(func, frame, loop)):
                if isinstance(symbol, External):
                    for row in self.knowledge.retries(symbol.path):
                        if row.kind == "iterator":
                            return "data" if self.is_off(row, Place(node, frame, loop)) else "retry"
                    if symbol.path in self.knowledge.counters:
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
        if (
            isinstance(node, ast.Tuple | ast.List)
            and node.elts
            and all(
                isinstance(e, ast.Constant) and isinstance(e.value, int | float) for e in node.elts
            )
        ):
            return "attempts"
        name = node.attr if isinstance(node, ast.Attribute) else ""
        if isinstance(node, ast.Name):
            name = node.id
        return (
            "attempts"
            if any(word in name.lower() for word in self.knowledge.repeats["names"])
            else "data"
        )

    def _uses(self, call: ast.Call, target: ast.expr) -> bool:
        """Whether what is sent depends on the loop's variable."""
        names = {node.id for node in walk(target) if isinstance(node, ast.Name)}
        return any(name in names for name in _loaded(call))

    def _depends_on_method(
        self, node: ast.expr, frame: Frame, statement: ast.stmt, depth: int
    ) -> bool:
        """Whether the number of attempts depends on something, such as the method."""
        assert frame.function is not None
        flow = self.names.flow(frame.function)
        for inner in walk(node):
            if isinstance(inner, ast.IfExp):
                return True
            if isinstance(inner, ast.Name) and depth < _MAX_DEFINITIONS:
                for found in flow.definitions_at(statement, inner.id):
                    if found.kind == "value" and isinstance(found.node, ast.expr):
                        if found.statement is not None and self._depends_on_method(
                            found.node, frame, found.statement, depth + 1
                        ):
                            return True
        return False

    def _leaves_on_success(self, loop: ast.stmt, event: CallEvent, flow: Flow) -> bool:
        """Whether a return or break follows the call in its round of the loop."""
        bit = 1 << event.index
        for statement in flow.inside(loop):
            if not isinstance(statement, ast.Return | ast.Break):
                continue
            if statement is not event.statement and not (
                flow.before.get(statement, 0) & bit and _follows(statement, event.node)
            ):
                continue
            if not self._asks_to_stop(statement, loop, flow) and not any(
                statement is outer or statement in flow.inside(outer)
                for tried in event.tries
                for handler in tried.handlers
                for outer in handler.body
            ):
                return True
        return isinstance(loop, ast.While) and self._ends_by_flag(loop, event, flow)

    def _asks_to_stop(self, statement: ast.stmt, loop: ast.stmt, flow: Flow) -> bool:
        """Whether a service leaves its loop here since it was told to, whatever became of a call.

        `if self._stop.is_set(): break`, or the test of the loop once more.
        """
        inside = flow.inside(loop)
        test = ast.unparse(loop.test) if isinstance(loop, ast.While) else ""
        for condition in flow.conditions.get(statement, ()):
            node = condition.node
            if condition.kind != "test" or condition.statement not in inside:
                continue
            for asked in (node, *_given_to(node, condition.statement, flow)):
                if any(self.knowledge.is_stop(last_name(inner)) for inner in walk(asked)):
                    return True
                if test in (ast.unparse(asked), f"not {ast.unparse(asked)}"):
                    return True
        return False

    def _ends_by_flag(self, loop: ast.While, event: CallEvent, flow: Flow) -> bool:
        """`while not sent:` whose flag is set behind the call."""
        names = {node.id for node in walk(loop.test) if isinstance(node, ast.Name)}
        for statement in flow.inside(loop):
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
                if (
                    isinstance(statement.value.value, bool)
                    and any(isinstance(t, ast.Name) and t.id in names for t in statement.targets)
                    and flow.before.get(statement, 0) >> event.index & 1
                    and _follows(statement, event.node)
                ):
                    return True
        return False

    def _sends_something_else(
        self, loop: ast.stmt, event: CallEvent, frame: Frame, flow: Flow
    ) -> bool:
        """Whether each round of a loop sends what it has just taken from somewhere."""
        inside = flow.inside(loop)
        seen: set[str] = set()
        waiting = list(_loaded(event.node))
        counts = isinstance(loop, ast.For | ast.AsyncFor)
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for found in flow.definitions_at(event.statement, name):
                if found.statement not in inside or not isinstance(found.node, ast.expr):
                    continue
                if found.kind == "item":
                    return True
                if found.kind == "augmented" and not counts:
                    return True
                if not counts and any(
                    isinstance(n, ast.Call | ast.Await) and not self._is_building(n, frame)
                    for n in walk(found.node)
                ):
                    return True
                waiting += [n.id for n in walk(found.node) if isinstance(n, ast.Name)]
        return False

    def _resends(
        self, handler: ast.ExceptHandler, statement: ast.Try, loop: ast.stmt, frame: Frame
    ) -> bool:
        """Whether a handler leads to the next round, for more than what proves a refusal."""
        assert frame.function is not None
        if handler.type is not None and self._only_refusals(handler.type, frame):
            return False
        rounds, falling = self.refusals.way(handler.body, frame, statement)
        if rounds:
            return True
        for block in _behind(statement, loop, self.names.flow(frame.function).inside(loop)):
            if not falling:
                return False
            rounds, falling = self.refusals.way(block, frame, statement, start=falling)
            if rounds:
                return True
        return False in falling

    def _outcome_decides(
        self, loop: ast.stmt, event: CallEvent, frame: Frame, flow: Flow, *, counts: bool
    ) -> bool:
        """`if answer.status_code < 500: return` sends again for the other answers."""
        inside = flow.inside(loop)
        for statement in inside:
            if not isinstance(statement, ast.Return | ast.Break | ast.Continue):
                continue
            again = isinstance(statement, ast.Continue)
            if not again and not _follows(statement, event.node):
                continue
            conditions = [
                condition
                for condition in flow.conditions.get(statement, ())
                if condition.kind == "test" and isinstance(condition.node, ast.expr)
                and (condition.statement is statement or condition.statement in inside)
            ]  # fmt: skip
            decided = [
                condition
                for condition in conditions
                if self._tells_outcome(condition.node, counts=counts)
                and any(s.top.event is event for s in self.guards.sources(condition, frame))
            ]
            if not decided:
                continue
            if again:
                if not any(self.refusals.test(c.node, c.holds, frame) for c in conditions):  # type: ignore[arg-type]
                    return True
            elif not any(self.refusals.test(c.node, not c.holds, frame) for c in decided):  # type: ignore[arg-type]
                return True
        return False

    def _tells_outcome(self, node: ast.AST, *, counts: bool) -> bool:
        if self.refusals.looks_at_outcome(node):
            return True
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        if isinstance(node, ast.Await):
            node = node.value
        return counts and isinstance(node, ast.Name | ast.Call)

    # functions that repeat what they are given

    def repeated(self, function: Function) -> Retrying | None:
        """What makes a function, or one inside of it, call a parameter again."""
        memo = self.names.frame(function).memo
        if "repeats" not in memo:
            memo["repeats"] = None
            memo["repeats"] = self._repeated(function)
        found: Retrying | None = memo["repeats"]
        return found

    def _is_building(self, node: ast.Call | ast.Await, frame: Frame) -> bool:
        """Whether a call only builds what is sent: headers, a body, a text, a key."""
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call):
            return True
        func = call.func
        name = last_name(func)
        if any(word in name.lower() for word in self.knowledge.repeats["building"]):
            return True
        paths = self.names.paths(Place(func, frame))
        return any(self.knowledge.value(path) is not None for path in paths)

    def _repeated(self, function: Function) -> Retrying | None:
        given: set[str] = set()
        for inner in functions_in(function):
            given |= {arg.arg for arg in inner.parameters if arg.arg != inner.self_name}
            frame = self.names.frame(inner)
            decorated = self.decorator(inner)
            for event in self.names.flow(inner).calls:
                if not self._calls_one_of(event.node, given):
                    continue
                found = decorated or self.again(event, frame)
                if found is not None:
                    return found
        return None

    def _calls_one_of(self, call: ast.Call, names: set[str]) -> bool:
        """`f(…)`, and calls that call the function they are given (`to_thread(f, …)`)."""
        if isinstance(call.func, ast.Name):
            return call.func.id in names
        return any(isinstance(a, ast.Name) and a.id in names for a in call.args[:2])


def functions_in(function: Function) -> Iterator[Function]:
    """A function and those that are defined inside of it, the outer ones first."""
    yield function
    for statement in all_statements(function.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from functions_in(function.module.function(statement, None, function))


def _given_to(node: ast.AST, statement: ast.stmt, flow: Flow) -> Iterator[ast.AST]:
    """What a name was given, where a statement asks for it or for its opposite."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Name):
        for found in flow.definitions_at(statement, node.id):
            if found.kind == "value" and found.node is not None:
                yield found.node


def _follows(statement: ast.stmt, call: ast.Call) -> bool:
    return statement.lineno >= call.lineno


def _loaded(call: ast.Call) -> Iterator[str]:
    """The names that the arguments of a call are made of."""
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        for node in walk(value):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id


def _behind(
    statement: ast.stmt, loop: ast.stmt, inside: Mapping[ast.stmt, None]
) -> Iterator[list[ast.stmt]]:
    """The statements that run after one in its round of a loop: of its block, then of those around."""
    inner: ast.stmt = statement
    while inner is not loop:
        outer = _around(inner, (loop, *inside))
        if outer is None:
            return
        parent, block = outer
        position = next(n for n, s in enumerate(block) if s is inner)
        yield block[position + 1 :]
        inner = parent


def _around(
    statement: ast.stmt, among: Iterable[ast.stmt]
) -> tuple[ast.stmt, list[ast.stmt]] | None:
    for outer in among:
        for block in _blocks(outer):
            if any(inner is statement for inner in block):
                return outer, block
    return None


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body

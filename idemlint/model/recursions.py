"""A function that calls itself once more when what it did has failed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.flow import dotted_name
from idemlint.model.symbols import FunctionSymbol, Place
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.flow import CallEvent
    from idemlint.model.guards import Guards
    from idemlint.model.names import Names
    from idemlint.model.program import Function
    from idemlint.model.refusals import Refusals
    from idemlint.model.symbols import Frame

__all__ = ["Recursions"]


class Recursions:
    """Finds the calls by which a function runs again for the same arguments."""

    def __init__(self, names: Names, guards: Guards, refusals: Refusals) -> None:
        self.names = names
        self.guards = guards
        self.refusals = refusals

    def of(self, event: CallEvent, frame: Frame) -> ast.Call | None:
        """The call that starts the function anew since the call of `event` failed."""
        function = frame.function
        assert function is not None
        for again, changed in self._calls(function, frame):
            if again is event or not again.before >> event.index & 1:
                continue
            if self._sent(event, function).isdisjoint(changed) and self._follows_failure(
                again, event, frame
            ):
                return again.node
        return None

    def _sent(self, event: CallEvent, function: Function) -> set[str]:
        """The names that a call is made of, and those that these are made of."""
        flow = self.names.flow(function)
        found: set[str] = set()
        waiting: list[ast.AST] = [event.node]
        while waiting:
            for node in walk(waiting.pop()):
                if isinstance(node, ast.Name) and node.id not in found:
                    found.add(node.id)
                    waiting += [
                        definition.node
                        for definition in flow.definitions_at(event.statement, node.id)
                        if definition.kind in ("value", "item") and definition.node is not None
                    ]
        return found

    def _calls(self, function: Function, frame: Frame) -> list[tuple[CallEvent, set[str]]]:
        """The calls of a function to itself that hand on what it was given, with what they change."""
        found: list[tuple[CallEvent, set[str]]] | None = frame.memo.get("calls itself")
        if found is None:
            found = frame.memo["calls itself"] = []
            for event in self.names.flow(function).calls:
                if event.name == function.name and self._is_itself(event, function, frame):
                    given = dict(_given(event.node, function))
                    changed = {name for name, value in given.items() if dotted_name(value) != name}
                    if len(changed) < len(given) and all(_counts(given[n], n) for n in changed):
                        found.append((event, changed))
        return found

    def _is_itself(self, event: CallEvent, function: Function, frame: Frame) -> bool:
        func = event.node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            if func.value.id == function.self_name:
                return True
        return any(
            isinstance(symbol, FunctionSymbol) and symbol.function is function
            for symbol in self.names.resolve(Place(func, frame, event.statement))
        )

    def _follows_failure(self, again: CallEvent, event: CallEvent, frame: Frame) -> bool:
        """Whether a call stands where another has failed, for more than what proves a refusal."""
        failed = False
        for condition in again.conditions:
            node = condition.node
            if condition.kind == "except" and isinstance(node, ast.ExceptHandler):
                if condition.statement not in event.tries:
                    continue
                if node.type is not None and self._is_refusal(node.type, frame):
                    return False
                failed = True
            elif condition.kind == "test" and isinstance(node, ast.expr):
                if self.refusals.test(node, condition.holds, frame):
                    return False
                failed = failed or (
                    self.refusals.looks_at_outcome(node)
                    and any(s.top.event is event for s in self.guards.sources(condition, frame))
                )
        return failed

    def _is_refusal(self, node: ast.expr, frame: Frame) -> bool:
        listed = node.elts if isinstance(node, ast.Tuple) else [node]
        return all(self.refusals.error(item, frame) for item in listed)


def _given(call: ast.Call, function: Function) -> Iterator[tuple[str, ast.expr]]:
    """What a call hands to each parameter of a function; `*args` and `**kwargs` by their own names."""
    arguments = function.node.args
    names = [arg.arg for arg in function.parameters if arg.arg != function.self_name]
    for position, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            yield arguments.vararg.arg if arguments.vararg is not None else "*", value.value
        elif position < len(names):
            yield names[position], value
    for keyword in call.keywords:
        if keyword.arg is None:
            yield arguments.kwarg.arg if arguments.kwarg is not None else "**", keyword.value
        else:
            yield keyword.arg, keyword.value


def _counts(value: ast.expr, name: str) -> bool:
    """Whether an argument only counts the runs: `3`, `False`, `attempt + 1`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        return dotted_name(value.left) == name and isinstance(value.right, ast.Constant)
    return isinstance(value, ast.Constant)

"""Errors and answers which prove that nothing happened, so that sending again is no repeat."""

from __future__ import annotations

import ast
import builtins
import functools
import re
from typing import TYPE_CHECKING

from idemlint.model.flow import last_name
from idemlint.model.symbols import External, FunctionSymbol, Literal, Place
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.names import Names
    from idemlint.model.symbols import Frame

__all__ = ["Refusals"]

_INVERTING = (ast.NotEq, ast.NotIn, ast.IsNot)
_FIRST_STATUS, _LAST_STATUS = 100, 600


class Refusals:
    """Reads handlers and conditions by the `refusals` lists of the rows."""

    def __init__(self, names: Names, knowledge: Knowledge) -> None:
        self.names = names
        self.knowledge = knowledge

    @functools.cached_property
    def _errors(self) -> frozenset[str]:
        return frozenset(self.knowledge.refusals["errors"])

    @functools.cached_property
    def _broad(self) -> frozenset[str]:
        return frozenset(self.knowledge.refusals["broad"])

    @functools.cached_property
    def _statuses(self) -> frozenset[int]:
        return frozenset(map(int, self.knowledge.refusals["statuses"]))

    @functools.cached_property
    def _words(self) -> re.Pattern[str]:
        """What names and texts of refusals hold, or those of what may be sent again."""
        words = (*self.knowledge.refusals["words"], *self.knowledge.refusals["harmless"])
        return re.compile("|".join(words), re.IGNORECASE)

    @functools.cached_property
    def _doubts(self) -> re.Pattern[str]:
        return re.compile("|".join(self.knowledge.refusals["doubts"]), re.IGNORECASE)

    def error(self, node: ast.expr, frame: Frame) -> bool:
        """Whether a class of errors says that nothing was done."""
        name = frame.module.own_name(last_name(node))
        if name in self._errors or (name and self._words.search(name) is not None):
            return True
        for path in self.names.paths(Place(node, frame)):
            if path in self._errors:
                return True
            if self.knowledge.violation_stores(path) and not self._is_broad(path):
                return True
        for symbol in self.names.resolve(Place(node, frame)):
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.Tuple | ast.List):
                elements = symbol.node.elts
                return bool(elements) and all(self.error(e, symbol.place.frame) for e in elements)
        return False

    def _is_broad(self, path: str) -> bool:
        """Whether a class of errors also stands for a connection that was lost."""
        return path.rpartition(".")[2] in self._broad or _is_of_connections(path)

    def predicate(self, node: ast.expr, frame: Frame) -> bool:
        """Whether a function that decides about a repeat only looks for refusals."""
        for symbol in self.names.resolve(Place(node, frame)):
            if isinstance(symbol, FunctionSymbol):
                return self._only_refusals(symbol)
        name = frame.module.own_name(last_name(node))
        return bool(name) and self._words.search(name) is not None

    def _only_refusals(self, symbol: FunctionSymbol) -> bool:
        function = symbol.function
        code = ast.unparse(ast.Module([*function.body], []))
        code = code.replace(function.docstring, "") if function.docstring else code
        statuses = {int(text) for text in re.findall(r"\b[1-5]\d\d\b", code)}
        if statuses - self._statuses or self._doubts.search(code):
            return False
        return bool(statuses) or self._words.search(f"{function.name} {code}") is not None

    # conditions

    def looks_at_outcome(self, node: ast.AST) -> bool:
        """Whether a condition looks at what tells if an answer is one of failure."""
        outcomes = self.knowledge.outcomes
        return any(isinstance(n, ast.Attribute) and n.attr in outcomes for n in walk(node))

    def test(self, node: ast.expr, holds: bool, frame: Frame) -> bool:
        """Whether a condition that holds, or does not, lets only refusals through.

        The condition that only what is harmless goes round (`method == "GET"`) counts as well.
        """
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.test(node.operand, not holds, frame)
        if isinstance(node, ast.BoolOp):
            found = [self.test(value, holds, frame) for value in node.values]
            return any(found) if isinstance(node.op, ast.And) is holds else all(found)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], _INVERTING):
                holds = not holds
            return holds and self._compared(node, frame)
        return holds and self._says(node, frame)

    def _compared(self, node: ast.Compare, frame: Frame) -> bool:
        if isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            return False
        statuses = set(self._numbers(node, frame))
        if statuses:
            return statuses <= self._statuses
        return self._says(node, frame)

    def _numbers(self, node: ast.Compare, frame: Frame) -> Iterable[int]:
        for part in (node.left, *node.comparators):
            for inner in walk(part):
                if isinstance(inner, ast.Constant):
                    yield from _status(inner.value)
                elif isinstance(inner, ast.Name | ast.Attribute) and part is not node.left:
                    for symbol in self.names.resolve(Place(inner, frame)):
                        made = symbol.made if isinstance(symbol, External) else None
                        if isinstance(symbol, Literal) or made is not None:
                            listed = made.node if made is not None else symbol.node  # type: ignore[union-attr]
                            for item in walk(listed):
                                if isinstance(item, ast.Constant):
                                    yield from _status(item.value)

    def _says(self, node: ast.expr, frame: Frame) -> bool:
        if isinstance(node, ast.Call):
            for symbol in self.names.resolve(Place(node.func, frame)):
                if isinstance(symbol, FunctionSymbol) and self._only_refusals(symbol):
                    return True
        return self._words.search(ast.unparse(node)) is not None

    def way(
        self,
        body: list[ast.stmt],
        frame: Frame,
        statement: ast.stmt,
        start: Iterable[bool] = (False,),
    ) -> tuple[bool, set[bool]]:
        """Where a block leads in a loop.

        Whether it goes round for more than refusals, and the states in which it falls through:
        true where only refusals get that far.
        """
        states = set(start)
        rounds = False
        for inner in body:
            if not states:
                break
            if isinstance(inner, ast.Return | ast.Raise | ast.Break):
                return rounds, set()
            if isinstance(inner, ast.Continue):
                return rounds or False in states, set()
            if isinstance(inner, ast.If):
                after: set[bool] = set()
                for block, holds in ((inner.body, True), (inner.orelse, False)):
                    refused = self.test(inner.test, holds, frame)
                    again, falling = self.way(
                        block, frame, statement, {state or refused for state in states}
                    )
                    rounds |= again
                    after |= falling
                states = after
            elif isinstance(inner, ast.With | ast.AsyncWith):
                again, states = self.way(inner.body, frame, statement, states)
                rounds |= again
            elif isinstance(inner, ast.Try):
                again, falling = self.way(inner.body, frame, statement, states)
                rounds |= again
                for handler in inner.handlers:
                    again, more = self.way(handler.body, frame, statement, states)
                    rounds |= again
                    falling |= more
                states = falling
        return rounds, states


def _status(value: object) -> Iterable[int]:
    if isinstance(value, int) and not isinstance(value, bool):
        if _FIRST_STATUS <= value < _LAST_STATUS:
            yield value


def _is_of_connections(path: str) -> bool:
    """Whether a class of errors of Python also stands for a connection that was lost."""
    named = vars(builtins).get(path)
    return isinstance(named, type) and issubclass(ConnectionError, named)

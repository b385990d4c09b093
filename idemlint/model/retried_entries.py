"""Entries that their framework runs again: by default, by an option, by a policy, by middleware."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.arguments import argument, given
from idemlint.model.flow import last_name
from idemlint.model.functions import functions_of, own_nodes
from idemlint.model.retries import Retrying
from idemlint.model.selection import Family
from idemlint.model.symbols import Constant, External, FunctionSymbol, Place
from idemlint.model.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge import rows
    from idemlint.model.entries import Entry
    from idemlint.model.model import Model
    from idemlint.model.program import Module

__all__ = ["RetriedEntries"]

Retried = tuple["Entry", "Retrying | None", "Module"]


@dataclass(frozen=True, slots=True, eq=False)
class _Use:
    """A policy in use: the call that is given it, where, its row, and the call that made it."""

    call: Place
    row: rows.Retry
    policy: Place


class RetriedEntries:
    """Finds what makes entries run again."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._uses: dict[Module, list[_Use]] = {}

    def of(self, module: Module) -> Iterator[Retried]:
        """The entries of a module that have a body, each with what runs it again, if anything.

        The tools that a policy of this module covers may be those of another one.
        """
        for entry in self.model.entries.of(module):
            if entry.function is not None:
                retrying = self._retrying(entry)
                where = entry.options.frame.module if entry.options is not None else module
                yield entry, retrying, where
                served = self._by_server(entry)
                if served is not None:
                    yield entry, *served
        for use in self.uses(module):
            if use.row.covers:
                for entry in self._covered(use):
                    yield entry, _retrying_by(use), use.policy.frame.module

    # policies

    def uses(self, module: Module) -> list[_Use]:
        """The policies that calls of a module are given."""
        known = self._uses.get(module)
        if known is None:
            known = self._uses[module] = list(self._find_uses(module))
        return known

    def _find_uses(self, module: Module) -> Iterator[_Use]:
        uses = self.model.knowledge.policy_uses
        for place, name in self._calls(module):
            call = place.node
            assert isinstance(call, ast.Call)
            paths: list[str] | None = None
            for path, where, row in uses[name]:
                policies = given(self.model.values, place, (where,)).places
                if not policies:
                    continue
                if paths is None:
                    paths = self.model.names.paths(Place(call.func, place.frame, place.statement))
                if path in paths:
                    for value in policies:
                        policy = self._policy(value, row)
                        if policy is not None:
                            yield _Use(place, row, policy)

    def _calls(self, module: Module) -> Iterator[tuple[Place, str]]:
        """The calls of a module that can be given a policy, with the name of what is called."""
        model = self.model
        names = model.knowledge.policy_uses
        frame = model.names.module_frame(module)
        chunks = model.places.chunks(module, Family.RETRY)
        for chunk in chunks:
            for statement in module.index.statements(chunk):
                for node in own_nodes(statement):
                    if isinstance(node, ast.Call):
                        name = module.own_name(last_name(node.func))
                        if name in names:
                            yield Place(node, frame), name
        for function in functions_of(module, chunks):
            if model.places.of_function(function) & Family.RETRY and not names.keys().isdisjoint(
                function.called_words
            ):
                for event in model.names.flow(function).calls:
                    if event.name in names:
                        frame = model.names.frame(function)
                        yield Place(event.node, frame, event.statement), event.name

    def _policy(self, value: Place, row: rows.Retry) -> Place | None:
        """The call that makes a policy of a row, unless it allows one attempt only."""
        for place in (value, *self.model.entries.elements(value)):
            for symbol in self.model.names.resolve(place):
                if not isinstance(symbol, External) or symbol.made is None:
                    continue
                made = symbol.made
                if not isinstance(made.node, ast.Call):
                    continue
                func = Place(made.node.func, made.frame, made.statement)
                if any(
                    row in self.model.knowledge.retries(path)
                    for path in self.model.names.paths(func)
                ) and not self.model.retries.is_off(row, made):
                    return made
        return None

    def _covered(self, use: _Use) -> Iterator[Entry]:
        """The entries among the functions that a policy covers."""
        call = use.call.node
        assert isinstance(call, ast.Call)
        value = argument(call, use.row.covers)
        if value is None:
            return
        only = self._only(use)
        place = Place(value, use.call.frame, use.call.statement)
        listed = [*self.model.entries.elements(place), *self._tools_of_node(place)]
        for element in listed:
            for symbol in self.model.names.resolve(element):
                if isinstance(symbol, FunctionSymbol):
                    for entry in self.model.entries.of(symbol.function.module):
                        if entry.function is symbol.function:
                            if only is None or entry.name in only:
                                yield entry

    def _only(self, use: _Use) -> set[str] | None:
        """The names of the tools that a policy is limited to."""
        call = use.policy.node
        assert isinstance(call, ast.Call)
        value = argument(call, use.row.only)
        if value is None:
            return None
        found: set[str] = set()
        for place in self.model.entries.elements(Place(value, use.policy.frame)):
            for symbol in self.model.names.resolve(place):
                if isinstance(symbol, Constant):
                    found.add(str(symbol.value))
                elif isinstance(symbol, FunctionSymbol):
                    found.add(symbol.function.name)
        return found

    def _tools_of_node(self, place: Place) -> Iterator[Place]:
        """The tools of a node that runs them, unless it answers their errors itself."""
        for symbol in self.model.names.resolve(place):
            made = symbol.made if isinstance(symbol, External) else None
            if made is None or not isinstance(made.node, ast.Call):
                continue
            for path in self.model.names.paths(Place(made.node.func, made.frame, made.statement)):
                for row in self.model.knowledge.replays(path):
                    if row.bodies and not _is_given(made.node, row.off_with):
                        value = argument(made.node, row.bodies)
                        if value is not None:
                            where = Place(value, made.frame, made.statement)
                            yield from self.model.entries.elements(where)

    def _by_server(self, entry: Entry) -> tuple[Retrying, Module] | None:
        """A policy of the object whose decorator makes the entry."""
        function = entry.function
        assert function is not None
        if entry.tool is None or not function.decorators:
            return None
        frame = self.model.names.module_frame(function.module)
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not isinstance(target, ast.Attribute):
                continue
            for symbol in self.model.names.resolve(Place(target.value, frame)):
                if isinstance(symbol, External) and symbol.made is not None:
                    for use in self.uses(symbol.made.frame.module):
                        if use.row.covers_own and self._is_of(use, symbol.made):
                            return _retrying_by(use), use.policy.frame.module
        return None

    def _is_of(self, use: _Use, made: Place) -> bool:
        call = use.call.node
        assert isinstance(call, ast.Call)
        if call is made.node:
            return True
        if not isinstance(call.func, ast.Attribute):
            return False
        receiver = Place(call.func.value, use.call.frame, use.call.statement)
        return any(
            isinstance(symbol, External)
            and symbol.made is not None
            and symbol.made.node is made.node
            for symbol in self.model.names.resolve(receiver)
        )

    # entries

    def _retrying(self, entry: Entry) -> Retrying | None:
        if entry.retried and not self._policy_is_off(entry) and not self._is_tried_once(entry):
            node = entry.options.node if entry.options is not None else entry.anchor
            return Retrying(node, f"the retries of `{entry.name}`")
        return self._by_own_call(entry)

    def _policy_is_off(self, entry: Entry) -> bool:
        """Whether the policy that an entry is given says one attempt."""
        options, row = entry.options, entry.replay
        if options is None or row is None or not isinstance(options.node, ast.Call):
            return False
        for name in row.only_with:
            for value in given(self.model.values, options, (name,)).places:
                symbols = self.model.names.resolve(value)
                if symbols and all(isinstance(s, Constant) and not s.value for s in symbols):
                    return True
                if any(isinstance(s, External) and self._is_off(s) for s in symbols):
                    return True
        return False

    def _is_off(self, symbol: External) -> bool:
        made = symbol.made
        if made is None or not isinstance(made.node, ast.Call):
            return False
        paths = self.model.names.paths(Place(made.node.func, made.frame, made.statement))
        return any(
            self.model.retries.is_off(row, made)
            for path in paths
            for row in self.model.knowledge.retries(path)
        )

    def _is_tried_once(self, entry: Entry) -> bool:
        """Whether all calls that hand a body to its framework say one attempt, or can say so."""
        function, model = entry.function, self.model
        assert function is not None
        uses = {
            name: [use for use in listed if use[2].framework == entry.framework]
            for name, listed in model.knowledge.policy_uses.items()
        }
        names = [name for name, listed in uses.items() if listed]
        if entry.replay is None or not entry.replay.retried or not names:
            return False
        found: list[bool] = []
        for module in model.neighbours(function.module, function.name):
            if not any(name in module.source.text for name in names):
                continue
            for other in functions_of(module, module.index.chunks):
                for event in model.names.flow(other).calls:
                    if event.name not in names or not event.node.args:
                        continue
                    frame = model.names.frame(other)
                    body = Place(event.node.args[0], frame, event.statement)
                    if any(
                        isinstance(s, FunctionSymbol) and s.function.node is function.node
                        for s in model.names.resolve(body)
                    ):
                        call = Place(event.node, frame, event.statement)
                        found.append(self._can_be_once(call, uses[event.name]))
        return bool(found) and all(found)

    def _can_be_once(self, call: Place, uses: list[tuple[str, int | str, rows.Retry]]) -> bool:
        """Whether a call brings a policy of one attempt, or one that cannot be read."""
        for _, where, _ in uses:
            policy = given(self.model.values, call, (where,))
            if policy.places or policy.is_open:
                return not any(map(self._says_again, policy.places))
        return False

    def _says_again(self, policy: Place) -> bool:
        """Whether a policy is known to allow more than one attempt; `None` leaves the usual one."""
        symbols = self.model.names.resolve(policy)
        return bool(symbols) and all(
            s == Constant(None) or (isinstance(s, External) and self._is_on(s)) for s in symbols
        )

    def _is_on(self, symbol: External) -> bool:
        made = symbol.made
        if made is None or not isinstance(made.node, ast.Call):
            return False
        paths = self.model.names.paths(Place(made.node.func, made.frame, made.statement))
        rows = [row for path in paths for row in self.model.knowledge.retries(path)]
        return bool(rows) and not any(self.model.retries.is_off(row, made) for row in rows)

    def _by_own_call(self, entry: Entry) -> Retrying | None:
        """A body that asks for its own repeat (`raise self.retry(exc=error)`)."""
        function = entry.function
        assert function is not None
        for event in self.model.names.flow(function).calls:
            if event.name not in self.model.knowledge.retry_calls:
                continue
            place = Place(event.node.func, entry.frame, event.statement)
            for path in self.model.names.paths(place):
                if any(row.kind == "call" for row in self.model.knowledge.retries(path)):
                    return Retrying(event.node, f"`{ast.unparse(event.node.func)}()`")
        return None


def _retrying_by(use: _Use) -> Retrying:
    return Retrying(use.policy.node, f"`{shown(use.policy.node)}`")


def _is_given(call: ast.Call, names: tuple[str, ...]) -> bool:
    """Whether a call is given one of these options, and it is not false."""
    return any(
        keyword.arg in names
        and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        for keyword in call.keywords
    )

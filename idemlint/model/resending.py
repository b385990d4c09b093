"""HTTP clients that are configured to send a request again, whatever its method."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

from idemlint.model.arguments import given, says
from idemlint.model.symbols import ClassSymbol, Constant, External, Instance, Literal, Place
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.deeds import Deed
    from idemlint.model.values import Values

__all__ = ["Resending"]

_MAX_DEPTH = 3


class Resending:
    """Says whether the client of a request sends it again."""

    def __init__(self, values: Values, knowledge: Knowledge) -> None:
        self.values = values
        self.names = values.names
        self.knowledge = knowledge

    def of(self, deed: Deed) -> Place | None:
        """The call that configures the client of a request to send it again."""
        by_option = self._by_option(deed)
        if by_option is not None:
            return by_option
        func = deed.call.func
        if not deed.method or deed.method == "?" or not isinstance(func, ast.Attribute):
            return None
        for symbol in self.names.resolve(Place(func.value, deed.place.frame, deed.place.statement)):
            found = None
            if isinstance(symbol, External) and symbol.made is not None:
                found = self._of_client(symbol.made, deed.method)
            elif isinstance(symbol, Instance):
                found = self._first_that_repeats(self._mounted_by_itself(symbol), deed.method)
            if found is not None:
                return found
        return None

    def _by_option(self, deed: Deed) -> Place | None:
        """`request.execute(num_retries=2)`: an option of the call itself."""
        for row in self.knowledge.retries(deed.path):
            if row.kind != "kwarg":
                continue
            for place in given(self.values, deed.place, row.limit).places:
                symbols = self.names.resolve(place)
                if any(not isinstance(s, Constant) or s.value for s in symbols) or not symbols:
                    return place
        return None

    def _of_client(self, made: Place, method: str) -> Place | None:
        """The policy among the arguments of a client's constructor, or in what is mounted on it."""
        return self._first_that_repeats((made, *self._mounted(made)), method)

    def _first_that_repeats(self, made: Iterable[Place], method: str) -> Place | None:
        """The policy that repeats a method, of those that calls are given."""
        for place in made:
            for policy in self._policies(place, 0):
                if self._repeats(*policy, method):
                    return policy[1]
        return None

    def _policies(self, made: Place, depth: int) -> Iterator[tuple[rows.Retry, Place]]:
        call = made.node
        if not isinstance(call, ast.Call) or depth > _MAX_DEPTH:
            return
        for path in self.names.paths(Place(call.func, made.frame, made.statement)):
            for row in self.knowledge.retries(path):
                if row.kind == "client" and row.methods:
                    yield row, made
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(value, ast.Constant):
                continue
            for symbol in self.names.resolve(Place(value, made.frame, made.statement)):
                if isinstance(symbol, External) and symbol.made is not None:
                    if symbol.made.node is not call:
                        yield from self._policies(symbol.made, depth + 1)

    def _repeats(self, row: rows.Retry, made: Place, method: str) -> bool:
        if not row.methods_argument:
            return False
        for off in row.off_with:
            name, _, text = off.partition("=")
            found = given(self.values, made, (name,))
            if found.is_open or any(says(self.names, place, text) for place in found.places):
                return False
        methods = given(self.values, made, row.methods_argument)
        if not methods.places:
            return method in row.methods
        return any(self._allows(place, method) for place in methods.places)

    def _allows(self, place: Place, method: str) -> bool:
        """Whether a method is in what is allowed; `None` and `False` allow all."""
        node = place.node
        if isinstance(node, ast.Call) and node.args:
            return self._allows(Place(node.args[0], place.frame, place.statement), method)
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            return any(isinstance(e, ast.Constant) and e.value == method for e in node.elts)
        if isinstance(node, ast.Constant):
            return node.value is None or node.value is False
        for symbol in self.names.resolve(place):
            if isinstance(symbol, Literal):
                return self._allows(symbol.place, method)
            if isinstance(symbol, External) and symbol.made is not None:
                if symbol.made.node is not node:
                    return self._allows(symbol.made, method)
            if isinstance(symbol, Constant):
                return symbol.value is None or symbol.value is False
        return False

    def _mounted(self, made: Place) -> Iterator[Place]:
        """The adapters that are mounted on a session, where it was made."""
        names = self._mounting
        frame = made.frame
        calls: list[tuple[ast.Call, ast.stmt | None]]
        if frame.function is not None:
            calls = [(e.node, e.statement) for e in self.names.flow(frame.function).calls]
        else:
            calls = [
                (node, None)
                for statement in frame.module.statements()
                if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                for node in walk(statement)
                if isinstance(node, ast.Call)
            ]
        for node, statement in calls:
            func = node.func
            if not isinstance(func, ast.Attribute) or func.attr not in names:
                continue
            for symbol in self.names.resolve(Place(func.value, frame, statement)):
                if isinstance(symbol, External) and symbol.made is not None:
                    if symbol.made.node is made.node:
                        yield from self._adapters(Place(node, frame, statement))

    def _mounted_by_itself(self, client: Instance) -> Iterator[Place]:
        """The adapters that the constructors of a client's class mount on it."""
        for base in self.names.bases(client.cls):
            method = base.cls.method("__init__") if isinstance(base, ClassSymbol) else None
            if method is None:
                continue
            frame = self.names.method_frame(method, client)
            for event in self.names.flow(method).calls:
                func = event.node.func
                if event.name in self._mounting and isinstance(func, ast.Attribute):
                    if isinstance(func.value, ast.Name) and func.value.id == method.self_name:
                        yield from self._adapters(Place(event.node, frame, event.statement))

    @functools.cached_property
    def _mounting(self) -> frozenset[str]:
        """The last names of the methods that mount an adapter on a session."""
        paths = (path for row in self.knowledge.rows("retry") for path in row.mounted_by)
        return frozenset(path.rpartition(".")[2] for path in paths)

    def _adapters(self, mounting: Place) -> Iterator[Place]:
        """The calls that made what is mounted."""
        assert isinstance(mounting.node, ast.Call)
        for value in mounting.node.args[1:]:
            place = Place(value, mounting.frame, mounting.statement)
            for adapter in self.names.resolve(place):
                if isinstance(adapter, External) and adapter.made is not None:
                    yield adapter.made

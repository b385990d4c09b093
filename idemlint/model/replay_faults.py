"""Stored results that a tool returns as if they were new (IDM403)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.flow import Condition
from idemlint.model.guards import GuardKind, Polarity
from idemlint.model.symbols import Place
from idemlint.model.values import ValueKind
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.deeds import Deed
    from idemlint.model.entries import Entry, ToolParameter
    from idemlint.model.flow import ReturnPoint
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["ReplayFaults"]

_MAX_HELPERS = 3
_CLAIMING = ("atomic", "insert", "upsert")


class ReplayFaults:
    """Looks at what tools return where they find that a call is a replay."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The silent replays of the tools of a module; a return can stand in a helper."""
        for entry in self.model.entries.of(module):
            if not entry.is_tool or entry.function is None:
                continue
            keys = self.model.entries.key_parameters(entry)
            if keys and self._keeps_results(entry):
                yield from self._silent(entry, keys, entry.frame, 0)

    def _keeps_results(self, entry: Entry) -> bool:
        """Whether a tool writes to a store of its own in a way that tells who was first."""
        return any(
            o.deed.is_effect and o.deed.own and o.deed.role in _CLAIMING
            for o in self.model.runs.occurrences(entry.frame)
        )

    def _silent(
        self, entry: Entry, keys: list[ToolParameter], frame: Frame, depth: int
    ) -> Iterator[Evidence]:
        function = frame.function
        assert function is not None
        for point in self.model.names.flow(function).returns:
            if point.value is None or self._tells(point, frame):
                continue
            stored = self._stored(point, frame, keys)
            if stored is not None and self._is_replay(point, frame, entry):
                yield self._evidence(entry, point, frame, stored)
            elif depth < _MAX_HELPERS:
                for inner in self._helpers(point, frame):
                    yield from self._silent(entry, keys, inner, depth + 1)

    def _helpers(self, point: ReturnPoint, frame: Frame) -> Iterator[Frame]:
        """The functions whose result a return hands on as it is."""
        value = point.value
        if isinstance(value, ast.Await):
            value = value.value
        if isinstance(value, ast.Call):
            place = Place(value, frame, point.statement)
            deed = self.model.deeds.of(place)
            if deed.kind is DeedKind.INNER:
                for callee in deed.callees:
                    yield self.model.names.enter(callee, place)

    # what is returned

    def _stored(self, point: ReturnPoint, frame: Frame, keys: list[ToolParameter]) -> Deed | None:
        """The look into the store that gives what is returned, where that is all it is made of."""
        assert point.value is not None
        asked = Condition("test", point.value, True, point.statement)
        sources = self.model.guards.sources(asked, frame)
        if any(source.deed.is_effect for source in sources):
            return None
        for source in sources:
            if source.deed.store is not None and self._is_keyed(source.deed, keys):
                return source.deed
        return None

    def _is_keyed(self, deed: Deed, keys: list[ToolParameter]) -> bool:
        """Whether a look asks for what belongs to the key of the tool."""
        names = {parameter.path or parameter.name for parameter in keys}
        fields = {parameter.name for parameter in keys}
        place = deed.place
        for part in self.model.query_parts(deed):
            for node in walk(part):
                if not isinstance(node, ast.Name | ast.Attribute):
                    continue
                for origin in self.model.values.origins(Place(node, place.frame, place.statement)):
                    if origin.kind is ValueKind.PARAMETER and (
                        origin.name in names or origin.key in fields
                    ):
                        return True
        return False

    def _is_replay(self, point: ReturnPoint, frame: Frame, entry: Entry) -> bool:
        """Whether a return runs only where an earlier call was there first."""
        looked = False
        for condition in point.conditions:
            if self._says_taken(condition, frame):
                return True
            for source in self.model.guards.sources(condition, frame):
                if source.deed.is_effect and source.deed.own and source.deed.role in _CLAIMING:
                    return True
                if source.deed.kind is DeedKind.CHECK and source.deed.store is not None:
                    polarity = self.model.guards.polarity(condition, frame)
                    looked = looked or polarity is Polarity.PRESENT
        return looked and self._is_claimed(entry)

    def _says_taken(self, condition: Condition, frame: Frame) -> bool:
        """The handler of a unique violation, also where the write is sent by a later commit."""
        handler, statement = condition.node, condition.statement
        if not isinstance(handler, ast.ExceptHandler) or handler.type is None:
            return False
        return any(
            occurrence.deed.own
            and occurrence.deed.role in ("insert", "atomic")
            and self.model.guards.catches(handler, occurrence.deed, frame, statement)
            for occurrence in self.model.runs.occurrences(frame)
            if occurrence.deed.is_effect
        )

    def _is_claimed(self, entry: Entry) -> bool:
        """Whether a record is there before the effect: else the late record is the finding."""
        claimed = False
        for occurrence in self.model.runs.occurrences(entry.frame):
            deed = occurrence.deed
            if not deed.is_effect:
                continue
            if deed.own:
                if deed.role == "insert" and not self._is_serialised(occurrence):
                    return False
                claimed = claimed or deed.role in ("atomic", "insert")
            elif deed.duplicates:
                guard = self.model.guards.of(occurrence)
                if guard is None or guard.kind is not GuardKind.CLAIM:
                    return False
        return claimed

    def _is_serialised(self, occurrence: Occurrence) -> bool:
        """Whether a second insert is refused, and that is seen."""
        deed = occurrence.deed
        return self.model.has_unique(deed, None) or any(
            self.model.guards.violation_handlers(deed, hop.event, hop.frame)
            for hop in occurrence.hops
        )

    def _tells(self, point: ReturnPoint, frame: Frame) -> bool:
        """Whether a result says that it is not new: a key, a keyword, a text, a flag beside it."""
        assert point.value is not None
        if isinstance(point.value, ast.Tuple) and any(map(_is_flag, point.value.elts)):
            return True
        place = Place(point.value, frame, point.statement)
        texts = [entry.key for entry in self.model.values.mapping(place).entries]
        for value in self._made_of(point, frame):
            texts += _words(value)
        return any(map(self.model.knowledge.tells_replay, texts))

    def _made_of(self, point: ReturnPoint, frame: Frame) -> Iterator[ast.AST]:
        """The returned expression, what its names are set to, and how they are changed before."""
        assert point.value is not None and frame.function is not None
        yield point.value
        flow = self.model.names.flow(frame.function)
        names = {node.id for node in walk(point.value) if isinstance(node, ast.Name)}
        for name in names:
            for definition in flow.definitions_at(point.statement, name):
                made = definition.node
                if isinstance(made, ast.Dict | ast.Call | ast.JoinedStr) and not _is_query(made):
                    yield made
        for mutation in flow.mutations:
            if mutation.name in names and point.before >> mutation.index & 1:
                yield mutation.node

    def _evidence(self, entry: Entry, point: ReturnPoint, frame: Frame, stored: Deed) -> Evidence:
        related = [
            RelatedPlace(stored.place.frame.module, stored.call, "the stored result is read here")
        ]
        if frame is not entry.frame:
            related.append(RelatedPlace(entry.anchor_module, entry.anchor, "the tool"))
        return Evidence(
            "IDM403",
            frame.module,
            point.statement,
            {"tool": entry.name},
            "OP-2",
            "whoever reads the result has to see that nothing was done this time",
            tuple(related),
            entry,
            subject=point,
        )


def _is_query(node: ast.AST) -> bool:
    """A call whose texts are asked of a store, not told to the model."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _words(node: ast.AST) -> Iterator[str]:
    for inner in walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value
        elif isinstance(inner, ast.keyword) and inner.arg is not None:
            yield inner.arg
        elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            yield inner.attr

"""Handlers that catch the exception by which a body pauses (IDM203)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.selection import Family
from idemlint.model.symbols import Place
from idemlint.model.words import shown
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge import rows
    from idemlint.model.entries import Entry
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Hop, Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["SwallowFaults"]

_BARE = "bare-except"


class SwallowFaults:
    """Looks for pauses in a `try` whose handler does not raise what pauses again."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The faults that the entries and functions of a module reach."""
        bodies = set()
        for entry in self.model.entries.of(module):
            if entry.function is not None:
                bodies.add(entry.function)
                yield from self._in_frame(entry, entry.frame)
        for function in self.model.functions(module, Family.PAUSE):
            if function not in bodies:
                yield from self._in_frame(None, self.model.names.frame(function))

    def _in_frame(self, entry: Entry | None, frame: Frame) -> Iterator[Evidence]:
        for occurrence in self.model.runs.occurrences(frame):
            pause = occurrence.deed.pause
            if occurrence.deed.kind is DeedKind.PAUSE and pause is not None and pause.swallowed_by:
                found = self._swallower(occurrence, pause)
                if found is not None:
                    yield self._evidence(entry, occurrence, pause, *found)

    def _swallower(
        self, occurrence: Occurrence, pause: rows.Pause
    ) -> tuple[Hop, ast.ExceptHandler] | None:
        """The first handler on the way out that catches the pause and keeps it."""
        for hop in reversed(occurrence.hops):
            for statement in reversed(hop.event.tries):
                for handler in statement.handlers:
                    if self._catches(handler, pause, hop, statement):
                        if not _raises_again(handler):
                            return hop, handler
                        break
        return None

    def _catches(
        self, handler: ast.ExceptHandler, pause: rows.Pause, hop: Hop, statement: ast.stmt
    ) -> bool:
        if handler.type is None:
            return _BARE in pause.swallowed_by
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        caught = {*pause.swallowed_by, *pause.raises}
        return any(
            path in caught
            for node in types
            for path in self.model.names.paths(Place(node, hop.frame, statement))
        )

    def _evidence(
        self,
        entry: Entry | None,
        occurrence: Occurrence,
        pause: rows.Pause,
        hop: Hop,
        handler: ast.ExceptHandler,
    ) -> Evidence:
        related = [
            RelatedPlace(
                other.frame.module,
                other.event.node,
                f"`{shown(other.event.node.func)}` leads to the pause",
            )
            for other in occurrence.hops[occurrence.hops.index(hop) : -1]
        ]
        related.append(
            RelatedPlace(
                occurrence.deed.place.frame.module, occurrence.deed.call, "the pause it catches"
            )
        )
        function = hop.frame.function
        assert function is not None
        caught = f"except {ast.unparse(handler.type)}" if handler.type is not None else "except"
        return Evidence(
            "IDM203",
            hop.frame.module,
            handler,
            {"handler": caught, "body": entry.name if entry is not None else function.name},
            "OP-6",
            "the framework pauses by an exception, which has to reach it",
            tuple(related),
            entry,
            subject=(handler, pause),
        )


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler raises what it caught, on some path."""
    for statement in handler.body:
        for node in walk(statement):
            if isinstance(node, ast.Raise) and (
                node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == handler.name)
            ):
                return True
    return False

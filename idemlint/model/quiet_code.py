"""Requests that change nothing, by the names around them: they ask a model, log in, or read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind

if TYPE_CHECKING:
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.program import Function
    from idemlint.model.runs import Occurrence
    from idemlint.model.tool_names import ToolNames

__all__ = ["QuietCode"]


class QuietCode:
    """Reads the names of the functions on the way to a request."""

    def __init__(self, knowledge: Knowledge, tool_names: ToolNames) -> None:
        self.knowledge = knowledge
        self.tool_names = tool_names

    def asks(self, occurrence: Occurrence, *, by_helpers: bool = False) -> bool:
        """Whether a plain request, or an unknown call, only asks, by the names on the way to it.

        With `by_helpers` the name of the body itself says nothing.
        """
        deed = occurrence.deed
        if deed.host is not None or not (deed.method or deed.kind is DeedKind.OPAQUE):
            return False
        functions = [hop.frame.function for hop in occurrence.hops[by_helpers:]]
        opaque = deed.kind is DeedKind.OPAQUE
        return any(function is not None and self._reads(function, opaque) for function in functions)

    def _reads(self, function: Function, opaque: bool) -> bool:
        if self.knowledge.is_quiet_function(function.name):
            return True
        owner = function.owner
        place = f"{function.module.name}.{owner.name if owner is not None else ''}"
        if self.knowledge.is_quiet_class(place):
            return True
        if opaque and self.knowledge.is_carrier(place):
            return True
        reading = self.tool_names.read(function.name)
        is_harmless = reading.verb is not None and reading.report == "no"
        if reading.reads or (is_harmless and not self.knowledge.handles(function.name)):
            return True
        return self.knowledge.is_quiet_text(_code_of(function))


def _code_of(function: Function) -> str:
    source = function.module.source
    starts, node = source.row_starts, function.node
    last = node.end_lineno or node.lineno
    end = starts[last] if last < len(starts) else len(source.text)
    return source.text[starts[node.lineno - 1] : end]

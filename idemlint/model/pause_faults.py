"""Effects that a pause makes run again (IDM201)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind
from idemlint.model.entries import Entry, EntryKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.selection import Family
from idemlint.model.values import ValueKind
from idemlint.model.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["PauseFaults"]

_MAX_DEPTH = 8


class PauseFaults:
    """Looks for effects that can run before a pause of the same body."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The faults of the entries of a module; an effect may stand in a helper elsewhere."""
        bodies = set()
        for entry in self.model.entries.of(module):
            if entry.function is not None:
                bodies.add(entry.function)
                yield from self._in_frame(entry, entry.frame, 0)
        for function in self.model.functions(module, Family.PAUSE):
            if function not in bodies:
                yield from self._in_frame(None, self.model.names.frame(function), 0)

    def _in_frame(self, entry: Entry | None, frame: Frame, depth: int) -> Iterator[Evidence]:
        """Compare the calls of one function; a call that does both is looked into."""
        occurrences = self.model.runs.occurrences(frame)
        pauses = [o for o in occurrences if self._is_pause(o)]
        if not pauses:
            return
        effects = [o for o in occurrences if self._runs_again(o, entry)]
        reported: set[ast.AST] = set()
        for effect in effects:
            for pause in pauses:
                if effect.top.event is pause.top.event:
                    continue
                if not pause.top.event.before >> effect.top.event.index & 1:
                    continue
                node = effect.top.event.node
                if node not in reported:
                    reported.add(node)
                    yield self._evidence(entry, effect, pause)
        if depth >= _MAX_DEPTH:
            return
        both = {
            o.top.event.node: o.top
            for o in effects
            if any(p.top.event is o.top.event for p in pauses)
        }
        for hop in both.values():
            for inner in self.model.runs.inner_frames(hop):
                yield from self._in_frame(entry, inner, depth + 1)

    def _is_pause(self, occurrence: Occurrence) -> bool:
        pause = occurrence.deed.pause
        return occurrence.deed.kind is DeedKind.PAUSE and pause is not None and pause.replays

    def _runs_again(self, occurrence: Occurrence, entry: Entry | None) -> bool:
        """Whether an effect has an effect again, and nothing guards it."""
        deed = occurrence.deed
        if deed.kind is DeedKind.OPAQUE:
            if not deed.does or self.model.quiet.asks(occurrence, by_helpers=True):
                return False
        elif not deed.is_effect:
            return False
        if deed.is_effect and not deed.duplicates:
            fresh = [
                o
                for use in self.model.keys.identities(deed)
                for o in use.origins
                if o.kind is ValueKind.FRESH and not o.once
            ]
            if deed.repeat == "harmless" or not fresh:
                return False
        guards = self.model.guards
        if guards.of(occurrence) is not None or guards.is_kept(occurrence):
            return False
        if entry is None or entry.kind is not EntryKind.NODE:
            return True
        return not self._state_guards(occurrence, entry)

    def _state_guards(self, occurrence: Occurrence, entry: Entry) -> bool:
        """Whether the effect runs only while the state lacks a field that another node writes."""
        function = entry.function
        assert function is not None
        names = [n for n in function.positional if n != function.self_name]
        if not names:
            return False
        hop = occurrence.top
        for condition in hop.event.conditions:
            if condition.kind != "test" or not isinstance(condition.node, ast.expr):
                continue
            for field in _asked_fields(condition.node, names[0]):
                if self.model.is_written_elsewhere(field, function):
                    return True
        return False

    def _evidence(self, entry: Entry | None, effect: Occurrence, pause: Occurrence) -> Evidence:
        hop = effect.top
        assert hop.frame.function is not None
        related = []
        if len(effect.hops) > 1:
            for inner in effect.hops[1:-1]:
                label = f"`{shown(inner.event.node.func)}` leads to the effect"
                related.append(RelatedPlace(inner.frame.module, inner.event.node, label))
            related.append(
                RelatedPlace(effect.deed.place.frame.module, effect.deed.call, "the effect")
            )
        related.append(
            RelatedPlace(
                pause.deed.place.frame.module, pause.deed.call, "the pause that replays it"
            )
        )
        body = hop.frame.function
        if body.body:
            related.append(
                RelatedPlace(
                    body.module,
                    body.node,
                    f"`{body.name}` starts here again when the pause is answered",
                )
            )
        return Evidence(
            "IDM201",
            hop.frame.module,
            hop.event.node,
            {
                "effect": shown(hop.event.node.func) + "()",
                "body": entry.name if entry is not None else body.name,
            },
            "OP-6",
            "the body both acts and pauses, and all before the pause runs again",
            tuple(related),
            entry,
            subject=(effect, pause),
        )


def _asked_fields(node: ast.expr, state: str) -> Iterator[str]:
    """The fields of the state that a condition asks to be there, or to have a fixed value.

    `state.get("sent")`, `not state["sent"]`, `"sent" in state`, `state["status"] == "sent"`: what an
    earlier node can have left as a mark. A comparison by size (`state["cents"] > 100`) is none.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _asked_fields(node.operand, state)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _asked_fields(value, state)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        if isinstance(operator, ast.In | ast.NotIn) and isinstance(left, ast.Constant):
            if isinstance(right, ast.Name) and right.id == state:
                yield str(left.value)
        elif isinstance(operator, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            if isinstance(right, ast.Constant):
                yield from _asked_fields(left, state)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        if node.value.id == state and isinstance(node.slice, ast.Constant):
            yield str(node.slice.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        target = node.func.value
        if isinstance(target, ast.Name) and target.id == state and node.func.attr == "get":
            if node.args and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id == state:
            yield node.attr

"""Keys that a provider takes and does not get (IDM501), and keys that go nowhere (IDM107)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.functions import functions_of
from idemlint.model.guards import GuardKind
from idemlint.model.selection import Family
from idemlint.model.words import deed_phrase, shown, title_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from pathlib import Path

    from idemlint.model.deeds import Deed
    from idemlint.model.entries import Entry, ToolParameter
    from idemlint.model.model import Model
    from idemlint.model.program import Function, Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.tool_faults import ToolFaults

__all__ = ["NativeFaults"]

_NOUNS = {
    "charge": "charge",
    "transfer": "transfer",
    "send": "message",
    "publish": "message",
    "update": "change",
    "upload": "object",
}
_MAX_HELPERS = 4
_MAX_NEIGHBOURS = 80
_NO_GUARD = (None, GuardKind.KEPT)


class NativeFaults:
    """Looks at the effects of providers that take a key, and at the keys that tools take."""

    def __init__(self, model: Model, tools: ToolFaults) -> None:
        self.model = model
        self.tools = tools
        self._middleware: dict[Module, bool] = {}

    def of(self, module: Module) -> Iterator[Evidence]:
        """The keys that are lost on the way from the bodies that a module declares."""
        known: set[ast.AST] = set()
        for entry in self.model.entries.of(module):
            if entry.function is None:
                continue
            if self._is_without_key(entry):
                # the tool itself lacks the key, and its cure passes it
                known |= {o.deed.call for o in self.model.runs.occurrences(entry.frame)}
                continue
            lacking = list(self._lacking(entry))
            for occurrence in lacking:
                yield self._native_evidence(occurrence, entry)
            if entry.is_tool and not lacking:
                yield from self._unused(entry)
        places = self.model.places
        for function in functions_of(
            module,
            places.chunks(module, Family.KEYED_RETRY),
            lambda function: places.of_function(function) & Family.RETRY,
        ):
            for occurrence in self._retried(function):
                call = occurrence.deed.call
                if call not in known and not self._is_told_by_tool(call, function):
                    yield self._native_evidence(occurrence, None)

    # a native key that is not passed

    def _is_without_key(self, entry: Entry) -> bool:
        return (
            entry.is_tool
            and entry.parameters_known
            and not self.model.entries.key_parameters(entry)
        )

    def is_left_to_tool(self, call: ast.Call, entry: Entry | None, function: Function) -> bool:
        """Whether a native key that is not passed is told of at a tool that takes none."""
        if entry is not None:
            return self._is_without_key(entry)
        for other in self.model.entries.of(function.module):
            if other.function is not None and self._is_without_key(other):
                occurrences = self.model.runs.occurrences(other.frame)
                if any(o.deed.call is call for o in occurrences):
                    return True
        return self._is_told_by_tool(call, function)

    def _retried(self, function: Function) -> Iterator[Occurrence]:
        """The effects without key in what a decorator or a loop runs again."""
        frame = self.model.names.frame(function)
        decorated = self.model.retries.decorator(function)
        if decorated is None and not self.model.names.flow(function).loops:
            return
        if decorated is not None:
            yield from filter(self.lacks_key, self.model.runs.occurrences(frame))
            return
        for event in self.model.names.flow(function).calls:
            if self.model.runs.is_worthwhile(event, function) and self.model.retries.again(
                event, frame
            ):
                yield from filter(
                    self.lacks_key, self.model.runs.of_event(event, frame, _MAX_HELPERS)
                )

    def _is_told_by_tool(self, call: ast.Call, function: Function) -> bool:
        """Whether a tool without key in a file nearby leads to a call: then the tool is told of."""
        module = function.module
        folder = module.path.parent
        count = 0
        for pattern in ("*.py", "*/*.py", "../*.py", "../*/*.py"):
            for path in sorted(folder.glob(pattern)):
                count += 1
                if count > _MAX_NEIGHBOURS:
                    return False
                if self._leads_to(path.resolve(), call, function):
                    return True
        return False

    def _leads_to(self, path: Path, call: ast.Call, function: Function) -> bool:
        module, program = function.module, self.model.program
        program.add_edge(module, path)
        other = program.module(path) if path != module.path else None
        if other is None or module.path.stem not in other.source.text:
            return False
        return any(
            occurrence.deed.call is call
            for entry in self.model.entries.of(other)
            if self._is_without_key(entry) and entry.function is not None
            for occurrence in self.model.runs.occurrences(entry.frame)
        )

    def _lacking(self, entry: Entry) -> Iterator[Occurrence]:
        """The effects of an entry whose provider takes a key and gets none."""
        seen: set[ast.AST] = set()
        for occurrence in self.model.runs.occurrences(entry.frame):
            deed = occurrence.deed
            if deed.call not in seen and self.lacks_key(occurrence):
                seen.add(deed.call)
                yield occurrence

    def lacks_key(self, occurrence: Occurrence) -> bool:
        """Whether an effect is known to get no key though its provider takes one."""
        deed = occurrence.deed
        if not deed.duplicates or not self.model.keys.lacks_native(deed):
            return False
        guard = self.model.guards.of(occurrence)
        return (guard.kind if guard is not None else None) in _NO_GUARD

    def _native_evidence(self, occurrence: Occurrence, entry: Entry | None) -> Evidence:
        deed = occurrence.deed
        assert deed.key is not None
        related = [
            RelatedPlace(
                hop.frame.module,
                hop.event.node,
                f"`{shown(hop.event.node.func)}` leads to the call",
            )
            for hop in occurrence.hops[:-1]
        ]
        if entry is not None and entry.function is not None:
            label = f"`{entry.name}` can run again"
            related.append(RelatedPlace(entry.function.module, entry.function.node, label))
        reason = f"{title_of(deed)} keeps the answer of the first request with a key"
        if deed.automatic_key:
            reason = f"the key that the SDK of {title_of(deed)} fills in is new at each call"
        return Evidence(
            "IDM501",
            deed.place.frame.module,
            deed.call,
            {
                "call": f"{shown(deed.call.func)}()",
                "key": deed.key.name,
                "effect": _NOUNS.get(deed.does, "record"),
            },
            "OP-1",
            reason,
            tuple(related),
            entry,
            subject=occurrence,
        )

    # a key that goes nowhere

    def _unused(self, entry: Entry) -> Iterator[Evidence]:
        keys = self.model.entries.key_parameters(entry)
        if not keys or entry.function is None or self._is_wrapped(entry.function, entry):
            return
        act = self._unguarded_act(entry)
        if act is None:
            return
        if any(self.model.key_paths.of(entry, parameter).arrives for parameter in keys):
            return
        for parameter in keys:
            yield self._unused_evidence(entry, parameter, act)

    def _is_wrapped(self, function: Function, entry: Entry) -> bool:
        """Whether something around the body can look at its arguments."""
        knowledge = self.model.knowledge
        paths = self.model.values.decorator_paths(function)
        known = sum(bool(knowledge.tools(p) or knowledge.retries(p)) for p in paths)
        return known < len(function.decorators) or self._has_middleware(entry)

    def _has_middleware(self, entry: Entry) -> bool:
        """Whether the module hands its calls to a middleware that is named after keys."""
        module = entry.anchor_module
        known = self._middleware.get(module)
        if known is None:
            text = module.source.text.lower()
            known = self._middleware[module] = "middleware" in text and any(
                f"{stem}{end}" in text
                for stem in ("idempotency", "idempotent", "dedup", "dedupe", "deduplication")
                for end in ("middleware", "_middleware")
            )
        return known

    def _unguarded_act(self, entry: Entry) -> Occurrence | tuple[Module, ast.Call] | None:
        """An effect that a repeat does again, or a call that is one by the name of the tool."""
        occurrences = self.model.runs.occurrences(entry.frame)
        for occurrence in occurrences:
            guard = self.model.guards.of(occurrence) if occurrence.deed.is_effect else None
            if guard is not None:
                return None
        found = self.tools.unguarded(entry)
        if found:
            return found[0]
        return self.tools.unknown_act(entry)

    def _unused_evidence(
        self,
        entry: Entry,
        parameter: ToolParameter,
        act: Occurrence | tuple[Module, ast.Call],
    ) -> Evidence:
        operation, reason = (
            "OP-2",
            "the first call under a key can be claimed in a store of your own",
        )
        if isinstance(act, tuple):
            place = RelatedPlace(*act, "this call does not get it")
        else:
            deed = act.deed
            place = RelatedPlace(
                deed.place.frame.module, deed.call, f"{deed_phrase(deed)} without it"
            )
            if self._can_take(deed):
                operation, reason = "OP-1", f"{title_of(deed)} can tell a repeat by its key"
        return Evidence(
            "IDM107",
            parameter.module,
            parameter.node,
            {"tool": entry.name, "key": parameter.name},
            operation,
            reason,
            (place,),
            entry,
            subject=(parameter, act),
        )

    def _can_take(self, deed: Deed) -> bool:
        return deed.kind is DeedKind.EFFECT and deed.key is not None

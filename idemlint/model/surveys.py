"""What is known of each entry, in one answer: the inventory's questions to the model."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.inventory import (
    CodePlace,
    EffectRecord,
    EffectState,
    EntryRecord,
    GuardRecord,
    KeyRecord,
    ReplayRecord,
    Step,
    UnknownRecord,
)
from idemlint.model.deeds import DeedKind
from idemlint.model.entries import Entry, EntryKind
from idemlint.model.flow import last_name
from idemlint.model.functions import functions_of
from idemlint.model.guards import GuardKind
from idemlint.model.retried_entries import RetriedEntries
from idemlint.model.runs import Hop
from idemlint.model.selection import Family
from idemlint.model.symbols import Constant, External, Literal, Place
from idemlint.model.tool_faults import ToolFaults
from idemlint.model.words import deed_phrase, shown, title_of
from idemlint.source.ranges import node_range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.diagnostic import Range
    from idemlint.model.deeds import Deed
    from idemlint.model.guards import Guard
    from idemlint.model.model import Model
    from idemlint.model.program import Function, Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["Surveys"]

_MAX_DEPTH = 6
_LAST = (DeedKind.EFFECT, DeedKind.CHECK, DeedKind.LOCK, DeedKind.COMMIT)
_ROUTES = {
    "no row": "a library that no row describes",
    "unknown object": "an object that could not be resolved",
    "unknown function": "a function that could not be resolved",
    "abstract": "a method that subclasses define",
}
_GUARDS = {
    GuardKind.KEY: "key",
    GuardKind.BAD_KEY: "bad-key",
    GuardKind.CLAIM: "atomic-write",
    GuardKind.LOOKUP: "lookup",
    GuardKind.DECLARED: "declared",
    GuardKind.KEPT: "kept-result",
}


class Surveys:
    """Surveys the entries of one project."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._tools = ToolFaults(model)
        self._retried = RetriedEntries(model)

    def of(self, module: Module) -> Iterator[tuple[Entry, EntryRecord]]:
        """The entries that a module declares, and the functions in it that a decorator retries."""
        entries = list(self.model.entries.of(module))
        for entry in (*entries, *self._decorated(module, entries)):
            yield entry, self._record(entry)

    def policies(self, module: Module) -> Iterator[tuple[Entry, ReplayRecord]]:
        """What of this module runs entries again; they may be those of other modules."""
        for entry, retrying, where in self._retried.of(module):
            if retrying is not None:
                text = f"{retrying.words} runs it again"
                yield entry, ReplayRecord(text, ("retry",), _place(where, retrying.node))

    def _decorated(self, module: Module, entries: list[Entry]) -> Iterator[Entry]:
        """The functions under a retry decorator that are no entries for another reason."""
        known = {entry.function for entry in entries}
        chunks = self.model.places.chunks(module, Family.RETRY)
        for function in functions_of(module, chunks, marked_by="@"):
            if function in known:
                continue
            retrying = self.model.retries.decorator(function)
            if retrying is not None:
                row = retrying.row
                yield Entry(
                    EntryKind.RETRIED,
                    function,
                    self.model.names.frame(function),
                    function.name,
                    function.node,
                    module,
                    row.framework if row is not None else "",
                    "",
                    retried=True,
                )

    # one entry

    def _record(self, entry: Entry) -> EntryRecord:
        occurrences = self._occurrences(entry)
        effects = [o for o in occurrences if self._is_shown(o, entry)]
        records = tuple(self._effect(o, entry) for o in effects)
        unknown = tuple(self._unknown(entry))
        operation, reason = self._operation(entry, effects, records, unknown)
        return EntryRecord(
            name=entry.name,
            kind=entry.kind.value,
            framework=entry.framework,
            place=_place(entry.anchor_module, entry.anchor),
            key=self._key(entry),
            effects=records,
            unknown=unknown,
            replays=tuple(self._replays(entry)),
            reads=any(self._reads(o) for o in occurrences) or len(effects) < len(occurrences),
            body=_body(entry),
            operation=operation,
            reason=reason,
        )

    def _occurrences(self, entry: Entry) -> list[Occurrence]:
        """What an entry does, each call once for each thing that it does."""
        if entry.function is None or entry.frame.function is None:
            return []
        found: dict[tuple[object, ...], Occurrence] = {}
        for occurrence in self.model.runs.occurrences(entry.frame):
            deed = occurrence.deed
            found.setdefault((deed.call, deed.path, deed.method, deed.url, deed.does), occurrence)
        return list(found.values())

    def _is_shown(self, occurrence: Occurrence, entry: Entry) -> bool:
        deed = occurrence.deed
        if not deed.is_effect:
            return False
        reads = deed.method and self.model.tool_names.read(entry.name).reads
        return not (reads and self._tools.is_soft(entry, deed))

    def _reads(self, occurrence: Occurrence) -> bool:
        return occurrence.deed.kind is DeedKind.CHECK

    def _key(self, entry: Entry) -> KeyRecord:
        if not entry.is_tool:
            return KeyRecord("n/a")
        keys = self.model.entries.key_parameters(entry)
        if not keys:
            return KeyRecord("none" if entry.parameters_known else "unknown")
        required = next((key for key in keys if key.required), None)
        if required is not None:
            return KeyRecord("required", required.name)
        return KeyRecord("optional", keys[0].name)

    # effects

    def _effect(self, occurrence: Occurrence, entry: Entry) -> EffectRecord:
        deed = occurrence.deed
        guard = self._guard(occurrence)
        state = EffectState.HARMLESS
        if self._tools.repeats(deed) and not self._tools.is_soft(entry, deed):
            is_guarded = guard is not None and guard.holds
            state = EffectState.GUARDED if is_guarded else EffectState.REPEATS
        return EffectRecord(
            does=deed.does,
            phrase=deed_phrase(deed),
            target=title_of(deed),
            own=deed.own,
            takes=deed.key.name if deed.key is not None and deed.key_is_certain else "",
            state=state,
            steps=_steps(occurrence.hops),
            guard=guard,
        )

    def _guard(self, occurrence: Occurrence) -> GuardRecord | None:
        guard = self.model.guards.of(occurrence)
        if guard is not None:
            text, place = self._told(guard, occurrence)
            return GuardRecord(_GUARDS[guard.kind], text, place, guard.protects)
        if self.model.guards.is_kept(occurrence):
            text = "the framework keeps the result of the step"
            return GuardRecord("kept-result", text, _hop_place(occurrence.top))
        return None

    def _told(self, guard: Guard, occurrence: Occurrence) -> tuple[str, CodePlace]:
        deed = guard.deed
        if guard.kind in (GuardKind.KEY, GuardKind.BAD_KEY):
            uses = [use for use in self.model.keys.of(occurrence.deed) if not use.identity]
            wanted = guard.kind is GuardKind.KEY
            use = next((use for use in uses if use.is_sound is wanted), uses[0])
            verb = "gets" if wanted else "differs at each run:"
            text = f"`{use.name}` {verb} `{shown(use.place.node)}`"
            return text, _hop_place(guard.hop)
        if guard.kind is GuardKind.DECLARED:
            return self._declared(guard.hop), _hop_place(guard.hop)
        if deed is None:
            return guard.kind.value, _hop_place(guard.hop)
        what = "looked up before in" if guard.kind is GuardKind.LOOKUP else "claimed in"
        where = _place(deed.place.frame.module, deed.call)
        return f"{what} {title_of(deed)} by `{shown(deed.call.func)}`", where

    def _declared(self, hop: Hop) -> str:
        """The decorator, context or call that is known to guard."""
        function = hop.frame.function
        assert function is not None
        outer = (
            self.model.names.frame(function.parent)
            if function.parent is not None
            else self.model.names.module_frame(function.module)
        )
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._is_guard(Place(target, outer)):
                return f"`@{shown(target)}`"
        for item in hop.event.contexts:
            node = item.context_expr
            target = node.func if isinstance(node, ast.Call) else node
            if self._is_guard(Place(target, hop.frame, hop.event.statement)):
                return f"`with {shown(node)}`"
        return f"`{shown(hop.event.node.func)}`"

    def _is_guard(self, place: Place) -> bool:
        knowledge = self.model.knowledge
        paths = self.model.names.paths(place)
        return any(knowledge.guards(path) for path in paths)

    def _operation(
        self,
        entry: Entry,
        effects: list[Occurrence],
        records: tuple[EffectRecord, ...],
        unknown: tuple[UnknownRecord, ...],
    ) -> tuple[str, str]:
        """The pattern that applies to what repeats, or that the name of an opaque tool calls for."""
        repeating = [
            occurrence
            for occurrence, record in zip(effects, records, strict=True)
            if record.state is EffectState.REPEATS
        ]
        if repeating:
            worst = min(repeating, key=lambda o: EffectRecord.weight(o.deed.does))
            return self._tools.operation(entry, repeating, worst.deed)
        if not effects and unknown and entry.is_tool:
            verb = self.model.tool_names.read(entry.name).verb
            if verb is not None and verb.operation:
                return verb.operation, f"by its name it seems to {verb.does} something"
        return "", ""

    # calls that are not known

    def _unknown(self, entry: Entry) -> Iterator[UnknownRecord]:
        if entry.function is None or entry.frame.function is None:
            yield UnknownRecord(
                "the function that runs it was not found",
                (Step(entry.name, "", _place(entry.anchor_module, entry.anchor)),),
            )
            return
        yield from self._unknown_in(entry.frame, (), set())

    def _unknown_in(
        self, frame: Frame, hops: tuple[Hop, ...], seen: set[ast.AST]
    ) -> Iterator[UnknownRecord]:
        function = frame.function
        if function is None or len(hops) > _MAX_DEPTH or function.node in seen:
            return
        seen.add(function.node)
        done = [
            (hop, self.model.deeds.of(hop.place))
            for hop in (Hop(frame, event) for event in self.model.names.flow(function).calls)
            if self.model.runs.is_possible(hop.event, frame)
        ]
        starts = {start for _, deed in done for start in self._starts(deed)}
        for hop, deed in done:
            if self._is_unknown(deed):
                if deed.call not in starts:
                    yield UnknownRecord(_ROUTES.get(deed.reason, deed.reason), _steps((*hops, hop)))
            elif deed.kind is DeedKind.INNER:
                for callee in self.model.runs.inner_frames(hop):
                    yield from self._unknown_in(callee, (*hops, hop), seen)

    def _starts(self, deed: Deed) -> Iterator[ast.Call]:
        """The calls that only lead to the object of one that acts or is not known itself.

        In `service.users().messages().list()` it is the last one that does something.
        """
        is_last = deed.kind in _LAST or self._is_unknown(deed)
        if not is_last and not self._only_reads(deed):
            return
        # a method that is handed to what calls it: `to_thread(service.users().send(…).execute)`
        handed = [value for value in deed.call.args if is_last and isinstance(value, ast.Attribute)]
        for start in (deed.call.func, *handed):
            node: ast.expr = start
            while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
                if isinstance(node, ast.Call):
                    # what is read from an answer says nothing of the call that gave it
                    if is_last or not (node.args or node.keywords):
                        yield node
                    node = node.func
                else:
                    node = node.value

    def _only_reads(self, deed: Deed) -> bool:
        return deed.kind is DeedKind.OPAQUE and self.model.tool_names.read(_name_of(deed)).reads

    def _is_unknown(self, deed: Deed) -> bool:
        """Whether a call can be an effect that is not known; one that is named as a read cannot."""
        if deed.kind is not DeedKind.OPAQUE:
            return False
        name = _name_of(deed)
        knowledge = self.model.knowledge
        if name in knowledge.container_methods or name in knowledge.pure_methods:
            return False
        if _is_class(name) or _is_raised(deed) or self._is_of_literal(deed):
            return False
        if deed.does:
            return True
        first_word = name.partition("_")[0]
        if not knowledge.quiet_methods.isdisjoint((name, first_word)):
            return False
        if self.model.tool_names.read(name).reads:
            return False
        if deed.reason == "abstract":
            return True
        if self._tools.could_act(deed):
            return True
        return deed.reason == "no row" and self._is_of_client(deed)

    def _is_of_literal(self, deed: Deed) -> bool:
        """Whether a call is a method of a list, a dictionary or a text that the code writes down."""
        func = deed.call.func
        if not isinstance(func, ast.Attribute):
            return False
        place = Place(func.value, deed.place.frame, deed.place.statement)
        symbols = list(self.model.names.resolve(place))
        return bool(symbols) and all(isinstance(s, Literal | Constant) for s in symbols)

    def _is_of_client(self, deed: Deed) -> bool:
        """Whether a call is a method of an object of another library, of which no row tells."""
        func = deed.call.func
        if not isinstance(func, ast.Attribute) or self.model.knowledge.quiet(deed.path):
            return False
        place = Place(func.value, deed.place.frame, deed.place.statement)
        for symbol in self.model.names.resolve(place):
            made = symbol.made if isinstance(symbol, External) else None
            if made is not None and isinstance(made.node, ast.Call):
                origin = self.model.deeds.of(made)
                if origin.kind is DeedKind.QUIET and origin.reason == "construction":
                    return True
        return False

    # what runs it again

    def _replays(self, entry: Entry) -> Iterator[ReplayRecord]:
        if entry.is_tool or (entry.replay is not None and entry.replay.by_default):
            causes = entry.replay.on if entry.replay is not None else ("call",)
            yield ReplayRecord(entry.because, tuple(causes))
        if entry.function is None:
            return
        retrying = self.model.retries.decorator(entry.function)
        if retrying is not None:
            where = _place(entry.function.module, retrying.node)
            yield ReplayRecord(f"{retrying.words} runs it again", ("retry",), where)
        for occurrence in self.model.runs.occurrences(entry.frame):
            pause = occurrence.deed.pause
            if occurrence.deed.kind is DeedKind.PAUSE and pause is not None and pause.replays:
                deed = occurrence.deed
                text = f"starts again when the pause `{shown(deed.call.func)}` is answered"
                where = _place(deed.place.frame.module, deed.call)
                yield ReplayRecord(text, ("pause",), where)
                return


def _name_of(deed: Deed) -> str:
    func = deed.call.func
    return last_name(func)


def _is_class(name: str) -> bool:
    """Whether a name is that of a class, or of a variable that holds one: calling it makes an object."""
    return name[:1].isupper() or name == "cls" or name.endswith(("_cls", "_class"))


def _is_raised(deed: Deed) -> bool:
    """Whether a call makes the error that is raised with it."""
    statement = deed.place.statement
    return isinstance(statement, ast.Raise) and statement.exc is deed.call


def _steps(hops: tuple[Hop, ...]) -> tuple[Step, ...]:
    return tuple(
        Step(f"{shown(hop.event.node.func)}", _function_name(hop.frame.function), _hop_place(hop))
        for hop in hops
    )


def _function_name(function: Function | None) -> str:
    if function is None:
        return ""
    return f"{function.owner.name}.{function.name}" if function.owner else function.name


def _hop_place(hop: Hop) -> CodePlace:
    return _place(hop.frame.module, hop.event.node)


def _place(module: Module, node: ast.AST) -> CodePlace:
    start = node_range(module.source, node).start
    return CodePlace(module.path, start.row, start.column)


def _body(entry: Entry) -> Range | None:
    """The rows of the function of an entry, in the file where the entry starts."""
    function = entry.function
    if function is None or function.module is not entry.anchor_module:
        return None
    return function.module.source.range(*function.span)

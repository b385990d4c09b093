"""Effects that something runs again without a new call (IDM204)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.arguments import argument, given
from idemlint.model.deeds import DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.guards import GuardKind
from idemlint.model.resending import Resending
from idemlint.model.retried_entries import RetriedEntries
from idemlint.model.retries import Retrying
from idemlint.model.runs import Hop, Occurrence
from idemlint.model.selection import Family
from idemlint.model.symbols import External, FunctionSymbol, Place
from idemlint.model.values import ValueKind
from idemlint.model.words import shown, title_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.deeds import Deed
    from idemlint.model.entries import Entry
    from idemlint.model.flow import CallEvent
    from idemlint.model.model import Model
    from idemlint.model.program import Function, Module
    from idemlint.model.symbols import Frame

__all__ = ["RetryFaults"]

_MAX_HELPERS = 3
_MAX_CALLERS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """What runs a call again: `hop` is the call to report, `module` that of the retrying node."""

    hop: Hop
    retrying: Retrying
    module: Module


class RetryFaults:
    """Looks for effects in what is retried."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.resending = Resending(model.values, model.knowledge)
        self.entries = RetriedEntries(model)

    def of(self, module: Module) -> Iterator[Evidence]:
        """The retried effects that the entries and functions of a module reach."""
        seen: set[ast.AST] = set()
        for evidence in (*self._in_entries(module), *self._in_functions(module)):
            if evidence.node not in seen:
                seen.add(evidence.node)
                yield evidence

    def _in_entries(self, module: Module) -> Iterator[Evidence]:
        for entry, retrying, where in self.entries.of(module):
            occurrences = self.model.runs.occurrences(entry.frame)
            for occurrence in occurrences:
                if not self._is_candidate(occurrence):
                    continue
                again = self.innermost(occurrence)
                if again is None:
                    if retrying is None or self._stands_before_pause(occurrence, occurrences):
                        continue
                    again = Again(occurrence.top, retrying, where)
                if self._repeats(occurrence, entry):
                    yield self._evidence(occurrence, again, entry)

    def _in_functions(self, module: Module) -> Iterator[Evidence]:
        for function in self._worth_asking(module):
            frame = self.model.names.frame(function)
            for occurrence in self.occurrences(function, frame):
                if not self._is_candidate(occurrence):
                    continue
                again = self.innermost(occurrence)
                if again is not None and self._is_near(occurrence) and self._repeats(occurrence):
                    if not self._is_harmless_for_callers(occurrence, function):
                        yield self._evidence(occurrence, again, None)
            yield from self._handed_to_callers(function, frame)

    def _worth_asking(self, module: Module) -> Iterator[Function]:
        """The functions that retry something, and those that call one which repeats a callable."""
        seen: set[ast.AST] = set()
        repeating: set[str] = set()
        for function in self.model.functions(module, Family.RETRY):
            seen.add(function.node)
            yield function
            if function.parameters and self.model.retries.repeated(function) is not None:
                repeating.add(function.name)
        repeating.update(self._imported_repeaters(module))
        text = module.source.text
        for name in sorted(repeating):
            for chunk in list(module.index.chunks):
                if text.find(f"{name}(", chunk.start, chunk.end) >= 0:
                    for function in module.functions_of(chunk):
                        if function.node not in seen:
                            seen.add(function.node)
                            yield function

    def _imported_repeaters(self, module: Module) -> Iterator[str]:
        """The names of functions of other modules that say, and do, that they run again what they get."""
        names = self.model.names
        for name, bindings in list(module.loose_bindings.items()):
            for binding in bindings:
                if binding.kind != "import" or not binding.member:
                    continue
                if binding.member not in self.model.runs.function_names:
                    continue
                if self.model.knowledge.is_repeating(binding.member) and any(
                    isinstance(symbol, FunctionSymbol)
                    and self.model.retries.repeated(symbol.function) is not None
                    for symbol in names.imported(binding.module, binding.member, module)
                ):
                    yield name

    def _is_near(self, occurrence: Occurrence) -> bool:
        """Whether what is retried is the effect, and not a whole run in which it happens once."""
        return len(occurrence.hops) <= _MAX_HELPERS + 1

    def occurrences(self, function: Function, frame: Frame) -> Iterator[Occurrence]:
        """What can happen in a function where something runs again."""
        retries = self.model.retries
        if retries.decorator(function) is not None:
            yield from self.model.runs.occurrences(frame)
            return
        for event in self.model.names.flow(function).calls:
            if (
                retries.again(event, frame) is not None
                or self._hands_over(event, frame)
                or self._has_option(event, frame)
            ):
                yield from self.model.runs.of_event(event, frame, _MAX_HELPERS)

    def _hands_over(self, event: CallEvent, frame: Frame) -> bool:
        """Whether a function of the project that repeats what it is given is called here."""
        call = event.node
        if event.name not in self.model.runs.function_names:
            return False
        if (
            not self.model.knowledge.is_repeating(event.name)
            and event.name not in frame.module.index.definitions
        ):
            return False
        if not any(
            isinstance(value, ast.Lambda | ast.Name | ast.Attribute | ast.Call)
            for value in (*call.args, *(keyword.value for keyword in call.keywords))
        ):
            return False
        deed = self.model.deeds.of(Place(call, frame, event.statement))
        return any(
            self.model.retries.repeated(callee.function) is not None for callee in deed.callees
        )

    def _has_option(self, event: CallEvent, frame: Frame) -> bool:
        if self._may_resend(event):
            return True
        call = Place(event.node, frame, event.statement)
        return bool(given(self.model.values, call, self._options).places)

    def _may_resend(self, event: CallEvent) -> bool:
        return self.model.resends and event.name in self.model.knowledge.request_names

    @property
    def _options(self) -> frozenset[str]:
        return self.model.knowledge.retry_options

    def _handed_to_callers(self, function: Function, frame: Frame) -> Iterator[Evidence]:
        """A function that is handed to a library's call that repeats it."""
        if not any(map(function.module.imports, self.model.knowledge.retrying_libraries)):
            return
        for event in self.model.names.flow(function).calls:
            if not event.node.args:
                continue
            place = Place(event.node, frame, event.statement)
            symbols = self.model.names.resolve(Place(event.node.func, frame, event.statement))
            for symbol in symbols:
                if isinstance(symbol, External):
                    handed = self._handed(symbol, event, frame)
                    if handed is not None:
                        retrying = Retrying(event.node, f"`{shown(event.node.func)}`")
                        yield from self._of_handed(handed, retrying, place, event)

    def _handed(self, symbol: External, event: CallEvent, frame: Frame) -> Place | None:
        retries, call = self.model.retries, event.node
        place = Place(call, frame, event.statement)
        for row in self.model.knowledge.retries(symbol.path):
            if row.kind == "caller" and not retries.is_off(row, place):
                value = argument(call, row.body)
                return None if value is None else Place(value, frame, event.statement)
        made = symbol.made
        if made is None or not isinstance(made.node, ast.Call) or made.node is call:
            return None
        for path in self.model.names.paths(Place(made.node.func, made.frame, made.statement)):
            for row in self.model.knowledge.retries(path):
                if row.kind == "iterator" and not retries.is_off(row, made):
                    return Place(call.args[0], frame, event.statement)
        return None

    def _of_handed(
        self, handed: Place, retrying: Retrying, place: Place, event: CallEvent
    ) -> Iterator[Evidence]:
        hop = Hop(place.frame, event)
        for symbol in self.model.names.resolve(handed):
            if isinstance(symbol, FunctionSymbol):
                inner = self.model.names.enter(symbol, None)
                for occurrence in self.model.runs.occurrences(inner):
                    whole = Occurrence(occurrence.deed, (hop, *occurrence.hops))
                    if self._is_candidate(whole) and self._repeats(whole):
                        yield self._evidence(whole, Again(hop, retrying, place.frame.module), None)

    # what runs an occurrence again

    def innermost(self, occurrence: Occurrence) -> Again | None:
        """What runs an effect again, on the way to it; the nearest one."""
        client = self.resending.of(occurrence.deed)
        if client is not None:
            words = f"`{shown(client.node)}`"
            if not isinstance(client.node, ast.Call):
                words = "an option of the call"
            return Again(occurrence.leaf, Retrying(client.node, words), client.frame.module)
        retries = self.model.retries
        for hop in reversed(occurrence.hops):
            function = hop.frame.function
            assert function is not None
            found = retries.again(hop.event, hop.frame) or retries.decorator(function)
            if found is not None:
                where = self._call_of_helper(hop, occurrence) or hop
                return Again(where, found, hop.frame.module)
        return None

    def _call_of_helper(self, hop: Hop, occurrence: Occurrence) -> Hop | None:
        """Where a helper repeats a callable: the call that hands it over."""
        call = hop.event.node
        names = {call.func.id} if isinstance(call.func, ast.Name) else set()
        names |= {a.id for a in call.args[:2] if isinstance(a, ast.Name)}
        frame: Frame | None = hop.frame
        while frame is not None and frame.function is not None:
            if any(arg.arg in names for arg in frame.function.parameters):
                called = frame.call
                if called is not None and self._hands_function(frame, names, call.func):
                    return next((h for h in occurrence.hops if h.event.node is called.node), None)
                return None
            frame = frame.closure
        return None

    def _hands_function(self, frame: Frame, names: set[str], called: ast.expr) -> bool:
        for name in names & frame.arguments.keys():
            is_called = isinstance(called, ast.Name) and called.id == name
            for symbol in self.model.names.resolve(frame.arguments[name]):
                if isinstance(symbol, FunctionSymbol) or (
                    is_called and isinstance(symbol, External)
                ):
                    return True
        return False

    # which effects count

    def _is_candidate(self, occurrence: Occurrence) -> bool:
        deed = occurrence.deed
        if deed.kind is DeedKind.OPAQUE:
            return bool(deed.does)
        if not deed.is_effect or (deed.store is not None and deed.store.kind == "file"):
            return False
        if deed.duplicates:
            return True
        return deed.repeat != "harmless" and any(
            origin.kind is ValueKind.FRESH and not origin.once
            for use in self.model.keys.identities(deed)
            for origin in use.origins
        )

    def _repeats(self, occurrence: Occurrence, entry: Entry | None = None) -> bool:
        """Whether an effect has an effect again, and no other rule speaks of the same cause."""
        if self._is_about_native_key(occurrence, entry):
            return False
        if self.model.quiet.asks(occurrence) or self.model.guards.is_kept(occurrence):
            return False
        if self.model.guards.is_refused(occurrence):
            return False
        guard = self.model.guards.of(occurrence)
        return guard is None or (
            guard.kind is GuardKind.LOOKUP and self.model.dedup.late_record(occurrence) is not None
        )

    def _is_about_native_key(self, occurrence: Occurrence, entry: Entry | None) -> bool:
        """Whether the cause is a key that the provider takes: IDM501 and 503 speak of that.

        Where a tool without a key leads to the call, only its contract is told, and the retry here.
        """
        deed = occurrence.deed
        if deed.key is None:
            return False
        if deed.key.setting or (deed.effect is not None and deed.effect.when == "fifo"):
            return bool(deed.key.setting) or deed.key_is_certain
        if not self.model.keys.lacks_native(deed):
            return deed.key_is_certain and not self.model.keys.of(deed)
        function = occurrence.top.frame.function
        assert function is not None
        return not self.model.native.is_left_to_tool(deed.call, entry, function)

    def _stands_before_pause(self, occurrence: Occurrence, occurrences: list[Occurrence]) -> bool:
        """Whether a pause follows in the same body: then IDM201 speaks."""
        bit = 1 << occurrence.top.event.index
        return any(
            other.deed.kind is DeedKind.PAUSE
            and other.deed.pause is not None
            and other.deed.pause.replays
            and other.top.event.before & bit
            for other in occurrences
        )

    # helpers whose callers decide

    def _is_harmless_for_callers(self, occurrence: Occurrence, function: Function) -> bool:
        """Whether a helper that sends what it is told is told nothing that could do harm here."""
        if occurrence.deed.method and self._takes_more(function):
            text = function.module.source.text.lower()
            if "idempoten" in text:
                return True
        if occurrence.deed.method != "?":
            return False
        told = self._told(function, occurrence.deed, 0)
        return bool(told) and not told & {"POST", "?"}

    def _takes_more(self, function: Function) -> bool:
        names = {arg.arg for arg in function.parameters}
        return function.node.args.kwarg is not None or bool(names & {"headers", "extra_headers"})

    def _told(self, function: Function, deed: Deed, depth: int) -> set[str]:
        """The methods that the functions of its module make a helper send."""
        module = function.module
        found: set[str] = set()
        called = f"{function.name}("
        for chunk in list(module.index.chunks):
            if module.source.text.find(called, chunk.start, chunk.end) < 0:
                continue
            for other in module.functions_of(chunk):
                found |= self._told_by(other, function, deed, depth)
        return found

    def _told_by(self, other: Function, function: Function, deed: Deed, depth: int) -> set[str]:
        found: set[str] = set()
        frame = self.model.names.frame(other)
        for event in self.model.names.flow(other).calls:
            if event.name != function.name:
                continue
            for occurrence in self.model.runs.of_event(event, frame, _MAX_HELPERS):
                if occurrence.deed.call is deed.call:
                    method = occurrence.deed.method
                    if method == "?" and depth < _MAX_CALLERS:
                        found |= self._told(other, deed, depth + 1) or {"?"}
                    else:
                        found.add(method or "?")
            callees = self.model.deeds.of(Place(event.node, frame, event.statement)).callees
            if any(callee.function is function for callee in callees) and not found:
                found.add("GET")
        return found

    # evidence

    def _evidence(self, occurrence: Occurrence, again: Again, entry: Entry | None) -> Evidence:
        deed, hop = occurrence.deed, again.hop
        related = [RelatedPlace(again.module, _head(again.retrying.node), "what runs it again")]
        at = next((n for n, other in enumerate(occurrence.hops) if other is hop), 0)
        for inner in occurrence.hops[at + 1 : -1]:
            label = f"`{shown(inner.event.node.func)}` leads to the effect"
            related.append(RelatedPlace(inner.frame.module, inner.event.node, label))
        if hop is not occurrence.leaf:
            related.append(RelatedPlace(deed.place.frame.module, deed.call, "the effect"))
        operation, reason = self._operation(deed)
        return Evidence(
            "IDM204",
            hop.frame.module,
            hop.event.node,
            {"effect": shown(hop.event.node.func) + "()", "retry": again.retrying.words},
            operation,
            reason,
            tuple(related),
            entry,
            subject=(occurrence, again),
        )

    def _operation(self, deed: Deed) -> tuple[str, str]:
        if deed.own:
            return "OP-2", "the store is your own and can keep the key beside the record"
        if deed.key is not None:
            return "OP-1", f"one key with all attempts lets {title_of(deed)} tell a repeat"
        return "OP-8", f"{title_of(deed)} takes no key, so a claim has to come first"


def _head(node: ast.AST) -> ast.AST:
    """What to show of a loop: what it goes over, or as long as what."""
    if isinstance(node, ast.For | ast.AsyncFor):
        return node.iter
    return node.test if isinstance(node, ast.While) else node

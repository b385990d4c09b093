"""Tools with an effect whose parameters hold no key (IDM401)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.knowledge.facts import snake_case
from idemlint.model.deeds import Deed, DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.guards import GuardKind
from idemlint.model.symbols import External, Place
from idemlint.model.values import ValueKind
from idemlint.model.words import deed_phrase, shown, title_of
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.entries import Entry
    from idemlint.model.model import Model
    from idemlint.model.program import Function, Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.symbols import Frame
    from idemlint.model.tool_names import NameReading

__all__ = ["ToolFaults"]

_MAX_DEPTH = 6


class ToolFaults:
    """Looks at the effects of tools that take no key."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The tools of a module that should take a key."""
        for entry in self.model.entries.of(module):
            if entry.is_tool:
                evidence = self._missing_key(entry)
                if evidence is not None:
                    yield evidence

    def _missing_key(self, entry: Entry) -> Evidence | None:
        if not entry.parameters_known or self.model.entries.key_parameters(entry):
            return None
        effects = self.unguarded(entry)
        if effects:
            return self._evidence(entry, effects)
        return self._by_name(entry)

    def unguarded(self, entry: Entry) -> list[Occurrence]:
        """The effects of a tool that a second call would repeat."""
        if entry.function is None:
            return []
        found = []
        for occurrence in self.model.runs.occurrences(entry.frame):
            if not self.repeats(occurrence.deed) or self.is_soft(entry, occurrence.deed):
                continue
            if self.serves_the_work(entry, occurrence.deed):
                continue
            guard = self.model.guards.of(occurrence)
            if guard is None:
                found.append(occurrence)
            elif guard.kind is GuardKind.LOOKUP and guard.deed is not None:
                # a race on the same records is IDM301's, a late record IDM303's
                continue
        return found

    def serves_the_work(self, entry: Entry, deed: Deed) -> bool:
        """Whether an effect only makes the place where a tool does its work: a sandbox, a container.

        It counts where the name of the tool says that it is made.
        """
        if deed.effect is None or not deed.effect.serves:
            return False
        reading = self.model.tool_names.read(entry.name)
        named = any(word in deed.effect.serves for word in snake_case(entry.name).split("_"))
        return reading.verb is None or not named

    def is_soft(self, entry: Entry, deed: Deed) -> bool:
        """A plain request of a tool whose name says that a repeat changes nothing.

        `search_papers`, `add_label`, `create_branch`, `update_comment`: how a host treats a
        repeat is not known, and sets, unique names and whole values are harmless by nature.
        """
        if not deed.method:
            return self.is_copy(entry, deed) or self._is_whole_value(entry, deed)
        reading = self._reading(entry)
        if reading.verb is None:
            # functions are named by what they do, classes often by what they are
            is_noun = entry.tool is not None and entry.tool.kind == "base"
            if deed.host is None:
                return reading.reads or is_noun
            return reading.reads and deed.host.key is None
        if reading.report != "no":
            return False
        takes_key = deed.host is not None and deed.host.key is not None
        return not takes_key or reading.verb.does in ("update", "delete")

    def is_copy(self, entry: Entry, deed: Deed) -> bool:
        """Whether a tool that reads puts what it read into an object, to hand it over."""
        if deed.store is None or deed.store.kind != "blob":
            return False
        return self.model.tool_names.read(entry.name).reads

    def _is_whole_value(self, entry: Entry, deed: Deed) -> bool:
        """Whether a general call of a provider does what its tool is named after: set a value."""
        if deed.effect is None or deed.own or deed.does != "update":
            return False
        reading = self._reading(entry)
        return (
            reading.verb is not None
            and reading.report == "no"
            and reading.verb.does in ("update", "delete")
        )

    def _reading(self, entry: Entry) -> NameReading:
        """What the names of a tool and its parameters say."""
        parameters = () if entry.function is None else entry.function.parameters
        return self.model.tool_names.read(entry.name, tuple(arg.arg for arg in parameters))

    def repeats(self, deed: Deed) -> bool:
        """Whether a second run of an effect without guard does something a second time."""
        if not deed.is_effect:
            return False
        if deed.duplicates:
            return deed.is_relative or not self.model.has_unique(deed, None)
        if deed.store is not None and deed.store.kind == "file":
            return False
        if deed.repeat in ("overwrites", "refused"):
            return any(
                origin.kind is ValueKind.FRESH and not origin.once
                for use in self.model.keys.identities(deed)
                for origin in use.origins
            )
        return False

    def _evidence(self, entry: Entry, effects: list[Occurrence]) -> Evidence:
        first = max(effects, key=_weight_of)
        operation, reason = self.operation(entry, effects, first.deed)
        related = []
        for hop in first.hops[:-1]:
            label = f"`{shown(hop.event.node.func)}` leads to the effect"
            related.append(RelatedPlace(hop.frame.module, hop.event.node, label))
        related.append(
            RelatedPlace(first.deed.place.frame.module, first.deed.call, deed_phrase(first.deed))
        )
        return Evidence(
            "IDM401",
            entry.anchor_module,
            entry.anchor,
            {"tool": entry.name, "effect": deed_phrase(first.deed)},
            operation,
            reason,
            tuple(related),
            entry,
            subject=(first, effects),
        )

    def operation(self, entry: Entry, effects: list[Occurrence], deed: Deed) -> tuple[str, str]:
        """The pattern for effects that repeat, `deed` the worst of them, and why.

        These are steps 1 and 2 of the decision tree: native key, own store, undoable or not.
        """
        if entry.tool is not None and entry.tool.over_mcp:
            return "OP-7", "the protocol carries no key, so the tool's schema has to"
        if deed.key is not None and deed.key_is_certain:
            return "OP-1", f"{title_of(deed)} takes an idempotency key"
        own = [o for o in effects if o.deed.own]
        if own and len(own) == len(effects):
            if len(own) > 1:
                return "OP-2", "several writes to a store of your own belong to one call"
            if deed.store is not None and deed.store.kind in ("blob", "file"):
                return "OP-3", "the object can be named after what it holds"
            return "OP-4", "one row in a store of your own, which can refuse a second one"
        if deed.undo:
            return (
                "OP-5",
                f"{title_of(deed)} takes no key, and the effect can be undone ({deed.undo})",
            )
        return "OP-8", f"{title_of(deed)} takes no key, and the effect cannot be undone"

    # by name

    def unknown_act(self, entry: Entry) -> tuple[Module, ast.Call] | None:
        """The unknown call of a tool whose name says that it acts; `None` where effects are known."""
        reading = self._reading(entry)
        if reading.verb is None or reading.report != "yes":
            return None
        if entry.function is None or entry.frame.function is None:
            return None
        deeds = [o.deed for o in self.model.runs.occurrences(entry.frame)]
        if any(deed.is_effect for deed in deeds):
            return None
        # where what it sends is known and only reads, an unknown call has to be named as an effect
        named = any(deed.method for deed in deeds)
        found = self._unknown_call(entry.frame, (), set(), named=named)
        options = self.model.knowledge.existing_options
        if found is None or any(keyword.arg in options for keyword in found[0].keywords):
            return None
        if any(self._refuses_repeats(function) for function in found[1]):
            return None
        if not named:
            # the one that is named as an effect says more, where there is one
            found = self._unknown_call(entry.frame, (), set(), named=True) or found
        return found[1][-1].module, found[0]

    def _refuses_repeats(self, function: Function) -> bool:
        """Whether a text of a function says that what it makes can be there already."""
        return any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and self.model.knowledge.tells_existing(node.value)
            for statement in function.body
            for node in walk(statement)
        )

    def _by_name(self, entry: Entry) -> Evidence | None:
        unknown = self.unknown_act(entry)
        if unknown is None:
            return None
        module, call = unknown
        reading = self.model.tool_names.read(entry.name)
        assert reading.verb is not None
        return Evidence(
            "IDM401",
            entry.anchor_module,
            entry.anchor,
            {"tool": entry.name, "effect": f"seems to {reading.verb.does} something, by its name"},
            "OP-7"
            if entry.tool is not None and entry.tool.over_mcp
            else reading.verb.operation or "OP-8",
            "its name says that it acts, and what it calls is not known",
            (RelatedPlace(module, call, "this call is not known"),),
            entry,
            subject=None,
        )

    def _unknown_call(
        self, frame: Frame, way: tuple[Function, ...], seen: set[ast.AST], *, named: bool
    ) -> tuple[ast.Call, tuple[Function, ...]] | None:
        """A call that could be the effect: of a library without rows, or of an unknown object.

        With it come the functions that lead to it, the tool's own first.
        """
        function = frame.function
        if function is None or len(way) > _MAX_DEPTH or function.node in seen:
            return None
        way = (*way, function)
        seen.add(function.node)
        for event in self.model.names.flow(function).calls:
            place = Place(event.node, frame, event.statement)
            deed = self.model.deeds.of(place)
            if deed.kind is DeedKind.OPAQUE and self.could_act(deed, named=named):
                return event.node, way
            if deed.kind is DeedKind.INNER:
                for callee in deed.callees:
                    inner = self.model.names.enter(callee, place)
                    found = self._unknown_call(inner, way, seen, named=named)
                    if found is not None:
                        return found
        return None

    def could_act(self, deed: Deed, *, named: bool = False) -> bool:
        """Whether an unknown call can be an effect; with `named` only if it is named as one."""
        func = deed.call.func
        name = func.attr if isinstance(func, ast.Attribute) else ""
        reading = self.model.tool_names.read(name)
        if reading.reads or (named and not self.model.deeds.named(name)):
            return False
        if name in self.model.knowledge.container_methods and (
            reading.verb is None or deed.reason != "no row"
        ):
            return False
        if deed.reason == "no row":
            root = deed.path
            symbols = self.model.names.resolve(Place(func, deed.place.frame, deed.place.statement))
            made = next(
                (s.made for s in symbols if isinstance(s, External) and s.made is not None), None
            )
            if made is not None and isinstance(made.node, ast.Call):
                origin = self.model.deeds.of(made) if made.node is not deed.call else None
                if origin is not None and origin.kind is not DeedKind.OPAQUE:
                    return reading.verb is not None and origin.reason == "construction"
            return not self.model.knowledge.quiet(root)
        return deed.reason in ("unknown object", "unknown function")


def _weight_of(occurrence: Occurrence) -> tuple[bool, int]:
    """Which effect of a tool to speak of: one that can be given a key, then the gravest."""
    deed = occurrence.deed
    return deed.key is not None and deed.key_is_certain, _WEIGHT.get(deed.does, 0)


_WEIGHT = {
    "charge": 6,
    "transfer": 6,
    "send": 5,
    "publish": 4,
    "create": 3,
    "upload": 2,
    "update": 1,
}

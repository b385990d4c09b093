"""Keys that two different intents share (IDM106)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.functions import functions_of
from idemlint.model.selection import Family
from idemlint.model.symbols import Constant
from idemlint.model.values import ValueKind
from idemlint.model.words import shown

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from idemlint.model.entries import Entry
    from idemlint.model.keys import KeyUse
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.values import Origin

__all__ = ["CoarseFaults"]

_MAX_HELPERS = 4


class CoarseFaults:
    """Looks at what the keys are made of that replayed bodies use."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The keys that are too wide in what a module declares."""
        model = self.model
        for entry in model.entries.of(module):
            if entry.function is not None:
                for occurrence in model.runs.occurrences(entry.frame):
                    yield from self._judge(occurrence, entry)
        for function in functions_of(module, model.places.chunks(module, Family.KEYED_RETRY)):
            frame = model.names.frame(function)
            decorated = model.retries.decorator(function)
            if decorated is None and not model.names.flow(function).loops:
                continue
            for event in model.names.flow(function).calls:
                if model.runs.is_worthwhile(event, function) and (
                    decorated or model.retries.again(event, frame)
                ):
                    for occurrence in model.runs.of_event(event, frame, _MAX_HELPERS):
                        yield from self._judge(occurrence, None)

    def _judge(self, occurrence: Occurrence, entry: Entry | None) -> Iterator[Evidence]:
        deed = occurrence.deed
        if not deed.is_effect or (deed.store is not None and deed.store.kind in ("blob", "file")):
            return
        for use in self.model.keys.of(deed):
            is_named = self.model.knowledge.is_key_name(use.name)
            if use.identity or use.is_condition or (deed.own and not is_named):
                continue
            value = self._coarse(use)
            if value:
                yield self._evidence(use, value, occurrence, entry)

    def _coarse(self, use: KeyUse) -> str:
        """What a key is made of that several intents have in common; empty if that is not all."""
        if not use.origins:
            return "a fixed text" if use.native and self._is_constant(use) else ""
        if all(self._is_shared(origin) for origin in use.origins):
            return next((o.note or getattr(o.row, "gives", "") for o in use.origins), "") or (
                f"`{self._shown(use.origins[0])}`"
            )
        if all(origin.kind is ValueKind.PARAMETER for origin in use.origins):
            kinds = [self._kinds(origin) for origin in use.origins]
            if all(kinds) and any("content" in kind for kind in kinds):
                return "the content"
        return ""

    def _is_constant(self, use: KeyUse) -> bool:
        symbols = self.model.names.resolve(use.place)
        return bool(symbols) and all(
            isinstance(symbol, Constant) and isinstance(symbol.value, str) for symbol in symbols
        )

    def _is_shared(self, origin: Origin) -> bool:
        """The thread, the session or the conversation, by its row or its name."""
        if origin.kind is ValueKind.COARSE:
            return True
        if origin.kind is not ValueKind.PARAMETER:
            return False
        row = self.model.knowledge.identity_parameters.get(origin.key or origin.name)
        return row is not None and row.kind == "coarse"

    def _kinds(self, origin: Origin) -> set[str]:
        """What a value is beside content: its receiver; empty if it can tell two intents apart."""
        name = origin.key or origin.name
        kinds = self.model.knowledge.field_kinds(name)
        if name.endswith(("_id", "Id", "_key", "_number")):
            return set()
        return kinds & {"content", "receiver"}

    def _shown(self, origin: Origin) -> str:
        return origin.key or origin.name or shown(origin.node)

    def _evidence(
        self, use: KeyUse, value: str, occurrence: Occurrence, entry: Entry | None
    ) -> Evidence:
        deed = occurrence.deed
        related: dict[ast.AST, RelatedPlace] = {}
        for origin in use.origins:
            for step in origin.steps:
                related.setdefault(step.node, RelatedPlace(step.module, step.node, step.label))
        related.pop(use.place.node, None)
        for hop in occurrence.hops[:-1]:
            label = f"`{shown(hop.event.node.func)}` leads to the call"
            related.setdefault(
                hop.event.node, RelatedPlace(hop.frame.module, hop.event.node, label)
            )
        related.setdefault(
            deed.call, RelatedPlace(deed.place.frame.module, deed.call, "the call that it is for")
        )
        return Evidence(
            "IDM106",
            use.place.frame.module,
            use.place.node,
            {"position": use.name, "value": value},
            "OP-1",
            f"{deed.title or 'the receiver'} takes the second intent for a repeat of the first",
            tuple(related.values()),
            entry,
            subject=use,
        )

"""What a tool promises and does not hold: an optional key (IDM402), a wrong hint (IDM404)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind, argument
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.keys import BAD_KINDS
from idemlint.model.symbols import External, Literal, Place
from idemlint.model.values import ValueKind
from idemlint.model.words import deed_phrase, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.deeds import Deed
    from idemlint.model.entries import Entry, ToolParameter
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Occurrence
    from idemlint.model.tool_faults import ToolFaults
    from idemlint.model.values import Origin

__all__ = ["ContractFaults", "WrittenHint"]

_REACHED = (DeedKind.EFFECT, DeedKind.CHECK, DeedKind.OPAQUE)
_OVERWRITING = ("PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True, eq=False)
class WrittenHint:
    """A hint that is set: `node` is the entry or keyword, `value` what it is set to."""

    name: str
    node: ast.AST
    value: ast.expr
    module: Module


class ContractFaults:
    """Compares what tools say of themselves with what their bodies do."""

    def __init__(self, model: Model, tools: ToolFaults) -> None:
        self.model = model
        self.tools = tools

    def of(self, module: Module) -> Iterator[Evidence]:
        """The tools of a module whose contract is wrong."""
        for entry in self.model.entries.of(module):
            if entry.is_tool:
                yield from self._optional_keys(entry)
                yield from self._hints(entry)

    # keys that can be left out

    def _optional_keys(self, entry: Entry) -> Iterator[Evidence]:
        keys = self.model.entries.key_parameters(entry)
        if not keys or any(parameter.required for parameter in keys):
            return
        if not self.acts(entry):
            return
        for parameter in keys:
            if not self._is_made_up_for(entry, parameter):
                yield self._optional_evidence(entry, parameter)

    def acts(self, entry: Entry) -> bool:
        """Whether a tool has an effect that a repeat would repeat, were there no key."""
        if entry.function is None:
            # nothing but its schema is known, and that asks for a key
            return not self.model.tool_names.read(entry.name).reads
        for occurrence in self.model.runs.occurrences(entry.frame):
            deed = occurrence.deed
            if self.tools.repeats(deed) and not self.tools.is_soft(entry, deed):
                return True
            if (deed.is_effect or deed.kind is DeedKind.OPAQUE) and self._takes_key(deed, entry):
                return True
        return self.tools.unknown_act(entry) is not None

    def _takes_key(self, deed: Deed, entry: Entry) -> bool:
        """Whether an effect, or what may be one, gets the key of a tool that does not only read."""
        if self.model.tool_names.read(entry.name).reads:
            return False
        return any(
            not use.identity and _parameters(use.origins) for use in self.model.keys.of(deed)
        )

    def _is_made_up_for(self, entry: Entry, parameter: ToolParameter) -> bool:
        """Whether the body makes a key where none is given, or refuses to go on."""
        if parameter.default is not None and any(
            origin.kind in BAD_KINDS for origin in self._default_origins(parameter)
        ):
            return True
        if entry.function is None:
            return False
        path = self.model.key_paths.of(entry, parameter)
        if path.is_replaced or path.is_demanded:
            return True
        return any(
            origin.kind in BAD_KINDS
            for occurrence in self.model.runs.occurrences(entry.frame)
            if occurrence.deed.kind in _REACHED
            for use in self.model.keys.of(occurrence.deed)
            if not use.identity
            for origin in use.origins
        )

    def _default_origins(self, parameter: ToolParameter) -> tuple[Origin, ...]:
        assert parameter.default is not None
        if parameter.source == "field":
            return tuple(self.model.values.field_default(parameter.default))
        return self.model.values.origins(parameter.default)

    def _optional_evidence(self, entry: Entry, parameter: ToolParameter) -> Evidence:
        related: tuple[RelatedPlace, ...] = ()
        if parameter.module is not entry.anchor_module or parameter.source != "parameter":
            related = (RelatedPlace(entry.anchor_module, entry.anchor, "the tool that takes it"),)
        return Evidence(
            "IDM402",
            parameter.module,
            parameter.node,
            {"key": parameter.name, "tool": entry.name},
            "OP-7",
            "a model leaves out what it may, most of all when it tries again",
            related,
            entry,
            subject=parameter,
        )

    # hints

    def _hints(self, entry: Entry) -> Iterator[Evidence]:
        written = self._written_hints(entry)
        if not written or entry.function is None:
            return
        read_only, idempotent = written
        if read_only is not None:
            act = self._act(entry)
            if act is not None:
                yield self._hint_evidence(entry, read_only, act)
                return
        keys = self.model.entries.key_parameters(entry)
        if any(self.model.key_paths.of(entry, parameter).arrives for parameter in keys):
            return
        if idempotent is not None:
            repeated = self.tools.unguarded(entry)
            if repeated:
                yield self._hint_evidence(entry, idempotent, repeated[0])

    def _act(self, entry: Entry) -> Occurrence | None:
        """An effect that proves that a tool does more than read."""
        reading = self.model.tool_names.read(entry.name)
        for occurrence in self.model.runs.occurrences(entry.frame):
            deed = occurrence.deed
            if not deed.is_effect or self._is_bookkeeping(deed, reads=reading.reads):
                continue
            is_plain = deed.method and deed.method not in _OVERWRITING
            # how a host treats a plain request without key is told by the name of the tool
            says_nothing = reading.verb is None or self.tools.is_soft(entry, deed)
            if is_plain and says_nothing and not self.model.keys.of(deed):
                continue
            return occurrence
        return None

    def _is_bookkeeping(self, deed: Deed, *, reads: bool) -> bool:
        """A cache, a log or a file of its own, beside a read."""
        if deed.store is not None and deed.store.kind == "file":
            return True
        return reads and (deed.own or deed.method == "?")

    def _written_hints(self, entry: Entry) -> tuple[WrittenHint | None, WrittenHint | None] | None:
        """The hints `read-only` and `idempotent` that are set to true."""
        options, row = entry.options, entry.tool
        if options is None or row is None:
            return None
        value = _declared(options.node, row.hints)
        if value is None:
            return None
        found: list[WrittenHint | None] = [None, None]
        for call_path, hint in self._set_hints(Place(value, options.frame, options.statement)):
            for number, names in enumerate(self._spellings(call_path, options)):
                if hint.name in names and _is_true(hint.value):
                    found[number] = hint
        return found[0], found[1]

    def _set_hints(self, place: Place) -> Iterator[tuple[str, WrittenHint]]:
        """What is set in a dictionary of hints, or in the call of a class of them."""
        for symbol in self.model.names.resolve(place):
            if isinstance(symbol, Literal) and isinstance(symbol.node, ast.Dict):
                module = symbol.place.frame.module
                for key, value in zip(symbol.node.keys, symbol.node.values, strict=True):
                    if isinstance(key, ast.Constant):
                        yield "", WrittenHint(str(key.value), key, value, module)
            elif isinstance(symbol, External) and symbol.made is not None:
                made = symbol.made
                if isinstance(made.node, ast.Call):
                    for keyword in made.node.keywords:
                        if keyword.arg is not None:
                            written = WrittenHint(
                                keyword.arg, keyword, keyword.value, made.frame.module
                            )
                            yield symbol.path, written

    def _spellings(self, path: str, options: Place) -> tuple[set[str], set[str]]:
        """The names of both hints for a class of hints, or the call that takes a dictionary."""
        paths = [path]
        if not path and isinstance(options.node, ast.Call):
            func = Place(options.node.func, options.frame, options.statement)
            paths = self.model.names.paths(func)
        rows = [row for each in paths for row in self.model.knowledge.hints(each)]
        if not path and not rows:
            # a dictionary is read by the class of hints that stands behind it
            rows = self.model.knowledge.rows("hint")
        return (
            {name for row in rows for name in row.read_only},
            {name for row in rows for name in row.idempotent},
        )

    def _hint_evidence(self, entry: Entry, hint: WrittenHint, act: Occurrence) -> Evidence:
        deed = act.deed
        related = [RelatedPlace(entry.anchor_module, entry.anchor, f"the tool `{entry.name}`")]
        for hop in act.hops[:-1]:
            label = f"`{shown(hop.event.node.func)}` leads to the effect"
            related.append(RelatedPlace(hop.frame.module, hop.event.node, label))
        related.append(RelatedPlace(deed.place.frame.module, deed.call, deed_phrase(deed)))
        return Evidence(
            "IDM404",
            hint.module,
            hint.node,
            {"hint": hint.name, "tool": entry.name, "effect": deed_phrase(deed)},
            "OP-7",
            "a host repeats without asking what the tool says that it may repeat",
            tuple(related),
            entry,
            subject=hint,
        )


def _parameters(origins: tuple[Origin, ...]) -> bool:
    return any(origin.kind is ValueKind.PARAMETER for origin in origins)


def _declared(node: ast.expr, places: tuple[int | str, ...]) -> ast.expr | None:
    """What a call, or a dictionary, that declares a tool says at one of the places."""
    if isinstance(node, ast.Call):
        return argument(node, places)
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in places:
                return value
    return None


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True

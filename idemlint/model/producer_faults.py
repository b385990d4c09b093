"""Producers and queues that cannot tell a repeat (IDM503)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.arguments import argument, given
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.symbols import Constant, External, Place
from idemlint.model.text import text_of
from idemlint.model.words import shown
from idemlint.source.requirements import is_older

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.deeds import Deed
    from idemlint.model.entries import Entry
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Occurrence

__all__ = ["ProducerFaults"]


class ProducerFaults:
    """Looks at the producers and queues that entries write to."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The producers that the entries of a module use, wherever they are made."""
        seen: set[ast.AST] = set()
        for entry in self.model.entries.of(module):
            if entry.function is None:
                continue
            for occurrence in self.model.runs.occurrences(entry.frame):
                evidence = self._judge(occurrence, entry)
                if evidence is not None and evidence.node not in seen:
                    seen.add(evidence.node)
                    yield evidence

    def _judge(self, occurrence: Occurrence, entry: Entry) -> Evidence | None:
        deed = occurrence.deed
        if deed.effect is None or deed.key is None:
            return None
        if deed.key.setting:
            return self._producer(occurrence, entry)
        if deed.effect.when == "fifo" and deed.duplicates:
            return self._queue(occurrence, entry)
        return None

    # producers

    def _producer(self, occurrence: Occurrence, entry: Entry) -> Evidence | None:
        deed = occurrence.deed
        assert deed.key is not None and deed.effect is not None
        func = deed.call.func
        if not isinstance(func, ast.Attribute):
            return None
        receiver = Place(func.value, deed.place.frame, deed.place.statement)
        for symbol in self.model.names.resolve(receiver):
            made = symbol.made if isinstance(symbol, External) else None
            if made is None or not isinstance(made.node, ast.Call):
                continue
            if self._is_off(deed, made):
                return self._evidence(
                    occurrence,
                    entry,
                    made.frame.module,
                    made.node,
                    f"`{deed.key.setting}`",
                    "the broker drops what it has already, if the producer numbers its messages",
                    made,
                )
        return None

    def _is_off(self, deed: Deed, made: Place) -> bool:
        """Whether a constructor leaves the setting off, as far as all that it is given is known."""
        call = made.node
        assert isinstance(call, ast.Call) and deed.key is not None
        name = deed.key.setting
        setting = self._setting(name, made)
        if setting is not None:
            values = self.model.names.resolve(setting)
            return bool(values) and all(
                isinstance(s, Constant) and s.value in (False, "false", "False") for s in values
            )
        transactional = "transactional.id" if "." in name else "transactional_id"
        if self._setting(transactional, made) is not None or not self._is_whole(made):
            return False
        effect = deed.effect
        assert effect is not None
        if effect.automatic_key != "default-on":
            return True
        return bool(effect.automatic_since) and is_older(
            self._package(effect.provider), effect.automatic_since, made.frame.module.path.parent
        )

    def _setting(self, name: str, made: Place) -> Place | None:
        """What a constructor is given for a setting: a keyword, or an entry of a dictionary."""
        call = made.node
        assert isinstance(call, ast.Call)
        value = argument(call, (name,))
        if value is not None:
            return Place(value, made.frame, made.statement)
        for node in (*call.args, *(keyword.value for keyword in call.keywords)):
            for entry in self.model.values.mapping(Place(node, made.frame, made.statement)).entries:
                if entry.key == name:
                    return entry.value
        return None

    def _is_whole(self, made: Place) -> bool:
        """Whether all settings are seen: no dictionary of which a part is not known."""
        call = made.node
        assert isinstance(call, ast.Call)
        dictionaries = [*call.args, *(k.value for k in call.keywords if k.arg is None)]
        for node in dictionaries:
            mapping = self.model.values.mapping(Place(node, made.frame, made.statement))
            if mapping.is_open or not mapping.entries:
                return False
        return True

    def _package(self, provider: str) -> str:
        return next(
            (row.package for row in self.model.knowledge.rows("provider") if row.id == provider), ""
        )

    # queues

    def _queue(self, occurrence: Occurrence, entry: Entry) -> Evidence | None:
        deed = occurrence.deed
        if any(not use.identity for use in self.model.keys.of(deed)):
            return None
        name = self._queue_name(deed)
        if not name.endswith(tuple(self.model.knowledge.fifo["ends"])) or self._compares_content(
            deed, name
        ):
            return None
        if any(keyword.arg is None for keyword in deed.call.keywords) and not self._spreads(deed):
            return None
        assert deed.key is not None
        return self._evidence(
            occurrence,
            entry,
            deed.place.frame.module,
            deed.call,
            f"`{deed.key.name}`",
            f"{deed.title} drops a repeat that has the same deduplication id",
            None,
        )

    def _spreads(self, deed: Deed) -> bool:
        """Whether the dictionaries that are spread into a call are known as a whole."""
        place = deed.place
        return all(
            not self.model.values.mapping(
                Place(keyword.value, place.frame, place.statement)
            ).is_open
            for keyword in deed.call.keywords
            if keyword.arg is None
        )

    def _queue_name(self, deed: Deed) -> str:
        place = deed.place
        queues = self.model.knowledge.fifo["queues"]
        named = given(self.model.values, place, queues).places
        receiver = self._receiver(deed)
        if receiver is not None:
            named = (*named, Place(receiver, place.frame, place.statement))
        for value in named:
            text = text_of(self.model.names, value)
            if text:
                return text
        return ""

    def _receiver(self, deed: Deed) -> ast.expr | None:
        """The argument that made the object of a queue or topic."""
        func = deed.call.func
        if not isinstance(func, ast.Attribute):
            return None
        receiver = Place(func.value, deed.place.frame, deed.place.statement)
        for symbol in self.model.names.resolve(receiver):
            made = symbol.made if isinstance(symbol, External) else None
            if made is not None and isinstance(made.node, ast.Call):
                for value in (*made.node.args, *(k.value for k in made.node.keywords)):
                    return value
        return None

    def _compares_content(self, deed: Deed, name: str) -> bool:
        """Whether the project makes this queue with deduplication by content."""
        module = deed.place.frame.module
        text = module.source.text
        last = name.rpartition("/")[2].rpartition(":")[2]
        at = text.find("ContentBasedDeduplication")
        while at >= 0:
            if f'"{last}"' in text[max(0, at - 400) : at + 400]:
                return True
            at = text.find("ContentBasedDeduplication", at + 1)
        return False

    def _evidence(
        self,
        occurrence: Occurrence,
        entry: Entry,
        module: Module,
        node: ast.AST,
        setting: str,
        reason: str,
        made: Place | None,
    ) -> Evidence:
        related = [
            RelatedPlace(hop.frame.module, hop.event.node, f"`{entry.name}` writes through it")
            for hop in occurrence.hops[:1]
            if hop.event.node is not node
        ]
        return Evidence(
            "IDM503",
            module,
            node,
            {"call": shown(node), "setting": setting},
            "OP-1",
            reason,
            tuple(related),
            entry,
            subject=(occurrence, made),
        )

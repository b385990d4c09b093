"""What the name of a tool says about its effect, where its body cannot say it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.knowledge.facts import snake_case

if TYPE_CHECKING:
    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge

__all__ = ["NameReading", "ToolNames"]

_WORD = re.compile(r"[^0-9A-Za-z]+")


@dataclass(frozen=True, slots=True)
class NameReading:
    """The verb row that a name is read as; `None` for a read or a name that says nothing.

    `report` says whether the name alone is enough: yes, low, body or no. `reads` says that the name
    is that of a read, or of work that changes nothing.
    """

    verb: rows.Verb | None
    report: str = "no"
    reads: bool = False


class ToolNames:
    """Reads names of tools by `verbs.toml`."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        lists = knowledge.name_lists
        self._words = {name: frozenset(values) for name, values in lists["words"].items()}
        self._objects = {name: frozenset(values) for name, values in lists["objects"].items()}
        self._verbs = {verb: row for row in knowledge.rows("verb") for verb in row.verbs}
        self._overrides = [
            (re.compile(row.pattern), row.whole) for row in knowledge.rows("override")
        ]

    @functools.lru_cache(maxsize=2048)  # noqa: B019 - lives as long as the run
    def read(self, name: str, parameters: tuple[str, ...] = ()) -> NameReading:
        """What a name says, and those of the parameters where they name what is made."""
        words = [w for w in _WORD.split(snake_case(name).replace("_", " ")) if w]
        while words and words[0] in self._words["leading"]:
            words = words[1:]
        while len(words) > 1 and words[-1] in self._words["trailing"]:
            words = words[:-1]
        if not words:
            return NameReading(None)
        joined = "_".join(words)
        bare = words[1:] if len(words) > 1 and words[0] in self._words["vendors"] else words
        for pattern, whole in self._overrides:
            if pattern.fullmatch(joined) or (not whole and pattern.fullmatch("_".join(bare))):
                return NameReading(None, reads=True)
        found = self._verb_of(bare)
        if found is None:
            return NameReading(None, reads=self._is_read(bare))
        at, row = found
        if row.first_only and len(bare) == 1 < len(words):
            # `square_order`: a noun as much as a verb
            return NameReading(row, "body")
        reading = self._softened(row, bare[at], bare[at + 1 :])
        if reading.report == "yes" and self._is_placed(bare[at], bare[at + 1 :], parameters):
            return NameReading(row, "no")
        if bare[at] in self._objects["brought_verbs"] and any(
            name in self._objects["brought_to"] for name in parameters
        ):
            return NameReading(row, "no")
        return reading

    def is_noun(self, name: str) -> bool:
        """Whether a whole name is a noun as much as a verb."""
        return name in self._words["nouns"]

    def _is_placed(self, verb: str, rest: list[str], parameters: tuple[str, ...]) -> bool:
        """Whether a parameter says where what is made will stand, so that a second one is the same."""
        objects = self._objects
        return (
            verb in objects["placed_verbs"]
            and self._object_of(rest) in objects["placed"]
            and any(name in objects["place"] for name in parameters)
        )

    def _object_of(self, rest: list[str]) -> str:
        """The word that says what a verb acts on: the last one before `from`, `in`, `to`."""
        for at, word in enumerate(rest):
            if at and word in self._words["prepositions"]:
                return rest[at - 1]
        return rest[-1] if rest else ""

    def _is_read(self, words: list[str]) -> bool:
        """Whether a name starts as a read does, or is a noun of one."""
        if not self._words["read"].isdisjoint(words):
            return True
        return words[-1] in self._words["read_nouns"] and words[0] not in self._verbs

    def _verb_of(self, words: list[str]) -> tuple[int, rows.Verb] | None:
        head = 0
        while head < len(words) - 1 and words[head] in self._words["adverbs"]:
            head += 1
        for at, word in enumerate(words):
            if word in self._words["read"]:
                return None
            row = self._verbs.get(word)
            if row is None:
                continue
            if not row.first_only:
                return at, row
            if at == head:
                rest = words[at + 1 :]
                if any(other in self._words["read"] for other in rest):
                    return None
                if len(rest) == 1 and rest[0] in self._words["read_nouns"]:
                    return None
                if words[-1] in self._words["final_verbs"] and len(words) > 1:
                    last = self._verbs.get(words[-1])
                    return (len(words) - 1, last) if last is not None else None
                return at, row
        return None

    def _softened(self, row: rows.Verb, verb: str, rest: list[str]) -> NameReading:
        objects = self._objects
        report = row.report
        if row.objects and not any(word in row.objects for word in rest):
            return NameReading(row, "body")
        last = self._object_of(rest)
        if (
            (verb in objects["set_verbs"] and any(word in objects["set"] for word in rest))
            or (verb in objects["set_verbs"] and "to" in rest and rest[-1] in objects["set_to"])
            or (
                verb in objects["unique_verbs"]
                and (last in objects["unique"] or "_".join(rest[-2:]) in objects["unique"])
            )
            or (
                verb in objects["pure_verbs"]
                and (last in objects["pure"] or any(word in objects["pure_tail"] for word in rest))
            )
            or (verb in objects["overwrites_verbs"] and last in objects["overwrites"])
        ):
            report = "no"
        elif verb in objects["low_verbs"] and last in objects["low"]:
            report = "low"
        return NameReading(row, report)

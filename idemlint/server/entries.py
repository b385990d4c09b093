"""What the inventory tells in the editor: over the name of a tool, and as a code lens."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from idemlint import catalogue
from idemlint.diagnostic import Position, Range
from idemlint.output.inventory_report import effect_text, guard_text, key_text, operation_url
from idemlint.server.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from idemlint.inventory import CodePlace, EffectRecord, EntryRecord, Step
    from idemlint.server.checks import Checked
    from idemlint.server.client import Locator
    from idemlint.session import Session
    from idemlint.source.text import SourceText

__all__ = ["OPEN", "Entries", "name_range"]

OPEN = "idemlint.open"
"""The command of a lens; its argument is a place or a page, as `window/showDocument` takes it."""

_NAMED = re.compile(
    r"(?:(?:async\s+)?def|class)\s+(?P<name>\w+)|(?P<text>(?:\w+|['\"][^'\"]*['\"]))"
)
_NEEDS = {
    "required": "key required",
    "optional": "key optional",
    "none": "no key",
    "unknown": "key not known",
}
_MOST = 4
"""Effects, unknown calls or findings of an entry that are listed."""


@dataclass
class Entries:
    """The entries of one result. All of this runs on the worker, and the host may break it off."""

    session: Session
    checked: Checked

    @functools.cached_property
    def records(self) -> list[EntryRecord]:
        """What the inventory knows of the entries in the file."""
        target = self.checked.target
        return [] if target is None else self.session.entries(self.checked.beside, target.path)

    @functools.cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where the entries start, row and column: a cheap question beside that for the records."""
        target = self.checked.target
        return [] if target is None else self.session.entry_places(self.checked.beside, target.path)

    def lenses(self, uri: str) -> list[types.CodeLens]:
        """A lens over each entry, of which only the place is known yet."""
        found = []
        for row, column in self.places:
            placed = self._placed(row, column)
            if placed is not None and placed[0] == uri:
                data = {"uri": uri, "row": row, "column": column}
                found.append(types.CodeLens(placed[1], data=data))
        return found

    def resolved(self, row: int, column: int) -> types.Command | None:
        """What a lens says, and what a click on it does; `None` if no entry is there any more."""
        here = self._at(row, column)
        if not here:
            return None
        names = len(here) > 1
        title = " | ".join(
            f"{entry.name}: {lens_title(entry)}" if names else lens_title(entry) for entry in here
        )
        argument = next(filter(None, map(_opened, here)), None)
        return types.Command(
            title, OPEN if argument else "", arguments=[argument] if argument else None
        )

    def hover(
        self, uri: str, position: types.Position, locator: Locator
    ) -> tuple[types.Range, str] | None:
        """What is told over the name of an entry, as Markdown, and the range that it is about."""
        for row, column in self.places:
            placed = self._placed(row, column)
            if placed is None or placed[0] != uri or not _holds(placed[1], position):
                continue
            texts = [entry_text(found, locator) for found in self._at(row, column)]
            return (placed[1], "\n\n---\n\n".join(texts)) if texts else None
        return None

    def _at(self, row: int, column: int) -> list[EntryRecord]:
        return [
            entry
            for entry in self.records
            if (entry.place.row, entry.place.column) == (row, column)
        ]

    def _placed(self, row: int, column: int) -> tuple[str, types.Range] | None:
        """The address and the range of the name of the entry that starts at a place."""
        item = self.checked.item
        span = name_range(item.source, row, column)
        if isinstance(item, Document):
            return item.uri, item.places.range_to_client(span)
        placed = item.place(span)
        return None if placed is None else (placed[0].uri, placed[1])


def name_range(source: SourceText, row: int, column: int) -> Range:
    """The name in a `def` or `class` that starts at a place; else the word or text there."""
    start = Position(row, column)
    if row > source.row_count:
        return Range(start, start)
    offset = source.offset(start)
    found = _NAMED.match(source.text, offset)
    if found is None:
        return Range(start, start)
    return source.range(*found.span("name" if found["name"] is not None else "text"))


def lens_title(entry: EntryRecord) -> str:
    """An entry in a few words: its effect, its key, and the operation or how it stands."""
    has_effect = bool(entry.effects or entry.unknown)
    parts = [
        effect_text(entry),
        _NEEDS.get(entry.key.need, "") if has_effect else "",
        entry.operation or (entry.standing.value if has_effect else ""),
    ]
    return " · ".join(filter(None, parts))


def _opened(entry: EntryRecord) -> dict[str, Any] | None:
    """What a click on the lens opens: the page of the operation, else the effect in the code."""
    url = operation_url(entry.operation)
    if url:
        return {"uri": url, "external": True}
    effect = entry.main_effect
    if effect is None:
        return None
    place = effect.place
    return {"path": str(place.path), "row": place.row, "column": place.column}


def entry_text(entry: EntryRecord, locator: Locator) -> str:
    """An entry's line of the inventory, as Markdown."""
    what = f"{entry.framework} {entry.kind}".strip()
    standing = entry.standing
    lines = [f"**{entry.name}** ({what}): {standing.value}, {standing.summary}", ""]
    lines += (f"- {line}" for line in _facts(entry, locator))
    return "\n".join(lines)


def _facts(entry: EntryRecord, locator: Locator) -> Iterator[str]:
    main = entry.main_effect
    if main is None:
        yield f"effect: {effect_text(entry)}"
    effects = sorted(entry.effects, key=lambda effect: effect is not main)
    for effect in effects[:_MOST]:
        yield f"effect: {effect.phrase}: {_way(effect.steps, locator)}"
    yield from _more(len(effects), "effects")
    for call in entry.unknown[:_MOST]:
        yield f"not known: {_way(call.steps[-1:], locator)}, {call.reason}"
    yield from _more(len(entry.unknown), "calls that are not known")
    if entry.key.need != "n/a":
        yield f"key: {key_text(entry)}"
    yield from _guards(entry, effects[:_MOST], locator)
    for replay in entry.replays:
        place = "" if replay.place is None else f" ({_link(replay.place, locator)})"
        yield f"again: {replay.text}{place}"
    if entry.operation:
        yield f"operation: {_operation(entry)}"
    for finding in entry.findings[:_MOST]:
        yield f"finding: {_code(finding.code)} {finding.message}"
    yield from _more(len(entry.findings), "findings")
    for finding in entry.silenced[:_MOST]:
        yield f"silenced: {_code(finding.code)}"


def _guards(entry: EntryRecord, effects: Iterable[EffectRecord], locator: Locator) -> Iterator[str]:
    if not entry.guards:
        yield f"guard: {guard_text(entry)}"
    for guard in dict.fromkeys(effect.guard for effect in effects if effect.guard is not None):
        word = "guard" if guard.holds else "no guard"
        yield f"{word}: {guard.text} ({_link(guard.place, locator)})"


def _more(count: int, what: str) -> Iterator[str]:
    if count > _MOST:
        yield f"and {count - _MOST} more {what}"


def _way(steps: Sequence[Step], locator: Locator) -> str:
    return " → ".join(f"`{step.call}` ({_link(step.place, locator)})" for step in steps)


def _link(place: CodePlace, locator: Locator) -> str:
    """A place in the code, as a link where the editor can follow it."""
    position = Position(place.row, place.column)
    location = locator.location(place.path, Range(position, position))
    if location is None:
        return f"{place.path.name}:{place.row}"
    row = location.range.start.line + 1
    if not location.uri.startswith("file:"):
        return f"row {row}"
    return f"[{place.path.name}:{row}]({location.uri}#L{row})"


def _operation(entry: EntryRecord) -> str:
    known = catalogue.operations().get(entry.operation)
    name = f"{entry.operation} {known.name}" if known is not None else entry.operation
    url = operation_url(entry.operation)
    link = f"[{name}]({url})" if url else name
    return f"{link}: {entry.reason}" if entry.reason else link


def _code(code: str) -> str:
    rule = catalogue.rule(code)
    return code if rule is None else f"[{code}]({rule.url})"


def _holds(span: types.Range, position: types.Position) -> bool:
    start = (span.start.line, span.start.character)
    end = (span.end.line, span.end.character)
    return start <= (position.line, position.character) <= end

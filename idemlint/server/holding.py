"""Findings that a half-typed statement hides: they stay until it can be read again.

A function does not parse while a line in it is typed. What was found in it, or through it, is held as
long as the row that it starts in stays as it was, and moves with that.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from idemlint.diagnostic import Position, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic
    from idemlint.source.text import SourceText

__all__ = ["Rows", "Settled", "Text", "held"]

Rows = tuple[int, int]
"""The first and the last of some rows, from 1."""

_UNUSED = "IDM001"


@dataclass(frozen=True)
class Text:
    """A text as it is now, with the rows of its statements that do not parse."""

    source: SourceText
    broken: tuple[Rows, ...] = ()


@dataclass(frozen=True)
class Settled:
    """What was found in a text when all of it and of its neighbours could be read last."""

    source: SourceText
    diagnostics: tuple[Diagnostic, ...] = ()


def held(
    path: str,
    found: Sequence[Diagnostic],
    texts: Mapping[str, Text],
    settled: Mapping[str, Settled],
) -> list[Diagnostic]:
    """What to show of a file while some of `texts` cannot be read: `found`, and what is hidden.

    A comment that silences what is hidden is not told to be unused.
    """
    before = settled.get(path)
    moves = {
        name: _Move(known.source, texts[name].source)
        for name, known in settled.items()
        if name in texts
    }
    moved = [
        (entry, _moved(entry, moves)) for entry in (() if before is None else before.diagnostics)
    ]
    kept = [
        (now, _is_hidden(now, texts) or len(now.related) < len(entry.related))
        for entry, now in moved
        if now is not None
    ]
    known = {_key(entry) for entry, _ in kept}
    shown = [entry for entry in found if entry.code != _UNUSED or _key(entry) in known]
    told = {_key(entry) for entry in shown}
    return shown + [entry for entry, hidden in kept if hidden and _key(entry) not in told]


def _key(diagnostic: Diagnostic) -> tuple[str, Range]:
    return diagnostic.code, diagnostic.range


def _is_hidden(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> bool:
    """Whether something that a finding is about stands in a statement that does not parse."""
    return any(
        first <= span.start.row <= last
        for path, span in _places(diagnostic)
        if (text := texts.get(os.fspath(path))) is not None
        for first, last in text.broken
    )


def _places(diagnostic: Diagnostic) -> Iterable[tuple[Path, Range]]:
    yield diagnostic.path, diagnostic.range
    for related in diagnostic.related:
        yield related.path, related.range


def _moved(diagnostic: Diagnostic, moves: Mapping[str, _Move]) -> Diagnostic | None:
    """A finding where its rows are now; `None` where the row that it starts in was changed.

    Of what is related, the rows that are just being typed are left out.
    """
    span = _moved_range(diagnostic.path, diagnostic.range, moves)
    if span is None:
        return None
    places = [(_moved_range(r.path, r.range, moves), r) for r in diagnostic.related]
    related = tuple(replace(entry, range=place) for place, entry in places if place is not None)
    return replace(diagnostic, range=span, related=related, noqa_row=None, fix=None)


def _moved_range(path: Path, span: Range, moves: Mapping[str, _Move]) -> Range | None:
    move = moves.get(os.fspath(path))
    return span if move is None else move.range(span)


class _Move:
    """Where the rows of a text are in a later one, if they stayed as they were."""

    def __init__(self, before: SourceText, after: SourceText) -> None:
        self._count = before.row_count
        self._by = after.row_count - before.row_count
        if before is after:
            self._above, self._below = before.row_count, 0
            return
        old, new = _rows(before), _rows(after)
        self._above = _same(old, new)
        most = min(len(old), len(new)) - self._above
        self._below = min(_same(old[::-1], new[::-1]), most)

    def range(self, span: Range) -> Range | None:
        """The range now; `None` where something in it was changed."""
        if span.end.row <= self._above:
            return span
        if span.start.row > self._count - self._below:
            return Range(self._down(span.start), self._down(span.end))
        return None

    def _down(self, position: Position) -> Position:
        return replace(position, row=position.row + self._by)


def _rows(source: SourceText) -> list[str]:
    starts = [*source.row_starts, len(source.text)]
    return [source.text[start:end] for start, end in pairwise(starts)]


def _same(one: list[str], other: list[str]) -> int:
    """How many rows are the same from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))

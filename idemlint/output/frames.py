"""Which rows of code are shown around the places that a finding is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from idemlint.diagnostic import Position, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idemlint.source.text import SourceText

__all__ = ["Frame", "Mark", "frames", "gutter_width"]

_CONTEXT = 2
# Places with more rows between them than this get frames of their own.
_NEAR = 20
# Of a range with more rows than this only the first and the last ones are shown.
_LONG = 12
_ENDS = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """A range to underline, with its label; the primary one is what the finding is about."""

    range: Range
    label: str
    style: str
    is_primary: bool = False

    @property
    def has_several_rows(self) -> bool:
        """Whether it is drawn as a bracket."""
        return self.range.start.row < self.range.end.row

    @property
    def sign(self) -> str:
        """What underlines it."""
        return "^" if self.is_primary else "-"


@dataclass(frozen=True, slots=True)
class Frame:
    """Rows of one text, in order, with the marks on them; gaps between the rows are left out."""

    source: SourceText
    rows: tuple[int, ...]
    marks: tuple[Mark, ...]

    @property
    def place(self) -> Position:
        """Where it points: to its primary mark, else to the first one."""
        first = min(self.marks, key=lambda mark: (not mark.is_primary, mark.range))
        return first.range.start


def frames(source: SourceText, marks: Sequence[Mark]) -> list[Frame]:
    """The frames that show `marks`, the one with the primary mark first, else from top to bottom.

    Marks near each other share a frame, those of one range become one. A range that ends at the
    start of a row ends on the row before it.
    """
    groups: list[tuple[set[int], list[Mark]]] = []
    for mark in _merged(_within(source, mark) for mark in marks):
        rows = _window(source, mark.range)
        if groups and min(rows) - max(groups[-1][0]) <= _NEAR + 1:
            groups[-1][0].update(rows)
            groups[-1][1].append(mark)
        else:
            groups.append((rows, [mark]))
    made = [Frame(source, tuple(_joined(rows)), tuple(marks)) for rows, marks in groups]
    return sorted(made, key=lambda frame: not any(mark.is_primary for mark in frame.marks))


def gutter_width(shown: Sequence[Frame]) -> int:
    """How many digits the row numbers of these frames need; 0 where there are no frames."""
    return max((len(str(frame.rows[-1])) for frame in shown), default=0)


def _within(source: SourceText, mark: Mark) -> Mark:
    """`mark` with a range in the text, and not on the empty row behind the last newline."""
    start, end = mark.range.start, mark.range.end
    if end.row > start.row and end.column == 1:
        end = Position(end.row - 1, len(source.row(end.row - 1)) + 1)
    last = source.row_count
    if last > 1 and start.row >= last and not source.row(last):
        start = end = Position(last - 1, len(source.row(last - 1)) + 1)
    start = Position(min(start.row, last), start.column)
    end = max(start, Position(min(end.row, last), end.column))
    return replace(mark, range=Range(start, end))


def _merged(marks: Iterator[Mark]) -> list[Mark]:
    """The marks in order, one for each range."""
    found: dict[Range, Mark] = {}
    for mark in marks:
        other = found.get(mark.range)
        if other is None:
            found[mark.range] = mark
            continue
        labels = dict.fromkeys(filter(None, (other.label, mark.label)))
        kept = mark if mark.is_primary else other
        found[mark.range] = replace(kept, label=", ".join(labels))
    return sorted(found.values(), key=lambda mark: mark.range)


def _window(source: SourceText, span: Range) -> set[int]:
    """The rows of a range and two around it, without empty edges; of a long one only the ends."""
    first, last = span.start.row, span.end.row
    above = range(max(first - _CONTEXT, 1), first)
    below = range(last + 1, min(last + _CONTEXT, source.row_count) + 1)
    top = next((row for row in above if source.row(row).strip()), first)
    bottom = next((row for row in reversed(below) if source.row(row).strip()), last)
    rows = set(range(top, bottom + 1))
    if last - first + 1 > _LONG:
        rows -= set(range(first + _ENDS, last - _ENDS + 1))
    return rows


def _joined(rows: set[int]) -> Iterator[int]:
    """`rows` in order, and each row that alone is missing between two: a sign is no shorter."""
    ordered = sorted(rows)
    for before, after in pairwise(ordered):
        yield before
        if after == before + 2:
            yield before + 1
    yield ordered[-1]

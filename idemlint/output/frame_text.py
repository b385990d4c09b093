"""A frame of code as lines of text, in the layout of Ruff and rustc."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.output.canvas import Canvas, TextLine
from idemlint.output.styles import GUTTER, styled
from idemlint.output.underlines import Part, Piece, draw_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idemlint.output.frames import Frame, Mark

__all__ = ["bar", "frame_lines"]

_COLUMNS = 140
_CUT = "…"
_LEFT_OUT = "..."
# How much code stays in sight around what is marked, where lines are cut.
_AROUND = 6


def bar(width: int, *, color: bool) -> str:
    """The start of a line that belongs to no row of code; `width` is that of the row numbers."""
    return f"{'':{width}} {styled('|', GUTTER, color=color)}"


def frame_lines(frame: Frame, width: int, *, color: bool) -> Iterator[str]:
    """The lines of a frame, from the empty one above its code on.

    An empty one follows the code unless the last row has something drawn below it.
    """
    blank = bar(width, color=color)
    yield blank
    layout = _Layout.of(frame, width)
    drawn: list[str] = []
    for row, next_row in zip(frame.rows, (*frame.rows[1:], frame.rows[-1] + 1), strict=True):
        drawn = list(layout.draw(row).lines(color=color))
        number = styled(f"{row:>{width}}", GUTTER, color=color)
        first, *below = drawn or [""]
        yield f"{number}{blank[width:]} {first}".rstrip()
        yield from (f"{blank} {line}".rstrip() for line in below)
        if next_row != row + 1:
            yield layout.gap(row, width, color=color)
    if len(drawn) < 2:
        yield blank


@dataclass(frozen=True, slots=True)
class _Bracket:
    """A mark of several rows; `depth` is the column of its bracket, from 1 on the left."""

    mark: Mark
    depth: int

    def is_open(self, row: int) -> bool:
        """Whether it goes on below `row`."""
        return self.mark.range.start.row <= row < self.mark.range.end.row


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where everything in a frame is drawn; columns count from 0.

    `left` columns of the code are cut off and `columns` are shown, from `code_column` on.
    """

    lines: dict[int, TextLine]
    marks: tuple[Mark, ...]
    brackets: tuple[_Bracket, ...]
    left: int
    columns: int
    code_column: int

    @classmethod
    def of(cls, frame: Frame, width: int) -> _Layout:
        lines = {row: TextLine.of(frame.source.row(row)) for row in frame.rows}
        brackets = _brackets([mark for mark in frame.marks if mark.has_several_rows])
        code_column = max((bracket.depth + 1 for bracket in brackets), default=0)
        columns = _COLUMNS - width - len(" | ") - code_column
        left = _cut_left(lines, frame.marks, columns)
        return cls(lines, frame.marks, brackets, left, columns, code_column)

    def draw(self, row: int) -> Canvas:
        """The code of `row` with all that is drawn below and beside it."""
        canvas, line = Canvas(), self.lines[row]
        left = min(self.left, len(line.cells))
        canvas.put_all(0, self.code_column, self._shown(line))
        pieces = [
            self._piece(mark, Part.WHOLE, line, left)
            for mark in self.marks
            if not mark.has_several_rows and mark.range.start.row == row
        ]
        for bracket in self.brackets:
            if bracket.mark.range.start.row == row:
                pieces.append(self._piece(bracket.mark, Part.START, line, left, bracket.depth))
            elif bracket.mark.range.end.row == row:
                pieces.append(self._piece(bracket.mark, Part.END, line, left, bracket.depth))
        height = draw_pieces(canvas, pieces, self.code_column, line.indentation - left)
        for bracket in self.brackets:
            if bracket.is_open(row) and bracket.mark.range.start.row < row:
                for below in range(height + 1):
                    canvas.put(below, bracket.depth - 1, "|", bracket.mark.style)
        return canvas

    def gap(self, row: int, width: int, *, color: bool) -> str:
        """The line that stands for the rows left out below `row`."""
        canvas = Canvas()
        canvas.write(0, 0, _LEFT_OUT, GUTTER)
        for bracket in self.brackets:
            if bracket.is_open(row):
                canvas.put(0, width + len(" | ") + bracket.depth - 1, "|", bracket.mark.style)
        return next(canvas.lines(color=color))

    def _shown(self, line: TextLine) -> list[tuple[str, str]]:
        """The cells of a line with their styles, cut to the columns that are shown."""
        shown = [(cell, "") for cell in line.cells[self.left : self.left + self.columns]]
        if shown and self.left:
            shown[0] = (_CUT, GUTTER)
            if len(shown) > 1 and not shown[1][0]:
                shown[1] = (" ", "")
        if len(line.cells) - self.left > self.columns:
            shown[-1] = (_CUT, GUTTER)
        return shown

    def _piece(self, mark: Mark, part: Part, line: TextLine, left: int, depth: int = 0) -> Piece:
        start, end = _columns(mark, part, line)
        start, end = (min(max(column - left, 0), self.columns) for column in (start, end))
        label = "" if part is Part.START else mark.label
        return Piece(
            part, start, max(end, start + 1), label, mark.sign, mark.style, mark.is_primary, depth
        )


def _columns(mark: Mark, part: Part, line: TextLine) -> tuple[int, int]:
    """The columns of a part of a mark on its line: of a bracket the first, or the last one."""
    start = line.column(mark.range.start.column - 1)
    end = line.column(mark.range.end.column - 1)
    if part is Part.START:
        return start, start + 1
    if part is Part.END:
        return max(end - 1, 0), end
    return start, max(end, start + 1)


def _brackets(marks: Sequence[Mark]) -> tuple[_Bracket, ...]:
    """Brackets for marks of several rows, none across another; the longest are on the left."""
    ordered = sorted(marks, key=lambda mark: (mark.range.start.row, -mark.range.end.row))
    depths = [1] * len(ordered)
    for number, mark in enumerate(ordered):
        for other in range(number):
            if ordered[other].range.end.row >= mark.range.start.row:
                depths[other] += 1
    deepest = max(depths, default=0)
    return tuple(
        _Bracket(mark, deepest - depth + 1) for mark, depth in zip(ordered, depths, strict=True)
    )


def _cut_left(lines: dict[int, TextLine], marks: Sequence[Mark], columns: int) -> int:
    """How many columns to cut off where a line is too long: what is marked moves to the middle."""
    if max(len(line.cells) for line in lines.values()) <= columns:
        return 0
    first, last = _extent(lines, marks)
    if last + _AROUND <= columns:
        return 0
    return max(first - max((columns - (last - first)) // 2, _AROUND), 0)


def _extent(lines: dict[int, TextLine], marks: Sequence[Mark]) -> tuple[int, int]:
    """The first column that is marked and the last one, labels included."""
    starts, ends = [], []
    for mark in marks:
        label = len(mark.label) + 1 if mark.label else 0
        parts = (Part.START, Part.END) if mark.has_several_rows else (Part.WHOLE,)
        for part in parts:
            row = mark.range.start.row if part is not Part.END else mark.range.end.row
            start, end = _columns(mark, part, lines[row])
            starts.append(start)
            ends.append(end if part is Part.START else end + label)
    return min(starts), max(ends)

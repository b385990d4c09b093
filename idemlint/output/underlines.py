"""What is drawn below and beside a row of code: underlines, their labels and brackets.

It looks as rustc and Ruff draw it: a label follows its underline where there is room, else it
hangs below; a range of several rows is a bracket on the left, joined to its first and last
character.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.output.canvas import Canvas

__all__ = ["Part", "Piece", "draw_pieces"]


class Part(enum.Enum):
    """Which part of a marked range a piece is."""

    WHOLE = "whole"
    START = "start"
    END = "end"


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a marked range that lies on one row.

    `start` and `end` are columns of the shown code from 0, `end` exclusive. `depth` is the column
    of the bracket, from 1, and 0 for `WHOLE`. `sign` underlines.
    """

    part: Part
    start: int
    end: int
    label: str
    sign: str
    style: str
    is_primary: bool
    depth: int = 0

    @property
    def is_joined(self) -> bool:
        """Whether a line joins it to its bracket."""
        return self.part is not Part.WHOLE

    @property
    def needs_room(self) -> bool:
        """Whether more than an underline is drawn for it."""
        return self.is_joined or bool(self.label)


def draw_pieces(canvas: Canvas, pieces: Sequence[Piece], code_column: int, indentation: int) -> int:
    """Draw all `pieces` of the code that stands in row 0 of `canvas`, from `code_column` on.

    `indentation` is how many columns of the code are space. Returns how many rows below the code
    were drawn upon.
    """
    if not pieces:
        return 0
    if all(piece.part is Part.START and piece.start <= indentation for piece in pieces):
        for piece in pieces:
            canvas.put(0, piece.depth - 1, "/", piece.style)
        return 0
    levels = _levels(pieces)
    height = max(_height(piece, level) for piece, level in levels)
    for piece, level in levels:
        _draw_bracket(canvas, piece, level, height, code_column)
    for piece, level in levels:
        _draw_label(canvas, piece, level, code_column)
    for piece in sorted(pieces, key=lambda piece: (piece.start - piece.end, piece.is_primary)):
        start, end = code_column + piece.start, code_column + piece.end
        canvas.fill(1, start, end, piece.sign, piece.style)
    return height


def _levels(pieces: Sequence[Piece]) -> list[tuple[Piece, int]]:
    """How far below the underlines the label or the line of each piece is: 0 is beside them.

    The further left, the lower, so that no label crosses the line down to another one. Where only
    brackets begin the inner one is the lower, so that no line crosses a bracket.
    """
    if all(piece.part is Part.START for piece in pieces):
        ordered = sorted(pieces, key=lambda piece: piece.depth)
        return [(piece, level) for level, piece in enumerate(ordered)]
    placed, lowest = [], 0
    for piece in sorted(pieces, key=lambda piece: piece.start, reverse=True):
        level = 0
        if piece.needs_room and not _fits_beside(piece, pieces):
            lowest += 1
            level = lowest
        placed.append((piece, level))
    return placed


def _fits_beside(piece: Piece, pieces: Sequence[Piece]) -> bool:
    """Whether nothing else stands where the label, or the line to the bracket, is drawn."""
    others = [other for other in pieces if other is not piece]
    if piece.is_joined and any(other.start < piece.start for other in others):
        return False
    reach = piece.end + len(piece.label) + (2 if piece.label else 0)
    return all(other.end <= piece.start or other.start >= reach for other in others) or all(
        piece.start <= other.start and other.end <= piece.end and not other.needs_room
        for other in others
        if other.end > piece.start
    )


def _height(piece: Piece, level: int) -> int:
    """How many rows below the code a piece takes: a label that hangs has a line above it."""
    if level == 0:
        return 1
    return level + 2 if piece.label else level + 1


def _draw_bracket(canvas: Canvas, piece: Piece, level: int, height: int, code_column: int) -> None:
    """The line from an underline to its bracket, and the bracket as far as the drawing goes."""
    if not piece.is_joined:
        return
    row = level + 1
    canvas.fill(row, piece.depth, code_column + piece.start, "_", piece.style)
    for below in range(2, row + 1):
        canvas.put(below, code_column + piece.start, "|", piece.style)
    rows = range(row + 1, height + 1) if piece.part is Part.START else range(row + 1)
    for below in rows:
        canvas.put(below, piece.depth - 1, "|", piece.style)


def _draw_label(canvas: Canvas, piece: Piece, level: int, code_column: int) -> None:
    if not piece.label:
        return
    if level == 0:
        canvas.write(1, code_column + piece.end + 1, piece.label, piece.style)
        return
    for below in range(2, level + 2):
        canvas.put(below, code_column + piece.start, "|", piece.style)
    canvas.write(level + 2, code_column + piece.start, piece.label, piece.style)

"""Text as the columns that a terminal gives to it, and a sheet that is drawn upon in any order."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from idemlint.output.printable import printable
from idemlint.output.styles import styled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Canvas", "TextLine"]

_TAB = "    "
_WIDE = ("W", "F")
_JOINED = ("Mn", "Me", "Cf")


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text, laid out.

    `cells` has one entry a column: a tab fills four with spaces, a wide character two (the second
    is empty), a combining mark joins the one before it, and what cannot be printed is a sign.
    `starts` has the column at which each code point begins, and the width of the whole at its end.
    """

    cells: tuple[str, ...]
    starts: Sequence[int]

    @classmethod
    def of(cls, text: str) -> TextLine:
        """The layout of `text`, which holds no newline."""
        if text.isascii() and text.isprintable():
            return cls(tuple(text), range(len(text) + 1))
        cells: list[str] = []
        starts = []
        for char in text:
            starts.append(len(cells))
            if char == "\t":
                cells.extend(_TAB)
                continue
            shown = printable(char)
            if not shown.isascii() and unicodedata.category(shown) in _JOINED:
                if cells:
                    cells[-1] += shown
                continue
            cells.append(shown)
            if not shown.isascii() and unicodedata.east_asian_width(shown) in _WIDE:
                cells.append("")
        return cls(tuple(cells), (*starts, len(cells)))

    def column(self, position: int) -> int:
        """The column, from 0, of a code point, from 0; past the end each counts as one column."""
        past = position - (len(self.starts) - 1)
        return self.starts[-1] + past if past > 0 else self.starts[max(position, 0)]

    @property
    def indentation(self) -> int:
        """How many columns of space come first."""
        return next((at for at, cell in enumerate(self.cells) if cell != " "), len(self.cells))


class Canvas:
    """Rows and columns from 0; what is drawn later covers what was drawn before."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, tuple[str, str]]] = {}

    def put(self, row: int, column: int, cell: str, style: str) -> None:
        """Draw one cell."""
        self._rows.setdefault(row, {})[column] = (cell, style)

    def put_all(self, row: int, column: int, cells: Iterable[tuple[str, str]]) -> None:
        """Draw cells with their styles from `column` on."""
        self._rows.setdefault(row, {}).update(enumerate(cells, start=column))

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Draw `text` from `column` on, without its spaces where it has no style."""
        self.put_all(row, column, ((cell, style) for cell in TextLine.of(text).cells))

    def fill(self, row: int, start: int, end: int, cell: str, style: str) -> None:
        """Draw the same cell from column `start` up to `end`, which is not drawn."""
        self.put_all(row, start, ((cell, style) for _ in range(start, end)))

    def lines(self, *, color: bool) -> Iterator[str]:
        """The rows from the first to the last that was drawn upon, without spaces at their ends."""
        for number in range(max(self._rows, default=-1) + 1):
            row = self._rows.get(number)
            if not row:
                yield ""
                continue
            filled = [row.get(column, (" ", "")) for column in range(max(row) + 1)]
            while filled and filled[-1][0] == " ":
                filled.pop()
            if not color:
                yield "".join([cell for cell, _ in filled])
                continue
            yield "".join(
                styled("".join(cell for cell, _ in group), style, color=color)
                for style, group in groupby(filled, key=lambda cell: cell[1])
            )

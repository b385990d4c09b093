"""Places as editors count them: rows and columns from 0, columns in units of an encoding."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from idemlint.diagnostic import Position, Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.source.text import SourceText

__all__ = ["Encoding", "Places", "chosen_encoding"]


class Encoding(enum.Enum):
    """What a column counts; the value is the name in the protocol."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    def width(self, text: str) -> int:
        """The number of units of a text."""
        if self is Encoding.UTF32 or text.isascii():
            return len(text)
        if self is Encoding.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def index(self, text: str, units: int) -> int:
        """The number of code points in the first `units` of a text.

        Units beyond the end count as the end, those inside of a character as its start.
        """
        if self is Encoding.UTF32 or text.isascii():
            return min(units, len(text))
        seen = 0
        for index, char in enumerate(text):
            seen += self.width(char)
            if seen > units:
                return index
        return len(text)


def chosen_encoding(offered: Sequence[str] | None) -> Encoding:
    """UTF-8 where the client offers it, as Ruff does; else the first that we know, else UTF-16."""
    known = {encoding.value: encoding for encoding in Encoding}
    names = [str(getattr(name, "value", name)) for name in offered or ()]
    if Encoding.UTF8.value in names:
        return Encoding.UTF8
    return next((known[name] for name in names if name in known), Encoding.UTF16)


@dataclass(frozen=True)
class Places:
    """Translates places of one text, as the linter and as the editor counts them.

    The text is that of the editor; a byte order mark, if it has one, counts there and not here.
    """

    source: SourceText
    encoding: Encoding

    def to_client(self, position: Position) -> types.Position:
        """A place for the editor; what lies behind the text is at its end."""
        if position.row > self.source.row_count:
            return self.end
        row = self.source.row(position.row)
        mark = _mark_width(row) if position.row == 1 else 0
        column = self.encoding.width(row[: mark + position.column - 1])
        return types.Position(position.row - 1, column)

    def range_to_client(self, span: Range) -> types.Range:
        """A range for the editor."""
        return types.Range(self.to_client(span.start), self.to_client(span.end))

    def from_client(self, position: types.Position) -> Position:
        """A place of the editor, cut to the text."""
        number = position.line + 1
        if number > self.source.row_count:
            number = self.source.row_count
            row = self.source.row(number)
            return Position(number, len(row) + 1 - (_mark_width(row) if number == 1 else 0))
        row = self.source.row(number)
        index = self.encoding.index(row, position.character)
        return Position(number, max(index - (_mark_width(row) if number == 1 else 0), 0) + 1)

    def range_from_client(self, span: types.Range) -> Range:
        """A range of the editor; one that ends before it starts is turned around."""
        one, other = self.from_client(span.start), self.from_client(span.end)
        return Range(min(one, other), max(one, other))

    def offset(self, position: types.Position) -> int:
        """The offset of a place of the editor in the text, cut to it; a row is cut at its end."""
        if position.line >= self.source.row_count:
            return len(self.source.text)
        number = position.line + 1
        index = self.encoding.index(self.source.row(number), position.character)
        return self.source.row_starts[position.line] + index

    @property
    def end(self) -> types.Position:
        """The end of the text."""
        number = self.source.row_count
        return types.Position(number - 1, self.encoding.width(self.source.row(number)))


def _mark_width(row: str) -> int:
    return 1 if row.startswith("\ufeff") else 0

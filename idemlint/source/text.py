r"""The text of one file, with its rows.

A row ends at `\n`, `\r\n` or a lone `\r`, as for Python and Ruff; form feeds and other separators
that `str.splitlines` knows do not end one. Offsets count code points of `SourceText.text`.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.diagnostic import Position, Range

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NOT_UTF8", "NotUtf8Error", "SourceText"]

NOT_UTF8 = "stream did not contain valid UTF-8"
_BOM = "\ufeff"
_ROW_END = re.compile(r"\r\n|\n|\r")


class NotUtf8Error(ValueError):
    """The file is not UTF-8; a coding line does not help, as with Ruff."""

    def __init__(self) -> None:
        super().__init__(NOT_UTF8)


@dataclass(frozen=True, eq=False)
class SourceText:
    """A decoded file. `text` is without the byte order mark; `has_bom` says if there was one."""

    path: Path
    text: str
    has_bom: bool = False

    @classmethod
    def decode(cls, path: Path, data: bytes) -> SourceText:
        """The text of `data`; raises `NotUtf8Error`."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise NotUtf8Error from None
        has_bom = text.startswith(_BOM)
        return cls(path, text[1:] if has_bom else text, has_bom)

    def encode(self) -> bytes:
        """The bytes of the file, byte order mark included."""
        return (_BOM + self.text if self.has_bom else self.text).encode("utf-8")

    @functools.cached_property
    def row_starts(self) -> list[int]:
        """The offset at which each row begins; never empty."""
        if "\r" in self.text:
            return [0, *(end.end() for end in _ROW_END.finditer(self.text))]
        lengths = itertools.accumulate(map(len, self.text.split("\n")), initial=0)
        starts = [*map(operator.add, lengths, itertools.count())]
        starts.pop()
        return starts

    @functools.cached_property
    def newline(self) -> str:
        r"""How the first row ends; `\n` where no row does."""
        found = _ROW_END.search(self.text)
        return found.group() if found else "\n"

    @property
    def row_count(self) -> int:
        """The number of rows; text behind the last newline counts as one, also if empty."""
        return len(self.row_starts)

    def row(self, number: int) -> str:
        """The text of a 1-based row without its newline; empty past the end."""
        starts = self.row_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def offset(self, position: Position) -> int:
        """The offset of a position, cut to the text."""
        row = min(max(position.row, 1), self.row_count)
        return min(self.row_starts[row - 1] + position.column - 1, len(self.text))

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        row = bisect.bisect_right(self.row_starts, offset)
        return Position(row, offset - self.row_starts[row - 1] + 1)

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets."""
        return Range(self.position(start), self.position(end))

    def slice(self, span: Range) -> str:
        """The text of a range."""
        return self.text[self.offset(span.start) : self.offset(span.end)]

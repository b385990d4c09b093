"""Notebooks: their Python cells as one module, places in the cells, and edits of single cells.

Which files are notebooks, which cells are read and how cells and rows count is as in Ruff. Not so
what an edit writes: Ruff lays out the whole file anew, here only the source of edited cells changes.
"""

from __future__ import annotations

import bisect
import functools
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from idemlint.diagnostic import Edit, Position, Range
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["Notebook", "NotebookCell", "NotebookError"]


class NotebookError(ValueError):
    """The file is no notebook that can be read; the message says why and is as Ruff's."""


class NotebookCell(NamedTuple):
    """A cell of Python code. `number` counts all cells of the notebook from 1.

    `text` is what stands in the cell; `start` and `end` are the offsets of its JSON in the file.
    """

    number: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Notebook:
    """A notebook. `cells` are those with Python code, in order; none if `is_python` is false.

    Cells of other kinds, of other languages and those that a magic command takes as a whole are not
    among them.
    """

    path: Path
    json: str
    cells: tuple[NotebookCell, ...]
    is_python: bool = True

    @classmethod
    def decode(cls, path: Path, data: bytes) -> Notebook:
        """The notebook in a file; raises `NotebookError`."""
        scanner = _Scanner(data.decode("utf-8", "surrogateescape"))
        raw = scanner.notebook()
        cells = tuple(
            NotebookCell(number, cell.text, cell.start, cell.end)
            for number, cell in enumerate(raw.cells, start=1)
            if raw.is_python and cell.is_python
        )
        return cls(path, scanner.text, cells, raw.is_python)

    @functools.cached_property
    def source(self) -> SourceText:
        """The cells as one module, each with a newline behind it.

        Commands of IPython are overwritten so that Python parses the rest: all stays in its place.
        """
        joined = "".join(f"{cell.text}\n" for cell in self.cells)
        return SourceText(self.path, _without_commands(joined or "\n"))

    @functools.cached_property
    def _first_rows(self) -> list[int]:
        rows, offset = [], 0
        for cell in self.cells:
            rows.append(self.source.position(offset).row)
            offset += len(cell.text) + 1
        return rows

    def cell_of(self, row: int) -> tuple[int, int]:
        """The number of the cell in which a row of `source` stands, and the row in that cell.

        What lies behind the last cell counts as its end; without cells all is at the first row.
        """
        index = bisect.bisect_right(self._first_rows, row) - 1
        if index < 0:
            return 1, 1
        return self.cells[index].number, row - self._first_rows[index] + 1

    def row_of(self, cell: int, row: int) -> int:
        """The row of `source` that is `row` in a cell; raises `KeyError` for a cell without code."""
        for found, first_row in zip(self.cells, self._first_rows, strict=True):
            if found.number == cell:
                return first_row + row - 1
        raise KeyError(cell)

    def cell_range(self, span: Range) -> tuple[int, Range]:
        """The number of the cell in which a range of `source` begins, and the range in that cell.

        An end in another cell counts there, as in Ruff's output.
        """
        cell, row = self.cell_of(span.start.row)
        end_row = self.cell_of(span.end.row)[1]
        start, end = Position(row, span.start.column), Position(end_row, span.end.column)
        return cell, Range(start, end)

    def cell_edit(self, edit: Edit) -> tuple[int, Edit]:
        """An edit of `source` as one of a cell.

        The newline between two cells stands in none: an edit that takes it ends where its cell does.
        """
        cell, span = self.cell_range(edit.range)
        if self.cell_of(edit.range.end.row)[0] != cell:
            row = edit.range.end.row - 1
            end = Position(self.cell_of(row)[1], len(self.source.row(row)) + 1)
            span = Range(span.start, end)
        return cell, Edit(edit.path, span, edit.content)

    def cell_text(self, cell: int) -> SourceText | None:
        """The text of a cell by its number, as it was written; `None` for one without code."""
        return next(
            (SourceText(self.path, found.text) for found in self.cells if found.number == cell),
            None,
        )

    def with_edits(self, edits: Mapping[int, Sequence[Edit]]) -> bytes:
        """The file with edits to cells, by their numbers; rows and columns are those of the cell.

        All but the source of these cells keeps its bytes, and of their sources what no edit
        touches. The edits of a cell must not overlap. Raises `KeyError` for a cell without code.
        """
        cells = {cell.number: cell for cell in self.cells}
        replaced = sorted((cells[number], edits[number]) for number in edits if edits[number])
        is_ascii = self.json.isascii() and _WIDE_ESCAPE.search(self.json) is not None
        parts, last = [], 0
        for cell, changes in replaced:
            literal = _Literal(self.json[cell.start : cell.end], is_ascii=is_ascii)
            parts += [self.json[last : cell.start], literal.with_edits(cell.text, changes)]
            last = cell.end
        return "".join([*parts, self.json[last:]]).encode()


# Which cells are Python.

_AUTOMAGICS = frozenset(
    """alias alias_magic autoawait autocall automagic bookmark cd code_wrap colors conda config
    debug dhist dirs doctest_mode edit env gui history killbgscripts load load_ext loadpy logoff
    logon logstart logstate logstop lsmagic macro magic mamba matplotlib micromamba notebook page
    pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd
    pwd pycat pylab quickref recall rehashx reload_ext rerun reset reset_selective run save sc
    set_env sx system tb time timeit unalias unload_ext who who_ls whos xdel xmode""".split()
)
_ASSIGNMENTS = frozenset("= += -= *= /= //= %= **= &= |= ^=".split())
_MAGICS_OF_PYTHON = frozenset(
    "capture debug ipytest prun pypy python python3 time timeit".split()
)
"""Cell magics behind which Python goes on, in the same namespace."""


def _is_taken_by_magic(lines: Iterable[str]) -> bool:
    """Whether the lines of a cell are the input of a magic command, not Python."""
    for index, line in enumerate(lines):
        words = line.split()
        if index == 0 and words and words[0] in _AUTOMAGICS:
            # `time = 1` assigns; `cd -` does not.
            if len(words) < 2 or words[1] not in _ASSIGNMENTS:
                return True
        if words and words[0].startswith("%%") and words[0][2:] not in _MAGICS_OF_PYTHON:
            return True
    return False


# Commands of IPython.

_STRING = r'''
    """ (?: [^\\"]+ | \\. | \\\Z | "(?!"") )* (?: """ | \Z )
  | \'\'\' (?: [^\\']+ | \\. | \\\Z | '(?!'') )* (?: \'\'\' | \Z )
  | " (?: [^\\"\r\n]+ | \\(?:\r\n|.|\Z) )* (?: " | (?=[\r\n]) | \Z )
  | ' (?: [^\\'\r\n]+ | \\(?:\r\n|.|\Z) )* (?: ' | (?=[\r\n]) | \Z )
'''
_TOKEN = re.compile(
    rf"""
    (?P<newline> \r\n|\r|\n )
  | (?P<string> {_STRING} )
  | (?P<comment> \#[^\r\n]* )
  | (?P<joint> \\(?:\r\n|\r|\n) )
  | (?P<open> [(\[{{] )
  | (?P<close> [)\]}}] )
  | (?P<separator> [;:](?!=) )
  | (?P<assignment> (?<![=!<>:+\-*/%@&|^]) = (?!=) (?:[ \t\f]|\\(?:\r\n|\r|\n))* (?=[%!]) )
  | (?P<question> \?+ )
  | (?P<other> [^\s\#"'()\[\]{{}}\\;:=?]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ROW_START = re.compile(r"(?:[ \t\f]|\\(?:\r\n|\r|\n))*")
_COMMAND = re.compile(r"(?:[^\\\r\n]+|\\\r?\n?)*")
_HELP = re.compile(r"\s*[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*|\s*\[\s*\d[\d_]*\s*\])*\s*")
_ROW_REST = re.compile(r"[ \t\f]*(?:[;#\r\n]|\Z)")
_INK = re.compile(r"[^\r\n]")


def _without_commands(text: str) -> str:
    """`text` with commands overwritten: `%magic` and `!shell`, alone or assigned, and `help?`.

    Rows and columns stay. What is no valid command stays as well, for the parser to complain of.
    """
    if not any(sign in text for sign in "%!?/;,"):
        return text
    parts, last = [], 0
    for start, end, stand_in in _commands(text):
        blank = _INK.sub(" ", text[start + len(stand_in) : end])
        parts += [text[last:start], stand_in, blank]
        last = end
    return "".join([*parts, text[last:]])


def _commands(text: str) -> Iterator[tuple[int, int, str]]:
    """The commands in a module, each with what is to stand in its place."""
    at, size = 0, len(text)
    while at < size:
        at = _end(_ROW_START, text, at)
        if text[at : at + 1] in tuple("%!?/;,"):
            end = _end(_COMMAND, text, at)
            yield at, end, "pass" if _is_blank_behind(text, at, end) else "0"
            at = end
        else:
            at = yield from _commands_inside(text, at)


def _is_blank_behind(text: str, start: int, end: int) -> bool:
    """Whether a command has four characters on its first row, which `pass` needs."""
    return end - start >= 4 and not any(mark in text[start : start + 4] for mark in "\r\n")


def _commands_inside(text: str, at: int) -> Iterator[tuple[int, int, str]]:
    """The commands of one logical line that begins with Python; returns where the line ends."""
    depth, statement = 0, at
    while found := _TOKEN.match(text, at):
        kind, at = found.lastgroup, found.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif depth:
            continue
        elif kind == "newline":
            break
        elif kind == "separator":
            statement = at
        elif kind == "assignment":
            end = _end(_COMMAND, text, at)
            yield at, end, "_"
            at = end
        elif kind == "question" and _is_help(text, statement, found):
            yield found.start(), at, ""
    return at


def _is_help(text: str, statement: int, found: re.Match[str]) -> bool:
    """Whether question marks end a statement that is only a name, an attribute or an item."""
    return (
        len(found.group()) <= 2
        and _HELP.fullmatch(text, statement, found.start()) is not None
        and _ROW_REST.match(text, found.end()) is not None
    )


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


# The source of one cell.

_WIDE_ESCAPE = re.compile(r"\\u(?!00[01])")
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_ELEMENT = re.compile(r'"(?:[^"\\]|\\.)*"')


class _Unit(NamedTuple):
    """A character of a cell as JSON writes it; a pair of escapes can be one."""

    char: str
    written: str


class _Change(NamedTuple):
    """Replace what stands between two offsets of a cell's text."""

    start: int
    end: int
    content: str


class _Literal:
    """The JSON of a cell's source: a string, or a list of strings, as a rule one a row."""

    def __init__(self, written: str, *, is_ascii: bool) -> None:
        self.written = written
        self.is_ascii = is_ascii
        self.is_list = written.startswith("[")
        spans = [found.span() for found in _ELEMENT.finditer(written)]
        self.elements = [written[start:end] for start, end in spans]
        edges = [0, *(edge for span in spans for edge in span), len(written)]
        # What stands before the first element, between two of them, and behind the last one.
        self.gaps = [written[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]

    def with_edits(self, text: str, edits: Sequence[Edit]) -> str:
        """The JSON of the source after edits to `text`, which is the cell's."""
        changes = _changes(text, edits)
        if not self.is_list:
            units = _changed(_units(self.elements[0]), changes, 0, is_ascii=self.is_ascii)
            return f'"{"".join(unit.written for unit in units)}"'
        starts = [0]
        for element in self.elements:
            starts.append(starts[-1] + len(json.loads(element)))
        lines: list[tuple[str, int | None]] = []
        for first, last, inner in _grouped(changes, starts):
            lines += [(self.elements[i], i) for i in range(_next_element(lines), first)]
            units = [unit for element in self.elements[first:last] for unit in _units(element)]
            units = _changed(units, inner, starts[first], is_ascii=self.is_ascii)
            lines += [(line, None) for line in _lines(units)]
            self._last = last
        return ""

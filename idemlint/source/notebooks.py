"""Notebooks: their Python cells as one module, places in the cells, and edits of single cells.

Which files are notebooks, which cells are read and how cells and rows count is as in Ruff. What an
edit writes is not: Ruff lays out the whole file anew, here only the source of edited cells changes.
"""

from __future__ import annotations

import bisect
import functools
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from idemlint.diagnostic import Edit, Position, Range
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic, Fix, Related
    from idemlint.source.syntax import SyntaxProblem

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
    file_text: str
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
        joined = "".join(f"{text}\n" for text in self._texts)
        return SourceText(self.path, joined or "\n")

    def syntax_errors(self) -> list[SyntaxProblem]:
        """The syntax errors of all cells, in rows of `source`, in order.

        Each cell is parsed by itself: what one leaves open does not go on in the next, even where
        `source` as a whole could be parsed.
        """
        from idemlint.source.syntax import syntax_errors

        return [
            problem
            for text, first_row in zip(self._texts, self._first_rows, strict=True)
            for problem in syntax_errors(text, first_row=first_row)
        ]

    @functools.cached_property
    def _texts(self) -> list[str]:
        return [_without_commands(cell.text) for cell in self.cells]

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
        """The row of `source` that is `row` in a cell; `KeyError` if the cell has no code."""
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

        The newline between two cells is in neither: an edit that takes it ends where its cell does.
        Indented rows that are put before a cell go on in the one above it. Raises `ValueError` if
        more than that belongs to another cell.
        """
        if edit.range.start == edit.range.end and _goes_on(edit):
            above = self._end_above(edit.range.start.row)
            if above is not None:
                cell, place = above
                content = f"\n{edit.content[:-1]}"
                return cell, replace(edit, range=Range(place, place), content=content)
        cell, span = self.cell_range(edit.range)
        end = edit.range.end
        if self.cell_of(end.row)[0] != cell:
            row = end.row - 1
            last_cell, last_row = self.cell_of(row)
            if (last_cell, end.column) != (cell, 1):
                raise ValueError("an edit reaches into another cell")
            span = Range(span.start, Position(last_row, len(self.source.row(row)) + 1))
        return cell, Edit(edit.path, span, edit.content)

    def in_cell(self, diagnostic: Diagnostic) -> Diagnostic:
        """A finding as one of cells, where it, its related places or its edits are in `source`.

        It has no fix any more if an edit belongs to two cells.
        """
        cell, span = diagnostic.cell, diagnostic.range
        if diagnostic.path == self.path:
            cell, span = self.cell_range(span)
        related = tuple(map(self._related_in_cell, diagnostic.related))
        fix = None if diagnostic.fix is None else self._cell_fix(diagnostic.fix)
        return replace(diagnostic, cell=cell, range=span, related=related, fix=fix)

    def _related_in_cell(self, related: Related) -> Related:
        if related.path != self.path:
            return related
        cell, span = self.cell_range(related.range)
        return replace(related, cell=cell, range=span)

    def _cell_fix(self, fix: Fix) -> Fix | None:
        edits = []
        for edit in fix.edits:
            if edit.path == self.path:
                try:
                    cell, moved = self.cell_edit(edit)
                except ValueError:
                    return None
                edits.append(replace(moved, cell=cell))
            else:
                edits.append(edit)
        return replace(fix, edits=tuple(edits))

    def _end_above(self, row: int) -> tuple[int, Position] | None:
        """The cell that ends above a row of `source`, and its end; `None` if none ends there."""
        if row == 1 or row not in self._first_rows:
            return None
        cell, inner = self.cell_of(row - 1)
        return cell, Position(inner, len(self.source.row(row - 1)) + 1)

    def codes(self) -> dict[int, str]:
        """What is to be Python in each cell, by number: commands of IPython are overwritten."""
        pairs = zip(self.cells, self._texts, strict=True)
        return {cell.number: text for cell, text in pairs}

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
        # Whoever wrote escapes where UTF-8 would do goes on with them.
        is_ascii = self.file_text.isascii() and _WIDE_ESCAPE.search(self.file_text) is not None
        parts, last = [], 0
        for number in sorted(number for number in edits if edits[number]):
            cell = cells[number]
            literal = _Literal(self.file_text[cell.start : cell.end])
            changes = _changes(cell.text, edits[number])
            takes_end = _takes_end(cell.text, changes[-1])
            changed = literal.with_changes(changes, is_ascii=is_ascii, takes_end=takes_end)
            parts += [self.file_text[last : cell.start], changed]
            last = cell.end
        return "".join([*parts, self.file_text[last:]]).encode()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AUTOMAGICS = _words(
    """alias alias_magic autoawait autocall automagic bookmark cd code_wrap colors conda config
    debug dhist dirs doctest_mode edit env gui history killbgscripts load load_ext loadpy logoff
    logon logstart logstate logstop lsmagic macro magic mamba matplotlib micromamba notebook page
    pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd
    pwd pycat pylab quickref recall rehashx reload_ext rerun reset reset_selective run save sc
    set_env sx system tb time timeit unalias unload_ext who who_ls whos xdel xmode"""
)
_ASSIGNMENTS = _words("= += -= *= /= //= %= **= &= |= ^=")
_MAGICS_OF_PYTHON = _words("capture debug ipytest prun pypy python python3 time timeit")
"""Cell magics behind which Python goes on, in the same namespace."""


def _is_taken_by_magic(lines: Iterable[str]) -> bool:
    """Whether the lines of a cell are the input of a magic command, not Python."""
    split = [line.split() for line in lines]
    # `time = 1` assigns; `cd -` does not.
    if split and _AUTOMAGICS.intersection(split[0][:1]) and not _ASSIGNMENTS & {*split[0][1:2]}:
        return True
    firsts = [words[0] for words in split if words]
    return any(first.startswith("%%") and first[2:] not in _MAGICS_OF_PYTHON for first in firsts)


_STRING = r"""
    \"{3} (?: [^\\"]+ | \\. | \\\Z | "(?!"") )* (?: \"{3} | \Z )
  | \'{3} (?: [^\\']+ | \\. | \\\Z | '(?!'') )* (?: \'{3} | \Z )
  | " (?: [^\\"\r\n]+ | \\(?:\r\n|.|\Z) )* (?: " | (?=[\r\n]) | \Z )
  | ' (?: [^\\'\r\n]+ | \\(?:\r\n|.|\Z) )* (?: ' | (?=[\r\n]) | \Z )
"""
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
_ROW_REST = re.compile(r"[ \t\f]*(?:[;#\r\n]|\Z)")
_COMMAND = re.compile(r"(?:[^\\\r\n]+|\\\r?\n?)*")
_COMMAND_SIGNS = tuple("%!?/;,")
_ROOM_FOR_PASS = re.compile(r"[^\r\n]{4}")
_HELP = re.compile(r"\s*[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*|\s*\[\s*\d[\d_]*\s*\])*\s*")
_INK = re.compile(r"[^\r\n]")


class _Command(NamedTuple):
    """A command of IPython between two offsets, and the Python that is to stand at its start."""

    start: int
    end: int
    stand_in: str


def _without_commands(text: str) -> str:
    """`text` with commands overwritten: `%magic` and `!shell`, alone or assigned, and `help?`.

    Rows and columns stay. What is no valid command stays as well, for the parser to complain of.
    """
    if not any(sign in text for sign in _COMMAND_SIGNS):
        return text
    parts, last = [], 0
    for start, end, stand_in in _commands(text):
        blank = _INK.sub(" ", text[start + len(stand_in) : end])
        parts += [text[last:start], stand_in, blank]
        last = end
    return "".join([*parts, text[last:]])


def _commands(text: str) -> Iterator[_Command]:
    at = 0
    while at < len(text):
        at = _end(_ROW_START, text, at)
        if text.startswith(_COMMAND_SIGNS, at):
            command = _statement(text, at, _end(_COMMAND, text, at))
            yield command
            at = command.end
        else:
            at = yield from _commands_behind(text, at)


def _commands_behind(text: str, at: int) -> Generator[_Command, None, int]:
    """The commands in a logical line that begins with Python; returns where the line ends."""
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
            # A name that is not bound, as the value is not known.
            command = _Command(at, _end(_COMMAND, text, at), "_")
            yield command
            at = command.end
        elif kind == "question" and _is_help(text, statement, found):
            yield _statement(text, _end(_ROW_START, text, statement), at)
    return at


def _statement(text: str, start: int, end: int) -> _Command:
    """A command that is a statement of its own."""
    return _Command(start, end, "pass" if _ROOM_FOR_PASS.match(text, start, end) else "0")


def _is_help(text: str, statement: int, found: re.Match[str]) -> bool:
    """Whether question marks end a statement that is a name, an attribute or an item, no more."""
    return (
        len(found.group()) <= 2
        and _HELP.fullmatch(text, statement, found.start()) is not None
        and _ROW_REST.match(text, found.end()) is not None
    )


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


_WIDE_ESCAPE = re.compile(r"\\u(?!00[01])")
_ELEMENT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)


class _Unit(NamedTuple):
    """A character of a cell as its JSON writes it.

    `place` counts the characters of the cell as it was and `element` the strings of its list; both
    are -1 for what an edit brought.
    """

    char: str
    written: str
    place: int = -1
    element: int = -1

    def is_apart_from(self, following: _Unit) -> bool:
        """Whether a string of the list ends between this character and the `following` one."""
        if self.element == following.element != -1:
            return False
        if self.place != -1 and following.place == self.place + 1:
            return True
        return self.char == "\n" or (self.char == "\r" and following.char != "\n")


class _Change(NamedTuple):
    """Replace what stands between two offsets of a cell's text."""

    start: int
    end: int
    content: str


class _Literal:
    """The JSON of a cell's source: a string, or a list of strings, as a rule one for each row."""

    def __init__(self, written: str) -> None:
        self.written = written
        self.spans = [found.span() for found in _ELEMENT.finditer(written)]

    def with_changes(self, changes: Sequence[_Change], *, is_ascii: bool, takes_end: bool) -> str:
        """The JSON with changes in order; `is_ascii` says how new characters are written.

        If the changes take the newline behind the cell, `takes_end`, the last one that is left
        takes its place.
        """
        old = list(self._units())
        units, last = [], 0
        for change in changes:
            units += old[last : change.start]
            units += [_Unit(char, _written(char, is_ascii)) for char in change.content]
            last = change.end
        units += old[last:]
        if takes_end and units and units[-1].char in "\r\n":
            is_pair = [unit.char for unit in units[-2:]] == ["\r", "\n"]
            del units[-2 if is_pair else -1 :]
        if not self.written.startswith("["):
            return f'"{_joined(units)}"'
        return self._list(list(_elements(units)))

    def _units(self) -> Iterator[_Unit]:
        index = 0
        for element, (start, end) in enumerate(self.spans):
            for found in _UNIT.finditer(self.written, start + 1, end - 1):
                written = found.group()
                char = json.loads(f'"{written}"') if written[0] == "\\" else written
                yield _Unit(char, written, index, element)
                index += 1

    def _list(self, elements: list[list[_Unit]]) -> str:
        """A list of strings, with the space around them as it was wherever there was some."""
        if not elements:
            return "[]"
        first = self.written[: self.spans[0][0]] if self.spans else "["
        last = self.written[self.spans[-1][1] :] if self.spans else "]"
        parts = [first]
        for before, units in zip([None, *elements], elements, strict=False):
            if before is not None:
                parts.append(self._gap(before[-1], units[0]) or self._usual_gap)
            parts.append(f'"{_joined(units)}"')
        return "".join([*parts, last])

    def _gap(self, before: _Unit, behind: _Unit) -> str:
        """What divided two strings, from the last character of one and the first of the next."""
        if before.place == -1 or behind.place != before.place + 1:
            return ""
        return self.written[self.spans[before.element][1] : self.spans[behind.element][0]]

    @property
    def _usual_gap(self) -> str:
        if len(self.spans) > 1:
            return self.written[self.spans[0][1] : self.spans[1][0]]
        return f",{self.written[1 : self.spans[0][0]] or ' '}" if self.spans else ", "


def _elements(units: Sequence[_Unit]) -> Iterator[list[_Unit]]:
    """The characters of each string of a list."""
    current: list[_Unit] = []
    for unit in units:
        if current and current[-1].is_apart_from(unit):
            yield current
            current = []
        current.append(unit)
    if current:
        yield current


def _joined(units: Iterable[_Unit]) -> str:
    return "".join(unit.written for unit in units)


def _written(char: str, is_ascii: bool) -> str:
    return json.dumps(char, ensure_ascii=is_ascii)[1:-1]


def _goes_on(edit: Edit) -> bool:
    """Whether what an edit inserts are whole rows that belong to a block begun above."""
    return edit.content[:1] in (" ", "\t") and edit.content.endswith("\n")


def _changes(text: str, edits: Sequence[Edit]) -> list[_Change]:
    """Edits of a cell as changes of its text, in order; raises `ValueError` if they overlap.

    Behind the text stands a newline that divides cells; a change may take it.
    """
    source = SourceText(edits[0].path, f"{text}\n")
    changes: list[_Change] = []
    for edit in sorted(edits, key=lambda edit: edit.range):
        start, end = source.offset(edit.range.start), source.offset(edit.range.end)
        if changes and start < changes[-1].end:
            raise ValueError("edits of a cell overlap")
        changes.append(_Change(start, end, edit.content))
    return changes


def _takes_end(text: str, change: _Change) -> bool:
    """Whether a change takes the newline behind a cell's text, or the whole last row."""
    start, end, content = change
    if end > len(text):
        return True
    is_last_row = end == len(text) and not text.endswith(("\r", "\n"))
    return is_last_row and not content and text[start - 1 : start] in ("\r", "\n")


_ROOT_FIELDS = ("cells", "metadata", "nbformat", "nbformat_minor")
_METADATA_FIELDS = ("authors", "kernelspec", "language_info", "orig_nbformat", "title")
_LANGUAGE_FIELDS = ("codemirror_mode", "file_extension", "mimetype", "name", "pygments_lexer")
_CELL_FIELDS = {
    "code": ("execution_count", "id", "metadata", "outputs", "source"),
    "markdown": ("attachments", "id", "metadata", "source"),
    "raw": ("attachments", "id", "metadata", "source"),
}
_OPTIONAL_FIELDS = frozenset({"attachments", "execution_count", "id"})
_NOT_JSON = (
    "Expected a Jupyter Notebook, which must be internally stored as JSON, but this file isn't "
    "valid JSON"
)
_NOT_SCHEMA = "This file does not match the schema expected of Jupyter Notebooks"
_LIST_END = "EOF while parsing a list"
_OBJECT_END = "EOF while parsing an object"
_STRING_END = "EOF while parsing a string"
_VALUE_END = "EOF while parsing a value"
_MOST_DEPTH = 127
_MOST_INTEGER = 2**63 - 1


class _RawCell(NamedTuple):
    """A cell of any kind; `start` and `end` are the offsets of its source in the file."""

    kind: str
    source: str | list[str]
    language: str | None
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source if isinstance(self.source, str) else "".join(self.source)

    @property
    def is_python(self) -> bool:
        if self.kind != "code" or self.language not in (None, "python"):
            return False
        is_text = isinstance(self.source, str)
        return not _is_taken_by_magic(self.text.split("\n") if is_text else self.source)


class _RawNotebook(NamedTuple):
    cells: list[_RawCell]
    is_python: bool


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_SPACE = re.compile(r"[ \t\n\r]*")
_DIGITS = re.compile(r"[0-9]*")
_DIGIT_CHARS = tuple("0123456789")
_NUMBER_GOES_ON = (*_DIGIT_CHARS, ".", "e", "E")
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_SINGLE = r"\\u(?![dD][89abAB]|[dD][c-fC-F])[0-9a-fA-F]{4}"
_STRING_START = re.compile(rf'"(?:[^"\\\x00-\x1f]+|\\["\\/bfnrt]|{_PAIR}|{_SINGLE})*')
_STRING_ESCAPES = tuple('"\\/bfnrt')
_HALF_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
# How `surrogateescape` decodes a byte that is not UTF-8.
_BAD_BYTE = re.compile("[\udc80-\udcff]")
_WORDS = {"n": "null", "t": "true", "f": "false"}


class _Scanner:
    """Reads the JSON of a notebook as strictly, and refuses it in the same words, as Ruff.

    Ruff reads with `serde_json`, whose errors name the place up to which it has looked: the token
    that is wrong, or the first character behind what has the wrong type.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.has_bad_bytes = _BAD_BYTE.search(text) is not None

    def notebook(self) -> _RawNotebook:
        """Read all of the text; raises `NotebookError`."""
        if self.blank() != "{":
            self.wrong_type("struct RawNotebook")
        cells: list[_RawCell] = []
        is_python, version = True, 0
        missing = list(_ROOT_FIELDS)
        for key in self.keys(_ROOT_FIELDS, is_closed=True):
            missing.remove(key)
            if key == "cells":
                cells = self.cells()
            elif key == "metadata":
                is_python = self.metadata()
            else:
                number = self.integer()
                version = number if key == "nbformat" else version
        if missing:
            self.mismatch(f"missing field `{missing[0]}`")
        if self.blank():
            self.fail("trailing characters", ahead=1)
        if version != 4:
            raise NotebookError(f"Expected Jupyter Notebook format 4, found: {version}")
        return _RawNotebook(cells, is_python)

    def cells(self) -> list[_RawCell]:
        if self.char() != "[":
            self.wrong_type("a sequence")
        cells = []
        for _ in self.items():
            if self.char() == "[":
                self.value()
                self.mismatch("missing field `cell_type`")
            if self.char() != "{":
                self.wrong_type("internally tagged enum Cell")
            cells.append(self.cell())
        return cells

    def cell(self) -> _RawCell:
        kind = ""
        fields: list[tuple[str, object]] = []
        start = end = 0
        for key in self.keys(("cell_type",)):
            if key == "cell_type":
                kind = self.cell_kind()
                continue
            begin = self.at
            fields.append((key, self.value()))
            if key == "source":
                start, end = begin, self.at
        if not kind:
            self.mismatch("missing field `cell_type`")
        if problem := _cell_problem(kind, fields):
            # The whole cell has been read by now, and the start of the next one.
            if self.blank() == ",":
                self.at += 1
                self.blank()
            self.mismatch(problem, ahead=1)
        found: dict[str, Any] = dict(fields)
        editor = found["metadata"].get("vscode")
        language = editor["languageId"] if editor is not None else None
        return _RawCell(kind, found["source"], language, start, end)

    def cell_kind(self) -> str:
        if self.char() != '"':
            self.wrong_type("variant identifier")
        kind = self.string()
        if kind not in _CELL_FIELDS:
            expected = "expected one of `code`, `markdown`, `raw`"
            self.mismatch(f"unknown variant `{kind}`, {expected}")
        return kind

    def metadata(self) -> bool:
        """Whether the notebook's language is Python; nothing said means yes."""
        if self.char() != "{":
            self.wrong_type("struct RawNotebookMetadata")
        kernel: str | None = "python"
        language: str | None = None
        for key in self.keys(_METADATA_FIELDS):
            if key == "kernelspec" and self.is_struct("struct Kernelspec"):
                kernel = self.kernel()
            elif key == "language_info" and self.is_struct("struct LanguageInfo"):
                language = self.language()
            elif key == "title":
                self.text_or_null()
            elif key == "orig_nbformat" and self.char() != "n":
                self.integer()
            else:
                self.value()
        return (kernel if language is None else language) == "python"

    def is_struct(self, expected: str) -> bool:
        """Whether an object comes, not null; anything else is an error."""
        if self.char() not in ("{", "n"):
            self.wrong_type(expected)
        return self.char() == "{"

    def kernel(self) -> str | None:
        language = None
        for key in self.keys(("language",)):
            if key == "language":
                language = self.text_or_null()
            else:
                self.value()
        return language

    def language(self) -> str:
        name = None
        for key in self.keys(_LANGUAGE_FIELDS):
            if key == "name":
                if self.char() != '"':
                    self.wrong_type("a string")
                name = self.string()
            elif key in _LANGUAGE_FIELDS and key != "codemirror_mode":
                self.text_or_null()
            else:
                self.value()
        if name is None:
            self.mismatch("missing field `name`")
        return name

    def text_or_null(self) -> str | None:
        if self.char() not in ('"', "n"):
            self.wrong_type("a string")
        value = self.value()
        return value if isinstance(value, str) else None

    def integer(self) -> int:
        start = self.at
        value = self.value()
        if problem := _type_problem(value, "i64"):
            end, self.at = self.at, start
            self.mismatch_behind(problem, end)
        assert isinstance(value, int)
        return value

    def wrong_type(self, expected: str) -> NoReturn:
        start = self.at
        value = self.value()
        end, self.at = self.at, start
        self.mismatch_behind(_type_problem(value, expected), end)

    def mismatch_behind(self, message: str, end: int) -> NoReturn:
        """Complain of the value here, which ends at `end`."""
        char = self.char()
        if char in ("{", "["):
            self.mismatch(message, ahead=1)
        self.at = end
        # Only the character behind a number shows that it has ended.
        self.mismatch(message, ahead=int(char in ("-", *_DIGIT_CHARS)))

    def char(self) -> str:
        return self.text[self.at : self.at + 1]

    def blank(self) -> str:
        """Pass over space; the character behind it."""
        self.at = _end(_SPACE, self.text, self.at)
        return self.char()

    def fail(self, message: str, ahead: int = 0) -> NoReturn:
        """Complain of the JSON; `ahead` are the characters behind `at` that have been looked at."""
        raise NotebookError(f"{_NOT_JSON}: {message} at {self.place(ahead)}")

    def mismatch(self, message: str, ahead: int = 0) -> NoReturn:
        """Complain of what the JSON says."""
        raise NotebookError(f"{_NOT_SCHEMA}: {message} at {self.place(ahead)}")

    def place(self, ahead: int) -> str:
        """A line from 1 and the bytes of it that have been read."""
        seen = self.text[self.at : self.at + ahead]
        before = self.text[: self.at] + ("?" if seen and seen != "\n" else seen)
        line = before.rpartition("\n")[2].encode("utf-8", "surrogateescape")
        return f"line {before.count(chr(10)) + 1} column {len(line)}"

    def value(self) -> object:
        """Read any value."""
        start = self.at
        try:
            value, end = _DECODER.raw_decode(self.text, start)
        except (ValueError, RecursionError):
            self.check()
            return None
        if self.is_doubtful(start, end):
            self.check()
        self.at = end
        return value

    def is_doubtful(self, start: int, end: int) -> bool:
        """Whether what Python has read may be wrong all the same."""
        if self.has_bad_bytes or self.text.startswith(_NUMBER_GOES_ON, end):
            return True
        return _HALF_ESCAPE.search(self.text, start, end) is not None

    def check(self) -> None:
        """Read any value character by character, to complain of the first one that is wrong."""
        char = self.blank()
        if char == '"':
            self.string()
        elif char == "{":
            for _ in self.keys(()):
                self.check()
        elif char == "[":
            for _ in self.items():
                self.check()
        elif char in _WORDS:
            self.word(_WORDS[char])
        elif char in ("-", *_DIGIT_CHARS):
            self.number()
        else:
            self.fail("expected value" if char else _VALUE_END, ahead=1)

    def word(self, word: str) -> None:
        for expected in word:
            char = self.char()
            if char != expected:
                self.fail("expected ident" if char else _VALUE_END, ahead=1)
            self.at += 1

    def number(self) -> None:
        if self.char() == "-":
            self.at += 1
        if self.char() == "0":
            self.at += 1
            if self.char() in _DIGIT_CHARS:
                self.fail("invalid number", ahead=1)
        else:
            self.digits()
        if self.char() == ".":
            self.at += 1
            self.digits()
        if self.char() in ("e", "E"):
            self.at += 1
            if self.char() in ("+", "-"):
                self.at += 1
            self.digits()

    def digits(self) -> None:
        end = _end(_DIGITS, self.text, self.at)
        if end == self.at:
            self.fail("invalid number" if self.char() else _VALUE_END, ahead=1)
        self.at = end

    def string(self) -> str:
        """Read a string."""
        start = self.at
        self.at = _end(_STRING_START, self.text, start)
        if self.char() != '"':
            self.wrong_string()
        self.at += 1
        if self.has_bad_bytes and (found := _BAD_BYTE.search(self.text, start, self.at)):
            self.at = found.start()
            self.fail("invalid unicode code point", ahead=1)
        value = json.loads(self.text[start : self.at])
        assert isinstance(value, str)
        return value

    def wrong_string(self) -> NoReturn:
        """Complain of what comes next in a string."""
        char = self.char()
        if not char:
            self.fail(_STRING_END)
        if char != "\\":
            self.fail("control character (\\u0000-\\u001F) found while parsing a string", ahead=1)
        self.at += 1
        if self.char() != "u":
            self.fail("invalid escape" if self.char() else _STRING_END, ahead=1)
        self.at += 1
        if self.code_unit() < 0xDC00:
            for expected in "\\u":
                char = self.char()
                if char != expected:
                    self.fail("unexpected end of hex escape" if char else _STRING_END, ahead=1)
                self.at += 1
            self.code_unit()
        self.fail("lone leading surrogate in hex escape")

    def code_unit(self) -> int:
        """Read the four digits of an escape."""
        digits = self.text[self.at : self.at + 4]
        self.at += len(digits)
        if len(digits) < 4:
            self.fail(_STRING_END)
        if re.fullmatch(r"[0-9a-fA-F]{4}", digits) is None:
            self.fail("invalid escape")
        return int(digits, 16)

    def items(self) -> Iterator[None]:
        """The items of a list; each is to be read before the next."""
        self.enter()
        is_first = True
        while self.blank() != "]":
            if not is_first:
                self.comma("]", _LIST_END)
            elif not self.char():
                self.fail(_LIST_END)
            yield
            is_first = False
        self.leave()

    def keys(self, fields: Sequence[str], *, is_closed: bool = False) -> Iterator[str]:
        """The keys of an object; the value of each is to be read before the next.

        A key of `fields` comes only once; if `is_closed`, no others do.
        """
        self.enter()
        seen: set[str] = set()
        while self.blank() != "}":
            if seen:
                self.comma("}", _OBJECT_END)
            elif not self.char():
                self.fail(_OBJECT_END)
            if self.char() != '"':
                self.fail("key must be a string", ahead=1)
            key = self.string()
            self.check_key(key, fields, seen, is_closed=is_closed)
            seen.add(key)
            if self.blank() != ":":
                self.fail("expected `:`" if self.char() else _OBJECT_END, ahead=1)
            self.at += 1
            self.blank()
            yield key
        self.leave()

    def check_key(
        self, key: str, fields: Sequence[str], seen: set[str], *, is_closed: bool
    ) -> None:
        if is_closed and key not in fields:
            self.blank()
            self.mismatch(_unknown_field(key, fields), ahead=1)
        if key in fields and key in seen:
            self.blank()
            self.mismatch(f"duplicate field `{key}`", ahead=1)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            self.fail("recursion limit exceeded", ahead=1)
        self.at += 1

    def leave(self) -> None:
        self.depth -= 1
        self.at += 1

    def comma(self, end: str, end_of_file: str) -> None:
        """Read a comma behind which something comes."""
        char = self.char()
        if char != ",":
            self.fail(f"expected `,` or `{end}`" if char else end_of_file, ahead=1)
        self.at += 1
        if self.blank() in ("", end):
            self.fail("trailing comma" if self.char() else _VALUE_END, ahead=1)


def _unknown_field(key: str, fields: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in fields)
    return f"unknown field `{key}`, expected one of {names}"


def _cell_problem(kind: str, given: Sequence[tuple[str, object]]) -> str:
    """What is wrong about the fields of a cell; empty if nothing is."""
    fields = _CELL_FIELDS[kind]
    seen: set[str] = set()
    for key, value in given:
        if key not in fields:
            return _unknown_field(key, fields)
        if key in seen:
            return f"duplicate field `{key}`"
        if problem := _FIELD_PROBLEMS[key](value):
            return problem
        seen.add(key)
    missing = [name for name in fields if name not in seen | _OPTIONAL_FIELDS]
    return f"missing field `{missing[0]}`" if missing else ""


def _metadata_problem(value: object) -> str:
    if not isinstance(value, dict):
        return _type_problem(value, "struct CellMetadata")
    editor = value.get("vscode")
    if editor is None:
        return ""
    if not isinstance(editor, dict):
        return _type_problem(editor, "struct CodeCellMetadataVSCode")
    if "languageId" not in editor:
        return "missing field `languageId`"
    return _type_problem(editor["languageId"], "a string")


def _source_problem(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    if all(isinstance(line, str) for line in lines):
        return ""
    return "data did not match any variant of untagged enum SourceValue"


def _or_null(expected: str) -> Callable[[object], str]:
    return lambda value: "" if value is None else _type_problem(value, expected)


_FIELD_PROBLEMS: dict[str, Callable[[object], str]] = {
    "attachments": lambda value: "",
    "execution_count": _or_null("i64"),
    "id": _or_null("a string"),
    "metadata": _metadata_problem,
    "outputs": lambda value: _type_problem(value, "a sequence"),
    "source": _source_problem,
}
_PYTHON_TYPES = {"i64": int, "a string": str, "a sequence": list}


def _type_problem(value: object, expected: str) -> str:
    """What is wrong about the type of a value; empty if nothing is."""
    if isinstance(value, int) and not isinstance(value, bool) and expected == "i64":
        if abs(value) <= _MOST_INTEGER:
            return ""
        if value <= 2 * _MOST_INTEGER + 1:
            return f"invalid value: integer `{value}`, expected i64"
    elif type(value) is _PYTHON_TYPES.get(expected):
        return ""
    return f"invalid type: {_shown(value)}, expected {expected}"


def _shown(value: object) -> str:
    """A value as `serde_json` names it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int) and abs(value) <= 2 * _MOST_INTEGER + 1:
        return f"integer `{value}`"
    if isinstance(value, (int, float)):
        return f"floating point `{float(value)!r}`"
    if isinstance(value, str):
        return f"string {json.dumps(value, ensure_ascii=False)}"
    return "sequence" if isinstance(value, list) else "map"

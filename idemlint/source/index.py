"""The index of a module: its top-level definitions, found without parsing it.

A module is cut into chunks at its top-level definitions. A chunk is parsed when something asks for
it, so that a large file costs what is used of it and a half-typed function costs only itself.
"""

from __future__ import annotations

import ast
import contextlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idemlint.source import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.source.text import SourceText

__all__ = ["Chunk", "ModuleIndex"]

_QUOTES = re.compile(r'"""|\'\'\'')
_QUOTES_IN_COMMENT = re.compile(r"""\#[^\n]*(?:\"{3}|'{3})""")
_QUOTES_IN_STRING = ('\'"""', "\"'''", '\\""', "\\''")
"""How three quotes can begin in another string."""
_TOKEN = re.compile(
    r"""
    \#[^\n]*
  | \"{3}(?:\\.|[^\\])*?(?:\"{3}|\Z)
  | '{3}(?:\\.|[^\\])*?(?:'{3}|\Z)
  | "(?:\\.|[^"\\\n])*"?
  | '(?:\\.|[^'\\\n])*'?
    """,
    re.DOTALL | re.VERBOSE,
)
_BEGINS_BLOCK = re.compile(r":[ \t]*(?:#[^\n]*)?\n\s*[rRuU]?\Z")
_NEAR = 200
"""How far before a docstring the colon is looked for, in characters."""
_STATEMENT = r"(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(@)|[^\s#)\]}@])"
_FIRST_STATEMENT = re.compile(_STATEMENT)
# what it has to begin with is one character, which is looked for fast
_NEXT_STATEMENT = re.compile(rf"\n(?<!\\\n){_STATEMENT}")


@dataclass(eq=False, slots=True)
class Chunk:
    """A stretch of top-level statements: one definition with its decorators, or what lies between.

    `start` and `end` are offsets, `row` is the 1-based row of `start`. `name` is empty for code
    between definitions.
    """

    start: int
    end: int
    row: int
    name: str = ""
    _statements: list[ast.stmt] | None = None
    error: SyntaxError | None = None


@dataclass(eq=False)
class ModuleIndex:
    """The chunks of a module, in order."""

    source: SourceText
    chunks: list[Chunk] = field(init=False)
    definitions: dict[str, list[Chunk]] = field(init=False)
    is_broken: bool = False
    """Whether a chunk did not parse, nor the file as a whole."""
    _strings: list[tuple[int, int]] = field(init=False)
    _docstrings: list[tuple[int, int]] | None = None
    _whole: bool = False

    def __post_init__(self) -> None:
        self._strings = _string_spans(self.source.text)
        self.chunks = list(_cut(self.source, self._strings))
        self.definitions = {}
        for chunk in self.chunks:
            if chunk.name:
                self.definitions.setdefault(chunk.name, []).append(chunk)

    def statements(self, chunk: Chunk) -> list[ast.stmt]:
        """The parsed statements of a chunk, rows as in the file; empty if it does not parse.

        A chunk that does not parse makes the whole file be parsed once, because the cut itself can
        be wrong (a definition inside of a string); if that fails too, `chunk.error` says why.
        """
        if chunk._statements is None:
            try:
                chunk._statements = self._parsed(chunk)
            except SyntaxError as error:
                chunk._statements = []
                chunk.error = error
                self._recut()
        return chunk._statements

    def forget(self) -> None:
        """Let go of what was parsed, where it can be parsed again."""
        for chunk in self.chunks:
            if chunk.end:
                chunk._statements = None

    def _parsed(self, chunk: Chunk) -> list[ast.stmt]:
        text = self.source.text
        if chunk.name:
            found = list(lazy.bodies(text, chunk.start, chunk.end, chunk.row, self._is_string))
            if found:
                reduced = lazy.skeleton(text, chunk.start, chunk.end, found)
                with contextlib.suppress(SyntaxError):
                    statements = lazy.parse(reduced, chunk.row)
                    if lazy.attach(statements, found, text, self._body):
                        return statements
        return lazy.parse(text[chunk.start : chunk.end], chunk.row)

    def _body(self, body: lazy.Body) -> list[ast.stmt]:
        """The statements of a function; one `pass` if they do not parse."""
        text = self.source.text[body.definition : body.end]
        try:
            if body.is_indented:
                block = lazy.parse(f"if 1:\n{text}", body.row - 1)[0]
                function = block.body[0]  # type: ignore[attr-defined]
            else:
                function = lazy.parse(text, body.row)[0]
            return function.body  # type: ignore[no-any-return]
        except SyntaxError:
            return self._body_of_whole(body)

    def _body_of_whole(self, body: lazy.Body) -> list[ast.stmt]:
        """The statements of a function whose end was taken to be where it is not."""
        with contextlib.suppress(SyntaxError):
            for node in ast.walk(ast.Module(lazy.parse(self.source.text, 1), [])):
                if (
                    isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                    and node.lineno == body.row
                ):
                    return node.body
        self.is_broken = True
        place = {"lineno": body.row, "end_lineno": body.row, "col_offset": 0, "end_col_offset": 0}
        return [ast.Pass(**place)]

    def _is_string(self, offset: int) -> bool:
        return bool(self._strings) and _is_inside(offset, self._strings)

    def is_code(self, offset: int) -> bool:
        """Whether an offset lies outside of triple-quoted strings and comments, by a quick look."""
        if self._strings and _is_inside(offset, self._strings):
            return False
        text = self.source.text
        start = text.rfind("\n", 0, offset) + 1
        mark = text.find("#", start, offset)
        return mark < 0 or bool({'"', "'"} & set(text[start:mark]))

    def is_docstring(self, offset: int) -> bool:
        """Whether an offset lies in a triple-quoted string that begins a block, by a quick look."""
        if self._docstrings is None:
            text = self.source.text
            self._docstrings = [
                span
                for span in self._strings
                if _BEGINS_BLOCK.search(text, max(0, span[0] - _NEAR), span[0])
            ]
        return _is_inside(offset, self._docstrings)

    def _recut(self) -> None:
        if self._whole:
            return
        self._whole = True
        try:
            statements = lazy.parse(self.source.text, 1)
        except SyntaxError:
            self.is_broken = True
            return
        chunks = []
        for statement in statements:
            name = ""
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = statement.name
            chunk = Chunk(0, 0, statement.lineno, name)
            chunk._statements = [statement]
            chunks.append(chunk)
        self.chunks[:] = chunks
        self.definitions.clear()
        for chunk in chunks:
            if chunk.name:
                self.definitions.setdefault(chunk.name, []).append(chunk)


def _cut(source: SourceText, strings: list[tuple[int, int]]) -> Iterator[Chunk]:
    text = source.text
    marks: list[tuple[int, str]] = []
    decorated: int | None = None
    for start, name, mark in _statement_starts(text):
        if strings and _is_inside(start, strings):
            continue
        if mark:
            if decorated is None:
                decorated = start
            continue
        if name:
            marks.append((start if decorated is None else decorated, name))
            decorated = None
        elif decorated is None and (not marks or marks[-1][1]):
            marks.append((start, ""))
    if not marks or marks[0][0] > 0:
        marks.insert(0, (0, ""))
    ends = [*(start for start, _ in marks[1:]), len(text)]
    row = 1
    has_returns = "\r" in text
    for (start, name), end in zip(marks, ends, strict=True):
        if end > start:
            yield Chunk(start, end, row, name)
            row += text.count("\n", start, end)
            if has_returns:
                row += text.count("\r", start, end) - text.count("\r\n", start, end)


def _statement_starts(text: str) -> Iterator[tuple[int, str | None, str | None]]:
    """Rows with code in their first column: the offset, the name of a definition, or an `@`."""
    first = _FIRST_STATEMENT.match(text)
    if first is not None:
        yield 0, first[1], first[2]
    for found in _NEXT_STATEMENT.finditer(text):
        yield found.start() + 1, found[1], found[2]


def _string_spans(text: str) -> list[tuple[int, int]]:
    """Where triple-quoted strings lie: by their quotes alone, where nothing speaks against it."""
    if _QUOTES_IN_COMMENT.search(text) or any(text.find(q) >= 0 for q in _QUOTES_IN_STRING):
        return [
            found.span() for found in _TOKEN.finditer(text) if found.group()[:3] in ('"""', "'''")
        ]
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    quote = ""
    for found in _QUOTES.finditer(text):
        if opened is None:
            opened, quote = found.start(), found.group()
        elif found.group() == quote:
            spans.append((opened, found.end()))
            opened = None
    if opened is not None:
        spans.append((opened, len(text)))
    return spans


def _is_inside(offset: int, spans: list[tuple[int, int]]) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][1] <= offset:
            low = middle + 1
        else:
            high = middle
    return low < len(spans) and spans[low][0] < offset

"""Definitions whose bodies are parsed when something asks for them.

Most of what is parsed is asked for a signature, a base class or a decorator only. A definition is
therefore parsed with empty bodies first; a body is put in its place at the first look at it, so
that trees are walked as if they had always been whole.
"""

from __future__ import annotations

import ast
import functools
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Body", "attach", "bodies", "parse", "skeleton"]

_LITTLE = 240
"""Characters of a body up to which it is not worth a second parse."""
_DEF = re.compile(r"\n([ \t]*)(?:async[ \t]+)?def[ \t]+\w+")
_HEADER_TOKEN = re.compile(r"""[()\[\]{}:\#]|\"{3}|'{3}|["']""")
_AT_ROW_END = re.compile(r"[ \t]*(?:#|$)", re.MULTILINE)
_STRING_ENDS = {
    quote: re.compile(rf"(?:\\.|[^\\{quote[0]}])*?{quote}", re.DOTALL)
    for quote in ('"', "'", '"""', "'''")
}


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a function in a text, as offsets.

    `definition` is where the row of its `def` begins, `row` that row (1-based), `start` is behind
    the colon, `end` behind the last statement, `end_row` the row of that.
    """

    definition: int
    row: int
    start: int
    end: int
    end_row: int
    is_indented: bool


def parse(text: str, row: int) -> list[ast.stmt]:
    """The statements of `text`, whose first row is `row`; raises `SyntaxError`.

    Nesting that is too deep for the parser and null bytes are syntax errors too.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse("\n" * (row - 1) + text).body
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        raise SyntaxError(str(error) or "too deeply nested") from None


def bodies(
    text: str, start: int, end: int, row: int, is_string: Callable[[int], bool]
) -> Iterator[Body]:
    """The bodies of a top-level definition between two offsets: its own, or those of its methods.

    `row` is that of `start`, `is_string` tells if an offset lies within a triple-quoted string.
    They are found by indentation; where that misleads, `skeleton` does not parse.
    """
    if text.find("\r", start, end) >= 0 or text.find("\f", start, end) >= 0:
        return
    indent: str | None = None
    at = max(start - 1, 0)
    while found := _DEF.search(text, at, end):
        definition, at = found.start() + 1, found.end()
        if is_string(definition):
            continue
        if indent is None:
            indent = found[1]
        elif found[1] != indent:
            continue
        opened = _behind_header(text, at, end)
        if opened is None:
            return
        closed = _behind_block(text, opened, end, len(indent), is_string)
        at = closed
        if closed - opened < _LITTLE or not _AT_ROW_END.match(text, opened):
            continue
        row += text.count("\n", start, definition)
        start = definition
        last = row + text.count("\n", start, closed)
        yield Body(definition, row, opened, closed, last, bool(indent))


def skeleton(text: str, start: int, end: int, found: list[Body]) -> str:
    """The text between two offsets, with a placeholder for each body; rows stay where they are."""
    parts = []
    for body in found:
        rows = text.count("\n", body.start, body.end)
        parts += [text[start : body.start], " 0", "\n" * rows]
        start = body.end
    parts.append(text[start:end])
    return "".join(parts)


def attach(
    statements: list[ast.stmt], found: list[Body], text: str, read: Callable[[Body], list[ast.stmt]]
) -> bool:
    """Let functions that were parsed without their bodies `read` them at the first look.

    Returns whether each of the bodies has found its function.
    """
    by_row = {body.row: body for body in found}
    for statement in statements:
        members = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        for node in members:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            body = by_row.pop(node.lineno, None)
            if body is None:
                continue
            node.end_lineno = body.end_row
            last = text.rfind("\n", 0, body.end) + 1
            node.end_col_offset = len(text[last : body.end].encode())
            del node.body
            # both are `FunctionDef` or `AsyncFunctionDef` to everyone who looks
            is_async = isinstance(node, ast.AsyncFunctionDef)
            node.__class__ = _LazyAsyncFunction if is_async else _LazyFunction
            node.read = functools.partial(read, body)  # type: ignore[union-attr]
        if members and isinstance(statement, ast.ClassDef):
            statement.end_lineno = members[-1].end_lineno
            statement.end_col_offset = members[-1].end_col_offset
    return not by_row


class _LazyFunction(ast.FunctionDef):
    """A function that parses its body at the first look."""

    __slots__ = ()
    read: Callable[[], list[ast.stmt]]

    @functools.cached_property
    def body(self) -> list[ast.stmt]:  # type: ignore[override]
        """The statements."""
        return self.read()


class _LazyAsyncFunction(ast.AsyncFunctionDef):
    """A coroutine that parses its body at the first look."""

    __slots__ = ()
    read: Callable[[], list[ast.stmt]]

    @functools.cached_property
    def body(self) -> list[ast.stmt]:  # type: ignore[override]
        """The statements."""
        return self.read()


# visitors of the standard library go by the name
_LazyFunction.__name__ = "FunctionDef"
_LazyAsyncFunction.__name__ = "AsyncFunctionDef"


def _behind_header(text: str, at: int, end: int) -> int | None:
    """The offset behind the colon of a `def`; `None` if there is none."""
    depth = 0
    while found := _HEADER_TOKEN.search(text, at, end):
        token, at = found.group(), found.end()
        if token == "#":
            at = text.find("\n", at, end)
            if at < 0:
                return None
        elif token in _STRING_ENDS:
            closed = _STRING_ENDS[token].match(text, at, end)
            if closed is None:
                return None
            at = closed.end()
        elif token == ":":
            if not depth:
                return at
        else:
            depth += 1 if token in "([{" else -1
    return None


def _behind_block(
    text: str, at: int, end: int, indent: int, is_string: Callable[[int], bool]
) -> int:
    """The offset behind the last row that is indented more than `indent` characters."""
    pattern = _less_indented(indent)
    while found := pattern.search(text, at, end):
        at = found.start() + 1
        if text[at - 2] != "\\" and not is_string(at):
            end = at
            break
    return _behind_code(text, end)


def _behind_code(text: str, end: int) -> int:
    """Step back over blank rows and rows of comments."""
    while True:
        while end and text[end - 1] in " \t\n":
            end -= 1
        start = text.rfind("\n", 0, end) + 1
        if not text[start:end].lstrip(" \t").startswith("#"):
            return end
        end = start


@functools.cache
def _less_indented(indent: int) -> re.Pattern[str]:
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^\s#]")

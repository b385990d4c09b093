"""Where comments, strings and logical lines are in source code, also in code that does not parse.

This is a scan with one expression, not a tokenizer: it knows strings, comments, brackets and
newlines. Offsets count code points. A quote inside the braces of an f-string that uses the same
quotes (Python 3.12) is taken for the end of the string and another one for a new start, which comes
to the same unless a `#` stands between them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.source.text import SourceText

__all__ = ["Comment", "LogicalLine", "comments", "joined_rows", "logical_lines"]

_STRING = r'''
    """ (?: [^\\"]+ | \\. | \\\Z | "(?!"") )* (?: """ | \Z )
  | \'\'\' (?: [^\\']+ | \\. | \\\Z | '(?!'') )* (?: \'\'\' | \Z )
  | " (?: [^\\"\r\n]+ | \\(?:\r\n|.|\Z) )* (?: " | (?=[\r\n]) | \Z )
  | ' (?: [^\\'\r\n]+ | \\(?:\r\n|.|\Z) )* (?: ' | (?=[\r\n]) | \Z )
'''
_FLAGS = re.VERBOSE | re.DOTALL
_PARTS = re.compile(
    rf"""
    [^\#\\"']*
    (?: (?P<comment>\#[^\r\n]*) | (?P<joined>\\(?:\r\n|\r|\n)) | (?P<string>{_STRING}) | \\ | \Z )
    """,
    _FLAGS,
)
_TOKENS = re.compile(
    rf"""
    (?P<space>[ \t\f]+) | (?P<newline>\r\n|\r|\n) | (?P<comment>\#[^\r\n]*)
  | (?P<joined>\\(?:\r\n|\r|\n)) | (?P<string>{_STRING})
  | (?P<open>[(\[{{]) | (?P<close>[)\]}}]) | (?P<other>[^\s\#"'()\[\]{{}}\\]+|.)
    """,
    _FLAGS,
)
# A row that starts like this is never the inside of brackets: one above was left open.
_STATEMENT = re.compile(r"(?:async[ \t]+def|def|class|import)[ \t]")
_TRIPLE = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from its `#` to the end of its row; `is_own_line` if only space stands before."""

    start: int
    end: int
    is_own_line: bool


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """A simple statement or the header of a compound one, from its first character to its last."""

    start: int
    end: int


def comments(text: str) -> list[Comment]:
    """All comments, in order."""
    return [
        Comment(found.start("comment"), found.end(), _is_first(text, found.start("comment")))
        for found in _PARTS.finditer(text)
        if found.lastgroup == "comment"
    ]


def joined_rows(source: SourceText) -> list[tuple[int, int]]:
    """First and last rows of all that strings of three quotes and backslashes join, in order.

    No two of them share a row. Brackets join nothing.
    """
    text = source.text
    if not any(sign in text for sign in (*_TRIPLE, "\\\n", "\\\r")):
        return []
    joined: list[tuple[int, int]] = []
    for found in _PARTS.finditer(text):
        kind = found.lastgroup
        if kind is None or kind == "comment":
            continue
        start = found.start(kind)
        if kind == "string" and not text.startswith(_TRIPLE, start):
            continue
        first = source.position(start).row
        last = source.position(found.end()).row
        if first == last:
            continue
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return joined


def logical_lines(text: str) -> list[LogicalLine]:
    """All logical lines, in order; the bodies of compound statements are lines of their own."""
    return list(_logical_lines(text))


def _logical_lines(text: str) -> Iterator[LogicalLine]:
    depth, start, end = 0, None, 0
    for found in _TOKENS.finditer(text):
        kind = found.lastgroup
        if kind in ("space", "comment"):
            continue
        if kind == "newline":
            if depth and _STATEMENT.match(text, found.end()):
                depth = 0
            if start is not None and depth == 0:
                yield LogicalLine(start, end)
                start = None
            continue
        if start is None:
            start = found.start()
        end = found.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
    if start is not None:
        yield LogicalLine(start, end)


def _is_first(text: str, offset: int) -> bool:
    """Whether only space stands before `offset` on its row."""
    before = offset - 1
    while before >= 0 and text[before] in " \t\f":
        before -= 1
    return before < 0 or text[before] in "\r\n"

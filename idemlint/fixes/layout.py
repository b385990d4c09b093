"""Rows that stay as short as the file keeps them: lists in brackets, one item a row."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["commas", "fitted", "limit_of", "width"]

_LIMITS = (88, 100, 120)
_MOST_LONGER = 0.005
_TAB = 4
_OPENING, _CLOSING = "([{", ")]}"
_IN_TEXT = re.compile(r"""\b[rRbB]*[fFtT][rRbB]*["']""")


def width(row: str) -> int:
    """The length of a row, where a tab goes to the next multiple of four as in Ruff's measure."""
    return len(row.lstrip("\f").expandtabs(_TAB))


@functools.lru_cache(maxsize=8)
def limit_of(text: str) -> int:
    """The length that the rows of a text keep to: the least usual one; 0 where they keep to none."""
    rows = [width(row) for row in re.split(r"[\r\n]+", text) if row.strip()]
    for limit in _LIMITS:
        if sum(row > limit for row in rows) <= _MOST_LONGER * len(rows):
            return limit
    return 0


def is_in_text(row: str) -> bool:
    """Whether what follows the start of a row can stand inside of a text with values."""
    return bool(_IN_TEXT.search(row))


def commas(text: str, start: int, end: int) -> list[int] | None:
    """The offsets of the commas between the items of a list; `None` where it has rows or comments."""
    found = []
    depth = 0
    for at, char in _code(text, start, end):
        if char in "\r\n#":
            return None
        depth += (char in _OPENING) - (char in _CLOSING)
        if char == "," and not depth:
            found.append(at)
    return found


def _code(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The characters that are not part of a text in quotes."""
    at = start
    while at < end:
        char = text[at]
        if char in "\"'":
            quote = char * 3 if text.startswith(char * 3, at) else char
            at += len(quote)
            while at < end and not text.startswith(quote, at):
                at += 2 if text[at] == "\\" else 1
            at += len(quote)
            continue
        yield at, char
        at += 1


def fitted(code: str, indent: str, step: str, limit: int, *, behind: int = 0) -> str:
    """An expression as it is, or with the items of its last brackets in rows of their own.

    `behind` is how much more stands in its last row.
    """
    if not limit or "\n" in code or width(indent) + len(code) + behind <= limit:
        return code
    opening = _last_brackets(code)
    if opening is None:
        return code
    inner = indent + step
    parts = commas(code, opening + 1, len(code) - 1) or []
    bounds = [opening, *parts, len(code) - 1]
    items = [code[a + 1 : b].strip() for a, b in itertools.pairwise(bounds)]
    items = [item for item in items if item]
    if not items:
        return code
    end = "," if len(items) > 1 else ""
    rows = [fitted(item, inner, step, limit, behind=1) + "," for item in items[:-1]]
    rows.append(fitted(items[-1], inner, step, limit, behind=len(end)) + end)
    body = "".join(f"{inner}{row}\n" for row in rows)
    return f"{code[: opening + 1]}\n{body}{indent}{code[-1]}"


def _last_brackets(code: str) -> int | None:
    """The offset of the bracket that closes with the last character."""
    if code[-1:] not in tuple(_CLOSING):
        return None
    open_at: list[int] = []
    for at, char in _code(code, 0, len(code)):
        if char in _OPENING:
            open_at.append(at)
        elif char in _CLOSING and open_at:
            start = open_at.pop()
            if at == len(code) - 1:
                return start
    return None

"""The unified diff of `--diff`."""

from __future__ import annotations

import difflib
import re
from itertools import takewhile
from typing import TYPE_CHECKING

from idemlint.output.styles import ADDED, REMOVED, styled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["notebook_diff", "unified_diff"]

_CONTEXT = 3
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_NO_NEWLINE = "\\ No newline at end of file\n"
_STYLES = {"-": REMOVED, "+": ADDED}


def unified_diff(name: str, before: str, after: str, *, color: bool = False) -> str:
    """What turns `before` into `after`, with an empty line at its end; empty if they are equal.

    `name` stands in both lines of the header. Where it is empty (source without a name from
    standard input) there is no header. Rows keep their own newlines.
    """
    old, new, skipped = _unlike(_ROW.findall(before), _ROW.findall(after))
    parts = []
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        old_range = _range(old_start + skipped, old_end + skipped)
        parts.append(f"@@ -{old_range} +{_range(new_start + skipped, new_end + skipped)} @@\n")
        parts += _rows(group, old, new, color=color)
    if not parts:
        return ""
    return f"{_header(name, color=color) if name else ''}{''.join(parts)}\n"


def notebook_diff(
    name: str, before: Mapping[int, str], after: Mapping[int, str], *, color: bool = False
) -> str:
    """The diff of the cells of a notebook by their numbers, each with a header of its own.

    That a cell ends without a newline is not said: as a rule it does.
    """
    diffs = []
    for number, old in before.items():
        shown = f"{name}:cell {number}" if name else f"cell {number}"
        diff = unified_diff(shown, old, after.get(number, ""), color=color)
        diffs.append(diff.replace(_NO_NEWLINE, "").removesuffix("\n"))
    text = "".join(diffs)
    return f"{text}\n" if text else ""


def _header(name: str, *, color: bool) -> str:
    removed, added = styled(name, REMOVED, color=color), styled(name, ADDED, color=color)
    return f"--- {removed}\n+++ {added}\n"


def _unlike(old: list[str], new: list[str]) -> tuple[list[str], list[str], int]:
    """Both without the rows that are equal at the start and the end, but for a few; how many."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    start, end = max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)
    return old[start : len(old) - end], new[start : len(new) - end], start


def _common(one: list[str], other: list[str]) -> int:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _rows(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str], *, color: bool
) -> Iterator[str]:
    for tag, old_start, old_end, new_start, new_end in group:
        if tag == "equal":
            yield from (_row(" ", row, color=color) for row in old[old_start:old_end])
        else:
            yield from (_row("-", row, color=color) for row in old[old_start:old_end])
            yield from (_row("+", row, color=color) for row in new[new_start:new_end])


def _row(sign: str, row: str, *, color: bool) -> str:
    text = row.rstrip("\r\n")
    end = row[len(text) :]
    shown = styled(f"{sign}{text}", _STYLES.get(sign, ""), color=color)
    return f"{shown}{end}" if end else f"{shown}\n{_NO_NEWLINE}"


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"

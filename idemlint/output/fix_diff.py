"""The change that a fix makes, as lines of text."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from idemlint.output.frame_text import bar
from idemlint.output.printable import printable
from idemlint.output.styles import (
    ADDED,
    EMPHASIS,
    GUTTER,
    REMOVED,
    SIGN_ADDED,
    SIGN_REMOVED,
    styled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idemlint.diagnostic import Edit
    from idemlint.source.text import SourceText

__all__ = ["diff_lines"]

# Only rows around the edits are compared; the others are the same.
_COMPARED = 3
_CONTEXT = 1
# So many equal rows between two changes are shown rather than left out.
_MERGED = 2
_LEFT_OUT = "-" * 80
_COLUMNS = 200
_BEFORE_CHANGE = 60
_CUT = "…"
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_STYLES = {"|": ("", GUTTER), "-": (REMOVED, SIGN_REMOVED), "+": (ADDED, SIGN_ADDED)}


@dataclass(frozen=True, slots=True)
class _Line:
    """A row before (`-`), after (`+`) or on both sides (`|`) of the change.

    `number` is that of the row after the change, or of the one that follows a removed row. The
    text from `first` up to `last` is what changed within the row.
    """

    sign: str
    number: int
    text: str
    first: int = 0
    last: int = 0


def diff_lines(
    source: SourceText, edits: Sequence[Edit], *, color: bool, name: str = ""
) -> Iterator[str]:
    """The rows that `edits`, all of one file, change in `source`, with the row before and after.

    Row numbers are those after the change. `name` is shown above the rows where it is given.
    """
    ordered = sorted(edits, key=lambda edit: edit.range)
    runs = [run for lines in _changed(source, ordered) for run in _shown(lines)]
    width = len(str(max((line.number for run in runs for line in run), default=1)))
    blank = bar(width, color=color)
    if name:
        yield f"{'':{width}}{styled(':::', GUTTER, color=color)} {name}"
    yield blank
    for number, run in enumerate(runs):
        if number:
            yield _LEFT_OUT
        for line in run:
            yield _line_text(line, width, color=color)
    yield blank


def _changed(source: SourceText, edits: Sequence[Edit]) -> Iterator[list[_Line]]:
    """The rows near edits, with those that the edits add and remove, a list for each group."""
    starts = (*source.row_starts, len(source.text))
    added = 0
    for near in _near_each_other(edits):
        first = max(near[0].range.start.row - _COMPARED, 1)
        last = max(edit.range.end.row for edit in near) + _COMPARED
        begin, end = starts[first - 1], starts[min(last, source.row_count)]
        parts, at = [], begin
        for edit in near:
            parts += [source.text[at : source.offset(edit.range.start)], edit.content]
            at = source.offset(edit.range.end)
        old = _rows(source.text[begin:end])
        new = _rows("".join((*parts, source.text[at:end])))
        yield list(_compared(old, new, first + added))
        added += len(new) - len(old)


def _near_each_other(edits: Sequence[Edit]) -> list[list[Edit]]:
    """`edits` in groups between which rows are left out."""
    groups: list[list[Edit]] = []
    last = 0
    for edit in edits:
        if groups and edit.range.start.row - last <= 2 * _COMPARED:
            groups[-1].append(edit)
        else:
            groups.append([edit])
        last = max(last, edit.range.end.row)
    return groups


def _compared(old: Sequence[str], new: Sequence[str], first: int) -> Iterator[_Line]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            for at in range(new_start, new_end):
                yield _Line("|", first + at, new[at])
            continue
        removed, added = old[old_start:old_end], new[new_start:new_end]
        is_edited = len(removed) == len(added)
        for at, text in enumerate(removed):
            span = _difference(text, added[at]) if is_edited else (0, 0)
            yield _Line("-", first + new_start, text, *span)
        for at, text in enumerate(added):
            span = _difference(text, removed[at]) if is_edited else (0, 0)
            yield _Line("+", first + new_start + at, text, *span)


def _difference(text: str, other: str) -> tuple[int, int]:
    """The part of `text` that is not in `other`, given that both are one row before and after."""
    same = _common(text, other)
    return same, len(text) - _common(text[same:][::-1], other[same:][::-1])


def _common(text: str, other: str) -> int:
    """How many characters both have in common at their starts."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False))
    return sum(1 for _ in pairs)


def _shown(lines: Sequence[_Line]) -> list[Sequence[_Line]]:
    """The runs of lines to show: those that change, and few around and between them."""
    near = [
        at
        for at in range(len(lines))
        if any(line.sign != "|" for line in lines[max(at - _CONTEXT, 0) : at + _CONTEXT + 1])
    ]
    runs: list[list[int]] = []
    for at in near:
        if runs and at - runs[-1][1] - 1 <= _MERGED:
            runs[-1][1] = at
        else:
            runs.append([at, at])
    return [lines[first : last + 1] for first, last in runs]


def _line_text(line: _Line, width: int, *, color: bool) -> str:
    style, sign_style = _STYLES[line.sign]
    number = "" if line.sign == "-" else str(line.number)
    start = f"{styled(f'{number:<{width}}', GUTTER, color=color)} "
    start += styled(line.sign, sign_style, color=color)
    text = line.text.rstrip("\r\n")
    if not text:
        return start
    begin, end = _window(len(text), line.first)
    first, last = (min(max(at, begin), end) for at in (line.first, line.last))
    shown = "".join(
        (
            _CUT if begin else "",
            styled(_clean(text[begin:first]), style, color=color),
            styled(_clean(text[first:last]), f"{style}{EMPHASIS}", color=color),
            styled(_clean(text[last:end]), style, color=color),
            _CUT if end < len(text) else "",
        )
    )
    return f"{start} {shown}"


def _window(length: int, first: int) -> tuple[int, int]:
    """The part to show of a text of that length which changes from `first` on."""
    if length <= _COLUMNS:
        return 0, length
    begin = min(max(first - _BEFORE_CHANGE, 0), length - _COLUMNS)
    return begin, begin + _COLUMNS


def _clean(text: str) -> str:
    """`text` for a terminal; tabs stay, so that the change can be copied."""
    return "\t".join(map(printable, text.split("\t")))


def _rows(text: str) -> list[str]:
    """The rows of `text` with their ends."""
    return _ROW.findall(text)

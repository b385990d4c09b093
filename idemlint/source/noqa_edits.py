"""Edits of the comments that silence findings; all else on their rows stays byte for byte."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from idemlint.diagnostic import Edit, Position, Range

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from idemlint.source.directives import Code, Directive
    from idemlint.source.text import SourceText

__all__ = ["delete_codes", "insert_codes", "insert_noqa"]

# What looks like a reason, but speaks to another tool.
_OTHER_TOOL = re.compile(
    r"\b(?:fmt|isort|mypy|noinspection|nosec|pragma|pylint|pyright|type|yapf)\b"
)


def delete_codes(
    source: SourceText, directive: Directive, unwanted: Collection[Code]
) -> tuple[Edit, ...]:
    """Take codes out of a directive, and the directive with its reason if none is left."""
    kept = [code for code in directive.codes if code not in unwanted]
    if not kept:
        return (_delete(source, directive),)
    return tuple(
        Edit(source.path, source.range(start, end), "")
        for start, end in _stretches(directive.codes, unwanted)
    )


def _stretches(codes: Sequence[Code], unwanted: Collection[Code]) -> Iterator[tuple[int, int]]:
    """What to cut out for each run of unwanted codes, with one of the delimiters around it."""
    kept = [number for number, code in enumerate(codes) if code not in unwanted]
    before = -1
    for number in kept:
        if number > before + 1:
            yield codes[before + 1].start, codes[number].start
        before = number
    if before < len(codes) - 1:
        yield codes[before].end, codes[-1].end


def _delete(source: SourceText, directive: Directive) -> Edit:
    start, end = directive.start, directive.end
    row = source.position(start).row
    row_start = source.offset(Position(row, 1))
    row_end = row_start + len(source.row(row))
    before, behind = source.text[row_start:start], source.text[end:row_end]
    other = _OTHER_TOOL.search(behind.partition("#")[0])
    if other is not None:
        return Edit(source.path, source.range(start, end + other.start()), "# ")
    if "#" in behind:
        return Edit(source.path, source.range(start, end + behind.index("#")), "")
    if before.strip():
        return Edit(source.path, source.range(row_start + len(before.rstrip()), row_end), "")
    end_of_row = Position(row + 1, 1) if row < source.row_count else source.position(row_end)
    return Edit(source.path, Range(Position(row, 1), end_of_row), "")


def insert_codes(
    source: SourceText, directive: Directive, codes: Collection[str], reason: str = ""
) -> Edit:
    """Add codes to those of a `noqa`, sorted; the reason only where there is none yet."""
    listed = directive.codes
    start, end = listed[0].start, listed[-1].end
    names = sorted({*codes, *(code.text for code in listed)})
    row = source.position(start).row
    behind = source.row(row)[source.position(end).column - 1 :].strip()
    why = f" {reason}" if reason and (not behind or behind.startswith("#")) else ""
    return Edit(source.path, source.range(start, end), f"{', '.join(names)}{why}")


def insert_noqa(
    source: SourceText,
    row: int,
    codes: Collection[str],
    reason: str = "",
    before: int | None = None,
) -> Edit:
    """Put a new `noqa` at the end of a row, or before the comment at the offset `before`."""
    directive = f"# noqa: {', '.join(sorted(codes))}{f' {reason}' if reason else ''}"
    if before is not None:
        return Edit(source.path, source.range(before, before), f"{directive}  ")
    text = source.row(row)
    code = text.rstrip()
    span = Range(Position(row, len(code) + 1), Position(row, len(text) + 1))
    return Edit(source.path, span, f"  {directive}" if code else directive)

"""The rows that each directive silences."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.source.comments import joined_rows, logical_lines
from idemlint.source.directives import Complaint, Directive, Form, is_our_code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idemlint.diagnostic import Diagnostic
    from idemlint.source.comments import LogicalLine
    from idemlint.source.text import SourceText

__all__ = ["Suppression", "scopes"]

_NO_DISABLE = ": no matching `disable` comment"
_BAD_INDENTATION = ": indentation does not match the code around it"
_NOT_MODULE = ": file-level suppressions must be at global module scope"


@dataclass(frozen=True, slots=True)
class Suppression:
    """A directive on `row` that silences what stands in the rows `first` to `last`.

    `enable` is the directive that ends it, for a `disable` that has one.
    """

    directive: Directive
    row: int
    first: int
    last: int
    enable: Directive | None = None

    @property
    def is_file_level(self) -> bool:
        """Whether it silences the whole file."""
        return self.directive.form in (Form.FILE, Form.FILE_IGNORE)

    def names(self, diagnostic: Diagnostic) -> bool:
        """Whether it is about the rule of `diagnostic`; without codes it is about all of ours."""
        codes = self.directive.codes
        if not codes:
            return True
        known_as = [diagnostic.code]
        if self.directive.has_brackets:
            known_as.append(diagnostic.name)
        return any(code.text in known_as for code in codes)

    def silences(self, diagnostic: Diagnostic) -> bool:
        """Whether it silences `diagnostic`; what is no finding of a rule cannot be silenced."""
        if diagnostic.noqa_row is None or not is_our_code(diagnostic.code):
            return False
        return self.names(diagnostic) and self._reaches(diagnostic)

    def _reaches(self, diagnostic: Diagnostic) -> bool:
        start, end = diagnostic.range.start.row, diagnostic.range.end.row
        form = self.directive.form
        if form is Form.ROW:
            return diagnostic.noqa_row == self.row
        if form is Form.DISABLE:
            return self.first <= start and end <= self.last
        if form is Form.IGNORE and not self.directive.is_own_row:
            return self.row in (start, diagnostic.noqa_row)
        return self.first <= start <= self.last


def scopes(
    source: SourceText, found: Sequence[Directive]
) -> tuple[list[Suppression], list[Complaint]]:
    """What each of the directives of a file silences, and what is wrong with the others."""
    suppressions: list[Suppression] = []
    complaints: list[Complaint] = []
    blocks: list[Directive] = []
    lines = logical_lines(source.text) if any(entry.has_brackets for entry in found) else []
    for directive in found:
        row = source.position(directive.start).row
        if directive.form in (Form.DISABLE, Form.ENABLE):
            blocks.append(directive)
        elif directive.form is Form.FILE_IGNORE and _indentation(source, directive.start):
            complaints.append(_complaint(directive, _NOT_MODULE))
        elif directive.form in (Form.FILE, Form.FILE_IGNORE):
            suppressions.append(Suppression(directive, row, 1, source.row_count))
        elif directive.form is Form.IGNORE and directive.is_own_row:
            last = _following_row(source, directive, lines)
            suppressions.append(Suppression(directive, row, row, last))
        else:
            suppressions.append(Suppression(directive, row, row, row))
    for entry in _blocks(source, blocks, lines):
        if isinstance(entry, Complaint):
            complaints.append(entry)
        else:
            suppressions.append(entry)
    return suppressions, complaints


def _following_row(source: SourceText, directive: Directive, lines: Sequence[LogicalLine]) -> int:
    """The last row of the logical line that follows; inside of one, the next row with code."""
    row = source.position(directive.start).row
    line = next((line for line in lines if line.end > directive.start), None)
    if line is None:
        return row
    last = source.position(line.end).row
    if line.start > directive.start:
        return last
    inside = (other for other in range(row + 1, last + 1) if _is_code(source.row(other)))
    following = next(inside, last)
    return next((end for start, end in joined_rows(source) if start <= following <= end), following)


def _is_code(text: str) -> bool:
    return bool(text.strip()) and not text.lstrip().startswith("#")


def _blocks(
    source: SourceText, blocks: Sequence[Directive], lines: Sequence[LogicalLine]
) -> Iterator[Suppression | Complaint]:
    """What each `disable` silences: all up to the `enable` with its codes, in the same block.

    Without one it holds to the end of the block.
    """
    starts = [line.start for line in lines]
    indentations = [_indentation(source, start) for start in starts]
    left: list[Directive] = []
    for directive in blocks:
        at = bisect.bisect_left(starts, directive.start)
        before = indentations[at - 1] if at else 0
        after = indentations[at] if at < len(lines) else 0
        if _indentation(source, directive.start) != before == after:
            yield _complaint(directive, _BAD_INDENTATION)
        else:
            left.append(directive)
    while left:
        directive = left.pop(0)
        if directive.form is Form.ENABLE:
            yield _complaint(directive, _NO_DISABLE)
            continue
        end = _block_end(source, directive, starts, indentations)
        last = source.row_count if end is None else source.position(end).row - 1
        enable = next((entry for entry in left if _ends(source, directive, entry, end)), None)
        if enable is not None:
            left.remove(enable)
            last = source.position(enable.start).row
        row = source.position(directive.start).row
        yield Suppression(directive, row, row, last, enable)


def _block_end(
    source: SourceText, directive: Directive, starts: Sequence[int], indentations: Sequence[int]
) -> int | None:
    """Where the first logical line starts behind the block; `None` where the file ends with it."""
    own = _indentation(source, directive.start)
    at = bisect.bisect_left(starts, directive.start)
    following = zip(starts[at:], indentations[at:], strict=True)
    return next((start for start, indentation in following if indentation < own), None)


def _ends(source: SourceText, disable: Directive, other: Directive, block_end: int | None) -> bool:
    """Whether `other` is the `enable` of `disable`, in the block that ends at that offset."""
    is_behind = block_end is not None and other.start >= block_end
    if other.form is not Form.ENABLE or is_behind:
        return False
    is_aligned = _indentation(source, disable.start) == _indentation(source, other.start)
    same_codes = [code.text for code in disable.codes] == [code.text for code in other.codes]
    return is_aligned and same_codes


def _indentation(source: SourceText, offset: int) -> int:
    """How many characters stand before `offset` on its row."""
    return source.position(offset).column - 1


def _complaint(directive: Directive, reason: str) -> Complaint:
    before = f"Invalid `# idemlint: {directive.form.value}` directive at"
    return Complaint(directive.form, directive.start, before, reason)

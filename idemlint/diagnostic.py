"""What the linter reports: plain frozen data that every other part may use.

Rows are 1-based. Columns are 1-based and count Unicode code points; a byte order mark counts as
nothing and a tab as one, as in Ruff's output. The end of a range is exclusive.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Applicability", "Diagnostic", "Edit", "Fix", "Position", "Range", "Related", "Severity"]


class Applicability(enum.IntEnum):
    """How far a fix can be trusted; a higher value can be applied more freely."""

    DISPLAY = 0
    """Shown for review, never applied."""
    UNSAFE = 1
    """Applied with `--unsafe-fixes`: it changes what the code does."""
    SAFE = 2
    """Applied with `--fix`."""


class Severity(enum.Enum):
    """An error is a proven duplicate; a warning is a contract that is missing."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file: `row` and `column`, both 1-based, columns in code points."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """A stretch of a file; `end` is exclusive."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `range` of `path` by `content`; an empty range inserts, empty content deletes.

    With `cell`, the 1-based cell of a notebook, rows are those of the cell.
    """

    path: Path
    range: Range
    content: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that cure one diagnostic. `message` is an imperative title; edits do not overlap."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that the finding is about, with a short label for it; `cell` as in `Edit`."""

    path: Path
    range: Range
    label: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, complete when made.

    `code` is a rule code (`IDM101`), `invalid-syntax` or `E902`; `name` is the rule's name,
    `invalid-syntax` or `io-error`. `noqa_row` is the row on which a `noqa` comment counts, `None`
    where none does. `cell` is the 1-based notebook cell, and rows are then those of the cell.
    `operation` is the pattern that cures the fault (`OP-1`), `reason` why that one was chosen,
    `suggestion` one imperative sentence; the three are empty on syntax and input errors.
    """

    path: Path
    range: Range
    code: str
    name: str
    message: str
    severity: Severity = Severity.ERROR
    noqa_row: int | None = None
    cell: int | None = None
    url: str | None = None
    operation: str = ""
    reason: str = ""
    suggestion: str = ""
    related: Sequence[Related] = field(default=())
    fix: Fix | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, int, str]:
        """By path, then place, then code; the order of every report."""
        start = self.range.start
        return (str(self.path), self.cell or 0, start.row, start.column, self.code)

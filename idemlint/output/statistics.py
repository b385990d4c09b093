"""How often each rule reported, for `--statistics`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.output.report import emit
from idemlint.output.styles import CODE, CYAN, EMPHASIS, styled
from idemlint.output.summary import summary

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic, Severity
    from idemlint.output.report import OutputReport

__all__ = ["STATISTICS_FORMATS", "render_statistics"]

STATISTICS_FORMATS = ("concise", "full", "json")
"""The formats that go with `--statistics`."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The findings of one rule; syntax errors have no code here, as with Ruff."""

    code: str
    name: str
    severity: Severity
    count: int
    fixable_count: int


def render_statistics(report: OutputReport, stream: TextIO, *, as_json: bool) -> None:
    """Write one row a rule, the most frequent first; nothing where nothing was found."""
    rows = _rows(report)
    if not rows:
        return
    if as_json:
        emit(stream, f"{json.dumps([_object(row) for row in rows], indent=2)}\n")
        return
    emit(stream, "".join(_lines(rows, color=report.color)) + summary(report))


def _rows(report: OutputReport) -> list[_Row]:
    counts = Counter(entry.code for entry in report.diagnostics)
    fixable = Counter(entry.code for entry in report.diagnostics if report.is_applicable(entry))
    first = {entry.code: entry for entry in reversed(report.diagnostics)}
    rows = [
        _Row(_code(first[code]), first[code].name, first[code].severity, count, fixable[code])
        for code, count in counts.items()
    ]
    return sorted(rows, key=lambda row: (-row.count, row.code))


def _code(diagnostic: Diagnostic) -> str:
    return "" if diagnostic.code == diagnostic.name else diagnostic.code


def _object(row: _Row) -> dict[str, object]:
    return {
        "code": row.code or None,
        "name": row.name,
        "count": row.count,
        "fixable": row.fixable_count == row.count,
        "fixable_count": row.fixable_count,
    }


def _lines(rows: list[_Row], *, color: bool) -> list[str]:
    count_width = max(len(str(row.count)) for row in rows)
    code_width = max(len(row.code) for row in rows)
    has_marks = any(row.fixable_count for row in rows)
    lines = []
    for row in rows:
        count = styled(f"{row.count:>{count_width}}", EMPHASIS, color=color)
        code = styled(row.code, CODE[row.severity], color=color)
        mark = f"[{_mark(row, color=color)}] " if has_marks else ""
        name_start = " " * (code_width - len(row.code))
        lines.append(f"{count}\t{code}{name_start}\t{mark}{row.name}\n")
    return lines


def _mark(row: _Row, *, color: bool) -> str:
    """What `[ ]` holds: whether all, some or none of the findings can be fixed."""
    if row.fixable_count == row.count:
        return styled("*", CYAN, color=color)
    return styled("-", CYAN, color=color) if row.fixable_count else " "

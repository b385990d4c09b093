"""Workflow commands of GitHub Actions, shown as annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.diagnostic import Position, Range
from idemlint.output.printable import printable
from idemlint.output.report import emit
from idemlint.output.wording import advice, fix_title, shown_code

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["render"]

_TOP = Position(1, 1)
_PERCENT = str.maketrans({"%": "%25"})
_PROPERTY = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C", "\r": "%0D", "\n": "%0A"})
_NEWLINE = "%0A"


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one command a finding; a notebook's findings stand at 1:1."""
    for diagnostic in report.diagnostics if report.show_diagnostics else ():
        emit(stream, f"{_command(report, diagnostic)}\n")


def _command(report: OutputReport, diagnostic: Diagnostic) -> str:
    span = diagnostic.range if diagnostic.cell is None else Range(_TOP, _TOP)
    file = printable(report.full_path(diagnostic.path).translate(_PROPERTY))
    text = f"{shown_code(diagnostic)} {printable(diagnostic.message)}"
    lines = [f"{_place(report, diagnostic.path, span.start)}: {text}"]
    for related in diagnostic.related:
        place = _place(report, related.path, related.range.start)
        lines.append(f"  {place}: {printable(related.label)}")
    helps = filter(None, (advice(diagnostic), fix_title(diagnostic)))
    lines.extend(f"  help: {printable(text)}" for text in helps)
    body = _NEWLINE.join(line.translate(_PERCENT) for line in lines)
    title = f"title=idemlint ({diagnostic.code})"
    return f"::{diagnostic.severity.value} {title},file={file},{_where(span)}::{body}"


def _where(span: Range) -> str:
    """The range as properties; GitHub refuses columns where a range has several rows."""
    start, end = span.start, span.end
    if start.row != end.row:
        return f"line={start.row},endLine={end.row}"
    return f"line={start.row},col={start.column},endLine={end.row},endColumn={end.column}"


def _place(report: OutputReport, path: Path, start: Position) -> str:
    return f"{printable(report.shown_path(path))}:{start.row}:{start.column}"

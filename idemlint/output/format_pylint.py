"""`path:row: [CODE] message`, as pylint's parseable output and flake8 write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.output.printable import printable
from idemlint.output.report import emit

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.output.report import OutputReport

__all__ = ["render"]


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one line a finding; a notebook's findings stand at row 1."""
    for diagnostic in report.diagnostics if report.show_diagnostics else ():
        path = printable(report.shown_path(diagnostic.path))
        row = diagnostic.range.start.row if diagnostic.cell is None else 1
        emit(stream, f"{path}:{row}: [{diagnostic.code}] {printable(diagnostic.message)}\n")

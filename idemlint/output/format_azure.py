"""Logging commands of Azure Pipelines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from idemlint.output.printable import printable
from idemlint.output.report import emit

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["render"]

_PROPERTY = str.maketrans({";": "%3B", "]": "%5D", "\r": "%0D", "\n": "%0A"})
# The agent reads these as escapes, but a lone percent sign as itself.
_LOOKS_ESCAPED = re.compile("%(?=0A|0D|3B|5D|AZP25)", re.IGNORECASE)


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one `##vso[task.logissue …]` command a finding; a notebook's stand at 1:1."""
    for diagnostic in report.diagnostics if report.show_diagnostics else ():
        emit(stream, f"{_command(report, diagnostic)}\n")


def _command(report: OutputReport, diagnostic: Diagnostic) -> str:
    start = diagnostic.range.start
    row, column = (start.row, start.column) if diagnostic.cell is None else (1, 1)
    path = printable(_escaped(report.full_path(diagnostic.path)).translate(_PROPERTY))
    properties = (
        f"type={diagnostic.severity.value};sourcepath={path};"
        f"linenumber={row};columnnumber={column};code={diagnostic.code};"
    )
    return f"##vso[task.logissue {properties}]{printable(_escaped(diagnostic.message))}"


def _escaped(text: str) -> str:
    return _LOOKS_ESCAPED.sub("%AZP25", text)

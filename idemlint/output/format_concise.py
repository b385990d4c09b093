"""`path:row:column: CODE [*] message`, one finding a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.output.printable import printable
from idemlint.output.report import emit
from idemlint.output.styles import CODE, CYAN, EMPHASIS, linked_code, styled
from idemlint.output.summary import ending
from idemlint.output.wording import shown_code

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["mark", "render"]


def render(report: OutputReport, stream: TextIO) -> None:
    """Write the findings, then the summary."""
    if report.show_diagnostics:
        emit(stream, "".join(_line(report, entry) for entry in report.diagnostics))
    emit(stream, ending(report))


def mark(report: OutputReport, diagnostic: Diagnostic) -> str:
    """What stands between a finding's place and its message: the code and `[*]`."""
    code = linked_code(report, diagnostic, CODE[diagnostic.severity])
    star = f" [{styled('*', CYAN, color=report.color)}]" if report.is_marked(diagnostic) else ""
    return f"{shown_code(diagnostic, code)}{star}"


def _line(report: OutputReport, diagnostic: Diagnostic) -> str:
    colon = styled(":", CYAN, color=report.color)
    path = styled(printable(report.shown_path(diagnostic.path)), EMPHASIS, color=report.color)
    cell = f"{colon}cell {diagnostic.cell}" if diagnostic.cell is not None else ""
    start = diagnostic.range.start
    place = f"{path}{cell}{colon}{start.row}{colon}{start.column}{colon}"
    return f"{place} {mark(report, diagnostic)} {printable(diagnostic.message)}\n"

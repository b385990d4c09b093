"""The findings under the name of their file, aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.output.format_concise import mark
from idemlint.output.printable import printable
from idemlint.output.report import emit
from idemlint.output.styles import CYAN, UNDERLINED, styled
from idemlint.output.summary import ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["by_file", "render"]


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one block a file, then the summary."""
    if report.show_diagnostics:
        for path, found in by_file(report.diagnostics).items():
            name = styled(printable(report.shown_path(path)), UNDERLINED, color=report.color)
            emit(stream, f"{name}:\n{''.join(_lines(report, found))}\n")
    emit(stream, ending(report))


def by_file(diagnostics: Iterable[Diagnostic]) -> dict[Path, list[Diagnostic]]:
    """The findings of each file, files and findings in their order."""
    found: dict[Path, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        found.setdefault(diagnostic.path, []).append(diagnostic)
    return found


def _lines(report: OutputReport, found: Sequence[Diagnostic]) -> Iterable[str]:
    row_width = max(len(str(entry.range.start.row)) for entry in found)
    column_width = max(len(str(entry.range.start.column)) for entry in found)
    colon = styled(":", CYAN, color=report.color)
    for entry in found:
        row, column = str(entry.range.start.row), str(entry.range.start.column)
        cell = f"cell {entry.cell}{colon}" if entry.cell is not None else ""
        place = f"{' ' * (row_width - len(row))}{cell}{row}{colon}{column:<{column_width}}"
        yield f"  {place} {mark(report, entry)} {printable(entry.message)}\n"

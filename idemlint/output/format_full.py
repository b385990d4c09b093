"""The findings with frames of code, advice, and the change that each fix makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.output.fix_diff import diff_lines
from idemlint.output.frame_text import bar, frame_lines
from idemlint.output.frames import Mark, frames, gutter_width
from idemlint.output.printable import printable
from idemlint.output.report import emit
from idemlint.output.styles import EMPHASIS, GUTTER, HELP, NOTE, code_style, linked_code, styled
from idemlint.output.summary import ending
from idemlint.output.wording import advice, shown_code

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic, Edit, Position, Related
    from idemlint.output.frames import Frame
    from idemlint.output.report import OutputReport
    from idemlint.source.text import SourceText

__all__ = ["render"]

_NOTES = {
    Applicability.UNSAFE: "This is an unsafe fix and may change runtime behavior",
    Applicability.DISPLAY: (
        "This suggestion may be incorrect or produce invalid syntax."
        " It requires manual review and cannot be applied automatically"
    ),
}


def render(report: OutputReport, stream: TextIO) -> None:
    """Write a block a finding, each followed by an empty line, then the summary."""
    for diagnostic in report.diagnostics if report.show_diagnostics else ():
        emit(stream, "".join(f"{line}\n" for line in _block(report, diagnostic)) + "\n")
    emit(stream, ending(report))


def _block(report: OutputReport, diagnostic: Diagnostic) -> Iterator[str]:
    places = list(_places(report, diagnostic))
    width = gutter_width([place.frame for place in places if place.frame is not None])
    color = report.color
    yield _header(report, diagnostic)
    blank, last = bar(width, color=color), ""
    for number, place in enumerate(places):
        if number and width and last != blank:
            yield blank
        arrow = styled("::: " if number else "--> ", GUTTER, color=color)
        last = f"{'':{width}}{arrow}{place.text}"
        yield last
        for last in frame_lines(place.frame, width, color=color) if place.frame is not None else ():
            yield last
    text = advice(diagnostic)
    if text:
        if width and last != blank:
            yield blank
        sign = styled("=", GUTTER, color=color)
        yield f"{'':{width}} {sign} {_titled('help', HELP, text, report)}"
    yield from _fix_lines(report, diagnostic)


def _header(report: OutputReport, diagnostic: Diagnostic) -> str:
    code = linked_code(report, diagnostic, code_style(diagnostic.severity))
    star = f" [{styled('*', HELP, color=report.color)}]" if report.is_marked(diagnostic) else ""
    message = styled(f" {printable(diagnostic.message)}", EMPHASIS, color=report.color)
    return f"{shown_code(diagnostic, code)}{star}{message}"


@dataclass(frozen=True, slots=True)
class _Place:
    """A place, with the code around it where that can be read."""

    text: str
    frame: Frame | None = None


def _places(report: OutputReport, diagnostic: Diagnostic) -> Iterator[_Place]:
    """Where the finding stands, then the related places that do not fit into its frame."""
    primary = Mark(diagnostic.range, "", code_style(diagnostic.severity), is_primary=True)
    marks: dict[tuple[Path, int | None], list[Mark]] = {}
    marks[diagnostic.path, diagnostic.cell] = [primary]
    for related in diagnostic.related:
        marks.setdefault((related.path, related.cell), []).append(_mark(related))
    for (path, cell), found in marks.items():
        name = printable(report.shown_path(path))
        if cell is not None:
            name = f"{name}:cell {cell}"
        yield from _framed(name, report.text_at(path, cell), found)


def _framed(name: str, source: SourceText | None, marks: list[Mark]) -> Iterator[_Place]:
    if source is None:
        for mark in marks:
            label = f": {mark.label}" if mark.label else ""
            yield _Place(f"{_at(name, mark.range.start)}{label}")
    else:
        for frame in frames(source, marks):
            yield _Place(_at(name, frame.place), frame)


def _mark(related: Related) -> Mark:
    return Mark(related.range, printable(related.label), GUTTER)


def _at(name: str, start: Position) -> str:
    return f"{name}:{start.row}:{start.column}"


def _fix_lines(report: OutputReport, diagnostic: Diagnostic) -> Iterator[str]:
    """The title of the fix, what it changes in each file, and how far it can be trusted."""
    fix = diagnostic.fix
    if fix is None:
        return
    yield _titled("help", HELP, fix.message, report)
    by_place: dict[tuple[Path, int | None], list[Edit]] = {}
    for edit in fix.edits:
        by_place.setdefault((edit.path, edit.cell), []).append(edit)
    for (path, cell), edits in by_place.items():
        source = report.text_at(path, cell)
        if source is not None:
            name = _edited_name(report, diagnostic, path, cell)
            yield from diff_lines(source, edits, color=report.color, name=name)
    if fix.applicability in _NOTES:
        yield _titled("note", NOTE, _NOTES[fix.applicability], report)


def _edited_name(report: OutputReport, diagnostic: Diagnostic, path: Path, cell: int | None) -> str:
    """What stands above the change: another file's name, the cell of a notebook, else nothing."""
    shown = f"cell {cell}" if cell is not None else ""
    if path == diagnostic.path:
        return shown
    name = printable(report.shown_path(path))
    return f"{name}:{shown}" if shown else name


def _titled(title: str, style: str, text: str, report: OutputReport) -> str:
    """`title: text`, as Ruff writes what belongs to a finding."""
    head = styled(title, style, color=report.color)
    return f"{head}{styled(f': {printable(text)}', EMPHASIS, color=report.color)}"

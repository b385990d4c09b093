"""Reviewdog's diagnostic format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from idemlint.diagnostic import Severity
from idemlint.output.report import HOME, emit

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic, Range, Related
    from idemlint.output.report import OutputReport

__all__ = ["render"]

_LEVELS = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING"}


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one object, without a newline at its end."""
    if not report.show_diagnostics:
        return
    document = {
        "diagnostics": [_diagnostic(report, entry) for entry in report.diagnostics],
        "severity": "WARNING",
        "source": {"name": "idemlint", "url": HOME},
    }
    emit(stream, json.dumps(document, ensure_ascii=False, indent=2))


def _diagnostic(report: OutputReport, diagnostic: Diagnostic) -> dict[str, Any]:
    code = {"url": diagnostic.url, "value": diagnostic.code}
    location: dict[str, Any] = {"path": report.full_path(diagnostic.path)}
    related, suggestions = [], []
    # Rows count from the top of a notebook's cell, and the format knows only those of the file.
    if diagnostic.cell is None:
        location["range"] = _range(diagnostic.range)
        in_files = [entry for entry in diagnostic.related if entry.cell is None]
        related = [_related(report, entry) for entry in in_files]
        suggestions = _suggestions(diagnostic)
    return {
        "code": {name: value for name, value in code.items() if value is not None},
        "location": location,
        "message": diagnostic.message,
        **({"related_locations": related} if related else {}),
        "severity": _LEVELS[diagnostic.severity],
        **({"suggestions": suggestions} if suggestions else {}),
    }


def _suggestions(diagnostic: Diagnostic) -> list[dict[str, Any]]:
    """The edits; none where one lies in another file, as a suggestion cannot name it."""
    edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
    if any(edit.path != diagnostic.path for edit in edits):
        return []
    return [{"range": _range(edit.range), "text": edit.content} for edit in edits]


def _related(report: OutputReport, related: Related) -> dict[str, Any]:
    location = {"path": report.full_path(related.path), "range": _range(related.range)}
    return {"location": location, "message": related.label}


def _range(span: Range) -> dict[str, Any]:
    start, end = span.start, span.end
    return {
        "end": {"column": end.column, "line": end.row},
        "start": {"column": start.column, "line": start.row},
    }

"""An array of objects with Ruff's keys and `operation`, `reason`, `related`, `suggestion`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from idemlint.output.report import emit
from idemlint.output.wording import APPLICABILITY

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic, Edit, Fix, Position, Related
    from idemlint.output.report import OutputReport

__all__ = ["as_json", "render"]


def render(report: OutputReport, stream: TextIO) -> None:
    """Write the array, without a newline at its end."""
    if not report.show_diagnostics:
        return
    found = [as_json(report, diagnostic) for diagnostic in report.diagnostics]
    emit(stream, json.dumps(found, ensure_ascii=False, indent=2))


def as_json(report: OutputReport, diagnostic: Diagnostic) -> dict[str, Any]:
    """One finding as the object of `json` and `json-lines`, keys in alphabetical order."""
    return {
        "cell": diagnostic.cell,
        "code": diagnostic.code,
        "end_location": _location(diagnostic.range.end),
        "filename": report.full_path(diagnostic.path),
        "fix": _fix(report, diagnostic, diagnostic.fix) if diagnostic.fix is not None else None,
        "location": _location(diagnostic.range.start),
        "message": diagnostic.message,
        "name": diagnostic.name,
        "noqa_row": diagnostic.noqa_row,
        "operation": diagnostic.operation,
        "reason": diagnostic.reason,
        "related": [_related(report, related) for related in diagnostic.related],
        "severity": diagnostic.severity.value,
        "suggestion": diagnostic.suggestion,
        "url": diagnostic.url,
    }


def _fix(report: OutputReport, diagnostic: Diagnostic, fix: Fix) -> dict[str, Any]:
    return {
        "applicability": APPLICABILITY[fix.applicability],
        "edits": [_edit(report, diagnostic, edit) for edit in fix.edits],
        "message": fix.message,
    }


def _edit(report: OutputReport, diagnostic: Diagnostic, edit: Edit) -> dict[str, Any]:
    """An edit; `filename` and `cell` only where it lies in another one than its finding."""
    elsewhere = edit.path != diagnostic.path
    other_cell = edit.cell is not None and (elsewhere or edit.cell != diagnostic.cell)
    return {
        **({"cell": edit.cell} if other_cell else {}),
        "content": edit.content,
        "end_location": _location(edit.range.end),
        **({"filename": report.full_path(edit.path)} if elsewhere else {}),
        "location": _location(edit.range.start),
    }


def _related(report: OutputReport, related: Related) -> dict[str, Any]:
    return {
        **({"cell": related.cell} if related.cell is not None else {}),
        "end_location": _location(related.range.end),
        "filename": report.full_path(related.path),
        "label": related.label,
        "location": _location(related.range.start),
    }


def _location(position: Position) -> dict[str, int]:
    return {"column": position.column, "row": position.row}

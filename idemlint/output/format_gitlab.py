"""GitLab's Code Quality report."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.diagnostic import Position, Range, Severity
from idemlint.output.fingerprints import fingerprints
from idemlint.output.report import emit

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["render"]

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor"}
_TOP = Position(1, 1)


def render(report: OutputReport, stream: TextIO) -> None:
    """Write the array, without a newline at its end; a notebook's findings stand at 1:1.

    Paths are relative to `CI_PROJECT_DIR` where that is set, else to the working directory.
    """
    if not report.show_diagnostics:
        return
    project = os.environ.get("CI_PROJECT_DIR")
    paths = [_path(report, entry, project) for entry in report.diagnostics]
    names = fingerprints(report, paths)
    found = [
        _issue(entry, path, name)
        for entry, path, name in zip(report.diagnostics, paths, names, strict=True)
    ]
    emit(stream, json.dumps(found, ensure_ascii=False, indent=2))


def _issue(diagnostic: Diagnostic, path: str, fingerprint: str) -> dict[str, Any]:
    span = diagnostic.range if diagnostic.cell is None else Range(_TOP, _TOP)
    positions = {"begin": _place(span.start), "end": _place(span.end)}
    return {
        "check_name": diagnostic.code,
        "description": f"{diagnostic.code}: {diagnostic.message}",
        "severity": _SEVERITIES[diagnostic.severity],
        "fingerprint": fingerprint,
        "location": {"path": path, "positions": positions},
    }


def _place(position: Position) -> dict[str, int]:
    return {"line": position.row, "column": position.column}


def _path(report: OutputReport, diagnostic: Diagnostic, project: str | None) -> str:
    if project is None:
        return Path(report.shown_path(diagnostic.path)).as_posix()
    return Path(os.path.relpath(report.full_path(diagnostic.path), project)).as_posix()

"""SARIF 2.1.0, with related places, code flows, fixes and fingerprints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint import __version__, catalogue
from idemlint.diagnostic import Position, Range
from idemlint.output.fingerprints import fingerprints
from idemlint.output.report import HOME, STDIN, emit
from idemlint.output.wording import APPLICABILITY

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic, Edit, Fix
    from idemlint.output.report import OutputReport

__all__ = ["render"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT = "idemlintContext/v1"
_FENCE = "---\n"
_TOP = Range(Position(1, 1), Position(1, 1))


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one run with the rules that reported, without a newline at the end."""
    if not report.show_diagnostics:
        return
    shown = report.diagnostics
    known = catalogue.rules()
    codes = sorted({entry.code for entry in shown if entry.code in known})
    paths = (Path(report.shown_path(entry.path)).as_posix() for entry in shown)
    names = fingerprints(report, paths)
    results = [
        _result(report, entry, name, codes) for entry, name in zip(shown, names, strict=True)
    ]
    driver = {
        "informationUri": HOME,
        "name": "idemlint",
        "rules": [_rule(known[code]) for code in codes],
        "version": __version__,
    }
    run = {"columnKind": "unicodeCodePoints", "results": results, "tool": {"driver": driver}}
    document = {"$schema": _SCHEMA, "runs": [run], "version": "2.1.0"}
    emit(stream, json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))


def _rule(rule: catalogue.Rule) -> dict[str, Any]:
    body = _body(rule.page)
    level = rule.severity.value
    return {
        "defaultConfiguration": {"enabled": not rule.is_preview, "level": level},
        "fullDescription": {"text": body},
        "help": {"markdown": body, "text": rule.summary},
        "helpUri": rule.url,
        "id": rule.code,
        "properties": {
            "id": rule.code,
            "kind": "idemlint",
            "name": rule.name,
            "operations": list(rule.operations),
            "problem.severity": level,
        },
        "shortDescription": {"text": rule.summary},
    }


def _body(page: Path) -> str:
    """The page in Markdown, without its front matter."""
    return page.read_text(encoding="utf-8").split(_FENCE, 2)[-1].strip() + "\n"


def _result(
    report: OutputReport, diagnostic: Diagnostic, fingerprint: str, codes: list[str]
) -> dict[str, Any]:
    # Rows count from the top of a cell, and SARIF knows only those of the file.
    primary = diagnostic.range if diagnostic.cell is None else _TOP
    result: dict[str, Any] = {
        "level": diagnostic.severity.value,
        "locations": [_location(report, diagnostic.path, primary)],
        "message": {"text": diagnostic.message},
        "partialFingerprints": {_FINGERPRINT: fingerprint},
        "ruleId": diagnostic.code,
    }
    if diagnostic.code in codes:
        result["ruleIndex"] = codes.index(diagnostic.code)
    properties = _properties(diagnostic)
    if properties:
        result["properties"] = properties
    related = [entry for entry in diagnostic.related if entry.cell is None]
    if related and diagnostic.cell is None:
        steps = [_location(report, entry.path, entry.range, entry.label) for entry in related]
        first = _location(report, diagnostic.path, primary, diagnostic.message)
        flow = [{"location": step} for step in (first, *steps)]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
        result["relatedLocations"] = [{**step, "id": number} for number, step in enumerate(steps)]
    if diagnostic.fix is not None and all(edit.cell is None for edit in diagnostic.fix.edits):
        result["fixes"] = [_fix(report, diagnostic.fix)]
    return result


def _properties(diagnostic: Diagnostic) -> dict[str, Any]:
    values = {
        "cell": diagnostic.cell,
        "operation": diagnostic.operation or None,
        "reason": diagnostic.reason or None,
        "suggestion": diagnostic.suggestion or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _fix(report: OutputReport, fix: Fix) -> dict[str, Any]:
    by_file: dict[Path, list[Edit]] = {}
    for edit in fix.edits:
        by_file.setdefault(edit.path, []).append(edit)
    changes = [
        {
            "artifactLocation": {"uri": _uri(report, path)},
            "replacements": [_replacement(edit) for edit in edits],
        }
        for path, edits in by_file.items()
    ]
    return {
        "artifactChanges": changes,
        "description": {"text": fix.message},
        "properties": {"applicability": APPLICABILITY[fix.applicability]},
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    inserted = {"insertedContent": {"text": edit.content}} if edit.content else {}
    return {"deletedRegion": _region(edit.range), **inserted}


def _location(report: OutputReport, path: Path, span: Range, text: str = "") -> dict[str, Any]:
    physical = {"artifactLocation": {"uri": _uri(report, path)}, "region": _region(span)}
    message = {"message": {"text": text}} if text else {}
    return {**message, "physicalLocation": physical}


def _region(span: Range) -> dict[str, int]:
    return {
        "endColumn": span.end.column,
        "endLine": span.end.row,
        "startColumn": span.start.column,
        "startLine": span.start.row,
    }


def _uri(report: OutputReport, path: Path) -> str:
    return f"file://{path}" if path == STDIN else Path(report.full_path(path)).as_uri()

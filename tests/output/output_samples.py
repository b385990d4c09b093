"""A small project with findings of every kind, for the tests of the formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from idemlint.diagnostic import (
    Applicability,
    Diagnostic,
    Edit,
    Fix,
    Position,
    Range,
    Related,
    Severity,
)
from idemlint.output.report import OutputReport
from idemlint.source.text import SourceText

ROOT = Path("/project").absolute()
MAIL = ROOT / "mail.py"
KEYS = ROOT / "agents" / "keys.py"
TEXTS = {
    MAIL: (
        "from keys import new_key\n\n\n"
        "def send(state):\n"
        '    """Send it."""\n'
        "    key = new_key()\n"
        "    client.send(\n"
        "        state.text,\n"
        "        key=key,\n"
        "    )\n"
        "    answer = interrupt(state)\n"
        "    return answer\n"
    ),
    KEYS: "import uuid\n\n\ndef new_key():\n    return str(uuid.uuid4())\n",
}


def span(row: int, column: int, end_row: int, end_column: int) -> Range:
    return Range(Position(row, column), Position(end_row, end_column))


def finding(**changes: Any) -> Diagnostic:
    """The call of `mail.py` that is sent twice, unless something else is said."""
    given: dict[str, Any] = {
        "path": MAIL,
        "range": span(7, 5, 10, 6),
        "code": "IDM201",
        "name": "side-effect-before-interrupt",
        "message": "`client.send` runs again when `interrupt` resumes",
        "noqa_row": 7,
        "url": "https://example.com/IDM201",
    }
    return Diagnostic(**{**given, **changes})


FRESH_KEY = finding(
    path=KEYS,
    range=span(5, 16, 5, 28),
    code="IDM101",
    name="fresh-key",
    message="`uuid.uuid4()` is new on each run",
    noqa_row=5,
    url="https://example.com/IDM101",
    operation="OP-1",
    reason="`client.send` takes a key",
    suggestion="Take the key as a parameter",
    related=(
        Related(MAIL, span(6, 11, 6, 20), "called here"),
        Related(MAIL, span(9, 13, 9, 16), "used as the key"),
    ),
    fix=Fix(
        "Derive the key from the state",
        Applicability.UNSAFE,
        (
            Edit(KEYS, span(4, 13, 4, 13), "seed"),
            Edit(KEYS, span(5, 16, 5, 28), "uuid.uuid5(SPACE, seed)"),
            Edit(MAIL, span(6, 19, 6, 19), "state.id"),
        ),
    ),
)
BEFORE_PAUSE = finding(
    operation="OP-6",
    reason="a node starts again from its first line",
    suggestion="Move the call behind the pause",
    related=(
        Related(MAIL, span(4, 5, 4, 9), "starts again here"),
        Related(MAIL, span(11, 14, 11, 30), "pauses here"),
    ),
    fix=Fix(
        "Move the call behind `interrupt`",
        Applicability.DISPLAY,
        (
            Edit(MAIL, span(7, 1, 11, 1), ""),
            Edit(MAIL, span(12, 1, 12, 1), "    client.send(state.text, key=key)\n"),
        ),
    ),
)
NO_KEY = finding(
    range=span(4, 5, 4, 9),
    code="IDM401",
    name="missing-key-parameter",
    message="`send` has no key parameter",
    severity=Severity.WARNING,
    noqa_row=4,
    url="https://example.com/IDM401",
    suggestion="Add a key parameter",
)
UNUSED = finding(
    range=span(12, 5, 12, 11),
    code="IDM001",
    name="unused-noqa",
    message="Unused `noqa` directive (unused: `IDM101`)",
    severity=Severity.WARNING,
    noqa_row=12,
    url=None,
    suggestion="Remove the directive",
    fix=Fix("Remove it", Applicability.SAFE, (Edit(MAIL, span(12, 1, 13, 1), ""),)),
)
ALL = (FRESH_KEY, NO_KEY, BEFORE_PAUSE, UNUSED)


def source(path: Path) -> SourceText | None:
    return SourceText(path, TEXTS[path]) if path in TEXTS else None


def report(*diagnostics: Diagnostic, **options: Any) -> OutputReport:
    return OutputReport(diagnostics, **{"cwd": ROOT, "source": source, **options})

"""Findings of Ruff, and what Ruff prints of them, to set beside our own formats."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Position, Range
from idemlint.fixes.apply import FixResult, apply_all
from idemlint.output import renderer
from idemlint.output.report import OutputReport
from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_APPLICABILITY = {
    "safe": Applicability.SAFE,
    "unsafe": Applicability.UNSAFE,
    "displayonly": Applicability.DISPLAY,
}


@dataclass(frozen=True)
class Beside:
    """A folder of files that Ruff checks."""

    folder: Path
    flags: tuple[str, ...]

    def ruff(self, *flags: str) -> str:
        """What Ruff prints."""
        return run_ruff(self.folder, *self.flags, *flags)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What Ruff finds, as our findings."""
        found = json.loads(self.ruff("--output-format", "json"))
        return tuple(map(_diagnostic, found))

    def report(self, **options: Any) -> OutputReport:
        """Our report of what Ruff finds."""
        return OutputReport(self.diagnostics(), self.folder, read_source, **options)

    def fixed(self, *, unsafe: bool) -> FixResult:
        """What our rounds make of Ruff's fixes; the files are as they were afterwards."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*.py")}

        def check(contents: Mapping[Path, bytes]) -> Sequence[Diagnostic]:
            for path, data in contents.items():
                path.write_bytes(data)
            return self.diagnostics()

        result = apply_all(self.diagnostics(), before.get, check, unsafe=unsafe)
        for path, data in before.items():
            path.write_bytes(data)
        return result


def run_ruff(folder: Path, *flags: str) -> str:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", *flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.stdout.decode()


def read_source(path: Path) -> SourceText | None:
    try:
        return SourceText.decode(path, path.read_bytes())
    except (OSError, NotUtf8Error):
        return None


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    path, fix = Path(found["filename"]), found["fix"]
    return Diagnostic(
        path,
        _range(found),
        found["code"],
        found["name"],
        found["message"],
        noqa_row=found["noqa_row"],
        cell=found["cell"],
        url=found["url"],
        fix=_fix(path, fix) if fix is not None else None,
    )


def _fix(path: Path, fix: dict[str, Any]) -> Fix:
    edits = tuple(Edit(path, _range(edit), edit["content"]) for edit in fix["edits"])
    return Fix(fix["message"], _APPLICABILITY[fix["applicability"]], edits)


def _range(found: dict[str, Any]) -> Range:
    return Range(_position(found["location"]), _position(found["end_location"]))


def _position(found: dict[str, int]) -> Position:
    return Position(found["row"], found["column"])


def printed_in(report: OutputReport, name: str) -> str:
    """What our format of that name makes of a report."""
    stream = io.StringIO()
    renderer(name)(report, stream)
    return stream.getvalue()

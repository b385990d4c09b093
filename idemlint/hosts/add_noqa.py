"""`--add-noqa`: silences all findings by comments on their rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability, Fix
from idemlint.fixes.apply import apply_once
from idemlint.fixes.writing import write_files
from idemlint.hosts.check_run import NOTHING_FOUND
from idemlint.hosts.inputs import FileBytes
from idemlint.output.summary import added_noqa
from idemlint.source.suppressions import Suppressions
from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from idemlint.diagnostic import Diagnostic, Edit
    from idemlint.hosts.check_run import CheckRun
    from idemlint.linter import Target

__all__ = ["add_noqa"]


def add_noqa(run: CheckRun, reason: str) -> int:
    """Write the comments and say how many; the exit code is 0 whether there were any or not."""
    inputs = run.inputs()
    if inputs.files and all(_is_notebook(target) for target in inputs.targets):
        run.console.warn(NOTHING_FOUND)
    read = FileBytes(inputs)
    by_file: dict[Path, list[Diagnostic]] = {}
    for diagnostic in run.check(inputs):
        if diagnostic.noqa_row is not None and diagnostic.cell is None:
            by_file.setdefault(diagnostic.path, []).append(diagnostic)
    silencing, counts = [], {}
    for path, diagnostics in by_file.items():
        edits = _edits(path, read(path), diagnostics, reason)
        if edits:
            fix = Fix("Silence the findings", Applicability.SAFE, edits)
            silencing.append(replace(diagnostics[0], fix=fix))
            counts[path] = len(edits)
    contents = apply_once(silencing, read, unsafe=False).contents
    done = write_files(contents, tree=run.settings.root, read=read)
    for message in done.messages:
        run.console.warn(message)
    text = added_noqa(sum(counts[path] for path in done.written))
    if text:
        run.console.note(text)
    return 0


def _is_notebook(target: Target) -> bool:
    """Whether a file gets no comments: as with Ruff those are notebooks."""
    return target.settings.language_of(Path(target.path)) == "ipynb"


def _edits(
    path: Path, data: bytes | None, diagnostics: list[Diagnostic], reason: str
) -> tuple[Edit, ...]:
    try:
        source = None if data is None else SourceText.decode(path, data)
    except NotUtf8Error:
        source = None
    return () if source is None else Suppressions.of(source).noqa_edits(diagnostics, reason)

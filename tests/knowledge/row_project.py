"""A small project that is checked with one set of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.analysis import Analysis
from idemlint.knowledge.facts import Knowledge
from idemlint.knowledge.signals import Signals
from idemlint.model.selection import Family, Selection
from idemlint.model.surveys import Surveys
from idemlint.source.gate import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Project"]

Told = tuple[str, str, str]


class Project:
    """Checks small projects with one set of rows; no fixes are made."""

    def __init__(self, root: Path, knowledge: Knowledge | None = None) -> None:
        self.knowledge = knowledge or Knowledge()
        self._root = root
        self._count = 0
        self._signals = Signals(self.knowledge)
        signals = self._signals
        self._gate = Gate(
            signals.texts,
            signals.makers,
            signals.companions,
            signals.writing,
            signals.remembering,
            signals.acting,
        )

    def found(self, programs: Iterable[str]) -> list[list[str]]:
        """The codes that are reported in each module of a project."""
        return [[code for code, _, _ in told] for told in self.reported(programs)]

    def reported(self, programs: Iterable[str]) -> list[list[Told]]:
        """The codes with their messages and operations that are reported in each module."""
        analysis, paths = self._analysis(programs)
        return [
            [(d.code, d.message, d.operation) for d, _ in analysis.unfixed(path)]
            if path is not None
            else []
            for path in paths
        ]

    def fixed(self, programs: Iterable[str]) -> list[list[str]]:
        """What the fixes of all that is reported in each module write."""
        analysis, paths = self._analysis(programs)
        return [
            [edit.content for d in analysis.diagnostics(path) if d.fix for edit in d.fix.edits]
            if path is not None
            else []
            for path in paths
        ]

    def unknown(self, programs: Iterable[str]) -> list[list[str]]:
        """The calls of the entries in each module of which the inventory says that it knows nothing."""
        analysis, paths = self._analysis(programs)
        surveys = Surveys(analysis.model)
        modules = [None if path is None else analysis.program.module(path) for path in paths]
        return [
            [unknown.call for _, record in surveys.of(module) for unknown in record.unknown]
            if module is not None
            else []
            for module in modules
        ]

    def _analysis(self, programs: Iterable[str]) -> tuple[Analysis, list[Path | None]]:
        """A new project of these modules; those that are not worth a look have no path."""
        self._count += 1
        folder = self._root / f"{self._count}" / "src"
        folder.mkdir(parents=True)
        paths = []
        for number, code in enumerate(programs):
            path = folder / f"m{number}.py"
            path.write_text(code, encoding="utf-8")
            paths.append(path)
        facts = {str(path): self._gate.look(path.read_bytes()) for path in paths}
        selection = Selection(self._signals, facts)
        analysis = Analysis(self.knowledge, self._signals, selection.names())
        return analysis, [
            path if selection.families(str(path)) is not Family.NONE else None for path in paths
        ]

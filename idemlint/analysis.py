"""From the files of one project that are worth a look to diagnostics."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from idemlint import catalogue
from idemlint.model.model import Model
from idemlint.model.program import Program
from idemlint.model.selection import Places, ProjectNames

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic
    from idemlint.knowledge.facts import Knowledge
    from idemlint.knowledge.signals import Signals
    from idemlint.model.evidence import Evidence
    from idemlint.model.program import Module

__all__ = ["Analysis"]


class Analysis:
    """Analyses modules of one project, with everything that they share.

    `program` are its files, where they are not read afresh from `source_folders` and `unsaved`.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        signals: Signals,
        names: ProjectNames,
        *,
        source_folders: tuple[Path, ...] = (),
        unsaved: Mapping[Path, bytes] | None = None,
        program: Program | None = None,
    ) -> None:
        self.program = program or Program(
            source_folders=source_folders, libraries=knowledge.libraries, unsaved=unsaved
        )
        self.model = Model(self.program, knowledge, names, Places(signals, names))

    @property
    def edges(self) -> dict[str, tuple[str, ...]]:
        """For each file the others that answers about it can depend on, at the first step."""
        return {
            os.fspath(path): tuple(sorted(map(os.fspath, others)))
            for path, others in self.program.edges.items()
        }

    @property
    def missing_names(self) -> frozenset[str]:
        """Names that were called and are of no function of the project."""
        return frozenset(self.model.runs.missing_names)

    @property
    def broken(self) -> frozenset[str]:
        """The files of which a part did not parse."""
        return frozenset(
            os.fspath(module.path) for module in self.program.modules if module.index.is_broken
        )

    def diagnostics(self, path: Path) -> list[Diagnostic]:
        """What is wrong in the bodies that a file declares; it can start in other files.

        Suppressions are not applied, and a fault that two bodies reach is told twice.
        """
        found = [
            diagnostic
            for other, entries in self._evidence(path).items()
            for diagnostic in _flagged(other, entries, self.model)
        ]
        self.model.names.forget_calls()
        return found

    def unfixed(self, path: Path) -> list[tuple[Diagnostic, Evidence]]:
        """What `diagnostics` tells, but without the fixes, which take most of its time."""
        from idemlint.visitors.base import diagnostic

        found = [
            (diagnostic(catalogue.rules()[entry.code], entry), entry)
            for entries in self._evidence(path).values()
            for entry in entries
        ]
        self.model.names.forget_calls()
        return found

    def fixed(self, evidence: Evidence) -> Diagnostic | None:
        """The diagnostic of one piece of evidence of this analysis, with its fix."""
        return next(_flagged(evidence.module, [evidence], self.model), None)

    def close(self) -> None:
        """Let go of what was learned, so that its memory is free at once: its parts hold each other.

        Nothing can be asked any more.
        """
        self.model.close()
        self.program.close()

    def _evidence(self, path: Path) -> dict[Module, list[Evidence]]:
        """What the model found in the bodies that a file declares, by the files it starts in."""
        module = self.program.module(path)
        found: dict[Module, list[Evidence]] = defaultdict(list)
        if module is not None:
            for entry in self.model.evidence(module):
                found[entry.module].append(entry)
        return found


def _flagged(module: Module, evidence: list[Evidence], model: Model) -> Iterator[Diagnostic]:
    """Cut the slices that hold evidence and let the visitors of its rules flag it there."""
    # LibCST takes its time to import: only where something was found
    from idemlint.source.slices import Slice, SliceError
    from idemlint.visitors import flag
    from idemlint.visitors.base import SliceEvidence, diagnostic

    for statement, entries in _by_statement(module, evidence):
        try:
            found = SliceEvidence(Slice(module.source, statement), entries, model)
        except SliceError:
            # newer than LibCST's parser: told without a fix
            for entry in entries:
                yield diagnostic(catalogue.rules()[entry.code], entry)
            continue
        for code in dict.fromkeys(entry.code for entry in entries):
            flag(code, found)
        yield from found.diagnostics


def _by_statement(
    module: Module, evidence: Iterable[Evidence]
) -> list[tuple[ast.stmt, list[Evidence]]]:
    """Evidence by the statement whose slice it lies in."""
    from idemlint.source.slices import enclosing_statement

    found: dict[ast.stmt, list[Evidence]] = {}
    for entry in evidence:
        row = entry.node.lineno  # type: ignore[attr-defined]
        chunk = module.chunk_at(row)
        statement = next(enclosing_statement(module.index.statements(chunk), row))
        found.setdefault(statement, []).append(entry)
    return list(found.items())

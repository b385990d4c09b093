"""The fixes of what was found in one version of a text. All of this runs on the worker."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.fixes.apply import apply_all, apply_once
from idemlint.fixes.safety import with_safety
from idemlint.server.documents import Document
from idemlint.server.edits import edits_between
from idemlint.session import SupersededError
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from idemlint.diagnostic import Diagnostic, Edit
    from idemlint.linter import Target
    from idemlint.server.checks import Checked
    from idemlint.session import Session

__all__ = ["Fixing"]


@dataclass
class Fixing:
    """Makes the fixes of one result; raises `SupersededError` soon after `is_stale`."""

    session: Session
    checked: Checked
    is_stale: Callable[[], bool] = lambda: False

    @property
    def _target(self) -> Target | None:
        return self.checked.target

    def with_fixes(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """These findings, each with its fix if the settings let it be offered."""
        target = self._target
        if target is None:
            return []
        self._ensure(self.checked.beside)
        return [self._with_fix(entry, target) for entry in diagnostics]

    def _with_fix(self, diagnostic: Diagnostic, target: Target) -> Diagnostic:
        if self.is_stale():
            raise SupersededError
        return with_safety(self.session.with_fix(diagnostic, target), target.settings)

    def all_fixes(self) -> list[Edit]:
        """Edits that make all safe fixes; the unsafe ones too where the settings say so."""
        target = self._target
        if target is None:
            return []
        unsafe = bool(target.settings.unsafe_fixes)
        found = self.with_fixes(self.checked.diagnostics)
        if not isinstance(self.checked.item, Document):
            return self._once(found, unsafe=unsafe)
        result = apply_all(found, self._read, self._checked_again, unsafe=unsafe)
        return self._edits(result.contents)

    def fixes_of(self, code: str) -> list[Edit]:
        """Edits that fix all findings of a rule in the file, as far as they do not collide."""
        wanted = [entry for entry in self.checked.diagnostics if entry.code == code]
        return self._once(self.with_fixes(wanted), unsafe=True)

    def _once(self, diagnostics: Sequence[Diagnostic], *, unsafe: bool) -> list[Edit]:
        done = apply_once(diagnostics, self._read, unsafe=unsafe)
        if isinstance(self.checked.item, Document):
            return self._edits(done.contents)
        edits = {edit for entry in done.fixed if entry.fix for edit in entry.fix.edits}
        return sorted(edits, key=lambda edit: edit.range)

    def _read(self, path: Path) -> bytes | None:
        """The text that is fixed; other files are not changed."""
        return self.checked.item.contents if path == self.checked.item.path else None

    def _edits(self, contents: Mapping[Path, bytes]) -> list[Edit]:
        item = self.checked.item
        after = contents.get(item.path)
        if after is None:
            return []
        return edits_between(item.path, item.source, SourceText.decode(item.path, after))

    def _checked_again(self, contents: Mapping[Path, bytes]) -> list[Diagnostic]:
        target = self._target
        assert target is not None
        beside = [
            replace(entry, contents=contents.get(Path(entry.path), entry.contents))
            for entry in self.checked.beside
        ]
        changed = next(entry for entry in beside if entry.path == target.path)
        report = self._ensure(beside)
        path = self.checked.item.path
        return [self._with_fix(entry, changed) for entry in report if entry.path == path]

    def _ensure(self, targets: Sequence[Target]) -> tuple[Diagnostic, ...]:
        """Have the session know these texts; what it finds in them at first."""
        with closing(self.session.check(targets, self.is_stale)) as reports:  # type: ignore[type-var]
            for report in reports:
                if report is not None:
                    return report.diagnostics
        return ()

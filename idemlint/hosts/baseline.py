"""`--baseline`: findings that are known already, so that only new ones are told.

The file lists fingerprints, which stay the same while code moves. Its paths count from its folder.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from idemlint.config.errors import ConfigError
from idemlint.config.loading import os_error_text
from idemlint.output.fingerprints import fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterable

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = ["Baseline", "KnownFinding"]

_VERSION = 1
_ALWAYS_NEW = frozenset({"E902", "invalid-syntax"})
"""What can't be checked is told each time."""


class KnownFinding(NamedTuple):
    """A finding in the file, in the order in which the file has them."""

    path: str
    code: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings of a file; `path` is absolute."""

    path: Path
    known: frozenset[KnownFinding] = frozenset()

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """The known findings; raises `ConfigError` for a file that is not there or is no baseline."""
        told = f"Failed to read baseline {path}"
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            tip = "`--update-baseline` writes the findings of now into it"
            raise ConfigError(told, f"{os_error_text(error)}\n\n  tip: {tip}") from None
        except OSError as error:
            raise ConfigError(told, os_error_text(error)) from None
        except (ValueError, RecursionError) as error:
            raise ConfigError(told, f"Expected JSON: {error}") from None
        if not isinstance(document, dict) or document.get("version") != _VERSION:
            raise ConfigError(told, f"Expected an object with `version` {_VERSION}")
        try:
            known = frozenset(_known(entry) for entry in document["findings"])
        except (KeyError, TypeError):
            reason = "Expected `findings` with `path`, `code` and `fingerprint` each"
            raise ConfigError(told, reason) from None
        return cls(path, known)

    def new_of(self, report: OutputReport) -> tuple[Diagnostic, ...]:
        """The findings of a report that are not known."""
        pairs = zip(report.diagnostics, self._named(report), strict=True)
        return tuple(
            found for found, name in pairs if found.code in _ALWAYS_NEW or name not in self.known
        )

    def updated(self, report: OutputReport, checked: Iterable[Path]) -> Baseline:
        """With the findings of a report in place of those of the `checked` files.

        Those of other files stay, as long as the file is there.
        """
        again = {self._relative(path) for path in checked}
        here = self.path.parent
        kept = {
            entry
            for entry in self.known
            if entry.path not in again and (here / entry.path).exists()
        }
        found = {entry for entry in self._named(report) if entry.code not in _ALWAYS_NEW}
        return Baseline(self.path, frozenset(kept | found))

    def write(self) -> None:
        """Write the file and its folders; raises `ConfigError`."""
        rows = ",".join(f"\n    {json.dumps(entry._asdict())}" for entry in sorted(self.known))
        end = "\n  " if rows else ""
        text = f'{{\n  "version": {_VERSION},\n  "findings": [{rows}{end}]\n}}\n'
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise ConfigError(
                f"Failed to write baseline {self.path}", os_error_text(error)
            ) from None

    def _named(self, report: OutputReport) -> list[KnownFinding]:
        paths = [self._relative(found.path) for found in report.diagnostics]
        return [
            KnownFinding(path, found.code, name)
            for path, found, name in zip(
                paths, report.diagnostics, fingerprints(report, paths), strict=True
            )
        ]

    def _relative(self, path: Path) -> str:
        try:
            return Path(os.path.relpath(path, self.path.parent)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()


def _known(entry: dict[str, str]) -> KnownFinding:
    return KnownFinding(*(str(entry[name]) for name in KnownFinding._fields))

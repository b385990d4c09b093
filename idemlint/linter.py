"""The pipeline: files in, diagnostics out.

files → gate → index → entries → visitors → diagnostics → suppression
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from idemlint.config.settings import Settings
    from idemlint.diagnostic import Diagnostic

__all__ = ["Report", "Target", "check"]


@dataclass(frozen=True, slots=True)
class Target:
    """A file to report on: its absolute path, its settings, and its bytes where they are not on disk."""

    path: Path
    settings: Settings
    contents: bytes | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found, in order, suppressions applied; `warnings` are for standard error."""

    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...] = ()


def check(targets: Sequence[Target], *, cache: bool = True, ignore_noqa: bool = False) -> Report:
    """Check `targets` as parts of their projects."""
    return Report(())

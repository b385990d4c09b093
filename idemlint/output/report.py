"""What a format is given: the findings of a run and how they are to be shown."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.fixes.apply import FixCount
    from idemlint.source.text import SourceText

__all__ = ["HOME", "STDIN", "FixMode", "OutputReport", "emit", "no_cell", "no_source"]

HOME = "https://github.com/idemlint/idemlint"
"""Where the project lives."""
_COMMANDS = ("::", "##[", "##vso[")

STDIN = Path("-")
"""The path of source that came from standard input without a name."""


class FixMode(enum.Enum):
    """What the run did with fixes."""

    OFFER = "offer"
    """Nothing: findings say which of them can be fixed."""
    APPLY = "apply"
    """Wrote them (`--fix`, `--fix-only`)."""
    DIFF = "diff"
    """Showed what they would change (`--diff`)."""


def no_source(path: Path) -> SourceText | None:
    """Stands for the text of files where there is none to show."""
    return None


def no_cell(path: Path, cell: int) -> SourceText | None:
    """Stands for the text of notebook cells where there is none to show."""
    return None


@dataclass(frozen=True, slots=True)
class OutputReport:
    """The findings left after a run, in the order in which they are shown.

    `source` gives the text of a file and `cell_source` that of a 1-based notebook cell, for frames
    and fingerprints; `None` where it cannot be read. `unsafe_fixes` is `None` where neither a flag
    nor the configuration speaks. `fixed` counts what was (or, with `DIFF`, would be) fixed; those
    findings are not in `diagnostics`. `show_diagnostics` is off with `--fix-only` and `--diff`.
    """

    diagnostics: Sequence[Diagnostic]
    cwd: Path
    source: Callable[[Path], SourceText | None] = no_source
    cell_source: Callable[[Path, int], SourceText | None] = no_cell
    unsafe_fixes: bool | None = None
    fix_mode: FixMode = FixMode.OFFER
    fixed: Sequence[FixCount] = ()
    show_fixes: bool = False
    show_diagnostics: bool = True
    color: bool = False
    hyperlinks: bool = False
    quiet: bool = False

    def shown_path(self, path: Path) -> str:
        """`path` as people read it: relative to the working directory if it lies below it.

        A name that a CI server would take for a command at the start of a line gets `./` before it.
        """
        text = str(path)
        base = str(self.cwd).rstrip(os.sep) + os.sep
        if text.startswith(base) and len(text) > len(base):
            text = text[len(base) :]
        is_command = text.lstrip().startswith(_COMMANDS)
        return f".{os.sep}{text}" if is_command else text

    def full_path(self, path: Path) -> str:
        """`path` as programs read it: absolute, but for `-`, which stands for standard input."""
        return str(path) if path == STDIN else str(self.cwd / path)

    def is_applicable(self, diagnostic: Diagnostic) -> bool:
        """Whether `--fix`, with the same flags, would apply the fix of `diagnostic`."""
        least = Applicability.UNSAFE if self.unsafe_fixes else Applicability.SAFE
        return diagnostic.fix is not None and diagnostic.fix.applicability >= least

    def is_marked(self, diagnostic: Diagnostic) -> bool:
        """Whether `diagnostic` is shown with `[*]`; never after a run that applied fixes."""
        return self.fix_mode is not FixMode.APPLY and self.is_applicable(diagnostic)

    def text_of(self, diagnostic: Diagnostic) -> SourceText | None:
        """The text in which the range of `diagnostic` lies: its file, or its notebook cell."""
        return self.text_at(diagnostic.path, diagnostic.cell)

    def text_at(self, path: Path, cell: int | None) -> SourceText | None:
        """The text of a file, or of one of its cells."""
        return self.source(path) if cell is None else self.cell_source(path, cell)


def emit(stream: TextIO, text: str) -> None:
    """Write `text`; what the stream cannot encode, such as half a surrogate pair, becomes `?`."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(text.encode(encoding, "replace").decode(encoding))

"""Syntax errors of texts that change a little at a time.

Only the top-level statements that changed are parsed. Where one is wrong, its own errors are shown
at first; those of the whole text, which can differ, when there is time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idemlint.diagnostic import Diagnostic
from idemlint.source.lazy import parse
from idemlint.source.syntax import syntax_errors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from idemlint.source.index import Chunk, ModuleIndex
    from idemlint.source.syntax import SyntaxProblem
    from idemlint.source.text import SourceText

__all__ = ["INVALID", "SyntaxWatch", "diagnostics_of"]

INVALID = "invalid-syntax"
_MANY_CHUNKS = 12
"""Changed statements from which the whole text is parsed instead."""
_MUCH_TEXT = 100_000
"""Length of a text from which the errors of its statements have to do."""


@dataclass
class SyntaxWatch:
    """The errors of one text from version to version; `is_exact` once they are those of a run.

    `broken` are the first and last rows of the statements that do not parse.
    """

    errors: tuple[Diagnostic, ...] = ()
    is_exact: bool = True
    broken: tuple[tuple[int, int], ...] = ()
    _valid: frozenset[str] = field(default=frozenset())

    def look(self, index: ModuleIndex) -> None:
        """Find the errors of a new version, which was cut into statements."""
        source = index.source
        texts = {chunk: source.text[chunk.start : chunk.end] for chunk in index.chunks}
        unknown = [chunk for chunk in index.chunks if texts[chunk] not in self._valid]
        is_new = len(unknown) > _MANY_CHUNKS
        if is_new:
            self.look_at_all(source)
        broken = (
            [chunk for chunk in unknown if not _parses(texts[chunk])]
            if self.errors or not is_new
            else []
        )
        self.broken = tuple(
            (chunk.row, source.position(max(chunk.end - 1, chunk.start)).row) for chunk in broken
        )
        self._valid = frozenset(texts[chunk] for chunk in index.chunks if chunk not in broken)
        if not is_new:
            self.errors = tuple(_errors_of(broken, texts, source.path))
            self.is_exact = not broken

    def look_at_all(self, source: SourceText) -> bool:
        """Find the errors as a run does; whether they are others now."""
        before = self.errors
        self.errors = diagnostics_of(source.path, syntax_errors(source.text))
        self.is_exact = True
        return self.errors != before

    def is_worth_a_look(self, source: SourceText) -> bool:
        """Whether the errors are not exact, and can be made so in a short time."""
        return not self.is_exact and len(source.text) <= _MUCH_TEXT


def diagnostics_of(path: Path, problems: Iterable[SyntaxProblem]) -> tuple[Diagnostic, ...]:
    """Syntax errors as findings."""
    return tuple(
        Diagnostic(path, problem.range, INVALID, INVALID, problem.message) for problem in problems
    )


def _errors_of(
    broken: Iterable[Chunk], texts: dict[Chunk, str], path: Path
) -> Iterable[Diagnostic]:
    for chunk in broken:
        problems = syntax_errors(texts[chunk], first_row=chunk.row)
        yield from diagnostics_of(path, problems)


def _parses(text: str) -> bool:
    try:
        parse(text, 1)
    except SyntaxError:
        return False
    return True

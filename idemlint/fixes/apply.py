"""Applying fixes to the text of files, round by round, until none is left."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.tidying import without_idle_imports
from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic, Edit, Fix, Range
    from idemlint.source.notebooks import Notebook

    _Place = tuple[Path, int | None]  # a file, or a cell of a notebook

__all__ = ["FixCount", "FixResult", "Round", "apply_all", "apply_once"]

_MOST_ROUNDS = 100
# So many rounds may pass without a new low in the number of fixes that are left.
_MOST_IDLE_ROUNDS = 10
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class FixCount:
    """How many findings of one rule were fixed in one file."""

    path: Path
    code: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the new bytes of the files that it changed, and the findings that it fixed."""

    contents: dict[Path, bytes]
    fixed: tuple[Diagnostic, ...]
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FixResult:
    """The outcome of all rounds; nothing has been written.

    `contents` has the new bytes of the files that changed, `diagnostics` what is left, in order.
    `linked` are sets of files of which none may be written without the others, as one fix changed
    them all. `messages` are for standard error.
    """

    contents: dict[Path, bytes]
    diagnostics: tuple[Diagnostic, ...]
    fixed: tuple[FixCount, ...] = ()
    linked: tuple[frozenset[Path], ...] = ()
    messages: tuple[str, ...] = ()


def apply_all(
    diagnostics: Sequence[Diagnostic],
    read: Callable[[Path], bytes | None],
    check: Callable[[Mapping[Path, bytes]], Sequence[Diagnostic]],
    *,
    unsafe: bool,
) -> FixResult:
    """Apply the safe fixes, with `unsafe` also those that change what the code does.

    Imports of which the fixes take the last use go, too.

    `diagnostics` is what was found in the files as they are. `read` gives their bytes, `None` for a
    file that is not part of the run: a fix that changes one is not applied. After each round
    `check` is given the new bytes of all files changed so far and answers what it then finds in the
    whole run. Display fixes are never applied. It ends when no fix is left, or with a message when
    fixes do not come to an end.
    """
    contents: dict[Path, bytes] = {}
    fixed: list[Diagnostic] = []
    messages: dict[str, None] = {}
    fewest, idle = len(_applicable(diagnostics, unsafe=unsafe)), 0
    for _ in range(_MOST_ROUNDS):
        done = apply_once(diagnostics, _overlay(contents, read), unsafe=unsafe)
        messages |= dict.fromkeys(done.messages)
        if not done.fixed:
            break
        contents |= _tidied(done.contents, read)
        fixed += done.fixed
        diagnostics = check(contents)
        left = _applicable(diagnostics, unsafe=unsafe)
        idle = 0 if len(left) < fewest else idle + 1
        fewest = min(fewest, len(left))
        if idle == _MOST_IDLE_ROUNDS:
            messages[_endless(left)] = None
            break
    else:
        messages[_endless(_applicable(diagnostics, unsafe=unsafe))] = None
    changed = {path: data for path, data in contents.items() if data != read(path)}
    return FixResult(changed, tuple(diagnostics), _counts(fixed), _linked(fixed), tuple(messages))


def apply_once(
    diagnostics: Iterable[Diagnostic], read: Callable[[Path], bytes | None], *, unsafe: bool
) -> Round:
    """Apply all fixes that do not touch each other; of two that do, the first one in the text.

    From its first to its last edit in a file a fix has that stretch for itself, except for edits
    that two fixes share. A fix after which a file no longer parses is left out, with a message.
    """
    wanted = _applicable(diagnostics, unsafe=unsafe)
    messages: list[str] = []
    while True:
        plan = _planned(wanted, read)
        if not plan.breaks_syntax():
            return Round(plan.contents(), tuple(plan.fixed), (*messages, *plan.messages))
        broken = [entry for entry in plan.fixed if _planned([entry], read).breaks_syntax()]
        messages += [_breaks(entry) for entry in broken]
        # Where each fix is sound by itself, the others wait for the next round.
        wanted = _without(wanted, broken) if broken else plan.fixed[:1]


@dataclass(slots=True)
class _Plan:
    """The fixes chosen so far, and what they make of the files."""

    read: Callable[[Path], bytes | None]
    fixed: list[Diagnostic] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    edits: dict[_Place, set[Edit]] = field(default_factory=dict)
    taken: dict[_Place, list[Range]] = field(default_factory=dict)
    sources: dict[Path, SourceText | Notebook | None] = field(default_factory=dict)

    def take(self, diagnostic: Diagnostic, fix: Fix) -> None:
        """Choose a fix as a whole, unless it touches another one or lies outside the run."""
        by_place: dict[_Place, list[Edit]] = {}
        for edit in fix.edits:
            place = edit.path, edit.cell
            if edit not in self.edits.get(place, ()):
                by_place.setdefault(place, []).append(edit)
        for path, cell in by_place:
            if self.source(path, cell) is None:
                self.messages.append(_outside(diagnostic, path))
                return
        stretches = {place: _stretch(edits) for place, edits in by_place.items()}
        for place, stretch in stretches.items():
            if any(_touch(stretch, other) for other in self.taken.get(place, ())):
                return
        for place, stretch in stretches.items():
            self.edits.setdefault(place, set()).update(by_place[place])
            self.taken.setdefault(place, []).append(stretch)
        self.fixed.append(diagnostic)

    def source(self, path: Path, cell: int | None) -> SourceText | None:
        """The text of a file or of a cell before the round; `None` where it cannot be changed."""
        if path not in self.sources:
            data = self.read(path)
            self.sources[path] = None if data is None else _decoded(path, data, cell)
        found = self.sources[path]
        if isinstance(found, SourceText):
            return found
        return None if found is None or cell is None else found.cell_text(cell)

    def contents(self) -> dict[Path, bytes]:
        """The new bytes of each file that changes."""
        contents: dict[Path, bytes] = {}
        cells: dict[Path, dict[int, Sequence[Edit]]] = {}
        for (path, cell), edits in self.edits.items():
            source = self.source(path, cell)
            if source is None:
                continue
            if cell is None:
                after = SourceText(path, _edited(source, edits), source.has_bom)
                contents[path] = after.encode()
            else:
                cells.setdefault(path, {})[cell] = _with_newlines_of(source, edits)
        for path, by_cell in cells.items():
            notebook = self.sources[path]
            if notebook is not None and not isinstance(notebook, SourceText):
                contents[path] = notebook.with_edits(by_cell)
        return contents

    def breaks_syntax(self) -> bool:
        """Whether some file, or some cell, parses before but not after."""
        for path, data in self.contents().items():
            before, after = self.sources[path], _decoded(path, data, self._cell_of(path))
            new = _codes(after)
            for number, old in _codes(before).items():
                code = new.get(number, "")
                if code != old and not _parses(code) and _parses(old):
                    return True
        return False

    def _cell_of(self, path: Path) -> int | None:
        return next(cell for place, cell in self.edits if place == path)


def _tidied(
    contents: Mapping[Path, bytes], read: Callable[[Path], bytes | None]
) -> dict[Path, bytes]:
    """The new bytes of files without the imports that are of no use any more."""
    tidied = {}
    for path, data in contents.items():
        before = read(path)
        tidied[path] = data if before is None else without_idle_imports(path, before, data)
    return tidied


def _planned(diagnostics: Iterable[Diagnostic], read: Callable[[Path], bytes | None]) -> _Plan:
    plan = _Plan(read)
    for diagnostic in diagnostics:
        if diagnostic.fix is not None:
            plan.take(diagnostic, diagnostic.fix)
    return plan


def _applicable(diagnostics: Iterable[Diagnostic], *, unsafe: bool) -> list[Diagnostic]:
    """The findings whose fixes may be applied, in the order of their first edits."""
    least = Applicability.UNSAFE if unsafe else Applicability.SAFE
    found = []
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is not None and fix.edits and fix.applicability >= least:
            first = min((str(edit.path), edit.cell or 0, edit.range) for edit in fix.edits)
            found.append((first, diagnostic))
    return [diagnostic for _, diagnostic in sorted(found, key=lambda entry: entry[0])]


def _without(diagnostics: Iterable[Diagnostic], unwanted: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [entry for entry in diagnostics if not any(entry is other for other in unwanted)]


def _stretch(edits: Sequence[Edit]) -> Range:
    """From the start of the first to the end of the last edit."""
    ranges = [edit.range for edit in edits]
    return type(ranges[0])(min(ranges).start, max(span.end for span in ranges))


def _touch(one: Range, other: Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _edited(source: SourceText, edits: Iterable[Edit]) -> str:
    """The text with all edits made; what they insert has the newlines of the file."""
    parts, at = [], 0
    for edit in _with_newlines_of(source, edits):
        parts.append(source.text[at : source.offset(edit.range.start)])
        parts.append(edit.content)
        at = source.offset(edit.range.end)
    return "".join((*parts, source.text[at:]))


def _with_newlines_of(source: SourceText, edits: Iterable[Edit]) -> list[Edit]:
    return [
        replace(edit, content=_NEWLINE.sub(source.newline, edit.content))
        for edit in sorted(edits, key=lambda edit: edit.range)
    ]


def _decoded(path: Path, data: bytes, cell: int | None) -> SourceText | Notebook | None:
    """A file, as a notebook where an edit names a cell; `None` if it is none."""
    if cell is None:
        try:
            return SourceText.decode(path, data)
        except NotUtf8Error:
            return None
    from idemlint.source.notebooks import Notebook, NotebookError

    try:
        return Notebook.decode(path, data)
    except NotebookError:
        return None


def _codes(source: SourceText | Notebook | None) -> dict[int, str]:
    """What has to parse: the text of a file, or each cell by itself, by its number."""
    if source is None:
        return {}
    return {0: source.text} if isinstance(source, SourceText) else source.codes()


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _overlay(
    contents: Mapping[Path, bytes], read: Callable[[Path], bytes | None]
) -> Callable[[Path], bytes | None]:
    """`read`, with new bytes in place of those of the files that have changed."""
    return lambda path: contents[path] if path in contents else read(path)


def _counts(fixed: Iterable[Diagnostic]) -> tuple[FixCount, ...]:
    counts = Counter((entry.path, entry.code, entry.name) for entry in fixed)
    ordered = sorted(counts.items(), key=lambda entry: (str(entry[0][0]), -entry[1], entry[0][1]))
    return tuple(FixCount(*key, count) for key, count in ordered)


def _linked(fixed: Iterable[Diagnostic]) -> tuple[frozenset[Path], ...]:
    """The files that fixes changed together; sets that share a file are one."""
    sets: list[frozenset[Path]] = []
    for diagnostic in fixed:
        edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
        paths = frozenset(edit.path for edit in edits)
        if len(paths) > 1:
            shared = [other for other in sets if other & paths]
            sets = [other for other in sets if not other & paths]
            sets.append(paths.union(*shared))
    return tuple(sets)


def _breaks(diagnostic: Diagnostic) -> str:
    return (
        f"The fix of {diagnostic.code} in {diagnostic.path} was not applied:"
        " the code would not parse afterwards. Please report this."
    )


def _outside(diagnostic: Diagnostic, path: Path) -> str:
    return (
        f"The fix of {diagnostic.code} in {diagnostic.path} was not applied:"
        f" it changes {path}, which is not among the files of this run."
    )


def _endless(left: Iterable[Diagnostic]) -> str:
    codes = ", ".join(sorted({entry.code for entry in left}))
    paths = ", ".join(sorted({str(entry.path) for entry in left}))
    return f"Failed to converge: fixes of {codes} in {paths} go on without end. Please report this."

"""The pipeline: files in, diagnostics out.

files → gate → index → entries → visitors → diagnostics → suppression
"""

from __future__ import annotations

import functools
import gc
import os
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from idemlint.diagnostic import Diagnostic, Position, Range
from idemlint.source.gate import EMPTY, FileFacts
from idemlint.source.text import NOT_UTF8
from idemlint.workers import in_parallel, worker_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from idemlint.config.settings import Settings
    from idemlint.knowledge.facts import Knowledge
    from idemlint.knowledge.signals import Signals
    from idemlint.model.selection import Family, ProjectNames, Selection
    from idemlint.source.gate import CallerGate, Gate

__all__ = ["Report", "Target", "check"]

_START = Range(Position(1, 1), Position(1, 1))
_SMALL_RUN = 4_000_000
"""Bytes of a run up to which every file is parsed, to tell of syntax errors anywhere."""
_FEW_FILES = 200
"""Files up to which a second process costs more than it saves."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to report on: its absolute path, its settings, and its bytes where they are not on disk."""

    path: str
    settings: Settings
    contents: bytes | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found, in order, suppressions applied; `warnings` are for standard error."""

    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...] = ()


def check(
    targets: Sequence[Target],
    *,
    cache: bool = True,
    ignore_noqa: bool = False,
    searched: Sequence[str] = (),
) -> Report:
    """Check `targets` as parts of their projects.

    `searched` are directories all of whose files are among the targets. Raises `KnowledgeError`.
    """
    groups: dict[str, list[Target]] = {}
    names: dict[int, str] = {}
    for target in targets:
        settings = target.settings
        name = names.get(id(settings))
        if name is None:
            name = names[id(settings)] = repr(settings.knowledge)
        groups.setdefault(name, []).append(target)
    diagnostics: list[Diagnostic] = []
    warnings: list[str] = []
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for group in groups.values():
            run = _Run(group, ignore_noqa=ignore_noqa, searched=searched)
            diagnostics += run.diagnostics()
            warnings += run.warnings
    finally:
        if was_enabled:
            gc.enable()
    diagnostics.sort(key=lambda found: found.sort_key)
    return Report(tuple(diagnostics), tuple(warnings))


class _Look(NamedTuple):
    """What reading a file gave; `problem` says why it cannot be checked."""

    facts: FileFacts
    size: int = 0
    problem: str = ""
    is_directed: bool = False


class _Unit(NamedTuple):
    """A file to analyse, with the root of its project."""

    root: str
    path: str
    families: Family


class _Run:
    """One run over targets that share their knowledge."""

    def __init__(
        self, targets: Sequence[Target], *, ignore_noqa: bool, searched: Sequence[str]
    ) -> None:
        self.targets = {target.path: target for target in targets}
        self.ignore_noqa = ignore_noqa
        self.searched = searched
        self.warnings: list[str] = []
        self._codes = frozenset().union(*(target.settings.rules for target in targets))

    @functools.cached_property
    def _knowledge(self) -> Knowledge:
        from idemlint.knowledge.facts import Knowledge

        return Knowledge(_user_rows(next(iter(self.targets.values())).settings))

    @functools.cached_property
    def _signals(self) -> Signals:
        from idemlint.knowledge.signals import Signals

        return Signals(self._knowledge)

    @functools.cached_property
    def _gate(self) -> Gate:
        from idemlint.source.gate import Gate

        signals = self._signals
        return Gate(signals.texts, signals.makers, signals.companions, signals.writing)

    def diagnostics(self) -> list[Diagnostic]:
        """All findings in the targets."""
        from idemlint.model.selection import Family, Selection

        projects = self._projects()
        paths = [path for files in projects.values() for path in files]
        looks = self._look_at(paths)
        selections = {
            root: Selection(
                self._signals, {path: looks[path].facts for path in files}, _package(root, files)
            )
            for root, files in projects.items()
        }
        callers = self._callers(selections)
        units: list[_Unit] = []
        names: dict[str, ProjectNames] = {}
        for root, selection in selections.items():
            before = len(units)
            for path in selection.facts:
                families = selection.families(path)
                if path in callers:
                    families |= Family.WRITE
                if families is not Family.NONE:
                    units.append(_Unit(root, path, families))
            if len(units) > before:
                names[root] = selection.names()
        found = self._merged(self._analyse(units, names, looks))
        found += self._unreadable(looks)
        by_path: dict[str, list[Diagnostic]] = defaultdict(list)
        for diagnostic in found:
            by_path[os.fspath(diagnostic.path)].append(diagnostic)
        directed = {path for path, look in looks.items() if look.is_directed}
        result: list[Diagnostic] = []
        for path in (by_path.keys() | directed) & self.targets.keys():
            result += self._settled(self.targets[path], by_path.get(path, []))
        return result

    # files

    def _projects(self) -> dict[str, list[str]]:
        """The files of each project that has a target, by the root of the project."""
        from idemlint.source.projects import ProjectRoots

        roots = ProjectRoots()
        projects: dict[str, list[str]] = {}
        for path in self.targets:
            projects.setdefault(roots.root(path), []).append(path)
        for root, files in projects.items():
            if not any(_is_below(root, folder) for folder in self.searched):
                known = set(files)
                files.extend(p for p in self._others(root, roots) if p not in known)
                files.sort()
        return projects

    def _others(self, root: str, roots: ProjectRoots) -> Iterator[str]:
        """The files of a project, as its own configuration lets them be found."""
        from idemlint.config.discovery import Resolver
        from idemlint.config.errors import ConfigError
        from idemlint.source.files import find_files

        try:
            found = find_files([Path(root)], Resolver(Path(root)))
        except ConfigError:
            return
        for file in found.files:
            if file.path.endswith(".py") and roots.root(file.path) == root:
                yield file.path

    def _look_at(self, paths: Sequence[str]) -> dict[str, _Look]:
        """Read all files once, by two processes where there are many."""
        self._gate  # noqa: B018 - made before the fork, for both
        count = worker_count() if len(paths) > _FEW_FILES else 1
        shares = [paths[number::count] for number in range(count)]
        parts = in_parallel(self._look_at_share, shares)
        looks: dict[str, _Look] = {}
        for share, part in zip(shares, parts, strict=True):
            looks.update(zip(share, part, strict=True))
        return looks

    def _look_at_share(self, paths: Sequence[str]) -> list[_Look]:
        return [self._look(path) for path in paths]

    def _look(self, path: str) -> _Look:
        target = self.targets.get(path)
        try:
            data = target.contents if target is not None else None
            if data is None:
                with open(path, "rb") as file:  # noqa: PTH123 - a Path for each file takes time
                    data = file.read()
        except OSError as error:
            return _Look(EMPTY, problem=_os_error(error))
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError:
                return _Look(EMPTY, problem=NOT_UTF8)
        directed = b"IDM" in data or b"idemlint" in data
        return _Look(self._gate.look(data), len(data), is_directed=directed)

    def _callers(self, selections: Mapping[str, Selection]) -> set[str]:
        """The files that can call, in another file of their project, what writes to a store."""
        from idemlint.model.selection import Family
        from idemlint.source.gate import CallerGate

        gates: list[tuple[CallerGate, str]] = []
        for selection in selections.values():
            writers = selection.writers()
            if writers:
                gate = CallerGate(writers)
                gates += [
                    (gate, path)
                    for path in selection.facts
                    if not selection.families(path) & Family.WRITE
                ]
        count = worker_count() if len(gates) > _FEW_FILES else 1
        shares = [gates[number::count] for number in range(count)]
        return {path for part in in_parallel(self._calling, shares) for path in part}

    def _calling(self, pairs: Sequence[tuple[CallerGate, str]]) -> list[str]:
        return [path for gate, path in pairs if gate.calls(self._bytes(path))]

    def _bytes(self, path: str) -> bytes:
        """The bytes of a file, empty if it cannot be read."""
        target = self.targets.get(path)
        if target is not None and target.contents is not None:
            return target.contents
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - a Path for each file takes time
                return file.read()
        except OSError:
            return b""

    def _unreadable(self, looks: Mapping[str, _Look]) -> Iterator[Diagnostic]:
        for path, look in looks.items():
            if look.problem and path in self.targets:
                yield Diagnostic(Path(path), _START, "E902", "io-error", look.problem)

    # analysis

    def _analyse(
        self, units: Sequence[_Unit], names: Mapping[str, ProjectNames], looks: Mapping[str, _Look]
    ) -> list[list[Diagnostic]]:
        """The findings of each unit, in their order."""
        if not units:
            return []
        total = sum(looks[unit.path].size for unit in units)
        count = worker_count() if len(units) > 1 and total > 200_000 else 1
        shares = _shared_out(units, [looks[unit.path].size for unit in units], count)

        def analyse(share: Sequence[_Unit]) -> tuple[list[list[Diagnostic]], list[str]]:
            return self._analyse_share(share, names)

        parts = in_parallel(analyse, shares)
        for _, warnings in parts:
            self.warnings += warnings
        return [found for part, _ in parts for found in part]

    def _analyse_share(
        self, units: Sequence[_Unit], names: Mapping[str, ProjectNames]
    ) -> tuple[list[list[Diagnostic]], list[str]]:
        from idemlint.analysis import Analysis

        results: list[list[Diagnostic]] = []
        warnings: list[str] = []
        analysis: Analysis | None = None
        root = None
        unsaved = {
            Path(path): target.contents
            for path, target in self.targets.items()
            if target.contents is not None
        }
        for unit in units:
            if analysis is None or unit.root != root:
                root = unit.root
                analysis = Analysis(
                    self._knowledge,
                    self._signals,
                    names[unit.root],
                    source_folders=self._source_folders(unit),
                    unsaved=unsaved,
                    codes=self._codes,
                )
            try:
                results.append(analysis.diagnostics(Path(unit.path)))
            except Exception as error:  # noqa: BLE001 - one file never stops the run
                results.append([])
                warnings.append(_internal_error(unit.path, error))
        return results, warnings

    def _source_folders(self, unit: _Unit) -> tuple[Path, ...]:
        target = self.targets.get(unit.path) or next(iter(self.targets.values()))
        return target.settings.src

    # findings

    def _merged(self, found: Iterable[list[Diagnostic]]) -> list[Diagnostic]:
        """One finding a place and rule: the related places of all are told by the first."""
        merged: dict[tuple[Path, Range, str], Diagnostic] = {}
        for diagnostics in found:
            for diagnostic in diagnostics:
                key = (diagnostic.path, diagnostic.range, diagnostic.code)
                before = merged.get(key)
                if before is not None:
                    related = dict.fromkeys((*before.related, *diagnostic.related))
                    diagnostic = replace(before, related=tuple(related))  # noqa: PLW2901
                merged[key] = diagnostic
        return list(merged.values())

    def _settled(self, target: Target, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """The findings of a file that its settings and comments leave."""
        from idemlint.source.suppressions import Suppressions, concerns_us
        from idemlint.source.text import NotUtf8Error, SourceText

        path = Path(target.path)
        codes = target.settings.rules_for(path)
        kept = [d for d in diagnostics if d.code in codes or d.code in _ALWAYS]
        try:
            data = path.read_bytes() if target.contents is None else target.contents
            source = SourceText.decode(path, data)
        except (OSError, NotUtf8Error):
            return kept
        if self.ignore_noqa or not (kept or concerns_us(source.text)):
            return kept
        suppressions = Suppressions.of(source)
        self.warnings += suppressions.warnings(target.path)
        marked = [
            d if d.code in _ALWAYS else replace(d, noqa_row=suppressions.noqa_row(d.range.start))
            for d in kept
        ]
        filtered = suppressions.filter(marked)
        unused = suppressions.unused(
            filtered, enabled=codes, external=target.settings.external
        )
        return [*filtered.kept, *(d for d in unused if d.code in codes)]


_ALWAYS = frozenset({"E902", "invalid-syntax"})


def _package(root: str, files: Sequence[str]) -> str:
    """The name of the package that a project is, if its root is one."""
    return os.path.basename(root) if os.path.join(root, "__init__.py") in files else ""


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _shared_out(units: Sequence[_Unit], sizes: Sequence[int], count: int) -> list[list[_Unit]]:
    """Cut `units` into runs of about the same size, so that a project stays together."""
    shares: list[list[_Unit]] = [[] for _ in range(count)]
    whole = sum(sizes) or 1
    before = 0
    for unit, size in zip(units, sizes, strict=True):
        shares[min(before * count // whole, count - 1)].append(unit)
        before += size
    return [share for share in shares if share]


def _user_rows(settings: Settings) -> tuple[object, ...]:
    from idemlint.knowledge.loader import Origin, UserRow

    return tuple(
        UserRow(table.name, table.columns, Origin(str(table.path), table.row))
        for table in settings.knowledge
    )


def _os_error(error: OSError) -> str:
    from idemlint.config.loading import os_error_text

    return os_error_text(error)


def _internal_error(path: str, error: Exception) -> str:
    """What to say of a fault of our own; the place in our code is for the report of it."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    return f"{path}: not checked, because of a fault in idemlint ({type(error).__name__} at {place})"

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
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from idemlint.cache import (
    CachedLook,
    CachedUnit,
    ProjectCache,
    Summary,
    cache_path,
    digest,
    summary,
)
from idemlint.diagnostic import Diagnostic, Position, Range
from idemlint.source.gate import EMPTY
from idemlint.source.text import NOT_UTF8
from idemlint.workers import in_parallel, in_turns, peak_memory, worker_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from idemlint.analysis import Analysis
    from idemlint.config.settings import Settings
    from idemlint.knowledge.facts import Knowledge
    from idemlint.knowledge.signals import Signals
    from idemlint.model.selection import Family, ProjectNames
    from idemlint.source.gate import Called, CallerGate, Gate
    from idemlint.source.notebooks import Notebook
    from idemlint.source.syntax import SyntaxProblem

__all__ = ["Report", "Target", "check"]


Part = TypeVar("Part")

_START = Range(Position(1, 1), Position(1, 1))
_FEW_FILES = 200
"""Files up to which a second process costs more than it saves."""
_LITTLE_CODE = 100_000
"""Bytes to analyse up to which a second process costs more than it saves."""
_MUCH_MEMORY = 80_000_000
"""Bytes of memory after which another process goes on: most of what one knows is of no more use."""
_MUCH_CODE = 700_000
"""Bytes that are worth a share, and all that one process analyses where nobody tells of memory."""
_SHARES_OF_PROCESS = 4
"""In how many shares at most each process gets its part: some take far longer than others."""
_LITTLE_TO_PARSE = 8_000_000
"""Bytes of targets up to which each is parsed for syntax errors, not only what is analysed."""
_ALWAYS = frozenset({"E902", "invalid-syntax"})
"""Codes that no setting and no comment silences."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to report on: its absolute path, its settings, and its bytes where they are not on disk."""

    path: str
    settings: Settings
    contents: bytes | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found, in order, suppressions applied.

    `warnings` and `faults` are for standard error; a fault is one of our own, by which a file was
    not checked.
    """

    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def check(
    targets: Sequence[Target],
    *,
    cache: bool = True,
    ignore_noqa: bool = False,
    searched: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Check `targets` as parts of their projects.

    `searched` are directories all of whose files are among the targets. With `cache`, results are
    read from and kept in the cache folders of the settings, which have to exist. `progress` is told
    how many bytes more are analysed, of how many in all; it is called in forked processes, too.
    Raises `KnowledgeError` for rows of a configuration that are wrong.
    """
    diagnostics: list[Diagnostic] = []
    warnings: list[str] = []
    faults: list[str] = []
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for group in _by_knowledge(targets):
            run = _Run(group, use_cache=cache, ignore_noqa=ignore_noqa, searched=searched)
            run.progress = progress
            diagnostics += run.diagnostics()
            warnings += run.warnings
            faults += run.faults
    finally:
        if was_enabled:
            gc.enable()
    diagnostics.sort(key=lambda found: found.sort_key)
    return Report(tuple(diagnostics), tuple(warnings), tuple(faults))


def _by_knowledge(targets: Iterable[Target]) -> list[list[Target]]:
    """Targets by the rows that their settings add."""
    groups: dict[str, list[Target]] = {}
    names: dict[int, str] = {}
    for target in targets:
        settings = target.settings
        name = names.get(id(settings))
        if name is None:
            name = names[id(settings)] = repr(settings.knowledge)
        groups.setdefault(name, []).append(target)
    return list(groups.values())


class _Problem(NamedTuple):
    """Why a file cannot be checked."""

    text: str


class _Project:
    """The files of one project, what is known of them, and what was found."""

    def __init__(
        self,
        root: str,
        paths: list[str],
        cache: ProjectCache,
        stored: Path | None,
        known: Summary | None = None,
    ) -> None:
        self.root = root
        self.paths = paths
        self.cache = cache
        self.stored = stored
        self.known = known
        self.looks: dict[str, CachedLook] = {}
        self.problems: dict[str, str] = {}
        self.unread: list[str] = []
        self.units: dict[str, Family] = {}
        self.wanted: dict[str, Family] = {}
        self.names: ProjectNames | None = None
        self.found: dict[str, list[Diagnostic]] = {}
        self.can_be_kept = False

    @property
    def syntax(self) -> dict[str, tuple[SyntaxProblem, ...]]:
        """The syntax errors that are known, by the file they are in."""
        if self.known is not None:
            return self.known.syntax
        return {path: look.syntax for path, look in self.looks.items() if look.syntax}

    @property
    def directed(self) -> Iterable[str]:
        """The files in which a comment can be for us."""
        if self.known is not None:
            return self.known.directed
        return (path for path, look in self.looks.items() if look.is_directed)

    def families(self, path: str) -> Family:
        """What a file is worth asking."""
        from idemlint.model.selection import Family

        return self.units.get(path, Family.NONE)

    def add_caller(self, path: str, called: Called) -> None:
        """Note what a file is worth asking for what it calls."""
        from idemlint.model.selection import Family

        families = self.families(path)
        if called.writes:
            families |= Family.WRITE
        if called.acts:
            families |= self.wanted.get(path, Family.NONE)
        if families is not Family.NONE:
            self.units[path] = families


class _Share(NamedTuple):
    """What one process gives back for the units of a project that it had."""

    found: dict[str, list[Diagnostic]]
    edges: dict[str, tuple[str, ...]]
    missing: frozenset[str]
    broken: frozenset[str]
    faults: list[str]


class _Room:
    """What one process may learn."""

    def __init__(self) -> None:
        self._before = peak_memory()
        self._asked = 0
        self._size = 0

    def use(self, size: int) -> None:
        """Take note of one more file of so many bytes."""
        self._asked += 1
        self._size += size

    def is_left(self) -> bool:
        """Whether there is room for one more file; there always is for the first one."""
        if not self._asked:
            return True
        now = peak_memory()
        if self._before is None or now is None:
            return self._size < _MUCH_CODE
        return now - self._before < _MUCH_MEMORY


class _Portion:
    """The first files of a share: those of one project, as many as there is room for.

    `done` is how many were asked for; each is told of when the next one is.
    """

    def __init__(
        self, share: Sequence[tuple[_Project, str]], room: _Room, tell: Callable[[int], None]
    ) -> None:
        self.done = 0
        self._share = share
        self._room = room
        self._tell = tell

    def __iter__(self) -> Iterator[str]:
        first = self._share[0][0]
        for project, path in self._share:
            if project is not first or not self._room.is_left():
                break
            self.done += 1
            yield path
            size = project.looks[path].size
            self._room.use(size)
            self._tell(size)


class _Run:
    """One run over targets that share their knowledge."""

    progress: Callable[[int, int], None] | None = None

    def __init__(
        self,
        targets: Sequence[Target],
        *,
        use_cache: bool,
        ignore_noqa: bool,
        searched: Sequence[str],
    ) -> None:
        self.targets = {target.path: target for target in targets}
        self.use_cache = use_cache
        self.ignore_noqa = ignore_noqa
        self.searched = searched
        self.warnings: list[str] = []
        self.faults: list[str] = []
        self._unsaved = {
            path: target.contents
            for path, target in self.targets.items()
            if target.contents is not None
        }
        self._is_on_disk = not self._unsaved
        self._notebooks: dict[str, Notebook] = {}
        self._problems: dict[str, str] = {}
        for path, target in self.targets.items():
            if path.endswith(".ipynb") or target.settings.extension:
                self._open_notebook(Path(path), target)

    def diagnostics(self) -> list[Diagnostic]:
        """All findings in the targets."""
        projects = self._projects()
        self._look_at(projects)
        for project in projects:
            self._select(project)
        self._find_callers(projects)
        self._analyse(projects)
        for project in projects:
            if project.stored is not None and project.can_be_kept:
                project.cache.save(project.stored)
        return self._settle(projects)

    def _open_notebook(self, path: Path, target: Target) -> None:
        """Let the cells of a notebook stand for its file."""
        if target.settings.language_of(path) != "ipynb":
            return
        from idemlint.source.notebooks import Notebook, NotebookError

        try:
            data = path.read_bytes() if target.contents is None else target.contents
            notebook = Notebook.decode(path, data)
        except (OSError, NotebookError) as error:
            problem = _os_error(error) if isinstance(error, OSError) else str(error)
            self._problems[target.path] = problem
            self._unsaved[target.path] = b""
        else:
            self._notebooks[target.path] = notebook
            self._unsaved[target.path] = notebook.source.encode()

    # what is made when it is needed

    @functools.cached_property
    def _settings(self) -> Settings:
        return next(iter(self.targets.values())).settings

    @functools.cached_property
    def _knowledge(self) -> Knowledge:
        from idemlint.knowledge.facts import Knowledge
        from idemlint.knowledge.loader import Origin, UserRow

        rows = [
            UserRow(table.name, table.columns, Origin(str(table.path), table.row))
            for table in self._settings.knowledge
        ]
        return Knowledge(tuple(rows))

    @functools.cached_property
    def _signals(self) -> Signals:
        from idemlint.knowledge.signals import Signals

        return Signals(self._knowledge)

    @functools.cached_property
    def _gate(self) -> Gate:
        from idemlint.source.gate import Gate

        signals = self._signals
        return Gate(
            signals.texts,
            signals.makers,
            signals.companions,
            signals.writing,
            signals.remembering,
            signals.acting,
            signals.acts,
        )

    # files

    def _projects(self) -> list[_Project]:
        """The projects that have a target, each with all of its files."""
        from idemlint.source.projects import ProjectRoots

        roots = ProjectRoots()
        listed: dict[str, list[str]] = {}
        for path in self.targets:
            listed.setdefault(roots.root(path), []).append(path)
        projects = []
        for root, files in listed.items():
            if not any(_is_below(root, folder) for folder in self.searched):
                known = set(files)
                files.extend(path for path in _project_files(root, roots) if path not in known)
                files.sort()
            stored = self._stored(root, files)
            projects.append(self._loaded(root, files, stored))
        return projects

    def _loaded(self, root: str, files: list[str], stored: Path | None) -> _Project:
        """A project with what is known of it: only the summary, if nothing has changed."""
        if stored is None:
            return _Project(root, files, ProjectCache(), None)
        known = summary(stored)
        if known.is_fresh(files, self._is_parsed):
            return _Project(root, files, ProjectCache(), stored, known)
        return _Project(root, files, ProjectCache.load(stored), stored)

    def _stored(self, root: str, files: Sequence[str]) -> Path | None:
        if not self.use_cache or not self._is_on_disk:
            return None
        settings = next(self.targets[path].settings for path in files if path in self.targets)
        parts = [repr(settings.knowledge), repr(settings.src)]
        return cache_path(settings.cache_dir, root, parts)

    def _look_at(self, projects: Sequence[_Project]) -> None:
        """Look at all files that may have changed, by two processes where they are many."""
        unread: list[tuple[_Project, str]] = []
        for project in projects:
            for path in project.paths if project.known is None else ():
                look = self._known_look(project, path)
                if look is None or (look.syntax is None and self._is_parsed(path)):
                    unread.append((project, path))
                else:
                    project.looks[path] = look
        if not unread:
            return
        self._gate  # noqa: B018 - made before the fork, for both
        paths = [path for _, path in unread]
        count = worker_count() if len(paths) > _FEW_FILES else 1
        shares = [paths[number::count] for number in range(count)]
        parts = in_parallel(lambda share: [self._look(path) for path in share], shares)
        looks: dict[str, CachedLook | _Problem] = {}
        for share, part in zip(shares, parts, strict=True):
            looks.update(zip(share, part, strict=True))
        for project, path in unread:
            found = looks[path]
            if isinstance(found, _Problem):
                project.problems[path] = found.text
                found = CachedLook(0, -1, b"", EMPTY, is_directed=False)
            project.looks[path] = found
            project.unread.append(path)

    def _known_look(self, project: _Project, path: str) -> CachedLook | None:
        try:
            return project.cache.known(path)
        except OSError:
            return None

    def _look(self, path: str) -> CachedLook | _Problem:
        moment = 0
        try:
            data = self._unsaved.get(path)
            if data is None:
                with open(path, "rb") as file:
                    moment = os.fstat(file.fileno()).st_mtime_ns
                    data = file.read()
        except OSError as error:
            return _Problem(_os_error(error))
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError:
                return _Problem(NOT_UTF8)
        syntax: tuple[SyntaxProblem, ...] | None = None
        if self._is_parsed(path):
            syntax = self._syntax(path, data)
        directed = b"IDM" in data or b"idemlint" in data
        facts = self._gate.look(data)
        return CachedLook(moment, len(data), digest(data), facts, directed, syntax)

    def _syntax(self, path: str, data: bytes) -> tuple[SyntaxProblem, ...]:
        if path in self._notebooks:
            return tuple(self._notebooks[path].syntax_errors())
        from idemlint.source.syntax import syntax_errors

        return tuple(syntax_errors(data.decode("utf-8-sig", "replace")))

    def _is_parsed(self, path: str) -> bool:
        """Whether a file is parsed for syntax errors whatever stands in it."""
        return self._parses_all and path in self.targets

    @functools.cached_property
    def _parses_all(self) -> bool:
        size = 0
        for path in self.targets:
            data = self._unsaved.get(path)
            try:
                size += os.stat(path).st_size if data is None else len(data)
            except OSError:
                continue
            if size > _LITTLE_TO_PARSE:
                return False
        return True

    def _bytes(self, path: str) -> bytes:
        """The bytes of a file, empty if it cannot be read."""
        data = self._unsaved.get(path)
        if data is not None:
            return data
        try:
            with open(path, "rb") as file:
                return file.read()
        except OSError:
            return b""

    # what is worth analysing

    def _select(self, project: _Project) -> None:
        """Decide by the facts of all files of a project which are worth a question."""
        if project.known is not None:
            project.found = dict(project.known.found)
            return
        from idemlint.model.selection import Family, Selection

        project.can_be_kept = True
        facts = {path: look.facts for path, look in project.looks.items()}
        selection = Selection(self._signals, facts, _package(project))
        for path in project.paths:
            families = selection.families(path)
            if families is not Family.NONE:
                project.units[path] = families
        project.wanted = selection.wanted(project.units)
        project.names = selection.names()

    def _find_callers(self, projects: Sequence[_Project]) -> None:
        """Add the files that can call, in another one of their project, what writes or acts."""
        if all(project.names is None for project in projects):
            return
        from idemlint.model.selection import Family
        from idemlint.source.gate import CallerGate

        asked: list[tuple[CallerGate, _Project, str]] = []
        for project in projects:
            if project.names is None or not (project.names.writers or project.names.actors):
                continue
            gate = CallerGate(project.names.writers, project.names.actors)
            asked += [
                (gate, project, path)
                for path in project.paths
                if path in project.wanted
                or (project.names.writers and not project.families(path) & Family.WRITE)
            ]
        count = worker_count() if len(asked) > _FEW_FILES else 1
        shares = [asked[number::count] for number in range(count)]

        def calling(share: Sequence[tuple[CallerGate, _Project, str]]) -> list[Called]:
            return [gate.calls(self._bytes(path)) for gate, _, path in share]

        for share, part in zip(shares, in_parallel(calling, shares), strict=True):
            for (_, project, path), called in zip(share, part, strict=True):
                project.add_caller(path, called)

    # analysis

    def _analyse(self, projects: Sequence[_Project]) -> None:
        """Find what is wrong in the files that are worth it, as far as that is not known."""
        units: list[tuple[_Project, str]] = []
        for project in projects:
            if project.names is not None:
                self._take_known(project, project.names)
                units += [(project, path) for path in project.units if path not in project.found]
        for project, share in self._in_portions(units, _analysed):
            project.found.update(share.found)
            project.cache.add_edges(share.edges)
            project.cache.missing |= share.missing
            self._parse(project, share.broken)
            project.can_be_kept = project.can_be_kept and not share.faults
            self.faults += share.faults
        for project in projects:
            if project.names is not None:
                self._keep(project)

    def _in_portions(
        self,
        units: Sequence[tuple[_Project, str]],
        work: Callable[[Analysis, Iterable[str]], Part],
    ) -> Iterator[tuple[_Project, Part]]:
        """What `work` gives for each project of portions of `units`, in processes.

        It is given the model that the portion shares, and the paths of that.
        """
        sizes = [project.looks[path].size for project, path in units]
        self._total = sum(sizes)
        count = worker_count() if self._total > _LITTLE_CODE else 1
        many = min(self._total // _MUCH_CODE, count * _SHARES_OF_PROCESS)
        shares = _shared_out(units, sizes, max(count, many))
        if count > 1:
            self._prepare()
        by_root = {project.root: project for project, _ in units}

        def some_of(
            share: list[tuple[_Project, str]],
        ) -> tuple[list[tuple[str, Part]], list[tuple[_Project, str]]]:
            room, parts = _Room(), []
            while share and room.is_left():
                project = share[0][0]
                analysis = self._new_analysis(project)
                portion = _Portion(share, room, self._tell)
                parts.append((project.root, work(analysis, portion)))
                analysis.close()
                share = share[portion.done :]
            return parts, share

        for parts in in_turns(some_of, shares, count):
            for root, part in parts:
                yield by_root[root], part

    def _tell(self, size: int) -> None:
        """Say that so many bytes more are done."""
        if self.progress is not None:
            self.progress(size, self._total)

    def _prepare(self) -> None:
        """Make once what every process needs, before it is forked."""
        from idemlint.analysis import Analysis
        from idemlint.model.selection import ProjectNames

        Analysis(self._knowledge, self._signals, ProjectNames.none())

    def _parse(self, project: _Project, broken: frozenset[str]) -> None:
        """Find the syntax errors of files that turned out not to parse."""
        for path in broken & project.looks.keys() & self.targets.keys():
            look = project.looks[path]
            if look.syntax is None:
                syntax = self._syntax(path, self._bytes(path))
                project.looks[path] = look._replace(syntax=syntax)

    def _take_known(self, project: _Project, names: ProjectNames) -> None:
        """Take what earlier runs found and what still holds."""
        cache = project.cache
        changed = {
            path
            for path in project.unread
            if path not in cache.looks or cache.looks[path].digest != project.looks[path].digest
        }
        # a file that is gone or new can change where an import leads
        if cache.looks.keys() == project.looks.keys():
            for path, unit in cache.still_hold(names, changed).items():
                if project.units.get(path) == unit.families:
                    project.found[path] = unit.diagnostics

    def _keep(self, project: _Project) -> None:
        """Put what was found into the cache."""
        cache = project.cache
        cache.looks = project.looks
        cache.units = {
            path: CachedUnit(families, project.found.get(path, []))
            for path, families in project.units.items()
        }
        cache.names = project.names
        cache.note_others()

    def _new_analysis(self, project: _Project) -> Analysis:
        """An analysis of a project whose files have been selected."""
        from idemlint.analysis import Analysis

        assert project.names is not None
        return Analysis(
            self._knowledge,
            self._signals,
            project.names,
            source_folders=self._source_folders(project),
            unsaved={Path(path): data for path, data in self._unsaved.items()},
        )

    def _source_folders(self, project: _Project) -> tuple[Path, ...]:
        settings = [self.targets[path].settings for path in project.paths if path in self.targets]
        return settings[0].src if settings else ()

    # findings

    def _settle(self, projects: Sequence[_Project]) -> list[Diagnostic]:
        """What is left of all that was found, by the settings and comments of each file."""
        by_path: dict[str, list[Diagnostic]] = defaultdict(list)
        directed: set[str] = set()
        for project in projects:
            for diagnostic in _merged(project):
                by_path[os.fspath(diagnostic.path)].append(diagnostic)
            for path, syntax in project.syntax.items():
                by_path[path] += _syntax_diagnostics(Path(path), syntax)
            for path, problem in (project.problems | self._problems).items():
                by_path[path].append(Diagnostic(Path(path), _START, "E902", "io-error", problem))
            directed.update(project.directed)
        return [
            diagnostic
            for path in (by_path.keys() | directed) & self.targets.keys()
            for diagnostic in self._as_reported(self.targets[path], by_path[path])
        ]

    def _reported(self, projects: Sequence[_Project]) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """What is reported, and what comments silence, in rows of the files."""
        notebooks, self._notebooks = self._notebooks, {}
        kept = self._settle(projects)
        self.ignore_noqa = True
        known = {(found.path, found.range, found.code) for found in kept}
        everything = self._settle(projects)
        self._notebooks, self.ignore_noqa = notebooks, False
        silenced = [
            found for found in everything if (found.path, found.range, found.code) not in known
        ]
        return kept, silenced

    def _as_reported(self, target: Target, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """What is left of the findings in a file, with the fixes that its settings allow."""
        settled = self._settle_file(target, diagnostics)
        if any(found.fix is not None for found in settled):
            from idemlint.fixes.safety import with_safety

            settled = [with_safety(found, target.settings) for found in settled]
        return self._in_cells(settled)

    def _in_cells(self, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """Findings with what lies in a notebook by the cell and the rows in it."""
        for notebook in self._notebooks.values():
            diagnostics = [
                notebook.in_cell(found) if notebook.path in _paths_of(found) else found
                for found in diagnostics
            ]
        return diagnostics

    def _settle_file(self, target: Target, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        from idemlint.source.suppressions import Suppressions, concerns_us
        from idemlint.source.text import NotUtf8Error, SourceText

        path = Path(target.path)
        codes = target.settings.rules_for(path)
        kept = [found for found in diagnostics if found.code in codes or found.code in _ALWAYS]
        try:
            source = SourceText.decode(path, self._bytes(target.path))
        except NotUtf8Error:
            return kept
        if not kept and not concerns_us(source.text):
            return kept
        suppressions = Suppressions.of(source)
        marked = [
            found
            if found.code in _ALWAYS
            else replace(found, noqa_row=suppressions.noqa_row(found.range.start))
            for found in kept
        ]
        if self.ignore_noqa:
            return marked
        self.warnings += suppressions.warnings(target.path)
        filtered = suppressions.filter(marked)
        unused = suppressions.unused(filtered, enabled=codes, external=target.settings.external)
        return [*filtered.kept, *(found for found in unused if found.code in codes)]


def _syntax_diagnostics(path: Path, problems: Iterable[SyntaxProblem]) -> Iterator[Diagnostic]:
    for problem in problems:
        yield Diagnostic(path, problem.range, "invalid-syntax", "invalid-syntax", problem.message)


def _project_files(root: str, roots: object) -> Iterator[str]:
    """The Python files of a project, as its own configuration lets them be found."""
    from idemlint.config.discovery import Resolver
    from idemlint.config.errors import ConfigError
    from idemlint.source.files import find_files
    from idemlint.source.projects import ProjectRoots

    assert isinstance(roots, ProjectRoots)
    try:
        found = find_files([Path(root)], Resolver(Path(root)))
    except ConfigError:
        return
    for file in found.files:
        if file.path.endswith(".py") and roots.root(file.path) == root:
            yield file.path


def _analysed(analysis: Analysis, paths: Iterable[str]) -> _Share:
    found: dict[str, list[Diagnostic]] = {}
    faults: list[str] = []
    for path in paths:
        try:
            found[path] = analysis.diagnostics(Path(path))
        except Exception as error:  # one file never stops the run
            faults.append(_internal_error(path, error))
    return _Share(found, analysis.edges, analysis.missing_names, analysis.broken, faults)


def _merged(project: _Project) -> list[Diagnostic]:
    """One finding a place and rule: the related places of all are told by the first."""
    merged: dict[tuple[Path, Range, str], Diagnostic] = {}
    for path in sorted(project.found):
        for diagnostic in project.found[path]:
            key = (diagnostic.path, diagnostic.range, diagnostic.code)
            before = merged.get(key)
            if before is None:
                merged[key] = diagnostic
            elif diagnostic.related != before.related:
                related = dict.fromkeys((*before.related, *diagnostic.related))
                merged[key] = replace(before, related=tuple(related))
    return list(merged.values())


def _package(project: _Project) -> str:
    """The name of the package that a project is, if its root is one."""
    is_package = os.path.join(project.root, "__init__.py") in project.looks
    return os.path.basename(project.root) if is_package else ""


def _paths_of(diagnostic: Diagnostic) -> set[Path]:
    """All files that a finding is about or that its fix changes."""
    paths = {diagnostic.path, *(related.path for related in diagnostic.related)}
    if diagnostic.fix is not None:
        paths.update(edit.path for edit in diagnostic.fix.edits)
    return paths


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _shared_out(
    units: Sequence[tuple[_Project, str]], sizes: Sequence[int], count: int
) -> list[list[tuple[_Project, str]]]:
    """Cut `units` into runs of about the same size, so that a project stays together."""
    shares: list[list[tuple[_Project, str]]] = [[] for _ in range(count)]
    whole = sum(sizes) or 1
    before = 0
    for unit, size in zip(units, sizes, strict=True):
        shares[min(before * count // whole, count - 1)].append(unit)
        before += size
    return [share for share in shares if share]


def _os_error(error: OSError) -> str:
    from idemlint.config.loading import os_error_text

    return os_error_text(error)


def _internal_error(path: str, error: Exception) -> str:
    """What to say of a fault of our own; the place in our code is for the report of it."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    return (
        f"{path}: not checked, because of a fault in idemlint ({type(error).__name__} at {place})"
    )

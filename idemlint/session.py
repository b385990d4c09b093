"""A warm linter, for a host that checks the same projects again and again.

What was learned of a file is kept until the file changes, and what was found in one until something
changes that the answer can depend on. In the end an answer is that of a fresh run, except that
fixes are made one by one when they are asked for: most of the time goes into them.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.cache import CachedUnit, ProjectCache, cache_path, digest
from idemlint.linter import Report, Target, _Project, _project_files, _Run
from idemlint.model.program import Program
from idemlint.source.projects import ProjectRoots

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from idemlint.analysis import Analysis
    from idemlint.cache import CachedLook
    from idemlint.config.settings import Settings
    from idemlint.diagnostic import Diagnostic, Range
    from idemlint.inventory import EntryRecord
    from idemlint.knowledge.facts import Knowledge
    from idemlint.knowledge.signals import Signals
    from idemlint.model.evidence import Evidence
    from idemlint.model.program import Module
    from idemlint.model.selection import Family, ProjectNames
    from idemlint.source.gate import Called, FileFacts, Gate
    from idemlint.source.index import ModuleIndex
    from idemlint.survey import Share

__all__ = ["Session", "SupersededError"]

_MOST_PROJECTS = 6
"""Projects that are kept in memory, those that were asked for last."""

_MOST_ANALYSES = 2
"""Projects whose models are kept as well, for the fixes."""
_MANY_MODULES = 150
"""Modules with which the model of a project goes as soon as another project is asked for."""
_RUNS_TO_PARSE_AFRESH = 200
"""Runs after which all is parsed anew once."""

_Key = tuple[Path, "Range", str]


class SupersededError(Exception):
    """A check was given up, because nobody waits for its answer any more."""


@dataclass
class _Warm:
    """What does not depend on any file: one for each set of rows."""

    knowledge: Knowledge
    signals: Signals
    gate: Gate


@dataclass
class _Kept:
    """What is known of one project from run to run.

    `listed` are its files on the disk, `None` if they have to be looked for; `doubtful` those that
    may have changed there, `is_doubtful` says it of all. `calls` tells of the content of a file
    which of `called`, the writers and actors of the project, it can call.
    """

    cache: ProjectCache = field(default_factory=ProjectCache)
    listed: list[str] | None = None
    is_doubtful: bool = True
    doubtful: set[str] = field(default_factory=set)
    facts: dict[str, FileFacts] = field(default_factory=dict)
    units: dict[str, Family] = field(default_factory=dict)
    names: ProjectNames | None = None
    wanted: dict[str, Family] = field(default_factory=dict)
    called: object = None
    calls: dict[str, tuple[bytes, Called]] = field(default_factory=dict)
    digests: dict[str, bytes] = field(default_factory=dict)
    analysis: Analysis | None = None
    runs: int = 0
    evidence: dict[_Key, list[Evidence]] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        """Whether the model holds much memory."""
        return self.analysis is not None and len(self.analysis.program.modules) > _MANY_MODULES

    def let_go(self) -> None:
        """Free the memory of the model."""
        if self.analysis is not None:
            self.analysis.close()
        self.analysis, self.evidence = None, {}


class Session:
    """Checks files of projects, one check at a time.

    Changes on the disk are seen when the session is told to doubt what it knows. Work on a file that
    is no target is run by `breakable`, so that the host may break it off. `has_garbage` says that the
    model of a project was dropped: much is free once the host collects what is left in cycles.
    """

    def __init__(
        self,
        breakable: Callable[[Callable[[], None]], None] = lambda work: work(),
    ) -> None:
        self.breakable = breakable
        self.has_garbage = False
        self._warm: dict[str, _Warm] = {}
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
        self._roots = ProjectRoots()

    def check(
        self, targets: Sequence[Target], is_stale: Callable[[], bool] = lambda: False
    ) -> Iterator[Report | None]:
        """Check `targets`, which share their project and settings as far as `groups` tells.

        Gives a first report, with what the targets themselves show, and the whole report if that
        took longer; in between `None`, where the caller may do something else, but no other check
        of this project. Findings are without fixes, and syntax errors are none of them; a notebook
        is given as one module, and findings count in that. Raises `SupersededError` soon after
        `is_stale`, and `KnowledgeError` for rows of a configuration that are wrong.
        """
        run = _WarmRun(targets, self, is_stale)
        return run.reports()

    def groups(self, targets: Iterable[Target]) -> list[list[Target]]:
        """Targets that are checked together: those of one project under one configuration."""
        found: dict[tuple[str, str], list[Target]] = {}
        for target in targets:
            found.setdefault(self.key(target), []).append(target)
        return list(found.values())

    def with_fix(self, diagnostic: Diagnostic, target: Target) -> Diagnostic:
        """A finding of the last report on `target`, with its fix if it has one."""
        if diagnostic.fix is not None:
            return diagnostic
        kept = self._kept.get(self.key(target))
        if kept is None or kept.analysis is None or not _is_current(kept, target):
            return diagnostic
        key = _key_of(diagnostic)
        if key not in kept.evidence:
            for path in sorted(kept.cache.units):
                if any(_key_of(found) == key for found in kept.cache.units[path].diagnostics):
                    _noted(kept, kept.analysis, path)
                    if key in kept.evidence:
                        break
        for evidence in kept.evidence.get(key, ()):
            fixed = kept.analysis.fixed(evidence)
            if fixed is not None:
                return replace(diagnostic, fix=fixed.fix)
        return diagnostic

    def index(self, target: Target) -> ModuleIndex | None:
        """The statements of a target as the last check cut them; `None` after another text."""
        kept = self._kept.get(self.key(target))
        if kept is None or kept.analysis is None or not _is_current(kept, target):
            return None
        module = kept.analysis.program.module(Path(target.path))
        return None if module is None else module.index

    def entry_places(self, targets: Sequence[Target], path: str) -> list[tuple[int, int]]:
        """Where the entries of a file start, row and column from 1; nothing else is asked of them.

        The file is one of `targets`, which are those of the last check.
        """
        return _WarmRun(targets, self, lambda: False).entry_places(path)

    def entries(self, targets: Sequence[Target], path: str) -> list[EntryRecord]:
        """The entries that stand in a file, as the inventory has them.

        The file is one of `targets`, which are those of the last check. In a notebook rows are
        those of its cells as one module. The host may break this off, as it may what `breakable`
        runs.
        """
        return _WarmRun(targets, self, lambda: False).entries(path)

    def doubt(self, paths: Iterable[str] | None = None) -> None:
        """Look again at these files before the next answer; without `paths` at all of them."""
        if paths is None:
            self._roots = ProjectRoots()
            for kept in self._kept.values():
                kept.is_doubtful = True
            return
        for path in paths:
            for kept in self._kept.values():
                is_known = path in kept.cache.looks
                if is_known != Path(path).exists():
                    kept.is_doubtful = True
                elif is_known:
                    kept.doubtful.add(path)

    def forget(self) -> None:
        """Start afresh."""
        self._warm.clear()
        self._kept.clear()
        self._roots = ProjectRoots()

    def key(self, target: Target) -> tuple[str, str]:
        """What the targets have in common that are checked together."""
        settings = target.settings
        return self._roots.root(target.path), repr((settings.knowledge, settings.src))

    def kept(self, target: Target) -> _Kept:
        """What is known of the project of a target."""
        key = self.key(target)
        found = self._kept.setdefault(key, _Kept())
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_PROJECTS:
            self._drop_model(self._kept.popitem(last=False)[1])
        others = list(self._kept.values())[:-1]
        for number, other in enumerate(others, start=_MOST_ANALYSES - len(others)):
            if number < 1 or other.is_large:
                self._drop_model(other)
        return found

    def _drop_model(self, kept: _Kept) -> None:
        if kept.analysis is not None:
            kept.let_go()
            self.has_garbage = True

    def warm(self, settings: Settings, make: Callable[[], _Warm]) -> _Warm:
        """What the rows of a configuration give."""
        name = repr(settings.knowledge)
        found = self._warm.get(name)
        if found is None:
            found = self._warm[name] = make()
        return found

    @property
    def roots(self) -> ProjectRoots:
        """The roots of projects."""
        return self._roots


class _NextProgram(Program):
    """The files of a project after a change: statements that stay are not parsed again."""

    def __init__(self, before: Program | None, **given: Any) -> None:
        super().__init__(**given)
        self._parsed: dict[Path, dict[tuple[int, str], list[ast.stmt]]] = {}
        for module in before.modules if before is not None else ():
            text = module.source.text
            self._parsed[module.path] = {
                (chunk.row, text[chunk.start : chunk.end]): statements
                for chunk in module.index.chunks
                if (statements := chunk._statements) and chunk.end
            }

    def _load(self, path: Path) -> Module | None:
        module = super()._load(path)
        known = self._parsed.pop(path, None)
        if module is not None and known:
            text = module.source.text
            for chunk in module.index.chunks:
                key = chunk.row, text[chunk.start : chunk.end]
                chunk._statements = known.get(key)
        return module


class _WarmRun(_Run):
    """One run over targets of one project, with what the session knows of it."""

    def __init__(
        self, targets: Sequence[Target], session: Session, is_stale: Callable[[], bool]
    ) -> None:
        super().__init__(targets, use_cache=False, ignore_noqa=False, searched=())
        self._session = session
        self._is_stale = is_stale
        self._kept = session.kept(targets[0])
        self._analysis: Analysis | None = None
        self._project: _Project | None = None
        warm = session.warm(targets[0].settings, self._made)
        self._knowledge, self._signals, self._gate = warm.knowledge, warm.signals, warm.gate

    def _open_notebook(self, path: Path, target: Target) -> None:
        """Take a notebook as it is given: its cells as one module."""

    def _is_parsed(self, path: str) -> bool:
        """Leave syntax errors to the host, who has seen the text before it was changed."""
        return False

    def _made(self) -> _Warm:
        return _Warm(self._knowledge, self._signals, self._gate)

    def reports(self) -> Iterator[Report | None]:
        """The reports, see `Session.check`."""
        projects = self._projects()
        project = self._project = projects[0]
        self._look_at(projects)
        self._kept.is_doubtful = False
        self._kept.doubtful.clear()
        self._select(project)
        self._find_callers(projects)
        assert project.names is not None
        self._take_known(project, project.names)
        self._renew_analysis(project)
        first, rest = self._stages(project)
        try:
            for path in first:
                yield from self._pause()
                self._analyse_unit(project, path)
            yield self._report(projects)
            if rest:
                for path in rest:
                    yield from self._pause()
                    self._session.breakable(partial(self._analyse_unit, project, path))
                yield self._report(projects)
        finally:
            self._keep(project)

    def _pause(self) -> Iterator[None]:
        yield None
        if self._is_stale() or self._is_replaced:
            raise SupersededError

    @property
    def _is_replaced(self) -> bool:
        """Whether the analysis of this run was closed, for another one or for its memory."""
        return self._kept.analysis is not self._analysis

    def _report(self, projects: list[_Project]) -> Report:
        found = sorted(self._settle(projects), key=lambda entry: entry.sort_key)
        return Report(tuple(found), tuple(self.warnings), tuple(self.faults))

    # files

    def _projects(self) -> list[_Project]:
        session, kept = self._session, self._kept
        root = session.roots.root(next(iter(self.targets)))
        if kept.listed is None:
            kept.cache = self._of_earlier_runs(root)
        if kept.listed is None or kept.is_doubtful:
            kept.listed = list(_project_files(root, session.roots))
        files = sorted({*kept.listed, *self.targets})
        return [_Project(root, files, kept.cache, None)]

    def _of_earlier_runs(self, root: str) -> ProjectCache:
        """What the command line has kept of the project, if it has."""
        settings = next(iter(self.targets.values())).settings
        if not settings.cache_dir.is_dir():
            return ProjectCache()
        parts = [repr(settings.knowledge), repr(settings.src)]
        return ProjectCache.load(cache_path(settings.cache_dir, root, parts))

    def _known_look(self, project: _Project, path: str) -> CachedLook | None:
        look = project.cache.looks.get(path)
        if look is None or not look.digest:
            return None
        data = self._unsaved.get(path)
        if data is not None:
            return look if look.size == len(data) and look.digest == digest(data) else None
        kept = self._kept
        if look.time and not kept.is_doubtful and path not in kept.doubtful:
            return look
        try:
            return project.cache.known(path)
        except OSError:
            return None

    # what is worth analysing

    def _select(self, project: _Project) -> None:
        kept = self._kept
        facts = {path: look.facts for path, look in project.looks.items()}
        if kept.names is None or not _are_same(facts, kept.facts):
            self._reselect(project, facts)
        kept.facts = facts
        project.units = dict(kept.units)
        project.wanted = kept.wanted
        project.names = kept.names

    def _reselect(self, project: _Project, facts: dict[str, FileFacts]) -> None:
        from idemlint.linter import _package
        from idemlint.model.selection import Family, Selection

        kept = self._kept
        selection = Selection(self._signals, facts, _package(project))
        units = {path: selection.families(path) for path in project.paths}
        kept.units = {path: found for path, found in units.items() if found is not Family.NONE}
        kept.wanted = selection.wanted(kept.units)
        kept.names = selection.names()

    def _find_callers(self, projects: Sequence[_Project]) -> None:
        from idemlint.model.selection import Family
        from idemlint.source.gate import CallerGate

        kept, project = self._kept, projects[0]
        assert project.names is not None
        writers, actors = project.names.writers, project.names.actors
        if kept.called != (writers, actors):
            kept.called = writers, actors
            kept.calls.clear()
        gate: CallerGate | None = None
        for path in project.paths:
            if path not in project.wanted and (
                not writers or project.families(path) & Family.WRITE
            ):
                continue
            content = project.looks[path].digest
            known = kept.calls.get(path)
            if known is None or known[0] != content:
                gate = gate or CallerGate(writers, actors)
                known = kept.calls[path] = content, gate.calls(self._bytes(path))
            project.add_caller(path, known[1])

    # analysis

    def _stages(self, project: _Project) -> tuple[list[str], list[str]]:
        """The files to analyse: those that told of the targets before, and the others."""
        first: list[str] = []
        rest: list[str] = []
        before = self._kept.cache.units
        for path in project.units:
            if path in project.found:
                continue
            told = before[path].diagnostics if path in before else ()
            is_near = path in self.targets or any(
                os.fspath(found.path) in self.targets for found in told
            )
            (first if is_near else rest).append(path)
        return first, rest

    def _renew_analysis(self, project: _Project) -> None:
        """Make a new analysis if any file has changed since the last one."""
        from idemlint.analysis import Analysis

        kept = self._kept
        digests = {path: look.digest for path, look in project.looks.items()}
        if kept.analysis is not None and kept.digests == digests:
            self._analysis = kept.analysis
            return
        assert project.names is not None
        kept.runs += 1
        # each parsed statement holds on to the text that it was first parsed in
        is_afresh = kept.analysis is None or kept.runs % _RUNS_TO_PARSE_AFRESH == 0
        program = _NextProgram(
            None if is_afresh or kept.analysis is None else kept.analysis.program,
            source_folders=self._source_folders(project),
            libraries=self._knowledge.libraries,
            unsaved={Path(path): data for path, data in self._unsaved.items()},
        )
        analysis = Analysis(self._knowledge, self._signals, project.names, program=program)
        if kept.analysis is not None:
            analysis.model.names.take_over(kept.analysis.model.names)
            kept.analysis.close()
        kept.digests = digests
        kept.evidence = {}
        self._analysis = kept.analysis = analysis

    def _analyse_unit(self, project: _Project, path: str) -> None:
        analysis = self._analysis
        assert analysis is not None
        try:
            project.found[path] = _noted(self._kept, analysis, path)
        except Exception as error:
            from idemlint.linter import _internal_error

            self.faults.append(_internal_error(path, error))
            project.found[path] = []

    def _keep(self, project: _Project) -> None:
        cache, analysis = self._kept.cache, self._analysis
        if analysis is None or self._is_replaced:
            return
        cache.add_edges(analysis.edges)
        cache.missing |= analysis.missing_names
        cache.looks = project.looks
        cache.units = {
            path: CachedUnit(families, project.found[path])
            for path, families in project.units.items()
            if path in project.found
        }
        cache.names = project.names
        cache.saved = time.time_ns()
        cache.note_others()

    # the inventory

    def entry_places(self, path: str) -> list[tuple[int, int]]:
        """Where the entries of a file start."""
        from idemlint.source.ranges import node_range

        analysis, project = self._up_to_date()
        found = set()
        for unit in self._units_about(path, project):
            module = analysis.program.module(Path(unit))
            for entry in () if module is None else analysis.model.entries.of(module):
                if os.fspath(entry.anchor_module.path) == path:
                    start = node_range(entry.anchor_module.source, entry.anchor).start
                    found.add((start.row, start.column))
        return sorted(found)

    def entries(self, path: str) -> list[EntryRecord]:
        """The entries that stand in a file."""
        from idemlint.survey import Gathered, Share, survey_units

        analysis, project = self._up_to_date()
        share = Share()
        units = self._units_about(path, project)
        try:
            self._session.breakable(lambda: survey_units(analysis, units, share))
        except BaseException:
            # what the model has half answered is not to be asked again
            self._kept.digests = {}
            raise
        project.found.update(share.found)
        gathered = Gathered()
        gathered.add(share)
        self._report_also_on(share)
        kept, silenced = self._reported([project])
        return gathered.finished({path}, kept, silenced)

    def _up_to_date(self) -> tuple[Analysis, _Project]:
        """An analysis of the texts as they are, and what is known of their project."""
        with closing(self.reports()) as reports:  # type: ignore[type-var]
            next(report for report in reports if report is not None)
        assert self._analysis is not None and self._project is not None
        return self._analysis, self._project

    def _units_about(self, path: str, project: _Project) -> list[str]:
        """The files that can declare what stands in a file: itself, and those that use it."""
        edges = self._kept.cache.edges
        return [unit for unit in project.units if unit == path or path in edges.get(unit, ())]

    def _report_also_on(self, share: Share) -> None:
        """Take the files of findings for targets, as they are where a whole project is surveyed."""
        settings = next(iter(self.targets.values())).settings
        for diagnostics in share.found.values():
            for path in {os.fspath(found.path) for found in diagnostics}:
                self.targets.setdefault(path, Target(path, settings))

    # findings

    def _settle_file(self, target: Target, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        from idemlint.linter import _ALWAYS
        from idemlint.source.directives import may_direct

        text = self._bytes(target.path).decode(errors="replace")
        if may_direct(text):
            return super()._settle_file(target, diagnostics)
        codes = target.settings.rules_for(Path(target.path))
        return [found for found in diagnostics if found.code in codes or found.code in _ALWAYS]


def _is_current(kept: _Kept, target: Target) -> bool:
    """Whether the last analysis was of this text of a file."""
    return target.contents is None or kept.digests.get(target.path) == digest(target.contents)


def _noted(kept: _Kept, analysis: Analysis, path: str) -> list[Diagnostic]:
    """What is found in a file; the evidence is kept for the fixes."""
    found = analysis.unfixed(Path(path))
    if kept.analysis is analysis:
        for diagnostic, evidence in found:
            kept.evidence.setdefault(_key_of(diagnostic), []).append(evidence)
    return [diagnostic for diagnostic, _ in found]


def _key_of(diagnostic: Diagnostic) -> _Key:
    return diagnostic.path, diagnostic.range, diagnostic.code


def _are_same(one: dict[str, FileFacts], other: dict[str, FileFacts]) -> bool:
    """Whether files tell the same, in whatever order."""
    return one.keys() == other.keys() and all(
        facts is other[path] or facts == other[path] or _ordered(facts) == _ordered(other[path])
        for path, facts in one.items()
    )


def _ordered(facts: FileFacts) -> tuple[object, ...]:
    return (
        sorted(facts.texts),
        sorted(facts.decorators),
        facts.classes,
        facts.makers,
        sorted(facts.defines.split()),
        sorted(facts.writers),
        sorted(facts.aliases),
        sorted(facts.actors),
    )

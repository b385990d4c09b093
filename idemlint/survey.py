"""From files to the inventory of their entries: the pipeline of `linter`, with another question.

Findings are those of `check`, under the same settings and comments, but without their fixes.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from idemlint.diagnostic import Position, Range
from idemlint.inventory import CodePlace, Inventory
from idemlint.linter import (
    _by_knowledge,
    _internal_error,
    _Project,
    _Run,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from idemlint.analysis import Analysis
    from idemlint.diagnostic import Diagnostic
    from idemlint.inventory import EntryRecord, ReplayRecord, Step
    from idemlint.linter import Target
    from idemlint.model.entries import Entry
    from idemlint.model.surveys import Surveys
    from idemlint.source.notebooks import Notebook

__all__ = ["Gathered", "Share", "survey", "survey_units"]

_TOOL = "tool"
_PROBLEMS = frozenset({"E902", "invalid-syntax"})


class _Key(NamedTuple):
    """Which entry: a body can be several tools, and a tool can be declared away from its body."""

    path: Path
    row: int
    column: int
    name: str
    kind: str

    @property
    def anchor(self) -> tuple[Path, int, int]:
        """Where it is declared: the same for all that one body is."""
        return self.path, self.row, self.column


class _Found(NamedTuple):
    """Which finding."""

    path: Path
    range: Range
    code: str


@dataclass
class Share:
    """What was learned of some units of a project, by one process."""

    entries: dict[_Key, EntryRecord] = field(default_factory=dict)
    policies: list[tuple[_Key, ReplayRecord]] = field(default_factory=list)
    found: dict[str, list[Diagnostic]] = field(default_factory=dict)
    on: list[tuple[_Found, _Key]] = field(default_factory=list)
    broken: frozenset[str] = frozenset()
    warnings: list[str] = field(default_factory=list)


def survey(targets: Sequence[Target], *, searched: Sequence[str] = ()) -> Inventory:
    """The entries that `targets` declare, each with all that is known of it.

    `searched` are directories all of whose files are among the targets. Nothing is read from or
    written to a cache. Raises `KnowledgeError` for rows of a configuration that are wrong.
    """
    runs = [_SurveyRun(group, searched) for group in _by_knowledge(targets)]
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        parts = [run.inventory() for run in runs]
    finally:
        if was_enabled:
            gc.enable()
    entries = [entry for part in parts for entry in part.entries]
    return Inventory(
        tuple(sorted(entries, key=lambda entry: entry.sort_key)),
        tuple(problem for part in parts for problem in part.problems),
        tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
    )


class Gathered:
    """The entries of projects, as file after file is surveyed."""

    def __init__(self) -> None:
        self._entries: dict[_Key, EntryRecord] = {}
        self._policies: dict[_Key, list[ReplayRecord]] = defaultdict(list)
        self._on: dict[_Found, set[_Key]] = defaultdict(set)

    def add(self, share: Share) -> None:
        """Add what was learned of some files."""
        self._entries.update(share.entries)
        for key, replay in share.policies:
            self._policies[key].append(replay)
        for found, key in share.on:
            self._on[found].add(key)

    def finished(
        self, paths: Container[str], kept: Sequence[Diagnostic], silenced: Sequence[Diagnostic]
    ) -> list[EntryRecord]:
        """The entries in the files `paths`, with the findings that are about each.

        `kept` are the findings that are reported, `silenced` those that comments hide.
        """
        return [
            self._finished(entries, kept, silenced)
            for entries in self._by_body()
            if str(entries[0].place.path) in paths
        ]

    def _by_body(self) -> list[list[EntryRecord]]:
        """The entries, the ones of a body together; several tools of one body stay apart.

        A tool that a node runs, too, is listed once: as the tool.
        """
        at: dict[object, list[EntryRecord]] = defaultdict(list)
        for key, entry in self._entries.items():
            at[key.anchor].append(entry)
        found = []
        for entries in at.values():
            tools = [entry for entry in entries if entry.kind == _TOOL]
            others = [entry for entry in entries if entry.kind != _TOOL]
            found += [[tool, *others] for tool in tools] or [others]
        return found

    def _finished(
        self,
        entries: Sequence[EntryRecord],
        kept: Iterable[Diagnostic],
        silenced: Iterable[Diagnostic],
    ) -> EntryRecord:
        """One entry of the entries of a body, with all that runs it again and is found on it."""
        first = entries[0]
        keys = {_key(entry) for entry in entries}
        replays = [replay for entry in entries for replay in entry.replays]
        replays += [replay for key in keys for replay in self._policies.get(key, ())]
        whole = replace(first, replays=_once_each(replays))
        return whole.with_findings(
            (found for found in kept if self._is_on(found, first, keys)),
            (found for found in silenced if self._is_on(found, first, keys)),
        )

    def _is_on(self, found: Diagnostic, entry: EntryRecord, keys: set[_Key]) -> bool:
        """Whether a finding is about an entry: by its body, or by a call that the entry reaches."""
        if not found.code.startswith("IDM"):
            return False
        owners = self._on.get(_found(found))
        if owners:
            return not keys.isdisjoint(owners)
        if found.path == entry.place.path and entry.body is not None:
            if entry.body.start <= found.range.start < entry.body.end:
                return True
        reached = {(e.place.path, e.place.row, e.place.column) for e in entry.effects}
        starts = [(found.path, found.range.start)]
        starts += [(related.path, related.range.start) for related in found.related]
        return any((path, start.row, start.column) in reached for path, start in starts)


class _SurveyRun(_Run):
    """One run over targets that share their knowledge."""

    def __init__(self, targets: Sequence[Target], searched: Sequence[str]) -> None:
        super().__init__(targets, use_cache=False, ignore_noqa=False, searched=searched)
        self._gathered = Gathered()

    def inventory(self) -> Inventory:
        """The entries of the targets."""
        projects = self._projects()
        self._look_at(projects)
        for project in projects:
            self._select(project)
        self._find_callers(projects)
        self._survey(projects)
        kept, silenced = self._reported(projects)
        problems = tuple(found for found in kept if found.code in _PROBLEMS)
        entries = self._gathered.finished(self.targets, kept, silenced)
        return Inventory(
            tuple(self._in_cell(entry) for entry in entries), problems, tuple(self.warnings)
        )

    def _survey(self, projects: Sequence[_Project]) -> None:
        units = [
            (project, path)
            for project in projects
            if project.names is not None
            for path in project.units
        ]
        for project, share in self._in_portions(units, _surveyed):
            project.found.update(share.found)
            self._parse(project, share.broken)
            self._gathered.add(share)
            self.warnings += share.warnings

    # notebooks

    def _in_cell(self, entry: EntryRecord) -> EntryRecord:
        """An entry with places in a notebook as those of its cells."""
        if not self._notebooks:
            return entry
        return replace(
            entry,
            place=self._cell_place(entry.place),
            effects=tuple(
                replace(
                    effect,
                    steps=self._cell_steps(effect.steps),
                    guard=None
                    if effect.guard is None
                    else replace(effect.guard, place=self._cell_place(effect.guard.place)),
                )
                for effect in entry.effects
            ),
            unknown=tuple(
                replace(call, steps=self._cell_steps(call.steps)) for call in entry.unknown
            ),
            replays=tuple(
                replace(replay, place=replay.place and self._cell_place(replay.place))
                for replay in entry.replays
            ),
            findings=tuple(self._cell_finding(found) for found in entry.findings),
            silenced=tuple(self._cell_finding(found) for found in entry.silenced),
        )

    def _notebook(self, path: Path) -> Notebook | None:
        return self._notebooks.get(str(path))

    def _cell_finding(self, found: Diagnostic) -> Diagnostic:
        notebook = self._notebook(found.path)
        return found if notebook is None else notebook.in_cell(found)

    def _cell_steps(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(replace(step, place=self._cell_place(step.place)) for step in steps)

    def _cell_place(self, place: CodePlace) -> CodePlace:
        notebook = self._notebook(place.path)
        if notebook is None:
            return place
        start = Position(place.row, place.column)
        cell, span = notebook.cell_range(Range(start, start))
        return CodePlace(place.path, span.start.row, span.start.column, cell)


def _surveyed(analysis: Analysis, paths: Iterable[str]) -> Share:
    share = Share()
    survey_units(analysis, paths, share)
    share.broken = analysis.broken
    return share


def survey_units(analysis: Analysis, paths: Iterable[str], share: Share) -> None:
    """Survey some files; what is learned goes into `share`."""
    from idemlint.model.surveys import Surveys

    surveys = Surveys(analysis.model)
    for path in paths:
        try:
            _survey_unit(analysis, surveys, path, share)
        except Exception as error:  # one file never stops the run
            share.warnings.append(_internal_error(path, error))


def _survey_unit(analysis: Analysis, surveys: Surveys, path: str, share: Share) -> None:
    """Survey one file."""
    module = analysis.program.module(Path(path))
    if module is None:
        return
    by_entry: dict[object, list[_Key]] = defaultdict(list)
    for entry, record in surveys.of(module):
        key = _key(record)
        share.entries[key] = record
        by_entry[_body_of(entry)].append(key)
    for entry, replay in surveys.policies(module):
        share.policies.append((_key_of(entry), replay))
    found = analysis.unfixed(Path(path))
    share.found[path] = [diagnostic for diagnostic, _ in found]
    for diagnostic, evidence in found:
        if evidence.entry is not None:
            share.on += [
                (_found(diagnostic), key) for key in by_entry.get(_body_of(evidence.entry), ())
            ]


def _body_of(entry: Entry) -> object:
    return (
        entry.name,
        entry.kind,
        entry.anchor if entry.function is None else entry.function.node,
    )


def _key(entry: EntryRecord) -> _Key:
    place = entry.place
    return _Key(place.path, place.row, place.column, entry.name, entry.kind)


def _key_of(entry: Entry) -> _Key:
    from idemlint.source.ranges import node_range

    start = node_range(entry.anchor_module.source, entry.anchor).start
    return _Key(entry.anchor_module.path, start.row, start.column, entry.name, entry.kind.value)


def _found(diagnostic: Diagnostic) -> _Found:
    return _Found(diagnostic.path, diagnostic.range, diagnostic.code)


def _once_each(replays: Iterable[ReplayRecord]) -> tuple[ReplayRecord, ...]:
    """What runs an entry again, without a place twice."""
    found: dict[object, ReplayRecord] = {}
    for replay in replays:
        found.setdefault(replay.place or replay.text, replay)
    return tuple(found.values())

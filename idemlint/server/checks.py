"""When what is checked: the newest text first, the rest of its project when there is time."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import logging
import os
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.knowledge.loader import KnowledgeError
from idemlint.linter import Report, Target
from idemlint.server.documents import Document
from idemlint.server.holding import Settled, Text, held
from idemlint.server.syntax import SyntaxWatch, diagnostics_of
from idemlint.server.worker import InterruptedWork
from idemlint.session import Session, SupersededError
from idemlint.source.index import ModuleIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic
    from idemlint.server.documents import Documents, OpenNotebook
    from idemlint.server.worker import Worker
    from idemlint.server.workspace import Workspace

    Item = Document | OpenNotebook

__all__ = ["Checked", "Checker"]

_LOG = logging.getLogger(__name__)
_SLICE = 0.02
"""Seconds of work on the rest of a project, before other work has its turn."""
_QUIET = 0.15
"""Seconds without a change before the rest of a project is looked at."""
_MUCH_WORK = 1.0
"""Seconds of work on the rest of a project, after which the rest of that has to wait longer."""
_VERY_QUIET = 2.0
"""Seconds without a change before a large project is gone through to its end."""
_LONG_QUIET = 0.6
"""Seconds without a change before syntax errors are made exact."""
_RUNS_TO_CLEAN = 4
"""Checks after which memory is cleaned, when there is nothing else to do."""
_MOST_RUNS = 16
"""Checks after which it is cleaned whatever there is to do."""
_SHOWN = 200
"""How much of what a client sends is told in the log."""
_CLEANINGS_TO_THE_BOTTOM = 5
"""Every so many times all of it is looked at."""


@dataclass(frozen=True)
class Checked:
    """What was found in one version of what is open; `target` is `None` if it is not checked.

    `beside` are the targets that were checked with it. `is_whole` is false where other files of the
    project can still add to it.
    """

    item: Item
    target: Target | None
    diagnostics: tuple[Diagnostic, ...] = ()
    beside: tuple[Target, ...] = ()
    is_whole: bool = True


class _Group:
    """The open files of one project while they are checked."""

    def __init__(self, items: dict[str, Item], targets: list[Target]) -> None:
        self.items = items
        self.targets = targets
        self.reports: Iterator[Report | None] = iter(())
        self.report = Report(())

    @property
    def paths(self) -> Iterable[str]:
        return self.items


class Checker:
    """Checks what is open, again after each change, and tells `on_checked`.

    Everything but the work itself runs on the event loop.
    """

    def __init__(
        self,
        documents: Documents,
        workspace: Workspace,
        worker: Worker,
        on_checked: Callable[[list[Checked]], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        self.session = Session(worker.breakable)
        self._documents = documents
        self._workspace = workspace
        self._worker = worker
        self._on_checked = on_checked
        self._on_trouble = on_trouble
        self._dirty: set[str] = set()
        self._news = asyncio.Event()
        self._last_change = 0.0
        self._latest: dict[str, Checked] = {}
        self._rests: dict[tuple[str, str], _Group] = {}
        self._inexact: dict[tuple[str, str], _Group] = {}
        self._waiting: dict[str, list[asyncio.Future[Checked]]] = defaultdict(list)
        self._syntax: dict[str, tuple[Item, SyntaxWatch]] = {}
        self._settled: dict[str, Settled] = {}
        self._troubles: set[str] = set()
        self._runs = 0
        self._cleanings = 0
        self._spent = 0.0

    # what to check

    def touch(self, paths: Iterable[Path]) -> None:
        """Check these files, which are open, and what of their projects depends on them."""
        self._dirty.update(map(os.fspath, paths))
        self._worker.interrupt()
        self._last_change = time.monotonic()
        self._spent = 0.0
        self._news.set()

    def touch_all(self) -> None:
        """Check all that is open."""
        self.touch([item.path for item in self._documents])

    def closed(self, path: Path) -> None:
        """Forget what was found in a file, and see to those that were open beside it."""
        self._latest.pop(os.fspath(path), None)
        self._syntax.pop(os.fspath(path), None)
        self._settled.pop(os.fspath(path), None)
        for future in self._waiting.pop(os.fspath(path), ()):
            if not future.done():
                future.cancel()
        for groups in (self._rests, self._inexact):
            for key in [key for key, group in groups.items() if os.fspath(path) in group.items]:
                self._worker.submit(functools.partial(_close, groups.pop(key)))
        self.touch_all()

    def latest(self, path: Path) -> Checked | None:
        """What was found last in a file, whichever version that was."""
        return self._latest.get(os.fspath(path))

    async def of(self, path: Path) -> Checked | None:
        """What is found in the newest version of a file; `None` if it is not open."""
        item = self._documents.at(path)
        if item is None:
            return None
        name = os.fspath(path)
        known = self._latest.get(name)
        if known is not None and known.item is item and name not in self._dirty:
            return known
        future: asyncio.Future[Checked] = asyncio.get_running_loop().create_future()
        self._waiting[name].append(future)
        if name not in self._dirty:
            self._dirty.add(name)
            self._news.set()
        return await future

    # the loop

    async def run(self) -> None:
        """Check for ever."""
        while True:
            await self._safe_turn()

    async def _safe_turn(self) -> None:
        try:
            await self._turn()
        except Exception:
            _LOG.exception("A check failed")

    async def _turn(self) -> None:
        if self._runs >= _MOST_RUNS:
            await self._clean()
        elif self._dirty:
            await self._check_dirty()
        elif self._rests:
            quiet = _QUIET if self._spent < _MUCH_WORK else _VERY_QUIET
            pause = self._last_change + quiet - time.monotonic()
            if pause > 0 and await self._has_news_within(pause):
                return
            await self._go_on()
        elif self._inexact:
            pause = self._last_change + _LONG_QUIET - time.monotonic()
            if pause > 0 and await self._has_news_within(pause):
                return
            await self._make_exact()
        elif (
            self._runs < _RUNS_TO_CLEAN and not self.session.has_garbage
        ) or await self._has_news_within(_QUIET):
            self._news.clear()
            if not self._dirty:
                await self._news.wait()
        else:
            await self._clean()

    async def _clean(self) -> None:
        """Free the memory of earlier checks; models are cycles of objects."""
        self._runs = 0
        self._cleanings += 1
        is_deep = self.session.has_garbage or self._cleanings % _CLEANINGS_TO_THE_BOTTOM == 0
        self.session.has_garbage = False
        await self._worker.run(lambda: _collect(2 if is_deep else 1))

    async def _has_news_within(self, seconds: float) -> bool:
        self._news.clear()
        if self._dirty:
            return True
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)
        return bool(self._dirty)

    async def _check_dirty(self) -> None:
        dirty = set(self._dirty)
        self._dirty.clear()
        items = {os.fspath(item.path): item for item in self._documents}
        groups, unlinted = await self._worker.run(lambda: self._grouped(items, dirty))
        self._tell([Checked(items[path], None) for path in unlinted])
        for key, group in groups.items():
            before = self._rests.pop(key, None)
            self._inexact.pop(key, None)
            try:
                await self._worker.run(functools.partial(self._begin, group, before))
            except SupersededError:
                self._dirty.update(path for path in group.paths if path in dirty)
                continue
            self._runs += 1
            self._rests[key] = group
            self._tell(self._results(group))

    async def _go_on(self) -> None:
        if not self._rests:
            # closed while nothing was done
            return
        key, group = next(iter(self._rests.items()))
        started = time.monotonic()
        try:
            is_done, is_new = await self._worker.run(lambda: self._advance(group))
        except SupersededError:
            if self._rests.pop(key, None) is group and not self._is_dirty(group):
                # broken off for the sake of another project
                group.reports = self._started(group)
                self._rests[key] = group
            return
        self._spent += time.monotonic() - started
        if is_done:
            self._rests.pop(key, None)
            self._inexact[key] = group
        if is_new or is_done:
            self._tell(self._results(group, is_whole=is_done))

    async def _make_exact(self) -> None:
        """Make syntax errors those that a run finds."""
        if not self._inexact:
            return
        _, group = self._inexact.popitem()
        if await self._worker.run(lambda: self._looks_again(group)):
            self._tell(self._results(group, is_whole=True))

    # on the worker

    def _grouped(
        self, items: dict[str, Item], dirty: set[str]
    ) -> tuple[dict[tuple[str, str], _Group], list[str]]:
        """The groups that have to be checked, and the files that are not linted."""
        targets, unlinted = [], []
        for path, item in items.items():
            target = self._target(path, item)
            if target is None:
                unlinted.append(path)
            else:
                targets.append(target)
        groups = {}
        for group in self.session.groups(targets):
            if any(target.path in dirty for target in group):
                mine = {target.path: items[target.path] for target in group}
                groups[self.session.key(group[0])] = _Group(mine, group)
        return groups, unlinted

    def _target(self, path: str, item: Item) -> Target | None:
        """The target for a text; `None` if it is not to be checked, or its address is no path."""
        try:
            settings = self._workspace.settings_for(item.path)
            if settings is None:
                return None
            target = Target(path, settings, item.contents)
            self.session.key(target)
        except (OSError, ValueError) as error:
            if path not in self._troubles:
                self._troubles.add(path)
                _LOG.warning("`%s` is not checked: %s", item.uri[:_SHOWN], str(error)[:_SHOWN])
            return None
        return target

    def _begin(self, group: _Group, before: _Group | None) -> None:
        if before is not None:
            _close(before)
        try:
            group.reports = self._started(group)
            group.report = next((entry for entry in group.reports if entry), Report(()))
        except KnowledgeError as error:
            self._trouble(str(error))
        except SupersededError:
            raise
        except Exception:
            # who waits for an answer gets one, if only that there is nothing to show
            _LOG.exception("A check failed")
        self._log(group.report)
        for target in group.targets:
            self._look_at_syntax(group.items[target.path], target)

    def _started(self, group: _Group) -> Iterator[Report | None]:
        return self.session.check(group.targets, lambda: self._is_dirty(group))

    def _is_dirty(self, group: _Group) -> bool:
        return any(path in self._dirty for path in group.paths)

    def _advance(self, group: _Group) -> tuple[bool, bool]:
        """Work for a while; whether it is done, and whether there is a new report."""
        until = time.monotonic() + _SLICE
        try:
            for report in group.reports:
                if report is not None:
                    group.report = report
                    self._log(report)
                    return False, True
                if time.monotonic() > until:
                    return False, False
        except KnowledgeError as error:
            self._trouble(str(error))
        except InterruptedWork:
            raise SupersededError from None
        return True, False

    def _look_at_syntax(self, item: Item, target: Target) -> None:
        """Note the syntax errors of a text that has changed."""
        known = self._syntax.get(target.path)
        if known is not None and known[0] is item:
            return
        watch = SyntaxWatch() if known is None else known[1]
        self._syntax[target.path] = item, watch
        if isinstance(item, Document):
            watch.look(self.session.index(target) or ModuleIndex(item.source))
        else:
            watch.errors = diagnostics_of(item.path, item.notebook.syntax_errors())
            watch.broken = ((1, item.source.row_count),) if watch.errors else ()

    def _looks_again(self, group: _Group) -> bool:
        """Make syntax errors exact; whether that changed any."""
        changed = False
        for path, item in group.items.items():
            known = self._syntax.get(path)
            if known is not None and known[0] is item and known[1].is_worth_a_look(item.source):
                changed = known[1].look_at_all(item.source) or changed
        return changed

    def _log(self, report: Report) -> None:
        for warning in (*report.warnings, *report.faults):
            if warning not in self._troubles:
                self._troubles.add(warning)
                _LOG.warning("%s", warning)

    def _trouble(self, text: str) -> None:
        if text not in self._troubles:
            self._troubles.add(text)
            _LOG.error("%s", text)
            self._on_trouble(text)

    # results

    def _results(self, group: _Group, *, is_whole: bool = False) -> list[Checked]:
        found: dict[str, list[Diagnostic]] = {path: [] for path in group.items}
        for diagnostic in group.report.diagnostics:
            path = os.fspath(diagnostic.path)
            if path in found:
                found[path].append(diagnostic)
        found = self._with_hidden(group, found)
        for path, watch in self._watches(group).items():
            if self._workspace.editor_settings(group.items[path].path).show_syntax_errors:
                found[path] += watch.errors
        targets = {target.path: target for target in group.targets}
        return [
            Checked(
                item,
                targets[path],
                tuple(sorted(found[path], key=lambda entry: entry.sort_key)),
                tuple(group.targets),
                is_whole,
            )
            for path, item in group.items.items()
        ]

    def _watches(self, group: _Group) -> dict[str, SyntaxWatch]:
        """What is known of the syntax of the texts as they are."""
        return {
            path: known[1]
            for path, item in group.items.items()
            if (known := self._syntax.get(path)) is not None and known[0] is item
        }

    def _with_hidden(
        self, group: _Group, found: dict[str, list[Diagnostic]]
    ) -> dict[str, list[Diagnostic]]:
        """Findings by file, with those that a statement hides which does not parse."""
        watches = self._watches(group)
        if not any(watch.broken for watch in watches.values()):
            for path, item in group.items.items():
                if self._documents.at(item.path) is not item:
                    continue
                self._settled[path] = Settled(item.source, tuple(found[path]))
            return found
        texts = {
            path: Text(item.source, watches[path].broken if path in watches else ())
            for path, item in group.items.items()
        }
        return {path: held(path, found[path], texts, self._settled) for path in found}

    def _tell(self, results: list[Checked]) -> None:
        """Tell of results for texts that are still the newest."""
        news = []
        for entry in results:
            if self._documents.at(entry.item.path) is not entry.item:
                continue
            path = os.fspath(entry.item.path)
            known = self._latest.get(path)
            self._latest[path] = entry
            for future in self._waiting.pop(path, ()):
                if not future.done():
                    future.set_result(entry)
            is_same = known is not None and known.diagnostics == entry.diagnostics
            if known is None or known.item is not entry.item or not is_same:
                news.append(entry)
        if news:
            self._on_checked(news)


def _close(group: _Group) -> None:
    close = getattr(group.reports, "close", None)
    if close is not None:
        close()


def _collect(generation: int) -> None:
    """Collect garbage; after all of it, give its memory back to the system where that can be told."""
    gc.collect(generation)
    if generation == 2:
        _trim()


def _trim() -> None:
    import ctypes

    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)

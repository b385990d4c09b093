"""Results of earlier runs, one file a project.

A file that has its old size and time is taken to be the same; where the time is too young to tell,
or differs, its content decides. What was found for a file holds as long as nothing has changed that
the answer can depend on: the file, those that it leads to, the set of files, the names of the
project.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from idemlint import __version__
from idemlint.diagnostic import Diagnostic, Edit, Fix, Related

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from idemlint.model.selection import Family, ProjectNames
    from idemlint.source.gate import FileFacts
    from idemlint.source.syntax import SyntaxProblem

__all__ = ["CachedLook", "CachedUnit", "ProjectCache", "Summary", "digest", "summary"]

_YOUNG = 2_000_000_000
"""Nanoseconds within which two writes can have the same time on some file systems."""


class CachedLook(NamedTuple):
    """What the bytes of a file told, and how to know it again: its time, size and digest.

    `syntax` are its syntax errors, `None` where it was not parsed for them.
    """

    time: int
    size: int
    digest: bytes
    facts: FileFacts
    is_directed: bool
    syntax: tuple[SyntaxProblem, ...] | None = None


class CachedUnit(NamedTuple):
    """What was found for a file, and what it was worth asking."""

    families: Family
    diagnostics: list[Diagnostic]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run needs of a project that has not changed since: it is read before all else.

    `states` has for each file its time, its size, and whether it was parsed for syntax errors.
    """

    saved: int = 0
    states: dict[str, tuple[int, int, bool]] = field(default_factory=dict)
    others: dict[str, tuple[int, int]] = field(default_factory=dict)
    found: dict[str, list[Diagnostic]] = field(default_factory=dict)
    syntax: dict[str, tuple[SyntaxProblem, ...]] = field(default_factory=dict)
    directed: frozenset[str] = frozenset()

    def is_fresh(self, paths: Sequence[str], is_parsed: Callable[[str], bool]) -> bool:
        """Whether the project has just these files, and all is what it was.

        `is_parsed` tells whether the syntax errors of a file have to be known.
        """
        if len(paths) != len(self.states):
            return False
        for path in paths:
            known = self.states.get(path)
            if known is None or not (known[2] or not is_parsed(path)):
                return False
            if known[:2] != _state(path) or known[0] >= self.saved - _YOUNG:
                return False
        return all(_state(path) == known for path, known in self.others.items())


@dataclass
class ProjectCache:
    """What is kept of a project. `saved` is when, in nanoseconds; 0 for an empty one."""

    saved: int = 0
    looks: dict[str, CachedLook] = field(default_factory=dict)
    units: dict[str, CachedUnit] = field(default_factory=dict)
    edges: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: ProjectNames | None = None
    missing: frozenset[str] = frozenset()
    callers: frozenset[str] = frozenset()
    others: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> ProjectCache:
        """The cache in a file; an empty one if there is none or it cannot be used."""
        try:
            with path.open("rb") as file:
                pickle.load(file)
                found = pickle.load(file)
        except Exception:
            return cls()
        return found if isinstance(found, cls) else cls()

    def save(self, path: Path) -> None:
        """Write the cache, whole or not at all; a failure is no reason to stop."""
        import tempfile

        self.saved = time.time_ns()
        with contextlib.suppress(OSError):
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
            try:
                with os.fdopen(handle, "wb") as file:
                    pickle.dump(self._summary(), file, pickle.HIGHEST_PROTOCOL)
                    pickle.dump(self, file, pickle.HIGHEST_PROTOCOL)
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise

    def _summary(self) -> Summary:
        looks = self.looks.items()
        return Summary(
            self.saved,
            {path: (look.time, look.size, look.syntax is not None) for path, look in looks},
            self.others,
            {path: unit.diagnostics for path, unit in self.units.items() if unit.diagnostics},
            {path: look.syntax for path, look in looks if look.syntax},
            frozenset(path for path, look in looks if look.is_directed),
        )

    def known(self, path: str) -> CachedLook | None:
        """The look at a file, if size and time are those of the last run; raises `OSError`."""
        look = self.looks.get(path)
        if look is None:
            return None
        status = os.stat(path)
        if status.st_size != look.size or status.st_mtime_ns != look.time:
            return None
        return look if look.time < self.saved - _YOUNG else None

    def changed_others(self) -> set[str]:
        """The files that answers depend on, are not of the project, and have changed."""
        return {path for path, known in self.others.items() if _state(path) != known}

    def still_hold(self, names: ProjectNames, changed: set[str]) -> dict[str, CachedUnit]:
        """The units whose answers are what they were, after these files of the project changed."""
        if self.names is None or not self.names.is_same_for(names, self.missing):
            return {}
        stale = self._leading_to(changed | self.changed_others())
        return {path: unit for path, unit in self.units.items() if path not in stale}

    def add_edges(self, edges: Mapping[str, tuple[str, ...]]) -> None:
        """Note what answers depend on, beside what was noted before."""
        for path, others in edges.items():
            self.edges[path] = tuple({*self.edges.get(path, ()), *others})

    def note_others(self) -> None:
        """Note the state of the files that answers depend on and that are not of the project."""
        found = {other for others in self.edges.values() for other in others}
        self.others = {path: _state(path) for path in found - self.looks.keys()}

    def _leading_to(self, changed: set[str]) -> set[str]:
        """The files from which one of `changed` can be reached."""
        if not changed:
            return set()
        sources: dict[str, list[str]] = {}
        for path, others in self.edges.items():
            for other in others:
                sources.setdefault(other, []).append(path)
        found = set(changed)
        pending = list(changed)
        while pending:
            for path in sources.get(pending.pop(), ()):
                if path not in found:
                    found.add(path)
                    pending.append(path)
        return found


def summary(path: Path) -> Summary:
    """The summary in the file of a cache; an empty one if there is none or it cannot be used."""
    try:
        with path.open("rb") as file:
            found = pickle.load(file)
    except Exception:
        return Summary()
    return found if isinstance(found, Summary) else Summary()


def _state(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def digest(data: bytes) -> bytes:
    """A short digest of the content of a file."""
    return hashlib.blake2b(data, digest_size=12).digest()


def cache_path(folder: Path, root: str, parts: Sequence[str]) -> Path:
    """Where the results of a project are kept; `parts` are what else they depend on."""
    layout = repr([kind.__slots__ for kind in (Diagnostic, Related, Fix, Edit)])
    text = "\0".join((__version__, sys.version, layout, root, *parts))
    return (
        folder
        / __version__
        / (hashlib.blake2b(text.encode(), digest_size=12).hexdigest() + ".pickle")
    )

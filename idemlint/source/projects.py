"""Which project a file belongs to, and which other files that has."""

from __future__ import annotations

import os

__all__ = ["ProjectRoots"]

_MARKERS = frozenset(
    {"pyproject.toml", "setup.py", "setup.cfg", "idemlint.toml", ".idemlint.toml", ".git", ".hg"}
)


class ProjectRoots:
    """Finds the roots of projects; each directory is looked at once."""

    def __init__(self) -> None:
        self._roots: dict[str, str] = {}
        self._nearest: dict[str, str | None] = {}
        self._names: dict[str, frozenset[str]] = {}

    def root(self, path: str) -> str:
        """The directory of the project that a file belongs to.

        It is the nearest one with the mark of a project; without any the directory of the outermost
        package, else that of the file.
        """
        return self._of(os.path.dirname(path))

    def _of(self, folder: str) -> str:
        known = self._roots.get(folder)
        if known is None:
            known = self._roots[folder] = self._marked(folder) or self._package(folder)
        return known

    def _marked(self, folder: str) -> str | None:
        """The nearest folder, from `folder` upwards, that has the mark of a project."""
        passed: list[str] = []
        found: str | None = None
        while folder not in self._nearest:
            passed.append(folder)
            if not _MARKERS.isdisjoint(self._listed(folder)):
                found = folder
                break
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent
        else:
            found = self._nearest[folder]
        self._nearest.update(dict.fromkeys(passed, found))
        return found

    def _package(self, folder: str) -> str:
        while "__init__.py" in self._listed(folder):
            parent = os.path.dirname(folder)
            if parent == folder or "__init__.py" not in self._listed(parent):
                break
            folder = parent
        return folder

    def _listed(self, folder: str) -> frozenset[str]:
        known = self._names.get(folder)
        if known is None:
            try:
                known = frozenset(os.listdir(folder))
            except OSError:
                known = frozenset()
            self._names[folder] = known & (_MARKERS | {"__init__.py"})
        return known

"""From the paths on the command line to the files to check, each with its settings."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from idemlint.config.discovery import FILES_OF_INTEREST as CONFIG_FILES
from idemlint.config.loading import os_error_text
from idemlint.source.gitignore import FILES_OF_INTEREST as IGNORE_FILES
from idemlint.source.gitignore import NOTHING_IGNORED, Ignores, ignores_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from idemlint.config.discovery import Resolver
    from idemlint.config.settings import Settings

__all__ = ["FoundFile", "FoundFiles", "InputError", "find_files", "is_excluded"]

_FILES_OF_INTEREST = CONFIG_FILES | IGNORE_FILES


class FoundFile(NamedTuple):
    """A file by its absolute path; `is_named` if it was named itself and not met in a directory."""

    path: str
    settings: Settings
    is_named: bool = False

    @property
    def is_linted(self) -> bool:
        """Whether `lint.exclude` lets it pass; a file that was named does unless that is forced."""
        settings = self.settings
        if not settings.lint_exclude or (self.is_named and not settings.force_exclude):
            return True
        return not settings.lint_exclude.matches(self.path, Path(self.path).name)


@dataclass(frozen=True, slots=True)
class InputError:
    """A path that cannot be read, and why, in the words of the operating system."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Files in the order of their paths, each once, and what could not be read."""

    files: tuple[FoundFile, ...]
    errors: tuple[InputError, ...]


def find_files(
    paths: Sequence[Path], resolver: Resolver, *, environ: Mapping[str, str] = os.environ
) -> FoundFiles:
    """Search `paths`, which count from the resolver's working directory.

    A file that is named is taken whatever its name; excludes hold for it only with `force-exclude`,
    and ignore files never. Hidden directories are entered, linked ones are not, and a linked file
    is taken only if its target lies in the same tree. Raises `ConfigError` for a configuration
    that is met on the way and cannot be used.
    """
    search = _Search(resolver, environ)
    named = dict.fromkeys(os.path.normpath(resolver.cwd / path) for path in paths)
    for path in named:
        search.add(path)
    return search.result()


def is_excluded(path: Path, settings: Settings) -> bool:
    """Whether `exclude` leaves out an absolute path or a directory around it.

    Looks up to the directory of the configuration.
    """
    place = path
    while True:
        if settings.exclude.matches(str(place), place.name):
            return True
        if place in {settings.root, place.parent}:
            return False
        place = place.parent


class _Search:
    def __init__(self, resolver: Resolver, environ: Mapping[str, str]) -> None:
        self.resolver = resolver
        self.environ = environ
        self.found: dict[str, FoundFile] = {}
        self.errors: dict[str, InputError] = {}

    def result(self) -> FoundFiles:
        # By components, as Ruff does: `a/b.py` comes before `a-b.py`.
        order = sorted(path.replace(os.sep, "\0") for path in self.found)
        files = tuple(self.found[path.replace("\0", os.sep)] for path in order)
        return FoundFiles(files, tuple(self.errors.values()))

    def add(self, named: str) -> None:
        path = Path(named)
        settings = self.resolver.settings_for(path)
        if self.resolver.root.force_exclude and is_excluded(path, settings):
            return
        try:
            is_directory = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError) as error:
            self.errors[named] = InputError(named, os_error_text(error))
            return
        if is_directory:
            self._walk(named, self.resolver.settings_in(path))
        else:
            self.found[named] = FoundFile(named, settings, is_named=True)

    def _walk(self, top: str, settings: Settings) -> None:
        respects_ignores = self.resolver.root.respect_gitignore
        ignores = ignores_at(Path(top), self.environ) if respects_ignores else NOTHING_IGNORED
        fence = _Fence(top, settings)
        # The settings and ignores of the top are known already; those below are met on the way.
        pending: list[tuple[str, Settings, Ignores]] = [(top, settings, ignores)]
        while pending:
            directory, settings, ignores = pending.pop()
            listing = self._listed(directory, settings)
            if listing.special and directory != top:
                outer, names = settings, listing.special
                settings = self.resolver.settings_below(outer, Path(directory), names)
                if settings is not outer:
                    listing = self._listed(directory, settings)
                if respects_ignores:
                    ignores = ignores.entered(directory, names, self.environ)
            if ignores or not settings.exclude.has_only_names:
                listing = _thinned(listing, settings, ignores)
            for entry in listing.files:
                if entry.is_file(follow_symlinks=False) or fence.lets_pass(entry):
                    self.found.setdefault(entry.path, FoundFile(entry.path, settings))
            pending += [(entry.path, settings, ignores) for entry in listing.directories]

    def _listed(self, directory: str, settings: Settings) -> _Listing:
        """What stands in a directory, less what `exclude` names.

        On a large tree most of the time of a search is spent here.
        """
        directories, files, special = listing = _Listing([], [], [])
        excluded, include = settings.exclude.names, settings.include
        suffixes = include.suffixes if include.has_only_suffixes else ("",)
        try:
            with os.scandir(directory) as scan:
                for entry in scan:
                    name = entry.name
                    if name in _FILES_OF_INTEREST:
                        special.append(name)
                    if name in excluded:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        directories.append(entry)
                    elif name.endswith(suffixes):
                        files.append(entry)
        except OSError as error:
            self.errors[directory] = InputError(directory, os_error_text(error))
        if not include.has_only_suffixes:
            files[:] = [entry for entry in files if include.matches_path(entry.path)]
        return listing


class _Listing(NamedTuple):
    """Directories, files to include, and the names that may change settings and ignores."""

    directories: list[os.DirEntry[str]]
    files: list[os.DirEntry[str]]
    special: list[str]


def _thinned(listing: _Listing, settings: Settings, ignores: Ignores) -> _Listing:
    """A listing without what patterns of `exclude` or an ignore file leave out."""

    def is_kept(entry: os.DirEntry[str], is_directory: bool) -> bool:
        path, name = entry.path, entry.name
        return not excluded(path, name) and not ignores.is_ignored(
            path, name, is_directory=is_directory
        )

    excluded = settings.exclude.matches
    return _Listing(
        [entry for entry in listing.directories if is_kept(entry, True)],
        [entry for entry in listing.files if is_kept(entry, False)],
        listing.special,
    )


class _Fence:
    """Keeps a search inside the tree where it began, or inside that of the configuration."""

    def __init__(self, top: str, settings: Settings) -> None:
        self._trees = {Path(os.path.realpath(tree)) for tree in (top, settings.root)}

    def lets_pass(self, entry: os.DirEntry[str]) -> bool:
        """Whether a link leads to a file that may be opened without leaving the tree."""
        if not entry.is_symlink():
            return False
        target = Path(os.path.realpath(entry.path))
        # A link to nothing is reported. One to a pipe or a device is not: reading it may never end.
        if target.exists() and not target.is_file():
            return False
        return any(target.is_relative_to(tree) for tree in self._trees)

"""Which settings hold where: nearest configuration, root settings, the user's own, overrides."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.borrowed import RUFF_NAMES, ruff_config_in
from idemlint.config.errors import ConfigError
from idemlint.config.layer import EMPTY, Layer
from idemlint.config.loading import (
    CONFIG_NAMES,
    ConfigFile,
    config_in,
    load,
    read_text,
    requires_python,
)
from idemlint.config.settings import Origin, Settings, settle

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from idemlint.config.borrowed import Borrowed

__all__ = ["FILES_OF_INTEREST", "Overrides", "Resolver"]

FILES_OF_INTEREST = frozenset(CONFIG_NAMES + RUFF_NAMES)
"""Names whose presence in a directory may change the settings below it."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a host adds to the configuration files.

    `config_file` replaces the search for them, `is_isolated` ignores them all. `flags` win over
    `inline` (the `key = value` pairs), and both over every file; `defaults` hold where nothing else
    says anything.
    """

    config_file: Path | None = None
    is_isolated: bool = False
    inline: Layer = EMPTY
    flags: Layer = EMPTY
    defaults: Layer = EMPTY


class Resolver:
    """The settings of a run. Files are read once, and only those that hold for a path asked for.

    The root settings, those at `start` or else at `cwd`, are loaded at once; creation, like every
    question, raises `ConfigError` for a configuration that cannot be used.
    """

    def __init__(
        self,
        cwd: Path,
        overrides: Overrides | None = None,
        *,
        start: Path | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.cwd = cwd
        self._overrides = overrides or Overrides()
        self._environ = environ
        self._nearest: dict[Path, Settings] = {}
        self._own: dict[Path, Settings | None] = {}
        self._borrowed: dict[Path, Settings | None] = {}
        self._pythons: dict[Path, tuple[int, int] | None] = {}
        self.is_fixed = self._overrides.is_isolated or self._overrides.config_file is not None
        self.root = self._root_settings(start or cwd)

    def settings_for(self, path: Path) -> Settings:
        """The settings of the file at this absolute path."""
        return self.settings_in(path.parent)

    def settings_in(self, directory: Path) -> Settings:
        """The settings of the files that stand in an absolute directory."""
        if self.is_fixed:
            return self.root
        if directory not in self._nearest:
            places = (directory, *directory.parents)
            found = _first(map(self._own_settings, places))
            if found is None and self.root.origin is not Origin.PROJECT:
                found = _first(map(self._ruff_settings, places))
            self._nearest[directory] = found or self.root
        return self._nearest[directory]

    def settings_below(self, outer: Settings, directory: Path, names: Collection[str]) -> Settings:
        """The settings in a directory that holds the files `names`, below one that has `outer`."""
        if self.is_fixed or FILES_OF_INTEREST.isdisjoint(names):
            return outer
        found = self._own_settings(directory, names)
        if found is None and outer.origin is not Origin.PROJECT:
            found = self._ruff_settings(directory, names)
        return found or outer

    def _own_settings(
        self, directory: Path, names: Collection[str] | None = None
    ) -> Settings | None:
        if directory not in self._own:
            file = config_in(directory, names)
            self._own[directory] = None if file is None else self._settings_of(file)
        return self._own[directory]

    def _ruff_settings(
        self, directory: Path, names: Collection[str] | None = None
    ) -> Settings | None:
        if directory not in self._borrowed:
            found = ruff_config_in(directory, names)
            self._borrowed[directory] = None if found is None else self._settings_from(found)
        return self._borrowed[directory]

    def _root_settings(self, start: Path) -> Settings:
        if self._overrides.is_isolated:
            return settle(self._complete(EMPTY), self.cwd)
        given = self._overrides.config_file
        if given is not None:
            layer = self._complete(load(ConfigFile(given), self.cwd))
            return settle(layer, self.cwd, config_path=given, origin=Origin.COMMAND_LINE)
        places = (start, *start.parents)
        nearest = _first(map(self._own_settings, places)) or _first(
            map(self._ruff_settings, places)
        )
        return nearest or self._without_project(EMPTY, self.cwd, start)

    def _settings_of(self, file: ConfigFile) -> Settings:
        root = file.path.parent
        layer = self._complete(self._with_python(load(file, root), root))
        return settle(layer, root, config_path=file.path, origin=Origin.PROJECT)

    def _settings_from(self, found: Borrowed) -> Settings:
        root = found.path.parent
        settings = self._without_project(found.layer, root, root)
        return replace(settings, borrowed_from=found.path, borrowed_keys=found.keys)

    def _without_project(self, layer: Layer, root: Path, around: Path) -> Settings:
        """Settings where no project configuration holds: the user's own over `layer`."""
        user, origin = self._user_file(), Origin.DEFAULT
        if user is not None:
            layer, origin = load(user, self.cwd).over(layer), Origin.USER
        return settle(
            self._complete(self._with_python(layer, around)),
            root,
            config_path=user.path if user else None,
            origin=origin,
        )

    def _complete(self, layer: Layer) -> Layer:
        given = self._overrides
        return given.flags.over(given.inline).over(layer).over(given.defaults)

    def _with_python(self, layer: Layer, directory: Path) -> Layer:
        """`layer` with the target version that the projects around `directory` ask for."""
        if layer.target_version is not None:
            return layer
        return replace(layer, target_version=self._required_python(directory))

    def _required_python(self, directory: Path) -> tuple[int, int] | None:
        if directory not in self._pythons:
            found = _python_of(directory / "pyproject.toml")
            if found is None and directory.parent != directory:
                found = self._required_python(directory.parent)
            self._pythons[directory] = found
        return self._pythons[directory]

    def _user_file(self) -> ConfigFile | None:
        """The user's configuration, for files that no project configuration covers."""
        if sys.platform == "win32":
            base = self._environ.get("APPDATA")
        else:
            base = self._environ.get("XDG_CONFIG_HOME")
            if not base or not Path(base).is_absolute():
                base = str(Path(self._environ.get("HOME") or Path.home(), ".config"))
        return config_in(Path(base, "idemlint")) if base else None


def _first(found: Iterable[Settings | None]) -> Settings | None:
    return next((entry for entry in found if entry is not None), None)


def _python_of(pyproject: Path) -> tuple[int, int] | None:
    if not pyproject.is_file():
        return None
    try:
        return requires_python(read_text(pyproject))
    except ConfigError:
        return None

"""Which settings hold for a file: those of the editor, and those of the files around it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.discovery import Overrides, Resolver
from idemlint.config.errors import ConfigError, TomlError
from idemlint.config.layer import EMPTY, Layer, Selection
from idemlint.config.loading import ConfigFile, load
from idemlint.config.patterns import Pattern
from idemlint.config.reader import NoPlaces, Origin, expanded, read_layer
from idemlint.server.settings import AllSettings, EditorSettings, Preference
from idemlint.source.files import is_excluded
from idemlint.source.projects import ProjectRoots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from idemlint.config.settings import Settings

__all__ = ["Workspace"]

_LOG = logging.getLogger(__name__)
_SOURCE = "the editor"


class Workspace:
    """The folders that are open, with the settings in them.

    What is wrong with a configuration is told once, by `tell`; files are then checked without it.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.settings = AllSettings()
        self._tell = tell
        self._folders: list[Path] = []
        self._resolvers: dict[Path, Resolver] = {}
        self._told: set[str] = set()
        self._roots = ProjectRoots()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that are open."""
        return tuple(self._folders)

    def add(self, folders: Iterable[Path]) -> None:
        """Open folders."""
        self._folders += [path for path in folders if path not in self._folders]

    def remove(self, folders: Iterable[Path]) -> None:
        """Close folders."""
        for path in folders:
            if path in self._folders:
                self._folders.remove(path)
            self._resolvers.pop(path, None)

    def forget(self) -> None:
        """Read all configurations again."""
        self._resolvers.clear()
        self._roots = ProjectRoots()
        self._told.clear()

    def folder_of(self, path: Path) -> Path | None:
        """The innermost open folder that a file lies in."""
        around = [folder for folder in self._folders if path.is_relative_to(folder)]
        return max(around, key=lambda folder: len(folder.parts), default=None)

    def editor_settings(self, path: Path) -> EditorSettings:
        """What the editor says for a file."""
        return self.settings.of(self.folder_of(path))

    @property
    def has_lenses(self) -> bool:
        """Whether code lenses are wanted anywhere."""
        everywhere = [self.settings.general, *(found for _, found in self.settings.by_folder)]
        return any(found.code_lens for found in everywhere)

    def settings_for(self, path: Path) -> Settings | None:
        """The settings of a file; `None` if it is not to be checked."""
        editor = self.editor_settings(path)
        if not editor.enable:
            return None
        settings = self._settings(path)
        is_left_out = is_excluded(path, settings) or settings.lint_exclude.matches(
            str(path), path.name
        )
        return None if is_left_out else settings

    def _settings(self, path: Path) -> Settings:
        resolver = self._resolver(path)
        try:
            settings = resolver.settings_for(path)
        except ConfigError as error:
            self._say(f"Error while resolving settings from {path.parent}", error)
            return _bare(resolver.cwd).root
        for warning in settings.warnings:
            self._warn_once(warning)
        return settings

    def _resolver(self, path: Path) -> Resolver:
        folder = self.folder_of(path)
        # one place for all of a project: what is checked together has the same settings
        place = folder or Path(self._roots.root(str(path)))
        found = self._resolvers.get(place)
        if found is None:
            found = self._resolvers[place] = self._made(place, self.settings.of(folder))
        return found

    def _made(self, folder: Path, editor: EditorSettings) -> Resolver:
        where = f"Error while resolving settings from workspace {folder}"
        try:
            overrides = _overrides(editor, folder)
            # An unknown selector is found only when the settings are settled.
            Resolver(folder, Overrides(is_isolated=True, flags=overrides.flags))
        except ConfigError as error:
            self._say(where, error)
            overrides = Overrides()
        try:
            return Resolver(folder, overrides)
        except ConfigError as error:
            self._say(where, error)
        try:
            return Resolver(
                folder,
                Overrides(is_isolated=True, inline=overrides.inline, flags=overrides.flags),
            )
        except ConfigError:
            return _bare(folder)

    def _say(self, where: str, error: ConfigError) -> None:
        text = f"{where}: {': '.join(error.causes)}"
        if text not in self._told:
            self._told.add(text)
            _LOG.error("%s", text)
            self._tell(text)

    def _warn_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            _LOG.warning("%s", text)


def _bare(folder: Path) -> Resolver:
    return Resolver(folder, Overrides(is_isolated=True))


def _overrides(editor: EditorSettings, folder: Path) -> Overrides:
    """The editor's settings as what stands around the configuration files."""
    arguments = _of_arguments(editor.args, folder)
    flags = _flags(editor, folder).over(arguments.flags)
    inline = _configuration(editor, folder).over(arguments.inline)
    match editor.preference:
        case Preference.EDITOR_FIRST:
            return Overrides(arguments.config_file, arguments.is_isolated, inline, flags)
        case Preference.FILES_FIRST:
            return Overrides(defaults=flags.over(inline))
        case Preference.EDITOR_ONLY:
            return Overrides(is_isolated=True, inline=inline, flags=flags)


def _flags(editor: EditorSettings, folder: Path) -> Layer:
    selection = Selection(
        _SOURCE,
        select=editor.select,
        extend_select=editor.extend_select or (),
        ignore=editor.ignore or (),
    )
    excluded = editor.exclude
    return Layer(
        preview=editor.preview,
        lint_preview=editor.preview,
        exclude=None
        if excluded is None
        else tuple(Pattern(text, str(folder)) for text in excluded),
        selections=() if selection == Selection(_SOURCE) else (selection,),
    )


def _configuration(editor: EditorSettings, folder: Path) -> Layer:
    given = editor.configuration
    if given is None:
        return EMPTY
    if isinstance(given, str):
        path = expanded(given, folder, "configuration")
        if not path.is_file():
            raise ConfigError(f"Failed to read {path}", "No such file")
        return load(ConfigFile(path), folder)
    try:
        return read_layer(given, Origin(_SOURCE, folder), NoPlaces())[0]
    except TomlError as error:
        raise ConfigError("`configuration` of the editor", str(error)) from None


def _of_arguments(arguments: tuple[str, ...], folder: Path) -> Overrides:
    """Arguments of the command line, as ruff-lsp has them in `lint.args`."""
    if not arguments:
        return Overrides()
    import click

    from idemlint.hosts.check import arguments_of, command
    from idemlint.hosts.overrides import overrides_of

    try:
        context = command.make_context("check", list(arguments))
        return overrides_of(arguments_of(context), folder)
    except click.exceptions.Exit:
        return Overrides()
    except click.ClickException as error:
        first = error.format_message().strip().splitlines()[0]
        raise ConfigError("`lint.args` of the editor", first) from None

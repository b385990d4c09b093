"""The settings of the editor, in the shapes of `ruff server` and of ruff-lsp."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from idemlint.server.documents import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "AllSettings",
    "EditorSettings",
    "Preference",
    "Run",
    "SettingsError",
    "read_settings",
]


class SettingsError(ValueError):
    """A setting has a value of the wrong type; the message names it."""


class Preference(enum.Enum):
    """Who wins, the editor's settings or the configuration files."""

    EDITOR_FIRST = "editorFirst"
    FILES_FIRST = "filesystemFirst"
    EDITOR_ONLY = "editorOnly"


class Run(enum.Enum):
    """When a text is checked."""

    ON_TYPE = "onType"
    ON_SAVE = "onSave"


@dataclass(frozen=True)
class EditorSettings:
    """What the editor says for one workspace folder; `None` where it says nothing."""

    configuration: str | dict[str, Any] | None = None
    preference: Preference = Preference.EDITOR_FIRST
    enable: bool = True
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    preview: bool | None = None
    exclude: tuple[str, ...] | None = None
    args: tuple[str, ...] = ()
    run: Run = Run.ON_TYPE
    fix_all: bool = True
    fix_violation: bool = True
    disable_comment: bool = True
    show_syntax_errors: bool = True
    code_lens: bool = False
    log_level: str | None = None
    log_file: str | None = None


@dataclass(frozen=True)
class AllSettings:
    """The settings of all folders; `unknown` are names that mean nothing here."""

    general: EditorSettings = field(default_factory=EditorSettings)
    by_folder: tuple[tuple[Path, EditorSettings], ...] = ()
    unknown: tuple[str, ...] = ()

    def of(self, folder: Path | None) -> EditorSettings:
        """The settings of a folder, or of what lies outside of all."""
        return next((found for path, found in self.by_folder if path == folder), self.general)


def _bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("a boolean")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a string")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise TypeError("a list of strings")
    return tuple(value)


def _configuration(value: object) -> str | dict[str, Any]:
    if not isinstance(value, str | dict):
        raise TypeError("a path or a table")
    return value


def _one_of(kind: type[enum.Enum]) -> Callable[[object], enum.Enum]:
    def read(value: object) -> enum.Enum:
        try:
            return kind(value)
        except ValueError:
            listed = ", ".join(f"`{entry.value}`" for entry in kind)
            raise TypeError(f"one of {listed}") from None

    return read


_LEVELS = {
    "error": "error",
    "warn": "warn",
    "warning": "warn",
    "info": "info",
    "debug": "debug",
    "trace": "trace",
}


def _level(value: object) -> str:
    found = _LEVELS.get(value) if isinstance(value, str) else None
    if found is None:
        raise TypeError("one of " + ", ".join(f"`{name}`" for name in _LEVELS))
    return found


_READERS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "configuration": ("configuration", _configuration),
    "configurationPreference": ("preference", _one_of(Preference)),
    "lint.enable": ("enable", _bool),
    "lint.select": ("select", _texts),
    "lint.extendSelect": ("extend_select", _texts),
    "lint.ignore": ("ignore", _texts),
    "lint.preview": ("preview", _bool),
    "exclude": ("exclude", _texts),
    "lint.args": ("args", _texts),
    "args": ("args", _texts),
    "lint.run": ("run", _one_of(Run)),
    "run": ("run", _one_of(Run)),
    "fixAll": ("fix_all", _bool),
    "codeAction.fixViolation.enable": ("fix_violation", _bool),
    "codeAction.disableRuleComment.enable": ("disable_comment", _bool),
    "codeLens.enable": ("code_lens", _bool),
    "showSyntaxErrors": ("show_syntax_errors", _bool),
    "logLevel": ("log_level", _level),
    "logFile": ("log_file", _text),
}
"""By the name in the editor: the field here, and how a value is read."""

_FOR_OTHERS = frozenset(
    {
        "cwd",
        "enable",
        "format",
        "ignoreStandardLibrary",
        "importStrategy",
        "interpreter",
        "lineLength",
        "nativeServer",
        "organizeImports",
        "path",
        "showNotifications",
        "trace",
        "workspace",
        "workspacePath",
    }
)
"""Names, or their first parts, for the editor's extension, or without a meaning for a linter."""


def read_settings(options: object) -> AllSettings:
    """The settings in the initialization options; raises `SettingsError` for a wrong type.

    `settings` is one table, or a list of them by `workspace`; `globalSettings` are for what lies
    outside. Names may be nested or dotted. Whatever is not wrapped in these two is not read.
    """
    if not isinstance(options, dict):
        return AllSettings()
    given, everywhere = options.get("settings"), options.get("globalSettings")
    unknown: dict[str, None] = {}
    if isinstance(given, dict):
        general = _read(given, unknown)
        return AllSettings(general, (), tuple(unknown))
    general = _read(everywhere, unknown) if isinstance(everywhere, dict) else EditorSettings()
    by_folder = []
    for table in given if isinstance(given, list | tuple) else ():
        if isinstance(table, dict):
            folder = path_of(str(table.get("workspace", "")))
            if folder is not None:
                by_folder.append((folder, _read(table, unknown)))
    return AllSettings(general, tuple(by_folder), tuple(unknown))


def _read(table: Mapping[str, Any], unknown: dict[str, None]) -> EditorSettings:
    found: dict[str, Any] = {}
    for name, value in _flat(table):
        reader = _READERS.get(name)
        if reader is None:
            if name.partition(".")[0] not in _FOR_OTHERS:
                unknown[name] = None
        elif value is not None:
            try:
                found[reader[0]] = reader[1](value)
            except TypeError as error:
                raise SettingsError(f"`{name}` has to be {error}") from None
    known = {entry.name for entry in fields(EditorSettings)}
    return EditorSettings(**{name: value for name, value in found.items() if name in known})


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        is_group = isinstance(value, dict) and name != "configuration"
        if is_group and name not in _READERS:
            yield from _flat(value, f"{name}.")
        else:
            yield name, value

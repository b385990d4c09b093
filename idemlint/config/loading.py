"""Configuration files: finding one in a directory, reading it with what it extends."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from idemlint.config.document import TomlDocument
from idemlint.config.errors import ConfigError, TomlError
from idemlint.config.layer import EMPTY
from idemlint.config.options import TARGET_VERSIONS
from idemlint.config.reader import Origin, described, expanded, read_layer
from idemlint.config.versions import VersionError, oldest_python

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from idemlint.config.layer import Layer
    from idemlint.config.spans import KeyPath

__all__ = [
    "CONFIG_NAMES",
    "ConfigFile",
    "config_in",
    "known_version",
    "load",
    "os_error_text",
    "read_text",
    "requires_python",
]

PYPROJECT = "pyproject.toml"
CONFIG_NAMES = (".idemlint.toml", "idemlint.toml", PYPROJECT)
"""In the order in which they win inside one directory."""

_NAME = "idemlint"
_TABLE: KeyPath = ("tool", _NAME)
_REQUIRES = re.compile(
    r"""^[ \t]*(?:(?P<table>\[[^\n]*)|requires-python[ \t]*=[ \t]*(["'])(?P<value>[^\n]*?)\2)""",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that holds a configuration, and its text if that was read to find out."""

    path: Path
    text: str | None = None


def config_in(directory: Path, names: Container[str] | None = None) -> ConfigFile | None:
    """The configuration of a directory; `names` are the files in it, where they are known.

    A `pyproject.toml` counts if it has a table `[tool.idemlint]`. Raises `ConfigError` where one
    that speaks of idemlint is no TOML.
    """
    for name in CONFIG_NAMES:
        path = directory / name
        if (name not in names) if names is not None else not path.is_file():
            continue
        if name != PYPROJECT:
            return ConfigFile(path)
        text = read_text(path)
        if _NAME in text and _table_in(_parsed(path, text).data) is not None:
            return ConfigFile(path, text)
    return None


def load(file: ConfigFile, root: Path) -> Layer:
    """The layer of a file over those of the files that it extends.

    The file's own paths count from `root`, those of the others from their directories. Raises
    `ConfigError`.
    """
    try:
        layer, extend = _load_one(file, root)
    except ConfigError as error:
        if file.path.name == PYPROJECT:
            raise
        raise error.within(f"Failed to load configuration `{file.path}`") from None
    chain = [file.path]
    layers = [layer]
    while extend is not None:
        path = expanded(extend, chain[-1].parent, "extend")
        told = " extends ".join(f"`{step}`" for step in (*chain, path))
        if path in chain:
            raise ConfigError(f"Circular configuration detected: {told}")
        try:
            layer, extend = _load_one(ConfigFile(path), path.parent)
        except ConfigError as error:
            cause = f"Failed to load extended configuration `{path}` ({told})"
            raise error.within(cause) from None
        chain.append(path)
        layers.append(layer)
    combined = EMPTY
    for layer in reversed(layers):
        combined = layer.over(combined)
    return combined


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark; raises `ConfigError`."""
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise ConfigError(f"Failed to read {path}", os_error_text(error)) from None
    except UnicodeDecodeError:
        raise ConfigError(f"Failed to read {path}", "stream did not contain valid UTF-8") from None


def os_error_text(error: OSError | ValueError) -> str:
    """`No such file or directory (os error 2)`, as Ruff writes it."""
    if isinstance(error, OSError) and error.errno:
        return f"{error.strerror} (os error {error.errno})"
    return str(error)


def requires_python(text: str) -> tuple[int, int] | None:
    """What `project.requires-python` of a `pyproject.toml` asks for at least; `None` if unclear.

    A glance at the lines, because a parse of the whole file takes longer than all else at start-up.
    """
    table = ""
    for matched in _REQUIRES.finditer(text):
        if matched["table"]:
            table = matched["table"].split("#")[0].strip().replace(" ", "")
        elif table == "[project]":
            return _oldest_known(matched["value"])
    return None


def known_version(version: tuple[int, int] | None) -> tuple[int, int] | None:
    """`version` where it is one that `target-version` could name."""
    return version if version and f"py{version[0]}{version[1]}" in TARGET_VERSIONS else None


def _oldest_known(specifier: str) -> tuple[int, int] | None:
    try:
        return known_version(oldest_python(specifier))
    except VersionError:
        return None


def _load_one(file: ConfigFile, root: Path) -> tuple[Layer, str | None]:
    path = file.path
    if path.name == PYPROJECT:
        return _load_pyproject(path, read_text(path) if file.text is None else file.text, root)
    document = _parsed(path, read_text(path))
    return _read(document, document.data, Origin(f"`{path}`", root, path))


def _load_pyproject(path: Path, text: str, root: Path) -> tuple[Layer, str | None]:
    document = _parsed(path, text, _TABLE)
    table = _table_in(document.data)
    if table is None:
        return EMPTY, None
    if not isinstance(table, dict):
        wrong = document.value_error(_TABLE, f"invalid type: {described(table)}, expected a table")
        raise ConfigError(f"Failed to parse {path}", str(wrong))
    layer, extend = _read(document, table, Origin(f"`{path}`", root, path))
    if layer.target_version is None:
        layer = replace(layer, target_version=_own_python(path, document))
    return layer, extend


def _read(
    document: TomlDocument, table: dict[str, Any], origin: Origin
) -> tuple[Layer, str | None]:
    try:
        return read_layer(table, origin, document, document.prefix)
    except TomlError as error:
        raise ConfigError(f"Failed to parse {origin.path}", str(error)) from None


def _parsed(path: Path, text: str, prefix: KeyPath = ()) -> TomlDocument:
    try:
        return TomlDocument.parse(text, prefix)
    except TomlError as error:
        raise ConfigError(f"Failed to parse {path}", str(error)) from None


def _table_in(data: dict[str, Any]) -> Any:
    """What stands under `tool.idemlint`, of whatever type; `None` if nothing does."""
    tool = data.get("tool")
    return tool.get(_NAME) if isinstance(tool, dict) else None


def _own_python(path: Path, document: TomlDocument) -> tuple[int, int] | None:
    """The lower bound in the same file, where a mistake in it is told."""
    project = document.data.get("project")
    specifier = project.get("requires-python") if isinstance(project, dict) else None
    if not isinstance(specifier, str):
        return None
    try:
        return known_version(oldest_python(specifier))
    except VersionError as error:
        reason = f"Failed to parse version: Unexpected version specifier: `{error}`"
        wrong = document.value_error(("project", "requires-python"), reason)
        raise ConfigError(f"Failed to parse {path}", str(wrong)) from None

"""What is taken over from Ruff's configuration where a project has none of ours.

Only what says which files are looked at and for which Python, and what names our codes. Mistakes in
that file are Ruff's to report: what cannot be read is left out here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from idemlint.config.document import toml_data
from idemlint.config.errors import ConfigError, TomlError
from idemlint.config.layer import EMPTY, FileIgnores
from idemlint.config.loading import read_text, requires_python
from idemlint.config.options import TARGET_VERSIONS
from idemlint.config.patterns import Pattern, PatternSet
from idemlint.config.reader import NoPlaces, Origin, expanded, read_layer
from idemlint.config.selectors import FAMILY, is_selector

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

    from idemlint.config.layer import Layer

__all__ = ["RUFF_NAMES", "Borrowed", "ruff_config_in"]

RUFF_NAMES = (".ruff.toml", "ruff.toml", "pyproject.toml")

_HEADER = re.compile(r"^[ \t]*\[+[^\n\[\],]+\]+[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_OURS = re.compile(r"\[+[ \t]*tool[ \t]*\.[ \t]*ruff[ \t]*[.\]]")
_OTHER_SPELLING = re.compile(r"^[ \t]*(?:tool[ \t]*\.[ \t]*)?ruff[ \t]*[.=]", re.MULTILINE)
_STRING_LISTS = ("exclude", "extend-exclude", "src")
_IGNORES = ("per-file-ignores", "extend-per-file-ignores")


@dataclass(frozen=True, slots=True)
class Borrowed:
    """The layer taken from `path`, and the names of the keys in it."""

    path: Path
    layer: Layer
    keys: tuple[str, ...]


def ruff_config_in(directory: Path, names: Container[str] | None = None) -> Borrowed | None:
    """What the Ruff configuration of a directory says; `None` where there is none.

    `names` are the files in it, where they are known.
    """
    for name in RUFF_NAMES:
        path = directory / name
        if (name not in names) if names is not None else not path.is_file():
            continue
        layer = _load(path, ())
        if layer is not None:
            return Borrowed(path, layer, tuple(_said(layer)))
    return None


def _load(path: Path, chain: tuple[Path, ...]) -> Layer | None:
    table = _table(path)
    if table is None:
        return None
    layer = _layer(table, path)
    extend = table.get("extend")
    if not isinstance(extend, str):
        return layer
    try:
        above = expanded(extend, path.parent, "extend")
    except ConfigError:
        return layer
    weaker = None if above in (*chain, path) else _load(above, (*chain, path))
    return layer if weaker is None else layer.over(weaker)


def _table(path: Path) -> dict[str, Any] | None:
    """The table of Ruff's settings; `None` where there is none or it cannot be read."""
    try:
        text = read_text(path)
        if path.name != "pyproject.toml":
            return toml_data(text)
        found = _tool_ruff(text)
    except (ConfigError, TomlError):
        return None
    if found is not None and "target-version" not in found:
        version = requires_python(text)
        if version is not None:
            return {"target-version": f"py{version[0]}{version[1]}", **found}
    return found


def _tool_ruff(text: str) -> dict[str, Any] | None:
    """`[tool.ruff]` of a `pyproject.toml`, of which only these tables are parsed if that goes."""
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)]
    parts = [
        text[header.start() : end]
        for header, end in zip(headers, ends, strict=False)
        if _OURS.match(header.group().strip())
    ]
    if not parts and not _OTHER_SPELLING.search(text):
        return None
    try:
        data = toml_data("".join(parts))
    except TomlError:
        data = {}
    found = data.get("tool", {}).get("ruff") or toml_data(text).get("tool", {}).get("ruff")
    return found if isinstance(found, dict) else None


def _layer(table: dict[str, Any], path: Path) -> Layer:
    kept: dict[str, Any] = {
        key: table[key] for key in _STRING_LISTS if _is_string_list(table.get(key))
    }
    if table.get("target-version") in TARGET_VERSIONS:
        kept["target-version"] = table["target-version"]
    lint = table.get("lint")
    sources = [table, lint] if isinstance(lint, dict) else [table]
    ignores = {
        key: ours for key in _IGNORES for source in sources if (ours := _our_codes(source.get(key)))
    }
    if ignores:
        kept["lint"] = ignores
    origin = Origin(f"`{path}`", path.parent, path)
    return _readable(read_layer(kept, origin, NoPlaces())[0])


def _our_codes(table: object) -> dict[str, list[str]]:
    if not isinstance(table, dict):
        return {}
    ours = {
        pattern: [code for code in codes if code.startswith(FAMILY) and is_selector(code)]
        for pattern, codes in table.items()
        if _is_string_list(codes)
    }
    return {pattern: codes for pattern, codes in ours.items() if codes}


def _readable(layer: Layer) -> Layer:
    """`layer`, or nothing at all where a pattern in it is malformed."""
    patterns = [*(layer.exclude or ()), *layer.extend_exclude, *map(_pattern, _ignores(layer))]
    try:
        PatternSet(tuple(patterns))
    except ConfigError:
        return EMPTY
    return layer


def _ignores(layer: Layer) -> tuple[FileIgnores, ...]:
    return (*(layer.per_file_ignores or ()), *layer.extend_per_file_ignores)


def _pattern(entry: FileIgnores) -> Pattern:
    return entry.pattern


def _is_string_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _said(layer: Layer) -> Iterator[str]:
    """The names of the keys that a layer sets."""
    for field in fields(layer):
        if getattr(layer, field.name) not in (None, ()):
            yield field.name.replace("_", "-")

"""From the table of a configuration to a layer of settings, strictly."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from idemlint import __version__
from idemlint.config.errors import ConfigError, TomlError
from idemlint.config.layer import FileIgnores, KnowledgeTable, Layer, Selection
from idemlint.config.options import MAX_LINE_LENGTH, OPTIONS, SECTIONS, Kind, Option, options_of
from idemlint.config.patterns import Pattern
from idemlint.config.versions import VersionError, check_specifier, is_allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from idemlint.config.spans import KeyPath

__all__ = ["NoPlaces", "Origin", "Places", "described", "expanded", "read_layer"]

KNOWLEDGE = "knowledge"
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")


class Places(Protocol):
    """Makes errors that point at a key or a value, and tells the rows of values."""

    def key_error(self, path: KeyPath, reason: str, tip: str = "") -> TomlError:
        """A mistake in the name of a key."""
        ...

    def value_error(self, path: KeyPath, reason: str, tip: str = "") -> TomlError:
        """A mistake in a value."""
        ...

    def row(self, path: KeyPath) -> int:
        """The 1-based row of a value."""
        ...


class NoPlaces:
    """For settings that came from no text, such as those of an editor."""

    def key_error(self, path: KeyPath, reason: str, tip: str = "") -> TomlError:
        """A mistake in the name of a key."""
        return TomlError(0, 0, 0, "", reason, ".".join(map(str, path[:-1])), tip)

    def value_error(self, path: KeyPath, reason: str, tip: str = "") -> TomlError:
        """A mistake in a value."""
        return TomlError(0, 0, 0, "", reason, ".".join(map(str, path)), tip)

    def row(self, path: KeyPath) -> int:
        """Always the first row."""
        return 1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table comes from: its name in messages, its file, the directory of its paths."""

    source: str
    root: Path
    path: Path | None = None


def read_layer(
    table: Mapping[str, Any], origin: Origin, places: Places, prefix: KeyPath = ()
) -> tuple[Layer, str | None]:
    """The layer that a table describes, and the file that it extends if it names one.

    `prefix` is the path of the table in its text. Raises `TomlError` for a wrong key or value, and
    `ConfigError` when the table asks for another version of idemlint.
    """
    return _Reader(origin, places, prefix).read(table)


def expanded(path: str, root: Path, option: str) -> Path:
    """An absolute path: `~` and variables expanded, counted from `root`, `..` taken out.

    Raises `ConfigError`, with the name of the option, for a variable that is not set.
    """

    def value(variable: re.Match[str]) -> str:
        name = variable[1] or variable[2]
        if name not in os.environ:
            raise ConfigError(
                f"Invalid `{option}` value: error looking key '{name}' up:"
                " environment variable not found"
            )
        return os.environ[name]

    return Path(os.path.normpath(root / Path(_VARIABLE.sub(value, path)).expanduser()))


def version_number(name: str) -> tuple[int, int]:
    """`py310` as (3, 10)."""
    return int(name[2]), int(name[3:])


class _Reader:
    def __init__(self, origin: Origin, places: Places, prefix: KeyPath) -> None:
        self.origin = origin
        self.places = places
        self.prefix = prefix
        self.values: dict[str, Any] = {}

    def read(self, table: Mapping[str, Any]) -> tuple[Layer, str | None]:
        self._check_version(table)
        self._section("", table)
        return self._layer(), self.values.get("extend")

    def _section(self, section: str, table: Mapping[str, Any]) -> None:
        options = {option.name: option for option in options_of(section)}
        above = (*self.prefix, section) if section else self.prefix
        for name, value in table.items():
            path = (*above, name)
            if not section and name in SECTIONS:
                if not isinstance(value, dict):
                    raise self._wrong_type(path, value, "a table")
                self._subsection(name, value)
            elif name in options:
                self.values[options[name].key] = self._value(options[name], path, value)
            else:
                raise self._unknown_key(path, section, [*options, *([] if section else SECTIONS)])

    def _subsection(self, name: str, table: Mapping[str, Any]) -> None:
        if name == KNOWLEDGE:
            self.values[KNOWLEDGE] = self._knowledge(table)
        else:
            self._section(name, table)

    def _unknown_key(self, path: KeyPath, section: str, expected: list[str]) -> TomlError:
        name = str(path[-1])
        listed = ", ".join(f"`{key}`" for key in expected)
        reason = f"unknown field `{name}`, expected one of {listed}"
        return self.places.key_error(path, reason, _tip(name, section, expected))

    def _wrong_type(self, path: KeyPath, value: object, expected: str) -> TomlError:
        reason = f"invalid type: {described(value)}, expected {expected}"
        return self.places.value_error(path, reason)

    def _value(self, option: Option, path: KeyPath, value: object) -> Any:
        kind = option.kind
        if kind is Kind.BOOL:
            return self._typed(path, value, bool, "a boolean")
        if kind is Kind.INT:
            return self._width(path, value)
        if kind in {Kind.STRINGS, Kind.SELECTORS}:
            return self._strings(path, value)
        if kind is Kind.SELECTORS_BY_PATTERN:
            table = self._typed(path, value, dict, "a map")
            return {key: self._strings((*path, key), item) for key, item in table.items()}
        if kind is Kind.LANGUAGE_BY_EXTENSION:
            table = self._typed(path, value, dict, "a map")
            return {
                key: self._choice((*path, key), item, option.choices) for key, item in table.items()
            }
        if kind is Kind.CHOICE:
            return self._choice(path, value, option.choices)
        return self._typed(path, value, str, "a string")

    def _typed(self, path: KeyPath, value: object, wanted: type, expected: str) -> Any:
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            raise self._wrong_type(path, value, expected)
        return value

    def _width(self, path: KeyPath, value: object) -> int:
        number: int = self._typed(path, value, int, "i64")
        if not 1 <= number <= MAX_LINE_LENGTH:
            reason = f"line-length must be between 1 and {MAX_LINE_LENGTH} (got {number})"
            raise self.places.value_error(path, reason)
        return number

    def _strings(self, path: KeyPath, value: object) -> tuple[str, ...]:
        items = self._typed(path, value, list, "a sequence")
        return tuple(
            self._typed((*path, index), item, str, "a string") for index, item in enumerate(items)
        )

    def _choice(self, path: KeyPath, value: object, choices: tuple[str, ...]) -> str:
        text: str = self._typed(path, value, str, "a string")
        if text not in choices:
            listed = ", ".join(f"`{choice}`" for choice in choices)
            reason = f"unknown variant `{text}`, expected one of {listed}"
            raise self.places.value_error(path, reason, _similar("value", text, choices))
        return text

    def _check_specifier(self, path: KeyPath, text: str) -> None:
        try:
            check_specifier(text)
        except VersionError as error:
            reason = f"Failed to parse version: Unexpected version specifier: `{error}`"
            raise self.places.value_error(path, reason) from None

    def _check_version(self, table: Mapping[str, Any]) -> None:
        """Comes first: a key that is unknown here may well be known to the version asked for."""
        name = "required-version"
        if name not in table:
            return
        path = (*self.prefix, name)
        wanted = self._typed(path, table[name], str, "a string")
        self._check_specifier(path, wanted)
        if not is_allowed(__version__, wanted):
            raise ConfigError(
                f"Required version `{wanted}` does not match the running version `{__version__}`"
            )

    def _knowledge(self, table: Mapping[str, Any]) -> tuple[KnowledgeTable, ...]:
        found = []
        for name, value in table.items():
            path = (*self.prefix, KNOWLEDGE, name)
            if isinstance(value, dict):
                places = [(path, value)]
            else:
                rows = self._typed(path, value, list, "a table or an array of tables")
                places = [((*path, index), row) for index, row in enumerate(rows)]
            for place, columns in places:
                self._typed(place, columns, dict, "a table")
                row = self.places.row(place)
                found.append(KnowledgeTable(name, columns, self.origin.path, row))
        return tuple(found)

    def _layer(self) -> Layer:
        get = self.values.get
        cache_dir, target, extension = get("cache-dir"), get("target-version"), get("extension")
        root = self.origin.root
        return Layer(
            cache_dir=None if cache_dir is None else expanded(cache_dir, root, "cache-dir"),
            output_format=get("output-format"),
            fix=get("fix"),
            unsafe_fixes=get("unsafe-fixes"),
            fix_only=get("fix-only"),
            show_fixes=get("show-fixes"),
            preview=get("preview"),
            exclude=self._patterns("exclude"),
            extend_exclude=self._patterns("extend-exclude") or (),
            include=self._patterns("include"),
            extend_include=self._patterns("extend-include") or (),
            force_exclude=get("force-exclude"),
            respect_gitignore=get("respect-gitignore"),
            extension=None if extension is None else tuple(extension.items()),
            target_version=None if target is None else version_number(target),
            src=self._directories(),
            line_length=get("line-length"),
            lint_exclude=self._patterns("lint.exclude"),
            lint_preview=get("lint.preview"),
            explicit_preview_rules=get("lint.explicit-preview-rules"),
            external=get("lint.external"),
            per_file_ignores=self._ignores("per-file-ignores"),
            extend_per_file_ignores=self._ignores("extend-per-file-ignores") or (),
            selections=self._selections(),
            knowledge=get(KNOWLEDGE, ()),
        )

    def _patterns(self, key: str) -> tuple[Pattern, ...] | None:
        texts = self.values.get(key)
        if texts is None:
            return None
        return tuple(Pattern(text, str(self.origin.root)) for text in texts)

    def _directories(self) -> tuple[Path, ...] | None:
        texts = self.values.get("src")
        if texts is None:
            return None
        found: list[Path] = []
        for text in texts:
            place = expanded(text, self.origin.root, "src")
            if any(sign in text for sign in "*?["):
                anchor = Path(place.anchor)
                found += sorted(anchor.glob(str(place.relative_to(anchor))))
            else:
                found.append(place)
        return tuple(found)

    def _ignores(self, option: str) -> tuple[FileIgnores, ...] | None:
        table = self.values.get(f"lint.{option}")
        if table is None:
            return None
        root = str(self.origin.root)
        return tuple(
            FileIgnores(
                Pattern(text.removeprefix("!"), root),
                text.startswith("!"),
                selectors,
                option,
                self.origin.source,
            )
            for text, selectors in table.items()
        )

    def _selections(self) -> tuple[Selection, ...]:
        given = {
            option.name.replace("-", "_"): self.values[option.key]
            for option in OPTIONS
            if option.kind is Kind.SELECTORS and option.key in self.values
        }
        return (Selection(self.origin.source, **given),) if given else ()


def described(value: object) -> str:
    """A value in the words of Ruff's messages."""
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, str):
        return f'string "{value}"'
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    if isinstance(value, list):
        return "sequence"
    return "map" if isinstance(value, dict) else "date"


def _tip(name: str, section: str, expected: list[str]) -> str:
    """What was probably meant by an unknown key; empty if nothing comes close."""
    elsewhere = [option.key for option in OPTIONS if option.name == name]
    if elsewhere:
        return f"a key of that name exists elsewhere: `{elsewhere[0]}`"
    close = _similar("key", name, expected)
    if close or section:
        return close
    nested = {option.name: option.key for option in OPTIONS if option.section}
    near = _nearest(name, list(nested))
    return f"a similar key exists: `{nested[near]}`" if near else ""


def _similar(noun: str, name: str, known: tuple[str, ...] | list[str]) -> str:
    near = _nearest(name, known)
    return f"a similar {noun} exists: `{near}`" if near else ""


def _nearest(name: str, known: tuple[str, ...] | list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.replace("_", "-").lower(), known, n=1, cutoff=0.7)
    return near[0] if near else ""

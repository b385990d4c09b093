"""Lists of file patterns, each list matched at once."""

from __future__ import annotations

import functools
import os
import posixpath
import re
from dataclasses import dataclass

from idemlint.config.errors import ConfigError
from idemlint.config.globs import GLOB_SIGNS, GlobError, glob_regex, in_bytes

__all__ = ["Pattern", "PatternSet", "slashed"]


def slashed(path: str) -> str:
    """A path with `/` between its parts, as patterns are matched against it."""
    return path.replace(os.sep, "/") if os.sep != "/" else path


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern as written, and the absolute directory from which it counts."""

    text: str
    root: str

    @property
    def is_name(self) -> bool:
        """Whether it has no separator, and so counts at any depth."""
        return "/" not in self.text

    @property
    def absolute(self) -> str:
        """The pattern from the root of the file system, for people."""
        above, rest = self._split
        return posixpath.join(above, rest) if rest else above

    @property
    def path_regex(self) -> str:
        """A regular expression for the whole path; signs in the root stand for themselves."""
        above, rest = self._split
        start = above.rstrip("/") + "/" if rest else above
        return self._translated(rest, re.escape(in_bytes(start)))

    @property
    def name_regex(self) -> str:
        """A regular expression for the last part of a path."""
        return self._translated(self.text)

    @property
    def _split(self) -> tuple[str, str]:
        """The directory that the pattern counts from once `..` is resolved, and the rest."""
        rest, above = posixpath.normpath(slashed(self.text)), slashed(self.root)
        if posixpath.isabs(rest):
            return "/", rest.lstrip("/")
        while rest == ".." or rest.startswith("../"):
            rest, above = rest[3:], posixpath.dirname(above)
        return above, "" if rest == "." else rest

    def _translated(self, glob: str, before: str = "") -> str:
        try:
            return before + glob_regex(glob)
        except GlobError as error:
            raise ConfigError(f"error parsing glob '{self.absolute}': {error}") from None


@dataclass(frozen=True)
class PatternSet:
    """Patterns of which any may match; raises `ConfigError` when a pattern cannot be read."""

    patterns: tuple[Pattern, ...] = ()

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            if not GLOB_SIGNS.isdisjoint(pattern.text):
                re.compile(pattern.path_regex)

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def __getstate__(self) -> tuple[Pattern, ...]:
        return self.patterns

    def __setstate__(self, state: tuple[Pattern, ...]) -> None:
        object.__setattr__(self, "patterns", state)

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """The bare names without any sign, which are most of all patterns."""
        return frozenset(
            pattern.text
            for pattern in self.patterns
            if pattern.is_name and GLOB_SIGNS.isdisjoint(pattern.text)
        )

    @functools.cached_property
    def suffixes(self) -> tuple[str, ...]:
        """What follows the star in patterns such as `*.py`."""
        return tuple(
            pattern.text[1:]
            for pattern in self.patterns
            if pattern.is_name
            and pattern.text.startswith("*")
            and GLOB_SIGNS.isdisjoint(pattern.text[1:])
        )

    @functools.cached_property
    def has_only_names(self) -> bool:
        """Whether `names` says all that the patterns say."""
        return not self._other and not self.suffixes

    @functools.cached_property
    def has_only_suffixes(self) -> bool:
        """Whether `suffixes` says all that the patterns say."""
        return not self._other and not self.names

    @functools.cached_property
    def _other(self) -> list[Pattern]:
        plain = self.names | {f"*{suffix}" for suffix in self.suffixes}
        return [pattern for pattern in self.patterns if pattern.text not in plain]

    @functools.cached_property
    def _names_regex(self) -> re.Pattern[str] | None:
        return _any_of([pattern.name_regex for pattern in self._other if pattern.is_name])

    @functools.cached_property
    def _all_paths_regex(self) -> re.Pattern[str] | None:
        return _any_of([pattern.path_regex for pattern in self.patterns])

    @functools.cached_property
    def _paths_regex(self) -> re.Pattern[str] | None:
        return _any_of([pattern.path_regex for pattern in self._other])

    def matches(self, path: str, name: str) -> bool:
        """Whether a pattern matches an absolute path or its last part, `name`."""
        if name in self.names or name.endswith(self.suffixes):
            return True
        if self._paths_regex is None:
            return False
        if self._paths_regex.fullmatch(in_bytes(slashed(path))):
            return True
        return self._names_regex is not None and bool(self._names_regex.fullmatch(in_bytes(name)))

    def matches_path(self, path: str) -> bool:
        """Whether a pattern matches an absolute path as a whole, as `include` is read."""
        if path.endswith(self.suffixes):
            return True
        return self._all_paths_regex is not None and bool(
            self._all_paths_regex.fullmatch(in_bytes(slashed(path)))
        )


def _any_of(expressions: list[str]) -> re.Pattern[str] | None:
    return (
        re.compile("|".join(f"(?:{item})" for item in expressions), re.DOTALL)
        if expressions
        else None
    )

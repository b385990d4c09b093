"""Files that name what to leave out: `.gitignore`, `.ignore`, `.git/info/exclude`, git's own list.

Read as Ruff reads them: `.gitignore` counts only inside a repository, `.ignore` everywhere, and one
directory's file wins over those above it. The tests compare this with git.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.globs import GlobError, glob_regex, in_bytes
from idemlint.config.patterns import slashed

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

__all__ = ["FILES_OF_INTEREST", "NOTHING_IGNORED", "IgnoreFile", "Ignores", "ignores_at"]

_GIT = ".git"
_GITIGNORE = ".gitignore"
_IGNORE = ".ignore"
_EXCLUDES_FILE = re.compile(
    r'^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$', re.MULTILINE | re.IGNORECASE
)
_UNESCAPED_END = re.compile(r"(?<!\\)[ \t]+$")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line: a pattern of a name, or of a path below the file's directory."""

    regex: str
    is_name: bool
    is_negated: bool
    only_directories: bool
    compiled: re.Pattern[str]


class IgnoreFile:
    """The rules of one file, counted from the absolute directory `base`."""

    def __init__(self, base: str, text: str) -> None:
        self._skip = len(base.rstrip(os.sep)) + 1
        self._rules = [rule for line in text.split("\n") if (rule := _rule(line)) is not None]
        self._rules.reverse()
        # Nearly all questions are answered by these two: no rule speaks of the path.
        self._any_name = _any_of(rule.regex for rule in self._rules if rule.is_name)
        self._any_path = _any_of(rule.regex for rule in self._rules if not rule.is_name)

    def decision(self, path: str, name: str, *, is_directory: bool) -> bool | None:
        """Whether an absolute path below `base` is left out; `None` where no rule speaks of it."""
        below, name = in_bytes(slashed(path[self._skip :])), in_bytes(name)
        if not (
            (self._any_name and self._any_name.fullmatch(name))
            or (self._any_path and self._any_path.fullmatch(below))
        ):
            return None
        for rule in self._rules:
            if rule.only_directories and not is_directory:
                continue
            if rule.compiled.fullmatch(name if rule.is_name else below):
                return not rule.is_negated
        return None


@dataclass(frozen=True, slots=True)
class Ignores:
    """What holds inside one directory, each list from the strongest to the weakest."""

    plain: tuple[IgnoreFile, ...] = ()
    git: tuple[IgnoreFile, ...] = ()
    repository: tuple[IgnoreFile, ...] = ()
    is_in_repository: bool = False

    def __bool__(self) -> bool:
        return bool(self.plain or self.git or self.repository)

    def is_ignored(self, path: str, name: str, *, is_directory: bool) -> bool:
        """Whether an absolute path in the directory is left out; `name` is its last part."""
        for files in (self.plain, self.git, self.repository):
            for file in files:
                decision = file.decision(path, name, is_directory=is_directory)
                if decision is not None:
                    return decision
        return False

    def entered(self, directory: str, names: Container[str], environ: Mapping[str, str]) -> Ignores:
        """What holds inside a subdirectory that holds `names`."""
        plain, git, repository = self.plain, self.git, self.repository
        is_in_repository = self.is_in_repository
        if _GIT in names:
            # Another repository: git's lists of the outer one end here.
            git, repository, is_in_repository = (), _repository_lists(directory, environ), True
        if _IGNORE in names:
            plain = (*_read(directory, Path(directory, _IGNORE)), *plain)
        if is_in_repository and _GITIGNORE in names:
            git = (*_read(directory, Path(directory, _GITIGNORE)), *git)
        return Ignores(plain, git, repository, is_in_repository)


NOTHING_IGNORED = Ignores()
FILES_OF_INTEREST = frozenset({_GIT, _GITIGNORE, _IGNORE})
"""Names whose presence in a directory may change what is ignored below it."""


def ignores_at(directory: Path, environ: Mapping[str, str]) -> Ignores:
    """What holds inside an absolute directory, by the files in it and above it."""
    found = NOTHING_IGNORED
    for place in (*reversed(directory.parents), directory):
        names = {name for name in FILES_OF_INTEREST if (place / name).exists()}
        if names:
            found = found.entered(str(place), names, environ)
    return found


def _rule(line: str) -> _Rule | None:
    line = _UNESCAPED_END.sub("", line.removesuffix("\r").removeprefix("\ufeff"))
    if not line or line.startswith("#"):
        return None
    is_negated = line.startswith("!")
    pattern = line[is_negated:]
    only_directories = pattern.endswith("/")
    pattern = pattern.rstrip("/") if only_directories else pattern
    is_name = "/" not in pattern
    pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    try:
        regex = glob_regex(pattern, stops_at_separator=True)
        compiled = re.compile(regex, re.DOTALL)
    except (GlobError, re.error):
        return None
    return _Rule(regex, is_name, is_negated, only_directories, compiled)


def _any_of(expressions: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(f"(?:{item})" for item in expressions)
    return re.compile(joined, re.DOTALL) if joined else None


def _read(base: str, path: Path) -> tuple[IgnoreFile, ...]:
    try:
        return (IgnoreFile(base, path.read_text(encoding="utf-8", errors="surrogateescape")),)
    except OSError:
        return ()


def _repository_lists(directory: str, environ: Mapping[str, str]) -> tuple[IgnoreFile, ...]:
    """The repository's own list, then the user's list for all repositories."""
    own = _read(directory, _common_folder(Path(directory, _GIT)) / "info" / "exclude")
    return (*own, *_read(directory, _global_list(environ)))


def _common_folder(git: Path) -> Path:
    """The folder of a repository; a linked work tree has only a file that names another folder."""
    try:
        if git.is_dir():
            return git
        named = git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        folder = git.parent / named
        common = folder / "commondir"
        return folder / common.read_text(encoding="utf-8").strip() if common.exists() else folder
    except (OSError, UnicodeDecodeError):
        return git


def _global_list(environ: Mapping[str, str]) -> Path:
    home = Path(environ.get("HOME") or Path.home())
    folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config", "git")
    for config in (home / ".gitconfig", folder / "config"):
        try:
            named = _EXCLUDES_FILE.search(config.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        if named:
            return Path(named[1].replace("~", str(home), 1))
    return folder / "ignore"

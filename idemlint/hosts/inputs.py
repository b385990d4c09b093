"""What a run looks at: files by their paths, or the text on standard input."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.discovery import Resolver
from idemlint.diagnostic import Diagnostic, Position, Range
from idemlint.linter import Target
from idemlint.source.files import FoundFile, find_files, is_excluded
from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from idemlint.config.discovery import Overrides
    from idemlint.config.settings import Settings
    from idemlint.hosts.check import CheckArguments
    from idemlint.hosts.console import Console
    from idemlint.source.files import FoundFiles, InputError
    from idemlint.source.notebooks import Notebook

__all__ = [
    "FileBytes",
    "FileTexts",
    "Inputs",
    "find_inputs",
    "io_error",
    "is_stdin",
    "renamed",
    "resolver_for",
    "stdin_input",
]

_STDIN = "-"
_START = Range(Position(1, 1), Position(1, 1))


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files to check, what could not be read, and the settings of the run.

    `stdin` is the path under which the text of standard input is checked, `None` for files;
    `shown` the one under which it is reported. `files` are all files found, also those that
    `lint.exclude` takes from `targets`, `searched` the directories that they were searched in.
    """

    targets: tuple[Target, ...]
    settings: Settings
    errors: tuple[Diagnostic, ...] = ()
    files: tuple[FoundFile, ...] = ()
    searched: tuple[str, ...] = ()
    stdin: Path | None = None
    shown: Path | None = None
    stdin_bytes: bytes = b""


def is_stdin(arguments: CheckArguments) -> bool:
    """Whether the text comes from standard input."""
    return arguments.stdin_filename is not None or arguments.files == (_STDIN,)


def resolver_for(arguments: CheckArguments, overrides: Overrides, cwd: Path) -> Resolver:
    """The settings of a run; those around `--stdin-filename` where there is one."""
    name = arguments.stdin_filename
    start = None if name is None else Path(os.path.normpath(cwd / name)).parent
    return Resolver(cwd, overrides, start=start)


def stdin_input(arguments: CheckArguments, resolver: Resolver, console: Console) -> Inputs:
    """The text on standard input; no target where its name is excluded by force."""
    for name in arguments.files:
        if name != _STDIN:
            console.warn(f"Ignoring file {name} in favor of standard input.")
    given = arguments.stdin_filename
    name = _STDIN if given is None else given
    path = Path(os.path.normpath(resolver.cwd / name))
    settings = resolver.root
    data = sys.stdin.buffer.read()
    file = FoundFile(str(path), settings, is_named=True)
    is_left_out = settings.force_exclude and given is not None and is_excluded(path, settings)
    is_checked = not is_left_out and (given is None or file.is_linted)
    return Inputs(
        targets=(Target(str(path), settings, data),) if is_checked else (),
        settings=settings,
        stdin=path,
        shown=Path(name),
        stdin_bytes=data,
    )


def find_inputs(paths: Iterable[str], resolver: Resolver, console: Console) -> Inputs:
    """The files at `paths`, by default those in the working directory."""
    started = time.perf_counter()
    listed = [Path(path) for path in paths] or [Path()]
    found = find_files(listed, resolver)
    console.debug("files", f"Identified files to lint in: {_milliseconds(started)}")
    _tell_warnings(found, resolver, console)
    return Inputs(
        targets=tuple(Target(file.path, file.settings) for file in found.files if file.is_linted),
        settings=resolver.root,
        errors=tuple(map(io_error, found.errors)),
        files=found.files,
        searched=tuple(
            os.path.normpath(resolver.cwd / path)
            for path in listed
            if (resolver.cwd / path).is_dir()
        ),
    )


def io_error(error: InputError) -> Diagnostic:
    """The finding that a path cannot be read."""
    return Diagnostic(Path(error.path), _START, "E902", "io-error", error.message)


def renamed(diagnostic: Diagnostic, old: Path, new: Path) -> Diagnostic:
    """`diagnostic` with another name for a file, wherever it is named."""

    def name(path: Path) -> Path:
        return new if path == old else path

    fix = diagnostic.fix
    if fix is not None:
        edits = tuple(replace(edit, path=name(edit.path)) for edit in fix.edits)
        fix = replace(fix, edits=edits)
    related = tuple(replace(entry, path=name(entry.path)) for entry in diagnostic.related)
    return replace(diagnostic, path=name(diagnostic.path), related=related, fix=fix)


def _tell_warnings(found: FoundFiles, resolver: Resolver, console: Console) -> None:
    distinct = {id(file.settings): file.settings for file in found.files}
    for settings in (resolver.root, *distinct.values()):
        if settings.config_path is not None:
            console.debug("config", f"Using configuration file at: {settings.config_path}")
        for warning in settings.warnings:
            console.warn(warning)


def _milliseconds(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:.2f}ms"


class FileBytes:
    """Reads the files of a run, each once; `None` for what is not part of it."""

    def __init__(self, inputs: Inputs) -> None:
        self._given = {Path(target.path): target.contents for target in inputs.targets}
        self._read: dict[Path, bytes | None] = {}

    def __call__(self, path: Path) -> bytes | None:
        """The bytes of a file of the run."""
        if path not in self._given:
            return None
        if path not in self._read:
            given = self._given[path]
            self._read[path] = _on_disk(path) if given is None else given
        return self._read[path]


class FileTexts:
    """The texts behind findings, as they are after the run."""

    def __init__(self, inputs: Inputs, contents: Mapping[Path, bytes]) -> None:
        self._inputs = inputs
        self._contents = contents
        self._texts: dict[Path, SourceText | None] = {}
        self._notebooks: dict[Path, Notebook | None] = {}

    def __call__(self, path: Path) -> SourceText | None:
        """The text of a file; `None` where it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._text(path)
        return self._texts[path]

    def cell(self, path: Path, cell: int) -> SourceText | None:
        """The text of a cell of a notebook, by its 1-based number; `None` where it has no code."""
        from idemlint.source.notebooks import Notebook, NotebookError

        if path not in self._notebooks:
            data = self._bytes(path)
            self._notebooks[path] = None
            with contextlib.suppress(NotebookError):
                self._notebooks[path] = Notebook.decode(path, data) if data is not None else None
        notebook = self._notebooks[path]
        return None if notebook is None else notebook.cell_text(cell)

    def _text(self, path: Path) -> SourceText | None:
        data = self._bytes(path)
        try:
            return None if data is None else SourceText.decode(path, data)
        except NotUtf8Error:
            return None

    def _bytes(self, path: Path) -> bytes | None:
        inputs = self._inputs
        place = inputs.stdin if inputs.stdin is not None and path == inputs.shown else path
        data = self._contents.get(place)
        if data is None:
            data = inputs.stdin_bytes if place == inputs.stdin else _on_disk(place)
        return data


def _on_disk(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return None

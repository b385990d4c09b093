"""The flake8 plugin: the same findings, with suppression and selection left to flake8."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint import __version__

if TYPE_CHECKING:
    import ast
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from flake8.options.manager import OptionManager

    from idemlint.config.discovery import Overrides, Resolver
    from idemlint.diagnostic import Diagnostic

__all__ = ["Plugin"]

_STDIN = ("-", "stdin")
_NEWLINE = re.compile(r"\r\n?")


class Plugin:
    """What flake8 makes for each file: `tree`, `filename` and `lines` are filled in by their names.

    The first file of a project has the whole project checked, because what a file does can stand in
    another one; the others are answered from that.
    """

    name = "idemlint"
    version = __version__

    _preview = False
    _config: str | None = None
    _sessions: dict[tuple[bool, str | None], _Session] = {}  # noqa: RUF012 - one for all files

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._lines = lines

    @classmethod
    def add_options(cls, parser: OptionManager) -> None:
        """Our two options, on the command line and in flake8's configuration."""
        parser.add_option(
            "--idemlint-preview",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="Also run the preview rules of idemlint",
        )
        parser.add_option(
            "--idemlint-config",
            default=None,
            metavar="FILE",
            parse_from_config=True,
            normalize_paths=True,
            help="The idemlint.toml or pyproject.toml to use instead of the nearest one",
        )

    @classmethod
    def parse_options(cls, options: Namespace) -> None:
        """Keep what was given."""
        cls._preview = bool(options.idemlint_preview)
        cls._config = options.idemlint_config

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """The findings of the file: 1-based row, 0-based column, text, and who says it."""
        key = (self._preview, self._config)
        session = self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = _Session(*key)
        for found in session.findings(self._filename, self._lines):
            start = found.range.start
            yield start.row, start.column - 1, f"{found.code} {found.message}", type(self)


class _Session:
    """The findings of the projects that files were asked of."""

    def __init__(self, preview: bool, config: str | None) -> None:
        self._overrides = _overrides(preview, config)
        self._resolver: Resolver | None = None
        self._found: dict[str, dict[str, list[Diagnostic]]] = {}

    def findings(self, filename: str, lines: Sequence[str]) -> list[Diagnostic]:
        """The findings of one file, suppressed ones included."""
        from idemlint.source.projects import ProjectRoots

        path = os.path.abspath("stdin.py" if filename in _STDIN else filename)  # noqa: PTH100
        text = "".join(lines)
        if filename in _STDIN or _is_unsaved(Path(path), text):
            return self._check({path: text.encode()}).get(path, [])
        root = ProjectRoots().root(path)
        known = self._found.get(root)
        if known is None:
            known = self._found[root] = self._project(root)
        if path not in known:
            # excluded from the project, and asked of all the same
            known[path] = self._check({path: None}).get(path, [])
        return known[path]

    def _project(self, root: str) -> dict[str, list[Diagnostic]]:
        from idemlint.source.files import find_files

        files = find_files([Path(root)], self._settings())
        paths: dict[str, bytes | None] = {
            file.path: None for file in files.files if file.path.endswith((".py", ".pyi"))
        }
        return {**{path: [] for path in paths}, **self._check(paths, (root,))}

    def _check(
        self, contents: dict[str, bytes | None], searched: Sequence[str] = ()
    ) -> dict[str, list[Diagnostic]]:
        from idemlint.linter import Target, check

        resolver = self._settings()
        targets = [
            Target(path, resolver.settings_for(Path(path)), data) for path, data in contents.items()
        ]
        report = check(targets, cache=False, ignore_noqa=True, searched=searched)
        found: dict[str, list[Diagnostic]] = {}
        for diagnostic in report.diagnostics:
            if diagnostic.code.startswith("IDM"):
                found.setdefault(os.fspath(diagnostic.path), []).append(diagnostic)
        return found

    def _settings(self) -> Resolver:
        from idemlint.config.discovery import Resolver

        if self._resolver is None:
            self._resolver = Resolver(Path.cwd(), self._overrides)
        return self._resolver


def _is_unsaved(path: Path, text: str) -> bool:
    """Whether a text is another one than that of the file: flake8 was given it by an editor."""
    try:
        saved = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return False
    except OSError:
        return True
    return saved != _NEWLINE.sub("\n", text)


def _overrides(preview: bool, config: str | None) -> Overrides:
    from idemlint.config.discovery import Overrides
    from idemlint.config.layer import Layer

    flags = Layer(preview=True) if preview else Layer()
    return Overrides(config_file=Path(config) if config else None, flags=flags)

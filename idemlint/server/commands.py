"""The commands that a client can run, and their arguments."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from idemlint import __version__
from idemlint.server.actions import FIX_ALL_TITLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.diagnostic import Range
    from idemlint.server.checks import Checked
    from idemlint.server.client import Client
    from idemlint.server.documents import Document, OpenNotebook
    from idemlint.server.workspace import Workspace

__all__ = [
    "APPLY",
    "DEBUG",
    "FIX_ALL",
    "LABEL",
    "ArgumentError",
    "debug_text",
    "debugged",
    "opened",
    "text_of",
]

APPLY = "idemlint.applyAutofix"
DEBUG = "idemlint.printDebugInformation"
FIX_ALL = {"do": "all"}
LABEL = FIX_ALL_TITLE


class ArgumentError(ValueError):
    """The arguments of a command cannot be used."""


def text_of(arguments: object) -> tuple[str, int | None]:
    """The address and version in `{"uri": …, "version": …}`; raises `ArgumentError`."""
    if not isinstance(arguments, dict) or not isinstance(arguments.get("uri"), str):
        raise ArgumentError('expected one argument like {"uri": "file:///…", "version": 1}')
    version = arguments.get("version")
    return arguments["uri"], version if isinstance(version, int) else None


def debugged(arguments: object) -> str | None:
    """The address in `{"textDocument": {"uri": …}}`, if there is one."""
    document = arguments.get("textDocument") if isinstance(arguments, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else None


def opened(arguments: object) -> tuple[str, Path | None, Range | None]:
    """What to open: the address of a page, or a file and the place in it; raises `ArgumentError`."""
    from idemlint.diagnostic import Position, Range

    table = arguments if isinstance(arguments, dict) else {}
    if isinstance(table.get("uri"), str):
        return table["uri"], None, None
    row, column = table.get("row"), table.get("column")
    if not isinstance(table.get("path"), str) or not _is_count(row) or not _is_count(column):
        raise ArgumentError('expected one argument like {"path": …, "row": 1, "column": 1}')
    start = Position(row, column)
    return "", Path(table["path"]), Range(start, start)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and value > 0


def debug_text(
    client: Client,
    workspace: Workspace,
    opened: Sequence[str],
    item: Document | OpenNotebook | None,
    checked: Checked | None,
) -> str:
    """What helps to find out why a server does what it does."""
    lines = [
        f"executable = {sys.executable}",
        f"version = idemlint {__version__}, Python {platform.python_version()}",
        f"encoding = {client.encoding.value}",
        f"client = {client}",
        f"folders = {', '.join(map(str, workspace.folders)) or 'none'}",
        f"open = {', '.join(opened) or 'none'}",
    ]
    if item is not None:
        lines += [
            "",
            f"uri = {item.uri}",
            f"path = {item.path}",
            f"version = {item.version}",
            f"editor settings = {workspace.editor_settings(item.path)}",
        ]
    if checked is not None:
        settings = checked.target.settings if checked.target else None
        lines += [
            f"findings = {len(checked.diagnostics)}",
            f"is checked = {checked.target is not None}",
            f"configuration = {settings.config_path if settings else None}",
            f"rules = {', '.join(sorted(settings.rules)) if settings else 'none'}",
        ]
    return "\n".join(lines) + "\n"

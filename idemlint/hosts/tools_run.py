"""What `idemlint tools` does: survey, show, keep or compare, and say by the exit code how it went."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.errors import ConfigError
from idemlint.config.loading import os_error_text
from idemlint.fixes.writing import WriteError, write_file
from idemlint.hosts.console import Console, has_color, has_hyperlinks
from idemlint.hosts.inputs import find_inputs, resolver_for
from idemlint.hosts.overrides import overrides_of
from idemlint.hosts.tools_registry import Registry
from idemlint.inventory import Standing
from idemlint.output import inventory_renderer
from idemlint.output.inventory_report import InventoryReport, counted
from idemlint.output.report import emit
from idemlint.survey import survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from idemlint.config.discovery import Resolver
    from idemlint.diagnostic import Diagnostic
    from idemlint.hosts.tools import ToolsArguments
    from idemlint.inventory import Inventory

__all__ = ["run_tools"]


def run_tools(arguments: ToolsArguments) -> int:
    """Run the command; returns its exit code.

    0: nothing to complain of; 1: an entry stands where `--fail-on` forbids it, or the registry does
    not hold any more; 2: the arguments, the configuration, a file or the registry cannot be read.
    """
    # the process ends with the run, and frees all at once
    gc.disable()
    cwd = Path.cwd()
    resolver = resolver_for(arguments.check, overrides_of(arguments.check, cwd), cwd)
    console = Console(arguments.check.shared)
    known = None if arguments.registry is None else Registry.read(Path(arguments.registry))
    inventory = _inventory(arguments, resolver, console)
    is_read = _tell_problems(inventory.problems, cwd)
    if known is not None:
        return _compare(known, inventory, arguments, console) if is_read else 2
    if arguments.write is not None:
        if not is_read:
            print(f"error: `{arguments.write}` was not written", file=sys.stderr)
            return 2
        _write(Registry.of(inventory, Path(arguments.write)), Path(arguments.write))
        console.note(f"Wrote {_entries(inventory)} to {arguments.write}.")
    elif inventory.entries or is_read:
        _show(inventory, arguments, resolver)
    return _exit_code(inventory, arguments) if is_read else 2


def _exit_code(inventory: Inventory, arguments: ToolsArguments) -> int:
    return int(any(entry.standing in arguments.fail_on for entry in inventory.entries))


def _entries(inventory: Inventory) -> str:
    return counted(len(inventory.entries), "entry", "entries")


def _inventory(arguments: ToolsArguments, resolver: Resolver, console: Console) -> Inventory:
    inputs = find_inputs(arguments.check.files or (), resolver, console)
    if not inputs.files and not inputs.errors:
        console.warn("No Python files found under the given path(s)")
    try:
        found = survey(inputs.targets, searched=inputs.searched)
    except ValueError as error:
        from idemlint.knowledge.loader import KnowledgeError

        if isinstance(error, KnowledgeError):
            raise ConfigError(str(error)) from None
        raise
    for warning in found.warnings:
        console.warn(warning)
    return found.with_problems(inputs.errors)


def _tell_problems(problems: Iterable[Diagnostic], cwd: Path) -> bool:
    """Tell which files could not be read; returns whether all could."""
    is_read = True
    for found in problems:
        is_read = False
        path = found.path.relative_to(cwd) if found.path.is_relative_to(cwd) else found.path
        start = found.range.start
        cell = f":cell {found.cell}" if found.cell is not None else ""
        where = f"{path}{cell}:{start.row}:{start.column}"
        place = str(path) if found.code == "E902" else where
        print(f"error: {place}: {found.message}", file=sys.stderr)
    return is_read


def _show(inventory: Inventory, arguments: ToolsArguments, resolver: Resolver) -> None:
    shared = arguments.check.shared
    if shared.silent:
        return
    with _stream(arguments.output_file) as stream:
        is_color = arguments.output_file is None and has_color(shared.color, stream)
        report = InventoryReport(
            inventory=inventory,
            cwd=resolver.cwd,
            color=is_color,
            hyperlinks=is_color and has_hyperlinks(stream),
            quiet=shared.quiet,
        )
        inventory_renderer(arguments.output_format)(report, stream)


@contextlib.contextmanager
def _stream(name: str | None) -> Iterator[TextIO]:
    """The stream of the report; a file is written whole, and its folders are made."""
    if name is None:
        yield sys.stdout
        return
    text = io.StringIO()
    yield text
    path = Path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.getvalue(), encoding="utf-8", errors="replace", newline="")
    except (OSError, ValueError) as error:
        raise ConfigError(f"`{name}`: {os_error_text(error)}") from None


# the registry


def _write(registry: Registry, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            write_file(path, registry.text.encode(), tree=path.parent)
        else:
            path.write_bytes(registry.text.encode())
    except OSError as error:
        raise ConfigError(f"`{path}` was not written: {os_error_text(error)}") from None
    except WriteError as error:
        raise ConfigError(str(error)) from None


def _compare(
    known: Registry, inventory: Inventory, arguments: ToolsArguments, console: Console
) -> int:
    name = os.fspath(arguments.registry or "")
    now = Registry.of(inventory, Path(name))
    changes = known.changes(now)
    forbidden = [
        f"forbidden: {entry} is {facts['standing']}\n"
        for entry, facts in now.entries.items()
        if Standing(facts["standing"]) in arguments.fail_on
    ]
    if not changes:
        console.note(f"{name} is up to date ({_entries(inventory)}).")
    if (changes or forbidden) and not arguments.check.shared.silent:
        with _stream(arguments.output_file) as stream:
            emit(stream, "".join((*(f"{change}\n" for change in changes), *forbidden)))
        if changes:
            console.note(f"Review this, then run `idemlint tools --write {name}`.")
    return int(bool(changes or forbidden))

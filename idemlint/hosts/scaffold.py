"""`idemlint scaffold`: writes the module of an operation."""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path
from typing import Any

import click

from idemlint.fixes.writing import WriteError, write_file
from idemlint.hosts.command import Command
from idemlint.hosts.usage import Argument, FileName, OneOf, Option, UsageError
from idemlint.scaffold import OPERATIONS, STORES
from idemlint.scaffold.compose import module_text

__all__ = ["command"]

_USAGE = "[OPTIONS] <OPERATION>"


def _run(
    operation: str | None,
    store: str,
    is_async: bool,
    output_file: str | None,
    force: bool,
    **shared: Any,
) -> int:
    text = module_text(_known(operation), store, is_async=is_async)
    if output_file is None:
        click.echo(text, nl=False)
        return 0
    try:
        _write(Path(output_file), text.encode(), may_replace=force)
    except FileExistsError:
        print(f"error: `{output_file}` exists; `--force` overwrites it", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: `{output_file}` was not written: {error.strerror}", file=sys.stderr)
        return 2
    except WriteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _known(operation: str | None) -> str:
    if operation is None:
        message = "the following required arguments were not provided:\n  <OPERATION>"
        raise UsageError(message, click.get_current_context(), _USAGE)
    if operation not in OPERATIONS:
        raise UsageError(
            f"invalid value '{operation}' for '<OPERATION>'\n"
            f"  [possible values: {', '.join(OPERATIONS)}]"
        )
    return operation


def _operations(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in OPERATIONS if name.startswith(incomplete)]


def _write(path: Path, data: bytes, *, may_replace: bool) -> None:
    """Write the whole file or nothing; raises `FileExistsError` unless it may be replaced."""
    if may_replace and path.exists():
        write_file(path, data, tree=path.parent)
        return
    staged = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        staged.write_bytes(data)
        # A link, other than a rename, fails when somebody else has made the file by now.
        os.link(staged, path)
    finally:
        staged.unlink(missing_ok=True)


command = Command(
    name="scaffold",
    help="Write the module of an operation, for your own project",
    usage=_USAGE,
    callback=_run,
    params=[
        Argument(
            ["operation"],
            required=False,
            shell_complete=_operations,
            help=f"Operation to write: {', '.join(OPERATIONS)}",
        ),
        Option(
            ["--store"],
            metavar="STORE",
            type=OneOf(STORES),
            default=STORES[0],
            help="Where the module keeps its records [default: sqlite]",
        ),
        Option(["--async", "is_async"], is_flag=True, help="Write coroutines"),
        Option(
            ["-o", "--output-file"],
            metavar="OUTPUT_FILE",
            type=FileName(),
            help="Write the module to this file instead of `stdout`",
        ),
        Option(["--force"], is_flag=True, help="Overwrite the file if it exists"),
    ],
)

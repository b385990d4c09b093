"""`idemlint tools`: its options. What it does is in `idemlint.hosts.tools_run`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import click

from idemlint.hosts import check
from idemlint.hosts.check import CheckArguments
from idemlint.hosts.command import Command
from idemlint.hosts.console import GlobalOptions, global_values
from idemlint.hosts.usage import Argument, CommaList, FileName, OneOf, Option, UsageError
from idemlint.inventory import Standing
from idemlint.output import inventory_format_names

__all__ = ["ToolsArguments", "command"]

_FROM_CHECK = (
    "preview", "select", "ignore", "extend_select", "exclude", "extend_exclude", "respect_gitignore",
    "force_exclude", "extension", "target_version",
)  # fmt: skip
"""The options of `check` that mean the same here: what is looked at, and what counts as a finding."""
_GROUPS = tuple(standing.value for standing in Standing)
_TABLE = "table"


@dataclass(frozen=True, slots=True)
class ToolsArguments:
    """The arguments as they were given; `check` are those that say which files, and which rules."""

    output_format: str
    output_file: str | None
    fail_on: tuple[Standing, ...]
    write: str | None
    registry: str | None
    check: CheckArguments


@click.pass_context
def _run(ctx: click.Context, /, **given: Any) -> int:
    from idemlint.hosts.tools_run import run_tools

    return run_tools(_arguments_of(ctx))


def _arguments_of(ctx: click.Context) -> ToolsArguments:
    given = ctx.params
    shared = {field.name for field in fields(GlobalOptions)}
    absent = {
        field.name: False if field.type == "bool" else None
        for field in fields(CheckArguments)
        if field.name != "shared"
    }
    taken = {name: given[name] for name in ("files", *_FROM_CHECK)}
    assert not taken.keys() & shared
    return ToolsArguments(
        output_format=given["output_format"],
        output_file=given["output_file"],
        fail_on=given["fail_on"],
        write=given["write"],
        registry=given["registry"],
        check=CheckArguments(**{**absent, **taken}, shared=global_values(ctx)),
    )


def _standings(
    ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, ...], ...]
) -> tuple[Standing, ...]:
    found = []
    for name in (item.strip() for part in value for item in part):
        if name not in _GROUPS:
            raise UsageError(
                f"invalid value '{name}' for '--fail-on <STANDING>'\n"
                f"  [possible values: {', '.join(_GROUPS)}]",
                ctx,
            )
        found.append(Standing(name))
    return tuple(found)


command = Command(
    name="tools",
    help="List the tools, nodes and tasks, and what a repeat of each does",
    usage="[OPTIONS] [FILES]...",
    callback=_run,
    params=[
        Argument(
            ["files"],
            nargs=-1,
            type=FileName(),
            help="List of files or directories to look at [default: .]",
        ),
        Option(
            ["--output-format"],
            metavar="OUTPUT_FORMAT",
            type=OneOf(inventory_format_names()),
            default=_TABLE,
            help="Output format of the inventory [default: table]",
        ),
        Option(
            ["-o", "--output-file"],
            metavar="OUTPUT_FILE",
            type=FileName(),
            help="Specify file to write the inventory to (default: stdout)",
        ),
        Option(
            ["--fail-on"],
            metavar="STANDING",
            type=CommaList(),
            multiple=True,
            callback=_standings,
            help="Exit with status code 1 if an entry stands there, such as `unguarded`; several"
            f" are separated by commas: {', '.join(_GROUPS)}",
        ),
        Option(
            ["--write"],
            metavar="FILE",
            type=FileName(),
            conflicts=["--check"],
            heading="Registry",
            help="Write what is known of each entry to a file that is to be committed",
        ),
        Option(
            ["--check", "registry"],
            metavar="FILE",
            type=FileName(),
            heading="Registry",
            help="Compare with a file that `--write` has written, and exit with status code 1"
            " where something is new, gone or different",
        ),
        *(param for param in check.command.params if param.name in _FROM_CHECK),
    ],
)

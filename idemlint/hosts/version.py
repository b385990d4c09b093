"""`idemlint version`."""

from __future__ import annotations

import json
from typing import Any

import click

from idemlint import __version__
from idemlint.hosts.command import Command
from idemlint.hosts.usage import OneOf, Option

__all__ = ["command"]


def _run(output_format: str | None, **shared: Any) -> None:
    if output_format == "json":
        data = {"version": __version__, "commit_info": None}
        click.echo(json.dumps(data, indent=2), nl=False)
    else:
        click.echo(f"idemlint {__version__}")


command = Command(
    name="version",
    help="Display idemlint's version",
    callback=_run,
    params=[
        Option(
            ["--output-format"],
            metavar="OUTPUT_FORMAT",
            type=OneOf(("text", "json")),
            help="Output format [default: text]",
        ),
    ],
)

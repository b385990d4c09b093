"""`idemlint linter`: the families of rules."""

from __future__ import annotations

import json
from typing import Any

import click

from idemlint import catalogue
from idemlint.hosts.command import Command
from idemlint.hosts.usage import OneOf, Option

__all__ = ["FAMILIES", "command", "family_name"]

FAMILIES = {
    "IDM0": "Suppressions",
    "IDM1": "Keys",
    "IDM2": "Replay",
    "IDM3": "Dedup stores",
    "IDM4": "Tool contract",
    "IDM5": "Providers",
}
"""Prefixes of codes, and what the rules of each are about."""


def family_name(code: str) -> str:
    """The name of the family that a code belongs to; empty if there is none."""
    return next((name for prefix, name in FAMILIES.items() if code.startswith(prefix)), "")


def _run(output_format: str | None, **shared: Any) -> None:
    if output_format != "json":
        width = max(map(len, FAMILIES))
        for prefix, name in FAMILIES.items():
            click.echo(f"{prefix.rjust(width)} {name}")
        return
    first = next(iter(catalogue.rules().values()))
    folder = first.url.rpartition("/")[0]
    data = [{"prefix": prefix, "name": name, "url": folder} for prefix, name in FAMILIES.items()]
    click.echo(json.dumps(data, indent=2), nl=False)


command = Command(
    name="linter",
    help="List the families of rules",
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

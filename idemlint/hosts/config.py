"""`idemlint config`: the options of the configuration."""

from __future__ import annotations

import json
from typing import Any

import click

from idemlint.config.options import OPTIONS, SECTIONS, Option, options_of
from idemlint.hosts import completion, usage
from idemlint.hosts.command import Command

__all__ = ["command"]


def _run(option: str | None, output_format: str | None, **shared: Any) -> None:
    is_json = output_format == "json"
    found = next((entry for entry in OPTIONS if entry.key == option), None)
    if found is not None:
        text = json.dumps(_data(found), indent=2) if is_json else _text(found)
    elif option is None:
        text = _all_as_json() if is_json else _names("", list(SECTIONS))
    elif option in SECTIONS:
        text = _section_as_json(option) if is_json else _names(option, [])
    else:
        known = [*SECTIONS, *(entry.key for entry in OPTIONS)]
        raise usage.UsageError(
            f"invalid value '{option}' for '[OPTION]'{usage.similar('value', option, known)}"
        )
    click.echo(text)


def _names(section: str, more: list[str]) -> str:
    names = [
        f"{entry.name} (deprecated)" if entry.deprecated else entry.name
        for entry in options_of(section)
    ]
    return "\n".join([*names, *more]) or SECTIONS[section]


def _all_as_json() -> str:
    return json.dumps({entry.key: _data(entry) for entry in OPTIONS}, indent=2)


def _section_as_json(section: str) -> str:
    return json.dumps({entry.name: _data(entry) for entry in options_of(section)}, indent=2)


def _data(entry: Option) -> dict[str, Any]:
    deprecated = {"since": None, "message": entry.deprecated} if entry.deprecated else None
    return {
        "doc": entry.doc,
        "default": entry.default,
        "value_type": entry.type_name,
        "scope": None,
        "example": entry.example,
        "deprecated": deprecated,
    }


def _text(entry: Option) -> str:
    lines = [
        entry.doc,
        "",
        f"Default value: {entry.default}",
        f"Type: {entry.type_name}",
        *([f"Deprecated: {entry.deprecated}"] if entry.deprecated else []),
        "Example usage:",
        "```toml",
        f"[tool.idemlint.{entry.section}]" if entry.section else "[tool.idemlint]",
        entry.example,
        "```",
    ]
    return "\n".join(lines)


command = Command(
    name="config",
    help="List or describe the available configuration options",
    usage="[OPTIONS] [OPTION]",
    callback=_run,
    params=[
        usage.Argument(
            ["option"],
            required=False,
            shell_complete=completion.keys,
            help="Config key to show",
        ),
        usage.Option(
            ["--output-format"],
            metavar="OUTPUT_FORMAT",
            type=usage.OneOf(("text", "json")),
            help="Output format [default: text]",
        ),
    ],
)

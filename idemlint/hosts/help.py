"""Help texts in the layout of clap, grouped under headings."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, NamedTuple

import click

from idemlint.hosts.argument_check import IS_LONG_HELP
from idemlint.hosts.usage import Argument, OneOf, Option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["command_help", "group_help"]

_WIDEST = 100
_INDENT = 10
_BESIDE = 4
"""Room that a name takes on its line besides itself; where both are more than two fifths of the
line, texts that need more than the rest go below."""


class _Row(NamedTuple):
    """A name, its text, and notes such as the values that are possible."""

    name: str
    text: str
    notes: tuple[str, ...] = ()


def command_help(command: click.Command, ctx: click.Context) -> str:
    """The help of one command."""
    is_long = bool(ctx.meta.get(IS_LONG_HELP))
    usage = getattr(command, "usage", "[OPTIONS]")
    parts = [command.help or "", f"Usage: {ctx.command_path} {usage}"]
    arguments = [
        _Row(
            f"[{param.human_readable_name.upper()}]{'...' if param.nargs < 0 else ''}",
            param.help or "",
        )
        for param in command.params
        if isinstance(param, Argument)
    ]
    if arguments:
        parts.append(_section("Arguments", arguments, is_long=is_long))
    parts += _option_sections(command, ctx, is_long=is_long)
    return "\n\n".join(parts)


def group_help(group: click.Group, ctx: click.Context, commands: Mapping[str, str]) -> str:
    """The help of the program; `commands` have their texts with them."""
    width = max(map(len, commands))
    listed = "\n".join(f"  {name.ljust(width)}  {text}" for name, text in commands.items())
    return "\n\n".join(
        [
            group.help or "",
            f"Usage: {ctx.command_path} [OPTIONS] <COMMAND>",
            f"Commands:\n{listed}",
            *_option_sections(group, ctx, is_long=bool(ctx.meta.get(IS_LONG_HELP))),
            f"For help with a specific command, see: `{ctx.command_path} help <command>`.",
        ]
    )


def _option_sections(command: click.Command, ctx: click.Context, *, is_long: bool) -> list[str]:
    sections: dict[str, list[_Row]] = {"Options": []}
    helps: list[_Row] = []
    for param in command.get_params(ctx):
        if not isinstance(param, click.Option) or param.hidden:
            continue
        if isinstance(param, Option):
            rows = sections.setdefault(param.heading, [])
            rows.append(_Row(_names(param), param.help or "", tuple(_notes(param))))
        elif "--help" in param.opts:
            more = "see a summary with '-h'" if is_long else "see more with '--help'"
            helps.append(_Row(_names(param), f"Print help ({more})"))
    # The program has its version behind the help, a command its help behind all else.
    own = sections["Options"]
    sections["Options"] = [*helps, *own] if isinstance(command, click.Group) else [*own, *helps]
    return [_section(heading, rows, is_long=is_long) for heading, rows in sections.items() if rows]


def _names(param: click.Option) -> str:
    short = next((name for name in param.opts if not name.startswith("--")), "")
    long = next((name for name in param.opts if name.startswith("--")), "")
    before = f"{short}, " if short and long else short or "    "
    return before + (param.label(long) if isinstance(param, Option) else long)


def _notes(param: Option) -> Iterator[str]:
    if param.envvar:
        yield f"[env: {param.envvar}=]"
    if isinstance(param.type, OneOf):
        yield f"[possible values: {', '.join(param.type.choices)}]"


def _section(heading: str, rows: Iterable[_Row], *, is_long: bool) -> str:
    rows = list(rows)
    width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    longest = max(len(row.name) for row in rows)
    texts = [" ".join([row.text, *row.notes]) for row in rows]
    if is_long:
        entries = [f"  {row.name}\n{_spread(row, width)}" for row in rows]
        return f"{heading}:\n" + "\n\n".join(entries)
    room = width - longest - _BESIDE
    if (longest + _BESIDE) / width > 0.4 and any(len(text) > room for text in texts):
        entries = [
            f"  {row.name}\n{_wrapped(text, _INDENT, width)}"
            for row, text in zip(rows, texts, strict=True)
        ]
    else:
        entries = [
            f"  {row.name.ljust(longest)}  {_wrapped(text, longest + 4, width).lstrip()}"
            for row, text in zip(rows, texts, strict=True)
        ]
    return f"{heading}:\n" + "\n".join(entries)


def _spread(row: _Row, width: int) -> str:
    """The text, and below it its notes, each on lines of its own."""
    parts = [_wrapped(row.text, _INDENT, width)]
    if row.notes:
        notes = "\n".join(_wrapped(note, _INDENT, width) for note in row.notes)
        parts.append(notes)
    return f"\n{' ' * _INDENT}\n".join(parts)


def _wrapped(text: str, indent: int, width: int) -> str:
    blank = " " * indent
    return textwrap.fill(
        text,
        max(width, indent + 20),
        initial_indent=blank,
        subsequent_indent=blank,
        break_on_hyphens=False,
        break_long_words=False,
    )

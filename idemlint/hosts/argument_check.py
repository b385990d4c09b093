"""A look at the arguments before click parses them, for what click lets pass.

Repeated flags, flags that exclude each other, values given to flags: Ruff's parser refuses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from idemlint.hosts.usage import Argument, OneOf, Option, UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["IS_LONG_HELP", "checked_arguments"]

IS_LONG_HELP = "idemlint.is_long_help"
"""Key of `click.Context.meta`: whether the help was asked for by its long name."""


@dataclass(frozen=True, slots=True)
class _Use:
    """An option as it was used: its name as typed, and the value that came with it."""

    option: Option
    name: str
    value: str | None


def checked_arguments(command: click.Command, ctx: click.Context, args: list[str]) -> list[str]:
    """Refuse what clap refuses; returns the arguments in the form in which click takes them."""
    ctx.meta[IS_LONG_HELP] = "--help" in args
    uses: list[_Use] = []
    others: list[str] = []
    arguments: list[str] = []
    for item in _read(command, ctx, args):
        if isinstance(item, _Use):
            uses.append(item)
            arguments += _spelled(item)
        else:
            others.append(item)
            arguments.append(item)
    _refuse_repeated(command, ctx, uses)
    _refuse_conflicts(ctx, uses, bool(others))
    _refuse_incomplete(command, ctx, uses)
    _refuse_superfluous(command, ctx, [other for other in others if not other.startswith("-")])
    return arguments


def _spelled(use: _Use) -> list[str]:
    if use.option.optional_value:
        return [f"{use.name}={use.value or ''}"]
    return [use.name] if use.value is None else [use.name, use.value]


def _read(command: click.Command, ctx: click.Context, args: Sequence[str]) -> Iterator[_Use | str]:
    options = {
        name: param
        for param in command.get_params(ctx)
        if isinstance(param, click.Option)
        for name in (*param.opts, *param.secondary_opts)
    }
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            yield from (arg, *rest)
            return
        if arg == "-" or not arg.startswith("-"):
            yield arg
            if isinstance(command, click.Group):
                # What follows belongs to the subcommand.
                yield from rest
                return
            continue
        name, value = _split(arg)
        option = options.get(name)
        if option is None:
            raise _unexpected(command, ctx, name, options)
        if option.is_eager:
            # Help and version are given at once, whatever else is wrong.
            yield arg
            return
        if isinstance(option, Option):
            yield from _used(ctx, option, name, value, rest)
        else:
            yield arg


def _split(arg: str) -> tuple[str, str | None]:
    """The name of an option, and the value that is written together with it."""
    if not arg.startswith("--"):
        return arg[:2], arg[2:].removeprefix("=") or None
    name, sign, value = arg.partition("=")
    return name, value if sign else None


def _used(
    ctx: click.Context, option: Option, name: str, value: str | None, rest: list[str]
) -> Iterator[_Use]:
    is_short = not name.startswith("--")
    if option.takes_value:
        if value is None and (not rest or (rest[0].startswith("-") and rest[0] != "-")):
            raise UsageError(_missing_value(option), ctx)
        yield _Use(option, name, rest.pop(0) if value is None else value)
    elif is_short and value is not None:
        # Short flags in one: `-qn` is `-q -n`.
        rest.insert(0, f"-{value}")
        yield _Use(option, name, None)
    elif value is not None and not option.optional_value:
        message = f"unexpected value '{value}' for '{name}' found; no more were expected"
        raise UsageError(message, ctx, " ".join([name, *_files(ctx)]))
    else:
        yield _Use(option, name, value)


def _missing_value(option: Option) -> str:
    label = option.label(option.long_name)
    possible = f"\n  {option.type.possible}" if isinstance(option.type, OneOf) else ""
    return f"a value is required for '{label}' but none was supplied{possible}"


def _unexpected(
    command: click.Command, ctx: click.Context, name: str, options: dict[str, click.Option]
) -> UsageError:
    message = f"unexpected argument '{name}' found"
    visible = [known for known, option in options.items() if not option.hidden]
    near = nearest(name, visible)
    usage = getattr(command, "usage", "[OPTIONS]")
    if near:
        message += f"\n\n  tip: a similar argument exists: '{near}'"
        option = options[near]
        label = option.label(near) if isinstance(option, Option) else near
        usage = " ".join([label, *_files(ctx)])
    elif any(isinstance(param, Argument) for param in command.params):
        message += f"\n\n  tip: to pass '{name}' as a value, use '-- {name}'"
    return UsageError(message, ctx, usage)


def _refuse_repeated(command: click.Command, ctx: click.Context, uses: Iterable[_Use]) -> None:
    seen: set[str] = set()
    for use in uses:
        name = use.name if use.name.startswith("--") else use.option.long_name
        if name in seen and not use.option.multiple:
            message = f"the argument '{use.option.label(name)}' cannot be used multiple times"
            raise UsageError(message, ctx, getattr(command, "usage", "[OPTIONS]"))
        # Of a pair such as `--fix` and `--no-fix` the later one takes the place of the earlier.
        seen -= {*use.option.opts, *use.option.secondary_opts}
        seen.add(name)


def _refuse_conflicts(ctx: click.Context, uses: Sequence[_Use], has_files: bool) -> None:
    used = {use.option.long_name: use.option for use in uses if use.name in use.option.opts}
    for name, option in used.items():
        others = {
            other_name: other.label(other_name)
            for other_name, other in used.items()
            if other_name in option.conflicts or name in other.conflicts
        }
        if others:
            told = "".join(f"\n  {label}" for label in others.values())
            told = f":{told}" if len(others) > 1 else f" '{next(iter(others.values()))}'"
            message = f"the argument '{option.label(name)}' cannot be used with{told}"
            kept = [entry.label(label) for label, entry in used.items() if label not in others]
            raise UsageError(message, ctx, " ".join([*kept, *_files(ctx, has_files)]))


def _refuse_incomplete(command: click.Command, ctx: click.Context, uses: Sequence[_Use]) -> None:
    used = {use.option.long_name for use in uses}
    options = {param.long_name: param for param in command.params if isinstance(param, Option)}
    for use in uses:
        missing = [options[name].label(name) for name in use.option.requires if name not in used]
        if missing:
            told = "".join(f"\n  {label}" for label in missing)
            usage = " ".join([*missing, use.option.label(use.option.long_name), *_files(ctx)])
            message = f"the following required arguments were not provided:{told}"
            raise UsageError(message, ctx, usage)


def _refuse_superfluous(command: click.Command, ctx: click.Context, values: list[str]) -> None:
    sizes = [param.nargs for param in command.params if isinstance(param, click.Argument)]
    if isinstance(command, click.Group) or -1 in sizes or len(values) <= sum(sizes):
        return
    message = f"unexpected argument '{values[sum(sizes)]}' found"
    raise UsageError(message, ctx, getattr(command, "usage", "[OPTIONS]"))


def _files(ctx: click.Context, has_files: bool = False) -> list[str]:
    if isinstance(ctx.command, click.Group):
        return ["<COMMAND>"]
    names = [
        param.human_readable_name.upper()
        for param in ctx.command.params
        if isinstance(param, Argument)
    ]
    return [f"<{name}>..." if has_files else f"[{name}]..." for name in names]

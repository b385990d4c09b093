"""Options, values and mistakes of the command line, in the words that Ruff's users know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    _WordType = click.ParamType[str]
    _ListType = click.ParamType[tuple[str, ...]]
else:
    # Older versions of click know no type arguments.
    _WordType = _ListType = click.ParamType

__all__ = [
    "Argument",
    "CommaList",
    "FileName",
    "OneOf",
    "Option",
    "UsageError",
    "nearest",
    "similar",
]


class UsageError(click.UsageError):
    """A mistake on the command line; `usage` is what follows the command's name in the usage line.

    Without `usage` that line is left out.
    """

    def __init__(self, message: str, ctx: click.Context | None = None, usage: str = "") -> None:
        super().__init__(message, ctx)
        self.usage = usage

    def format_message(self) -> str:
        """The whole text for standard error."""
        parts = [f"error: {self.message}"]
        if self.usage and self.ctx is not None:
            parts.append(f"Usage: {self.ctx.command_path} {self.usage}")
        parts.append("For more information, try '--help'.")
        return "\n\n".join(parts)


class Option(click.Option):
    """An option with its heading in the help, and the flags that it cannot be used with or without.

    With `optional_value` a value can be given after `=`, and nowhere else.
    """

    def __init__(
        self,
        *args: Any,
        heading: str = "Options",
        conflicts: Sequence[str] = (),
        requires: Sequence[str] = (),
        optional_value: bool = False,
        **kwargs: Any,
    ) -> None:
        self.heading = heading
        self.conflicts = tuple(conflicts)
        self.requires = tuple(requires)
        self.optional_value = optional_value
        super().__init__(*args, **kwargs)

    @property
    def takes_value(self) -> bool:
        """Whether the next argument belongs to it."""
        return not (self.is_flag or self.count or self.optional_value)

    def label(self, name: str) -> str:
        """The option as messages name it, such as `--config <CONFIG_OPTION>`."""
        if self.optional_value:
            return f"{name}[=<{self.metavar}>]"
        return f"{name} <{self.metavar}>" if self.takes_value else name

    @property
    def long_name(self) -> str:
        """Its first long form, or what it has instead."""
        return next((name for name in self.opts if name.startswith("--")), self.opts[0])


class Argument(click.Argument):
    """A positional argument with a text for the help."""

    def __init__(self, *args: Any, help: str = "", **kwargs: Any) -> None:  # noqa: A002
        super().__init__(*args, **kwargs)
        # Newer versions of click have this attribute, too.
        self.help: str | None = help


class OneOf(_WordType):
    """One of some words, in exactly that spelling."""

    name = "choice"

    def __init__(self, choices: Iterable[str]) -> None:
        self.choices = tuple(choices)

    @property
    def possible(self) -> str:
        """The words, for messages."""
        return f"[possible values: {', '.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """`value`, or a usage error that lists what is possible."""
        if value in self.choices:
            return str(value)
        label = param.label(param.long_name) if isinstance(param, Option) else f"[{param}]"
        message = f"invalid value '{value}' for '{label}'\n  {self.possible}"
        raise UsageError(message + similar("value", str(value), self.choices), ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """The words that go on from what is typed."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.choices if word.startswith(incomplete)]


class CommaList(_ListType):
    """A list written `A,B`; empty items and blanks are kept, as they are mistakes to report."""

    name = "list"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The items."""
        return value if isinstance(value, tuple) else tuple(str(value).split(","))


class FileName(click.Path):
    """A path, completed by the shell and not looked at before the run."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path as it is."""
        return str(value)


def similar(noun: str, name: str, known: Sequence[str]) -> str:
    """A tip that names what was probably meant; empty if nothing comes close."""
    near = nearest(name, known)
    return f"\n\n  tip: a similar {noun} exists: '{near}'" if near else ""


def nearest(name: str, known: Sequence[str]) -> str:
    """The word that was probably meant; empty if nothing comes close."""
    from difflib import get_close_matches

    prefixed = [word for word in known if word.startswith(name)] if len(name) > 3 else []
    near = prefixed or get_close_matches(name, known, n=1, cutoff=0.75)
    return near[0] if near else ""

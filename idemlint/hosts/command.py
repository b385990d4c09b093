"""Commands with the options that all share, strict flags and grouped help."""

from __future__ import annotations

from typing import Any

import click

from idemlint.hosts.argument_check import checked_arguments
from idemlint.hosts.usage import Argument, FileName, OneOf, Option

__all__ = ["Command", "global_options"]

_VERBOSITY = ("--verbose", "--quiet", "--silent")


def global_options() -> list[click.Parameter]:
    """The options that every command has."""
    others = {name: [other for other in _VERBOSITY if other != name] for name in _VERBOSITY}
    log: dict[str, Any] = {"is_flag": True, "heading": "Log levels"}
    return [
        Option(
            ["-v", "--verbose"],
            help="Enable verbose logging",
            conflicts=others["--verbose"],
            **log,
        ),
        Option(
            ["-q", "--quiet"],
            help="Print diagnostics, but nothing else",
            conflicts=others["--quiet"],
            **log,
        ),
        Option(
            ["-s", "--silent"],
            help=(
                'Disable all logging (but still exit with status code "1" upon detecting'
                " diagnostics)"
            ),
            conflicts=others["--silent"],
            **log,
        ),
        Option(
            ["--config"],
            metavar="CONFIG_OPTION",
            type=FileName(),
            multiple=True,
            heading="Global options",
            help=(
                "Either a path to a TOML configuration file (`pyproject.toml` or `idemlint.toml`),"
                " or a TOML `<KEY> = <VALUE>` pair (such as you might find in an `idemlint.toml`"
                " configuration file) overriding a specific configuration option (e.g.,"
                " `--config \"lint.select = ['IDM1']\"`). Overrides of individual settings using"
                " this option always take precedence over all configuration files, including"
                " configuration files that were also specified using `--config`"
            ),
        ),
        Option(
            ["--isolated"],
            is_flag=True,
            heading="Global options",
            help="Ignore all configuration files",
        ),
        Option(
            ["--color"],
            metavar="WHEN",
            type=OneOf(("auto", "always", "never")),
            heading="Global options",
            help="Control when colored output is used",
        ),
    ]


class Command(click.Command):
    """A command with the global options, strict flags and grouped help."""

    def __init__(self, *args: Any, usage: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*args, **kwargs)
        self.params = [*self.params, *global_options()]
        self.usage = usage or self._default_usage()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, once the arguments are known to be used as they should."""
        if not ctx.resilient_parsing:
            args = checked_arguments(self, ctx, args)
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The help, spread out unless only `-h` was asked for."""
        from idemlint.hosts.help import command_help

        return command_help(self, ctx)

    def _default_usage(self) -> str:
        names = [param.human_readable_name for param in self.params if isinstance(param, Argument)]
        return " ".join(["[OPTIONS]", *(f"[{name.upper()}]" for name in names)])

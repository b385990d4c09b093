"""The program as click knows it: its subcommands, each imported when it is called."""

from __future__ import annotations

import importlib

import click

from idemlint import __version__
from idemlint.hosts import completion
from idemlint.hosts.argument_check import IS_LONG_HELP, checked_arguments
from idemlint.hosts.command import global_options
from idemlint.hosts.usage import Option, UsageError, similar

__all__ = ["COMMANDS", "NAME", "program"]

COMMANDS = {
    "check": "Run idemlint on the given files or directories",
    "tools": "List the tools, nodes and tasks, and what a repeat of each does",
    "rule": "Explain a rule (or all rules)",
    "config": "List or describe the available configuration options",
    "linter": "List the families of rules",
    "scaffold": "Write the module of an operation, for your own project",
    "server": "Run the language server",
    "clean": "Clear any caches in the current directory and any subdirectories",
    "version": "Display idemlint's version",
}
"""Subcommands and what the help says of them: `name` is `command` of `idemlint.hosts.name`."""

NAME = "idemlint"
_HELP = "Print this message or the help of the given subcommand(s)"


class _Group(click.Group):
    """The program. A subcommand's module is imported only when it is called."""

    usage = "[OPTIONS] <COMMAND>"

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return _HIDDEN.get(cmd_name)
        module = importlib.import_module(f"idemlint.hosts.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(self.get_help(ctx), err=True)
            ctx.exit(2)
        if not ctx.resilient_parsing:
            args = checked_arguments(self, ctx, args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            raise _unrecognized(ctx, args[0])
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        from idemlint.hosts.help import group_help

        return group_help(self, ctx, {**COMMANDS, "help": _HELP})


def _unrecognized(ctx: click.Context, name: str) -> UsageError:
    message = f"unrecognized subcommand '{name}'{similar('subcommand', name, list(COMMANDS))}"
    return UsageError(message, ctx, "[OPTIONS] <COMMAND>")


def _print_version(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        click.echo(f"{NAME} {__version__}")
        ctx.exit()


@click.command(name="help")
@click.argument("names", nargs=-1, shell_complete=completion.commands)
@click.pass_context
def _help(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Print the help of the program or of a subcommand."""
    group = ctx.parent
    if group is None or not isinstance(group.command, click.Group):
        return
    if not names:
        click.echo(group.get_help())
        return
    command = group.command.get_command(group, names[0])
    if command is None:
        raise _unrecognized(group, names[0])
    group.meta[IS_LONG_HELP] = True
    click.echo(command.get_help(click.Context(command, parent=group, info_name=names[0])))


@click.command(name="generate-shell-completion")
@click.argument("shell", required=False, shell_complete=completion.shells)
@click.pass_context
def _completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that completes the command line in a shell."""
    from click.shell_completion import get_completion_class

    if shell is None:
        message = "the following required arguments were not provided:\n  <SHELL>"
        raise UsageError(message, ctx, "<SHELL>")
    found = get_completion_class(shell) if shell in completion.SHELLS else None
    if found is None:
        raise UsageError(
            f"invalid value '{shell}' for '<SHELL>'\n"
            f"  [possible values: {', '.join(completion.SHELLS)}]"
        )
    click.echo(found(program, {}, NAME, f"_{NAME.upper()}_COMPLETE").source())


_HIDDEN = {"help": _help, "generate-shell-completion": _completion}

program = _Group(
    name=NAME,
    help="idemlint: finds where a retried call repeats its effect, and fixes it.",
    no_args_is_help=False,
    params=[
        Option(
            ["-V", "--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_print_version,
            help="Print version",
        ),
        *global_options(),
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)

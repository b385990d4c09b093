"""What the shell offers for arguments that are names of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

__all__ = ["SHELLS", "commands", "keys", "rules", "selectors", "shells"]

SHELLS = ("bash", "fish", "zsh")


def rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Codes and names of rules."""
    from idemlint import catalogue

    known = catalogue.rules()
    return _beginning([*known, *(rule.name for rule in known.values())], incomplete)


def selectors(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """What selects rules, behind the last comma: families first, then codes."""
    from idemlint import catalogue

    before, comma, last = incomplete.rpartition(",")
    codes = list(catalogue.rules())
    known = dict.fromkeys(["ALL", "IDM", *(code[:4] for code in codes), *codes])
    return [f"{before}{comma}{word}" for word in _beginning(known, last)]


def keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Keys and sections of the configuration."""
    from idemlint.config.options import OPTIONS, SECTIONS

    return _beginning([*SECTIONS, *(option.key for option in OPTIONS)], incomplete)


def commands(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Subcommands."""
    from idemlint.hosts.program import COMMANDS

    return _beginning(COMMANDS, incomplete)


def shells(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Shells that there is a script for."""
    return _beginning(SHELLS, incomplete)


def _beginning(words: Iterable[str], start: str) -> list[str]:
    return [word for word in words if word.startswith(start)]

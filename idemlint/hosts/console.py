"""Where a command writes, how much it says, and in which colours."""

from __future__ import annotations

import datetime
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from idemlint.output.styles import EMPHASIS, styled

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

__all__ = ["Console", "GlobalOptions", "global_values", "has_color", "has_hyperlinks"]

_LINKING_PROGRAMS = {"Hyper", "iTerm.app", "terminology", "WezTerm", "vscode", "ghostty"}
_LINKING_TERMS = {"xterm-kitty", "alacritty", "alacritty-direct", "xterm-ghostty"}
_LINKING_MARKS = ("DOMTERM", "WT_SESSION", "KONSOLE_VERSION")
_FIRST_LINKING_VTE = 5000


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options that every command has, those before the subcommand included."""

    verbose: bool = False
    quiet: bool = False
    silent: bool = False
    config: tuple[str, ...] = ()
    isolated: bool = False
    color: str | None = None


def global_values(ctx: click.Context) -> GlobalOptions:
    """The global options of a command; of two that exclude each other the inner one wins."""
    inner, outer = ctx.params, ctx.parent.params if ctx.parent else {}
    source = inner if inner["verbose"] or inner["quiet"] or inner["silent"] else outer
    return GlobalOptions(
        verbose=bool(source.get("verbose")),
        quiet=bool(source.get("quiet")),
        silent=bool(source.get("silent")),
        config=(*outer.get("config", ()), *inner["config"]),
        isolated=bool(inner["isolated"] or outer.get("isolated")),
        color=inner["color"] or outer.get("color"),
    )


@dataclass(slots=True)
class Console:
    """Standard error, for all that is no result. Each warning is told once."""

    options: GlobalOptions = field(default_factory=GlobalOptions)
    _told: set[str] = field(default_factory=set)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing but results is wanted."""
        return self.options.quiet or self.options.silent

    def warn(self, text: str) -> None:
        """Tell of something that does not stop the run."""
        if not self.is_quiet:
            self._tell("warning", "\x1b[1;33m", text)

    def error(self, text: str) -> None:
        """Tell of something that went wrong, even where little is wanted."""
        self._tell("error", "\x1b[1;31m", text)

    def _tell(self, sign: str, style: str, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            color = has_color(self.options.color, sys.stderr)
            colon, told = (styled(part, EMPHASIS, color=color) for part in (":", text))
            print(f"{styled(sign, style, color=color)}{colon} {told}", file=sys.stderr)

    def note(self, text: str) -> None:
        """Tell what was done."""
        if not self.is_quiet:
            print(text, file=sys.stderr)

    def debug(self, part: str, text: str) -> None:
        """Tell a detail, with the time and the part of the program that it is about."""
        if self.options.verbose:
            now = datetime.datetime.now().astimezone()
            stamp = f"[{now:%Y-%m-%d}][{now:%H:%M:%S}]"
            print(f"{stamp}[idemlint::{part}][DEBUG] {text}", file=sys.stderr)


def has_color(asked: str | None, stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to write colours.

    `--color` decides, then `NO_COLOR`, then the variables that force them, then the stream.
    """
    if asked in {"always", "never"}:
        return asked == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE"):
        return True
    return stream.isatty() and environ.get("TERM") != "dumb"


def has_hyperlinks(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal is known to show links."""
    forced = environ.get("FORCE_HYPERLINK")
    if forced is not None:
        return forced not in {"", "0"}
    if not stream.isatty():
        return False
    version = environ.get("VTE_VERSION", "")
    return (
        any(mark in environ for mark in _LINKING_MARKS)
        or (version.isdigit() and int(version) >= _FIRST_LINKING_VTE)
        or environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or environ.get("TERM") in _LINKING_TERMS
        or environ.get("COLORTERM") == "xfce4-terminal"
    )

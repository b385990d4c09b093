"""Arguments from files: `@name` stands for the lines of that file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["expanded_arguments"]


def expanded_arguments(args: Sequence[str]) -> list[str]:
    """The arguments, with `@file` replaced by the lines of that file, each file once."""
    found: list[str] = []
    rest = list(args)
    files: list[str] = []
    while rest:
        arg = rest.pop(0)
        if not arg.startswith("@") or arg == "@":
            found.append(arg)
        elif arg not in files:
            files.append(arg)
            rest = _lines_of(arg[1:]) + rest
    return found


def _lines_of(name: str) -> list[str]:
    try:
        return Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        from idemlint.config.loading import os_error_text

        raise ConfigError(
            "Failed to read CLI arguments from files",
            f"failed to open file `{name}`: {os_error_text(error)}",
        ) from None

"""The command `idemlint`: runs the program, and turns what goes wrong into a message and a code."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from idemlint import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from idemlint.config.errors import ConfigError

__all__ = ["main", "run"]

_ISSUES = "https://github.com/idemlint/idemlint/issues"


def main() -> None:
    """Run the command of `sys.argv`, and end the process."""
    code = run(sys.argv[1:])
    if sys.gettrace() or sys.getprofile():
        sys.exit(code)
    # all memory goes at once: objects are not freed one by one
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run(args: Sequence[str]) -> int:
    """Run a command; returns its exit code.

    0: nothing found; 1: findings are left, or a fix was made with `--exit-non-zero-on-fix`; 2: the
    arguments or the configuration cannot be used, or idemlint itself failed.
    """
    if list(args) in (["--version"], ["-V"]):
        # Editors ask for this at each start: it is answered before anything is imported.
        print(f"idemlint {__version__}")
        return 0
    import click

    from idemlint.config.errors import ConfigError
    from idemlint.hosts.program import NAME, program
    from idemlint.hosts.response_files import expanded_arguments

    try:
        code = program.main(expanded_arguments(args), prog_name=NAME, standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _fail(_usage_message(error))
    except ConfigError as error:
        return _fail(_config_message(error, args))
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        # The reader went away. Python would complain once more when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(f"idemlint failed\n  Cause: {error.strerror or error}")
    except Exception as error:
        if not {"-v", "--verbose"}.isdisjoint(args):
            sys.excepthook(type(error), error, error.__traceback__)
        return _fail(_crash_message(error))
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


def _usage_message(error: click.ClickException) -> str:
    from idemlint.hosts.usage import UsageError

    if isinstance(error, UsageError):
        return error.format_message()
    return f"error: {error.format_message()}\n\nFor more information, try '--help'."


def _config_message(error: ConfigError, args: Sequence[str]) -> str:
    from idemlint.hosts.console import has_color
    from idemlint.output.styles import EMPHASIS, styled

    # the error may have come before the options were read
    words = " ".join(args).replace("--color=", "--color ").split()
    asked = words[words.index("--color") + 1 :][:1] if "--color" in words else []
    if not has_color(asked[0] if asked else None, sys.stderr):
        return str(error)
    head = styled("idemlint failed", "\x1b[1;31m", color=True)
    sign = styled("Cause:", EMPHASIS, color=True)
    return "\n".join([head, *(f"  {sign} {cause}" for cause in error.causes)])


def _crash_message(error: Exception) -> str:
    told = " ".join(str(error).split())
    return (
        f"error: idemlint crashed: {type(error).__name__}: {told} (this is a fault of idemlint; "
        f"`--verbose` shows where, please report it at {_ISSUES})"
    )

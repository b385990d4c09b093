"""`--watch`: checks again whenever a file changes."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.config.errors import ConfigError
from idemlint.config.loading import CONFIG_NAMES
from idemlint.config.settings import CACHE_FOLDER
from idemlint.hosts.inputs import is_stdin
from idemlint.output.format_full import render
from idemlint.output.summary import watching

if TYPE_CHECKING:
    from idemlint.hosts.check_run import CheckRun

__all__ = ["concerns", "watch"]

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
_SUFFIXES = (".py", ".pyi", ".ipynb")
_PATIENCE_MS = 100


def watch(run: CheckRun) -> int:
    """Check at once and after each change, until the process is stopped.

    Findings are always shown in full. Raises `ConfigError` where there is nothing to watch, or
    nothing to watch with.
    """
    folders = [Path(name) for name in run.arguments.files] or [Path()]
    if is_stdin(run.arguments) or not all(folder.exists() for folder in folders):
        raise ConfigError("No path was found.")
    try:
        from watchfiles import watch as changes_of
    except ImportError:
        reason = "`--watch` needs the package `watchfiles`: run `pip install watchfiles`"
        raise ConfigError(reason) from None

    def is_of_interest(_: object, path: str) -> bool:
        return concerns(run, Path(path))

    is_started = False
    # It gives a sign of life before anything has changed: from then on no change is missed.
    for changes in changes_of(
        *folders,
        watch_filter=is_of_interest,
        rust_timeout=_PATIENCE_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
    ):
        if not is_started:
            is_started = True
            _check(run, "Starting linter in watch mode...")
        elif changes:
            if any(Path(path).name in CONFIG_NAMES for _, path in changes):
                run = run.restarted()
            _check(run, "File change detected...")
    return 0


def concerns(run: CheckRun, path: Path) -> bool:
    """Whether a change of this file may change findings."""
    if CACHE_FOLDER in path.parts:
        return False
    extensions = tuple(f".{extension}" for extension, _ in run.settings.extension)
    return path.name in CONFIG_NAMES or path.name.endswith((*_SUFFIXES, *extensions))


def _check(run: CheckRun, occasion: str) -> None:
    _say(f"{_CLEAR}{_stamp()} {occasion}\n")
    inputs = run.inputs()
    outcome = run.outcome(inputs)
    report = run.output_report(inputs, outcome, sys.stdout, is_quiet=True)
    _say(f"{_stamp()} {watching(len(outcome.diagnostics))}\n")
    render(report, sys.stdout)
    sys.stdout.flush()


def _stamp() -> str:
    return f"[{datetime.datetime.now().astimezone():%H:%M:%S %p}]"


def _say(text: str) -> None:
    print(text, flush=True)

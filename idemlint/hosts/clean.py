"""`idemlint clean`: removes the caches below the working directory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from idemlint.config.settings import CACHE_FOLDER
from idemlint.hosts.command import Command
from idemlint.hosts.console import Console, global_values

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["caches_below", "command"]


def caches_below(top: Path) -> Iterator[Path]:
    """All cache folders in a directory and below it; links are not followed."""
    for folder, names, _ in os.walk(top):
        if CACHE_FOLDER in names:
            names.remove(CACHE_FOLDER)
            cache = Path(folder, CACHE_FOLDER)
            if not cache.is_symlink():
                yield cache


def _run(**shared: Any) -> None:
    console = Console(global_values(click.get_current_context()))
    here = Path()
    for cache in caches_below(here):
        console.note(f"Removing cache at: {cache}")
        shutil.rmtree(cache, ignore_errors=True)


command = Command(
    name="clean",
    help="Clear any caches in the current directory and any subdirectories",
    callback=_run,
)

"""The folders in which results are kept: made before a run, removed by `idemlint clean`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from idemlint import __version__
from idemlint.config.errors import ConfigError
from idemlint.config.loading import os_error_text

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["prepare_cache"]

_FILES = {
    ".gitignore": "# Automatically created by idemlint.\n*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55",
}


def prepare_cache(folder: Path) -> None:
    """Make a cache folder, kept from git and from backups; raises `ConfigError` if that fails."""
    try:
        (folder / __version__).mkdir(parents=True, exist_ok=True)
        for name, text in _FILES.items():
            if not (folder / name).exists():
                (folder / name).write_text(text, encoding="utf-8")
        if not os.access(folder / __version__, os.W_OK):
            raise ConfigError(f"Failed to initialize cache at {folder}", "it cannot be written")
    except OSError as error:
        reason = os_error_text(error)
        raise ConfigError(f"Failed to initialize cache at {folder}", reason) from None

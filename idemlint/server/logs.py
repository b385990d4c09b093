"""Where the server writes what it has to say: a file, or standard error."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

__all__ = ["set_up_logs"]

_LEVELS = {
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": 5,
}
_LIBRARIES = ("pygls", "asyncio")
_FORMAT = "[%(asctime)s][%(name)s][%(levelname)s] %(message)s"


def set_up_logs(level: str | None, file: str | None) -> None:
    """Log from `level` on, by default `info`, into `file`; `~` and variables count in its name."""
    root = logging.getLogger()
    for handler in root.handlers[:]:
        root.removeHandler(handler)
    number = _LEVELS[level or "info"]
    handler, trouble = _handler(file)
    handler.setFormatter(logging.Formatter(_FORMAT))
    root.addHandler(handler)
    root.setLevel(number)
    # What the library tells of each message is for those who asked for everything.
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(number if number < logging.DEBUG else logging.CRITICAL)
    if trouble:
        logging.getLogger(__name__).error("%s", trouble)


def _handler(file: str | None) -> tuple[logging.Handler, str]:
    if file:
        path = Path(os.path.expandvars(file)).expanduser()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return logging.FileHandler(path, encoding="utf-8"), ""
        except OSError as error:
            trouble = f"The log file {path} cannot be written: {error.strerror}"
            return logging.StreamHandler(sys.stderr), trouble
    return logging.StreamHandler(sys.stderr), ""

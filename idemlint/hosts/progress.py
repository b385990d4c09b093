"""A bar on a terminal while a run takes long."""

from __future__ import annotations

import mmap
import shutil
import struct
import time
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ProgressBar"]

_PATIENCE = 1.0
"""Seconds of a run before the bar appears."""
_PAUSE = 0.1
"""Seconds from one picture to the next."""
_WIDEST = 40
_BESIDE = 20
"""Columns for the words before and behind the bar."""
_CLEAR = "\r\x1b[2K"
_STATE = struct.Struct("dQ?")


class _State(NamedTuple):
    """When the next picture is due, how many bytes are checked, and whether there is a picture."""

    next_time: float
    done: int
    is_shown: bool


class ProgressBar:
    """Shows how far the run has come; `clear` it before anything else is written.

    What it knows is shared with the processes that are forked from this one.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._memory = mmap.mmap(-1, _STATE.size)
        self._keep(_State(clock() + _PATIENCE, 0, is_shown=False))

    def __call__(self, more: int, total: int) -> None:
        """Take note that `more` bytes are checked, of `total` in all."""
        now = self._clock()
        state = _State(*_STATE.unpack(self._memory))
        # two processes at once may lose a step: it is for the eye
        state = state._replace(done=state.done + more)
        if now >= state.next_time:
            state = state._replace(next_time=now + _PAUSE, is_shown=True)
            self._write(_picture(state.done / max(total, 1)))
        self._keep(state)

    def clear(self) -> None:
        """Leave the line as it was."""
        state = _State(*_STATE.unpack(self._memory))
        if state.is_shown:
            self._keep(state._replace(is_shown=False))
            self._write(_CLEAR)

    def _keep(self, state: _State) -> None:
        self._memory[:] = _STATE.pack(*state)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _picture(share: float) -> str:
    width = min(shutil.get_terminal_size().columns - _BESIDE, _WIDEST)
    filled = int(min(share, 1) * width)
    bar = "#" * filled + "-" * (width - filled)
    return f"{_CLEAR}Checking {bar} {share:4.0%}"

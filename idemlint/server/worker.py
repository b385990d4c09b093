"""One thread that does the work, so that messages are read meanwhile.

Some of the work can be broken off when something more urgent comes: a project can have files that
take seconds, and a keystroke must not wait for them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import ctypes
import queue
import threading
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["InterruptedWork", "Worker"]

Result = TypeVar("Result")


class InterruptedWork(BaseException):
    """Work was broken off; no error, and so not for those who handle errors."""


class Worker:
    """Runs functions one after the other. The thread ends with the process."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._can_break = False
        self._is_asked = False
        self._is_asking = False
        self._thread = threading.Thread(target=self._work, name="idemlint", daemon=True)
        self._thread.start()

    def breakable(self, work: Callable[[], Result]) -> Result:
        """Run on the thread what `interrupt` may break off: then `InterruptedWork` is raised.

        The exception can arrive at any step, and does at most once for each call; none is left
        when the call is over. There is no lock, as it could be left closed.
        """
        try:
            self._is_asked, self._can_break = False, True
            return work()
        finally:
            try:
                self._close()
            except InterruptedWork:
                # came while closing; there is no second one
                self._close()
                raise

    def _close(self) -> None:
        """Let nothing be raised from here on, not even what has been asked for."""
        self._can_break = False
        while self._is_asking:
            time.sleep(0.0005)
        self._raise(None)

    def interrupt(self) -> None:
        """Break off the work on the thread, if it can be; from one other thread only."""
        # told before it is asked: the thread that closes waits for what is under way
        self._is_asking = True
        try:
            if self._can_break and not self._is_asked:
                self._is_asked = True
                self._raise(InterruptedWork)
        finally:
            self._is_asking = False

    def _raise(self, error: type[BaseException] | None) -> None:
        """Have the thread raise an exception at its next step, or forget the one it was to raise."""
        raised = None if error is None else ctypes.py_object(error)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident or 0), raised)

    def _work(self) -> None:
        while True:
            self._jobs.get()()

    def submit(self, work: Callable[[], Result]) -> concurrent.futures.Future[Result]:
        """Run a function when its turn comes; one that was cancelled before is not run."""
        future: concurrent.futures.Future[Result] = concurrent.futures.Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._jobs.put(run)
        return future

    async def run(self, work: Callable[[], Result]) -> Result:
        """Wait for what a function gives."""
        return await asyncio.wrap_future(self.submit(work))

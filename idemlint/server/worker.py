"""One thread that does the work, so that messages are read meanwhile.

Some of the work can be broken off when something more urgent comes: a project can have files that
take seconds, and a keystroke must not wait for them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import ctypes
import queue
import threading
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["InterruptedWork", "Worker"]

Result = TypeVar("Result")


class InterruptedWork(BaseException):
    """Work was broken off; no error, and so not for those who handle errors."""


class Worker:
    """Runs functions one after the other. The thread ends with the process."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._can_break = False
        self._is_broken = False
        self._thread = threading.Thread(target=self._work, name="idemlint", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def breakable(self) -> Iterator[None]:
        """Work on the thread that `interrupt` may break off with `InterruptedWork`.

        There is no lock: it could be left closed, as the exception can arrive at any step.
        """
        self._is_broken, self._can_break = False, True
        try:
            yield
            self._can_break = False
            self._await_interrupt()
        except InterruptedWork:
            self._can_break = False
            raise
        except BaseException:
            self._can_break = False
            with contextlib.suppress(InterruptedWork):
                self._await_interrupt()
            raise

    def _await_interrupt(self) -> None:
        """Let an exception arrive here that is on its way."""
        while self._is_broken:
            time.sleep(0.001)

    def interrupt(self) -> None:
        """Break off the work on the thread, if it can be."""
        if self._is_broken:
            return
        # told first, so that the thread waits for what comes, then asked
        self._is_broken = True
        if not self._can_break:
            self._is_broken = False
            return
        identifier = ctypes.c_ulong(self._thread.ident or 0)
        raised = ctypes.py_object(InterruptedWork)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identifier, raised)

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

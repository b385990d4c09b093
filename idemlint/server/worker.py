"""One thread that does the work, so that messages are read meanwhile."""

from __future__ import annotations

import asyncio
import concurrent.futures
import queue
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Worker"]

Result = TypeVar("Result")


class Worker:
    """Runs functions one after the other. The thread ends with the process."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="idemlint", daemon=True).start()

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

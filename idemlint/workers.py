"""Work in parallel processes."""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["can_fork", "in_parallel", "worker_count"]

Share = TypeVar("Share")
Result = TypeVar("Result")

_MAX_WORKERS = 8


def worker_count() -> int:
    """How many processes are worth starting on this machine."""
    try:
        available = len(os.sched_getaffinity(0))
    except AttributeError:
        available = os.cpu_count() or 1
    return min(available, _MAX_WORKERS)


def can_fork() -> bool:
    """Whether a copy of this process can be made safely: on Linux, without other threads."""
    return sys.platform == "linux" and threading.active_count() == 1


def in_parallel(
    work: Callable[[Share], Result], shares: Sequence[Share], processes: int | None = None
) -> list[Result]:
    """`work` of each share, in order: the first one here, each other one in a forked process.

    Where there are more shares than `processes`, all are done in forked processes, so many at a
    time: each ends with its memory. Shares are inherited, results are pickled. What `work` raises in
    another process is raised here as `RuntimeError` with its text. Without `can_fork()` all shares
    are done here.
    """
    if len(shares) < 2 or not can_fork():
        return [work(share) for share in shares]
    gc.collect()
    gc.freeze()
    try:
        if processes is not None and len(shares) > processes:
            return _by_turns(work, shares, processes)
        children = [_Child(work, share) for share in shares[1:]]
        first = work(shares[0])
        return [first, *(child.result() for child in children)]
    finally:
        gc.unfreeze()


def _by_turns(
    work: Callable[[Share], Result], shares: Sequence[Share], processes: int
) -> list[Result]:
    waiting = list(enumerate(shares))[::-1]
    results: dict[int, Result] = {}
    with selectors.DefaultSelector() as selector:
        while waiting or selector.get_map():
            while waiting and len(selector.get_map()) < processes:
                number, share = waiting.pop()
                child = _Child(work, share)
                selector.register(child.reading, selectors.EVENT_READ, (number, child))
            for key, _ in selector.select():
                number, child = key.data
                selector.unregister(child.reading)
                results[number] = child.result()
    return [results[number] for number in range(len(shares))]


class _Child:
    """A forked process that sends one result."""

    def __init__(self, work: Callable[[Share], Result], share: Share) -> None:
        reading, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(reading)
            self._run(work, share, writing)
        os.close(writing)
        self.reading = reading

    def _run(self, work: Callable[[Share], Result], share: Share, writing: int) -> None:
        status = 1
        try:
            try:
                answer: tuple[bool, object] = (True, work(share))
            except BaseException as error:
                answer = (False, f"{type(error).__name__}: {error}")
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(answer, pipe, pickle.HIGHEST_PROTOCOL)
            status = 0
        finally:
            # no handlers, no buffers: they are the parent's
            os._exit(status)

    def result(self) -> Result:  # type: ignore[type-var]
        """What the process sent."""
        try:
            with os.fdopen(self.reading, "rb") as pipe:
                is_done, answer = pickle.load(pipe)
        except EOFError:
            is_done, answer = False, "a worker process ended early"
        os.waitpid(self._process, 0)
        if not is_done:
            raise RuntimeError(answer)
        return answer  # type: ignore[no-any-return]

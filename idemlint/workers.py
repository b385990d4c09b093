"""Work in parallel processes."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import selectors
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["can_fork", "in_parallel", "in_turns", "peak_memory", "worker_count"]

Item = TypeVar("Item")
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


def peak_memory() -> int | None:
    """The most memory that this process has had, in bytes; `None` where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def in_parallel(work: Callable[[Share], Result], shares: Sequence[Share]) -> list[Result]:
    """`work` of each share, in order: the first one here, each other one in a forked process.

    Shares are inherited, results are pickled. What `work` raises in another process is raised here
    as `RuntimeError` with its text. Without `can_fork()` all shares are done here.
    """
    if len(shares) < 2 or not can_fork():
        return [work(share) for share in shares]
    with _forking():
        children = [_Child(work, share) for share in shares[1:]]
        first = work(shares[0])
        return [first, *(child.result() for child in children)]


def in_turns(
    work: Callable[[list[Item]], tuple[Result, list[Item]]],
    shares: Sequence[list[Item]],
    processes: int,
) -> list[Result]:
    """What `work` gives, in order: it does the first items of a share and gives back the rest.

    A share is done in a forked process, so many of them at a time, and its rest in another one: each
    ends with its memory. What `work` raises is raised here as by `in_parallel`. All is done here
    without `can_fork()`, and with one process.
    """
    if processes < 2 or not can_fork():
        results = []
        for share in shares:
            rest = share
            while rest:
                result, rest = work(rest)
                results.append(result)
        return results
    # the number of a share, and those of its parts: what sorts all as the items were
    waiting = [((number,), share) for number, share in enumerate(shares) if share][::-1]
    done: dict[tuple[int, ...], Result] = {}
    with _forking(), selectors.DefaultSelector() as selector:
        while waiting or selector.get_map():
            while waiting and len(selector.get_map()) < processes:
                number, share = waiting.pop()
                child = _Child(work, share)
                selector.register(child.reading, selectors.EVENT_READ, (number, child))
            for key, _ in selector.select():
                number, child = key.data
                selector.unregister(child.reading)
                done[number], rest = child.result()
                # nobody has to wait for the last one
                half = len(rest) if waiting else (len(rest) + 1) // 2
                parts = enumerate((rest[:half], rest[half:]))
                waiting += [((*number, n), part) for n, part in parts if part][::-1]
    return [done[number] for number in sorted(done)]


@contextlib.contextmanager
def _forking() -> Iterator[None]:
    """What there is now is left alone by the collectors of the forked processes."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


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

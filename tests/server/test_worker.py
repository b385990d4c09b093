"""Work in a thread that can be broken off."""

from __future__ import annotations

import contextlib
import random
import sys
import threading
import time

import pytest

from idemlint.server.worker import InterruptedWork, Worker


def busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_jobs_run_in_order_and_errors_come_back() -> None:
    worker = Worker()
    done: list[int] = []
    futures = [worker.submit(lambda number=number: done.append(number)) for number in range(5)]
    for future in futures:
        future.result(5)
    assert done == [0, 1, 2, 3, 4]
    with pytest.raises(ZeroDivisionError):
        worker.submit(lambda: 1 / 0).result(5)


def test_work_is_broken_off_only_where_it_may_be() -> None:
    worker = Worker()
    started = threading.Event()

    def work(is_breakable: bool) -> str:
        started.set()
        if not is_breakable:
            busy(0.2)
            return "done"
        worker.breakable(lambda: busy(20))
        return "done"

    future = worker.submit(lambda: work(False))
    started.wait(5)
    worker.interrupt()
    assert future.result(5) == "done"
    started.clear()
    future = worker.submit(lambda: work(True))
    started.wait(5)
    time.sleep(0.05)
    worker.interrupt()
    with pytest.raises(InterruptedWork):
        future.result(5)
    assert worker.submit(lambda: "alive").result(5) == "alive"


@pytest.mark.parametrize("longest", [0.0005, 0.0])
def test_interrupts_at_any_moment_reach_nothing_else(longest: float) -> None:
    """Also where the thread has just entered, or is about to leave."""
    worker = Worker()
    chance = random.Random(1)
    outside: list[BaseException] = []

    def work() -> None:
        for _ in range(100):
            with contextlib.suppress(InterruptedWork):
                worker.breakable(lambda: busy(chance.random() * longest))
            try:
                busy(chance.random() * longest)
            except BaseException as error:
                outside.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(20):
            future = worker.submit(work)
            until = time.monotonic() + 20
            while not future.done() and time.monotonic() < until:
                worker.interrupt()
                time.sleep(chance.random() * longest)
            future.result(5)
    finally:
        sys.setswitchinterval(interval)
    assert outside == []

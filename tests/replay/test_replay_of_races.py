"""Two threads that look into a store at the same time."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sqlite3
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import servers
from conftest import together

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from conftest import Program, Replay


class Gate:
    """Lets two threads write when both have looked, or when one of them does not come."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(2)

    def wait(self, statement: str, *options: object) -> None:
        """Wait before a statement that writes."""
        if statement.startswith(("INSERT", "SET")):
            with contextlib.suppress(threading.BrokenBarrierError):
                self._barrier.wait(1)


def test_both_guests_get_the_seat(replay: Replay, tmp_path: Path) -> None:
    path = tmp_path / "seats.sqlite3"
    answers: list[str] = []

    def drive(module: ModuleType, intent: str) -> None:
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE seats (seat TEXT, guest TEXT)")
            if "ON CONFLICT (seat)" in inspect.getsource(module):
                # the message of the fix says that it needs this
                db.execute("CREATE UNIQUE INDEX one_guest_a_seat ON seats (seat)")
        gate = Gate()

        def connect(*given: Any, **options: Any) -> sqlite3.Connection:
            db = sqlite3.connect(*given, **options)
            db.set_trace_callback(gate.wait)
            return db

        module.sqlite3 = SimpleNamespace(connect=connect)
        guests = [functools.partial(module.reserve, path, intent, name) for name in ("Ann", "Bob")]
        together(*(functools.partial(lambda guest: answers.append(guest()), g) for g in guests))

    def reserved(program: Program) -> int:
        return answers.count("reserved")

    replay.prove("IDM301", "seat_taken_twice", drive, framework="threads", effects=reserved)


def test_both_workers_send_the_message(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("redis", reason="redis is not installed")

    def drive(module: ModuleType, intent: str) -> None:
        gate, execute = Gate(), module.store.execute_command

        def execute_command(*given: Any, **options: Any) -> Any:
            gate.wait(*given)
            return execute(*given, **options)

        module.store.execute_command = execute_command
        together(*[functools.partial(module.send, intent)] * 2)
        module.store.execute_command = execute
        module.store.flushall()

    monkeypatch.setenv("REDIS_URL", servers.empty_redis())
    replay.prove("IDM301", "claim_in_redis", drive, framework="redis")

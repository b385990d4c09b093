"""Processes that share keys and are killed at random places: never two effects for one key."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Writer, Written

WORKER = Path(__file__).with_name("crashing_worker.py")
PROCESSES = 8
EVERYTHING = "IDEMLINT_FULL_TORTURE"
AGREED = timedelta(0)
"""How old a call must be to be reconciled: all processes have ended by then."""


@dataclass
class Log:
    """What the processes wrote down, by key."""

    effects: dict[str, list[str]] = field(default_factory=dict)
    answers: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Log:
        log = cls()
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, key, *token = line.split()
            if kind == "effect":
                log.effects.setdefault(key, []).append(*token)
            elif kind == "answer":
                log.answers.setdefault(key, set()).add(*token)
        return log


@dataclass
class Torture:
    """Runs the workers to their end, and kills them on the way."""

    written: Written
    folder: Path
    keys: int
    parent_kills: int
    deaths_each: int
    death: float
    killed: int = 0
    random: random.Random = field(default_factory=lambda: random.Random(7))

    def run(self) -> Log:
        workers = {number: self._start(number, 0) for number in range(PROCESSES)}
        starts: Counter[int] = Counter(workers.keys())
        log = self.folder / "log"
        while workers:
            time.sleep(self.random.random() * 0.05)
            if self.parent_kills and self.random.random() < 0.3:
                self.parent_kills -= 1
                self.random.choice(list(workers.values())).kill()
            for number, worker in list(workers.items()):
                if worker.poll() is None:
                    continue
                if worker.returncode == 0:
                    del workers[number]
                    continue
                assert worker.returncode == -9, worker.communicate()[1]
                self.killed += 1
                workers[number] = self._start(number, starts[number])
                starts[number] += 1
        return Log.read(log)

    def _start(self, number: int, start: int) -> subprocess.Popen[str]:
        settings = {
            "keys": self.keys,
            "is_async": self.written.is_async,
            "seed": number * 1000 + start,
            "progress": str(self.folder / f"progress{number}"),
            "death": self.death if start < self.deaths_each else 0,
        }
        command = [sys.executable, WORKER, self.written.path, self.folder / "log"]
        return subprocess.Popen([*command, json.dumps(settings)], stderr=subprocess.PIPE, text=True)


def is_in_doubt(written: Written, key: str) -> bool:
    """Whether the call of the key has not ended; a key that was never called fails the test."""
    try:
        written.act(key, {"key": key}, lambda: pytest.fail(f"{key} was not called before"))
    except written.module.InDoubtError:
        return True
    return False


def settle(written: Written, log: Log) -> set[str]:
    """Reconcile with what really happened; returns the keys that were asked about."""
    asked = set()
    module = written.module

    def find(entry: Any) -> list[str]:
        asked.add(entry.key)
        return log.effects.get(entry.key, [])

    def look_up(entry: Any) -> Any:
        found = find(entry)
        return module.Done(found[0]) if found else module.Verdict.NOT_DONE

    def undo(token: str) -> None:
        pytest.fail(f"{token} was one too many")

    steps = (find, undo) if written.operation == "OP-5" else (look_up,)
    assert written.reconcile(*steps, older_than=AGREED) == []
    return asked


def hold(written: Written, folder: Path, keys: int, kills: int, deaths: int, death: float) -> int:
    """Torture the module, and check all that it promises; returns how many processes were killed.

    Each process kills itself up to `deaths` times, at a line with the probability `death`; `kills`
    come from outside, at any time.
    """
    torture = Torture(written, folder, keys, kills, deaths, death)
    log = torture.run()
    assert max(Counter(map(len, log.effects.values()))) == 1
    for key, tokens in log.answers.items():
        assert tokens == set(log.effects[key]), "an answer is what the one effect returned"
    names = [f"key{number}" for number in range(keys)]
    stuck = {key for key in names if is_in_doubt(written, key)}
    assert stuck & log.effects.keys(), "a process was killed behind its effect"
    assert stuck - log.effects.keys(), "a process was killed before its effect"
    assert stuck.isdisjoint(log.answers), "an answered call has ended"
    assert settle(written, log) == stuck, "the reconciliation sees each key that is stuck"
    made: dict[str, str] = {}
    for key in names:
        value = written.act(key, {"key": key}, lambda key=key: made.setdefault(key, "made now"))
        assert log.effects.get(key, ["made now"]) == [value]
    assert not made.keys() & log.effects.keys()
    print(f"{torture.killed} killed, {len(stuck)} of {keys} keys were stuck")
    return torture.killed


def test_no_key_acts_twice_and_none_is_lost(
    writer: Writer, store: str, is_async: bool, tmp_path: Path
) -> None:
    written = writer.module("OP-2", store, is_async=is_async)
    assert hold(written, tmp_path, keys=30, kills=3, deaths=1, death=1 / 300) >= PROCESSES // 2


@pytest.mark.parametrize(
    ("operation", "is_async"), [("OP-5", False), ("OP-7", True), ("OP-8", False), ("OP-8", True)]
)
def test_the_other_operations_hold_as_well(
    writer: Writer, operation: str, is_async: bool, tmp_path: Path
) -> None:
    written = writer.module(operation, is_async=is_async)
    assert hold(written, tmp_path, keys=30, kills=3, deaths=1, death=1 / 300) >= PROCESSES // 2


def test_eight_processes_with_two_hundred_keys(
    writer: Writer, store: str, is_async: bool, tmp_path: Path
) -> None:
    if (store, is_async) != ("sqlite", False) and not os.environ.get(EVERYTHING):
        pytest.skip(f"takes half a minute a form, and is run with {EVERYTHING}=1")
    written = writer.module("OP-2", store, is_async=is_async)
    killed = hold(written, tmp_path, keys=200, kills=20, deaths=8, death=1 / 1000)
    assert killed >= 2 * PROCESSES


def test_a_claim_that_is_not_atomic_does_not_hold(writer: Writer, tmp_path: Path) -> None:
    written = writer.module("OP-2")
    broken = written.path.read_text(encoding="utf-8").replace(
        "(operation, tool, key) DO NOTHING",
        "(operation, tool, key) DO UPDATE SET claim = excluded.claim",
    )
    written.path.write_text(broken, encoding="utf-8")
    with pytest.raises(AssertionError):
        hold(written, tmp_path, keys=10, kills=0, deaths=0, death=0)

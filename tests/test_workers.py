"""Work that several processes share: each item once, whatever a process leaves to the next one."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from idemlint import linter, workers
from idemlint.config.discovery import Resolver
from idemlint.linter import Target, check

FIXTURES = Path(__file__).parent.parent / "fixtures"


def _two_at_once(items: list[int]) -> tuple[tuple[int, list[int]], list[int]]:
    return (os.getpid(), items[:2]), items[2:]


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_the_rest_of_a_share_is_done_too_and_all_is_in_order(processes: int) -> None:
    shares = [list(range(7)), [], list(range(7, 8)), list(range(8, 20))]
    done = workers.in_turns(_two_at_once, shares, processes)
    assert [item for _, items in done for item in items] == list(range(20))


@pytest.mark.parametrize("forks", [True, False])
def test_each_turn_is_a_process_of_its_own_where_there_is_fork(
    monkeypatch: pytest.MonkeyPatch, forks: bool
) -> None:
    monkeypatch.setattr(workers, "can_fork", lambda: forks and hasattr(os, "fork"))
    pids = [pid for pid, _ in workers.in_turns(_two_at_once, [[1, 2, 3], [4, 5, 6]], 2)]
    here = not workers.can_fork()
    assert len(pids) >= 4
    assert (set(pids) == {os.getpid()}) is here
    assert (len(set(pids)) == len(pids) and os.getpid() not in pids) is not here


@pytest.mark.parametrize("forks", [True, False])
def test_the_rest_of_the_last_share_is_halved_if_another_process_can_help(
    monkeypatch: pytest.MonkeyPatch, forks: bool
) -> None:
    def one_of_nine(items: list[int]) -> tuple[list[int], list[int]]:
        return (items[:1], items[1:]) if len(items) == 9 else (items, [])

    monkeypatch.setattr(workers, "can_fork", lambda: forks and hasattr(os, "fork"))
    taken = workers.in_turns(one_of_nine, [list(range(9))], 2)
    halves = [[1, 2, 3, 4], [5, 6, 7, 8]] if workers.can_fork() else [[1, 2, 3, 4, 5, 6, 7, 8]]
    assert taken == [[0], *halves]


@pytest.mark.parametrize("forks", [True, False])
def test_a_fault_in_a_process_is_raised_here(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    def fail(items: list[int]) -> tuple[None, list[int]]:
        raise ValueError(items)

    monkeypatch.setattr(workers, "can_fork", lambda: forks and hasattr(os, "fork"))
    raised, text = (RuntimeError, "ValueError: [1]") if workers.can_fork() else (ValueError, "[1]")
    with pytest.raises(raised, match=re.escape(text)):
        workers.in_turns(fail, [[1], [2]], 2)


@pytest.mark.parametrize("knows_memory", [True, False])
def test_findings_do_not_hang_on_the_room_that_a_process_has(
    monkeypatch: pytest.MonkeyPatch, knows_memory: bool
) -> None:
    files = sorted(FIXTURES.glob("IDM[12]0[12]/**/*.py"))
    settings = Resolver(FIXTURES).root
    targets = [Target(str(path), settings) for path in files]
    whole = check(targets, cache=False)
    assert len(whole.diagnostics) > 20
    if not knows_memory:
        monkeypatch.setattr(linter, "peak_memory", lambda: None)
    monkeypatch.setattr(linter, "_LITTLE_CODE", 0)
    monkeypatch.setattr(linter, "_MUCH_MEMORY", 0)
    monkeypatch.setattr(linter, "_MUCH_CODE", 1)
    assert check(targets, cache=False) == whole

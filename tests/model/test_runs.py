"""What functions can come to do, asked in any order."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from idemlint.analysis import Analysis
from idemlint.knowledge.facts import Knowledge
from idemlint.knowledge.signals import Signals
from idemlint.model.runs import Reach
from idemlint.model.selection import Selection
from idemlint.source.gate import Gate

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.model.program import Function
    from idemlint.model.runs import Runs

_CYCLE = """
import requests

def settle(account): return settle_again(account) or book(account)
def settle_again(account): return settle(account)
def book(account): return requests.post("https://bank.example.com/bookings", json={"a": account})

def count(rows): return count_rest(rows) + 1
def count_rest(rows): return count(rows) if rows else 0
"""


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge()


def analysed(knowledge: Knowledge, folder: Path) -> tuple[Runs, list[Function]]:
    """What is asked about the program, and its functions."""
    file = folder / "bank.py"
    file.write_text(_CYCLE)
    signals = Signals(knowledge)
    gate = Gate(signals.texts, signals.makers, signals.companions, signals.writing)
    selection = Selection(signals, {str(file): gate.look(file.read_bytes())})
    analysis = Analysis(knowledge, signals, selection.names())
    module = analysis.program.module(file)
    assert module is not None
    return analysis.model.runs, list(module.functions())


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_functions_that_call_each_other_are_judged_alike_in_any_order(
    order: tuple[int, ...], knowledge: Knowledge, tmp_path: Path
) -> None:
    runs, functions = analysed(knowledge, tmp_path)
    order = (*order, 3, 4)
    runs.reach(functions[order[0]], 4)
    for depth in (2, 4):
        found = {functions[number].name: runs.reach(functions[number], depth) for number in order}
        assert found == {
            "settle": Reach.SURE,
            "settle_again": Reach.SURE,
            "book": Reach.SURE,
            "count": Reach.NOTHING,
            "count_rest": Reach.NOTHING,
        }


def test_a_question_that_was_broken_off_can_be_asked_again(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, functions = analysed(knowledge, tmp_path)

    def broken_off(event: object, function: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs, "is_worthwhile", broken_off)
        with pytest.raises(KeyboardInterrupt):
            runs.reach(functions[0])
    assert runs.reach(functions[0]) is Reach.SURE

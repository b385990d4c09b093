"""A queue that delivers an event again to a process that was started anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import CRASHED

if TYPE_CHECKING:
    from conftest import Program, Replay

pytest.importorskip("requests", reason="requests is not installed")


def test_a_restart_forgets(replay: Replay) -> None:
    def drive(program: Program, intent: str) -> None:
        assert [program.run(intent), program.run(intent)] == [0, 0]

    replay.prove(
        "IDM302", "handler_that_forgets", drive,
        framework="processes", in_process=False, scaffold="OP-2",
    )  # fmt: skip


def test_a_crash_before_the_record_forgets(replay: Replay) -> None:
    def drive(program: Program, intent: str) -> None:
        assert program.run(intent, "die") == CRASHED
        try:
            program.run(intent)
        except AssertionError as error:
            # the fixed one was begun and has no end: it says so, and does not act
            assert "InDoubtError" in str(error)

    replay.prove(
        "IDM303", "handler_that_records_late", drive,
        framework="processes", in_process=False, scaffold="OP-2",
    )  # fmt: skip

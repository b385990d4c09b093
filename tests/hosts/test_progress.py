"""The bar of a long run: after a while, on a terminal, and gone before anything else is written."""

from __future__ import annotations

import io
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from marked import ROOT

from idemlint.hosts import cli, progress
from idemlint.hosts.progress import ProgressBar
from idemlint.linter import Target, check

if TYPE_CHECKING:
    from pathlib import Path

CLEARED = "\r\x1b[2K"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_waits_and_is_drawn_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    screen, clock = Screen(), Clock()
    bar = ProgressBar(screen, clock)
    bar(1, 8)
    bar.clear()
    assert screen.getvalue() == ""
    clock.now = 1.5
    bar(1, 8)
    bar(2, 8)
    assert screen.getvalue() == f"{CLEARED}Checking ##--------  25%"
    clock.now = 2.0
    bar(4, 8)
    assert screen.getvalue().endswith(f"{CLEARED}Checking ########## 100%")
    bar.clear()
    bar.clear()
    assert screen.getvalue().endswith(f"100%{CLEARED}")


def test_nothing_to_do_is_no_division_by_zero() -> None:
    screen, clock = Screen(), Clock()
    bar = ProgressBar(screen, clock)
    clock.now = 2.0
    bar(0, 0)
    assert "  0%" in screen.getvalue()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_processes_count_together() -> None:
    screen, clock = Screen(), Clock()
    bar = ProgressBar(screen, clock)
    bar(1, 4)
    clock.now = 2.0
    child = os.fork()
    if child == 0:
        bar(2, 4)
        os._exit("75%" in screen.getvalue())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    # the picture of the other process is taken away
    bar.clear()
    assert screen.getvalue() == CLEARED


def test_a_run_tells_how_far_it_is(tmp_path: Path) -> None:
    from idemlint.config.discovery import Resolver

    shutil.copytree(ROOT / "examples" / "refund_desk", tmp_path, dirs_exist_ok=True)
    settings = Resolver(tmp_path).root
    paths = sorted(tmp_path.glob("*.py"))
    told: list[tuple[int, int]] = []
    check(
        [Target(str(path), settings) for path in paths],
        cache=False,
        progress=lambda more, total: told.append((more, total)),
    )
    sizes = [path.stat().st_size for path in paths]
    assert told == [(size, sum(sizes)) for size in sizes]


@pytest.mark.parametrize(
    ("flags", "term", "is_terminal", "is_shown"),
    [
        ([], "xterm", True, True),
        ([], "xterm", False, False),
        ([], "dumb", True, False),
        (["-q"], "xterm", True, False),
        (["-s"], "xterm", True, False),
        (["-v"], "xterm", True, False),
    ],
)
def test_it_is_for_terminals_alone(
    flags: list[str],
    term: str,
    is_terminal: bool,
    is_shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    # a file, because forked processes draw as well
    written = tmp_path / "screen"
    screen = (Terminal if is_terminal else io.TextIOWrapper)(written.open("wb"))
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setenv("TERM", term)
    shared = ["--isolated", "--no-cache", "-o", str(tmp_path / "out")]
    assert cli.run(["check", *shared, *flags, str(ROOT / "examples")]) == 1
    screen.close()
    shown = written.read_bytes().decode()
    assert ("Checking" in shown) is is_shown
    if is_shown:
        assert shown.endswith(CLEARED)

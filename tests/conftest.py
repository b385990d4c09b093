"""The option with which reviewed output is written anew, and the table of the replays."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADINGS = ("rule", "framework", "program", "before", "after")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="write the .out files of the fixtures anew; read every change before it is committed",
    )


@pytest.fixture(autouse=True)
def garbage_is_collected() -> Iterator[None]:
    """The commands switch the collector off, as their process ends with them; that of tests goes on."""
    yield
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how often each program acted for one intent, before and after its fixes."""
    rows = [
        tuple(map(str, json.loads(value)))
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == "replay"
    ]
    if not rows:
        return
    table = [_HEADINGS, *sorted(rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEADINGS))]
    terminalreporter.section("effects of one intent that is replayed")
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line("  ".join(cells).rstrip())

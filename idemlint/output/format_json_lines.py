"""The objects of `json`, one a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from idemlint.output.format_json import as_json
from idemlint.output.report import emit

if TYPE_CHECKING:
    from typing import TextIO

    from idemlint.output.report import OutputReport

__all__ = ["render"]


def render(report: OutputReport, stream: TextIO) -> None:
    """Write one line a finding, without spaces."""
    for diagnostic in report.diagnostics if report.show_diagnostics else ():
        line = json.dumps(as_json(report, diagnostic), ensure_ascii=False, separators=(",", ":"))
        emit(stream, f"{line}\n")

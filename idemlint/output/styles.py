"""The colours of Ruff's reports, as escape sequences of a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.diagnostic import Severity

if TYPE_CHECKING:
    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport

__all__ = [
    "ADDED",
    "CODE",
    "CYAN",
    "EMPHASIS",
    "ERROR",
    "GUTTER",
    "HELP",
    "NOTE",
    "PASSED",
    "REMOVED",
    "SIGN_ADDED",
    "SIGN_REMOVED",
    "UNDERLINED",
    "WARNING",
    "code_style",
    "linked_code",
    "styled",
]

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_RED = "\x1b[31m"
_GREEN = "\x1b[32m"
_YELLOW = "\x1b[33m"

EMPHASIS = _BOLD
ERROR = f"{_BOLD}\x1b[91m"
WARNING = f"{_BOLD}{_YELLOW}"
HELP = f"{_BOLD}\x1b[96m"
NOTE = WARNING
GUTTER = f"{_BOLD}\x1b[94m"
ADDED = _GREEN
REMOVED = _RED
SIGN_ADDED = f"{_BOLD}{_GREEN}"
SIGN_REMOVED = f"{_BOLD}{_RED}"
CYAN = "\x1b[36m"
UNDERLINED = "\x1b[4m"
PASSED = "\x1b[1;32m"
CODE = {Severity.ERROR: f"{_BOLD}{_RED}", Severity.WARNING: WARNING}


def styled(text: str, style: str, *, color: bool) -> str:
    """`text` in `style`, as it is where `color` is off or there is no text."""
    return f"{style}{text}{_RESET}" if color and style and text else text


def code_style(severity: Severity) -> str:
    """The style of a code above a frame and of what is underlined in the frame."""
    return ERROR if severity is Severity.ERROR else WARNING


def linked_code(report: OutputReport, diagnostic: Diagnostic, style: str) -> str:
    """The code of `diagnostic`, a link to its page where the terminal knows links."""
    text = diagnostic.code
    if report.color and report.hyperlinks and diagnostic.url:
        text = f"\x1b]8;;{diagnostic.url}\x1b\\{text}\x1b]8;;\x1b\\"
    return styled(text, style, color=report.color)

"""The words that several formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability

if TYPE_CHECKING:
    from idemlint.diagnostic import Diagnostic

__all__ = ["APPLICABILITY", "advice", "fix_title", "shown_code"]

APPLICABILITY = {
    Applicability.DISPLAY: "displayonly",
    Applicability.UNSAFE: "unsafe",
    Applicability.SAFE: "safe",
}
"""Ruff's names of the applicabilities."""


def shown_code(diagnostic: Diagnostic, code: str = "") -> str:
    """The code before a message; what is no code of a rule but a name ends with a colon.

    `code` is the code with its style, where it has one.
    """
    colon = ":" if diagnostic.code == "invalid-syntax" else ""
    return f"{code or diagnostic.code}{colon}"


def advice(diagnostic: Diagnostic) -> str:
    """The suggestion, with its operation and the reason for it in brackets; empty if there is none.

    A suggestion without an operation that its fix repeats word for word is left to `fix_title`.
    """
    suggestion, operation, reason = diagnostic.suggestion, diagnostic.operation, diagnostic.reason
    if not suggestion:
        return ""
    why = ": ".join(filter(None, (operation, reason)))
    if why:
        return f"{suggestion} ({why})"
    is_repeated = diagnostic.fix is not None and diagnostic.fix.message == suggestion
    return "" if is_repeated else suggestion


def fix_title(diagnostic: Diagnostic) -> str:
    """The title of the fix; empty where there is no fix."""
    return diagnostic.fix.message if diagnostic.fix is not None else ""

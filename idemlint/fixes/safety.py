"""Which fixes the settings let be applied, and how freely."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability

if TYPE_CHECKING:
    from idemlint.config.settings import Settings
    from idemlint.diagnostic import Diagnostic

__all__ = ["with_safety"]


def with_safety(diagnostic: Diagnostic, settings: Settings) -> Diagnostic:
    """A finding with its fix as the settings want it; what is only shown stays so."""
    fix = diagnostic.fix
    if fix is None:
        return diagnostic
    if diagnostic.code not in settings.fixable:
        return replace(diagnostic, fix=None)
    applicability = fix.applicability
    if diagnostic.code in settings.forced_safe and applicability is Applicability.UNSAFE:
        applicability = Applicability.SAFE
    elif diagnostic.code in settings.forced_unsafe and applicability is Applicability.SAFE:
        applicability = Applicability.UNSAFE
    if applicability is fix.applicability:
        return diagnostic
    return replace(diagnostic, fix=replace(fix, applicability=applicability))

"""IDM204: an effect that is sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.retries import retried_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the call in what is retried."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that is the effect, or leads to it."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Send one key with all attempts, or claim it first."""
        return retried_fix(evidence, self.found.model)

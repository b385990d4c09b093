"""IDM502: a conflict that is sent again under another key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.conflicts import raised_conflict
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the second send."""

    def visit_Call(self, node: cst.Call) -> None:
        """The second send."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Show the raise."""
        return raised_conflict(evidence)

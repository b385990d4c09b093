"""IDM404: a hint that the body contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.contracts import hint_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the hint, where it is written."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that sets hints."""
        self.flag(node)

    def visit_Dict(self, node: cst.Dict) -> None:
        """A dictionary of hints."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Set the hint to what the body does."""
        return hint_fix(evidence)

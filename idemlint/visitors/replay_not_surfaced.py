"""IDM403: a stored result returned as if it were new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.contracts import surfaced_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the return."""

    def visit_Return(self, node: cst.Return) -> None:
        """A return."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Say that it is a replay."""
        return surfaced_fix(evidence)

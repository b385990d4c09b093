"""IDM102: a key with a clock in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.keys import clock_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the call of the clock."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that reads a clock."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Drop the clock from the key."""
        return clock_fix(evidence, self.found.model)

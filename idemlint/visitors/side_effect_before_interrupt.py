"""IDM201: an effect that a pause makes run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.pauses import moved_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the effect."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that has an effect."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Move the effect behind the pause, or into a body of its own."""
        return moved_fix(evidence, self.found.of_rule(self.rule.code))

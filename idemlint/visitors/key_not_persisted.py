"""IDM202: a key that a node makes where its state has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.keys import kept_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the assignment of the key, or the call that makes it."""

    def visit_Assign(self, node: cst.Assign) -> None:
        """An assignment into the state, or to a name."""
        self.flag(node)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        """The same with a type."""
        self.flag(node)

    def visit_Call(self, node: cst.Call) -> None:
        """A call that makes a value."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Compute the key from what is the same on a replay."""
        return kept_fix(evidence, self.found.model)

"""IDM105: the id of a call as a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.keys import call_id_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the expression that is used as the key."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that holds the expression."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Use the own key of the tool."""
        return call_id_fix(evidence, self.found.model)

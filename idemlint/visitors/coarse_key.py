"""IDM106: a key that two intents share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.native_keys import coarse_fix
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
        """Show where the missing part would stand."""
        return coarse_fix(evidence, self.found.model)

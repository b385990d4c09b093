"""IDM103: a record with an identity that is made anew at each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.keys import identity_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the call that makes the identity."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that makes a value."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Derive the identity from the key."""
        return identity_fix(evidence, self.found.model)

"""IDM303: a record that is written after the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.dedup import pending_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the effect."""

    def visit_Call(self, node: cst.Call) -> None:
        """The effect, or the call that holds it."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Write the record first."""
        return pending_fix(evidence, self.found.model)

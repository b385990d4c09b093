"""IDM301: a look into a store that decides whether the store is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.stores import atomic_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the insert."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that writes."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Let the insert itself decide."""
        return atomic_fix(evidence, self.found.model)

"""IDM503: a producer that can write a message twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.producers import producer_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the constructor, or the send."""

    def visit_Call(self, node: cst.Call) -> None:
        """A constructor or a send."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Turn idempotence on, or give the send an id."""
        return producer_fix(evidence, self.found.model)

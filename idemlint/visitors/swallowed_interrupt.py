"""IDM203: a handler that keeps the exception by which a body pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.pauses import raised_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the handler."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """The function that holds the handler."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Raise what pauses again, in a handler of its own."""
        return raised_fix(evidence)

"""IDM302: keys that are remembered in memory only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.dedup import durable_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the container."""

    def visit_Call(self, node: cst.Call) -> None:
        """A decorator that is called, or a call that makes the container."""
        self.flag(node)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """A constructor that makes the container."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Use the project's own durable store, or show the form of one."""
        return durable_fix(evidence, self.found.model)

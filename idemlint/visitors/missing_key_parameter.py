"""IDM401: a tool that acts and takes no key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.contracts import parameter_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the tool, at its name or that of its schema."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """A tool that is a function."""
        self.flag(node)

    def visit_Dict(self, node: cst.Dict) -> None:
        """A tool that is declared by a dictionary."""
        self.flag(node)

    def visit_Call(self, node: cst.Call) -> None:
        """A tool that is declared by a call."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Add the key, and pass it on where a provider takes it."""
        return parameter_fix(evidence, self.found.model)

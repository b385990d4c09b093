"""IDM107: a key that is accepted and never used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.native_keys import unused_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the key: a parameter, a field of a model, an entry of a schema."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """A function that takes it."""
        self.flag(node)

    def visit_Dict(self, node: cst.Dict) -> None:
        """A schema that lists it."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Pass the key to the effect."""
        return unused_fix(evidence, self.found.model)

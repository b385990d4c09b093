"""IDM501: a provider that takes a key and gets none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.native_keys import native_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the call."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call of a provider."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Pass the key that is in scope."""
        return native_fix(evidence, self.found.model)

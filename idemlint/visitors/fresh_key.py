"""IDM101: a key that is made anew at each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.fixes.keys import fresh_fix
from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags the call that makes the key."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call that makes a value."""
        self.flag(node)

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """Take the key from the caller, from stable values, or make it before the retries."""
        return fresh_fix(evidence, self.found.model)

"""IDM104: see `rules/`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags IDM104."""

    def visit_Call(self, node: cst.Call) -> None:
        """A call."""
        self.flag(node)

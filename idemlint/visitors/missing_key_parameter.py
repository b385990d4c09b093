"""IDM401: see `rules/`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.visitors.base import RuleVisitor

if TYPE_CHECKING:
    import libcst as cst

__all__ = ["Visitor"]


class Visitor(RuleVisitor):
    """Flags IDM401."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """A tool."""
        self.flag(node)

    def visit_Dict(self, node: cst.Dict) -> None:
        """A schema."""
        self.flag(node)

    def visit_Call(self, node: cst.Call) -> None:
        """A schema made by a call."""
        self.flag(node)

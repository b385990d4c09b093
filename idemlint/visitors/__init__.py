"""The rules: one module each, named after the rule, with one LibCST visitor."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from idemlint import catalogue

if TYPE_CHECKING:
    from idemlint.visitors.base import RuleVisitor, SliceEvidence

__all__ = ["flag"]


def flag(code: str, found: SliceEvidence) -> None:
    """Run the visitor of a rule over a slice; what it reports is added to `found`."""
    rule = catalogue.rules()[code]
    module = importlib.import_module(f"idemlint.visitors.{rule.module}")
    visitor: RuleVisitor = module.Visitor(rule, found)
    found.slice.module.visit(visitor)

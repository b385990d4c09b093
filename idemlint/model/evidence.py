"""What the model found that a rule may report, tied to the node where the finding starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast

    from idemlint.model.entries import Entry
    from idemlint.model.program import Module

__all__ = ["Evidence", "RelatedPlace"]


@dataclass(frozen=True, slots=True, eq=False)
class RelatedPlace:
    """Another place that a finding is about."""

    module: Module
    node: ast.AST
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A fault that the model sees: the rule's code, where it starts, the words of its message.

    `words` fill the rule's message, `operation` and `reason` say which pattern cures it and why,
    `entry` is the replayed body, `subject` what a fix needs to know.
    """

    code: str
    module: Module
    node: ast.AST
    words: dict[str, str]
    operation: str
    reason: str
    related: tuple[RelatedPlace, ...] = ()
    entry: Entry | None = None
    subject: Any = None
    suggestion: str = ""
    message: str = ""
    marks: frozenset[str] = field(default=frozenset())

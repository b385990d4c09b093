"""What the visitors of all rules share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from idemlint.diagnostic import Diagnostic, Fix, Related
from idemlint.source.ranges import node_range

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from idemlint.catalogue import Rule
    from idemlint.model.evidence import Evidence
    from idemlint.model.model import Model
    from idemlint.source.slices import Slice

__all__ = ["RuleVisitor", "SliceEvidence", "diagnostic"]


class SliceEvidence:
    """What the model found in one slice, and the diagnostics made of it."""

    def __init__(self, slice_: Slice, evidence: Iterable[Evidence], model: Model) -> None:
        self.slice = slice_
        self.model = model
        self.diagnostics: list[Diagnostic] = []
        self._at: dict[tuple[str, ast.AST], list[Evidence]] = {}
        self._evidence = tuple(evidence)
        for entry in self._evidence:
            key = (entry.code, slice_.anchor(entry.node))
            self._at.setdefault(key, []).append(entry)

    def of_rule(self, code: str) -> list[Evidence]:
        """All evidence for a rule, handed out or not."""
        return [entry for entry in self._evidence if entry.code == code]

    def take(self, code: str, node: ast.AST) -> list[Evidence]:
        """The evidence for a rule that is tied to a node; each is handed out once."""
        return self._at.pop((code, node), [])

    def rest(self, code: str) -> list[Evidence]:
        """What no node took: evidence tied to the statement itself."""
        keys = [key for key in self._at if key[0] == code]
        return [entry for key in keys for entry in self._at.pop(key)]


class RuleVisitor(cst.CSTVisitor):
    """Flags the faults of one rule in one slice: a rule says which nodes, and how each is fixed."""

    def __init__(self, rule: Rule, found: SliceEvidence) -> None:
        super().__init__()
        self.rule = rule
        self.found = found

    def flag(self, node: cst.CSTNode) -> None:
        """Report what the model found at a node."""
        twin = self.found.slice.twin(node)
        if twin is not None:
            for evidence in self.found.take(self.rule.code, twin):
                self.report(evidence, self.fix(node, evidence))

    def fix(self, node: cst.CSTNode, evidence: Evidence) -> Fix | None:
        """The cure of a fault found at `node`; none by default."""
        return None

    def report(self, evidence: Evidence, fix: Fix | None) -> None:
        """Add a diagnostic."""
        self.found.diagnostics.append(diagnostic(self.rule, evidence, fix))

    def leave_Module(self, original_node: cst.Module) -> None:
        """Report what is tied to no node of its own."""
        for evidence in self.found.rest(self.rule.code):
            self.report(evidence, self.fix(original_node, evidence))


def diagnostic(rule: Rule, evidence: Evidence, fix: Fix | None = None) -> Diagnostic:
    """The diagnostic that a piece of evidence stands for."""
    source = evidence.module.source
    return Diagnostic(
        path=source.path,
        range=node_range(source, evidence.node),
        code=rule.code,
        name=rule.name,
        message=evidence.message or rule.message.format(**evidence.words),
        severity=rule.severity,
        url=rule.url,
        operation=evidence.operation,
        reason=evidence.reason,
        suggestion=evidence.suggestion or rule.suggestion.format(**evidence.words),
        related=tuple(
            Related(place.module.path, node_range(place.module.source, place.node), place.label)
            for place in evidence.related
        ),
        fix=fix,
    )

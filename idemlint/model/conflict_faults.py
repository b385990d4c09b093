"""Conflicts that are answered by sending again under another key (IDM502)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.flow import last_name
from idemlint.model.selection import Family
from idemlint.model.symbols import Place
from idemlint.model.text import canonical
from idemlint.model.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.flow import CallEvent, Condition
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.symbols import Frame

__all__ = ["ConflictFaults"]

_MAX_HELPERS = 4


class ConflictFaults:
    """Looks at what is sent where a conflict was told."""

    def __init__(self, model: Model) -> None:
        self.model = model
        lists = model.knowledge.conflicts
        self._errors = frozenset(lists["errors"])
        self._codes = frozenset(lists["codes"])
        self._statuses = frozenset(map(int, lists["statuses"]))

    def of(self, module: Module) -> Iterator[Evidence]:
        """The second sends in the functions of a module."""
        model = self.model
        for function in model.functions(module, Family.CONFLICT):
            frame = model.names.frame(function)
            events = model.names.flow(function).calls
            for event in events:
                told = next((c for c in event.conditions if self._tells(c, frame)), None)
                if told is None:
                    continue
                for first in events:
                    if first is event or first.name != event.name:
                        continue
                    if event.before >> first.index & 1 and told not in first.conditions:
                        if self._differ(first, event, frame):
                            yield self._evidence(first, event, told, frame)
                            break

    # conflicts

    def _tells(self, condition: Condition, frame: Frame) -> bool:
        """Whether a condition that holds says that there was a conflict."""
        if condition.kind == "except" and isinstance(condition.node, ast.ExceptHandler):
            return self._catches_conflict(condition.node, frame)
        if condition.kind == "test" and isinstance(condition.node, ast.expr):
            return self._is_conflict(condition.node, condition.holds, frame, condition.statement)
        return False

    def _catches_conflict(self, handler: ast.ExceptHandler, frame: Frame) -> bool:
        if handler.type is None:
            return False
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return all(self._is_error(node, frame) for node in types)

    def _is_error(self, node: ast.expr, frame: Frame) -> bool:
        name = frame.module.own_name(last_name(node))
        if name in self._errors:
            return True
        return any(
            path in self._errors or self.model.knowledge.violation_stores(path)
            for path in self.model.names.paths(Place(node, frame))
        )

    def _is_conflict(
        self, node: ast.expr, holds: bool, frame: Frame, statement: ast.stmt | None
    ) -> bool:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._is_conflict(node.operand, not holds, frame, statement)
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.And) is holds:
                return any(self._is_conflict(v, holds, frame, statement) for v in node.values)
            return False
        if isinstance(node, ast.Name) and frame.function is not None:
            found = self.model.names.flow(frame.function).definitions_at(statement, node.id)
            if len(found) == 1 and found[0].kind == "value":
                inner = found[0].node
                if isinstance(inner, ast.Compare):
                    return self._is_conflict(inner, holds, frame, found[0].statement)
            return False
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], ast.NotEq | ast.IsNot):
                holds = not holds
            elif not isinstance(node.ops[0], ast.Eq | ast.Is):
                return False
            return holds and any(map(self._names_conflict, (node.left, node.comparators[0])))
        return False

    def _names_conflict(self, node: ast.expr) -> bool:
        """`409`, `codes.conflict`, `HTTPStatus.CONFLICT`, a code of the provider."""
        if isinstance(node, ast.Constant):
            return node.value in self._codes or (
                isinstance(node.value, int) and node.value in self._statuses
            )
        return isinstance(node, ast.Attribute) and node.attr.lower() in (
            "conflict", "http_409_conflict",
        )  # fmt: skip

    # keys

    def _differ(self, first: CallEvent, second: CallEvent, frame: Frame) -> bool:
        """Whether two calls send the same thing under keys that are not the same."""
        before, after = self._keys(first, frame), self._keys(second, frame)
        shared = before.keys() & after.keys()
        return any(before[name].isdisjoint(after[name]) for name in shared)

    def _keys(self, event: CallEvent, frame: Frame) -> dict[tuple[str, str], set[str]]:
        """By receiver and position, the keys that a call sends, in their canonical form."""
        found: dict[tuple[str, str], set[str]] = {}
        for occurrence in self.model.runs.of_event(event, frame, _MAX_HELPERS):
            deed = occurrence.deed
            for use in self.model.keys.of(deed):
                if use.identity or not (deed.duplicates or deed.own):
                    continue
                text = canonical(self.model.names, use.place)
                found.setdefault((deed.path, use.name), set()).add(text)
        return found

    def _evidence(
        self, first: CallEvent, second: CallEvent, told: Condition, frame: Frame
    ) -> Evidence:
        module = frame.module
        node = told.node
        if isinstance(node, ast.ExceptHandler):
            node = node.type or node
        return Evidence(
            "IDM502",
            module,
            second.node,
            {"call": shown(second.node.func) + "()"},
            "OP-1",
            "a conflict says that the key was used before, which another key only hides",
            (
                RelatedPlace(module, first.node, "what was refused"),
                RelatedPlace(module, node, "the conflict"),
            ),
            subject=second,
        )

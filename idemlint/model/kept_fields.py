"""A field that a record is given once, and saved with, before it is used."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.flow import dotted_name
from idemlint.model.symbols import ClassSymbol, Place

if TYPE_CHECKING:
    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import CallEvent, Condition, Flow, Mutation
    from idemlint.model.names import Names

__all__ = ["KeptFields"]


class KeptFields:
    """Tells what the next run finds in its store instead of making it anew.

    `if not order.key: order.key = uuid4(); order.save()` runs its branch once an order.
    """

    def __init__(self, names: Names, knowledge: Knowledge) -> None:
        self.names = names
        self.knowledge = knowledge

    def holds(self, mutation: Mutation, field: str, use: Place) -> bool:
        """Whether a change of a field is only made where there is none, and saved before `use`."""
        function = use.frame.function
        if function is None or use.statement is None:
            return False
        flow = self.names.flow(function)
        owner = mutation.name
        if not self._is_for_want(mutation, f"{owner}.{field}", flow):
            return False
        before = flow.before.get(use.statement, 0)
        return any(
            event.before >> mutation.index & 1
            and before >> event.index & 1
            and self._saves(event, owner)
            for event in flow.calls
        ) and not self._is_made_here(owner, use, flow)

    def _is_for_want(self, mutation: Mutation, field: str, flow: Flow) -> bool:
        value = mutation.value
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            return dotted_name(value.values[0]) == field
        return any(_says_missing(c, field) for c in flow.conditions.get(mutation.statement, ()))

    def _saves(self, event: CallEvent, owner: str) -> bool:
        """`order.save()`, `session.commit()`, `orders.update(order)`."""
        call = event.node
        if not self.knowledge.is_save(event.name):
            return False
        if not isinstance(call.func, ast.Attribute):
            return any(dotted_name(argument) == owner for argument in call.args)
        return (
            dotted_name(call.func.value) == owner
            or self.knowledge.is_commit(event.name)
            or any(dotted_name(argument) == owner for argument in call.args)
        )

    def _is_made_here(self, owner: str, use: Place, flow: Flow) -> bool:
        """Whether the record is new in each run, so that nothing was saved of it before."""
        frame = use.frame
        for definition in flow.definitions_at(use.statement, owner.partition(".")[0]):
            made = definition.node
            if isinstance(made, ast.Await):
                made = made.value
            if not isinstance(made, ast.Call):
                continue
            if isinstance(made.func, ast.Attribute) and self.knowledge.is_new(made.func.attr):
                return True
            if any(
                isinstance(symbol, ClassSymbol)
                for symbol in self.names.resolve(Place(made.func, frame, definition.statement))
            ):
                return True
        return False


def _says_missing(condition: Condition, field: str) -> bool:
    """`if not order.key`, `if order.key is None`, or the other branch of the opposite."""
    node, holds = condition.node, condition.holds
    if condition.kind != "test" or not isinstance(node, ast.expr):
        return False
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, holds = node.operand, not holds
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        right = node.comparators[0]
        if isinstance(right, ast.Constant) and right.value in (None, ""):
            if isinstance(node.ops[0], ast.Is | ast.Eq):
                return holds and dotted_name(node.left) == field
            if isinstance(node.ops[0], ast.IsNot | ast.NotEq):
                return not holds and dotted_name(node.left) == field
        return False
    return not holds and dotted_name(node) == field

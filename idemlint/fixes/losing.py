"""What a run does whose insert another one was before: it leaves as if its check had found that."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.names import BUILTINS

if TYPE_CHECKING:
    from idemlint.fixes.editing import Editor
    from idemlint.model.model import Model
    from idemlint.model.program import Function
    from idemlint.model.runs import Occurrence

__all__ = ["Loser"]

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_BLOCKS = ("body", "orelse", "finalbody")


class Loser:
    """The run that loses a race between a check and an insert."""

    def __init__(self, insert: Occurrence, check: Occurrence, model: Model) -> None:
        self.insert = insert
        self.check = check
        self.model = model

    @property
    def matters(self) -> bool:
        """Whether the winner does more than the loser may: it acts, or answers something else."""
        hop = self.insert.top
        function = hop.frame.function
        assert function is not None
        bit = 1 << hop.event.index
        for other in self.model.runs.occurrences(hop.frame):
            event = other.top.event
            if event.before & bit and event is not hop.event and other.deed.is_effect:
                if other.deed.duplicates:
                    return True
        before: set[str] = set()
        after: set[str] = set()
        for point in self.model.names.flow(function).returns:
            answer = ast.dump(point.value) if point.value is not None else ""
            (after if point.before & bit else before).add(answer)
        return bool(before and after) and before != after

    def leaves(self, editor: Editor) -> list[str] | None:
        """The statements with which it leaves, one level in; `None` where they are not known."""
        function = self.insert.top.frame.function
        statement = self.insert.top.event.statement
        if (
            function is None
            or len(self.insert.hops) != 1
            or self.check.top.frame.function is not function
        ):
            return None
        place = _block_of(statement, function)
        if place is None or not editor.stands_alone(statement):
            return None
        block, number, owner = place
        for other in reversed(block[:number]):
            if isinstance(other, ast.If) and _leaves(other.body) and not other.orelse:
                if self._is_of_check(other, function):
                    return self._again(other, block[: block.index(other)], editor)
        if isinstance(owner, ast.If) and statement in owner.body and not owner.orelse:
            if self._is_of_check(owner, function):
                return _after(owner, function, editor)
        return None

    def _is_of_check(self, statement: ast.If, function: Function) -> bool:
        """Whether what the check found decides a branch."""
        flow = self.model.names.flow(function)
        for condition in self.insert.top.event.conditions:
            if condition.node is statement.test:
                return True
        return any(
            condition.node is statement.test
            for point in flow.returns
            for condition in point.conditions
        ) or any(node is self.check.top.event.node for node in ast.walk(statement.test))

    def _again(self, found: ast.If, before: list[ast.stmt], editor: Editor) -> list[str] | None:
        """The way out that the check has; what it reads of the record is read again first."""
        names = {n.id for s in found.body for n in ast.walk(s) if isinstance(n, ast.Name)}
        needed: list[ast.stmt] = []
        look = self.check.top.event.statement
        for statement in reversed(before):
            given = {
                n.id
                for n in ast.walk(statement)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            if given & names and statement.lineno >= look.lineno:
                needed.insert(0, statement)
                names |= {
                    n.id
                    for n in ast.walk(statement)
                    if isinstance(n, ast.Name) and n.id not in BUILTINS
                }
        if needed and look not in needed and look in before:
            needed.insert(0, look)
        lines: list[str] = []
        for statement in (*needed, *found.body):
            own = editor.indent(statement)
            rows = editor.rows_of(statement).splitlines()
            if not editor.stands_alone(statement):
                return None
            lines += [row.removeprefix(own) for row in rows]
        return lines


def _after(owner: ast.If, function: Function, editor: Editor) -> list[str] | None:
    """What runs behind a branch that is not taken, where that is the end of the body."""
    place = _block_of(owner, function)
    if place is None:
        return None
    block, number, around = place
    rest = block[number + 1 :]
    if isinstance(around, ast.For | ast.AsyncFor | ast.While) and not rest:
        return ["continue"]
    if around is not function.node or len(rest) > 1:
        return None
    if not rest:
        return ["return"]
    if isinstance(rest[0], ast.Return) and rest[0].lineno == rest[0].end_lineno:
        return [editor.code(rest[0])]
    return None


def _leaves(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], _LEAVING) and len(block) <= 3


def _block_of(
    statement: ast.stmt, function: Function
) -> tuple[list[ast.stmt], int, ast.AST] | None:
    """The block that a statement stands in, its number there, and what the block belongs to."""
    for node in ast.walk(function.node):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and statement in block:
                return block, block.index(statement), node
    return None

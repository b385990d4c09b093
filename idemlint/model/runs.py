"""What a body does when it runs, itself and through the program's functions, with the way there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import Deed, DeedKind
from idemlint.model.names import BUILTINS
from idemlint.model.symbols import FunctionSymbol, Place
from idemlint.model.text import constants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.deeds import Deeds
    from idemlint.model.flow import CallEvent, Condition
    from idemlint.model.names import Names
    from idemlint.model.program import Function
    from idemlint.model.selection import ProjectNames
    from idemlint.model.symbols import Frame

__all__ = ["Hop", "Occurrence", "Runs"]

MAX_DEPTH = 8
MAX_FRAMES = 400
MAX_LOOKAHEAD = 4
_PLAIN_NAMES = {
    "get",
    "update",
    "exists",
    "count",
    "open",
    "first",
    "all",
    "filter",
    "list",
    "head",
}
_KINDS = (DeedKind.EFFECT, DeedKind.CHECK, DeedKind.LOCK, DeedKind.PAUSE)


@dataclass(frozen=True, slots=True, eq=False)
class Hop:
    """A call on the way: its event in the flow of its function, in a frame."""

    frame: Frame
    event: CallEvent

    @property
    def place(self) -> Place:
        """The call."""
        return Place(self.event.node, self.frame, self.event.statement)


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """A deed, and the calls that lead to it: the first is in the body that was asked about."""

    deed: Deed
    hops: tuple[Hop, ...]

    @property
    def top(self) -> Hop:
        """The call in the body itself."""
        return self.hops[0]

    @property
    def leaf(self) -> Hop:
        """The call that does the deed."""
        return self.hops[-1]


class Runs:
    """Follows calls through the program. Frames are bounded in depth and number.

    `missing_names` are the names that were called and are of no function of the project: an answer
    can change when one is added.
    """

    def __init__(
        self, names: Names, deeds: Deeds, knowledge: Knowledge, project: ProjectNames
    ) -> None:
        self.names = names
        self.deeds = deeds
        self.knowledge = knowledge
        self._functions = project.functions
        self.missing_names: set[str] = set()
        self._acting = knowledge.acting_names(project.libraries)
        self._may_act: dict[ast.AST, tuple[bool, int]] = {}
        self._budget = MAX_FRAMES

    @property
    def function_names(self) -> frozenset[str]:
        """The names of all functions of the project."""
        return self._functions

    def occurrences(self, frame: Frame) -> list[Occurrence]:
        """All that can happen when the function of `frame` runs, in the order of its calls."""
        self._budget = MAX_FRAMES
        return self._occurrences(frame, ())

    def of_event(self, event: CallEvent, frame: Frame, depth: int) -> list[Occurrence]:
        """All that can happen when one call runs, through at most `depth` functions."""
        assert frame.function is not None
        if not self.is_worthwhile(event) or not self._is_possible(event, frame):
            return []
        self._budget = MAX_FRAMES
        return list(self._of_call(event, frame, (frame.function,) * (MAX_DEPTH - depth + 1)))

    def _occurrences(self, frame: Frame, running: tuple[Function, ...]) -> list[Occurrence]:
        known: list[Occurrence] | None = frame.memo.get("occurrences")
        if known is not None:
            return known
        function = frame.function
        assert function is not None
        found: list[Occurrence] = []
        if function in running or len(running) > MAX_DEPTH or self._budget <= 0:
            return found
        self._budget -= 1
        for event in self.names.flow(function).calls:
            if not self.is_worthwhile(event) or not self._is_possible(event, frame):
                continue
            found.extend(self._of_call(event, frame, (*running, function)))
        frame.memo["occurrences"] = found
        return found

    def is_worthwhile(self, event: CallEvent) -> bool:
        """A look at the name: whether a call can be of a function of the project, or known to act."""
        name = event.name
        if name in self._functions:
            return True
        self.missing_names.add(name)
        return (
            name in self._acting
            or (not isinstance(event.node.func, ast.Attribute) and name not in BUILTINS)
            or any(
                k.arg is not None and self.knowledge.is_key_name(k.arg) for k in event.node.keywords
            )
            or bool(self.deeds.named(name))
        )

    def _of_call(
        self, event: CallEvent, frame: Frame, running: tuple[Function, ...]
    ) -> Iterator[Occurrence]:
        place = Place(event.node, frame, event.statement)
        deed = self.deeds.of(place)
        hop = Hop(frame, event)
        if deed.kind in _KINDS or self._seems_to_act(deed):
            yield Occurrence(deed, (hop,))
        elif deed.kind is DeedKind.INNER:
            for callee in deed.callees:
                if not self.may_act(callee.function, MAX_DEPTH - len(running)):
                    continue
                inner = self.names.enter(callee, self.call_place(callee, place))
                for occurrence in self._occurrences(inner, running):
                    yield Occurrence(occurrence.deed, (hop, *occurrence.hops))

    def _hands_on(self, deed: Deed, parameters: set[str]) -> bool:
        """Whether a parameter is handed to a call that calls it."""
        caller = self.knowledge.caller(deed.path)
        if caller is None or len(deed.call.args) <= caller.calls:
            return False
        handed = deed.call.args[caller.calls]
        return isinstance(handed, ast.Name) and handed.id in parameters

    def _seems_to_act(self, deed: Deed) -> bool:
        """An unknown call that is named as an effect, or takes what is named as a key."""
        if deed.kind is not DeedKind.OPAQUE:
            return False
        return bool(deed.does) or any(
            keyword.arg is not None and self.knowledge.is_key_name(keyword.arg)
            for keyword in deed.call.keywords
        )

    def call_place(self, callee: FunctionSymbol, place: Place) -> Place | None:
        """The call that gives a callee its arguments; `None` if a library calls it."""
        return None if self.deeds.of(place).reason == "graph" else place

    def inner_frames(self, hop: Hop) -> list[Frame]:
        """The frames that a call into the program makes."""
        deed = self.deeds.of(hop.place)
        return [
            self.names.enter(callee, self.call_place(callee, hop.place)) for callee in deed.callees
        ]

    def _is_possible(self, event: CallEvent, frame: Frame) -> bool:
        return all(self.decide(condition, frame) is not False for condition in event.conditions)

    # conditions that the frame decides

    def decide(self, condition: Condition, frame: Frame) -> bool | None:
        """Whether a condition holds in a frame; `None` if that is not known."""
        if condition.kind == "test" and isinstance(condition.node, ast.expr):
            value = self._truth(condition.node, frame, condition.statement)
            return None if value is None else value is condition.holds
        if condition.kind == "case" and isinstance(condition.node, ast.match_case):
            return self._case(condition.node, frame, condition.statement)
        return None

    def _truth(self, node: ast.expr, frame: Frame, statement: ast.stmt) -> bool | None:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._truth(node.operand, frame, statement)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            values = [self._truth(value, frame, statement) for value in node.values]
            decisive = isinstance(node.op, ast.Or)
            if decisive in values:
                return decisive
            return None if None in values else not decisive
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node, frame, statement)
        if isinstance(node, ast.Name | ast.Constant):
            return self._name_truth(node, frame, statement)
        return None

    def _name_truth(
        self, node: ast.Name | ast.Constant, frame: Frame, statement: ast.stmt
    ) -> bool | None:
        known = self._only(Place(node, frame, statement))
        return None if known is None else bool(known[0])

    def _compare(self, node: ast.Compare, frame: Frame, statement: ast.stmt) -> bool | None:
        left = self._only(Place(node.left, frame, statement))
        if left is None:
            return None
        operator, other = node.ops[0], node.comparators[0]
        if isinstance(operator, ast.In | ast.NotIn) and isinstance(
            other, ast.Tuple | ast.List | ast.Set
        ):
            values = [self._only(Place(item, frame, statement)) for item in other.elts]
            if None in values:
                return None
            inside = left[0] in [value[0] for value in values if value is not None]
            return inside if isinstance(operator, ast.In) else not inside
        right = self._only(Place(other, frame, statement))
        if right is None:
            return None
        if isinstance(operator, ast.Eq | ast.Is):
            return bool(left[0] == right[0])
        if isinstance(operator, ast.NotEq | ast.IsNot):
            return bool(left[0] != right[0])
        return None

    def _only(self, place: Place) -> tuple[object] | None:
        """The one constant that an expression is, where a caller passed it or it is written."""
        node = place.node
        if isinstance(node, ast.Constant):
            return (node.value,)
        if place.frame.attributes and isinstance(node, ast.Attribute):
            known = place.frame.attributes.get(ast.unparse(node))
            return None if known is None else self._only(known)
        if not isinstance(node, ast.Name) or place.frame.function is None:
            return self._upper(place)
        definitions = self.names.flow(place.frame.function).definitions_at(place.statement, node.id)
        if len(definitions) != 1 or definitions[0].kind != "parameter":
            return None
        given = place.frame.arguments.get(node.id)
        if given is None:
            default = place.frame.function.defaults.get(node.id)
            if place.frame.call is None or not isinstance(default, ast.Constant):
                return None
            return (default.value,)
        found = constants(self.names, given)
        return (found[0],) if len(found) == 1 else None

    def _upper(self, place: Place) -> tuple[object] | None:
        """`method.upper()` of a known text."""
        node = place.node
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("upper", "lower", "strip")
            and not node.args
        ):
            inner = self._only(Place(node.func.value, place.frame, place.statement))
            if inner is not None and isinstance(inner[0], str):
                return (getattr(inner[0], node.func.attr)(),)
        return None

    def _case(self, case: ast.match_case, frame: Frame, statement: ast.stmt) -> bool | None:
        if not isinstance(statement, ast.Match):
            return None
        subject = self._only(Place(statement.subject, frame, statement))
        if subject is None:
            return None
        pattern = case.pattern
        options = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
        values = []
        for option in options:
            if not isinstance(option, ast.MatchValue) or not isinstance(option.value, ast.Constant):
                return None
            values.append(option.value.value)
        return subject[0] in values

    # a quick look whether a function can do anything

    def may_act(self, function: Function, depth: int = MAX_LOOKAHEAD) -> bool:
        """False if nothing that the function calls, through at most `depth` more, is known to act."""
        node = function.node
        depth = min(depth, MAX_LOOKAHEAD)
        known = self._may_act.get(node)
        if known is not None and (known[0] or known[1] >= depth):
            return known[0]
        self._may_act[node] = (False, depth)  # a cycle adds nothing
        result = self._acts(function, depth)
        self._may_act[node] = (result, depth)
        return result

    def _acts(self, function: Function, depth: int) -> bool:
        frame = self.names.frame(function)
        parameters = {arg.arg for arg in function.parameters}
        inner: list[Function] = []
        for event in self.names.flow(function).calls:
            name = event.name
            if isinstance(event.node.func, ast.Name) and name in parameters:
                return True
            if not self.is_worthwhile(event):
                continue
            deed = self.deeds.of(Place(event.node, frame, event.statement))
            if deed.kind in _KINDS:
                return True
            inner += [callee.function for callee in deed.callees]
            if self._hands_on(deed, parameters) or (
                deed.kind is DeedKind.OPAQUE
                and (
                    (
                        deed.reason == "unknown object"
                        and name not in _PLAIN_NAMES
                        and name in self._acting
                    )
                    or self._seems_to_act(deed)
                )
            ):
                return True
        return depth > 0 and any(self.may_act(callee, depth - 1) for callee in inner)

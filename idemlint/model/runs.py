"""What a body does when it runs, itself and through the program's functions, with the way there."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import Deed, DeedKind
from idemlint.model.names import BUILTINS
from idemlint.model.symbols import (
    ClassSymbol,
    Constant,
    External,
    FunctionSymbol,
    Instance,
    Literal,
    Parameter,
    Place,
)
from idemlint.model.text import constants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.deeds import Deeds
    from idemlint.model.flow import CallEvent, Condition
    from idemlint.model.names import Names
    from idemlint.model.program import Function
    from idemlint.model.selection import ProjectNames
    from idemlint.model.symbols import Frame, Symbol

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
_PLAIN_VALUES = (ast.Compare, ast.Dict, ast.List, ast.Tuple)
_KINDS = (DeedKind.EFFECT, DeedKind.CHECK, DeedKind.LOCK, DeedKind.PAUSE)


class Reach(enum.IntEnum):
    """What a function can come to do, as far as it tells itself."""

    NOTHING = 0
    OPEN = 1
    """Something, if it is handed what can."""
    SURE = 2


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
        self._reaches: dict[ast.AST, tuple[Reach, int]] = {}
        self._asked: dict[ast.AST, int] = {}
        self._oldest = 0
        self._unsettled: list[tuple[ast.AST, tuple[Reach, int]]] = []
        self._calls: dict[ast.AST, list[tuple[CallEvent, Reach]]] = {}
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
        if not self.is_worthwhile(event, frame.function) or not self.is_possible(event, frame):
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
        for event in self._worth_following(frame):
            if self.is_possible(event, frame):
                found.extend(self._of_call(event, frame, (*running, function)))
        frame.memo["occurrences"] = found
        return found

    def _worth_following(self, frame: Frame) -> Iterator[CallEvent]:
        """The calls of a function that can come to do something in a frame."""
        assert frame.function is not None
        for event, reach in self._reaching_calls(frame.function):
            if reach is Reach.SURE or self._is_told(frame):
                yield event

    def _is_told(self, frame: Frame) -> bool:
        """Whether a frame knows more of what its function works with than the function itself."""
        assert frame.function is not None
        if frame is self.names.frame(frame.function):
            return True
        found: bool | None = frame.memo.get("told")
        if found is None:
            closure = frame.closure
            found = frame.memo["told"] = (
                frame.call is None
                or (closure is not None and self._is_told(closure))
                or self._is_telling(frame.receiver, frame.function)
                or any(
                    self._can_act(value, self._expected(frame.function, name))
                    for name, value in frame.arguments.items()
                )
            )
        return found

    def _expected(self, function: Function, parameter: str) -> frozenset[Symbol]:
        """What a function knows of a parameter itself, by its annotation."""
        key = ("expected", parameter)
        frame = self.names.frame(function)
        found: frozenset[Symbol] | None = frame.memo.get(key)
        if found is None:
            found = frame.memo[key] = frozenset(self.names.name(parameter, frame, None))
        return found

    def _reaching_calls(self, function: Function) -> list[tuple[CallEvent, Reach]]:
        """The calls of a function that do something or, `OPEN`, could where more is known."""
        known = self._calls.get(function.node)
        if known is not None:
            return known
        found: list[tuple[CallEvent, Reach]] = []
        flow = self.names.flow(function)
        frame = self.names.frame(function)
        parameters = _handed_to(function)
        for event in flow.calls:
            if not self.is_worthwhile(event, function):
                continue
            place = Place(event.node, frame, event.statement)
            deed = self.deeds.of(place)
            if (
                deed.kind in _KINDS
                or self._seems_to_act(deed)
                or any(self.reach(callee.function) for callee in deed.callees)
                or self._is_open(deed, event, parameters)
            ):
                found.append((event, Reach.SURE))
            elif _root(event.node.func) in flow.definitions:
                found.append((event, Reach.OPEN))
        self._calls[function.node] = found
        return found

    def is_worthwhile(self, event: CallEvent, function: Function) -> bool:
        """A look at the name: whether a call can be of a function of the project, or known to act.

        `function` is the one whose call it is.
        """
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
            or self._is_bound(event.node.func, function)
        )

    def _is_bound(self, called: ast.expr, function: Function) -> bool:
        """Whether an attribute of `self` is called that its module sets to a function."""
        return (
            isinstance(called, ast.Attribute)
            and isinstance(called.value, ast.Name)
            and called.value.id == function.self_name
            and not self._functions.isdisjoint(
                function.module.bound_attributes.get(called.attr, ())
            )
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
                reach = self.reach(callee.function, MAX_DEPTH - len(running))
                if reach is Reach.NOTHING or (
                    reach is Reach.OPEN and not self._tells(callee, place)
                ):
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
        return _is_among(handed, parameters)

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

    def is_possible(self, event: CallEvent, frame: Frame) -> bool:
        """Whether no condition around a call is known to be false in a frame."""
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

    def reach(self, function: Function, depth: int = MAX_LOOKAHEAD) -> Reach:
        """What a function can come to do, itself and through at most `depth` more."""
        node = function.node
        depth = min(depth, MAX_LOOKAHEAD)
        known = self._reaches.get(node)
        if known is not None and (known[0] is Reach.SURE or known[1] >= depth):
            return known[0]
        if node in self._asked:
            # a cycle adds nothing to what begins it; of what lies on it this is not the whole answer
            self._oldest = min(self._oldest, self._asked[node])
            return Reach.NOTHING
        number = self._asked[node] = len(self._asked)
        before, self._oldest = self._oldest, number
        waiting = len(self._unsettled)
        try:
            result = self._reach(function, depth)
        finally:
            # a question that is broken off is not going on any more
            del self._asked[node]
        if self._oldest < number and result is not Reach.SURE:
            self._unsettled.append((node, (result, depth)))
            self._oldest = min(self._oldest, before)
            return result
        self._oldest = before
        self._reaches[node] = (result, depth)
        if result is Reach.NOTHING:
            self._reaches.update(self._unsettled[waiting:])
        del self._unsettled[waiting:]
        return result

    def _reach(self, function: Function, depth: int) -> Reach:
        frame = self.names.frame(function)
        parameters = _handed_to(function)
        inner: list[tuple[FunctionSymbol, Place]] = []
        result = Reach.NOTHING
        for event in self.names.flow(function).calls:
            if not self.is_worthwhile(event, function):
                if _is_among(event.node.func, parameters):
                    result = Reach.OPEN
                continue
            place = Place(event.node, frame, event.statement)
            deed = self.deeds.of(place)
            if deed.kind in _KINDS or self._seems_to_act(deed):
                return Reach.SURE
            inner += [(callee, place) for callee in deed.callees]
            if self._is_open(deed, event, parameters):
                result = Reach.OPEN
        for callee, place in inner if depth > 0 else ():
            found = self.reach(callee.function, depth - 1)
            if found is Reach.SURE or (found is Reach.OPEN and self._tells(callee, place)):
                return Reach.SURE
            result = max(result, found)
        return result

    def _is_open(self, deed: Deed, event: CallEvent, parameters: set[str]) -> bool:
        """Whether it depends on what a function is handed what a call of it does."""
        if _is_among(event.node.func, parameters):
            return True
        return self._hands_on(deed, parameters) or (
            deed.kind is DeedKind.OPAQUE
            and deed.reason == "unknown object"
            and event.name not in _PLAIN_NAMES
            and event.name in self._acting
        )

    def _tells(self, callee: FunctionSymbol, place: Place) -> bool:
        """Whether a call hands its function something that can act."""
        closure = callee.closure
        if callee.preset is not None or (closure is not None and closure.call is not None):
            return True
        return self._is_telling(callee.receiver, callee.function) or self._hands_over(place)

    def _is_telling(self, receiver: Symbol | None, function: Function) -> bool:
        """Whether the object of a method is more than any object of its class."""
        if isinstance(receiver, Instance | ClassSymbol):
            if receiver.cls is not function.owner:
                return True
            made = receiver.made if isinstance(receiver, Instance) else None
            return made is not None and self._hands_over(made)
        return receiver is not None

    def _hands_over(self, place: Place) -> bool:
        key = ("hands over", place.node)
        memo = place.frame.memo
        if key not in memo:
            call = place.node
            memo[key] = False
            if not isinstance(call, ast.Call):
                return False
            values = (*call.args, *(keyword.value for keyword in call.keywords))
            memo[key] = any(
                self._can_act(Place(value, place.frame, place.statement)) for value in values
            )
        found: bool = memo[key]
        return found

    def _can_act(self, place: Place, expected: frozenset[Symbol] = frozenset()) -> bool:
        """Whether an argument is an object, a function or a text of which more is known than expected."""
        if isinstance(place.node, ast.Constant):
            return isinstance(place.node.value, str) and " " in place.node.value
        if isinstance(place.node, _PLAIN_VALUES):
            return False
        for symbol in self.names.resolve(place):
            if symbol in expected and not (
                isinstance(symbol, Instance)
                and symbol.made is not None
                and self._hands_over(symbol.made)
            ):
                continue
            if isinstance(symbol, External):
                if symbol.path.partition(".")[0] in self.knowledge.acting_libraries:
                    return True
            elif isinstance(symbol, Constant):
                if isinstance(symbol.value, str) and " " in symbol.value:
                    return True
            elif not isinstance(symbol, Literal | Parameter):
                return True
        return False


def _is_among(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _handed_to(function: Function) -> set[str]:
    """The parameters of a function, and those that it sees of the functions around it."""
    names: set[str] = set()
    around: Function | None = function
    while around is not None:
        names.update(arg.arg for arg in around.parameters)
        around = around.parent
    return names


def _root(node: ast.expr) -> str:
    """The name that an expression starts with: `client` of `client.orders().create`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""

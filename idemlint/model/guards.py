"""What makes a replay of an effect harmless."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import Deed, DeedKind
from idemlint.model.flow import last_name
from idemlint.model.functions import all_statements
from idemlint.model.runs import Hop, Occurrence
from idemlint.model.symbols import External, FunctionSymbol, Place
from idemlint.model.values import Origin, ValueKind
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.flow import CallEvent, Condition
    from idemlint.model.keys import Keys
    from idemlint.model.names import Names
    from idemlint.model.program import Function, Module
    from idemlint.model.runs import Runs
    from idemlint.model.symbols import Frame
    from idemlint.model.values import Values

__all__ = ["Guard", "GuardKind", "Guards", "Polarity"]

_MAX_DEPTH = 6
_MAX_HELPERS = 4
_CATCH_ALL = {"Exception", "BaseException"}


class GuardKind(enum.Enum):
    """The kinds of guards."""

    KEY = "a key arrives"
    BAD_KEY = "a key arrives that differs on a replay"
    CLAIM = "an atomic write decides"
    LOOKUP = "a record is looked up before"
    DECLARED = "a decorator or context is known to guard"
    KEPT = "the framework reads the result back on a resume"


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """A guard of an effect, with the place that shows it."""

    kind: GuardKind
    hop: Hop
    deed: Deed | None = None

    @property
    def protects(self) -> bool:
        """Whether a replay does nothing."""
        return self.kind is not GuardKind.BAD_KEY


class Polarity(enum.Enum):
    """What a condition says of what was looked up."""

    ABSENT = "absent"
    PRESENT = "present"
    UNKNOWN = "unknown"

    def inverted(self) -> Polarity:
        """The opposite."""
        if self is Polarity.ABSENT:
            return Polarity.PRESENT
        return Polarity.ABSENT if self is Polarity.PRESENT else self


class Guards:
    """Looks for guards."""

    def __init__(
        self, names: Names, values: Values, runs: Runs, keys: Keys, knowledge: Knowledge
    ) -> None:
        self.names = names
        self.values = values
        self.runs = runs
        self.deeds = runs.deeds
        self.keys = keys
        self.knowledge = knowledge

    def of(self, occurrence: Occurrence) -> Guard | None:
        """The guard of an effect, the surest kind first; `None` if there is none."""
        uses = [use for use in self.keys.of(occurrence.deed) if not use.identity]
        if all(use.is_condition for use in uses) and self._is_new_at_each_run(occurrence.deed):
            # at an address that nobody has used there is never anything
            uses = []
        if uses:
            sound = any(use.is_sound for use in uses)
            kind = GuardKind.KEY if sound else GuardKind.BAD_KEY
            return Guard(kind, occurrence.leaf, occurrence.deed)
        for number, hop in enumerate(occurrence.hops):
            declared = self._declared(hop, first=number == 0)
            if declared is not None:
                return declared
        lookup: Guard | None = None
        for hop in occurrence.hops:
            claim = self._claim(hop, occurrence)
            if claim is not None:
                if claim.kind is GuardKind.CLAIM:
                    return claim
                lookup = lookup or claim
        return lookup

    def _is_new_at_each_run(self, deed: Deed) -> bool:
        """Whether the identity of the record that an effect creates is made afresh."""
        return any(fresh_origins(use.origins) for use in self.keys.identities(deed))

    # declared guards

    def _declared(self, hop: Hop, *, first: bool) -> Guard | None:
        function = hop.frame.function
        assert function is not None
        if function.decorators and self._is_decorated(function):
            return Guard(GuardKind.DECLARED, hop)
        for item in hop.event.contexts:
            target = item.context_expr
            func = target.func if isinstance(target, ast.Call) else target
            paths = self.names.paths(Place(func, hop.frame, hop.event.statement))
            if self._has_guard_row(paths) and isinstance(target, ast.Call):
                values = [*target.args, *(keyword.value for keyword in target.keywords)]
                origins = [
                    origin
                    for value in values
                    for origin in self.values.origins(Place(value, hop.frame, hop.event.statement))
                ]
                if all(o.kind is not ValueKind.FRESH for o in origins):
                    return Guard(GuardKind.DECLARED, hop)
        call = hop.event.node
        paths = self.names.paths(Place(call.func, hop.frame, hop.event.statement))
        if not first and self._has_guard_row(paths, call):
            return Guard(GuardKind.DECLARED, hop)
        return None

    def _is_decorated(self, function: Function) -> bool:
        """Whether a decorator guards a function, by itself or by an option that it is given."""
        if not self._has_guard_row(self.values.decorator_paths(function), None):
            return False
        frame = self.names.module_frame(function.module)
        if function.parent is not None:
            frame = self.names.frame(function.parent)
        for decorator in function.decorators:
            call = decorator if isinstance(decorator, ast.Call) else None
            target = call.func if call is not None else decorator
            if self._has_guard_row(self.names.paths(Place(target, frame)), call or target):
                return True
        return False

    def is_kept(self, occurrence: Occurrence) -> bool:
        """Whether a framework keeps the result of a function on the way over a resume."""
        for outer, inner in zip(occurrence.hops, occurrence.hops[1:], strict=False):
            function = inner.frame.function
            if function is not None and self.values.is_kept(function, outer.frame):
                return True
        return False

    def _has_guard_row(self, paths: list[str], use: ast.expr | None = None) -> bool:
        """Whether a row guards; one of an option guards in a `use` with that option only."""
        given = {k.arg for k in use.keywords} if isinstance(use, ast.Call) else set()
        return any(
            use is None or row.kind != "kwarg" or not given.isdisjoint(row.key)
            for path in paths
            for row in self.knowledge.guards(path)
        )

    # claims and lookups

    def _claim(self, hop: Hop, occurrence: Occurrence) -> Guard | None:
        lookup: Guard | None = None
        for condition in hop.event.conditions:
            for source in self.sources(condition, hop.frame):
                deed = source.deed
                if deed.place.node is occurrence.deed.place.node:
                    continue
                if self._is_claim(deed):
                    return Guard(GuardKind.CLAIM, hop, deed)
                if deed.kind is DeedKind.CHECK and self._can_record(deed, occurrence):
                    if self.polarity(condition, hop.frame) is Polarity.ABSENT:
                        lookup = lookup or Guard(GuardKind.LOOKUP, hop, deed)
        raising = self._raising_claim(hop, occurrence)
        return raising or lookup

    def _can_record(self, check: Deed, occurrence: Occurrence) -> bool:
        """Whether what is looked up can tell that an effect was done.

        A file can where the same run writes one; else it is what the effect takes, as an
        attachment that has to be there.
        """
        if check.store is None:
            return False
        return check.store.kind != "file" or any(
            other.deed.is_effect
            and other.deed.store is not None
            and other.deed.store.kind == "file"
            for other in self.runs.occurrences(occurrence.hops[0].frame)
        )

    def _is_claim(self, deed: Deed) -> bool:
        """A write whose result tells whether this run was the first."""
        return deed.kind is DeedKind.EFFECT and deed.own and deed.role in (
            "atomic", "update", "delete", "upsert",
        )  # fmt: skip

    def _raising_claim(self, hop: Hop, occurrence: Occurrence) -> Guard | None:
        """A write before the effect that raises when another run was first."""
        function = hop.frame.function
        assert function is not None
        for event in self.names.flow(function).calls:
            if event is hop.event or not hop.event.surely_before >> event.index & 1:
                continue
            place = Place(event.node, hop.frame, event.statement)
            deed = self.deeds.of(place)
            if deed.kind is DeedKind.EFFECT and deed.own:
                if self.raises_on_conflict(deed, event, hop.frame, hop.event):
                    return Guard(GuardKind.CLAIM, hop, deed)
            elif deed.kind is DeedKind.INNER:
                for inner in self.runs.of_event(event, hop.frame, _MAX_HELPERS):
                    if inner.deed.is_effect and inner.deed.own and len(inner.hops) > 1:
                        leaf = inner.leaf
                        if self.raises_on_conflict(
                            inner.deed, leaf.event, leaf.frame
                        ) or self._raises_by_result(inner.deed, leaf.frame):
                            return Guard(GuardKind.CLAIM, hop, inner.deed)
        return None

    def _raises_by_result(self, deed: Deed, frame: Frame) -> bool:
        """Whether an atomic write's result decides about a `raise` of its function."""
        if deed.role != "atomic" or frame.function is None:
            return False
        flow = self.names.flow(frame.function)
        return any(
            source.deed.place.node is deed.place.node
            for statement, _ in flow.raises
            for condition in flow.conditions.get(statement, ())
            for source in self.sources(condition, frame)
        )

    def raises_on_conflict(
        self, deed: Deed, event: CallEvent, frame: Frame, effect: CallEvent | None = None
    ) -> bool:
        """Whether what follows a write, `effect` say, only runs when it created its record.

        An insert counts when the handler of its unique violation leaves; a write that is atomic by
        itself and raises counts also when nobody catches it.
        """
        store = deed.store
        if store is None or deed.role not in ("atomic", "insert"):
            return False
        handlers = self.violation_handlers(deed, event, frame, effect)
        if handlers:
            return all(_leaves(handler.body) for handler in handlers)
        if deed.role == "atomic":
            return store.raises
        return False

    def is_refused(self, occurrence: Occurrence) -> bool:
        """Whether a second insert is known to be refused: its unique violation is caught by name."""
        deed = occurrence.deed
        return deed.own and deed.role == "insert" and any(
            self._names_violation(handler, hop.frame.module)
            for hop in occurrence.hops
            for handler in self.violation_handlers(deed, hop.event, hop.frame)
        )  # fmt: skip

    def _names_violation(self, handler: ast.ExceptHandler, module: Module) -> bool:
        node = handler.type
        return node is not None and any(
            module.own_name(last_name(item)) in self.knowledge.conflicts["violations"]
            for item in (node.elts if isinstance(node, ast.Tuple) else [node])
        )

    def violation_handlers(
        self, deed: Deed, event: CallEvent, frame: Frame, until: CallEvent | None = None
    ) -> list[ast.ExceptHandler]:
        """The handlers around a write that catch the unique violation of its store.

        A session writes what was added to it when it is flushed or committed: those count, `until`
        a later call.
        """
        return [handler for _, handler in self._violations(deed, event, frame, until)]

    def knows_violation(
        self, deed: Deed, event: CallEvent, frame: Frame, check: Occurrence
    ) -> bool:
        """Whether a handler around a write expects that its store refuses a second one.

        One that catches everything expects nothing if it is about the check as well.
        """
        return any(
            statement not in check.top.event.tries or not _catches_all(handler)
            for statement, handler in self._violations(deed, event, frame, None)
        )

    def _violations(
        self, deed: Deed, event: CallEvent, frame: Frame, until: CallEvent | None
    ) -> Iterator[tuple[ast.Try, ast.ExceptHandler]]:
        sending = [event, *self._sending(deed, event, frame, until)]
        for statement in dict.fromkeys(tried for call in sending for tried in call.tries):
            for handler in statement.handlers:
                if self.catches(handler, deed, frame, statement):
                    yield statement, handler
                    break

    def _sending(
        self, deed: Deed, event: CallEvent, frame: Frame, until: CallEvent | None
    ) -> Iterator[CallEvent]:
        """The calls by which a session sends what was added to it before."""
        store = deed.store
        if store is None or not store.commit or store.kind != "orm" or frame.function is None:
            return
        for later in self.names.flow(frame.function).calls:
            if not later.tries or not later.before >> event.index & 1:
                continue
            if until is not None and not until.surely_before >> later.index & 1:
                continue
            sent = self.deeds.of(Place(later.node, frame, later.statement))
            if sent.kind is DeedKind.COMMIT and sent.store == store:
                yield later

    def catches(
        self, handler: ast.ExceptHandler, deed: Deed, frame: Frame, statement: ast.stmt
    ) -> bool:
        """Whether a handler catches the unique violation of the store that a write is to.

        One that catches everything and raises again does not know that there can be one.
        """
        if handler.type is None:
            return not _only_raises(handler.body)
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for node in types:
            for path in self.names.paths(Place(node, frame, statement)):
                stores = self.knowledge.violation_stores(path)
                if deed.store in stores or any(
                    deed.store is not None and s.kind == deed.store.kind for s in stores
                ):
                    return True
                if path in _CATCH_ALL and not _only_raises(handler.body):
                    return True
            named = frame.module.own_name(last_name(node))
            if named in self.knowledge.conflicts["violations"]:
                return True
        return False

    # what a condition is about

    def sources(self, condition: Condition, frame: Frame) -> list[Occurrence]:
        """The deeds whose result a condition looks at, through variables and helpers."""
        key = ("sources", condition)
        known: list[Occurrence] | None = frame.memo.get(key)
        if known is not None:
            return known
        frame.memo[key] = []
        found: list[Occurrence] = []
        if condition.kind == "except" and isinstance(condition.statement, ast.Try):
            for event in self.names.flow(frame.function).calls:  # type: ignore[arg-type]
                if condition.statement in event.tries:
                    found.extend(self._deeds_of(event, frame))
        elif condition.kind == "test" and isinstance(condition.node, ast.expr):
            found.extend(self._sources_of(condition.node, frame, condition.statement, 0, {}))
        frame.memo[key] = found
        return found

    def _sources_of(
        self,
        node: ast.expr,
        frame: Frame,
        statement: ast.stmt | None,
        depth: int,
        seen: dict[tuple[ast.expr, Frame], int],
    ) -> Iterator[Occurrence]:
        """What an expression is made from; `seen` has what was asked before, and how deep."""
        if depth > _MAX_DEPTH or frame.function is None:
            return
        if seen.get((node, frame), _MAX_DEPTH + 1) <= depth:
            return
        seen[node, frame] = depth
        flow = self.names.flow(frame.function)
        for inner in walk(node):
            if isinstance(inner, ast.Call):
                event = flow.call_of.get(inner)
                if event is not None:
                    yield from self._deeds_of(event, frame)
            elif isinstance(inner, ast.Attribute) and inner.attr in self.knowledge.result_names:
                yield from self._last_run(inner.value, frame, statement)
            elif isinstance(inner, ast.Name):
                for definition in flow.definitions_at(statement, inner.id):
                    if definition.kind in ("value", "item", "context", "augmented"):
                        if isinstance(definition.node, ast.expr) and definition.node is not node:
                            yield from self._sources_of(
                                definition.node, frame, definition.statement, depth + 1, seen
                            )
                    elif definition.kind == "parameter":
                        given = frame.arguments.get(inner.id)
                        if given is not None:
                            yield from self._sources_of(
                                given.node, given.frame, given.statement, depth + 1, seen
                            )

    def _last_run(
        self, receiver: ast.expr, frame: Frame, statement: ast.stmt | None
    ) -> Iterator[Occurrence]:
        """The statement that an object ran before, whose result is read from it (`cursor.fetchone`)."""
        if not isinstance(receiver, ast.Name | ast.Attribute) or frame.function is None:
            return
        flow = self.names.flow(frame.function)
        before = flow.before.get(statement, 0) if statement is not None else 0
        name = ast.unparse(receiver)
        last: CallEvent | None = None
        for event in flow.calls:
            func = event.node.func
            if (
                isinstance(func, ast.Attribute)
                and "exec" in func.attr
                and before >> event.index & 1
                and ast.unparse(func.value) == name
                and (last is None or last.index < event.index)
            ):
                last = event
        if last is not None:
            yield from self._deeds_of(last, frame)

    def _deeds_of(self, event: CallEvent, frame: Frame) -> Iterator[Occurrence]:
        deed = self.deeds.of(Place(event.node, frame, event.statement))
        hop = Hop(frame, event)
        if deed.kind in (DeedKind.CHECK, DeedKind.EFFECT):
            yield Occurrence(deed, (hop,))
        elif deed.kind is DeedKind.INNER and frame.function is not None:
            yield from self.runs.of_event(event, frame, _MAX_HELPERS)

    def polarity(self, condition: Condition, frame: Frame) -> Polarity:
        """Whether a condition says that nothing was found, or that something was."""
        if condition.kind == "except":
            return Polarity.ABSENT
        if condition.kind != "test" or not isinstance(condition.node, ast.expr):
            return Polarity.UNKNOWN
        found = self._polarity(condition.node, frame, condition.statement, 0)
        return found if condition.holds else found.inverted()

    def may_say(self, condition: Condition, frame: Frame, polarity: Polarity) -> bool:
        """A look without following calls: whether a condition can say this of what was looked up."""
        if condition.kind == "except":
            return polarity is Polarity.ABSENT
        if condition.kind != "test" or not isinstance(condition.node, ast.expr):
            return False
        node, sought = condition.node, polarity if condition.holds else polarity.inverted()
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node, sought = node.operand, sought.inverted()
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare_polarity(node) is sought
        if isinstance(node, ast.Attribute | ast.Subscript):
            return sought is Polarity.PRESENT
        if isinstance(node, ast.Call):
            func = node.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "bool")
            return sought is Polarity.PRESENT or name == "bool" or name in self.runs.function_names
        return True

    def _polarity(
        self, node: ast.expr, frame: Frame, statement: ast.stmt | None, depth: int
    ) -> Polarity:
        if depth > _MAX_DEPTH:
            return Polarity.UNKNOWN
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._polarity(node.operand, frame, statement, depth + 1).inverted()
        if isinstance(node, ast.Await | ast.NamedExpr):
            return self._polarity(node.value, frame, statement, depth + 1)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare_polarity(node)
        if isinstance(node, ast.BoolOp):
            found = [self._polarity(v, frame, statement, depth + 1) for v in node.values]
            known = [p for p in found if p is not Polarity.UNKNOWN]
            return known[0] if known else Polarity.UNKNOWN
        if isinstance(node, ast.Call):
            return self._call_polarity(node, frame, statement, depth)
        if isinstance(node, ast.Name):
            return self._name_polarity(node, frame, statement, depth)
        return Polarity.PRESENT

    def _compare_polarity(self, node: ast.Compare) -> Polarity:
        operator, right = node.ops[0], node.comparators[0]
        is_none = isinstance(right, ast.Constant) and right.value in (None, 0, "", False)
        if isinstance(right, ast.List | ast.Tuple | ast.Dict) and not ast.unparse(right).strip(
            "[](){}"
        ):
            is_none = True
        if isinstance(operator, ast.Is | ast.Eq) and is_none:
            return Polarity.ABSENT
        if isinstance(operator, ast.IsNot | ast.NotEq) and is_none:
            return Polarity.PRESENT
        if isinstance(operator, ast.Gt | ast.GtE) and isinstance(right, ast.Constant):
            return Polarity.PRESENT if right.value in (0, 1) else Polarity.UNKNOWN
        if isinstance(operator, ast.Lt) and isinstance(right, ast.Constant):
            return Polarity.ABSENT if right.value == 1 else Polarity.UNKNOWN
        if isinstance(operator, ast.In):
            return Polarity.PRESENT
        if isinstance(operator, ast.NotIn):
            return Polarity.ABSENT
        if isinstance(operator, ast.Is) and isinstance(right, ast.Constant) and right.value is True:
            return Polarity.PRESENT
        return Polarity.UNKNOWN

    def _call_polarity(
        self, node: ast.Call, frame: Frame, statement: ast.stmt | None, depth: int
    ) -> Polarity:
        place = Place(node, frame, statement)
        for symbol in self.names.resolve(Place(node.func, frame, statement)):
            if isinstance(symbol, FunctionSymbol):
                inner = self.names.enter(symbol, place)
                for point in self.names.flow(symbol.function).returns:
                    value = point.value
                    if value is None or isinstance(value, ast.Constant):
                        continue
                    return self._polarity(value, inner, point.statement, depth + 1)
                return self._decided_polarity(symbol.function, inner)
            if isinstance(symbol, External) and symbol.path == "bool" and node.args:
                return self._polarity(node.args[0], frame, statement, depth + 1)
            if isinstance(symbol, External) and symbol.path in ("any", "len"):
                return Polarity.PRESENT
        return Polarity.PRESENT

    def _decided_polarity(self, function: Function, frame: Frame) -> Polarity:
        """`return True` under a condition: the helper says what the condition says."""
        for point in self.names.flow(function).returns:
            if isinstance(point.value, ast.Constant) and point.value.value is True:
                for condition in point.conditions:
                    found = self.polarity(condition, frame)
                    if found is not Polarity.UNKNOWN:
                        return found
        return Polarity.PRESENT

    def _name_polarity(
        self, node: ast.Name, frame: Frame, statement: ast.stmt | None, depth: int
    ) -> Polarity:
        if frame.function is not None:
            found = self.names.flow(frame.function).definitions_at(statement, node.id)
            if len(found) == 1 and found[0].kind == "value":
                value = found[0].node
                if isinstance(value, ast.Compare | ast.UnaryOp | ast.BoolOp | ast.Call | ast.Await):
                    return self._polarity(value, frame, found[0].statement, depth + 1)
        return Polarity.PRESENT


def _catches_all(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or last_name(handler.type) in _CATCH_ALL


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block always ends in a return, raise, continue or break."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return _leaves(last.body)
    if isinstance(last, ast.Try):
        return _leaves(last.body) and all(_leaves(h.body) for h in last.handlers)
    return False


def _only_raises(body: list[ast.stmt]) -> bool:
    """Whether every way through a block ends in a `raise`."""
    return _leaves(body) and not any(
        isinstance(inner, ast.Return | ast.Continue | ast.Break) for inner in all_statements(body)
    )


def fresh_origins(origins: Iterable[Origin]) -> list[Origin]:
    """The origins that are new at each run."""
    return [o for o in origins if o.kind in (ValueKind.FRESH, ValueKind.ATTEMPT) and not o.once]

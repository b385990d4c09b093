"""A look into a store that decides whether the same store is written (IDM301)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.deeds import Deed, DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.guards import Polarity
from idemlint.model.selection import Family
from idemlint.model.symbols import Place
from idemlint.model.text import canonical
from idemlint.model.values import ValueKind
from idemlint.model.words import shown
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.flow import CallEvent, Condition, Flow
    from idemlint.model.model import Model
    from idemlint.model.program import Module
    from idemlint.model.runs import Hop, Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["RaceFaults"]

_MAX_HELPERS = 3


class RaceFaults:
    """Looks for inserts that run because a check of the same store found nothing."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The races of the functions of this module; the insert can stand in a helper elsewhere."""
        model = self.model
        writing = model.writers | model.file_writers
        for function in model.functions(module, Family.WRITE | Family.FILE):
            if function.called_words.isdisjoint(writing):
                continue
            flow = model.names.flow(function)
            frame = model.names.frame(function)
            names = model.writers
            if _tells(flow):
                names |= model.file_writers
            for event in flow.calls:
                if (
                    event.name in names
                    and self._can_insert(event, frame)
                    and self._is_checked(event, frame)
                ):
                    for occurrence in self.model.runs.of_event(event, frame, _MAX_HELPERS):
                        evidence = self._race(occurrence)
                        if evidence is not None:
                            yield evidence

    def _can_insert(self, event: CallEvent, frame: Frame) -> bool:
        """Whether a call writes to a store, or is of a function in which something does."""
        deed = self.model.deeds.of(Place(event.node, frame, event.statement))
        if deed.kind is DeedKind.INNER:
            places = self.model.places
            return any(places.of_function(c.function) & Family.WRITE for c in deed.callees)
        return deed.is_effect and deed.store is not None

    def _is_checked(self, event: CallEvent, frame: Frame) -> bool:
        """Whether a look into any store decides if a call runs."""
        assert frame.function is not None
        guards = self.model.guards
        asked = [(condition, Polarity.ABSENT) for condition in event.conditions]
        for point in self.model.names.flow(frame.function).returns:
            asked += [(condition, Polarity.PRESENT) for condition in point.conditions]
        return any(
            source.deed.kind is DeedKind.CHECK and source.deed.store is not None
            for condition, polarity in asked
            if guards.may_say(condition, frame, polarity)
            for source in guards.sources(condition, frame)
        )

    def _race(self, insert: Occurrence) -> Evidence | None:
        deed = insert.deed
        if not deed.is_effect or deed.store is None or not deed.target:
            return None
        if deed.role != "insert" and not (deed.role == "upsert" and self._overwrites_claim(deed)):
            return None
        for hop in insert.hops:
            for condition in hop.event.conditions:
                check = self._check(condition, hop, insert, Polarity.ABSENT)
                if check is not None:
                    if self._is_serialised(insert, check):
                        return None
                    return self._evidence(insert, check)
            check = self._check_by_exit(hop, insert)
            if check is not None and not self._is_serialised(insert, check):
                return self._evidence(insert, check)
        return None

    def _check_by_exit(self, hop: Hop, insert: Occurrence) -> Occurrence | None:
        """A check that leaves the function before the insert when it found something."""
        function = hop.frame.function
        assert function is not None
        bit = 1 << hop.event.index
        for point in self.model.names.flow(function).returns:
            if point.before & bit or not hop.event.before & point.before:
                continue
            for condition in point.conditions:
                check = self._check(condition, hop, insert, Polarity.PRESENT)
                if check is not None and hop.event.before >> check.top.event.index & 1:
                    return check
        return None

    def _overwrites_claim(self, deed: Deed) -> bool:
        """An upsert that a check guards overwrites what another run has just written."""
        return deed.sql is not None and deed.sql.role == "upsert"

    def _check(
        self, condition: Condition, hop: Hop, insert: Occurrence, polarity: Polarity
    ) -> Occurrence | None:
        guards = self.model.guards
        picked: set[ast.AST] = set()
        for source in guards.sources(condition, hop.frame):
            if source.deed.kind is not DeedKind.CHECK or source.deed.store is None:
                continue
            if source.deed.call in picked:
                continue
            if self._picks(source.deed):
                # `filter(…)` in `filter(…).order_by(…).first()` is no look of its own
                picked.update(walk(source.deed.call.func))
                continue
            if not self._same_records(source.deed, insert.deed):
                continue
            if guards.polarity(condition, hop.frame) is not polarity:
                continue
            if condition.kind == "except" and not self._says_missing(condition):
                continue
            if insert.deed.role == "upsert" and not self._insert_tells(insert):
                continue
            if self._is_cache(source, insert, hop) or self._acts_between(source, insert, hop):
                continue
            if self._needs_record(source, hop):
                continue
            if polarity is Polarity.ABSENT and self._has_found(source, hop):
                continue
            return source
        return None

    def _needs_record(self, check: Occurrence, hop: Hop) -> bool:
        """Whether what follows a check runs only when it found something: a change, no insert."""
        return any(
            self._says(condition, Polarity.PRESENT, check, hop)
            for condition in hop.event.conditions
        )

    def _has_found(self, check: Occurrence, hop: Hop) -> bool:
        """Whether the function has left, before the insert, where the check found nothing."""
        function = hop.frame.function
        assert function is not None
        flow = self.model.names.flow(function)
        leaving: list[ast.stmt] = [statement for statement, _ in flow.raises]
        leaving += [point.statement for point in flow.returns]
        return any(
            condition not in hop.event.conditions
            and self._says(condition, Polarity.ABSENT, check, hop)
            for statement in leaving
            if not flow.before.get(statement, 0) >> hop.event.index & 1
            for condition in flow.conditions.get(statement, ())
        )

    def _says(self, condition: Condition, polarity: Polarity, check: Occurrence, hop: Hop) -> bool:
        """Whether a condition says this of what a check found."""
        guards = self.model.guards
        return guards.polarity(condition, hop.frame) is polarity and any(
            source.top.event is check.top.event for source in guards.sources(condition, hop.frame)
        )

    def _says_missing(self, condition: Condition) -> bool:
        """Whether a handler stands for "not there": a look that raises when nothing is found."""
        statement = condition.statement
        return isinstance(statement, ast.Try)

    def _same_records(self, check: Deed, insert: Deed) -> bool:
        if check.target != insert.target:
            return False
        if check.sql is not None and insert.sql is not None:
            text = check.sql.text.lower()
            if "max(" in text or "sum(" in text:
                return False
            asked = set(check.sql.asked)
            if insert.sql.columns and asked and not asked & set(insert.sql.columns):
                return False
            return not ("count(" in text and not asked)
        if check.subject is not None and insert.subject is not None:
            if check.store is not None and (check.store.by_name or check.store.kind == "blob"):
                return canonical(self.model.names, check.subject) == canonical(
                    self.model.names, insert.subject
                )
        return True

    def _picks(self, check: Deed) -> bool:
        """Whether a look picks one of several records, the latest say: it asks for no record."""
        ordering = self.model.knowledge.ordering_names
        if check.sql is not None and " order by " in check.sql.text.lower():
            return True
        return any(
            isinstance(node, ast.Attribute) and node.attr in ordering
            for part in self.model.query_parts(check)
            for node in walk(part)
        )

    def _is_cache(self, check: Occurrence, insert: Occurrence, hop: Hop) -> bool:
        """Whether what was found is handed back: then the write only saves the work."""
        store = insert.deed.store
        if store is None or not (store.caches or store.kind == "blob"):
            return False
        if store.kind == "file":
            return not self._is_claimed_file(insert)
        function = hop.frame.function
        assert function is not None
        flow = self.model.names.flow(function)
        node = check.top.event.node
        answers: list[str] = []
        for point in flow.returns:
            if point.value is None or isinstance(point.value, ast.Constant):
                continue
            if _tells_flag(point.value):
                continue
            if self._derives(point.value, node, hop, point.statement, 0):
                return True
            answers.append(ast.unparse(point.value))
        # the same answer, whether it was there or not: the name says what it holds
        return store.kind == "blob" and len(answers) > 1 and len(set(answers)) == 1

    def _derives(
        self, value: ast.expr, node: ast.AST, hop: Hop, statement: ast.stmt | None, depth: int
    ) -> bool:
        if depth > 4:
            return False
        function = hop.frame.function
        assert function is not None
        flow = self.model.names.flow(function)
        for inner in walk(value):
            if inner is node:
                return True
            if isinstance(inner, ast.Name):
                for definition in flow.definitions_at(statement, inner.id):
                    if isinstance(definition.node, ast.expr) and definition.node is not value:
                        if self._derives(
                            definition.node, node, hop, definition.statement, depth + 1
                        ):
                            return True
        return False

    def _is_claimed_file(self, insert: Occurrence) -> bool:
        """Whether a file stands for a record: its name comes from outside, as its content if it has any."""
        subject = insert.deed.subject
        if subject is None:
            return False
        named = self.model.values.origins(subject)
        content = insert.deed.call.args[:1]
        if not any(o.kind is ValueKind.PARAMETER for o in named):
            return False
        if not content:
            return self._insert_tells(insert)
        place = insert.deed.place
        written = [
            origin
            for value in content
            for origin in self.model.values.origins(Place(value, place.frame, place.statement))
        ]
        return any(o.kind is ValueKind.PARAMETER for o in written) and self._insert_tells(insert)

    def _insert_tells(self, insert: Occurrence) -> bool:
        function = insert.top.frame.function
        assert function is not None
        return _tells(self.model.names.flow(function))

    def _acts_between(self, check: Occurrence, insert: Occurrence, hop: Hop) -> bool:
        """Whether an effect outside of the store runs between the two: then IDM303 speaks."""
        function = hop.frame.function
        assert function is not None
        check_bit = 1 << check.top.event.index
        for other in self.model.runs.occurrences(hop.frame):
            if not other.deed.duplicates or other.deed.own:
                continue
            event = other.top.event
            if event is hop.event:
                continue
            if event.before & check_bit and hop.event.before >> event.index & 1:
                return True
        return False

    def _is_serialised(self, insert: Occurrence, check: Occurrence) -> bool:
        """A lock across processes, a caught violation, or a constraint that is seen."""
        deed = insert.deed
        guards = self.model.guards
        for hop in insert.hops:
            if guards.knows_violation(deed, hop.event, hop.frame, check):
                return True
            if self._is_locked(hop):
                return True
        return self.model.has_unique(deed, check.deed)

    def _is_locked(self, hop: Hop) -> bool:
        model = self.model
        for item in hop.event.contexts:
            target = item.context_expr
            place = Place(target, hop.frame, hop.event.statement)
            paths = model.names.paths(place)
            if isinstance(target, ast.Call):
                paths += model.names.paths(Place(target.func, hop.frame, hop.event.statement))
            for path in paths:
                lock = model.knowledge.lock(path)
                if lock is not None and lock.across_processes:
                    return True
            if isinstance(target, ast.Call) and model.runs_lock(target, hop):
                return True
        function = hop.frame.function
        assert function is not None
        for event in model.names.flow(function).calls:
            if hop.event.surely_before >> event.index & 1:
                deed = model.deeds.of(Place(event.node, hop.frame, event.statement))
                if deed.kind is DeedKind.LOCK:
                    lock = model.knowledge.lock(deed.path)
                    if lock is None or lock.across_processes:
                        return True
                if deed.kind is DeedKind.INNER and model.runs_lock(event.node, hop):
                    return True
        return False

    def _evidence(self, insert: Occurrence, check: Occurrence) -> Evidence:
        deed = insert.deed
        store = deed.store
        assert store is not None
        operation = store.operation or "OP-4"
        reason = (
            "an object or file can be created on condition that it is not there"
            if operation == "OP-3"
            else "one row in a store of your own, which can refuse a second one"
        )
        return Evidence(
            "IDM301",
            deed.place.frame.module,
            deed.call,
            {
                "insert": shown(deed.call.func) + "()",
                "check": shown(check.deed.call.func) + "()",
            },
            operation,
            reason,
            (
                RelatedPlace(
                    check.deed.place.frame.module, check.deed.call, "the check that decides"
                ),
                *(
                    RelatedPlace(
                        hop.frame.module,
                        hop.event.node,
                        f"`{shown(hop.event.node.func)}` leads to the insert",
                    )
                    for hop in insert.hops[:-1]
                ),
            ),
            subject=(insert, check),
        )


def _tells(flow: Flow) -> bool:
    """Whether a function says if it wrote: it returns true and false."""
    told = {_flag(point.value) for point in flow.returns}
    return True in told and False in told


def _flag(value: ast.expr | None) -> bool | None:
    """The truth that a return tells: `True`, `(False, record)`."""
    if isinstance(value, ast.Tuple) and value.elts:
        value = value.elts[0]
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return value.value
    return None


def _tells_flag(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) and _flag(value) is not None

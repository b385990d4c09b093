"""Dedup stores that keep too little, or are written too late (IDM302, IDM303)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.functions import all_statements, classes_of, functions_of
from idemlint.model.guards import GuardKind, Polarity
from idemlint.model.memory import Memory
from idemlint.model.selection import Family
from idemlint.model.symbols import Place
from idemlint.model.words import shown
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.flow import CallEvent, Condition
    from idemlint.model.memory import Container
    from idemlint.model.model import Model
    from idemlint.model.program import Class, Function, Module
    from idemlint.model.runs import Hop, Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["DedupFaults"]

_RECORDING = {"insert", "atomic", "upsert"}
_MAX_HELPERS = 4


class DedupFaults:
    """Looks at what is asked before an effect, and at what is written behind it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.memory = Memory(model.names, model.knowledge, model.runs.function_names)

    def of(self, module: Module) -> Iterator[Evidence]:
        """The faults of the entries and functions of a module."""
        for occurrence in self._occurrences(module):
            if not self._acts(occurrence):
                continue
            evidence = self._remembered(occurrence)
            if evidence is None:
                evidence = self._recorded_late(occurrence)
            if evidence is not None:
                yield evidence
        yield from self._cached(module)
        yield from self._declared(module)

    def _occurrences(self, module: Module) -> Iterator[Occurrence]:
        """What entries do, and what other functions do when they have looked something up."""
        model = self.model
        for entry in model.entries.of(module):
            if entry.function is not None:
                yield from model.runs.occurrences(entry.frame)
        for function in model.functions(module, Family.WRITE | Family.MEMORY):
            frame = model.names.frame(function)
            writes = bool(model.places.of_function(function) & Family.WRITE)
            for event in self._guarded_calls(frame, writes=writes):
                yield from model.runs.of_event(event, frame, _MAX_HELPERS)

    def _guarded_calls(self, frame: Frame, *, writes: bool) -> Iterator[CallEvent]:
        """The calls of a function that can act and stand under a condition that looks something up."""
        assert frame.function is not None
        flow = self.model.names.flow(frame.function)
        writing = self.model.writers | self.model.file_writers
        writes = writes and any(event.name in writing for event in flow.calls)
        known: dict[int, bool] = {}
        for event in flow.calls:
            if not event.conditions or not self.model.runs.is_worthwhile(event, frame.function):
                continue
            for condition in event.conditions:
                looks = known.get(id(condition))
                if looks is None:
                    looks = known[id(condition)] = self._looks_up(condition, frame, writes=writes)
                if looks:
                    yield event
                    break

    def _looks_up(self, condition: Condition, frame: Frame, *, writes: bool) -> bool:
        """Whether a condition holds where a container, or a store, does not hold something."""
        guards = self.model.guards
        if condition.kind != "test" or not guards.may_say(condition, frame, Polarity.ABSENT):
            return False
        return self.memory.looked_up(condition, frame) is not None or (
            writes
            and any(
                source.deed.kind is DeedKind.CHECK and source.deed.store is not None
                for source in guards.sources(condition, frame)
            )
        )

    def _acts(self, occurrence: Occurrence) -> bool:
        """Whether something happens outside of the project's stores that nothing else guards."""
        deed = occurrence.deed
        if not deed.duplicates or (deed.store is not None and deed.store.kind == "file"):
            return False
        return not self.model.quiet.asks(occurrence)

    # memory

    def _remembered(self, occurrence: Occurrence) -> Evidence | None:
        for hop in occurrence.hops:
            for condition in hop.event.conditions:
                container = self.memory.looked_up(condition, hop.frame)
                if container is None or not self._keeps_back(condition, hop, container):
                    continue
                guard = self.model.guards.of(occurrence)
                if guard is not None and guard.kind is not GuardKind.BAD_KEY:
                    return None
                return self._memory_evidence(occurrence, container, condition, hop)
        return None

    def _keeps_back(self, condition: Condition, hop: Hop, container: Container) -> bool:
        """Whether a condition lets the effect run only for what a container does not hold."""
        if self.model.guards.polarity(condition, hop.frame) is not Polarity.ABSENT:
            return False
        function = hop.frame.function
        assert function is not None
        return self._records(function, hop.frame, container) and self.memory.keeps(container)

    def _records(self, function: Function, frame: Frame, container: Container) -> bool:
        """Whether a function puts what it has done into a container, itself or by a call."""
        if self.memory.adds(function, container):
            return True
        for event in self.model.names.flow(function).calls:
            if event.name not in self.model.runs.function_names:
                continue
            deed = self.model.deeds.of(Place(event.node, frame, event.statement))
            for callee in deed.callees:
                if callee.function is not function and self.memory.adds(callee.function, container):
                    return True
        return False

    def _memory_evidence(
        self, occurrence: Occurrence, container: Container, condition: Condition, hop: Hop
    ) -> Evidence:
        deed = occurrence.deed
        return Evidence(
            "IDM302",
            container.module,
            container.statement,
            {"container": container.name, "effect": shown(deed.call.func) + "()"},
            "OP-2" if deed.own else "OP-8",
            "only what survives a restart can tell a repeat",
            (
                RelatedPlace(hop.frame.module, condition.node, "what it holds decides here"),
                RelatedPlace(deed.place.frame.module, deed.call, "the effect that it guards"),
            ),
            subject=(container.statement, occurrence),
        )

    def _cached(self, module: Module) -> Iterator[Evidence]:
        """Functions that act, under a decorator that keeps results in memory."""
        model = self.model
        chunks = model.places.chunks(module, Family.MEMORY)
        for function in functions_of(module, chunks, marked_by="@"):
            if not function.parameters or not function.decorators:
                continue
            decorator = self._caching(function)
            if decorator is None:
                continue
            for occurrence in model.runs.occurrences(model.names.frame(function)):
                if self._acts(occurrence) and model.guards.of(occurrence) is None:
                    yield Evidence(
                        "IDM302",
                        module,
                        decorator,
                        {
                            "container": ast.unparse(
                                decorator.func if isinstance(decorator, ast.Call) else decorator
                            ),
                            "effect": shown(occurrence.deed.call.func) + "()",
                        },
                        "OP-2" if occurrence.deed.own else "OP-8",
                        "only what survives a restart can tell a repeat",
                        (
                            RelatedPlace(
                                occurrence.deed.place.frame.module,
                                occurrence.deed.call,
                                "the effect that it guards",
                            ),
                        ),
                        subject=(decorator, occurrence),
                    )
                    break

    def _caching(self, function: Function) -> ast.expr | None:
        frame = self.model.names.module_frame(function.module)
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            for path in self.model.names.paths(Place(target, frame)):
                if path in self.model.knowledge.memory_decorators:
                    return decorator
        return None

    def _declared(self, module: Module) -> Iterator[Evidence]:
        """Stores of keys, by their name, that keep them in a container."""
        knowledge = self.model.knowledge
        whole = knowledge.is_dedup_store(module.name)
        for chunk in list(module.index.chunks):
            if not chunk.name[:1].isupper() or "test" in chunk.name.lower():
                continue
            if whole or knowledge.is_dedup_store(chunk.name):
                for cls in classes_of(module, [chunk]):
                    found = self._keeping(cls)
                    if found is not None and not self._is_chosen(cls):
                        container, function = found
                        yield Evidence(
                            "IDM302",
                            module,
                            container.statement,
                            {"container": container.name, "effect": f"{cls.name}"},
                            "OP-2",
                            "only what survives a restart can tell a repeat",
                            (
                                RelatedPlace(
                                    module, function.node, "what it holds is looked up here"
                                ),
                            ),
                            subject=(container.statement, None),
                            message=(
                                f"`{container.name}` forgets at a restart which keys "
                                f"`{cls.name}` has seen"
                            ),
                        )

    def _is_chosen(self, cls: Class) -> bool:
        """Whether a store is only made by functions that hand it to a caller who asks for it."""
        made: list[bool] = []
        for module in self.model.neighbours(cls.module, f"{cls.name}("):
            text = module.source.text
            for chunk in list(module.index.chunks):
                if text.find(f"{cls.name}(", chunk.start, chunk.end) < 0:
                    continue
                for function in module.functions_of(chunk):
                    made += [
                        isinstance(event.statement, ast.Return)
                        and event.statement.value is event.node
                        for event in self.model.names.flow(function).calls
                        if event.name == cls.name
                    ]
        return bool(made) and all(made)

    def _keeping(self, cls: Class) -> tuple[Container, Function] | None:
        """The container that a class looks keys up in and puts them into, with the look.

        One that a single method does both with comes first.
        """
        methods = list(cls.methods())
        first: tuple[Container, Function] | None = None
        for function in methods:
            for container in self._looks(function):
                if self.memory.adds(function, container):
                    return container, function
                if first is None and any(self.memory.adds(other, container) for other in methods):
                    first = container, function
        return first

    def _looks(self, function: Function) -> Iterator[Container]:
        """The containers that a method looks a key up in."""
        frame = self.model.names.frame(function)
        for event in self.model.names.flow(function).calls:
            func = event.node.func
            if event.name == "get" and isinstance(func, ast.Attribute) and event.node.args:
                if self._is_key(event.node.args[0]):
                    yield from self.memory.named(func.value, frame, event.statement)
        for statement in all_statements(function.body):
            if not isinstance(statement, ast.If):
                continue
            for node in walk(statement.test):
                if isinstance(node, ast.Compare) and self._is_key(node.left):
                    if isinstance(node.ops[0], ast.In | ast.NotIn):
                        yield from self.memory.named(node.comparators[0], frame, statement)

    def _is_key(self, node: ast.expr) -> bool:
        """`key`, `request_id`, or what is made of them."""
        if not isinstance(node, ast.Name):
            return False
        name = node.id
        return name == "key" or name.endswith("_id") or self.model.knowledge.is_key_name(name)

    # late records

    def _recorded_late(self, occurrence: Occurrence) -> Evidence | None:
        record = self.late_record(occurrence)
        if record is None:
            return None
        deed = occurrence.deed
        related = [
            RelatedPlace(
                record.deed.place.frame.module, record.deed.call, "the record that comes too late"
            )
        ]
        for hop in occurrence.hops[:-1]:
            label = f"`{shown(hop.event.node.func)}` leads to the effect"
            related.append(RelatedPlace(hop.frame.module, hop.event.node, label))
        if deed.undo:
            operation, reason = (
                "OP-5",
                f"the effect can be undone ({deed.undo}) if the record fails",
            )
        else:
            operation, reason = "OP-8", "a record that is pending shows that the effect was begun"
        return Evidence(
            "IDM303",
            deed.place.frame.module,
            deed.call,
            {"effect": shown(deed.call.func) + "()"},
            operation,
            reason,
            tuple(related),
            subject=(occurrence, record),
        )

    def late_record(self, occurrence: Occurrence) -> Occurrence | None:
        """The record that is looked up before an effect and first written behind it."""
        if occurrence.deed.own:
            return None
        guard = self.model.guards.of(occurrence)
        if guard is None or guard.kind is not GuardKind.LOOKUP or guard.deed is None:
            return None
        check, hop = guard.deed, guard.hop
        if not check.target:
            return None
        bit = 1 << hop.event.index
        late: Occurrence | None = None
        for other in self.model.runs.occurrences(hop.frame):
            deed = other.deed
            if not deed.is_effect or deed.role not in _RECORDING or deed.target != check.target:
                continue
            event = other.top.event
            if event is hop.event or hop.event.before >> event.index & 1:
                return None
            if event.before & bit:
                late = late or other
        if late is None or self._is_cache(occurrence, late, check.target):
            return None
        return late

    def _is_cache(self, effect: Occurrence, record: Occurrence, target: str) -> bool:
        """Whether an answer of a plain request is kept to save the next one."""
        deed, store = effect.deed, record.deed.store
        if not deed.method or deed.host is not None or store is None:
            return False
        if store.kind not in ("kv", "file", "blob"):
            return False
        value = record.deed.call.args[1:2] or [k.value for k in record.deed.call.keywords]
        frame = record.leaf.frame
        if frame.function is None:
            return False
        flow = self.model.names.flow(frame.function)
        waiting, seen = list(value), 0
        while waiting and seen < 40:
            node = waiting.pop()
            seen += 1
            for inner in walk(node):
                if inner is effect.top.event.node or inner is deed.call:
                    return True
                if isinstance(inner, ast.Name):
                    waiting += [
                        found.node
                        for found in flow.definitions_at(record.leaf.event.statement, inner.id)
                        if isinstance(found.node, ast.expr) and found.node is not node
                    ]
        return False

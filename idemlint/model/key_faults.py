"""Keys and identities that differ on a replay (IDM101, 102, 103, 104, 105, 202)."""

from __future__ import annotations

import ast
import bisect
from typing import TYPE_CHECKING

from idemlint.model.entries import Entry, EntryKind
from idemlint.model.evidence import Evidence, RelatedPlace
from idemlint.model.functions import all_statements
from idemlint.model.guards import GuardKind, fresh_origins
from idemlint.model.selection import Family
from idemlint.model.symbols import Place
from idemlint.model.values import Origin, ValueKind
from idemlint.model.words import shown
from idemlint.source.gate import Scan
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.keys import KeyUse
    from idemlint.model.model import Model
    from idemlint.model.program import Function, Module
    from idemlint.model.retries import Retrying
    from idemlint.model.runs import Occurrence
    from idemlint.model.symbols import Frame

__all__ = ["KeyFaults"]

_CODES = {
    ValueKind.FRESH: "IDM101",
    ValueKind.ATTEMPT: "IDM101",
    ValueKind.CLOCK: "IDM102",
    ValueKind.UNSTABLE: "IDM104",
    ValueKind.CALL_ID: "IDM105",
}
_ANYWHERE = {ValueKind.CLOCK, ValueKind.UNSTABLE, ValueKind.CALL_ID}
_FINE_CLOCKS = {"time", "recorded value"}


class KeyFaults:
    """Looks at every key that an effect or a guard uses."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def of(self, module: Module) -> Iterator[Evidence]:
        """The faults whose effect is reached from this module; they may start in another one."""
        model = self.model
        for entry in model.entries.of(module):
            if entry.function is not None:
                for occurrence in model.runs.occurrences(entry.frame):
                    yield from self._in_entry(entry, occurrence)
            if entry.is_tool:
                yield from self._defaults(entry)
        seen: set[ast.AST] = set()
        helpers: set[str] = set()
        for function in model.functions(module, Family.KEY):
            seen.add(function.node)
            yield from self._in_function(function)
            if self._is_given_key(function):
                helpers.add(function.name)
        for function in self._callers(module, helpers):
            if function.node not in seen:
                seen.add(function.node)
                yield from self._in_function(function)
        for function in model.functions(module, Family.RETRY):
            if function.node not in seen:
                yield from self._in_retry(function)

    def _is_given_key(self, function: Function) -> bool:
        """Whether a function sends a key that it takes under a name which says nothing."""
        return any(
            origin.kind is ValueKind.PARAMETER
            and not origin.key
            and function.parameter(origin.name) is not None
            and not self.model.knowledge.is_key_name(origin.name)
            for occurrence in self.model.runs.occurrences(self.model.names.frame(function))
            for use in self._uses(occurrence)
            for origin in use.origins
        )

    def _callers(self, module: Module, names: set[str]) -> Iterator[Function]:
        """The functions of a module in whose text one of these functions is called."""
        if not names:
            return
        called = Scan([f"{name}(" for name in sorted(names)])
        offsets = [offset for offset, _ in called.places(module.source.text)]
        for chunk in list(module.index.chunks):
            first = bisect.bisect_left(offsets, chunk.start)
            if first < len(offsets) and offsets[first] < chunk.end:
                yield from module.functions_of(chunk)

    # entries

    def _in_entry(self, entry: Entry, occurrence: Occurrence) -> Iterator[Evidence]:
        for use in self._uses(occurrence):
            yield from self._judge(use, entry, occurrence, None)
        if occurrence.deed.is_effect:
            yield from self._identities(entry, occurrence)

    def _uses(self, occurrence: Occurrence) -> list[KeyUse]:
        deed = occurrence.deed
        if not deed.is_effect and deed.role != "check" and not deed.reason:
            return []
        uses = self.model.keys.of(deed)
        if deed.role == "check":
            return [u for u in uses if self.model.knowledge.is_key_name(u.name)]
        return uses

    def _judge(
        self,
        use: KeyUse,
        entry: Entry | None,
        occurrence: Occurrence,
        retrying: Retrying | None,
    ) -> Iterator[Evidence]:
        bad = self._counted(use, entry)
        if any(origin.kind in (ValueKind.FRESH, ValueKind.ATTEMPT) for origin in bad):
            # what is new at each run is the cause; a clock or hash beside it changes nothing
            bad = [o for o in bad if o.kind in (ValueKind.FRESH, ValueKind.ATTEMPT)]
        for origin in bad:
            code = _CODES[origin.kind]
            if (
                code == "IDM101"
                and entry is not None
                and self._is_kept_in_state(use, origin, entry)
            ):
                yield self._key_evidence("IDM202", use, origin, entry, occurrence, retrying)
                continue
            yield self._key_evidence(code, use, origin, entry, occurrence, retrying)

    def _counted(self, use: KeyUse, entry: Entry | None) -> list[Origin]:
        """The origins that are a fault: made anew, or once a process as a tool's default."""
        found = []
        for origin in use.origins:
            if origin.kind not in _CODES:
                continue
            if origin.once and not self._is_default(origin, entry):
                continue
            found.append(origin)
        return found

    def _is_default(self, origin: Origin, entry: Entry | None) -> bool:
        """Whether an origin is the default of a parameter of the entry."""
        if entry is None or entry.function is None or origin.kind is not ValueKind.FRESH:
            return False
        return any(origin.node in walk(default) for default in entry.function.defaults.values())

    def _is_kept_in_state(self, use: KeyUse, origin: Origin, entry: Entry) -> bool:
        """Whether a node takes the key from its state and makes it where the state has none."""
        if entry.kind is not EntryKind.NODE or entry.function is None:
            return False
        names = [n for n in entry.function.positional if n != entry.function.self_name]
        return (
            bool(names)
            and any(_reads(o, names[0]) for o in use.origins)
            and (origin.fallback or self._is_made_where_missing(origin, entry.frame, names[0]))
        )

    def _is_made_where_missing(self, origin: Origin, frame: Frame, state: str) -> bool:
        """Whether a node makes a value in a branch that depends on what its state has."""
        assert frame.function is not None
        flow = self.model.names.flow(frame.function)
        return any(
            _reads(found, state)
            for statement, conditions in flow.conditions.items()
            if conditions and origin.node in walk(statement)
            for condition in conditions
            if isinstance(condition.node, ast.expr)
            for part in walk(condition.node)
            if isinstance(part, ast.Name | ast.Call | ast.Subscript)
            for found in self.model.values.origins(Place(part, frame, condition.statement))
        )

    def _key_evidence(
        self,
        code: str,
        use: KeyUse,
        origin: Origin,
        entry: Entry | None,
        occurrence: Occurrence,
        retrying: Retrying | None,
    ) -> Evidence:
        node: ast.AST = origin.node
        module = origin.module
        if code == "IDM105":
            node, module = self._filling(use, origin)
        elif code == "IDM202" and entry is not None:
            node = self._assignment(origin, entry) or origin.node
        in_node = entry is not None and entry.kind is EntryKind.NODE
        operation = "OP-6" if in_node and code in ("IDM101", "IDM202") else "OP-1"
        reason = (
            "a node runs from its start again, so its key has to come from the state"
            if operation == "OP-6"
            else f"{use.deed.title or 'the receiver'} can tell a repeat by its key"
        )
        message = ""
        if origin.once and code == "IDM101":
            message = (
                f"`{shown(origin.node)}` is made once a process, so all calls share it as "
                f"`{use.name}` and the second intent is dropped"
            )
        elif origin.kind is ValueKind.ATTEMPT:
            message = (
                f"`{shown(origin.node)}` counts the attempts, so as part of `{use.name}` it makes "
                "each attempt another operation"
            )
        elif code == "IDM105" and origin.note:
            message = (
                f"`{shown(node)}` is new when {origin.note}, so as `{use.name}` it cannot show "
                "a repeat"
            )
        return Evidence(
            code,
            module,
            node,
            {
                "value": shown(origin.node),
                "position": use.name,
                "key": use.name,
                "body": entry.name if entry is not None else "",
            },
            operation,
            reason,
            tuple(self._related(use, origin, occurrence, node)),
            entry,
            subject=(use, origin, occurrence, retrying),
            message=message,
            suggestion=self._suggestion(code, use, origin, entry, retrying),
        )

    def _filling(self, use: KeyUse, origin: Origin) -> tuple[ast.AST, Module]:
        """The first expression that holds the id of a call and goes to the place of the key."""
        ways = [
            (use.place.node, use.place.frame.module),
            *((step.node, step.module) for step in (*use.steps, *origin.steps)),
        ]
        for node, module in ways:
            if isinstance(node, ast.expr) and origin.node in walk(node):
                return node, module
        return ways[0]

    def _assignment(self, origin: Origin, entry: Entry) -> ast.stmt | None:
        """Where a node puts the key that it makes into its state, else where it sets a name to it."""
        function = entry.function
        assert function is not None
        state = next(n for n in function.positional if n != function.self_name)
        made = {origin.node, *(step.node for step in origin.steps)}
        flow = self.model.names.flow(function)
        fallback: ast.stmt | None = None
        for statement in all_statements(function.body):
            if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
                continue
            inside = not made.isdisjoint(walk(statement.value))
            if inside:
                fallback = fallback or statement
            elif isinstance(statement.value, ast.Name):
                inside = any(
                    definition.node is not None and not made.isdisjoint(walk(definition.node))
                    for definition in flow.definitions_at(statement, statement.value.id)
                )
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if inside and any(_is_part_of(target, state) for target in targets):
                return statement
        return fallback

    def _suggestion(
        self,
        code: str,
        use: KeyUse,
        origin: Origin,
        entry: Entry | None,
        retrying: Retrying | None,
    ) -> str:
        """What to do with a key that is made here; empty where the rule's own words say it."""
        if code != "IDM101" or origin.kind is not ValueKind.FRESH:
            return ""
        if retrying is not None:
            return f"Make `{shown(origin.node)}` once, before the retries, for all attempts"
        if entry is None:
            return ""
        if entry.kind is EntryKind.NODE:
            return f"Take `{use.name}` from state that an earlier node wrote"
        if entry.is_tool and not origin.once:
            return f"Let `{entry.name}` take `{use.name}` from its caller"
        return ""

    def _related(
        self, use: KeyUse, origin: Origin, occurrence: Occurrence, node: ast.AST
    ) -> Iterator[RelatedPlace]:
        seen: set[int] = {id(node)}
        for step in (*origin.steps, *use.steps):
            if id(step.node) not in seen and use.node not in walk(step.node)[1:]:
                seen.add(id(step.node))
                yield RelatedPlace(step.module, step.node, step.label)
        if id(use.node) not in seen:
            yield RelatedPlace(use.place.frame.module, use.node, f"used as `{use.name}` here")
        for hop in occurrence.hops[:-1]:
            if id(hop.event.node) not in seen:
                seen.add(id(hop.event.node))
                label = f"`{shown(hop.event.node.func)}` leads to the call"
                yield RelatedPlace(hop.frame.module, hop.event.node, label)
        if id(occurrence.deed.call) not in seen:
            yield RelatedPlace(
                occurrence.deed.place.frame.module, occurrence.deed.call, "the call that it is for"
            )

    # identities

    def _identities(self, entry: Entry, occurrence: Occurrence) -> Iterator[Evidence]:
        deed = occurrence.deed
        if deed.does not in ("create", "upload", "send", "update", "publish"):
            return
        if deed.does == "update" and deed.role not in ("upsert", "") and deed.method != "PUT":
            return
        if deed.store is not None and deed.store.kind == "file":
            return
        tools = self.model.tools
        if entry.is_tool and (tools.serves_the_work(entry, deed) or tools.is_copy(entry, deed)):
            return
        uses = self.model.keys.identities(deed)
        if not uses:
            return
        for use in uses:
            if deed.sql is not None and deed.sql.conflict and use.name not in deed.sql.conflict:
                continue
            if deed.role == "atomic" and deed.sql is not None and not deed.sql.conflict:
                continue
            origins = self._identity_origins(use)
            if not origins:
                continue
            guard = self.model.guards.of(occurrence)
            if guard is not None and guard.protects and guard.kind is not GuardKind.LOOKUP:
                continue
            for origin in origins:
                yield self._identity_evidence(use, origin, entry, occurrence)

    def _identity_origins(self, use: KeyUse) -> list[Origin]:
        fresh = fresh_origins(use.origins)
        if fresh:
            return fresh
        if any(o.kind in (ValueKind.PARAMETER, ValueKind.UNKNOWN) for o in use.origins):
            return []
        return [
            o
            for o in use.origins
            if o.kind is ValueKind.CLOCK and not o.once and o.note in _FINE_CLOCKS
        ]

    def _identity_evidence(
        self, use: KeyUse, origin: Origin, entry: Entry, occurrence: Occurrence
    ) -> Evidence:
        deed = occurrence.deed
        if deed.key is not None and deed.key_is_certain and not deed.own:
            operation, reason = "OP-1", f"{deed.title} takes a key of its own"
        elif deed.store is not None and deed.store.kind in ("blob", "file"):
            operation, reason = "OP-3", "an object can be named after what it holds"
        else:
            operation, reason = "OP-4", "a unique identity lets the store refuse the second record"
        return Evidence(
            "IDM103",
            origin.module,
            origin.node,
            {
                "value": shown(origin.node),
                "position": f"`{use.name}` in {deed.title}" if deed.title else f"`{use.name}`",
            },
            operation,
            reason,
            tuple(self._related(use, origin, occurrence, origin.node)),
            entry,
            subject=(use, origin, occurrence, None),
        )

    # schemas

    def _defaults(self, entry: Entry) -> Iterator[Evidence]:
        """A key parameter whose default generates it."""
        for parameter in self.model.entries.key_parameters(entry):
            if parameter.default is None or parameter.source != "field":
                continue
            for origin in self.model.values.field_default(parameter.default):
                if origin.kind not in (ValueKind.FRESH, ValueKind.CLOCK):
                    continue
                code = _CODES[origin.kind]
                message = ""
                if origin.once:
                    message = (
                        f"`{shown(origin.node)}` is made once a process, so all calls share it as "
                        f"`{parameter.name}` and the second intent is dropped"
                    )
                yield Evidence(
                    code,
                    origin.module,
                    origin.node,
                    {"value": shown(origin.node), "position": parameter.name, "body": entry.name},
                    "OP-1",
                    "the model has to send the key again, so it cannot be made when it is left out",
                    (
                        RelatedPlace(
                            parameter.module, parameter.node, f"the default of `{parameter.name}`"
                        ),
                    ),
                    entry,
                    subject=parameter,
                    message=message,
                )

    # every function

    def _in_function(self, function: Function) -> Iterator[Evidence]:
        model = self.model
        frame = model.names.frame(function)
        decorated = model.retries.decorator(function)
        for occurrence in model.runs.occurrences(frame):
            uses = self._uses(occurrence)
            if not uses:
                continue
            retrying = decorated or model.retries.again(occurrence.top.event, frame)
            for use in uses:
                bad = self._counted(use, None)
                fresh = fresh_origins(bad)
                if retrying is not None:
                    yield from self._made_anew(use, fresh, function, occurrence, retrying)
                if fresh:
                    continue
                for origin in bad:
                    yield self._key_evidence(
                        _CODES[origin.kind], use, origin, None, occurrence, retrying
                    )

    def _in_retry(self, function: Function) -> Iterator[Evidence]:
        """Keys made anew for each attempt, by a helper: no word of the function says that it has one."""
        model = self.model
        frame = model.names.frame(function)
        decorated = model.retries.decorator(function)
        for occurrence in model.retried.occurrences(function, frame):
            retrying = decorated or model.retries.again(occurrence.top.event, frame)
            if retrying is None:
                continue
            for use in self._uses(occurrence):
                fresh = fresh_origins(self._counted(use, None))
                yield from self._made_anew(use, fresh, function, occurrence, retrying)

    def _made_anew(
        self,
        use: KeyUse,
        fresh: list[Origin],
        function: Function,
        occurrence: Occurrence,
        retrying: Retrying,
    ) -> Iterator[Evidence]:
        for origin in fresh:
            if self._is_made_inside(use, origin, retrying, function):
                yield self._key_evidence("IDM101", use, origin, None, occurrence, retrying)

    def _is_made_inside(
        self, use: KeyUse, origin: Origin, retrying: Retrying, function: Function
    ) -> bool:
        """Whether the value is made within what is run again, not before it."""
        region = retrying.statement if retrying.statement is not None else function.node
        inside = set(map(id, walk(region)))
        body = set(map(id, walk(function.node)))
        steps = (step.node for step in (*use.steps, *origin.steps))
        ways = [node for node in (*steps, origin.node) if id(node) in body]
        later = _nested(function)
        # the last of the ways that runs with the body makes it; what is nested runs where it is called
        makers = [node for node in ways if id(node) not in later][-1:] or ways
        return any(id(node) in inside for node in makers)


def _nested(function: Function) -> set[int]:
    """The nodes of the functions inside of a function."""
    return {
        id(node)
        for inner in walk(function.node)
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        and inner is not function.node
        for node in walk(inner)
        if node is not inner
    }


def _reads(origin: Origin, state: str) -> bool:
    """Whether a value is a field of a state."""
    return origin.kind is ValueKind.PARAMETER and origin.name == state and bool(origin.key)


def _is_part_of(target: ast.expr, name: str) -> bool:
    """`name["field"]` or `name.field`."""
    return (
        isinstance(target, ast.Subscript | ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == name
    )

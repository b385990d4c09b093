"""What one call does: an effect, a look into a store, a pause, a call into the program, nothing."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from idemlint.model.arguments import argument, given
from idemlint.model.flow import last_name
from idemlint.model.names import BUILTINS
from idemlint.model.sql import SqlText, read_sql
from idemlint.model.symbols import (
    ClassSymbol,
    Constant,
    External,
    FunctionSymbol,
    Instance,
    Place,
)
from idemlint.model.text import HOLE, canonical, constants, text_of
from idemlint.model.tool_names import ToolNames
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge, StoreRole
    from idemlint.model.names import Names
    from idemlint.model.program import Class, Function, Module
    from idemlint.model.symbols import Symbol
    from idemlint.model.values import Entry, Step, Values

__all__ = ["Deed", "DeedKind", "Deeds", "argument"]

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
_OVERWRITING_METHODS = {"PUT", "PATCH", "DELETE"}
_BODY_ARGUMENTS = ("json", "data", "content", "body", "params", "files", "fields")
_READ_ROLES = {"check", "schema", "commit", "lock"}
_UPDATING = {"update", "upsert"}
_MAX_CHAIN = 4
"""How many variables a chain of calls is followed through."""


class DeedKind(enum.Enum):
    """The kinds of deeds."""

    EFFECT = "effect"
    CHECK = "check"
    LOCK = "lock"
    COMMIT = "commit"
    PAUSE = "pause"
    INNER = "inner"
    QUIET = "quiet"
    OPAQUE = "opaque"


@dataclass(slots=True, eq=False)  # made by the hundred thousand, and three times as fast as frozen
class Deed:
    """What a call does.

    For an effect: `does` is its class (for an opaque call what its name says), `repeat`
    what a second run with the same arguments does (duplicates, harmless, overwrites, refused),
    `title` names the receiver for the reader, `key` the place of a native key. For a store:
    `store`, `role`, `target` (two calls with the same one speak of the same records), `subject`
    (the argument that names the record).
    """

    kind: DeedKind
    place: Place
    path: str = ""
    does: str = ""
    repeat: str = ""
    title: str = ""
    own: bool = False
    undo: str = ""
    operation: str = ""
    key: rows.Slot | None = None
    key_is_certain: bool = True
    identity: rows.Slot | None = None
    automatic_key: str = ""
    effect: rows.Effect | None = None
    method: str = ""
    url: str = ""
    host: rows.Host | None = None
    store: rows.Store | None = None
    role: str = ""
    target: str = ""
    subject: Place | None = None
    sql: SqlText | None = None
    pause: rows.Pause | None = None
    callees: tuple[FunctionSymbol, ...] = ()
    reason: str = ""

    @property
    def call(self) -> ast.Call:
        """The call itself."""
        assert isinstance(self.place.node, ast.Call)
        return self.place.node

    @property
    def is_effect(self) -> bool:
        """Whether it changes something outside the process."""
        return self.kind is DeedKind.EFFECT

    @property
    def duplicates(self) -> bool:
        """Whether a second run does it a second time."""
        return self.kind is DeedKind.EFFECT and self.repeat == "duplicates"

    @property
    def is_relative(self) -> bool:
        """Whether it changes a record relative to what is there: its identity tells no repeat."""
        return self.role in _UPDATING and self.duplicates


class SlotValue(NamedTuple):
    """A value in a slot: the name of the slot, its place, what to show for it, what led there."""

    name: str
    place: Place
    node: ast.AST
    steps: tuple[Step, ...] = ()


class Deeds:
    """Says what calls do."""

    def __init__(self, names: Names, values: Values, knowledge: Knowledge) -> None:
        self.names = names
        self.values = values
        self.knowledge = knowledge
        self.reader = ToolNames(knowledge)

    def of(self, place: Place) -> Deed:
        """What the call at `place` does."""
        memo = place.frame.memo
        key = ("deed", place.node)
        made: Deed | None = memo.get(key)
        if made is None:
            made = memo[key] = self._decide(place)
        return made

    def _decide(self, place: Place) -> Deed:
        call = place.node
        assert isinstance(call, ast.Call)
        if isinstance(call.func, ast.Attribute):
            kind = self.knowledge.quiet_names.get(last_name(call.func.value))
            if kind in ("logging", "telemetry"):
                return Deed(DeedKind.QUIET, place, reason=kind)
        symbols = self.names.resolve(Place(call.func, place.frame, place.statement))
        functions: list[FunctionSymbol] = []
        others: list[Symbol] = []
        for symbol in symbols:
            if isinstance(symbol, FunctionSymbol):
                functions.append(symbol)
            elif isinstance(symbol, Instance):
                method = self.names.method(symbol.cls, "__call__")
                if method is not None:
                    functions.append(FunctionSymbol(method, symbol))
            else:
                others.append(symbol)
        for symbol in others:
            if isinstance(symbol, External):
                given = place if symbol.preset is None else _with_preset(place, symbol.preset)
                deed = self._outside(symbol, given, given.node)  # type: ignore[arg-type]
                if deed is not None and deed.kind is not DeedKind.OPAQUE:
                    return deed
        for function in functions:
            path = function.function.qualified_name
            for row in self.knowledge.pauses(self.knowledge.alias(path)):
                return Deed(DeedKind.PAUSE, place, path, pause=row)
        if self.knowledge.own_packages:
            for function in functions:
                told = self._told_by_own_row(function, place, call)
                if told is not None:
                    return told
        if functions and all(_is_abstract(function.function) for function in functions):
            name = functions[0].function.name
            does = "" if self.reader.is_noun(name) else self.named(name)
            return Deed(
                DeedKind.OPAQUE, place, does=does, reason="abstract", callees=tuple(functions)
            )
        if functions:
            return Deed(DeedKind.INNER, place, callees=tuple(functions))
        if any(isinstance(symbol, ClassSymbol) for symbol in others):
            return self._constructed(place, call, others)
        if isinstance(call.func, ast.Attribute) and others:
            if self.knowledge.is_turn(last_name(call.func.value), call.func.attr):
                return Deed(DeedKind.QUIET, place, reason="model")
        for symbol in others:
            if isinstance(symbol, External):
                does = self._named_method(symbol, call)
                return Deed(DeedKind.OPAQUE, place, symbol.path, does, reason="no row")
        return self._unresolved(place, call)

    def _told_by_own_row(self, symbol: FunctionSymbol, place: Place, call: ast.Call) -> Deed | None:
        """What a row of the project says of a function of the project: its body is not looked at."""
        function = symbol.function
        owners = [function.owner]
        if isinstance(symbol.receiver, Instance | ClassSymbol):
            owners.insert(0, symbol.receiver.cls)
        paths = []
        for owner in owners:
            path = owner.qualified_name if owner is not None else function.qualified_name
            if self.knowledge.is_own(path):
                path = self.knowledge.alias(path)
                paths.append(path if owner is None else f"{path}.{function.name}")
        if paths:
            paths.append(_imported_path(call.func, place.frame.module))
        for path in filter(None, paths):
            deed = self._outside(External(path), place, call)
            if deed is not None and deed.kind is not DeedKind.OPAQUE:
                if deed.reason != "construction":
                    return deed
        return None

    def _named_method(self, symbol: External, call: ast.Call) -> str:
        """What the name says that a method of another library's object does; empty if nothing."""
        if not isinstance(call.func, ast.Attribute) or not (call.args or call.keywords):
            return ""
        if self.knowledge.caller(symbol.path) is not None:
            return ""
        if call.func.attr in self.knowledge.container_methods:
            return ""
        owner = symbol.path.rpartition(".")[0].rpartition(".")[2]
        if symbol.made is None and not owner[:1].isupper():
            return ""
        if symbol.made is None and self.knowledge.is_factory(owner, call.func.attr):
            return ""
        return self.named(call.func.attr)

    def named(self, name: str) -> str:
        """What a call of that name does, where the name alone is enough to tell; else empty."""
        reading = self.reader.read(name)
        return reading.verb.does if reading.verb is not None and reading.report == "yes" else ""

    def _agreed_name(self, method: str, place: Place) -> str:
        """What a method of an unknown object does, where the function around it is named alike."""
        function = place.frame.function
        if function is None:
            return ""
        if method in self.knowledge.container_methods or self.reader.is_noun(method):
            return ""
        does = self.named(method)
        return does if does and self.named(function.name) == does else ""

    def _constructed(self, place: Place, call: ast.Call, symbols: list[Symbol]) -> Deed:
        for symbol in symbols:
            for path in self.names.paths_of(symbol):
                for row in self.knowledge.pauses(path):
                    return Deed(DeedKind.PAUSE, place, path, pause=row)
        return Deed(DeedKind.QUIET, place, reason="construction")

    def _unresolved(self, place: Place, call: ast.Call) -> Deed:
        """A call of an unknown object: a SQL text speaks for itself, a logger by its name."""
        if isinstance(call.func, ast.Attribute):
            name = last_name(call.func.value)
            if name in self.knowledge.quiet_names:
                return Deed(DeedKind.QUIET, place, reason=self.knowledge.quiet_names[name])
            if self.knowledge.is_turn(name, call.func.attr):
                return Deed(DeedKind.QUIET, place, reason="model")
            deed = self._store(f"?.{call.func.attr}", place, call)
            if deed is not None:
                return deed
            if call.func.attr in self.knowledge.pure_methods:
                return Deed(DeedKind.QUIET, place, reason="pure")
            does = self._agreed_name(call.func.attr, place)
            return Deed(
                DeedKind.OPAQUE, place, f"?.{call.func.attr}", does, reason="unknown object"
            )
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        return Deed(DeedKind.OPAQUE, place, name, reason="unknown function")

    # calls that leave the program

    def _outside(self, symbol: External, place: Place, call: ast.Call) -> Deed | None:
        path = symbol.path
        pause = next(iter(self.knowledge.pauses(path)), None)
        if pause is not None:
            return Deed(DeedKind.PAUSE, place, path, pause=pause)
        caller = self.knowledge.caller(path)
        if caller is not None and not caller.later and len(call.args) > caller.calls:
            inner = Place(call.args[caller.calls], place.frame, place.statement)
            functions = [s for s in self.names.resolve(inner) if isinstance(s, FunctionSymbol)]
            if functions:
                return Deed(DeedKind.INNER, place, callees=tuple(functions))
            for given in self.names.resolve(inner):
                if isinstance(given, External):
                    return self._outside(given, place, call)
        graph = self.knowledge.graph_runs.get(path)
        if graph is not None:
            return self._graph_run(graph, symbol, place, path)
        for decide in (self._http, self._provider, self._token, self._store_call):
            deed = decide(symbol, place, call)
            if deed is not None:
                return deed
        if self.knowledge.lock(path) is not None:
            return Deed(DeedKind.LOCK, place, path)
        quiet = self.knowledge.quiet(path)
        if quiet is not None:
            return Deed(DeedKind.QUIET, place, path, reason=quiet.kind)
        if self.knowledge.value(path) is not None or path.partition(".")[0] in BUILTINS:
            return Deed(DeedKind.QUIET, place, path, reason="pure")
        if path.rpartition(".")[2][:1].isupper():
            return Deed(DeedKind.QUIET, place, path, reason="construction")
        return Deed(DeedKind.OPAQUE, place, path, reason="no row")

    def _graph_run(self, row: rows.Graph, symbol: External, place: Place, path: str) -> Deed:
        """Running a graph of the project: what its nodes do, pauses included, happens here."""
        nodes: list[FunctionSymbol] = []
        made = symbol.made
        if made is not None and isinstance(made.node, ast.Call):
            func = made.node.func
            if isinstance(func, ast.Attribute):
                graph = canonical(self.names, Place(func.value, made.frame, made.statement))
                for call in self._calls_on(graph, row.add, made):
                    node = call.node
                    assert isinstance(node, ast.Call)
                    body = argument(node, row.body)
                    if body is not None:
                        where = Place(body, call.frame, call.statement)
                        nodes.extend(
                            s for s in self.names.resolve(where) if isinstance(s, FunctionSymbol)
                        )
        if nodes:
            return Deed(DeedKind.INNER, place, path, callees=tuple(nodes), reason="graph")
        return Deed(DeedKind.QUIET, place, path, reason="framework")

    def _calls_on(self, receiver: str, name: str, near: Place) -> Iterator[Place]:
        """The calls `receiver.name(…)` in the function or module of a place."""
        frame = near.frame
        events: list[tuple[ast.Call, ast.stmt | None]]
        if frame.function is not None:
            events = [(e.node, e.statement) for e in self.names.flow(frame.function).calls]
        else:
            events = [
                (node, None)
                for statement in frame.module.statements()
                if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                for node in walk(statement)
                if isinstance(node, ast.Call)
            ]
        for node, statement in events:
            func = node.func
            if isinstance(func, ast.Attribute) and func.attr == name:
                if canonical(self.names, Place(func.value, frame, statement)) == receiver:
                    yield Place(node, frame, statement)

    def _provider(self, symbol: External, place: Place, call: ast.Call) -> Deed | None:
        row = self.knowledge.effect(symbol.path)
        if row is None:
            return None
        if row.own and self._store_call(symbol, place, call) is not None:
            return None
        return self._effect(row, symbol.path, place)

    def _effect(self, row: rows.Effect, path: str, place: Place) -> Deed:
        repeat = row.repeat
        call = place.node
        assert isinstance(call, ast.Call)
        if repeat == "duplicates" and row.condition is not None:
            if self._fills(row.condition, call) or self._sets(row.condition.attribute, place):
                repeat = "refused"
        if row.named_at and self._is_harmless_by_name(self._given(place, row.named_at)):
            repeat = "harmless"
        deed = Deed(
            DeedKind.EFFECT,
            place,
            path,
            does=row.does,
            repeat=repeat,
            title=row.provider,
            own=row.own,
            undo=row.undo,
            operation=row.operation,
            key=row.key,
            key_is_certain=not row.when or (row.when == "fifo" and self._is_fifo(place)),
            identity=row.identity,
            automatic_key=row.automatic_key,
            effect=row,
        )
        if row.requests is not None and not self._repeats_a_request(deed, row.requests):
            return replace(deed, repeat="harmless")
        return deed

    def _repeats_a_request(self, deed: Deed, slot: rows.Slot) -> bool:
        """Whether one of the requests that a call is known to bundle does something again."""
        return any(
            self.knowledge.is_repeated_request(entry.key)
            for found in self.slot_values(deed, slot)
            for entry in self.values.mapping(found.place).entries
        )

    def _given(self, call: Place, places: Iterable[int | str]) -> Place | None:
        """What a call gives at the first of the places that it fills, or at one of them by `**`."""
        return next(iter(given(self.values, call, places).places), None)

    def _is_harmless_by_name(self, named: Place | None) -> bool:
        """Whether the text that says what a generic call does is the name of a read or an update."""
        if named is None:
            return False
        text = text_of(self.names, named)
        if text is None:
            return False
        reading = self.reader.read(text)
        return reading.reads or (reading.verb is not None and reading.report == "no")

    def _fills(self, slot: rows.Slot, call: ast.Call) -> bool:
        return bool(slot.argument) and argument(call, slot.argument) is not None

    def _sets(self, attribute: str, place: Place) -> bool:
        """Whether the function around a call sets an attribute of what it sends, or names it."""
        function = place.frame.function
        if not attribute or function is None:
            return False
        while function.parent is not None:
            function = function.parent
        return any(
            (isinstance(node, ast.Attribute) and node.attr == attribute)
            or (isinstance(node, ast.keyword) and node.arg == attribute)
            for node in walk(function.node)
        )

    def _is_fifo(self, place: Place) -> bool:
        lists = self.knowledge.fifo
        for name in lists["queues"]:
            value = self._given(place, (name,))
            text = text_of(self.names, value) if value is not None else None
            if text is not None and text.endswith(tuple(lists["ends"])):
                return True
        return self._given(place, lists["groups"]) is not None

    def _token(self, symbol: External, place: Place, call: ast.Call) -> Deed | None:
        path = symbol.path
        named = self.knowledge.token_call(path)
        if named is None:
            return None
        service, method = named
        found = self.knowledge.token(service, method)
        if found is None:
            return None
        from idemlint.knowledge.rows import Slot

        token, filled = found
        creates = method.startswith(self.knowledge.token_creators)
        return Deed(
            DeedKind.EFFECT,
            place,
            path,
            does="create" if creates else "update",
            repeat="duplicates" if creates else "harmless",
            title=f"AWS {service}",
            operation="OP-1" if creates else "",
            key=Slot(argument=(token,)),
            automatic_key="per-call" if filled else "",
        )

    # HTTP

    def _http(self, symbol: External, place: Place, call: ast.Call) -> Deed | None:
        row = self.knowledge.http(symbol.path)
        if row is None:
            return None
        request, built = self._request(row, place, call)
        methods = self._methods(row, request, built)
        url = self._url(built or row, request, symbol)
        host = self._host(url, methods)
        if methods and all(method in _SAFE_METHODS for method in methods):
            return Deed(DeedKind.CHECK, place, symbol.path, method=methods[0], url=url)
        creates = [
            method
            for method in methods
            if method == "POST" or (host is not None and method in host.creates)
        ]
        if methods and not creates:
            if all(method in _OVERWRITING_METHODS | _SAFE_METHODS for method in methods):
                return self._request_deed(place, symbol, methods[-1], url, host, "harmless")
            creates = methods
        takes_key = host is not None and host.key is not None
        if creates and (
            self._only_reads(url, request, host)
            if not takes_key
            else self._asks_graphql(url, request)
        ):
            return Deed(DeedKind.CHECK, place, symbol.path, method=creates[0], url=url)
        method = creates[0] if creates else ""
        if not method and row.method_at and not self._can_be_post(row, request):
            return Deed(DeedKind.OPAQUE, place, symbol.path, reason="unknown method")
        return self._request_deed(place, symbol, method, url, host, "duplicates")

    def _request_deed(
        self,
        place: Place,
        symbol: External,
        method: str,
        url: str,
        host: rows.Host | None,
        repeat: str,
    ) -> Deed:
        from idemlint.knowledge.rows import Slot

        key = host.key if host is not None else Slot(header="Idempotency-Key", within=("headers",))
        does = {"PUT": "update", "PATCH": "update", "DELETE": "delete"}.get(method, "create")
        if repeat == "duplicates":
            does = "create"
        return Deed(
            DeedKind.EFFECT,
            place,
            symbol.path,
            does=does,
            repeat=repeat,
            title=_host_of(url) or "the server",
            operation="OP-1" if repeat == "duplicates" else "",
            key=key,
            key_is_certain=host is not None and host.key is not None and not host.when,
            identity=host.identity if host is not None else None,
            method=method or "?",
            url=url,
            host=host,
        )

    def _request(
        self, row: rows.Http, place: Place, call: ast.Call
    ) -> tuple[Place, rows.HttpRequest | None]:
        """The call that says what is sent: this one, or the one that built the request object."""
        if row.request_at:
            value = self._given(place, row.request_at)
            if value is not None:
                for symbol in self.names.resolve(value):
                    if isinstance(symbol, External) and symbol.made is not None:
                        built = self.knowledge.http_request(symbol.path)
                        if built is not None and isinstance(symbol.made.node, ast.Call):
                            return symbol.made, built
        return place, None

    def _methods(self, row: rows.Http, request: Place, built: rows.HttpRequest | None) -> list[str]:
        """The methods that can be sent, in upper case; empty if that is not known."""
        if row.method:
            return [row.method]
        source: rows.Http | rows.HttpRequest = built or row
        place = self._given(request, source.method_at)
        if place is not None:
            found = [str(constant).upper() for constant in constants(self.names, place)]
            if not found:
                text = text_of(self.names, place)
                found = [text.upper()] if text and text.isalpha() else []
            return found
        if source.method_by_body:
            body = self._given(request, (*source.body_at, "data"))
            return ["POST"] if body is not None else ["GET"]
        return []

    def _can_be_post(self, row: rows.Http, request: Place) -> bool:
        """Whether an unknown method is a parameter, so that a caller can pass POST."""
        return True

    def _url(self, row: rows.Http | rows.HttpRequest, request: Place, symbol: External) -> str:
        value = self._given(request, row.url_at)
        url = (text_of(self.names, value) or "") if value is not None else ""
        if "://" in url or url.startswith(HOLE):
            return url
        base = self._base_url(symbol)
        return f"{base.rstrip('/')}/{url.lstrip('/')}" if base else url

    def _base_url(self, symbol: External) -> str:
        made = symbol.made
        if made is None or not isinstance(made.node, ast.Call):
            return ""
        for path in self.names.paths(Place(made.node.func, made.frame, made.statement)):
            row = self.knowledge.http_client(path)
            if row is not None:
                value = self._given(made, row.base_at)
                if value is not None:
                    return text_of(self.names, value) or ""
        return ""

    def _host(self, url: str, methods: list[str]) -> rows.Host | None:
        """The host row that fits best: the longest path, then one that knows the method."""
        name = _host_of(url)
        if not name:
            return None
        path = url.partition("://")[2].partition("/")[2].partition("?")[0]
        path = "/" + path.replace(HOLE, "x").rstrip("/")
        best: tuple[int, int, rows.Host] | None = None
        for host, pattern, weight, row in self.knowledge.hosts:
            if not host.fullmatch(name):
                continue
            if pattern is not None and not pattern.fullmatch(path):
                continue
            knows = int(any(method in row.methods for method in methods))
            if best is None or (weight, knows) > best[:2]:
                best = (weight, knows, row)
        return best[2] if best else None

    def _only_reads(self, url: str, request: Place, host: rows.Host | None) -> bool:
        path = url.partition("?")[0].rstrip("/")
        if self.knowledge.only_reads(path):
            return True
        # what a row says of a path goes before what is said of the whole host
        is_named = host is not None and bool(host.path)
        if not is_named and _host_of(url) in self.knowledge.asked_hosts:
            return True
        if self._asks_graphql(url, request):
            return True
        function = request.frame.function
        while function is not None:
            if self.knowledge.signs_in(function.name):
                return True
            function = function.parent
        return False

    def _asks_graphql(self, url: str, request: Place) -> bool:
        """Whether the document of a GraphQL request is known to be no mutation."""
        if not url.partition("?")[0].rstrip("/").endswith(self.knowledge.document_paths):
            return False
        call = request.node
        assert isinstance(call, ast.Call)
        for keyword in call.keywords:
            if keyword.arg in ("json", "data"):
                where = Place(keyword.value, request.frame, request.statement)
                for entry in self.values.mapping(where).get("query"):
                    text = text_of(self.names, entry.value)
                    if text is not None:
                        return "mutation" not in text
        return False

    # stores

    def _store_call(self, symbol: External, place: Place, call: ast.Call) -> Deed | None:
        return self._store(symbol.path, place, call, symbol)

    def _store(
        self, path: str, place: Place, call: ast.Call, symbol: External | None = None
    ) -> Deed | None:
        for entry in self.knowledge.store_roles(path):
            store = entry.store
            if path.startswith("?") or "**" in _pattern_of(entry):
                tops = store.imports
                if tops and path.partition(".")[0] not in tops:
                    if not any(map(place.frame.module.imports, tops)):
                        continue
            if entry.form is not None and not self._has_form(entry.form, place, call):
                continue
            if entry.role == "exec":
                deed = self._executed(store, place, call, path)
                if deed is not None:
                    return deed
                continue
            return self._access(store, entry.role, place, call, path)
        return None

    def _has_form(self, form: rows.Form, place: Place, call: ast.Call) -> bool:
        value = argument(call, form.argument)
        if value is None:
            named = [name for name in form.argument if isinstance(name, str)]
            return form.value is None and any(
                self._from_mapping(call, place, name) for name in named
            )
        found = constants(self.names, Place(value, place.frame, place.statement))
        if form.value is None:
            return found != [None] and found != [False]
        return form.value in found

    def _from_mapping(self, call: ast.Call, place: Place, name: str) -> list[Entry]:
        found: list[Entry] = []
        for keyword in call.keywords:
            if keyword.arg is None:
                where = Place(keyword.value, place.frame, place.statement)
                found.extend(self.values.mapping(where).get(name))
        return found

    def _executed(self, store: rows.Store, place: Place, call: ast.Call, path: str) -> Deed | None:
        """A statement that is run: a SQL text, or an object that was built from calls."""
        where = self._given(place, self.knowledge.statement_arguments)
        if where is None:
            return None
        text = text_of(self.names, where)
        if text is not None:
            sql = read_sql(text, self.knowledge)
            if sql is not None:
                return self._sql(store, sql, place, call, path)
        if store.kind == "sql-text":
            return None
        for symbol in self.names.resolve(where):
            if isinstance(symbol, External):
                for entry in self.knowledge.statement_roles(symbol.path):
                    target = self._statement_target(where)
                    built = symbol.made.node if symbol.made is not None else where.node
                    relative = entry.role in _UPDATING and any(map(_counts_on, _calls_of(built)))
                    return self._deed(
                        entry.store, entry.role, place, path, target, where, relative=relative
                    )
        return None

    def _sql(
        self, store: rows.Store, sql: SqlText, place: Place, call: ast.Call, path: str
    ) -> Deed:
        # a name that is filled in can be any table
        target = f"table {sql.table}" if sql.table and HOLE not in sql.table else ""
        relative = sql.relative and sql.role in _UPDATING
        return self._deed(store, sql.role, place, path, target, None, sql, relative=relative)

    def _statement_target(self, place: Place) -> str:
        """The class in `select(Model).where(…)`."""
        node: ast.expr = place.node
        frame, statement = place.frame, place.statement
        for _ in range(12):
            if isinstance(node, ast.Name) and frame.function is not None:
                found = self.names.flow(frame.function).definitions_at(statement, node.id)
                if found and found[0].kind == "value" and isinstance(found[0].node, ast.expr):
                    node, statement = found[0].node, found[0].statement
                    continue
                given = frame.arguments.get(node.id)
                if found and found[0].kind == "parameter" and given is not None:
                    node, frame, statement = given.node, given.frame, given.statement
                    continue
                return ""
            if isinstance(node, ast.Await):
                node = node.value
                continue
            if not isinstance(node, ast.Call):
                return ""
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
                node = node.func.value
                continue
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                outer = self.names.resolve(Place(node.func.value, frame, statement))
                if any(isinstance(s, External) and s.made is not None for s in outer):
                    node = node.func.value
                    continue
            if node.args:
                where = Place(node.args[0], frame, statement)
                return self._model(where) or f"model {canonical(self.names, where)}"
            return ""
        return ""

    def _model(self, place: Place) -> str:
        """The class of a record: `Model`, `Model.column`, `Model(…)` or an object of it."""
        node = place.node
        if isinstance(node, ast.List) and node.elts:
            return self._model(Place(node.elts[0], place.frame, place.statement))
        symbols = self.names.resolve(place)
        if isinstance(node, ast.Attribute):
            # what a column is says nothing of whose it is
            owner = Place(node.value, place.frame, place.statement)
            if not any(isinstance(symbol, ClassSymbol) for symbol in symbols) and (
                not symbols or any(isinstance(s, ClassSymbol) for s in self.names.resolve(owner))
            ):
                return self._model(owner)
        for symbol in symbols:
            if isinstance(symbol, ClassSymbol | Instance):
                return f"model {symbol.cls.qualified_name}"
            if isinstance(symbol, External):
                return f"model {_class_part(symbol.path)}"
        return ""

    def record_class(self, place: Place, call: ast.Call) -> Class | None:
        """The class of the program whose records a chain of calls is about: `Model.objects.get()`."""
        node: ast.expr = call
        for _ in range(_MAX_CHAIN):
            symbols: tuple[Symbol, ...] = ()
            while isinstance(node, ast.Attribute | ast.Call):
                node = node.func if isinstance(node, ast.Call) else node.value
                symbols = tuple(self.names.resolve(Place(node, place.frame, place.statement)))
                for symbol in symbols:
                    if isinstance(symbol, ClassSymbol | Instance):
                        return symbol.cls
            made = next((m for s in symbols if (m := getattr(s, "made", None)) is not None), None)
            if made is None or made.node is node or not isinstance(made.node, ast.Call):
                return None
            node, place = made.node, made
        return None

    def _access(
        self, store: rows.Store, role: str, place: Place, call: ast.Call, path: str
    ) -> Deed:
        where = self._given(place, store.subject) if store.subject else None
        if store.target == "model":
            target = self._model_target(place, call, path)
        elif store.target == "subject":
            target, where = self._subject_target(place, call, where)
        else:
            receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
            if store.kind == "sql-builder":
                receiver = _first_call(call)
            target = ""
            if receiver is not None:
                named = canonical(self.names, Place(receiver, place.frame, place.statement))
                target = f"{store.id} {named}"
        relative = role in _UPDATING and self._is_relative(store, place, call)
        return self._deed(store, role, place, path, target, where, relative=relative)

    def _is_relative(self, store: rows.Store, place: Place, call: ast.Call) -> bool:
        """Whether an update counts on from what is there: `{"$inc": …}`, `n=F("n") + 1`.

        Not where it finds the record by the values that it changes so: then it does it once.
        """
        if _counts_on(call):
            return True
        if not store.relative:
            return False
        subject = self._given(place, store.subject)
        asked: set[str] = set()
        if subject is not None:
            asked = {entry.key for entry in self.values.mapping(subject).entries}
        for value in self._arguments(place, call):
            if subject is not None and value.node is subject.node:
                continue
            if isinstance(value.node, ast.Constant | ast.Starred):
                continue
            for entry in self.values.mapping(value).entries:
                if entry.key in store.relative:
                    changed = self.values.mapping(entry.value)
                    if changed.is_open or {e.key for e in changed.entries} - asked:
                        return True
        return False

    def _arguments(self, place: Place, call: ast.Call) -> Iterator[Place]:
        """All that a call is given, what it spreads as well."""
        for value in call.args:
            yield Place(value, place.frame, place.statement)
        for keyword in call.keywords:
            where = Place(keyword.value, place.frame, place.statement)
            if keyword.arg is not None:
                yield where
            else:
                yield from (entry.value for entry in self.values.mapping(where).entries)

    def _model_target(self, place: Place, call: ast.Call, path: str) -> str:
        if ".objects." in path:
            record = self.record_class(place, call)
            if record is not None:
                return f"model {record.qualified_name}"
            return f"model {path.partition('.objects.')[0]}"
        receiver: ast.expr | None = call.func
        while isinstance(receiver, ast.Attribute | ast.Call):
            if isinstance(receiver, ast.Call):
                if isinstance(receiver.func, ast.Attribute) and receiver.func.attr == "query":
                    if receiver.args:
                        where = Place(receiver.args[0], place.frame, place.statement)
                        return self._model(where)
                receiver = receiver.func
            else:
                receiver = receiver.value
        if call.args:
            found = self._model(Place(call.args[0], place.frame, place.statement))
            if found:
                return found
        if receiver is not None:
            return self._model(Place(receiver, place.frame, place.statement))
        return ""

    def _subject_target(
        self, place: Place, call: ast.Call, subject: Place | None
    ) -> tuple[str, Place | None]:
        """Files: the path is the argument, or the object that the method is called on."""
        if isinstance(call.func, ast.Attribute):
            for symbol in self.names.resolve(Place(call.func.value, place.frame, place.statement)):
                if isinstance(symbol, External) and symbol.path.startswith("pathlib."):
                    subject = Place(call.func.value, place.frame, place.statement)
        if subject is None:
            return "", None
        return f"file {canonical(self.names, subject)}", subject

    def _deed(
        self,
        store: rows.Store,
        role: str,
        place: Place,
        path: str,
        target: str,
        subject: Place | None,
        sql: SqlText | None = None,
        *,
        relative: bool = False,
    ) -> Deed:
        if role in _READ_ROLES:
            kind = {
                "lock": DeedKind.LOCK,
                "commit": DeedKind.COMMIT,
                "schema": DeedKind.QUIET,
            }.get(role, DeedKind.CHECK)
            return Deed(
                kind, place, path, store=store, role=role, target=target, subject=subject, sql=sql,
                title=store.title, own=True,
            )  # fmt: skip
        repeat = "harmless"
        if role == "counter" or relative:
            repeat = "duplicates"
        elif role == "insert":
            repeat = "overwrites" if store.overwrites else "duplicates"
        elif role in ("atomic", "upsert"):
            repeat = "refused" if role == "atomic" else "overwrites"
        does = {"update": "update", "delete": "delete", "counter": "update"}.get(role, "create")
        return Deed(
            DeedKind.EFFECT,
            place,
            path,
            does=does,
            repeat=repeat,
            title=store.title,
            own=True,
            undo="delete" if does == "create" else "",
            operation=store.operation if repeat != "harmless" else "",
            identity=store.identity,
            store=store,
            role=role,
            target=target,
            subject=subject,
            sql=sql,
        )

    # arguments of deeds

    def slot_values(self, deed: Deed, slot: rows.Slot) -> Iterator[SlotValue]:
        """What stands in a slot of a call."""
        place = deed.place
        if slot.argument and argument(deed.call, slot.argument) is None:
            place = self._built_by(deed) or place
        call = place.node
        assert isinstance(call, ast.Call)
        if slot.receiver:
            yield from self._at_receiver(deed, slot)
        if slot.argument:
            value = argument(call, slot.argument)
            if value is not None:
                yield SlotValue(slot.name, Place(value, place.frame, place.statement), value)
                return
            for name in slot.argument:
                if isinstance(name, str):
                    for entry in self._from_mapping(call, place, name):
                        yield SlotValue(name, entry.value, entry.key_node, entry.steps)
            return
        name = slot.entry or slot.header or slot.field or slot.query
        if not name:
            return
        *outer, last = name.split(".") if slot.field else [name]
        for container in self._containers(deed, slot):
            mappings = [self.values.mapping(container)]
            for step in outer:
                mappings = [
                    self.values.mapping(entry.value)
                    for mapping in mappings
                    for entry in mapping.get(step)
                ]
            for mapping in mappings:
                for entry in mapping.get(last, fold=bool(slot.header)):
                    yield SlotValue(last, entry.value, entry.key_node, entry.steps)

    def _at_receiver(self, deed: Deed, slot: rows.Slot) -> Iterator[SlotValue]:
        """What the call got that gave the receiver: `bucket.blob(name).upload_from_string(…)`."""
        func, place = deed.call.func, deed.place
        if not isinstance(func, ast.Attribute):
            return
        receiver = Place(func.value, place.frame, place.statement)
        made = [receiver] if isinstance(func.value, ast.Call) else []
        made = made or [m for s in self.names.resolve(receiver) if (m := getattr(s, "made", None))]
        for where in made:
            if isinstance(where.node, ast.Call):
                value = argument(where.node, slot.receiver)
                if value is not None:
                    yield SlotValue(slot.name, Place(value, where.frame, where.statement), value)

    def _containers(self, deed: Deed, slot: rows.Slot) -> Iterator[Place]:
        """The arguments that can hold an entry: the named one, else those that hold bodies."""
        place, call = deed.place, deed.call
        built = self._built_by(deed)
        if built is not None:
            place = built
            assert isinstance(place.node, ast.Call)
            call = place.node
        if deed.method:
            request, _ = self._http_request_of(deed)
            place = request
            assert isinstance(request.node, ast.Call)
            call = request.node
        within = slot.within or _carrier_of(slot)
        value = argument(call, within)
        if value is not None:
            yield Place(value, place.frame, place.statement)
        elif slot.within and not slot.header:
            for listed in call.args:
                if isinstance(listed, ast.Dict | ast.Name | ast.Call | ast.List):
                    yield Place(listed, place.frame, place.statement)
        for name in within:
            if isinstance(name, str):
                for entry in self._from_mapping(call, place, name):
                    yield entry.value

    def carriers_of(self, deed: Deed, slot: rows.Slot) -> Iterator[Place]:
        """The arguments of a call in which a key can stand."""
        return self._containers(deed, slot)

    def carrying_call(self, deed: Deed) -> Place:
        """The call whose arguments are sent: the effect's own, or the one that built its request."""
        if deed.method:
            return self._http_request_of(deed)[0]
        return self._built_by(deed) or deed.place

    def url_of(self, deed: Deed) -> Place | None:
        """The argument that says where a request is sent; `None` if there is none."""
        request, built = self._http_request_of(deed)
        row = built or self.knowledge.http(deed.path)
        return None if row is None else self._given(request, row.url_at)

    def _http_request_of(self, deed: Deed) -> tuple[Place, rows.HttpRequest | None]:
        row = self.knowledge.http(deed.path)
        if row is None:
            return deed.place, None
        return self._request(row, deed.place, deed.call)

    def _built_by(self, deed: Deed) -> Place | None:
        """The call that holds the arguments of `….insert(body=b).execute()`."""
        if not deed.path.endswith(".execute"):
            return None
        target = self._called(deed)
        if not isinstance(target, ast.Attribute):
            return None
        receiver = Place(target.value, deed.place.frame, deed.place.statement)
        for symbol in self.names.resolve(receiver):
            if isinstance(symbol, External) and symbol.made is not None:
                if isinstance(symbol.made.node, ast.Call):
                    return symbol.made
        return None

    def _called(self, deed: Deed) -> ast.expr:
        """The method that a call is of: its own, or the one that it hands to what calls it."""
        call, place = deed.call, deed.place
        for path in self.names.paths(Place(call.func, place.frame, place.statement)):
            caller = self.knowledge.caller(path)
            if caller is not None and len(call.args) > caller.calls:
                return call.args[caller.calls]
        return call.func

    def carriers(self, deed: Deed) -> Iterator[tuple[str, Place]]:
        """The arguments of a request or call that can carry headers, a body or options."""
        place, call = deed.place, deed.call
        built = self._built_by(deed)
        if built is not None:
            place = built
            assert isinstance(place.node, ast.Call)
            call = place.node
        if deed.method:
            place, _ = self._http_request_of(deed)
            assert isinstance(place.node, ast.Call)
            call = place.node
        for keyword in call.keywords:
            where = Place(keyword.value, place.frame, place.statement)
            if keyword.arg is not None:
                yield keyword.arg, where
            else:
                for entry in self.values.mapping(where).entries:
                    yield entry.key, entry.value
        for number, value in enumerate(call.args):
            if not isinstance(value, ast.Starred):
                yield str(number), Place(value, place.frame, place.statement)


def _with_preset(place: Place, preset: Place) -> Place:
    """A call with the arguments that the `partial` around its function gives besides its own.

    What is called elsewhere stands for the `partial` itself: its arguments are read there, those of
    the call cannot be.
    """
    call, made = place.node, preset.node
    assert isinstance(call, ast.Call)
    assert isinstance(made, ast.Call)
    args, keywords, kept = list(call.args), list(call.keywords), list(made.keywords)
    is_open = False
    if keywords:
        # what is spread can be, or go before, any of them
        own = {keyword.arg for keyword in keywords}
        is_open = any(keyword.arg is None for keyword in kept)
        kept = [k for k in kept if k.arg is not None and not own & {k.arg, None}]
    if preset.frame is not place.frame:
        is_open = bool(args or keywords)
        args, keywords, place = [], [], preset
    if is_open:
        unknown = ast.copy_location(ast.Name("", ast.Load()), made)
        keywords.append(ast.keyword(None, unknown))
    whole = ast.Call(made.args[0], [*made.args[1:], *args], [*kept, *keywords])
    return Place(ast.copy_location(whole, place.node), place.frame, place.statement)


def _carrier_of(slot: rows.Slot) -> tuple[int | str, ...]:
    """The arguments of a request in which a slot is, where its row names none."""
    if slot.header:
        return ("headers",)
    return ("params",) if slot.query else _BODY_ARGUMENTS


def _is_abstract(function: Function) -> bool:
    """Whether a method is only declared, for subclasses to say what it does."""
    if "abstractmethod" in function.decorator_names:
        return True
    return (
        function.owner is not None
        and function.may_do_nothing
        and all(
            isinstance(statement, ast.Pass)
            or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
            for statement in function.body
        )
    )


def _calls_of(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of a chain, from the last one to the first."""
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call):
            yield node
            node = node.func
        else:
            node = node.value


def _counts_on(call: ast.Call) -> bool:
    """Whether a keyword of a call is computed from what it names: `n=F("n") + 1`, `n=Row.n + 1`."""
    return any(
        isinstance(keyword.value, ast.BinOp)
        and keyword.arg is not None
        and any(
            (isinstance(node, ast.Attribute) and node.attr == keyword.arg)
            or (isinstance(node, ast.Constant) and node.value == keyword.arg)
            for node in walk(keyword.value)
        )
        for keyword in call.keywords
    )


def _first_call(call: ast.Call) -> ast.expr:
    """The call that a chain begins with: `client.table("orders")` of one that builds a query."""
    node: ast.expr = call
    first: ast.expr = call
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Call):
            first = node
            node = node.func
        else:
            node = node.value
    return first


def _imported_path(node: ast.expr, module: Module) -> str:
    """The dotted name of what is called, as it is imported from the top; empty if it is not so."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    for binding in module.bindings(node.id):
        if binding.kind == "import" and not binding.module.startswith("."):
            top = f"{binding.module}.{binding.member}" if binding.member else binding.module
            return ".".join((top, *reversed(names)))
    return ""


def _pattern_of(entry: StoreRole) -> str:
    if entry.form is not None:
        return entry.form.call
    listed: tuple[str, ...] = getattr(entry.store, entry.role, ())
    return " ".join(path for path in listed if path.startswith("**"))


def _host_of(url: str) -> str:
    scheme, found, rest = url.partition("://")
    if not found or scheme not in ("http", "https"):
        return ""
    host = rest.partition("/")[0].partition("?")[0].partition(":")[0].rpartition("@")[2].lower()
    return "" if host == HOLE else host.replace(HOLE, "x")


def _class_part(path: str) -> str:
    """The class of a path such as `app.models.User.id`."""
    parts = path.split(".")
    for number, part in enumerate(parts):
        if part[:1].isupper():
            return ".".join(parts[: number + 1])
    return path


def constant_values(symbols: Iterable[Symbol]) -> list[object]:
    """The constants among symbols."""
    return [symbol.value for symbol in symbols if isinstance(symbol, Constant)]

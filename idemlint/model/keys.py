"""The keys that an effect or a guard uses, and what they are made of."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import Deed, DeedKind, argument
from idemlint.model.symbols import Constant, Place
from idemlint.model.values import Origin, Step, ValueKind
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.deeds import Deeds
    from idemlint.model.names import Names
    from idemlint.model.values import Values

__all__ = ["BAD_KINDS", "KeyUse", "Keys"]

BAD_KINDS = frozenset(
    {
        ValueKind.FRESH,
        ValueKind.CLOCK,
        ValueKind.CALL_ID,
        ValueKind.ATTEMPT,
        ValueKind.UNSTABLE,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class KeyUse:
    """A key at a key position.

    `name` is what the position is called, `place` the value, `node` what to show for it, `native`
    whether the receiver is known to look at it. `identity` marks the identity of a record instead of
    the key of an operation.
    """

    deed: Deed
    name: str
    place: Place
    node: ast.AST
    origins: tuple[Origin, ...]
    native: bool = False
    identity: bool = False
    steps: tuple[Step, ...] = ()

    @property
    def bad(self) -> list[Origin]:
        """The origins that differ on a replay."""
        return [origin for origin in self.origins if origin.kind in BAD_KINDS and not origin.once]

    @property
    def is_sound(self) -> bool:
        """Whether nothing in it differs on a replay."""
        return not self.bad

    @property
    def is_condition(self) -> bool:
        """Whether it only asks that nothing is there yet, and names no operation."""
        return isinstance(self.place.node, ast.Constant) and self.place.node.value == "*"


class Keys:
    """Finds keys in calls."""

    def __init__(self, names: Names, values: Values, deeds: Deeds, knowledge: Knowledge) -> None:
        self.names = names
        self.values = values
        self.deeds = deeds
        self.knowledge = knowledge

    def of(self, deed: Deed) -> list[KeyUse]:
        """The keys that a deed uses, the native one first; none if it gets none."""
        memo = deed.place.frame.memo
        key = ("keys", deed.place.node)
        known: list[KeyUse] | None = memo.get(key)
        if known is None:
            known = memo[key] = list(self._unique(self._find(deed)))
        return known

    def _unique(self, uses: Iterator[KeyUse]) -> Iterator[KeyUse]:
        seen: set[int] = set()
        for use in uses:
            if id(use.place.node) not in seen and not self._is_absent(use.place):
                seen.add(id(use.place.node))
                yield use

    def _is_absent(self, place: Place) -> bool:
        symbols = self.names.resolve(place)
        absent = bool(symbols) and all(
            isinstance(symbol, Constant) and symbol.value in (None, "", b"") for symbol in symbols
        )
        if absent and isinstance(place.node, ast.Attribute):
            # what a class says of its field holds until the field is set
            return all(o.kind is ValueKind.CONSTANT for o in self.values.origins(place))
        return absent

    def _find(self, deed: Deed) -> Iterator[KeyUse]:
        if deed.key is not None:
            for name, place, node, steps in self.deeds.slot_values(deed, deed.key):
                yield self._use(deed, name, place, node, native=True, steps=steps)
        if deed.method:
            yield from self._in_request(deed)
        elif deed.kind in (DeedKind.EFFECT, DeedKind.OPAQUE):
            yield from self._in_arguments(deed)
        if deed.store is not None:
            yield from self._in_store(deed)

    def _use(
        self,
        deed: Deed,
        name: str,
        place: Place,
        node: ast.AST,
        *,
        native: bool = False,
        identity: bool = False,
        steps: tuple[Step, ...] = (),
    ) -> KeyUse:
        origins = self.values.origins(place)
        return KeyUse(deed, name, place, node, origins, native, identity, steps)

    def _in_request(self, deed: Deed) -> Iterator[KeyUse]:
        """Headers that are keys, and fields of the body that are named as one."""
        for name, carrier in self.deeds.carriers(deed):
            if name == "headers":
                for entry in self.values.mapping(carrier).entries:
                    if self.knowledge.is_key_header(entry.key):
                        yield self._use(
                            deed, entry.key, entry.value, entry.key_node, native=True,
                            steps=entry.steps,
                        )  # fmt: skip
            elif name in ("json", "data", "content", "body", "params", "variables"):
                yield from self._named_entries(deed, carrier)
        yield from self._default_headers(deed)

    def _default_headers(self, deed: Deed) -> Iterator[KeyUse]:
        func = deed.call.func
        if not isinstance(func, ast.Attribute):
            return
        receiver = Place(func.value, deed.place.frame, deed.place.statement)
        if isinstance(func.value, ast.Name):
            yield from self._written_headers(deed, func.value)
        for symbol in self.names.resolve(receiver):
            made = getattr(symbol, "made", None)
            if made is None or not isinstance(made.node, ast.Call):
                continue
            value = argument(made.node, ("headers",))
            if value is not None:
                mapping = self.values.mapping(Place(value, made.frame, made.statement))
                for entry in mapping.entries:
                    if self.knowledge.is_key_header(entry.key):
                        yield self._use(
                            deed, entry.key, entry.value, entry.key_node, steps=entry.steps
                        )

    def _written_headers(self, deed: Deed, client: ast.Name) -> Iterator[KeyUse]:
        """Headers that the function writes into its client: `session.headers[…] = …`."""
        place = deed.place
        headers = ast.copy_location(ast.Attribute(client, "headers", ast.Load()), client)
        mapping = self.values.mapping(Place(headers, place.frame, place.statement))
        for entry in mapping.entries:
            if self.knowledge.is_key_header(entry.key):
                yield self._use(
                    deed, entry.key, entry.value, entry.key_node, native=True, steps=entry.steps
                )

    def _named_entries(self, deed: Deed, carrier: Place) -> Iterator[KeyUse]:
        for entry in self.values.mapping(carrier).entries:
            if self.knowledge.is_key_name(entry.key) or self._holds_key(entry.value):
                yield self._use(deed, entry.key, entry.value, entry.key_node, steps=entry.steps)

    def _holds_key(self, place: Place) -> bool:
        """Whether a value is a variable that is named as a key."""
        return isinstance(place.node, ast.Name) and self.knowledge.is_key_name(place.node.id)

    def _in_arguments(self, deed: Deed) -> Iterator[KeyUse]:
        """Keywords named as a key, and entries of options that are."""
        for name, carrier in self.deeds.carriers(deed):
            if self.knowledge.is_key_name(name):
                yield self._use(deed, name, carrier, carrier.node)
            elif isinstance(carrier.node, ast.Dict | ast.Name | ast.Call | ast.List):
                yield from self._named_entries(deed, carrier)
                if "header" in name:
                    for entry in self.values.mapping(carrier).entries:
                        if self.knowledge.is_key_header(entry.key):
                            yield self._use(deed, entry.key, entry.value, entry.key_node)

    def _in_store(self, deed: Deed) -> Iterator[KeyUse]:
        """The columns of an insert that are named as a key, or that its conflict is about."""
        if deed.sql is not None:
            for column, place in self.columns(deed):
                if self.knowledge.is_key_name(column):
                    yield self._use(deed, column, place, place.node)
                elif column in deed.sql.conflict and not deed.is_relative:
                    yield self._use(deed, column, place, place.node, native=True)
        elif (
            deed.role in ("atomic", "check")
            and deed.subject is not None
            and deed.store is not None
            and deed.store.kind != "blob"
        ):
            node = deed.subject.node
            if (
                self._is_key_expression(deed.subject)
                and not self.values.mapping(deed.subject).entries
            ):
                yield self._use(deed, _name_of(node), deed.subject, node, native=True)
        if deed.store is not None and deed.store.kind in ("document", "kv") and deed.subject:
            for entry in self.values.mapping(deed.subject).entries:
                if self.knowledge.is_key_name(entry.key):
                    yield self._use(deed, entry.key, entry.value, entry.key_node)

    def _is_key_expression(self, place: Place) -> bool:
        return isinstance(
            place.node, ast.Name | ast.JoinedStr | ast.Call | ast.Attribute | ast.BinOp
        )

    # keys that are not there

    def lacks_native(self, deed: Deed) -> bool:
        """Whether a call is known to get no key, and its receiver to look for one."""
        slot = deed.key
        if slot is None or not deed.key_is_certain or not deed.is_effect or self.of(deed):
            return False
        if deed.effect is not None and deed.effect.when:
            return False
        where = self.deeds.carrying_call(deed)
        call = where.node
        assert isinstance(call, ast.Call)
        if any(isinstance(value, ast.Starred) for value in call.args):
            return False
        spread = [k.value for k in call.keywords if k.arg is None]
        if any(self.values.mapping(Place(v, where.frame, where.statement)).is_open for v in spread):
            return False
        if slot.argument:
            return True
        if not (slot.entry or slot.header or slot.field or slot.query):
            return False
        if slot.query and f"{slot.query}=" in deed.url:
            return False
        if self._writes_key_header(deed):
            return False
        return not any(
            self.values.mapping(carrier).is_open for carrier in self.deeds.carriers_of(deed, slot)
        )

    def _writes_key_header(self, deed: Deed) -> bool:
        """Whether the function names a header of keys, on a client that it cannot be seen on."""
        function = deed.place.frame.function
        return function is not None and any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and self.knowledge.is_key_header(node.value)
            for node in walk(function.node)
        )

    # identities of records

    def identities(self, deed: Deed) -> list[KeyUse]:
        """What becomes the identity of the record that an effect creates."""
        memo = deed.place.frame.memo
        key = ("identities", deed.place.node)
        known: list[KeyUse] | None = memo.get(key)
        if known is None:
            known = memo[key] = list(self._unique(self._find_identities(deed)))
        return known

    def _find_identities(self, deed: Deed) -> Iterator[KeyUse]:
        if deed.is_relative:
            # the record that it finds by its identity is changed once more
            return
        if deed.identity is not None:
            found = False
            for name, place, node, steps in self.deeds.slot_values(deed, deed.identity):
                found = True
                yield self._use(deed, name, place, node, identity=True, steps=steps)
            if found:
                return
        if deed.sql is not None and deed.sql.role in ("insert", "atomic", "upsert"):
            for column, place in self.columns(deed):
                if self._is_identity_column(column, deed.sql.table):
                    yield self._use(deed, column, place, place.node, identity=True)
        elif deed.store is not None and deed.store.kind in ("orm", "sql-builder"):
            yield from self._record_fields(deed)
        elif deed.store is not None and deed.store.kind in ("document", "kv"):
            yield from self._item_fields(deed)
        elif deed.method in ("POST", "?"):
            yield from self._body_identities(deed)
        elif deed.method == "PUT":
            url = self.deeds.url_of(deed)
            if url is not None:
                yield self._use(deed, "the URL", url, url.node, identity=True)

    def _body_identities(self, deed: Deed) -> Iterator[KeyUse]:
        for name, carrier in self.deeds.carriers(deed):
            if name not in ("json", "data"):
                continue
            mapping = self.values.mapping(carrier)
            if mapping.get("jsonrpc"):
                return
            for field in self.knowledge.record_fields:
                for entry in mapping.get(field):
                    yield self._use(
                        deed, field, entry.value, entry.key_node, identity=True,
                        steps=entry.steps,
                    )  # fmt: skip

    def _record_fields(self, deed: Deed) -> Iterator[KeyUse]:
        """`Model(id=…)` that is added, `Model.objects.create(id=…)`, `insert(Model).values(id=…)`."""
        for carrier in self._records(deed):
            for entry in self.values.mapping(carrier).entries:
                table = deed.target.rpartition(".")[2].lower()
                if self._is_identity_column(entry.key, table):
                    yield self._use(
                        deed, entry.key, entry.value, entry.key_node, identity=True,
                        steps=entry.steps,
                    )  # fmt: skip

    def _item_fields(self, deed: Deed) -> Iterator[KeyUse]:
        """The fields of a new item that are named as its identity.

        Which of them the store goes by is not known: none, if one is the same on a replay.
        """
        if deed.role not in ("insert", "atomic"):
            return
        place, knows = deed.place, self.knowledge
        items = [deed.subject] if deed.subject is not None else []
        items += [Place(value, place.frame, place.statement) for value in deed.call.args[:1]]
        entries = [entry for item in items for entry in self.values.mapping(item).entries]
        named = [
            entry
            for entry in entries
            if entry.key.lower() in knows.record_columns or knows.is_key_name(entry.key)
        ] or [entry for entry in entries if knows.is_record_name(entry.key)]
        uses = [
            self._use(
                deed, entry.key, entry.value, entry.key_node, identity=True, steps=entry.steps
            )
            for entry in named
        ]
        if not any(use.is_sound for use in uses):
            yield from uses

    def _records(self, deed: Deed) -> Iterator[Place]:
        place = deed.place
        if any(keyword.arg for keyword in deed.call.keywords) and not deed.call.args:
            yield place
        for value in deed.call.args:
            yield Place(value, place.frame, place.statement)
        node: ast.expr | None = deed.subject.node if deed.subject is not None else None
        if node is None and isinstance(deed.call.func, ast.Attribute):
            # `table(…).insert(record).execute()`
            node = deed.call.func.value
        while isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield Place(node, place.frame, place.statement)
                for value in node.args:
                    yield Place(value, place.frame, place.statement)
            node = node.func.value if isinstance(node.func, ast.Attribute) else None

    def _is_identity_column(self, column: str, table: str) -> bool:
        if column in self.knowledge.record_columns:
            return True
        singular = table.rstrip("s") if not table.endswith("ss") else table
        if table.endswith("ies"):
            singular = table[:-3] + "y"
        return column in (f"{singular}_id", f"{table}_id", f"{singular}_uuid", f"{singular}_number")

    def columns(self, deed: Deed) -> Iterator[tuple[str, Place]]:
        """The columns of an SQL insert with the values that are bound to them."""
        sql = deed.sql
        assert sql is not None
        call, place = deed.call, deed.place
        bound = call.args[1:]
        values: list[ast.expr] = []
        if len(bound) == 1:
            only = Place(bound[0], place.frame, place.statement)
            listed = self._listed(only)
            if listed is not None:
                values = listed[0]
                place = listed[1]
            elif isinstance(bound[0], ast.Dict | ast.Name):
                for entry in self.values.mapping(only).entries:
                    if entry.key in sql.columns or not sql.columns:
                        yield entry.key, entry.value
                return
            else:
                values = [bound[0]]
        elif bound:
            values = list(bound)
        parameters = argument(call, ("parameters", "params", "args", "values", "vars"))
        if not bound and parameters is not None:
            listed = self._listed(Place(parameters, place.frame, place.statement))
            if listed is not None:
                values, place = listed
            else:
                for entry in self.values.mapping(
                    Place(parameters, place.frame, place.statement)
                ).entries:
                    yield entry.key, entry.value
                return
        for column, value in zip(_placeholder_columns(sql.text, sql.columns), values, strict=False):
            yield column, Place(value, place.frame, place.statement)

    def _listed(self, place: Place) -> tuple[list[ast.expr], Place] | None:
        node = place.node
        for _ in range(4):
            if isinstance(node, ast.Tuple | ast.List):
                if len(node.elts) == 1 and isinstance(node.elts[0], ast.Tuple | ast.List):
                    node = node.elts[0]
                    continue
                return list(node.elts), place
            if isinstance(node, ast.Name) and place.frame.function is not None:
                found = self.names.flow(place.frame.function).definitions_at(
                    place.statement, node.id
                )
                if len(found) == 1 and found[0].kind == "value":
                    inner = found[0].node
                    if isinstance(inner, ast.expr):
                        place = Place(inner, place.frame, found[0].statement)
                        node = inner
                        continue
                if len(found) == 1 and found[0].kind == "parameter":
                    given = place.frame.arguments.get(node.id)
                    if given is not None:
                        place, node = given, given.node
                        continue
            return None
        return None


def _placeholder_columns(text: str, columns: tuple[str, ...]) -> list[str]:
    """The columns whose value is a placeholder, in the order of the placeholders."""
    lowered = text.lower()
    at = lowered.find("values")
    if at < 0 or not columns:
        return list(columns)
    start = text.find("(", at)
    depth, parts, current = 0, [], ""
    for char in text[start:]:
        if char == "(":
            depth += 1
            if depth == 1:
                continue
        elif char == ")":
            depth -= 1
            if depth == 0:
                break
        if char == "," and depth == 1:
            parts.append(current)
            current = ""
        else:
            current += char
    parts.append(current)
    if len(parts) != len(columns):
        return list(columns)
    return [
        column
        for column, part in zip(columns, parts, strict=True)
        if any(mark in part for mark in ("?", "%", "$", ":", "{"))
    ]


def _name_of(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return "the key"

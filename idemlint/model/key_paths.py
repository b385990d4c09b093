"""Where a key goes from the parameter that takes it: to something that uses it, or nowhere."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.model.deeds import DeedKind
from idemlint.model.flow import MUTATORS
from idemlint.model.keys import BAD_KINDS
from idemlint.model.symbols import Place
from idemlint.model.values import ValueKind
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.model.entries import Entry, ToolParameter
    from idemlint.model.model import Model
    from idemlint.model.program import Function
    from idemlint.model.symbols import Frame

__all__ = ["KeyPath", "KeyPaths"]

_MAX_DEPTH = 5
_PASSING = (
    ast.FormattedValue, ast.JoinedStr, ast.BinOp, ast.Dict, ast.Tuple, ast.List, ast.Set, ast.Await,
    ast.UnaryOp, ast.keyword, ast.BoolOp,
)  # fmt: skip
_MIXING = (ast.Dict, ast.Tuple, ast.List, ast.Set, ast.JoinedStr, ast.BinOp)
_ENDS = (ast.If, ast.While, ast.Assert, ast.Raise, ast.Expr, ast.Delete, ast.Match)
_READS = {"get", "pop"}
_DIGESTS = {"hexdigest", "digest"}


@dataclass(slots=True)
class KeyPath:
    """What becomes of a key.

    `arrives`: something uses it, or may. `is_replaced`: another value stands in for a missing one.
    `is_demanded`: without it nothing happens. `is_returned`: it is part of what comes back.
    """

    arrives: bool = False
    is_replaced: bool = False
    is_demanded: bool = False
    is_returned: bool = False

    def add(self, other: KeyPath) -> None:
        """Take up what is true of a part of the way; what a helper gives back is followed on."""
        self.arrives = self.arrives or other.arrives
        self.is_replaced = self.is_replaced or other.is_replaced
        self.is_demanded = self.is_demanded or other.is_demanded


@dataclass(frozen=True, slots=True)
class _Holder:
    """A name that is the key, holds it as a part, or has it as its entry or attribute `field`."""

    name: str
    field: str = ""
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class _Value:
    """An expression in which the key is: `whole` names the field of it, `is_part` says more is."""

    node: ast.AST
    whole: str = ""
    is_part: bool = False

    def around(self, node: ast.AST) -> _Value:
        """The same in the expression around it."""
        return _Value(node, self.whole, self.is_part or isinstance(node, _MIXING))


class KeyPaths:
    """Follows keys through variables and helpers; where it cannot, the key counts as used."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._parents: dict[Function, dict[ast.AST, ast.AST]] = {}
        self._known: dict[tuple[ast.AST, ast.AST], KeyPath] = {}

    def of(self, entry: Entry, parameter: ToolParameter) -> KeyPath:
        """What becomes of a key that a tool takes."""
        if entry.function is None:
            return KeyPath(arrives=True)
        place = (entry.function.node, parameter.node)
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = KeyPath()
            for holder in self._holders(entry, parameter):
                known.add(_Walk(self, entry.function, entry.frame, 0).follow(holder))
        return known

    def _holders(self, entry: Entry, parameter: ToolParameter) -> Iterator[_Holder]:
        function = entry.function
        assert function is not None
        if parameter.source == "field" and parameter.path:
            yield _Holder(parameter.path, parameter.name)
        elif function.parameter(parameter.name) is not None:
            yield _Holder(parameter.name)
        else:
            arguments = function.node.args
            others = (*function.parameters, *filter(None, (arguments.vararg, arguments.kwarg)))
            for arg in others:
                if arg.arg != function.self_name:
                    yield _Holder(arg.arg, parameter.name)

    def parents(self, function: Function) -> dict[ast.AST, ast.AST]:
        """The node around each node of a body."""
        known = self._parents.get(function)
        if known is None:
            known = self._parents[function] = {
                child: node for node in walk(function.node) for child in ast.iter_child_nodes(node)
            }
        return known


class _Walk:
    """Follows one key through one run of a function."""

    def __init__(self, paths: KeyPaths, function: Function, frame: Frame, depth: int) -> None:
        self.paths = paths
        self.model = paths.model
        self.function = function
        self.frame = frame
        self.depth = depth
        self.parents = paths.parents(function)
        self.path = KeyPath()
        self._seen: set[_Holder] = set()

    def follow(self, holder: _Holder) -> KeyPath:
        """Follow all uses of a name."""
        if holder in self._seen:
            return self.path
        self._seen.add(holder)
        is_key = not holder.field and not holder.is_part
        for node in self._nodes():
            if isinstance(node, ast.Name) and node.id == holder.name:
                if isinstance(node.ctx, ast.Load):
                    self._use(node, holder)
                elif is_key and self._is_replacing(node):
                    self.path.is_replaced = True
            elif isinstance(node, ast.Name) and node.id == "locals":
                self.path.arrives = True
        return self.path

    def _nodes(self) -> Iterator[ast.AST]:
        for statement in self.function.body:
            yield from walk(statement)

    def _is_replacing(self, target: ast.Name) -> bool:
        """Whether an assignment puts something else in the place of the key."""
        parent = self.parents.get(target)
        if not isinstance(parent, ast.Assign) or not _makes(parent.value):
            return False
        known = {holder.name for holder in self._seen}
        return not any(
            isinstance(inner, ast.Name) and inner.id in known for inner in walk(parent.value)
        )

    def _use(self, node: ast.Name, holder: _Holder) -> None:
        if not holder.field:
            self._climb(_Value(node, is_part=holder.is_part))
            return
        field = _field_read(node, self.parents.get(node), self.parents)
        if field is None:
            self._climb(_Value(node, holder.field, is_part=True))
        elif field[0] == holder.field:
            self._climb(_Value(field[1]))

    def _climb(self, value: _Value) -> None:
        """Follow a value to where it ends."""
        inner: _Value | None = value
        while inner is not None:
            parent = self.parents.get(inner.node)
            if parent is None or self._is_end(inner, parent):
                return
            inner = self._outer(inner, parent)

    def _is_end(self, value: _Value, parent: ast.AST) -> bool:
        """Whether a value goes no further than the node around it."""
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self.path.arrives = self.path.arrives or parent is not self.function.node
        elif isinstance(parent, _ENDS):
            self._end(value, parent)
        elif isinstance(parent, ast.Return):
            self.path.is_returned = True
            is_handed = self.depth == 0 and isinstance(parent.value, ast.Call)
            self.path.arrives = self.path.arrives or is_handed
        elif isinstance(parent, ast.Compare):
            self._compared(value, parent)
        else:
            return isinstance(parent, ast.IfExp) and value.node is parent.test
        return True

    def _outer(self, value: _Value, parent: ast.AST) -> _Value | None:
        """The expression around a value in which it goes on; `None` where another way was taken."""
        node = value.node
        if isinstance(parent, ast.BoolOp | ast.IfExp):
            if not value.is_part:
                self._chosen(node, parent)
            return value.around(parent)
        if isinstance(parent, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            self._assigned(parent, value)
            return value.around(parent) if isinstance(parent, ast.NamedExpr) else None
        if isinstance(parent, ast.Attribute):
            read = self._read(parent)
            return None if read is None else value.around(read)
        call = self.parents.get(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call):
            goes_on = self._handed(value, parent, call)
            return _Value(call, is_part=value.is_part) if goes_on else None
        is_read = isinstance(parent, ast.Subscript) and node is parent.value
        if is_read or isinstance(parent, _PASSING):
            return value.around(parent)
        self.path.arrives = True
        return None

    def _read(self, attribute: ast.Attribute) -> ast.AST | None:
        """`key.strip()` goes on; a method that is not known to be pure may use it."""
        call = self.parents.get(attribute)
        if not isinstance(call, ast.Call) or call.func is not attribute:
            return attribute
        if attribute.attr in self.model.knowledge.pure_methods or attribute.attr in _DIGESTS:
            return call
        self.path.arrives = True
        return None

    def _end(self, value: _Value, statement: ast.AST) -> None:
        """`if not key: raise …` demands a key; other tests, errors and lone expressions drop it."""
        if value.is_part or self.path.is_demanded:
            return
        if isinstance(statement, ast.Assert):
            self.path.is_demanded = value.node is statement.test
        elif isinstance(statement, ast.If) and value.node is statement.test:
            for block, holds in ((statement.body, True), (statement.orelse, False)):
                if block and self._is_absent(statement.test, block[0], holds=holds):
                    self.path.is_demanded = self._refuses(block)

    def _is_absent(self, test: ast.expr, inside: ast.stmt, *, holds: bool) -> bool:
        """Whether the key lacks where a block is run, whose first statement is `inside`."""
        conditions = self.model.names.flow(self.function).conditions.get(inside, ())
        if (
            conditions
            and conditions[-1].kind == "test"
            and isinstance(test, ast.Name | ast.UnaryOp)
        ):
            test, holds = conditions[-1].node, conditions[-1].holds  # type: ignore[assignment]
        return _says_absent(test) if holds else _says_present(test)

    def _refuses(self, body: list[ast.stmt]) -> bool:
        """Whether a block leaves without having done anything."""
        if not isinstance(body[-1], ast.Raise | ast.Return):
            return False
        inside = {id(node) for statement in body for node in walk(statement)}
        return not any(
            occurrence.deed.is_effect
            for event in self.model.names.flow(self.function).calls
            if id(event.node) in inside
            for occurrence in self.model.runs.of_event(event, self.frame, 2)
        )

    def _compared(self, value: _Value, compare: ast.Compare) -> None:
        others = [side for side in (compare.left, *compare.comparators) if side is not value.node]
        if not all(isinstance(side, ast.Constant) for side in others):
            self.path.arrives = True
            return
        test: ast.AST = compare
        parent = self.parents.get(test)
        while isinstance(parent, ast.BoolOp | ast.UnaryOp):
            test, parent = parent, self.parents.get(parent)
        if isinstance(parent, ast.If | ast.Assert):
            self._end(value.around(test), parent)

    def _chosen(self, node: ast.AST, choice: ast.BoolOp | ast.IfExp) -> None:
        """`key or make()`: another value can stand in for the key."""
        if isinstance(choice, ast.IfExp):
            others: list[ast.expr] = [choice.body, choice.orelse]
        elif isinstance(choice.op, ast.Or):
            others = choice.values
        else:
            return
        if any(
            other is not node and _makes(other) and not self._is_derived(other) for other in others
        ):
            self.path.is_replaced = True

    def _is_derived(self, value: ast.expr) -> bool:
        """Whether what stands in for the key is made of what the caller gives: no key of its own."""
        statement: ast.AST | None = value
        while statement is not None and not isinstance(statement, ast.stmt):
            statement = self.parents.get(statement)
        origins = self.model.values.origins(Place(value, self.frame, statement))
        kinds = {origin.kind for origin in origins}
        given = isinstance(value, ast.Call) and any(
            not isinstance(argument, ast.Constant)
            for argument in (*value.args, *(keyword.value for keyword in value.keywords))
        )
        return not kinds & BAD_KINDS and (given or ValueKind.PARAMETER in kinds)

    def _assigned(
        self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr, value: _Value
    ) -> None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            if isinstance(target, ast.Name):
                self.follow(_Holder(target.id, value.whole, value.is_part))
            else:
                self._put_into(target)

    def _put_into(self, container: ast.expr) -> None:
        """The key becomes a part of a variable; of anything else it is not known who looks."""
        while isinstance(container, ast.Subscript | ast.Attribute):
            container = container.value
        if isinstance(container, ast.Name) and self._is_local(container.id):
            self.follow(_Holder(container.id, is_part=True))
        else:
            self.path.arrives = True

    def _is_local(self, name: str) -> bool:
        flow = self.model.names.flow(self.function)
        return name in flow.definitions and self.function.parameter(name) is None

    # calls

    def _handed(self, value: _Value, place: ast.AST, call: ast.Call) -> bool:
        """Hand a value to a call; true if it goes on in what the call gives."""
        event = self.model.names.flow(self.function).call_of.get(call)
        if event is None:
            self.path.arrives = True
            return False
        if event.name in MUTATORS and isinstance(call.func, ast.Attribute):
            self._put_into(call.func.value)
            return False
        deed = self.model.deeds.of(Place(call, self.frame, event.statement))
        if deed.kind is DeedKind.INNER:
            return self._into_helpers(value, Place(call, self.frame, event.statement))
        if deed.kind is not DeedKind.QUIET or (
            isinstance(place, ast.keyword) and place.arg is None
        ):
            self.path.arrives = True
            return False
        if deed.reason == "construction" and not deed.path:
            # a class of the program: its objects carry what they are made of
            self.path.arrives = True
            return False
        return deed.reason not in ("logging", "telemetry")

    def _into_helpers(self, value: _Value, call: Place) -> bool:
        """Follow a value into the functions that a call runs; true if they give it back."""
        node = value.node
        if self.depth >= _MAX_DEPTH or isinstance(node, ast.Starred):
            self.path.arrives = True
            return False
        goes_on = False
        for callee in self.model.deeds.of(call).callees:
            inner = self.model.names.enter(callee, call)
            holders = [
                _Holder(name, value.whole or _entry_with(given.node, node), value.is_part)
                for name, given in inner.arguments.items()
                if given.node is node or _entry_with(given.node, node)
            ]
            if not holders or callee.function.decorators:
                self.path.arrives = True
                return False
            for holder in holders:
                walk = _Walk(self.paths, callee.function, inner, self.depth + 1)
                found = walk.follow(holder)
                self.path.add(found)
                goes_on = goes_on or found.is_returned
        return goes_on


def _field_read(
    node: ast.Name, parent: ast.AST | None, parents: dict[ast.AST, ast.AST]
) -> tuple[str, ast.AST] | None:
    """The field that is read from a name, with the expression; `None` for all of it."""
    if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant):
        return str(parent.slice.value), parent
    if isinstance(parent, ast.Attribute):
        outer = parents.get(parent)
        if isinstance(outer, ast.Call) and outer.func is parent:
            if parent.attr in _READS and outer.args and isinstance(outer.args[0], ast.Constant):
                return str(outer.args[0].value), outer
            return None
        return parent.attr, parent
    return None


def _entry_with(mapping: ast.AST, node: ast.AST) -> str:
    """The key of a dictionary, made of loose keywords, under which a value stands."""
    if isinstance(mapping, ast.Dict):
        for key, value in zip(mapping.keys, mapping.values, strict=True):
            if value is node and isinstance(key, ast.Constant):
                return str(key.value)
    return ""


def _makes(value: ast.expr) -> bool:
    """Whether an expression can make a key."""
    return not isinstance(
        value, ast.Constant | ast.Dict | ast.List | ast.Tuple | ast.Compare | ast.UnaryOp
    )


def _says_absent(test: ast.AST) -> bool:
    """`not key`, `key is None`, `key == ""`, `len(key) < 8`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _says_present(test.operand) or not isinstance(
            test.operand, ast.Compare | ast.UnaryOp
        )
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.Or) and any(map(_says_absent, test.values))
    if not isinstance(test, ast.Compare):
        return False
    other = test.comparators[0]
    if isinstance(test.ops[0], ast.Is | ast.Eq):
        return isinstance(other, ast.Constant) and not other.value
    return isinstance(test.ops[0], ast.Lt | ast.LtE) and isinstance(other, ast.Constant)


def _says_present(test: ast.AST) -> bool:
    """`key`, `key is not None`, `key != ""`, `len(key) > 7`, and what `not` makes of their opposites."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _says_absent(test.operand)
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(map(_says_present, test.values))
    if not isinstance(test, ast.Compare):
        return isinstance(test, ast.Name)
    other = test.comparators[0]
    if isinstance(test.ops[0], ast.IsNot | ast.NotEq):
        return isinstance(other, ast.Constant) and not other.value
    return isinstance(test.ops[0], ast.Gt | ast.GtE) and isinstance(other, ast.Constant)

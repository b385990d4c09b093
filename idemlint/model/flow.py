"""What runs before what in one function body, along its paths.

The body is run once in the abstract: branches are joined, loops go round twice, a handler starts
from any place of its `try`. Each call and each change of a container is an event with a number;
sets of events are integers with one bit an event. The result does not depend on who calls the
function, so it is made once.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from idemlint.model.program import inner_statements
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from idemlint.model.program import Function, Module

__all__ = [
    "MUTATORS",
    "CallEvent",
    "Condition",
    "Definition",
    "Flow",
    "Mutation",
    "dotted_name",
    "flow_of",
    "last_name",
]

MUTATORS = {"update", "setdefault", "append", "extend", "add", "insert", "__setitem__"}
_DEEP_LOOPS = 2
_LEAVES = frozenset({ast.Name, ast.Constant})
_TESTS = (ast.Compare, ast.UnaryOp, ast.BoolOp)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Something that holds where an event runs.

    kind: test (`node` is true, or false if not `holds`; for a name that was given a comparison
    it is that), except (the handler `node` was entered),
    case (the `match_case` `node` fits).
    """

    kind: str
    node: ast.AST
    holds: bool
    statement: ast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """What a local name was bound to.

    kind: value (`node` is what it is), item (a part or an element of `node`; `key` says which, if
    it is one position of an unpacking), context (what entering `node` gives), augmented (`node` is
    added to what was there), function, class, import, parameter, exception, unknown.
    """

    name: str
    kind: str
    node: ast.AST | None
    statement: ast.stmt | None
    key: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Mutation:
    """A change of what a name holds: `name[key] = value`, `name.key = value`, `name.update(value)`.

    `name` is dotted for an attribute (`self.headers`). kind: item, attribute, or the method's name.
    """

    index: int
    name: str
    kind: str
    key: ast.expr | None
    value: ast.expr | None
    node: ast.AST
    statement: ast.stmt


@dataclass(slots=True, eq=False)
class CallEvent:
    """A call, and what is known where it runs.

    `name` is the last name of what is called, empty where that has none; where a name stands for
    something imported or for a method, it is the name of that. `before` are the events
    that can have run, `surely_before` those that have. `loops` are the enclosing
    loops, `tries` the `try` statements whose body it stands in, `contexts` the items of the
    enclosing `with` statements; each from the outside in.
    """

    index: int
    node: ast.Call
    statement: ast.stmt
    name: str = ""
    before: int = 0
    surely_before: int = 0
    conditions: tuple[Condition, ...] = ()
    loops: tuple[ast.stmt, ...] = ()
    tries: tuple[ast.Try, ...] = ()
    contexts: tuple[ast.withitem, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ReturnPoint:
    """A `return` or `yield`, with what holds there."""

    node: ast.Return | ast.Yield | ast.YieldFrom
    value: ast.expr | None
    statement: ast.stmt
    before: int
    surely_before: int
    conditions: tuple[Condition, ...]


@dataclass(slots=True, eq=False)
class Flow:
    """The events of a body and what reaches each statement."""

    calls: list[CallEvent] = field(default_factory=list)
    call_of: dict[ast.Call, CallEvent] = field(default_factory=dict)
    mutations: list[Mutation] = field(default_factory=list)
    returns: list[ReturnPoint] = field(default_factory=list)
    yields: list[ReturnPoint] = field(default_factory=list)
    reaching: dict[ast.stmt, dict[str, tuple[Definition, ...]]] = field(default_factory=dict)
    before: dict[ast.stmt, int] = field(default_factory=dict)
    conditions: dict[ast.stmt, tuple[Condition, ...]] = field(default_factory=dict)
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    comprehension: dict[str, Definition] = field(default_factory=dict)
    lambdas: list[tuple[ast.Lambda, ast.stmt]] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    loops: list[ast.For | ast.AsyncFor | ast.While] = field(default_factory=list)
    raises: list[tuple[ast.Raise, int]] = field(default_factory=list)
    falls_through: bool = False
    _inside: dict[ast.stmt, dict[ast.stmt, None]] = field(default_factory=dict)

    def inside(self, statement: ast.stmt) -> Mapping[ast.stmt, None]:
        """The statements in the blocks of one, and in theirs; definitions are not entered."""
        found = self._inside.get(statement)
        if found is None:
            found = self._inside[statement] = {}
            for inner in inner_statements(statement):
                found[inner] = None
                if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    found.update(self.inside(inner))
        return found

    @property
    def has_conditions(self) -> bool:
        """Whether anything in the body depends on something."""
        return any(self.conditions.values()) or any(event.conditions for event in self.calls)

    def definitions_at(self, statement: ast.stmt | None, name: str) -> tuple[Definition, ...]:
        """The definitions of `name` that can reach `statement`; all of them without a statement."""
        if statement is not None:
            reaching = self.reaching.get(statement)
            if reaching is not None:
                found = reaching.get(name)
                if found is not None:
                    return found
                if name in self.comprehension:
                    return (self.comprehension[name],)
                return ()
        found_all = self.definitions.get(name)
        if found_all:
            return tuple(found_all)
        return (self.comprehension[name],) if name in self.comprehension else ()


_Definitions = dict[str, tuple[Definition, ...]]


class _State:
    """What holds at a point; its definitions are copied only when one is added to them."""

    __slots__ = ("_is_shared", "conditions", "definitions", "may", "must")

    def __init__(
        self, may: int, must: int, conditions: tuple[Condition, ...], definitions: _Definitions
    ) -> None:
        self.may = may
        self.must = must
        self.conditions = conditions
        self.definitions = definitions
        self._is_shared = True

    def copy(self) -> _State:
        self._is_shared = True
        return _State(self.may, self.must, self.conditions, self.definitions)

    def under(self, condition: Condition) -> _State:
        self._is_shared = True
        return _State(self.may, self.must, (*self.conditions, condition), self.definitions)

    def shared(self) -> _Definitions:
        """The definitions as they are now, to be kept."""
        self._is_shared = True
        return self.definitions

    def restore(self, definitions: _Definitions) -> None:
        """Let definitions that were `shared` hold again."""
        self.definitions = definitions
        self._is_shared = True

    def define(self, name: str, found: tuple[Definition, ...]) -> None:
        self._own()[name] = found

    def undefine(self, name: str) -> None:
        self._own().pop(name, None)

    def _own(self) -> _Definitions:
        if self._is_shared:
            self.definitions = dict(self.definitions)
            self._is_shared = False
        return self.definitions


def _join(states: Iterable[_State | None]) -> _State | None:
    alive = [state for state in states if state is not None]
    if not alive:
        return None
    first = alive[0]
    if len(alive) == 1:
        return first
    may, must, conditions = first.may, first.must, first.conditions
    definitions = first.shared()
    before = definitions
    for state in alive[1:]:
        may |= state.may
        must &= state.must
        if conditions is not state.conditions:
            kept = set(state.conditions)
            conditions = tuple(condition for condition in conditions if condition in kept)
        # the states at the statements of a `try` mostly have the same ones
        if state.definitions is not before:
            before = state.shared()
            definitions = _merged(definitions, before)
    return _State(may, must, conditions, definitions)


def _merged(first: _Definitions, second: _Definitions) -> _Definitions:
    """The definitions of both; `first` itself where it has them all."""
    merged = first
    for name, found in second.items():
        mine = merged.get(name)
        if mine is found:
            continue
        if mine is not None:
            more = tuple(item for item in found if item not in mine)
            if not more:
                continue
            found = mine + more
        if merged is first:
            merged = dict(first)
        merged[name] = found
    return merged


def flow_of(function: Function) -> Flow:
    """The flow of a function or lambda. Nested definitions are events of their own functions."""
    return _Runner(function.module).run(function)


class _Loop:
    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks: list[_State] = []
        self.continues: list[_State] = []


class _Runner:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.flow = Flow()
        self.state: _State = _State(0, 0, (), {})
        self.alive = True
        self.events: dict[ast.AST, int] = {}
        self.loop_stack: list[_Loop] = []
        self.loops: tuple[ast.stmt, ...] = ()
        self.tries: tuple[ast.Try, ...] = ()
        self.contexts: tuple[ast.withitem, ...] = ()
        self.escapes: list[list[_State]] = []
        self.statement: ast.stmt | None = None
        self.known: dict[tuple[ast.AST, str], Definition] = {}
        self.conditions: dict[tuple[ast.AST, str, bool], Condition] = {}
        self.return_points: dict[ast.AST, ReturnPoint] = {}
        self.yield_points: dict[ast.AST, ReturnPoint] = {}

    def run(self, function: Function) -> Flow:
        arguments = function.node.args
        for arg in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *filter(None, (arguments.vararg, arguments.kwarg)),
        ):
            self._define(arg.arg, "parameter", arg)
        self._block(function.body)
        self.flow.falls_through = self.alive
        self.flow.returns = list(self.return_points.values())
        self.flow.yields = list(self.yield_points.values())
        return self.flow

    # statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.alive:
                # code that cannot be reached still has events, so that questions have answers
                return
            self._statement(statement)
            if self.escapes and self.alive:
                self.escapes[-1].append(self.state.copy())

    def _statement(self, statement: ast.stmt) -> None:
        self.statement = statement
        flow = self.flow
        reaching, earlier = self.state.shared(), flow.reaching.get(statement)
        flow.reaching[statement] = reaching if earlier is None else _merged(earlier, reaching)
        flow.before[statement] = flow.before.get(statement, 0) | self.state.may
        flow.conditions[statement] = self.state.conditions
        method = _STATEMENTS.get(type(statement).__name__)
        if method is not None:
            method(self, statement)
        else:
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.expr):
                    self._expression(child)

    def _if(self, statement: ast.If) -> None:
        self._expression(statement.test)
        self._branch(
            statement,
            statement.test,
            lambda: self._block(statement.body),
            lambda: self._block(statement.orelse),
        )

    def _branch(
        self,
        statement: ast.stmt,
        test: ast.expr,
        then: Callable[[], None],
        otherwise: Callable[[], None],
    ) -> None:
        base = self.state
        ends: list[_State | None] = []
        meant, is_opposite = self._meant(test)
        for holds, run in ((True, then), (False, otherwise)):
            if _is_constant(test, not holds):
                continue
            condition = self._condition("test", meant, statement, holds is not is_opposite)
            self.state = base.under(condition)
            self.alive = True
            run()
            ends.append(self.state if self.alive else None)
        joined = _join(ends)
        self.alive = joined is not None
        self.state = joined or base

    def _condition(
        self, kind: str, node: ast.AST, statement: ast.stmt, holds: bool = True
    ) -> Condition:
        key = (node, kind, holds)
        made = self.conditions.get(key)
        if made is None:
            made = self.conditions[key] = Condition(kind, node, holds, statement)
        return made

    def _meant(self, test: ast.expr) -> tuple[ast.expr, bool]:
        """What a test looks at, and whether it asks for the opposite.

        `missing = key not in known`, then `if missing:` looks at the comparison, if it would
        still have that value.
        """
        name, is_opposite = test, False
        while isinstance(name, ast.UnaryOp) and isinstance(name.op, ast.Not):
            name, is_opposite = name.operand, not is_opposite
        if not isinstance(name, ast.Name):
            return test, False
        found = self.state.definitions.get(name.id, ())
        if len(found) != 1 or found[0].kind != "value" or not isinstance(found[0].node, _TESTS):
            return test, False
        then = self.flow.reaching.get(found[0].statement) if found[0].statement else None
        if then is None or any(
            isinstance(node, ast.Name) and then.get(node.id) != self.state.definitions.get(node.id)
            for node in walk(found[0].node)
        ):
            return test, False
        return found[0].node, is_opposite

    def _for(self, statement: ast.For | ast.AsyncFor) -> None:
        self._expression(statement.iter)
        if statement not in self.flow.loops:
            self.flow.loops.append(statement)

        def enter() -> None:
            self._bind(statement.target, "item", statement.iter, statement)

        self._loop(statement, enter, None)

    def _while(self, statement: ast.While) -> None:
        if statement not in self.flow.loops:
            self.flow.loops.append(statement)
        self._loop(statement, lambda: None, statement.test)

    def _loop(
        self,
        statement: ast.For | ast.AsyncFor | ast.While,
        enter: Callable[[], None],
        test: ast.expr | None,
    ) -> None:
        outer_loops = self.loops
        self.loops = (*outer_loops, statement)
        entry: _State = self.state
        loop = _Loop()
        exits: list[_State | None] = []
        rounds = 2 if len(self.loops) <= _DEEP_LOOPS else 1
        head: _State | None = entry
        for _ in range(rounds):
            assert head is not None
            loop = _Loop()
            self.loop_stack.append(loop)
            self.state, self.alive = head.copy(), True
            self.statement = statement
            if test is not None:
                self._expression(test)
            exits = [self._exit_state(statement, test)]
            if test is not None and not _is_constant(test, True):
                self.state = self.state.under(self._condition("test", test, statement))
            enter()
            self._block(statement.body)
            self.loop_stack.pop()
            back = _join([self.state if self.alive else None, *loop.continues])
            head = _join([entry, back])
            if test is None and back is not None:
                exits.append(back)
        self.loops = outer_loops
        leaving = _join(exits)
        if leaving is not None:
            self.state, self.alive = leaving, True
            self._block(statement.orelse)
            leaving = self.state if self.alive else None
        joined = _join([leaving, *loop.breaks])
        self.alive = joined is not None
        self.state = joined or entry

    def _exit_state(self, statement: ast.stmt, test: ast.expr | None) -> _State | None:
        if test is None:
            return self.state.copy()
        if _is_constant(test, True):
            return None
        return self.state.under(self._condition("test", test, statement, holds=False))

    def _try(self, statement: ast.Try) -> None:
        before = self.state.copy()
        self.escapes.append([before])
        outer = self.tries
        self.tries = (*outer, statement)
        self._block(statement.body)
        self.tries = outer
        escaped = self.escapes.pop()
        if self.escapes:
            self.escapes[-1].extend(escaped)
        normal: _State | None = self.state if self.alive else None
        raised = _join(escaped)
        assert raised is not None
        if normal is not None:
            self.state, self.alive = normal, True
            self._block(statement.orelse)
            normal = self.state if self.alive else None
        ends = [normal]
        for handler in statement.handlers:
            self.state = raised.under(self._condition("except", handler, statement))
            self.state.conditions = (
                *before.conditions,
                self._condition("except", handler, statement),
            )
            self.alive = True
            self.statement = statement
            if handler.type is not None:
                self._expression(handler.type)
            if handler.name:
                self._define(handler.name, "exception", handler)
            self._block(handler.body)
            ends.append(self.state if self.alive else None)
        joined = _join(ends)
        if statement.finalbody:
            start = _join([joined, raised if joined is None else None])
            assert start is not None
            self.state, self.alive = start.copy(), True
            self._block(statement.finalbody)
            if joined is None or not self.alive:
                self.alive = False
                return
            return
        self.alive = joined is not None
        self.state = joined or before

    def _with(self, statement: ast.With | ast.AsyncWith) -> None:
        outer = self.contexts
        for item in statement.items:
            self._expression(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, "context", item.context_expr, statement)
            self.contexts = (*self.contexts, item)
        self._block(statement.body)
        self.contexts = outer

    def _match(self, statement: ast.Match) -> None:
        self._expression(statement.subject)
        base = self.state
        ends: list[_State | None] = []
        complete = False
        for case in statement.cases:
            self.state = base.under(self._condition("case", case, statement))
            self.alive = True
            for node in walk(case.pattern):
                name = getattr(node, "name", None) or getattr(node, "rest", None)
                if isinstance(name, str):
                    self._define(name, "item", statement.subject, statement)
            if case.guard is not None:
                self._expression(case.guard)
            elif isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                complete = True
            self._block(case.body)
            ends.append(self.state if self.alive else None)
        if not complete:
            ends.append(base.copy())
        joined = _join(ends)
        self.alive = joined is not None
        self.state = joined or base

    def _assign(self, statement: ast.Assign) -> None:
        self._expression(statement.value)
        for target in statement.targets:
            self._bind(target, "value", statement.value, statement)

    def _annotated(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self._expression(statement.value)
            self._bind(statement.target, "value", statement.value, statement)

    def _augmented(self, statement: ast.AugAssign) -> None:
        self._expression(statement.value)
        target = statement.target
        if isinstance(target, ast.Name):
            before = self.state.definitions.get(target.id, ())
            self._define(target.id, "augmented", statement.value, statement)
            self.state.define(target.id, (*before, *self.state.definitions[target.id]))
        else:
            self._bind(target, "value", statement.value, statement)

    def _definition(self, statement: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for decorator in statement.decorator_list:
            self._expression(decorator)
        kind = "class" if isinstance(statement, ast.ClassDef) else "function"
        if not isinstance(statement, ast.ClassDef):
            for default in (*statement.args.defaults, *filter(None, statement.args.kw_defaults)):
                self._expression(default)
        self._define(statement.name, kind, statement)

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            name = alias.asname or alias.name
            if isinstance(statement, ast.Import) and not alias.asname:
                name = alias.name.partition(".")[0]
            self._define(name, "import", statement)

    def _return(self, statement: ast.Return) -> None:
        if statement.value is not None:
            self._expression(statement.value)
            if self.escapes:
                # what is returned can raise, and a handler around it goes on
                self.escapes[-1].append(self.state.copy())
        self.return_points[statement] = ReturnPoint(
            statement,
            statement.value,
            statement,
            self.state.may,
            self.state.must,
            self.state.conditions,
        )
        self.alive = False

    def _raise(self, statement: ast.Raise) -> None:
        for part in (statement.exc, statement.cause):
            if part is not None:
                self._expression(part)
        self.flow.raises.append((statement, self.state.may))
        if self.escapes:
            self.escapes[-1].append(self.state.copy())
        self.alive = False

    def _break(self, statement: ast.Break) -> None:
        if self.loop_stack:
            self.loop_stack[-1].breaks.append(self.state)
        self.alive = False

    def _continue(self, statement: ast.Continue) -> None:
        if self.loop_stack:
            self.loop_stack[-1].continues.append(self.state)
        self.alive = False

    def _assert(self, statement: ast.Assert) -> None:
        self._expression(statement.test)
        self.state = self.state.under(self._condition("test", statement.test, statement))

    def _global(self, statement: ast.Global | ast.Nonlocal) -> None:
        self.flow.globals.update(statement.names)

    def _delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Name):
                self.state.undefine(target.id)
            else:
                self._expression(target)

    # names

    def _bind(self, target: ast.expr, kind: str, value: ast.expr, statement: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            self._define(target.id, kind, value, statement)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = (
                value.elts
                if kind == "value"
                and isinstance(value, ast.Tuple | ast.List)
                and len(value.elts) == len(target.elts)
                else None
            )
            for number, element in enumerate(target.elts):
                inner = element.value if isinstance(element, ast.Starred) else element
                if parts is not None:
                    self._bind(inner, "value", parts[number], statement)
                elif isinstance(inner, ast.Name):
                    key = None if isinstance(element, ast.Starred) else number
                    self._define(inner.id, "item", value, statement, key)
                else:
                    self._bind(inner, "item", value, statement)
        elif isinstance(target, ast.Subscript):
            self._expression(target.value)
            self._expression(target.slice)
            name = dotted_name(target.value)
            if name:
                self._mutation(name, "item", target.slice, value, target, statement)
        elif isinstance(target, ast.Attribute):
            self._expression(target.value)
            name = dotted_name(target.value)
            if name:
                attribute = ast.copy_location(ast.Constant(target.attr), target)
                self._mutation(name, "attribute", attribute, value, target, statement)

    def _define(
        self,
        name: str,
        kind: str,
        node: ast.AST | None,
        statement: ast.stmt | None = None,
        key: int | None = None,
    ) -> None:
        identity = (node if node is not None else self.statement, f"{name}:{kind}:{key}")
        made = self.known.get(identity)  # type: ignore[arg-type]
        if made is None:
            made = Definition(name, kind, node, statement or self.statement, key)
            self.known[identity] = made  # type: ignore[index]
            self.flow.definitions.setdefault(name, []).append(made)
        self.state.define(name, (made,))

    def _mutation(
        self,
        name: str,
        kind: str,
        key: ast.expr | None,
        value: ast.expr | None,
        node: ast.AST,
        statement: ast.stmt,
    ) -> None:
        index = self.events.get(node)
        if index is None:
            index = self.events[node] = len(self.events)
            self.flow.mutations.append(Mutation(index, name, kind, key, value, node, statement))
        self.state.may |= 1 << index
        self.state.must |= 1 << index

    # expressions

    def _expression(self, node: ast.expr) -> None:
        while node.__class__ is ast.Attribute:
            node = node.value
        if node.__class__ not in _LEAVES:
            _EXPRESSIONS.get(node.__class__, _Runner._parts)(self, node)

    def _parts(self, node: ast.expr) -> None:
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, ast.expr):
                self._expression(value)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.expr):
                        self._expression(item)

    def _lambda(self, node: ast.Lambda) -> None:
        assert self.statement is not None
        self.flow.lambdas.append((node, self.statement))

    def _choice(self, node: ast.IfExp) -> None:
        self._expression(node.test)
        assert self.statement is not None
        self._branch(
            self.statement,
            node.test,
            lambda: self._expression(node.body),
            lambda: self._expression(node.orelse),
        )

    def _named(self, node: ast.NamedExpr) -> None:
        self._expression(node.value)
        self._define(node.target.id, "value", node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        if node.value is not None:
            self._expression(node.value)
        assert self.statement is not None
        self.yield_points[node] = ReturnPoint(
            node,
            node.value,
            self.statement,
            self.state.may,
            self.state.must,
            self.state.conditions,
        )

    def _bool(self, node: ast.BoolOp) -> None:
        assert self.statement is not None
        holds = isinstance(node.op, ast.And)
        self._expression(node.values[0])
        ends: list[_State | None] = []
        for previous, value in zip(node.values, node.values[1:], strict=False):
            ends.append(self.state.copy())
            condition = self._condition("test", previous, self.statement, holds)
            self.state = self.state.under(condition)
            self._expression(value)
        ends.append(self.state)
        joined = _join(ends)
        assert joined is not None
        self.state = joined

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        shadowed = self.state.shared()
        for generator in node.generators:
            self._expression(generator.iter)
            for target in walk(generator.target):
                if isinstance(target, ast.Name):
                    key = _position(generator.target, target)
                    definition = Definition(target.id, "item", generator.iter, self.statement, key)
                    self.flow.comprehension[target.id] = definition
                    self.state.define(target.id, (definition,))
            for test in generator.ifs:
                self._expression(test)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for part in parts:
            self._expression(part)
        may, must = self.state.may, self.state.must
        self.state.restore(shadowed)
        self.state.may, self.state.must = may, must

    def _call(self, node: ast.Call) -> None:
        self._expression(node.func)
        for argument in node.args:
            self._expression(argument.value if isinstance(argument, ast.Starred) else argument)
        for keyword in node.keywords:
            self._expression(keyword.value)
        index = self.events.get(node)
        assert self.statement is not None
        if index is None:
            index = self.events[node] = len(self.events)
            event = CallEvent(index, node, self.statement, self._called(node.func))
            self.flow.calls.append(event)
            self.flow.call_of[node] = event
            event.surely_before = self.state.must
            event.conditions = self.state.conditions
        else:
            event = self.flow.call_of[node]
            event.surely_before &= self.state.must
            kept = set(self.state.conditions)
            event.conditions = tuple(c for c in event.conditions if c in kept)
        event.before |= self.state.may
        event.loops, event.tries, event.contexts = self.loops, self.tries, self.contexts
        bit = 1 << index
        self.state.may |= bit
        self.state.must |= bit
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            name = dotted_name(node.func.value)
            if name:
                self._method_mutation(name, node.func.attr, node)

    def _called(self, func: ast.expr) -> str:
        """The name of what is called: `send` of `p.send(…)`, and of `p = queue.send`, then `p(…)`."""
        if not isinstance(func, ast.Name):
            return last_name(func)
        found = self.state.definitions.get(func.id)
        if found is None or found[0].kind == "import":
            return self.module.own_name(func.id)
        if (
            len(found) == 1
            and found[0].kind == "value"
            and isinstance(found[0].node, ast.Attribute)
        ):
            return found[0].node.attr
        return func.id

    def _method_mutation(self, name: str, method: str, node: ast.Call) -> None:
        assert self.statement is not None
        values: list[ast.expr] = list(node.args)
        key = None
        if method in ("setdefault", "__setitem__", "insert") and len(values) > 1:
            key = values[0]
            values = values[1:]
        value = values[0] if values else None
        for keyword in node.keywords:
            if method == "update" and keyword.arg is not None:
                constant = ast.copy_location(ast.Constant(keyword.arg), keyword.value)
                self._mutation(name, "item", constant, keyword.value, keyword, self.statement)
        if value is not None:
            self._mutation(name, method, key, value, node.func, self.statement)


def dotted_name(node: ast.expr) -> str:
    """`a` or `a.b.c` of a name or attribute; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def last_name(node: ast.AST) -> str:
    """`c` of `a.b.c`, and `a` of a name; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _position(target: ast.expr, name: ast.Name) -> int | None:
    if isinstance(target, ast.Tuple | ast.List) and name in target.elts:
        return target.elts.index(name)
    return None


def _is_constant(test: ast.expr, value: bool) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value) is value


# by the name of the class: a function whose body is parsed late has one of its own
_STATEMENTS: dict[str, Callable[[_Runner, Any], None]] = {
    "If": _Runner._if,
    "For": _Runner._for,
    "AsyncFor": _Runner._for,
    "While": _Runner._while,
    "Try": _Runner._try,
    "TryStar": _Runner._try,
    "With": _Runner._with,
    "AsyncWith": _Runner._with,
    "Match": _Runner._match,
    "Assign": _Runner._assign,
    "AnnAssign": _Runner._annotated,
    "AugAssign": _Runner._augmented,
    "FunctionDef": _Runner._definition,
    "AsyncFunctionDef": _Runner._definition,
    "ClassDef": _Runner._definition,
    "Import": _Runner._import,
    "ImportFrom": _Runner._import,
    "Return": _Runner._return,
    "Raise": _Runner._raise,
    "Break": _Runner._break,
    "Continue": _Runner._continue,
    "Assert": _Runner._assert,
    "Global": _Runner._global,
    "Nonlocal": _Runner._global,
    "Delete": _Runner._delete,
}
_EXPRESSIONS: dict[type[ast.AST], Callable[[_Runner, Any], None]] = {
    ast.Call: _Runner._call,
    ast.Lambda: _Runner._lambda,
    ast.BoolOp: _Runner._bool,
    ast.IfExp: _Runner._choice,
    ast.NamedExpr: _Runner._named,
    ast.ListComp: _Runner._comprehension,
    ast.SetComp: _Runner._comprehension,
    ast.GeneratorExp: _Runner._comprehension,
    ast.DictComp: _Runner._comprehension,
    ast.Yield: _Runner._yield,
    ast.YieldFrom: _Runner._yield,
}

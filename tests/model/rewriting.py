"""Ways to write a program otherwise that change nothing of what it does.

Each is a class that rewrites one parsed file; what it cannot rewrite it leaves as it is. A name that
a rewriting needs is `extra_1`, `extra_2`, and so on.
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Rewriting", "rewritings"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Step = ast.Expr | ast.Assign | ast.Return
_LEAVING = (ast.Return, ast.Raise, ast.Continue)
_PARTS = (ast.Call, ast.JoinedStr, ast.Dict, ast.BinOp, ast.Attribute, ast.Await, ast.Subscript)
_NOT_MOVED = (ast.Yield, ast.YieldFrom, ast.NamedExpr)


class Rewriting(ast.NodeTransformer):
    """One way to write a file otherwise; as it stands it changes nothing."""

    def __init__(self) -> None:
        self._count = 0
        self._depth = 0

    @classmethod
    def of(cls, code: str) -> str:
        """The code, rewritten."""
        tree = ast.fix_missing_locations(cls().visit(ast.parse(code)))
        return f"{ast.unparse(tree)}\n"

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.inside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.inside(node)

    def inside(self, node: _Function) -> _Function:
        """Rewrite what stands in a function."""
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    @property
    def is_in_function(self) -> bool:
        return self._depth > 0

    def extra(self) -> str:
        """A name that nothing has yet."""
        self._count += 1
        return f"extra_{self._count}"


class _Steps(Rewriting):
    """Rewrites the simple statements of functions."""

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return self._step(node)

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return self._step(node)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        return self._step(node)

    def _step(self, node: _Step) -> list[ast.stmt]:
        return [*(self.before(node) if self.is_in_function else ()), node]

    def before(self, node: _Step) -> Iterator[ast.stmt]:
        """Change a statement, and give what has to stand before it; as it stands, nothing."""
        return iter(())


class ResultWithName(_Steps):
    """`return f(x)`: the result gets a name first."""

    def before(self, node: _Step) -> Iterator[ast.stmt]:
        value = node.value
        if isinstance(node, ast.Return) and not isinstance(value, ast.Constant | ast.Name | None):
            name = self.extra()
            yield _assigned(name, value)
            node.value = _loaded(name)


class ArgumentsWithNames(_Steps):
    """`f({"a": b})`: each argument gets a name first."""

    def before(self, node: _Step) -> Iterator[ast.stmt]:
        call = _call_of(node)
        for number, value in enumerate(call.args if call is not None else ()):
            if call is not None and _can_move(value):
                name = self.extra()
                yield _assigned(name, value)
                call.args[number] = _loaded(name)
        for keyword in call.keywords if call is not None else ():
            if keyword.arg is not None and _can_move(keyword.value):
                name = self.extra()
                yield _assigned(name, keyword.value)
                keyword.value = _loaded(name)


class KeywordsInMapping(_Steps):
    """`f(a=b)`: `options = {"a": b}`, then `f(**options)`."""

    def before(self, node: _Step) -> Iterator[ast.stmt]:
        call = _call_of(node)
        if call is None or not call.keywords or not all(k.arg for k in call.keywords):
            return
        name = self.extra()
        keys: list[ast.expr | None] = [ast.Constant(k.arg) for k in call.keywords]
        yield _assigned(name, ast.Dict(keys, [k.value for k in call.keywords]))
        call.keywords = [ast.keyword(None, _loaded(name))]


class CallInFunction(_Steps):
    """`x = f(y)`: the call moves into a function that is called at once."""

    def before(self, node: _Step) -> Iterator[ast.stmt]:
        value = node.value
        if not isinstance(node, ast.Assign) or not isinstance(value, ast.Call | ast.Await):
            return
        if any(isinstance(inner, _NOT_MOVED) for inner in ast.walk(value)):
            return
        waits = any(isinstance(inner, ast.Await) for inner in ast.walk(value))
        name = self.extra()
        template = f"{'async ' if waits else ''}def {name}(): pass"
        definition = ast.parse(template).body[0]
        assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef)
        definition.body = [ast.Return(value)]
        yield definition
        call = ast.Call(_loaded(name), [], [])
        node.value = ast.Await(call) if waits else call


class DictionaryInSteps(_Steps):
    """`d = {"a": b}`: an empty one, then `d["a"] = b`."""

    def _step(self, node: _Step) -> list[ast.stmt]:
        value = node.value
        if (
            not self.is_in_function
            or not isinstance(node, ast.Assign)
            or not isinstance(value, ast.Dict)
            or len(node.targets) != 1
            or not isinstance(node.targets[0], ast.Name)
        ):
            return [node]
        name = node.targets[0].id
        steps: list[ast.stmt] = [_assigned(name, ast.Dict([], []))]
        for key, item in zip(value.keys, value.values, strict=True):
            if key is None:
                return [node]
            target = ast.Subscript(_loaded(name), key, ast.Store())
            steps.append(ast.Assign([target], item))
        return steps


class TwoAtOnce(_Steps):
    """`x = y`: `x, extra = y, None`."""

    def before(self, node: _Step) -> Iterator[ast.stmt]:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if len(node.targets) == 1 and not isinstance(node.value, ast.Tuple):
                spare = ast.Name(self.extra(), ast.Store())
                node.targets = [ast.Tuple([node.targets[0], spare], ast.Store())]
                node.value = ast.Tuple([node.value, ast.Constant(None)], ast.Load())
        yield from ()


class TestWithName(Rewriting):
    """`if a == b:`: the comparison gets a name first."""

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        self.generic_visit(node)
        is_plain = isinstance(node.test, ast.Name | ast.Constant)
        if not self.is_in_function or is_plain or not _can_stand_before(node.test):
            return [node]
        name = self.extra()
        before = _assigned(name, node.test)
        node.test = _loaded(name)
        return [before, node]


class OppositeTest(Rewriting):
    """`if a: b`: `if not a: pass`, `else: b`."""

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            return node
        test = node.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        else:
            test = ast.UnaryOp(ast.Not(), test)
        return ast.If(test, node.orelse or [ast.Pass()], node.body)


class RestInElse(Rewriting):
    """`if a: return`, then b: b moves into an `else`."""

    def inside(self, node: _Function) -> _Function:
        super().inside(node)
        node.body = _with_else(node.body)
        return node


class ErrorPassedOn(Rewriting):
    """A `try` around the body of each function whose handler raises again."""

    def inside(self, node: _Function) -> _Function:
        super().inside(node)
        first = _behind_docstring(node)
        body = node.body[first:]
        if body and not any(isinstance(s, ast.Global | ast.Nonlocal) for s in body):
            frame = ast.parse("try: pass\nexcept Exception:\n    print('failed')\n    raise").body[
                0
            ]
            assert isinstance(frame, ast.Try)
            frame.body = body
            node.body = [*node.body[:first], frame]
        return node


class FilledInByFormat(Rewriting):
    """`f"{a}/b"`: `"{}/b".format(a)`."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        text, values = "", []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.conversion != -1 or part.format_spec is not None:
                    return node
                text += "{}"
                values.append(part.value)
            else:
                assert isinstance(part, ast.Constant)
                assert isinstance(part.value, str)
                text += part.value.replace("{", "{{").replace("}", "}}")
        return ast.Call(ast.Attribute(ast.Constant(text), "format", ast.Load()), values, [])


class ImportsUnderOtherNames(Rewriting):
    """`import a`, `from b import c`: `import a as extra_1`, `from b import c as extra_2`."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        bound = _bound_names(node)
        renamed: dict[str, str] = {}
        for statement in node.body:
            if isinstance(statement, ast.Import | ast.ImportFrom) and not _is_future(statement):
                for alias in statement.names:
                    if not alias.asname and "." not in alias.name and bound[alias.name] == 1:
                        alias.asname = renamed[alias.name] = self.extra()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                inner.id = renamed.get(inner.id, inner.id)
        return node


class ImportsInFunctions(Rewriting):
    """Imports move into the functions that use them, where nothing else does."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        bound = _bound_names(node)
        outside = {inner.id for inner in _outside_functions(node) if isinstance(inner, ast.Name)}
        moved: dict[str, ast.stmt] = {}
        for statement in node.body:
            if isinstance(statement, ast.Import | ast.ImportFrom) and not _is_future(statement):
                alias = statement.names[0]
                name = (alias.asname or alias.name).partition(".")[0]
                if len(statement.names) == 1 and bound[name] == 1 and name not in outside:
                    moved[name] = statement
        gone = set(moved.values())
        for function in _outermost(node):
            used = {inner.id for inner in ast.walk(function) if isinstance(inner, ast.Name)}
            first = _behind_docstring(function)
            needed = [copy.deepcopy(moved[name]) for name in moved if name in used]
            function.body = [*function.body[:first], *needed, *function.body[first:]]
        node.body = [s for s in node.body if s not in gone] or [ast.Pass()]
        return node


def rewritings() -> list[type[Rewriting]]:
    """All rewritings, in the order of their names."""
    found = inspect.getmembers(sys.modules[__name__], inspect.isclass)
    return [
        cls
        for name, cls in found
        if issubclass(cls, Rewriting) and cls is not Rewriting and not name.startswith("_")
    ]


def _behind_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return 0 if ast.get_docstring(node, clean=False) is None else 1


def _loaded(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assigned(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _call_of(node: _Step) -> ast.Call | None:
    """The call that a statement is about."""
    value = node.value.value if isinstance(node.value, ast.Await) else node.value
    return value if isinstance(value, ast.Call) else None


def _can_move(value: ast.expr) -> bool:
    return isinstance(value, _PARTS) and _can_stand_before(value)


def _can_stand_before(value: ast.expr) -> bool:
    return not any(isinstance(inner, _NOT_MOVED) for inner in ast.walk(value))


def _with_else(body: list[ast.stmt]) -> list[ast.stmt]:
    for number, statement in enumerate(body[:-1]):
        if isinstance(statement, ast.If) and not statement.orelse:
            if isinstance(statement.body[-1], _LEAVING):
                statement.orelse = _with_else(body[number + 1 :])
                return body[: number + 1]
    return body


def _is_future(statement: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _bound_names(tree: ast.Module) -> Counter[str]:
    """How often each name is bound anywhere in a file."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] += 1
        elif isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] += 1
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] += 1
    return found


def _outermost(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions that stand in no other one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _outermost(child)


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run with the file, the signatures of functions among them."""
    for child in ast.iter_child_nodes(node):
        yield child
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            signature = [*child.decorator_list, child.args, *filter(None, [child.returns])]
            for part in signature:
                yield part
                yield from _outside_functions(part)
        else:
            yield from _outside_functions(child)

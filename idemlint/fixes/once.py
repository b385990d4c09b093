"""Running an effect through the module that `idemlint scaffold` has written into the project."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.fixes.layout import fitted
from idemlint.scaffold import CALLS, MARK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from idemlint.fixes.editing import Editor
    from idemlint.fixes.editors import Editors
    from idemlint.model.program import Function, Module

__all__ = ["run_through"]

_NAMES = ("act", "run_effect")
_RESULTS = ("done", "once_done")
_JSON_TYPES = {
    "str", "int", "float", "bool", "dict", "list", "None", "Optional", "Union", "Dict", "List",
}  # fmt: skip
_AWAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith)
_LEAVES = (ast.Yield, ast.YieldFrom, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)


@dataclass(frozen=True, slots=True)
class _Written:
    """A module that was written for an operation."""

    module: Module
    operation: str
    is_async: bool


def run_through(
    function: Function,
    statement: ast.stmt,
    key: str,
    tool: str,
    operation: str,
    editors: Editors,
    *,
    calls: tuple[str, ...] = tuple(CALLS.values()),
) -> bool:
    """Run what follows from `statement` on once for each `key`, by the module of an operation.

    False where the project has no such module, or the rest of the block cannot be a function: its
    result is kept as JSON, and it must bind no name that others read. `calls` are the functions of
    such modules that will do.
    """
    node = function.node
    if isinstance(node, ast.Lambda):
        return False
    rest = _rest_of(node, statement)
    if not rest or not _can_stand_apart(node, rest):
        return False
    editor = editors.of(function.module)
    start, end = editor.line_start(rest[0]), editor.line_end(rest[-1])
    rows = editor.text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    if '"""' in rows or "'''" in rows or "super()" in rows or "\\\n" in rows:
        return False
    if not editor.stands_alone(rest[0]) or not editor.stands_alone(rest[-1]):
        return False
    name, result = (_free(names, editor.text) for names in (_NAMES, _RESULTS))
    is_async = isinstance(node, ast.AsyncFunctionDef)
    has_await = any(isinstance(n, _AWAITS) for n in _nodes(rest))
    written = _chosen(function.module, operation, calls, is_async=is_async, has_await=has_await)
    if written is None or not name or not result:
        return False
    called = _import_of(written, CALLS[written.operation], editor)
    if called is None:
        return False
    is_async = written.is_async
    returns = any(isinstance(n, ast.Return) and n.value is not None for n in _nodes(rest))
    arguments = f"{key}, {_arguments(function, key)}"
    wait = "await " if is_async else ""
    indent, step = editor.indent(rest[0]), editor.step
    kind = editor.code(node.returns) if node.returns is not None and returns else "None"
    hint = f" -> {kind}" if node.returns is not None else ""
    head = [f"{'async ' if is_async else ''}def {name}(){hint}:"]
    if CALLS[written.operation] == "checkpoint":
        tail = [
            f'{"async " if is_async else ""}with {called}({arguments}, tool="{tool}") as {result}:',
            f"{step}if not {result}.was_replay:",
            f"{step * 2}{result}.result = {wait}{name}()"
            if returns
            else f"{step * 2}{wait}{name}()",
            *([f"return {result}.result"] if returns else []),
        ]
    else:
        call = f'{called}({arguments}, {name}, tool="{tool}")'
        tail = _in_one_row(call, wait, indent, editor, result if returns else None)
    moved = "".join(step + row if row.strip() else row for row in rows.splitlines(keepends=True))
    moved = moved if moved.endswith("\n") else moved + "\n"
    above = editor.text[:start].rstrip(" \t").replace("\r\n", "\n")
    row = above.rstrip("\n").rpartition("\n")[2].lstrip()
    # a comment that stands right above goes with what it is about
    is_near = above.endswith((":\n", "\n\n")) or row.startswith("#")
    before = "" if is_near else "\n"
    made = f"{before}{indent}{head[0]}\n{moved}\n" + "".join(f"{indent}{row}\n" for row in tail)
    editor.replace(start, end, made)
    return True


def _in_one_row(call: str, wait: str, indent: str, editor: Editor, result: str | None) -> list[str]:
    """The call of the module, with a name for its result where the row would be too long."""
    if result is None:
        return [fitted(f"{wait}{call}", indent, editor.step, editor.limit)]
    row = f"return ({wait}{call}).value" if wait else f"return {call}.value"
    if not editor.limit or len(indent) + len(row) <= editor.limit:
        return [row]
    return [
        fitted(f"{result} = {wait}{call}", indent, editor.step, editor.limit),
        f"return {result}.value",
    ]


def _free(names: Sequence[str], text: str) -> str:
    """The first of some names that a text does not use; empty if it uses all."""
    return next((n for n in names if not re.search(rf"\b{n}\b", text)), "")


# what can be run by another function


def _rest_of(node: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """A statement and those behind it in its block."""
    for outer in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list) and statement in block:
                return block[block.index(statement) :]
    return []


def _can_stand_apart(
    node: ast.FunctionDef | ast.AsyncFunctionDef, rest: Sequence[ast.stmt]
) -> bool:
    """Whether statements can become a function of their own that runs once for a key."""
    nodes = set(_nodes(rest))
    around = [n for n in ast.walk(node) if n not in nodes]
    if any(isinstance(n, _LEAVES) for n in ast.walk(node)):
        return False
    loops = (n for n in ast.walk(node) if isinstance(n, ast.For | ast.AsyncFor | ast.While))
    if any(rest[0] in set(ast.walk(loop)) for loop in loops):
        return False
    bound = set(_bound(nodes))
    if bound & set(_bound(around)):
        return False
    results = [n for n in nodes if isinstance(n, ast.Return)]
    if results:
        is_json = node.returns is not None and _is_json_type(node.returns)
        if not is_json and not all(_is_json(n.value) for n in results):
            return False
        return isinstance(rest[-1], ast.Return)
    read = {n.id for n in around if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return not bound & read


def _nodes(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from ast.walk(statement)


def _bound(nodes: Sequence[ast.AST] | set[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            if node.name:
                yield node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _is_json_type(annotation: ast.expr) -> bool:
    """Whether values of a type can be kept as JSON."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        if ast.unparse(annotation.value).endswith("Annotated"):
            annotation = annotation.slice.elts[0]
    return all(
        (not isinstance(n, ast.Name) or n.id in _JSON_TYPES)
        and not isinstance(n, ast.Attribute)
        and not (isinstance(n, ast.Constant) and n.value is not None)
        for n in ast.walk(annotation)
    )


def _is_json(value: ast.expr | None) -> bool:
    """Whether an expression shows that it can be kept as JSON."""
    if value is None or isinstance(value, ast.Constant | ast.JoinedStr):
        return True
    if isinstance(value, ast.Dict):
        return all(_is_json(v) for v in value.values)
    if isinstance(value, ast.List):
        return all(_is_json(v) for v in value.elts)
    name = (
        getattr(value.func, "attr", getattr(value.func, "id", ""))
        if isinstance(value, ast.Call)
        else ""
    )
    return name in ("json", "str", "int", "float", "bool", "len", "dumps")


def _arguments(function: Function, key: str) -> str:
    """The arguments that a repeat must have as well: those that are plain JSON."""
    names = [
        arg.arg
        for arg in function.parameters
        if arg.annotation is not None and arg.arg != key and _is_json_type(arg.annotation)
    ]
    return "{" + ", ".join(f'"{name}": {name}' for name in names) + "}"


# the module


def _chosen(
    importer: Module,
    operation: str,
    calls: tuple[str, ...],
    *,
    is_async: bool,
    has_await: bool,
) -> _Written | None:
    """The project's module for an operation, in the form that a body can call."""
    found = [
        written
        for written in _written(importer)
        if CALLS[written.operation] in calls
        and (is_async or not written.is_async)
        and (written.is_async or not has_await)
    ]
    found.sort(key=lambda written: (written.operation != operation, not written.is_async))
    return found[0] if found else None


def _written(importer: Module) -> Iterator[_Written]:
    for module in importer.program.marked(MARK, importer):
        words = module.source.row(1)[len(MARK) :].rstrip("`.\r\n ").split()
        if words and words[0] in CALLS and module is not importer:
            yield _Written(module, words[0], "--async" in words)


def _import_of(written: _Written, name: str, editor: Editor) -> str | None:
    """How a name of the module is written here, imported as the file imports its own package."""
    module, importer = written.module, editor.module
    if re.search(rf"\b{name}\b", editor.text):
        for bound, bindings in importer.loose_bindings.items():
            if any(b.member == name and _origin(b.module, importer) is module for b in bindings):
                return bound
        return None
    path, package = module.name, f"{importer.package}."
    if path.startswith(package) and _uses_dots(importer):
        path = path[len(package) - 1 :]
    return editor.add_import(path, name)


def _origin(name: str, importer: Module) -> Module | None:
    if name.startswith("."):
        return importer.program.find_relative(name, importer)
    return importer.program.find(name, importer)


def _uses_dots(module: Module) -> bool:
    return any(isinstance(s, ast.ImportFrom) and s.level > 0 for s in module.statements())

"""Walking over the functions, classes and expressions of chunks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.model.program import inner_statements
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from idemlint.model.program import Class, Function, Module
    from idemlint.source.index import Chunk

__all__ = ["all_statements", "classes_of", "functions_of", "own_nodes", "shallow_nodes", "value_of"]


def functions_of(
    module: Module,
    chunks: Iterable[Chunk],
    is_asked: Callable[[Function], object] | None = None,
    *,
    marked_by: str = "",
) -> Iterator[Function]:
    """The functions of chunks, nested ones too; an outer one comes before those inside.

    With `is_asked` those for which it is true; what is false of a function is so of those inside.
    Nested ones are left out of a function in which the text `marked_by` does not stand.
    """
    for chunk in list(chunks):
        for function in module.functions_of(chunk):
            yield from _with_nested(function, is_asked, marked_by)


def _with_nested(
    function: Function, is_asked: Callable[[Function], object] | None, mark: str
) -> Iterator[Function]:
    if is_asked is not None and not is_asked(function):
        return
    yield function
    if not _can_nest(function) or not function.mentions(mark):
        return
    for statement in all_statements(function.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = function.module.function(statement, None, function)
            yield from _with_nested(inner, is_asked, mark)
        elif isinstance(statement, ast.ClassDef):
            for method in function.module.class_(statement, function).methods():
                yield from _with_nested(method, is_asked, mark)


def _can_nest(function: Function) -> bool:
    """Whether another definition can stand in a function; its body is not parsed for that."""
    if isinstance(function.node, ast.Lambda):
        return False
    text = function.module.source.text
    start, end = function.span
    start = text.find("\n", start, end)
    return start >= 0 and (
        text.find("def ", start, end) >= 0 or text.find("class ", start, end) >= 0
    )


def classes_of(module: Module, chunks: Iterable[Chunk]) -> Iterator[Class]:
    """The classes of chunks, nested ones too."""
    for chunk in chunks:
        for statement in module.index.statements(chunk):
            yield from _classes_in(module, statement)


def _classes_in(module: Module, statement: ast.stmt) -> Iterator[Class]:
    if isinstance(statement, ast.ClassDef):
        yield module.class_(statement)
        for inner in statement.body:
            yield from _classes_in(module, inner)
    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        parent = module.function(statement, None, None)
        if not parent.mentions("class "):
            return
        for inner in all_statements(statement.body):
            if isinstance(inner, ast.ClassDef):
                yield module.class_(inner, parent)
    elif isinstance(statement, ast.If | ast.Try | ast.With):
        for inner in inner_statements(statement):
            yield from _classes_in(module, inner)


def all_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and its blocks; definitions are named but not entered."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from all_statements(inner_statements(statement))


def own_nodes(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a top-level statement; functions are not entered."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    if isinstance(statement, ast.ClassDef):
        for inner in statement.body:
            yield from own_nodes(inner)
        return
    if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
        yield from shallow_nodes(statement)
        for inner in inner_statements(statement):
            yield from own_nodes(inner)
        return
    for node in walk(statement):
        if isinstance(node, ast.expr):
            yield node


def shallow_nodes(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of one statement, those of its blocks left out."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.withitem):
            child = child.context_expr
        if isinstance(child, ast.expr):
            for node in walk(child):
                if isinstance(node, ast.expr):
                    yield node


def value_of(node: ast.expr | None, name: str) -> ast.expr | None:
    """What a dictionary that is written down holds under a name; `None` for all other nodes."""
    if not isinstance(node, ast.Dict):
        return None
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == name:
            return value
    return None

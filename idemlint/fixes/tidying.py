"""Imports that fixes leave without a use."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["without_idle_imports"]


def without_idle_imports(path: Path, before: bytes, after: bytes) -> bytes:
    """The new bytes of a file without the imports at its top that were in use before, and are not now.

    An import that shares its row with a comment stays, and so does a name that stands in a text, or
    that a package may hand on.
    """
    if path.suffix not in (".py", ".pyi", ".pyw") or path.stem == "__init__":
        return after
    old = _tree(path, before)
    while True:
        new = _tree(path, after)
        if old is None or new is None:
            return after
        idle = _idle(old[1], new[1])
        shorter = _removed(new[0], idle) if idle is not None else None
        if shorter is None:
            return after
        after = SourceText(path, shorter, new[0].has_bom).encode()


def _tree(path: Path, data: bytes) -> tuple[SourceText, ast.Module] | None:
    try:
        source = SourceText.decode(path, data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return source, ast.parse(source.text)
    except (NotUtf8Error, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _idle(old: ast.Module, new: ast.Module) -> tuple[ast.Import | ast.ImportFrom, ast.alias] | None:
    """The first import that is of no use any more."""
    was_read, is_read = set(_read(old)), set(_read(new))
    gone = was_read - is_read
    for statement, alias in _imports(new):
        name = _bound(alias)
        if name in gone and not _stands_in_text(name, new):
            if any(_bound(other) == name for _, other in _imports(old)):
                return statement, alias
    return None


def _imports(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias]]:
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                continue
            for alias in statement.names:
                yield statement, alias


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _read(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id


def _stands_in_text(name: str, tree: ast.Module) -> bool:
    """Whether a text other than a docstring holds a name: a list of exports, or an annotation."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in prose
        and word.search(node.value) is not None
        for node in ast.walk(tree)
    )


def _removed(source: SourceText, idle: tuple[ast.Import | ast.ImportFrom, ast.alias]) -> str | None:
    """The text without an import; `None` where something else stands in its rows."""
    from idemlint.source.ranges import node_span

    statement, alias = idle
    text, starts = source.text, source.row_starts
    last = statement.end_lineno or statement.lineno
    first = starts[statement.lineno - 1]
    end = starts[last] if last < len(starts) else len(text)
    span = node_span(source, statement)
    if text[first : span[0]].strip() or text[span[1] : end].strip() or "#" in text[first:end]:
        return None
    if len(statement.names) == 1:
        kept, rest = text[:first], text[end:]
        newline = source.newline
        if rest.startswith(newline) and kept.endswith(newline * 2):
            # it stood between empty rows: one of these is enough
            kept = kept.removesuffix(newline)
        elif not kept:
            # it was the first row: the empty ones behind it separated it from the rest
            while rest.startswith(newline):
                rest = rest.removeprefix(newline)
        return kept + rest
    number = statement.names.index(alias)
    if number:
        start, stop = node_span(source, statement.names[number - 1])[1], node_span(source, alias)[1]
    else:
        start, stop = node_span(source, alias)[0], node_span(source, statement.names[1])[0]
    return text[:start] + text[stop:]

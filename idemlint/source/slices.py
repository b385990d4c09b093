"""Slices: the stretch of a file that a finding lies in, as a LibCST tree.

A slice is a top-level statement, or one method of a class. Its nodes are matched with those of the
`ast` tree that the model works on: nodes of one kind come in the same order in both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.source.text import SourceText

__all__ = ["Slice", "SliceError", "enclosing_statement"]

_KINDS = {
    "Call": "Call",
    "FunctionDef": "FunctionDef",
    "AsyncFunctionDef": "FunctionDef",
    "ClassDef": "ClassDef",
    "Lambda": "Lambda",
    "Dict": "Dict",
    "For": "For",
    "AsyncFor": "For",
    "While": "While",
    "Return": "Return",
}
"""The kinds of nodes that findings are tied to, and what LibCST calls them.

By name, because a function whose body is parsed at the first look is of a class of its own.
"""

_WRAPPER = "class _:\n"


class SliceError(ValueError):
    """The parser of LibCST does not take a text that Python's takes, or sees other nodes in it."""


class Slice:
    """A statement of a file as a LibCST tree. Raises `SliceError`.

    `start` and `end` are its offsets in the text of the file: whole rows.
    """

    def __init__(self, source: SourceText, statement: ast.stmt) -> None:
        starts = source.row_starts
        last = statement.end_lineno or statement.lineno
        self.source = source
        self.statement = statement
        self.start = starts[first_row(statement) - 1]
        self.end = starts[last] if last < len(starts) else len(source.text)
        text = source.text[self.start : self.end]
        if text[:1] in " \t":
            text = _WRAPPER + text
        try:
            self.module = cst.parse_module(text)
        except Exception as error:
            raise SliceError(str(error)) from error
        self._match()

    def _match(self) -> None:
        self._twins: dict[cst.CSTNode, ast.AST] = {}
        self._anchors: dict[ast.AST, ast.AST] = {}
        expected = _by_kind(self.statement)
        found = _Collector()
        self.module.visit(found)
        is_class = bool(self.module.body) and isinstance(self.module.body[0], cst.ClassDef)
        if is_class and not isinstance(self.statement, ast.ClassDef):
            found.nodes["ClassDef"] = found.nodes["ClassDef"][1:]
        for kind, nodes in expected.items():
            if len(nodes) != len(found.nodes[kind]):
                raise SliceError(f"{kind} nodes differ")
            self._twins.update(zip(found.nodes[kind], nodes, strict=True))

    def twin(self, node: cst.CSTNode) -> ast.AST | None:
        """The node of the model that a node of this tree is."""
        return self._twins.get(node)

    def anchor(self, node: ast.AST) -> ast.AST:
        """The innermost node around `node`, or itself, that has a twin; else the statement."""
        if not self._anchors:
            self._collect_anchors(self.statement, self.statement)
        return self._anchors.get(node, self.statement)

    def _collect_anchors(self, node: ast.AST, anchor: ast.AST) -> None:
        # a loop of its own: expressions can be nested deeper than Python's stack
        pending = [(node, anchor)]
        while pending:
            node, anchor = pending.pop()
            if type(node).__name__ in _KINDS:
                anchor = node
            self._anchors[node] = anchor
            pending.extend((child, anchor) for child in ast.iter_child_nodes(node))


class _Collector(cst.CSTVisitor):
    """Lists the nodes of each kind in the order of the text."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: dict[str, list[cst.CSTNode]] = {kind: [] for kind in _KINDS.values()}

    def on_visit(self, node: cst.CSTNode) -> bool:
        found = self.nodes.get(type(node).__name__)
        if found is not None:
            found.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        return


def _by_kind(statement: ast.stmt) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {kind: [] for kind in _KINDS.values()}
    for node in ast.walk(statement):
        kind = _KINDS.get(type(node).__name__)
        if kind is not None:
            found[kind].append(node)
    for nodes in found.values():
        nodes.sort(key=_order)
    return found


def _order(node: ast.AST) -> tuple[int, int, int, int]:
    """By the start, the outer one first; a definition starts at its own row."""
    return node.lineno, node.col_offset, -node.end_lineno, -node.end_col_offset  # type: ignore[attr-defined]


def first_row(statement: ast.stmt) -> int:
    """The row of a statement, or of its first decorator."""
    decorators = getattr(statement, "decorator_list", ())
    rows: list[int] = [statement.lineno, *(decorator.lineno for decorator in decorators)]
    return min(rows)


def enclosing_statement(statements: Iterable[ast.stmt], row: int) -> Iterator[ast.stmt]:
    """The statements that hold a row, each the best slice there: a method instead of its class."""
    for statement in statements:
        if first_row(statement) <= row <= (statement.end_lineno or statement.lineno):
            if isinstance(statement, ast.ClassDef):
                yield from enclosing_statement(
                    (s for s in statement.body if not isinstance(s, ast.ClassDef)), row
                )
            yield statement

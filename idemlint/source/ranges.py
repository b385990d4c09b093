"""Where a node of an `ast` tree stands, in rows and columns of the reader."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from idemlint.diagnostic import Position, Range

if TYPE_CHECKING:
    from idemlint.source.text import SourceText

__all__ = ["node_range", "node_span"]

_NAME = re.compile(r"\b(?:def|class)\s+(\w+)")


def node_range(source: SourceText, node: ast.AST) -> Range:
    """The range of a node; of a definition its name.

    `ast` counts columns in bytes of UTF-8 from 0, a `Range` counts code points from 1.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        start = source.row_starts[node.lineno - 1]
        found = _NAME.search(source.text, start)
        if found is not None and found[1] == node.name:
            return source.range(found.start(1), found.end(1))
    row, end_row = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
    column, end_column = node.col_offset, node.end_col_offset or 0  # type: ignore[attr-defined]
    return Range(
        Position(row, _column(source, row, column)),
        Position(end_row, _column(source, end_row, end_column)),
    )


def node_span(source: SourceText, node: ast.AST) -> tuple[int, int]:
    """The offsets in the text between which a node stands; of a definition all of it."""
    row, end_row = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    starts = source.row_starts
    start = starts[row - 1] + _column(source, row, node.col_offset) - 1  # type: ignore[attr-defined]
    end = starts[end_row - 1] + _column(source, end_row, node.end_col_offset) - 1  # type: ignore[attr-defined]
    return start, end


def _column(source: SourceText, row: int, offset: int) -> int:
    text = source.row(row)
    if text[:offset].isascii():
        return offset + 1
    return len(text.encode()[:offset].decode(errors="replace")) + 1

"""Tables that are looked up by the path of a call or an object.

A path is dotted names; a call adds nothing to it, except its first argument where rows ask for it
(`boto3.client("s3").put_object`), an item adds `[]` or `[key]`. In a pattern `*` is one name or the
rest of one (`create_*`), `**` any number of names.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PathTable", "compile_paths"]

_ROWS = ""
_STARTS = "^"
Node = dict[str, Any]


def compile_paths(patterns: list[tuple[str, int]]) -> tuple[dict[str, tuple[int, ...]], Node]:
    """Plain dictionaries for `PathTable`, from patterns and the numbers of their rows."""
    exact: dict[str, tuple[int, ...]] = {}
    wild: Node = {}
    for pattern, row in patterns:
        if "*" not in pattern:
            exact[pattern] = (*exact.get(pattern, ()), row)
            continue
        node = wild
        for segment in pattern.split("."):
            if segment[-1] == "*" and segment.strip("*"):
                node = node.setdefault(_STARTS, {}).setdefault(segment[:-1], {})
            else:
                node = node.setdefault(segment, {})
        node[_ROWS] = (*node.get(_ROWS, ()), row)
    return exact, wild


class PathTable:
    """Rows by path. The pattern with the most literal names wins; ties keep the rows' order."""

    __slots__ = ("_exact", "_memo", "_wild")

    def __init__(self, exact: dict[str, tuple[int, ...]], wild: Node) -> None:
        self._exact = exact
        self._wild = wild
        self._memo: dict[str, tuple[int, ...]] = {}

    def match(self, path: str) -> tuple[int, ...]:
        """The numbers of the rows whose pattern fits best; empty when none does."""
        found = self._exact.get(path)
        if found is not None:
            return found
        if not self._wild:
            return ()
        known = self._memo.get(path)
        if known is None:
            best: list[Any] = [-1, ()]
            _walk(self._wild, path.split("."), 0, 0, best)
            known = self._memo[path] = best[1]
        return known

    def all_matches(self, path: str) -> tuple[int, ...]:
        """The numbers of all rows whose pattern fits, in their order."""
        found: list[int] = list(self._exact.get(path, ()))
        if self._wild:
            _collect(self._wild, path.split("."), 0, found)
        return tuple(sorted(set(found)))


def _walk(node: Node, segments: list[str], at: int, score: int, best: list[Any]) -> None:
    rest = node.get("**")
    if rest is not None:
        for skip in range(at, len(segments) + 1):
            _walk(rest, segments, skip, score, best)
    if at == len(segments):
        rows = node.get(_ROWS)
        if rows is not None and score > best[0]:
            best[0], best[1] = score, rows
        return
    for child, gain in _children(node, segments[at]):
        _walk(child, segments, at + 1, score + gain, best)


def _collect(node: Node, segments: list[str], at: int, found: list[int]) -> None:
    rest = node.get("**")
    if rest is not None:
        for skip in range(at, len(segments) + 1):
            _collect(rest, segments, skip, found)
    if at == len(segments):
        found.extend(node.get(_ROWS, ()))
        return
    for child, _ in _children(node, segments[at]):
        _collect(child, segments, at + 1, found)


def _children(node: Node, segment: str) -> list[tuple[Node, int]]:
    """Where a segment leads, with what a match is worth."""
    found: list[tuple[Node, int]] = []
    child = node.get(segment)
    if child is not None:
        found.append((child, 4))
    elif segment[-1:] == ")":
        child = node.get(segment.partition("(")[0])
        if child is not None:
            found.append((child, 3))
    starts = node.get(_STARTS)
    if starts is not None:
        found.extend((child, 2) for start, child in starts.items() if segment.startswith(start))
    child = node.get("*")
    if child is not None:
        found.append((child, 1))
    return found

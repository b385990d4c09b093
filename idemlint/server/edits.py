"""Changes of texts as the editor takes them."""

from __future__ import annotations

import difflib
import itertools
import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from lsprotocol import types

from idemlint.diagnostic import Edit
from idemlint.server.documents import Document, uri_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from idemlint.server.client import Client, Locator
    from idemlint.server.documents import OpenNotebook
    from idemlint.source.text import SourceText

__all__ = ["created_file", "edits_between", "workspace_edit"]

_NEWLINE = re.compile(r"\r\n|\r|\n")
_REVIEW = "review"
_MANY_PAIRS = 250_000
"""Pairs of rows from which they are not compared one by one."""


def workspace_edit(
    edits: Iterable[Edit], client: Client, locator: Locator, *, review: str = ""
) -> types.WorkspaceEdit | None:
    """Edits of any files as one change; `None` if one of them cannot be made.

    With `review` the editor asks about them first, where it can, and shows this text.
    """
    by_uri: dict[str, tuple[int | None, list[types.TextEdit]]] = {}
    for edit in edits:
        placed = _placed(edit, locator)
        if placed is None:
            return None
        uri, version, change = placed
        by_uri.setdefault(uri, (version, []))[1].append(change)
    if not by_uri:
        return None
    if not client.has_versioned_edits:
        return types.WorkspaceEdit(changes={uri: changes for uri, (_, changes) in by_uri.items()})
    asks = bool(review) and client.has_annotations
    found = types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri, version),
                [_annotated(change) for change in changes] if asks else list(changes),
            )
            for uri, (version, changes) in by_uri.items()
        ]
    )
    if asks:
        annotation = types.ChangeAnnotation(review, needs_confirmation=True)
        found.change_annotations = {_REVIEW: annotation}
    return found


def _annotated(change: types.TextEdit) -> types.AnnotatedTextEdit:
    return types.AnnotatedTextEdit(_REVIEW, change.range, change.new_text)


def _placed(edit: Edit, locator: Locator) -> tuple[str, int | None, types.TextEdit] | None:
    """Where an edit goes: the address, the version that it is for, and the change."""
    item = locator.documents.at(edit.path)
    if isinstance(item, Document):
        places, uri, version = item.places, item.uri, item.version
    elif item is not None:
        return _in_cell(edit, item)
    else:
        found = locator.places(edit.path)
        if found is None:
            return None
        places, uri, version = found, uri_of(edit.path), None
    text = _NEWLINE.sub(places.source.newline, edit.content)
    return uri, version, types.TextEdit(places.range_to_client(edit.range), text)


def _in_cell(edit: Edit, item: OpenNotebook) -> tuple[str, int | None, types.TextEdit] | None:
    try:
        number, inner = item.notebook.cell_edit(edit)
    except ValueError:
        return None
    cell = item.cell(number)
    if cell is None:
        return None
    text = _NEWLINE.sub(cell.places.source.newline, inner.content)
    span = cell.places.range_to_client(inner.range)
    return cell.uri, cell.version, types.TextEdit(span, text)


def edits_between(path: Path, before: SourceText, after: SourceText) -> list[Edit]:
    """Edits of whole rows that make one text of another."""
    old, new = _rows(before), _rows(after)
    starts = [*before.row_starts[: len(old)], len(before.text)]
    return [
        Edit(path, before.range(starts[first], starts[last]), "".join(new[start:end]))
        for first, last, start, end in _differences(old, new)
    ]


def _differences(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Which rows of one list stand for which of another one, in order.

    Rows that occur once in both part the lists first: to compare all rows of a long file with all
    others takes many seconds.
    """
    first = start = 0
    for one, other in [*_anchors(old, new), (len(old), len(new))]:
        for kind, *bounds in _opcodes(old[first:one], new[start:other]):
            if kind != "equal":
                yield first + bounds[0], first + bounds[1], start + bounds[2], start + bounds[3]
        first, start = one + 1, other + 1


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs of rows that occur once in both lists, as many as stand in the same order."""
    counts, others = Counter(old), Counter(new)
    places = {row: number for number, row in enumerate(new) if others[row] == 1}
    pairs = [
        (number, places[row])
        for number, row in enumerate(old)
        if counts[row] == 1 and row in places
    ]
    # the longest rising run of the second numbers: `best` holds how the shortest ends are reached
    ends: list[int] = []
    best: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(best[at - 1] if at else -1)
        ends[at : at + 1], best[at : at + 1] = [place], [index]
    found = []
    index = best[-1] if best else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def _opcodes(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if len(old) * len(new) > _MANY_PAIRS:
        return [("replace", 0, len(old), 0, len(new))]
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _rows(source: SourceText) -> list[str]:
    bounds = [*source.row_starts, len(source.text)]
    rows = [source.text[start:end] for start, end in itertools.pairwise(bounds)]
    return rows if rows[-1] else rows[:-1]


def created_file(path: Path, text: str) -> types.WorkspaceEdit:
    """A new file with a text."""
    start = types.Position(0, 0)
    uri = uri_of(path)
    return types.WorkspaceEdit(
        document_changes=[
            types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True)),
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri, None),
                [types.TextEdit(types.Range(start, start), text)],
            ),
        ]
    )

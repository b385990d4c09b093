"""Fixes in notebooks: edits of cells, which of them are refused, and what keeps its bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Position, Range, Related
from idemlint.fixes.apply import apply_all, apply_once
from idemlint.source.notebooks import Notebook

if TYPE_CHECKING:
    from collections.abc import Mapping

    from idemlint.fixes.apply import Round

BOOK = Path("/project/n.ipynb").absolute()
MODULE = Path("/project/m.py").absolute()


def span(row: int, column: int, end_row: int, end_column: int) -> Range:
    return Range(Position(row, column), Position(end_row, end_column))


def notebook(*sources: str) -> bytes:
    """A notebook with a Markdown cell before these, each row a string of a list."""
    cells: list[dict[str, object]] = [{"cell_type": "markdown", "metadata": {}, "source": "text"}]
    code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cells += [{**code, "source": text.splitlines(keepends=True)} for text in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def finding(*edits: Edit, place: Range | None = None, **more: object) -> Diagnostic:
    fix = Fix("f", Applicability.SAFE, edits)
    return Diagnostic(BOOK, place or span(1, 1, 1, 1), "IDM101", "n", "m", fix=fix, **more)  # type: ignore[arg-type]


def edit(place: Range, content: str, cell: int | None, path: Path = BOOK) -> Edit:
    return Edit(path, place, content, cell)


def texts(data: bytes) -> dict[int, str]:
    return {cell.number: cell.text for cell in Notebook.decode(BOOK, data).cells}


def once(data: bytes, *findings: Diagnostic, **files: bytes) -> Round:
    return apply_once(findings, {BOOK: data, MODULE: files.get("module")}.get, unsafe=False)


def placed(data: bytes, entry: Diagnostic) -> Diagnostic:
    return Notebook.decode(BOOK, data).in_cell(entry)


def test_cells_are_changed_and_all_else_keeps_its_bytes() -> None:
    data = notebook("a = 1\n", "b = 2")
    done = once(data, finding(edit(span(1, 1, 1, 2), "x", 2), edit(span(1, 5, 1, 6), "3", 3)))
    assert done.contents == {BOOK: data.replace(b"a = 1", b"x = 1").replace(b"b = 2", b"b = 3")}


def test_stretches_of_different_cells_do_not_touch() -> None:
    data = notebook("a = 1", "b = 2")
    done = once(
        data,
        finding(edit(span(1, 1, 1, 2), "x", 2)),
        finding(edit(span(1, 1, 1, 2), "y", 3)),
        finding(edit(span(1, 2, 1, 3), "z", 3)),
    )
    assert texts(done.contents[BOOK]) == {2: "x = 1", 3: "y = 2"}
    assert len(done.fixed) == 2


def test_new_rows_have_the_newlines_of_the_cell() -> None:
    done = once(notebook("a\r\nb\r\n"), finding(edit(span(2, 1, 2, 1), "x\n", 2)))
    assert texts(done.contents[BOOK]) == {2: "a\r\nx\r\nb\r\n"}


def test_a_cell_that_would_not_parse_any_more_is_left_alone() -> None:
    # As one module the two cells would still parse.
    data = notebook("f(\n1)", "b = 2")
    done = once(data, finding(edit(span(1, 3, 2, 3), "", 2), edit(span(1, 1, 1, 1), ")\n", 3)))
    assert done.contents == {}
    assert "would not parse afterwards" in done.messages[0]


def test_a_cell_without_code_is_not_changed() -> None:
    assert once(notebook("a"), finding(edit(span(1, 1, 1, 2), "x", 1))).contents == {}


def test_a_file_that_is_no_notebook_is_not_changed() -> None:
    assert once(b"a = 1\n", finding(edit(span(1, 1, 1, 2), "x", 2))).contents == {}


def test_a_fix_reaches_into_a_module() -> None:
    both = finding(edit(span(1, 1, 1, 2), "x", 2), edit(span(1, 1, 1, 2), "y", None, MODULE))
    done = once(notebook("a"), both, module=b"b\n")
    assert texts(done.contents[BOOK]) == {2: "x"}
    assert done.contents[MODULE] == b"y\n"


def test_it_ends_when_nothing_is_left() -> None:
    data = notebook("aa")

    def check(contents: Mapping[Path, bytes]) -> list[Diagnostic]:
        text = texts(contents.get(BOOK, data))[2]
        at = text.find("a") + 1
        return [finding(edit(span(1, at, 1, at + 1), "b", 2))] if at else []

    result = apply_all(check({}), {BOOK: data}.get, check, unsafe=False)
    assert result.contents == {BOOK: data.replace(b"aa", b"bb")}
    assert [entry.count for entry in result.fixed] == [2]


def test_edits_of_the_joined_cells_are_placed_in_their_cells() -> None:
    data = notebook("import a\n", "def f():\n    a()")
    # the first cell ends with a newline: the second begins in row 3
    entry = finding(
        edit(span(1, 1, 1, 1), "import b\n", None),
        edit(span(4, 5, 4, 8), "b()", None),
        place=span(4, 5, 4, 8),
    )
    moved = placed(data, entry)
    assert moved.fix is not None
    assert [(part.cell, part.range.start.row) for part in moved.fix.edits] == [(2, 1), (3, 2)]
    after = texts(once(data, moved).contents[BOOK])
    assert after == {2: "import b\nimport a\n", 3: "def f():\n    b()"}


def test_rows_that_go_on_in_a_block_stay_in_its_cell() -> None:
    data = notebook("def f():\n    a()", "b()")
    moved = placed(data, finding(edit(span(3, 1, 3, 1), "    c()\n", None), place=span(2, 5, 2, 8)))
    assert texts(once(data, moved).contents[BOOK]) == {2: "def f():\n    a()\n    c()", 3: "b()"}


def test_rows_of_their_own_go_before_a_cell() -> None:
    data = notebook("a()", "b()")
    moved = placed(data, finding(edit(span(2, 1, 2, 1), "c()\n", None), place=span(2, 1, 2, 4)))
    assert texts(once(data, moved).contents[BOOK]) == {2: "a()", 3: "c()\nb()"}


def test_an_edit_of_two_cells_leaves_the_finding_without_a_fix() -> None:
    entry = finding(edit(span(1, 1, 2, 2), "x", None))
    assert placed(notebook("ab", "ef"), entry).fix is None


def test_related_places_have_their_cells() -> None:
    related = Related(BOOK, span(2, 1, 2, 3), "here")
    moved = placed(notebook("ab", "ef"), finding(related=(related,)))
    assert (moved.cell, moved.related[0].cell, moved.related[0].range) == (2, 3, span(1, 1, 1, 3))

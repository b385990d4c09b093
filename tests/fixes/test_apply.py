"""Applying fixes: what is chosen, what is dropped, and when it ends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from idemlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Position, Range
from idemlint.fixes.apply import FixCount, FixResult, apply_all, apply_once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

A = Path("/project/a.py").absolute()
B = Path("/project/b.py").absolute()
C = Path("/project/c.py").absolute()
_NOT_APPLIED = f"The fix of IDM101 in {A} was not applied:"


def span(row: int, column: int, end_row: int, end_column: int) -> Range:
    return Range(Position(row, column), Position(end_row, end_column))


def edit(place: Range, content: str, path: Path = A) -> Edit:
    return Edit(path, place, content)


def finding(
    *edits: Edit,
    code: str = "IDM101",
    applicability: Applicability = Applicability.SAFE,
    path: Path = A,
    cell: int | None = None,
) -> Diagnostic:
    place = edits[0].range if edits else span(1, 1, 1, 1)
    return Diagnostic(
        path, place, code, code.lower(), "m", cell=cell, fix=Fix("f", applicability, edits)
    )


def once(text: str | bytes, *findings: Diagnostic, unsafe: bool = False) -> str:
    """`text` after one round."""
    data = text if isinstance(text, bytes) else text.encode()
    done = apply_once(findings, lambda path: data if path == A else None, unsafe=unsafe)
    return done.contents.get(A, data).decode()


def fixed(
    files: dict[Path, bytes], replacements: Sequence[tuple[str, str]], *, unsafe: bool = False
) -> FixResult:
    """Fix with rules that each replace a text wherever it stands."""

    def check(contents: Mapping[Path, bytes]) -> list[Diagnostic]:
        found = []
        for path, data in sorted({**files, **contents}.items()):
            for row, text in enumerate(data.decode().splitlines(), start=1):
                for number, (old, new) in enumerate(replacements):
                    for match in re.finditer(old, text):
                        place = span(row, match.start() + 1, row, match.end() + 1)
                        change = edit(place, new, path)
                        found.append(finding(change, code=f"IDM10{number}", path=path))
        return found

    return apply_all(check({}), files.get, check, unsafe=unsafe)


def test_edits_replace_insert_and_delete() -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    changes = finding(
        edit(span(3, 1, 3, 2), "d"),
        edit(span(1, 1, 1, 1), "import x\n"),
        edit(span(2, 1, 3, 1), ""),
    )
    assert once(text, changes) == "import x\na = 1\nd = 3\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a\r\nb\r\n", b"a\r\nx\r\ny\r\nb\r\n"),
        (b"a\rb\r", b"a\rx\ry\rb\r"),
        (b"a\nb", b"a\nx\ny\nb"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nx\ny\nb\n"),
        (b"a\r\nb\n", b"a\r\nx\r\ny\r\nb\n"),
    ],
)
def test_newlines_and_byte_order_marks_stay(text: bytes, expected: bytes) -> None:
    for content in ("x\ny\n", "x\r\ny\r\n"):
        done = apply_once([finding(edit(span(2, 1, 2, 1), content))], {A: text}.get, unsafe=False)
        assert done.contents == {A: expected}


def test_columns_count_code_points() -> None:
    assert (
        once("é = '\U0001d4b3', b\n", finding(edit(span(1, 10, 1, 11), "c")))
        == "é = '\U0001d4b3', c\n"
    )


def test_of_two_fixes_that_touch_the_first_in_the_text_is_applied() -> None:
    first = finding(edit(span(1, 1, 1, 3), "x"))
    for second in (span(1, 2, 1, 4), span(1, 3, 1, 4), span(1, 3, 1, 3), span(1, 1, 1, 1)):
        other = finding(edit(second, "y"))
        order = sorted([first, other], key=lambda entry: entry.range)
        for given in (order, order[::-1]):
            done = apply_once(given, {A: b"abcd\n"}.get, unsafe=False)
            assert done.fixed == (order[0],)


def test_fixes_that_do_not_touch_are_applied_together() -> None:
    first, second = finding(edit(span(1, 1, 1, 2), "x")), finding(edit(span(1, 3, 1, 4), "y"))
    assert once("abc\n", second, first) == "xby\n"


def test_a_fix_has_the_stretch_between_its_edits_for_itself() -> None:
    outer = finding(edit(span(1, 1, 1, 2), "x"), edit(span(3, 1, 3, 2), "z"))
    inner = finding(edit(span(2, 1, 2, 2), "y"))
    assert once("a\nb\nc\n", inner, outer) == "x\nb\nz\n"


def test_an_edit_that_two_fixes_share_is_made_once() -> None:
    top = edit(span(1, 1, 1, 1), "import x\n")
    first = finding(top, edit(span(1, 1, 1, 2), "x"))
    second = finding(top, edit(span(3, 1, 3, 2), "z"))
    third = finding(top)
    done = apply_once([first, second, third], {A: b"a\nb\nc\n"}.get, unsafe=False)
    assert done.contents == {A: b"import x\nx\nb\nz\n"}
    assert done.fixed == (first, second, third)


@pytest.mark.parametrize(
    ("applicability", "unsafe", "is_applied"),
    [
        (Applicability.SAFE, False, True),
        (Applicability.SAFE, True, True),
        (Applicability.UNSAFE, False, False),
        (Applicability.UNSAFE, True, True),
        (Applicability.DISPLAY, False, False),
        (Applicability.DISPLAY, True, False),
    ],
)
def test_only_what_may_be_applied_is(
    applicability: Applicability, unsafe: bool, is_applied: bool
) -> None:
    entry = finding(edit(span(1, 1, 1, 2), "x"), applicability=applicability)
    assert (once("a\n", entry, unsafe=unsafe) == "x\n") is is_applied


def test_findings_without_edits_are_left_alone() -> None:
    assert once("a\n", finding()) == "a\n"


def test_a_fix_of_two_files_is_applied_in_both() -> None:
    files = {A: b"a\n", B: b"b\n"}
    both = finding(edit(span(1, 1, 1, 2), "x"), edit(span(1, 1, 1, 2), "y", B))
    result = apply_all([both], files.get, lambda _: (), unsafe=False)
    assert result.contents == {A: b"x\n", B: b"y\n"}
    assert result.linked == (frozenset({A, B}),)
    assert result.fixed == (FixCount(A, "IDM101", "idm101", 1),)


def test_a_fix_of_two_files_is_applied_whole_or_not_at_all() -> None:
    files = {A: b"a\n", B: b"b\n"}
    own = finding(edit(span(1, 1, 1, 2), "z", B), path=B)
    both = finding(edit(span(1, 1, 1, 2), "x"), edit(span(1, 2, 1, 2), "y", B))
    done = apply_once([own, both], files.get, unsafe=False)
    assert done.contents == {A: b"x\n", B: b"by\n"}
    assert done.fixed == (both,)
    blocker = finding(edit(span(1, 1, 1, 2), "first"))
    done = apply_once([blocker, both], files.get, unsafe=False)
    assert done.contents == {A: b"first\n"}


def test_a_fix_that_leaves_the_run_is_not_applied() -> None:
    both = finding(edit(span(1, 1, 1, 2), "x"), edit(span(1, 1, 1, 2), "y", B))
    result = apply_all([both], {A: b"a\n"}.get, lambda _: (), unsafe=False)
    assert result == FixResult(
        {},
        (both,),
        messages=(f"{_NOT_APPLIED} it changes {B}, which is not among the files of this run.",),
    )


def test_a_file_that_is_not_utf_8_is_left_alone() -> None:
    done = apply_once([finding(edit(span(1, 1, 1, 2), "x"))], {A: b"a\xff\n"}.get, unsafe=False)
    assert (done.contents, done.fixed) == ({}, ())


def test_linked_files_are_joined_over_all_fixes() -> None:
    place = span(1, 1, 1, 2)
    pairs = [(A, B), (C, B)]
    findings = [finding(*(edit(place, "x", path) for path in pair)) for pair in pairs]
    files = {A: b"a\n", B: b"ab\n", C: b"a\n"}
    shifted = finding(edit(span(1, 2, 1, 3), "y", B), edit(place, "x", C), path=C)
    result = apply_all(
        findings[:1], files.get, lambda contents: [shifted] if C not in contents else [],
        unsafe=False,
    )  # fmt: skip
    assert result.linked == (frozenset({A, B, C}),)


def test_fixes_are_applied_until_none_is_left() -> None:
    result = fixed({A: b"a a\n", B: b"b\n"}, [("a", "b"), ("b", "c")])
    assert result.contents == {A: b"c c\n", B: b"c\n"}
    assert result.diagnostics == ()
    assert result.messages == ()
    assert result.fixed == (
        FixCount(A, "IDM100", "idm100", 2),
        FixCount(A, "IDM101", "idm101", 2),
        FixCount(B, "IDM101", "idm101", 1),
    )


def test_many_fixes_in_one_place_take_many_rounds() -> None:
    files = {A: b"a\n" * 40}

    def check(contents: Mapping[Path, bytes]) -> list[Diagnostic]:
        rows = {**files, **contents}[A].decode().splitlines()
        return [
            finding(edit(span(1, 1, 1, 1), f"# {row}\n"), edit(span(row, 1, row, 2), "b"))
            for row, text in enumerate(rows, start=1)
            if text == "a"
        ]

    result = apply_all(check({}), files.get, check, unsafe=False)
    assert result.messages == ()
    assert result.fixed == (FixCount(A, "IDM101", "idm101", 40),)
    assert result.contents[A].count(b"b\n") == result.contents[A].count(b"# ") == 40


def test_what_is_left_is_what_the_last_check_found() -> None:
    entry = finding(edit(span(1, 1, 1, 2), "x"), applicability=Applicability.UNSAFE)
    result = apply_all([entry], {A: b"a\n"}.get, lambda _: (), unsafe=False)
    assert result == FixResult({}, (entry,))


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    result = fixed({A: b"a\n"}, [("a", "b"), ("b", "a")])
    assert result.messages == (
        f"Failed to converge: fixes of IDM100 in {A} go on without end. Please report this.",
    )
    assert result.contents == {}


def test_a_fix_that_grows_for_ever_is_stopped_soon() -> None:
    result = fixed({A: b"a\n"}, [("a$", "aa")])
    assert result.contents == {A: b"a" * 11 + b"\n"}
    assert len(result.messages) == 1


def test_a_fix_that_breaks_the_syntax_is_dropped() -> None:
    result = apply_all(
        [finding(edit(span(1, 1, 1, 1), "("))], {A: b"a\n"}.get, lambda _: (), unsafe=False
    )
    assert result.contents == {}
    assert result.fixed == ()
    assert result.messages == (
        f"{_NOT_APPLIED} the code would not parse afterwards. Please report this.",
    )


def test_the_other_fixes_of_the_round_are_applied_without_it() -> None:
    bad = finding(edit(span(1, 1, 1, 1), "("), code="IDM102")
    good = finding(edit(span(2, 1, 2, 2), "x"))
    done = apply_once([bad, good], {A: b"a\nb\n"}.get, unsafe=False)
    assert done.contents == {A: b"a\nx\n"}
    assert done.fixed == (good,)
    assert len(done.messages) == 1


def test_of_sound_fixes_that_break_the_syntax_together_the_first_is_applied() -> None:
    first, second = (finding(edit(span(row, 5, row, 6), "")) for row in (2, 3))
    done = apply_once([first, second], {A: b"if x:\n    a\n    b\n"}.get, unsafe=False)
    assert done.contents == {A: b"if x:\n    \n    b\n"}
    assert (done.fixed, done.messages) == ((first,), ())


def test_code_that_did_not_parse_before_may_be_fixed() -> None:
    assert once("a = (\nb\n", finding(edit(span(2, 1, 2, 2), "c"))) == "a = (\nc\n"


def test_nothing_is_returned_for_a_file_that_ends_as_it_was() -> None:
    entry = finding(edit(span(1, 1, 1, 2), "a"))
    result = apply_all([entry], {A: b"a\n"}.get, lambda _: (), unsafe=False)
    assert result.contents == {}

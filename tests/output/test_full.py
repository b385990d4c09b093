"""The frames, advice and changes of the full format."""

from __future__ import annotations

from pathlib import Path

import pytest
from output_samples import BEFORE_PAUSE, FRESH_KEY, MAIL, NO_KEY, ROOT, finding, report, span
from ruff_beside import printed_in

from idemlint.diagnostic import Applicability, Edit, Fix, Related, Severity
from idemlint.output.report import FixMode, OutputReport
from idemlint.source.text import SourceText

ROWS = ROOT / "rows.py"


def shown(text: str, **changes: object) -> str:
    """The block of one finding in a file with that text."""
    diagnostic = finding(path=ROWS, message="m", **changes)
    made = OutputReport(
        [diagnostic], ROOT, lambda path: SourceText(path, text) if path == ROWS else None
    )
    return printed_in(made, "full").split("\n\nFound ")[0]


def test_places_in_other_files_have_frames_of_their_own() -> None:
    assert (
        printed_in(report(FRESH_KEY), "full")
        == """\
IDM101 `uuid.uuid4()` is new on each run
  --> agents/keys.py:5:16
   |
 4 | def new_key():
 5 |     return str(uuid.uuid4())
   |                ^^^^^^^^^^^^
   |
  ::: mail.py:6:11
   |
 4 | def send(state):
 5 |     \"""Send it.\"""
 6 |     key = new_key()
   |           --------- called here
 7 |     client.send(
 8 |         state.text,
 9 |         key=key,
   |             --- used as the key
10 |     )
11 |     answer = interrupt(state)
   |
   = help: Take the key as a parameter (OP-1: `client.send` takes a key)
help: Derive the key from the state
  |
3 |
  - def new_key():
  -     return str(uuid.uuid4())
4 + def new_key(seed):
5 +     return str(uuid.uuid5(SPACE, seed))
  |
 ::: mail.py
  |
5 |     \"""Send it.\"""
  -     key = new_key()
6 +     key = new_key(state.id)
7 |     client.send(
  |
note: This is an unsafe fix and may change runtime behavior

Found 1 error.
1 unsafe fix available with `--fix --unsafe-fixes`.
"""
    )


def test_near_places_of_one_file_share_a_frame() -> None:
    assert (
        printed_in(report(BEFORE_PAUSE), "full")
        == """\
IDM201 `client.send` runs again when `interrupt` resumes
  --> mail.py:7:5
   |
 4 |   def send(state):
   |       ---- starts again here
 5 |       \"""Send it.\"""
 6 |       key = new_key()
 7 | /     client.send(
 8 | |         state.text,
 9 | |         key=key,
10 | |     )
   | |_____^
11 |       answer = interrupt(state)
   |                ---------------- pauses here
12 |       return answer
   |
   = help: Move the call behind the pause (OP-6: a node starts again from its first line)
help: Move the call behind `interrupt`
  |
6 |     key = new_key()
  -     client.send(
  -         state.text,
  -         key=key,
  -     )
7 |     answer = interrupt(state)
8 +     client.send(state.text, key=key)
9 |     return answer
  |
note: This suggestion may be incorrect or produce invalid syntax. \
It requires manual review and cannot be applied automatically

Found 1 error.
"""
    )


def test_advice_without_an_operation_has_no_brackets() -> None:
    assert (
        printed_in(report(NO_KEY), "full")
        == """\
IDM401 `send` has no key parameter
 --> mail.py:4:5
  |
4 | def send(state):
  |     ^^^^
5 |     \"""Send it.\"""
6 |     key = new_key()
  |
  = help: Add a key parameter

Found 1 error.
"""
    )


def test_a_safe_fix_is_marked_and_has_no_note() -> None:
    fix = Fix("Add it", Applicability.SAFE, (Edit(MAIL, span(4, 10, 4, 10), "key, "),))
    entry = finding(range=span(4, 5, 4, 9), message="m", suggestion="Add it", fix=fix)
    assert (
        printed_in(report(entry), "full")
        == """\
IDM201 [*] m
 --> mail.py:4:5
  |
4 | def send(state):
  |     ^^^^
5 |     \"""Send it.\"""
6 |     key = new_key()
  |
help: Add it
  |
3 |
  - def send(state):
4 + def send(key, state):
5 |     \"""Send it.\"""
  |

Found 1 error.
[*] 1 fixable with `--fix`.
"""
    )
    assert printed_in(report(entry, fix_mode=FixMode.APPLY), "full").startswith("IDM201 m\n")


def test_rows_between_places_are_left_out() -> None:
    text = "".join(f"row{number}\n" for number in range(1, 30))
    related = (Related(ROWS, span(3, 1, 3, 5), "first"), Related(ROWS, span(13, 1, 13, 3), ""))
    assert (
        shown(text, range=span(22, 1, 22, 6), related=related)
        == """\
IDM201 m
  --> rows.py:22:1
   |
 1 | row1
 2 | row2
 3 | row3
   | ---- first
 4 | row4
 5 | row5
...
11 | row11
12 | row12
13 | row13
   | --
14 | row14
15 | row15
...
20 | row20
21 | row21
22 | row22
   | ^^^^^
23 | row23
24 | row24
   |"""
    )


def test_a_single_row_between_is_shown() -> None:
    text = "".join(f"row{number}\n" for number in range(1, 12))
    related = (Related(ROWS, span(1, 1, 1, 5), "first"),)
    block = shown(text, range=span(7, 1, 7, 5), related=related)
    assert [line[:5].strip() for line in block.splitlines()] == [
        "IDM20", "-->", "|", "1 | r", "| -", "2 | r", "3 | r", "4 | r",
        "5 | r", "6 | r", "7 | r", "| ^", "8 | r", "9 | r", "|",
    ]  # fmt: skip


def test_a_far_place_has_a_frame_behind_that_of_the_finding() -> None:
    text = "".join(f"row{number}\n" for number in range(1, 200))
    related = (Related(ROWS, span(2, 1, 2, 5), "first"),)
    assert (
        shown(text, range=span(150, 1, 150, 7), related=related)
        == """\
IDM201 m
   --> rows.py:150:1
    |
148 | row148
149 | row149
150 | row150
    | ^^^^^^
151 | row151
152 | row152
    |
   ::: rows.py:2:1
    |
  1 | row1
  2 | row2
    | ---- first
  3 | row3
  4 | row4
    |"""
    )


def test_a_file_that_cannot_be_read_is_named() -> None:
    entry = finding(
        path=ROOT / "gone.py",
        range=span(3, 1, 3, 4),
        message="m",
        suggestion="Do it",
        related=(Related(Path("/elsewhere/other.py"), span(1, 2, 1, 3), "from here"),),
        fix=Fix("Do it", Applicability.SAFE, (Edit(ROOT / "gone.py", span(1, 1, 1, 1), "x"),)),
        operation="OP-2",
    )
    assert (
        printed_in(report(entry), "full").split("\n\nFound")[0]
        == """\
IDM201 [*] m
--> gone.py:3:1
::: /elsewhere/other.py:1:2: from here
 = help: Do it (OP-2)
help: Do it"""
    )


def test_an_unreadable_file_looks_as_with_ruff() -> None:
    entry = finding(
        path=ROOT / "bytes.py",
        range=span(1, 1, 1, 1),
        code="E902",
        name="io-error",
        message="stream did not contain valid UTF-8",
    )
    assert printed_in(report(entry), "full") == (
        "E902 stream did not contain valid UTF-8\n--> bytes.py:1:1\n\nFound 1 error.\n"
    )


@pytest.mark.parametrize(
    ("labels", "drawn"),
    [
        ({}, ["  |   ^^"]),
        ({(1, 7): "wide"}, ["  | --^^-- wide"]),
        ({(3, 5): "same"}, ["  |   ^^ same"]),
        ({(3, 5): "right", (1, 3): "left"}, ["  | --^^ right", "  | |", "  | left"]),
        ({(1, 2): "x"}, ["  | - ^^", "  | |", "  | x"]),
        ({(1, 2): "", (7, 9): "y"}, ["  | - ^^  -- y"]),
        ({(1, 2): "x", (7, 9): "y"}, ["  | - ^^  -- y", "  | |", "  | x"]),
        ({(4, 9): "cut", (1, 4): "other"}, ["  | --^^----", "  | |  |", "  | |  cut", "  | other"]),
    ],
)
def test_labels_stand_where_nothing_crosses_them(
    labels: dict[tuple[int, int], str], drawn: list[str]
) -> None:
    related = [
        Related(ROWS, span(1, start, 1, end), label) for (start, end), label in labels.items()
    ]
    block = shown("abcdefgh\n", range=span(1, 3, 1, 5), related=related)
    assert block.splitlines()[4:] == drawn


def test_brackets_stand_beside_each_other() -> None:
    text = "one(\n  two(\n    three,\n  ), four(\n    five,\n  ),\n)\n"
    related = (
        Related(ROWS, span(2, 3, 4, 4), "inner"),
        Related(ROWS, span(4, 6, 6, 4), "other"),
    )
    assert (
        shown(text, range=span(1, 1, 7, 2), related=related)
        == """\
IDM201 m
 --> rows.py:1:1
  |
1 | /   one(
2 | |/    two(
3 | ||      three,
4 | ||    ), four(
  | ||    -  -
  | || ___|__|
  | ||____|
  | | |   inner
5 | | |     five,
6 | | |   ),
  | | |___- other
7 | |   )
  | |___^"""
    )


def test_the_outer_of_two_brackets_of_a_row_is_drawn_first() -> None:
    text = "a = f(1, g(2,\n  3),\n4)\n"
    related = (Related(ROWS, span(1, 10, 2, 5), "inner"),)
    assert (
        shown(text, range=span(1, 5, 3, 3), related=related)
        == """\
IDM201 m
 --> rows.py:1:5
  |
1 |    a = f(1, g(2,
  |  ______^    -
  | | __________|
2 | ||   3),
  | ||____- inner
3 | |  4)
  | |___^"""
    )


def test_the_middle_of_a_long_range_is_left_out() -> None:
    text = "call(\n" + "".join(f"    a{number},\n" for number in range(20)) + ")\n"
    assert (
        shown(text, range=span(1, 1, 22, 2))
        == """\
IDM201 m
  --> rows.py:1:1
   |
 1 | / call(
 2 | |     a0,
 3 | |     a1,
...  |
20 | |     a18,
21 | |     a19,
22 | | )
   | |_^"""
    )


def test_tabs_are_four_columns_and_wide_characters_two() -> None:
    text = '\tx = "日本語", e\u0301, key\n'
    assert (
        shown(text, range=span(1, 17, 1, 20))
        == """\
IDM201 m
 --> rows.py:1:17
  |
1 |     x = "日本語", e\u0301, key
  |                      ^^^"""
    )


def test_control_characters_are_shown_as_pictures() -> None:
    text = 'x = "\x1b[31m\x00\x85\u202e", key\n'
    fix = Fix("Say \x07", Applicability.SAFE, (Edit(ROWS, span(1, 5, 1, 6), "\x1b]0;\x07"),))
    block = shown(text, range=span(1, 17, 1, 20), fix=fix, suggestion="a\nb\x1b[0m")
    assert (
        block
        == """\
IDM201 [*] m
 --> rows.py:1:17
  |
1 | x = "␛[31m␀��", key
  |                 ^^^
  |
  = help: a␊b␛[0m
help: Say ␇
  |
  - x = "␛[31m␀��", key
1 + x = ␛]0;␇␛[31m␀��", key
  |"""
    )


def test_a_long_row_is_cut_around_what_is_marked() -> None:
    text = f'x = "{"a" * 300}", key, "{"b" * 300}"\n'
    fix = Fix("f", Applicability.SAFE, (Edit(ROWS, span(1, 309, 1, 312), "other"),))
    block = shown(text, range=span(1, 309, 1, 312), fix=fix).splitlines()
    code, underline = block[3], block[4]
    assert len(code) == 140
    assert code[4] == code[-1] == "…"
    assert code[underline.index("^") : underline.index("^") + 3] == "key"
    removed, added = block[7], block[8]
    assert removed[4] == removed[-1] == "…"
    assert '", key, "' in removed
    assert '", other, "' in added
    assert len(removed) == len(added) == 4 + 202


def test_a_range_wider_than_the_frame_is_cut() -> None:
    text = f'x = "{"a" * 300}"\n'
    related = (Related(ROWS, span(1, 5, 1, 307), "text"),)
    block = shown(text, range=span(1, 5, 1, 307), related=related).splitlines()
    assert len(block[3]) == 140
    assert block[4].strip(" |").replace("^", "") == " text"


def test_other_line_ends_are_line_ends() -> None:
    fix = Fix("f", Applicability.SAFE, (Edit(ROWS, span(2, 1, 2, 2), "bb"),))
    for end in ("\n", "\r\n", "\r"):
        block = shown(f"a{end}b{end}c", range=span(2, 1, 2, 2), fix=fix)
        assert (
            block
            == """\
IDM201 [*] m
 --> rows.py:2:1
  |
1 | a
2 | b
  | ^
3 | c
  |
help: f
  |
1 | a
  - b
2 + bb
3 | c
  |"""
        )


def test_far_changes_are_parted_by_a_line() -> None:
    text = "".join(f"row{number}\n" for number in range(1, 12))
    edits = (Edit(ROWS, span(9, 1, 9, 5), "new"), Edit(ROWS, span(2, 1, 3, 1), ""))
    fix = Fix("f", Applicability.SAFE, edits)
    block = shown(text, range=span(1, 1, 1, 2), fix=fix)
    assert (
        block[block.index("help") :]
        == f"""\
help: f
  |
1 | row1
  - row2
2 | row3
{"-" * 80}
7 | row8
  - row9
8 + new
9 | row10
  |"""
    )


def test_the_end_of_the_file_is_shown_behind_its_last_row() -> None:
    block = shown("f(\n", range=span(2, 1, 2, 1))
    assert block.splitlines()[1:] == [" --> rows.py:1:3", "  |", "1 | f(", "  |   ^"]


def test_a_notebook_shows_its_cell() -> None:
    book = ROOT / "book.ipynb"
    fix = Fix("f", Applicability.SAFE, (Edit(book, span(2, 1, 2, 2), "z", 3),))
    entry = finding(path=book, cell=3, range=span(2, 1, 2, 2), message="m", fix=fix)
    made = OutputReport(
        [entry], ROOT, cell_source=lambda path, cell: SourceText(path, f"x{cell}\ny = 2\n")
    )
    assert (
        printed_in(made, "full").split("\n\n")[0]
        == """\
IDM201 [*] m
 --> book.ipynb:cell 3:2:1
  |
1 | x3
2 | y = 2
  | ^
help: f
 ::: cell 3
  |
1 | x3
  - y = 2
2 + z = 2
  |"""
    )


def test_places_in_other_cells_have_frames_of_their_own() -> None:
    book = ROOT / "book.ipynb"
    edits = (Edit(book, span(1, 1, 1, 3), "z", 5), Edit(book, span(2, 1, 2, 2), "z", 3))
    related = (Related(book, span(1, 1, 1, 3), "there", 5),)
    fix = Fix("f", Applicability.SAFE, edits)
    entry = finding(
        path=book, cell=3, range=span(2, 1, 2, 2), message="m", fix=fix, related=related
    )
    made = OutputReport(
        [entry], ROOT, cell_source=lambda path, cell: SourceText(path, f"x{cell}\ny = 2\n")
    )
    assert (
        printed_in(made, "full").split("\n\n")[0]
        == """\
IDM201 [*] m
 --> book.ipynb:cell 3:2:1
  |
1 | x3
2 | y = 2
  | ^
  |
 ::: book.ipynb:cell 5:1:1
  |
1 | x5
  | -- there
2 | y = 2
  |
help: f
 ::: cell 5
  |
  - x5
1 + z
2 | y = 2
  |
 ::: cell 3
  |
1 | x3
  - y = 2
2 + z = 2
  |"""
    )


def test_warnings_have_their_own_colour() -> None:
    error, warning = (
        printed_in(report(finding(severity=severity), color=True), "full") for severity in Severity
    )
    assert error.startswith("\x1b[1m\x1b[91mIDM201\x1b[0m\x1b[1m `client.send` runs")
    assert warning.startswith("\x1b[1m\x1b[33mIDM201\x1b[0m\x1b[1m `client.send` runs")
    assert "\x1b[1m\x1b[91m|_____^\x1b[0m\n" in error
    assert "\x1b[1m\x1b[33m|_____^\x1b[0m\n" in warning


def test_codes_are_links_where_the_terminal_knows_them() -> None:
    link = "\x1b]8;;https://example.com/IDM201\x1b\\IDM201\x1b]8;;\x1b\\"
    for name in ("full", "concise"):
        assert link in printed_in(report(finding(), color=True, hyperlinks=True), name)
        assert link not in printed_in(report(finding(), color=True), name)
        assert link not in printed_in(report(finding(), hyperlinks=True), name)

"""Places of texts, as editors and the linter count them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from idemlint.diagnostic import Position
from idemlint.server.documents import Documents, path_of, uri_of
from idemlint.server.positions import Encoding, Places, chosen_encoding
from idemlint.source.text import SourceText

PATH = Path("/p/a.py")


def places(text: str, encoding: Encoding = Encoding.UTF16) -> Places:
    return Places(SourceText(PATH, text), encoding)


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("text", ["", "a", "é", "日本", "😀", "a😀é日b"])
def test_every_column_goes_there_and_back(encoding: Encoding, text: str) -> None:
    made = places(f"x\n{text}\r\ny", encoding)
    for column in range(1, len(text) + 2):
        place = Position(2, column)
        assert made.from_client(made.to_client(place)) == place


def test_units_inside_of_a_sign_count_as_its_start() -> None:
    assert places("😀b").from_client(types.Position(0, 1)) == Position(1, 1)


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [(0, 99, Position(1, 3)), (1, 99, Position(2, 3)), (99, 0, Position(2, 3))],
)
def test_places_outside_are_cut(line: int, character: int, expected: Position) -> None:
    assert places("ab\ncd").from_client(types.Position(line, character)) == expected


def test_only_newlines_end_rows() -> None:
    made = places("a\x0cb\u2028c\rd\r\ne\n")
    assert made.from_client(types.Position(1, 0)) == Position(2, 1)
    assert made.offset(types.Position(2, 0)) == 9
    assert made.end == types.Position(3, 0)


def test_byte_order_mark_counts_for_the_editor_alone() -> None:
    made = places("\ufeffab")
    assert made.to_client(Position(1, 1)) == types.Position(0, 1)
    assert made.from_client(types.Position(0, 1)) == Position(1, 1)
    assert made.from_client(types.Position(0, 0)) == Position(1, 1)


def test_lone_surrogates_have_a_width() -> None:
    for encoding in Encoding:
        made = places("\ud800b", encoding)
        assert made.from_client(made.to_client(Position(1, 2))) == Position(1, 2)


def test_utf_8_is_chosen_where_it_is_offered() -> None:
    assert chosen_encoding(["utf-32", "utf-8"]) is Encoding.UTF8
    assert chosen_encoding([types.PositionEncodingKind.Utf32]) is Encoding.UTF32
    assert chosen_encoding([]) is Encoding.UTF16


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("file:///a%20b/c%25.py", "/a b/c%.py"),
        ("file:///%C3%BC/x.py", "/ü/x.py"),
        ("FILE:///a/../b.py", "/b.py"),
        ("untitled:Untitled-1", None),
        ("vscode-notebook-cell:/a.ipynb#1", None),
        ("file:///a%00b", None),
        ("http://[", None),
        ("", None),
    ],
)
def test_addresses_become_paths(address: str, path: str | None) -> None:
    assert path_of(address) == (None if path is None else Path(path))


@pytest.mark.parametrize("name", ["/a b/c%.py", "/ü/#x?.py", "/plain.py"])
def test_paths_come_back_from_their_addresses(name: str) -> None:
    assert path_of(uri_of(Path(name))) == Path(name)


def opened(text: str) -> Documents:
    documents = Documents()
    documents.open(types.TextDocumentItem("file:///p/a.py", "python", 1, text))
    return documents


def changed(documents: Documents, version: int, *changes: object) -> str:
    identifier = types.VersionedTextDocumentIdentifier(version, "file:///p/a.py")
    document = documents.change(identifier, changes)
    assert document is not None
    assert document.version == version
    return document.text


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> object:
    return types.TextDocumentContentChangePartial(
        types.Range(types.Position(*start), types.Position(*end)), text
    )


def test_changes_are_made_one_after_the_other() -> None:
    documents = opened("one\ntwo\n")
    text = changed(documents, 2, edit((0, 0), (0, 3), "1"), edit((0, 1), (1, 3), "\n2"))
    assert text == "1\n2\n"


def test_changes_outside_of_the_text_are_cut() -> None:
    documents = opened("one")
    assert changed(documents, 2, edit((5, 0), (9, 9), "!")) == "one!"
    assert changed(documents, 3, edit((0, 4), (0, 1), "?")) == "o?"


def test_whole_text_can_be_replaced() -> None:
    documents = opened("one")
    assert changed(documents, 7, types.TextDocumentContentChangeWholeDocument("two")) == "two"


def test_same_file_is_found_however_it_is_quoted() -> None:
    documents = Documents()
    documents.open(types.TextDocumentItem("file:///p/a%20%2Bb.py", "python", 1, "x"))
    assert documents.text("file:///p/a%20+b.py") is not None


def test_what_is_no_text_is_replaced() -> None:
    document = opened("a = '\ud800'").text("file:///p/a.py")
    assert document is not None
    assert document.contents.decode() == "a = '\ufffd'"

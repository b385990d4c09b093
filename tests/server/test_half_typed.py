"""While a line is typed, what was found elsewhere stays as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import TOOL
from lsp_client import span
from test_editor_inventory import HELPER, SHIP

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lsp_client import LspClient

TEXT = TOOL.replace("    key =", "\n    key =").replace("    return", "\n    return") + (
    "\n\ndef other() -> None:\n    pass\n\n"
)
NOTE = '    note = f"{order}: {amount}"\n'
LOOP = "    for part in (1, 2):\n        print(part)\n"


def row_of(text: str, part: str) -> int:
    return next(number for number, row in enumerate(text.split("\n")) if part in row)


class Typist:
    """Types into a text that is open, one sign after the other."""

    def __init__(self, client: LspClient, path: Path, text: str) -> None:
        self.client, self.version = client, 1
        self.address = client.open(path, text)
        client.published(self.address, 1)

    def typed(self, line: int, column: int, text: str) -> Iterator[list[tuple[str, int]]]:
        """After each sign what is found, without the errors of syntax."""
        for sign in text:
            self.version += 1
            place = span(line, column, column)
            self.client.change(self.address, self.version, {"range": place, "text": sign})
            yield rules(self.client.published(self.address, self.version))
            line, column = (line + 1, 0) if sign == "\n" else (line, column + 1)


def rules(found: list[dict]) -> list[tuple[str, int]]:
    return [
        (entry["code"], entry["range"]["start"]["line"])
        for entry in found
        if entry["code"] != "invalid-syntax"
    ]


@pytest.mark.parametrize("text", [NOTE, LOOP, '    """', "    call(", "    @"])
@pytest.mark.parametrize("before", ["    key =", "    return stripe", "def other"])
def test_line_that_is_typed_hides_nothing(launch, project: Path, text: str, before: str) -> None:
    typist = Typist(launch(), project / "tool.py", TEXT)
    key, line = row_of(TEXT, "uuid4()"), row_of(TEXT, before) - 1
    ends = 0
    for found, sign in zip(typist.typed(line, 0, text), text, strict=True):
        ends += sign == "\n"
        assert found == [("IDM101", key + (ends if line < key else 0))]


def test_finding_whose_row_is_typed_goes(launch, project: Path) -> None:
    typist = Typist(launch(), project / "tool.py", TOOL)
    row = row_of(TOOL, "uuid4()")
    (found,) = typist.typed(row, 10, "(")
    assert found == []


def test_what_parses_again_is_not_held(launch, project: Path) -> None:
    typist = Typist(launch(), project / "tool.py", TEXT)
    line = row_of(TEXT, "return stripe") - 1
    first, *_, last = typist.typed(line, 0, "    key = order\n")
    assert [code for code, _ in first] == ["IDM101"]
    assert last == []


def test_text_that_is_opened_broken_holds_nothing(launch, project: Path) -> None:
    client = launch()
    path = project / "tool.py"
    address = client.open(path, TOOL.replace("    key =", "    if\n    key ="))
    assert rules(client.published(address, 1)) == []
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    address = client.open(path, TOOL, version=2)
    assert len(client.published(address, 2)) == 1
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    address = client.open(path, TOOL.replace("    key =", "    if\n    key ="), version=3)
    assert rules(client.published(address, 3)) == []


def test_comment_that_silences_what_is_hidden_is_not_unused(launch, project: Path) -> None:
    text = TEXT.replace("uuid4())", "uuid4())  # noqa: IDM101")
    typist = Typist(launch(), project / "tool.py", text)
    for found in typist.typed(row_of(text, "return stripe") - 1, 0, "    call("):
        assert found == []


def test_broken_helper_hides_nothing_in_the_tool(launch, project: Path) -> None:
    (project / "helper.py").write_text(HELPER)
    client = launch()
    tool = client.open(project / "ship.py", SHIP)
    assert rules(client.published(tool, 1)) == [("IDM401", 6)]
    helper = client.open(project / "helper.py")
    client.published(helper, 1)
    client.settle()
    client.notes.clear()
    row = row_of(HELPER, "return requests")
    end = len(HELPER.split("\n")[row])
    client.change(helper, 2, {"range": span(row, end, end), "text": " + ("})
    client.published(helper, 2)
    client.settle()
    shown = [
        rules(note["params"]["diagnostics"])
        for note in client.notes
        if note["method"].endswith("publishDiagnostics") and note["params"]["uri"] == tool
    ]
    assert all(found == [("IDM401", 6)] for found in shown)
    client.change(helper, 3, {"range": span(row, 4, end + 4), "text": "return order"})
    client.note(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == tool and not params["diagnostics"],
    )


def test_hidden_syntax_errors_hide_no_finding(launch, project: Path) -> None:
    client = launch(options={"settings": {"showSyntaxErrors": False}})
    typist = Typist(client, project / "tool.py", TEXT)
    for found in typist.typed(row_of(TEXT, "return stripe") - 1, 0, "    call("):
        assert found == [("IDM101", row_of(TEXT, "uuid4()"))]

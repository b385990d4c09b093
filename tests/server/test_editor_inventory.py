"""What the inventory tells in the editor: hovers over names of tools, and code lenses."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from conftest import TOOL
from lsp_client import DEFAULT, ServerError, span, uri

from idemlint.config.discovery import Resolver
from idemlint.diagnostic import Position, Range
from idemlint.linter import Target
from idemlint.server.entries import lens_title, name_range
from idemlint.session import Session
from idemlint.source.text import SourceText
from idemlint.survey import survey

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_client import LspClient

    from idemlint.inventory import EntryRecord

HELPER = """import requests


def send(order):
    return requests.post("https://api.example.com/ship", json={"order": order}).text
"""
SHIP = '''from langchain_core.tools import tool

from helper import send


@tool
def ship(order: str) -> str:
    """Ship an order."""
    return send(order)


@tool
async def weigh(order: str) -> int:
    """Weigh an order."""
    return len(order)


def plain(order: str) -> str:
    return order
'''
KEYED = '''import stripe
from langchain_core.tools import tool


@tool
def pay(order: str, idempotency_key: str) -> str:
    """Pay an order."""
    return stripe.Charge.create(amount=1, idempotency_key=idempotency_key).id
'''
SCHEMA = """import anthropic
import requests

TOOLS = [
    {
        "name": "book_table",
        "description": "Book a table.",
        "input_schema": {"type": "object", "properties": {"guest": {"type": "string"}}},
    }
]


def book_table(guest: str) -> str:
    return requests.post("https://api.example.com/tables", json={"guest": guest}).text


def answer(client: anthropic.Anthropic, messages: list) -> object:
    return client.messages.create(model="m", max_tokens=1, tools=TOOLS, messages=messages)
"""
LENSES = {"settings": {"codeLens": {"enable": True}}}


def told_at(client: LspClient, address: str, line: int, character: int) -> dict[str, Any] | None:
    place = {"line": line, "character": character}
    asked = {"textDocument": {"uri": address}, "position": place}
    return client.request("textDocument/hover", asked)


def lenses(client: LspClient, address: str) -> list[dict[str, Any]]:
    return client.request("textDocument/codeLens", {"textDocument": {"uri": address}})


def resolved(client: LspClient, address: str) -> dict[int, dict[str, Any]]:
    """The commands of all lenses by their rows."""
    found = [client.request("codeLens/resolve", lens) for lens in lenses(client, address)]
    return {lens["range"]["start"]["line"]: lens["command"] for lens in found}


# hover


def test_name_of_a_tool_tells_its_line_of_the_inventory(launch, project: Path) -> None:
    (project / "helper.py").write_text(HELPER)
    client = launch()
    address = client.open(project / "ship.py", SHIP)
    told = told_at(client, address, 6, 5)
    assert told["range"] == span(6, 4, 8)
    helper = uri(project / "helper.py")
    lines = told["contents"]["value"].split("\n")
    assert lines[0] == "**ship** (langchain tool): unguarded, a repeat does it a second time"
    assert lines[2] == (
        f"- effect: sends a POST to api.example.com: `send` ([ship.py:9]({address}#L9))"
        f" → `requests.post` ([helper.py:5]({helper}#L5))"
    )
    assert "- key: none" in lines
    assert "- guard: none" in lines
    assert any(line.startswith("- again: ") for line in lines)
    assert any(line.startswith("- operation: [OP-") for line in lines)
    assert any(line.startswith("- finding: [IDM401](") for line in lines)
    # the finding starts on the name as well: its rule comes below
    assert "# missing-key-parameter (IDM401)" in lines


def test_name_of_a_tool_without_effect(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "ship.py", SHIP)
    told = told_at(client, address, 12, 12)
    assert told["range"] == span(12, 10, 15)
    assert "**weigh** (langchain tool): no-effect" in told["contents"]["value"]
    assert told_at(client, address, 12, 1) is None
    assert told_at(client, address, 18, 5) is None


def test_guard_of_a_tool_is_told(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "pay.py", KEYED)
    text = told_at(client, address, 5, 4)["contents"]["value"]
    assert "**pay** (langchain tool): guarded, a repeat is recognised" in text
    assert "- key: idempotency_key (required)" in text
    assert "- guard: `idempotency_key` gets `idempotency_key`" in text


def test_name_in_a_schema_is_the_name_of_the_tool(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "book.py", SCHEMA)
    rows = SCHEMA.split("\n")
    line = next(n for n, row in enumerate(rows) if "def book_table" in row)
    told = told_at(client, address, line, 6)
    assert told is not None
    assert "**book_table**" in told["contents"]["value"]


def test_hover_follows_what_is_typed_in_another_file(launch, project: Path) -> None:
    (project / "helper.py").write_text(HELPER)
    client = launch()
    address = client.open(project / "ship.py", SHIP)
    assert len(client.published(address, 1)) == 1
    assert "unguarded" in told_at(client, address, 6, 5)["contents"]["value"]
    client.open(project / "helper.py", "def send(order):\n    return order\n")
    client.note(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == address and not params["diagnostics"],
    )
    assert "no-effect" in told_at(client, address, 6, 5)["contents"]["value"]


def test_name_of_a_range_ends_with_the_name(tmp_path: Path) -> None:
    text = "async  def é_name(x): pass\nclass Tool(Base): pass\nx = {'name': \"pay now\"}\n\n"
    source = SourceText(tmp_path / "a.py", text)

    def named(row: int, column: int) -> str:
        found = name_range(source, row, column)
        return text[source.offset(found.start) : source.offset(found.end)]

    assert [named(1, 1), named(2, 1), named(3, 14), named(4, 1)] == [
        "é_name",
        "Tool",
        '"pay now"',
        "",
    ]
    assert name_range(source, 99, 1) == Range(Position(99, 1), Position(99, 1))


# the same answer as the command


def comparable(entry: EntryRecord) -> EntryRecord:
    """An entry without the rows of comments, which are looked up where there are any."""
    found = tuple(replace(finding, noqa_row=None) for finding in entry.findings)
    return replace(entry, findings=found)


@pytest.mark.parametrize("text", [SHIP, KEYED, SCHEMA, TOOL])
def test_entries_are_those_of_the_inventory(project: Path, text: str) -> None:
    (project / "helper.py").write_text(HELPER)
    path = project / "shown.py"
    path.write_text(text)
    settings = Resolver(project).root
    session = Session()
    target = Target(str(path), settings, text.encode())
    known = session.entries([target], str(path))
    on_disk = [Target(str(file), settings) for file in sorted(project.glob("*.py")) if file != path]
    fresh = survey([*on_disk, Target(str(path), settings)])
    expected = [comparable(entry) for entry in fresh.entries if entry.place.path == path]
    assert [comparable(entry) for entry in sorted(known, key=lambda e: e.sort_key)] == expected
    places = {(entry.place.row, entry.place.column) for entry in expected}
    assert set(session.entry_places([target], str(path))) == places


# lenses


def test_there_are_no_lenses_unless_they_are_wanted(launch, project: Path) -> None:
    client = launch()
    assert client.hello["capabilities"]["codeLensProvider"] == {"resolveProvider": True}
    assert lenses(client, client.open(project / "ship.py", SHIP)) == []


def test_lens_says_effect_key_and_operation(launch, project: Path) -> None:
    (project / "helper.py").write_text(HELPER)
    client = launch(options=LENSES)
    address = client.open(project / "ship.py", SHIP)
    found = lenses(client, address)
    assert [lens["range"] for lens in found] == [span(6, 4, 8), span(12, 10, 15)]
    assert all("command" not in lens for lens in found)
    commands = resolved(client, address)
    assert commands[6]["title"].startswith("sends a POST to api.example.com · no key · OP-")
    assert commands[12]["title"] == "no effect found"
    assert commands[12]["command"] == ""
    keyed = resolved(client, client.open(project / "pay.py", KEYED))
    assert keyed[5]["title"] == "moves money through stripe · key required · guarded"


def test_lens_opens_the_operation_or_the_effect(launch, project: Path) -> None:
    capabilities = {**copy.deepcopy(DEFAULT), "window": {"showDocument": {"support": True}}}
    client = launch(options=LENSES, capabilities=capabilities)
    pay = client.open(project / "pay.py", KEYED)
    effect = resolved(client, pay)[5]
    assert effect["command"] == "idemlint.open"
    client.request(
        "workspace/executeCommand",
        {"command": effect["command"], "arguments": effect["arguments"]},
    )
    (shown,) = [r["params"] for r in client.requests if r["method"] == "window/showDocument"]
    assert shown["uri"] == pay
    assert shown["selection"]["start"]["line"] == 7
    tool = client.open(project / "tool.py", TOOL)
    page = next(iter(resolved(client, tool).values()))
    client.request(
        "workspace/executeCommand", {"command": page["command"], "arguments": page["arguments"]}
    )
    shown = [r["params"] for r in client.requests if r["method"] == "window/showDocument"][-1]
    assert shown["external"] is True
    assert shown["uri"].endswith("rules/operations/OP-1.md")


def test_client_that_shows_no_documents_is_told_the_address(launch, project: Path) -> None:
    client = launch(options=LENSES)
    page = next(iter(resolved(client, client.open(project / "tool.py")).values()))
    client.request(
        "workspace/executeCommand", {"command": page["command"], "arguments": page["arguments"]}
    )
    assert "OP-1.md" in client.note("window/showMessage")["message"]


@pytest.mark.parametrize("arguments", [[], [7], [{}], [{"path": "x", "row": -1, "column": 1}]])
def test_wrong_places_are_refused(launch, arguments: list) -> None:
    client = launch()
    with pytest.raises(ServerError) as refused:
        client.request(
            "workspace/executeCommand", {"command": "idemlint.open", "arguments": arguments}
        )
    assert refused.value.code == -32602


def test_lenses_are_asked_for_again_when_another_file_changes_them(launch, project: Path) -> None:
    capabilities = copy.deepcopy(DEFAULT)
    capabilities["workspace"]["codeLens"] = {"refreshSupport": True}
    (project / "helper.py").write_text(HELPER)
    client = launch(options=LENSES, capabilities=capabilities)
    address = client.open(project / "ship.py", SHIP)
    assert len(client.published(address, 1)) == 1
    client.open(project / "helper.py", "def send(order):\n    return order\n")
    client.note(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == address and not params["diagnostics"],
    )
    client.wait_until(
        lambda: any(r["method"] == "workspace/codeLens/refresh" for r in client.requests)
    )


def test_stale_lens_is_empty(launch, project: Path) -> None:
    client = launch(options=LENSES)
    address = client.open(project / "pay.py", KEYED)
    (lens,) = lenses(client, address)
    client.change(address, 2, {"text": "x = 1\n"})
    assert client.request("codeLens/resolve", lens)["command"] == {"command": "", "title": ""}
    nothing = client.request("codeLens/resolve", {"range": span(0, 0, 0)})
    assert nothing["command"]["title"] == ""


def test_title_of_each_kind_of_key(project: Path) -> None:
    path = project / "pay.py"
    settings = Resolver(project).root
    titles = {}
    for key in ("idempotency_key: str", "idempotency_key: str | None = None", "**given"):
        text = KEYED.replace("idempotency_key: str", key)
        (entry,) = Session().entries([Target(str(path), settings, text.encode())], str(path))
        titles[key] = lens_title(entry).split(" · ")[1]
    assert titles["idempotency_key: str"] == "key required"
    assert titles["idempotency_key: str | None = None"] == "key optional"

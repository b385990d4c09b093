"""What is shown of a text, and when."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from conftest import RETRY, TOOL
from lsp_client import DEFAULT, span, uri

if TYPE_CHECKING:
    from pathlib import Path


def row_of(text: str, part: str) -> int:
    return next(number for number, row in enumerate(text.split("\n")) if part in row)


def test_finding_is_published_with_all_it_carries(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    (found,) = client.published(address, 1)
    row = row_of(TOOL, "uuid4()")
    assert found["code"] == "IDM101"
    assert found["source"] == "idemlint"
    assert found["severity"] == 1
    assert found["range"] == span(row, 14, 26)
    assert found["codeDescription"]["href"].endswith("rules/IDM101-fresh-key.md")
    assert "help: " in found["message"]
    assert "(OP-1)" in found["message"]
    places = [entry["location"] for entry in found["relatedInformation"]]
    assert {place["uri"] for place in places} == {address}
    assert all(entry["message"] for entry in found["relatedInformation"])
    assert found["data"]["code"] == "IDM101"


def test_plain_client_gets_no_more_than_it_understands(launch, project: Path) -> None:
    client = launch(capabilities={})
    (found,) = client.published(client.open(project / "tool.py"), 1)
    assert "relatedInformation" not in found
    assert "codeDescription" not in found
    assert found["code"] == "IDM101"


def test_capabilities_are_those_of_a_linter(launch) -> None:
    offered = launch().hello["capabilities"]
    assert offered["positionEncoding"] == "utf-16"
    assert offered["textDocumentSync"]["change"] == 2
    assert offered["diagnosticProvider"]["identifier"] == "idemlint"
    assert offered["diagnosticProvider"]["interFileDependencies"] is True
    assert offered["codeActionProvider"]["resolveProvider"] is True
    assert offered["codeActionProvider"]["codeActionKinds"] == [
        "quickfix",
        "source.fixAll.idemlint",
        "notebook.source.fixAll.idemlint",
    ]
    assert offered["executeCommandProvider"]["commands"] == [
        "idemlint.applyAutofix",
        "idemlint.printDebugInformation",
        "idemlint.open",
    ]
    assert offered["hoverProvider"] is True
    assert offered["workspace"]["workspaceFolders"]["supported"] is True
    assert "documentFormattingProvider" not in offered


def test_change_takes_the_finding_away_and_brings_it_back(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    assert len(client.published(address, 1)) == 1
    row = row_of(TOOL, "uuid4()")
    client.change(address, 2, {"range": span(row, 10, 27), "text": "order"})
    assert client.published(address, 2) == []
    client.change(address, 3, {"text": TOOL})
    assert [found["code"] for found in client.published(address, 3)] == ["IDM101"]


def test_burst_of_changes_shows_only_the_last(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    client.published(address, 1)
    row = row_of(TOOL, "Charge an order")
    for version in range(2, 40):
        client.change(address, version, {"range": span(row, 8, 8), "text": "x"})
    client.published(address, 39)
    client.settle()
    versions = [
        note["params"]["version"]
        for note in client.notes
        if note["method"] == "textDocument/publishDiagnostics"
    ]
    assert versions == sorted(versions)
    assert len(versions) < 30


def test_closing_takes_back_what_was_shown(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    client.published(address, 1)
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    assert client.published(address) == []


def test_pull_answers_for_the_newest_version(launch, project: Path) -> None:
    capabilities = copy.deepcopy(DEFAULT)
    capabilities["textDocument"]["diagnostic"] = {"relatedDocumentSupport": False}
    client = launch(capabilities=capabilities)
    address = client.open(project / "tool.py")
    row = row_of(TOOL, "uuid4()")
    client.change(address, 2, {"range": span(row, 10, 27), "text": "order"})
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": address}})
    assert report == {"items": [], "kind": "full"}
    client.settle()
    assert not [n for n in client.notes if n["method"] == "textDocument/publishDiagnostics"]


def test_pull_of_what_is_not_open_is_empty(launch, project: Path) -> None:
    client = launch()
    report = client.request(
        "textDocument/diagnostic", {"textDocument": {"uri": uri(project / "other.py")}}
    )
    assert report == {"items": [], "kind": "full"}


HELPER = "import requests\n\n\ndef send(order):\n    return order\n"
CALLER = '''from langchain_core.tools import tool

from helper import send


@tool
def ship(order: str) -> str:
    """Ship an order."""
    return send(order)
'''
EFFECT = 'requests.post("https://api.example.com/ship", json={"order": order}).text'


def test_helper_in_another_file_updates_the_open_tool(launch, project: Path) -> None:
    (project / "helper.py").write_text(HELPER)
    client = launch()
    address = client.open(project / "caller.py", CALLER)
    assert client.published(address, 1) == []
    helper = client.open(project / "helper.py")
    client.published(helper, 1)
    client.change(helper, 2, {"range": span(4, 11, 16), "text": EFFECT})
    params = client.note(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == address and params["diagnostics"],
    )
    assert params["version"] == 1
    (found,) = params["diagnostics"]
    assert found["code"] == "IDM401"
    assert helper in {entry["location"]["uri"] for entry in found["relatedInformation"]}
    # closed without saving: the file on the disk counts again
    client.notify("textDocument/didClose", {"textDocument": {"uri": helper}})
    client.note(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == address and not params["diagnostics"],
    )


def test_changed_file_on_disk_counts_when_the_client_tells(launch, project: Path) -> None:
    helper = project / "helper.py"
    helper.write_text(HELPER)
    client = launch()
    address = client.open(project / "caller.py", CALLER)
    assert client.published(address, 1) == []
    helper.write_text(HELPER.replace("return order", f"return {EFFECT}"))
    changes = {"changes": [{"uri": uri(helper), "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", changes)
    assert [found["code"] for found in client.published(address, 1)] == ["IDM401"]
    helper.unlink()
    changes = {"changes": [{"uri": uri(helper), "type": 3}]}
    client.notify("workspace/didChangeWatchedFiles", changes)
    assert "IDM401" not in [found["code"] for found in client.published(address, 1)]


def test_changed_file_on_disk_counts_on_save_without_watching(launch, project: Path) -> None:
    helper = project / "helper.py"
    helper.write_text(HELPER)
    client = launch(capabilities={})
    address = client.open(project / "caller.py", CALLER)
    assert client.published(address, 1) == []
    helper.write_text(HELPER.replace("return order", f"return {EFFECT}"))
    client.notify("textDocument/didSave", {"textDocument": {"uri": address}})
    assert [found["code"] for found in client.published(address, 1)] == ["IDM401"]


def test_half_typed_function_leaves_the_others_alone(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    client.published(address, 1)
    end = len(TOOL.split("\n")) - 1
    client.change(
        address, 2, {"range": span(end, 0, 0), "text": "\n\ndef later(a, b:\n    x = (\n"}
    )
    found = client.published(address, 2)
    assert [entry["code"] for entry in found if entry["code"].startswith("IDM")] == ["IDM101"]
    assert [entry["code"] for entry in found if entry["code"] == "invalid-syntax"]
    client.change(address, 3, {"text": TOOL + "\n\ndef later(a, b):\n    x = ()\n"})
    assert [entry["code"] for entry in client.published(address, 3)] == ["IDM101"]


def test_syntax_errors_in_the_end_are_those_of_the_command_line(launch, project: Path) -> None:
    from idemlint.source.syntax import syntax_errors

    text = "def a(:\n    pass\n\n\ndef b():\n    return (\n\n\nx = 1 +\n"
    client = launch()
    address = client.open(project / "broken.py", text)
    expected = [problem.message for problem in syntax_errors(text)]
    shown = [client.published(address, 1)]
    client.settle()
    notes = [n["params"] for n in client.notes if n["method"].endswith("publishDiagnostics")]
    shown += [note["diagnostics"] for note in notes if note["uri"] == address]
    assert [entry["message"] for entry in shown[-1]] == expected


def test_unused_comment_is_greyed(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "clean.py", "value = 1  # noqa: IDM101\n")
    (found,) = client.published(address, 1)
    assert found["code"] == "IDM001"
    assert found["tags"] == [1]


def test_text_that_is_no_file_is_checked(launch) -> None:
    client = launch()
    address = client.open("untitled:Untitled-1", RETRY)
    assert [found["code"] for found in client.published(address, 1)] == ["IDM101"]


def test_names_of_files_may_hold_any_sign(launch, project: Path) -> None:
    folder = project / "with space & 100% ünï"
    folder.mkdir()
    path = folder / "tool#1.py"
    path.write_text(TOOL)
    client = launch()
    address = client.open(path)
    assert [found["code"] for found in client.published(address, 1)] == ["IDM101"]


def test_excluded_file_shows_nothing(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.idemlint]\nexclude = ["tool.py"]\n')
    client = launch()
    address = client.open(project / "tool.py")
    assert client.published(address, 1) == []
    assert client.actions(address, span(9, 0, 40)) == []

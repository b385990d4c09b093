"""Notebooks: cells are one module, and each shows what starts in it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lsp_client import DEFAULT, applied, edits_of, span, uri

if TYPE_CHECKING:
    from pathlib import Path

IMPORTS = "import uuid\nimport stripe\nfrom langchain_core.tools import tool\n%matplotlib inline"
TOOL = '''@tool
def charge(order: str) -> str:
    """Charge."""
    key = str(uuid.uuid4())
    return stripe.PaymentIntent.create(amount=1, currency="usd", idempotency_key=key).id'''


def cell(path: Path, number: int) -> str:
    return f"vscode-notebook-cell:{path}#{number}"


def open_notebook(client: Any, path: Path, *texts: tuple[str, str]) -> None:
    kinds = {"python": 2, "markdown": 1}
    client.notify(
        "notebookDocument/didOpen",
        {
            "notebookDocument": {
                "uri": uri(path),
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [
                    {"kind": kinds[language], "document": cell(path, number)}
                    for number, (language, _) in enumerate(texts)
                ],
            },
            "cellTextDocuments": [
                {
                    "uri": cell(path, number),
                    "languageId": language,
                    "version": 1,
                    "text": text,
                }
                for number, (language, text) in enumerate(texts)
            ],
        },
    )


def test_findings_are_shown_in_their_cells(launch, project: Path) -> None:
    client = launch()
    assert client.hello["capabilities"]["notebookDocumentSync"]["notebookSelector"]
    path = project / "work.ipynb"
    open_notebook(client, path, ("python", IMPORTS), ("markdown", "# Pay"), ("python", TOOL))
    assert client.published(cell(path, 0)) == []
    (found,) = client.published(cell(path, 2))
    assert found["code"] == "IDM101"
    assert found["range"] == span(3, 14, 26)
    assert {e["location"]["uri"] for e in found["relatedInformation"]} == {cell(path, 2)}


def test_client_that_pulls_is_told_of_a_cell_once(launch, project: Path) -> None:
    capabilities = copy.deepcopy(DEFAULT)
    capabilities["textDocument"]["diagnostic"] = {"relatedDocumentSupport": False}
    client = launch(capabilities=capabilities)
    path = project / "work.ipynb"
    open_notebook(client, path, ("python", IMPORTS), ("python", TOOL))
    assert [entry["code"] for entry in client.published(cell(path, 1))] == ["IDM101"]
    for address in (cell(path, 0), cell(path, 1), uri(path)):
        asked = {"textDocument": {"uri": address}}
        report = client.request("textDocument/diagnostic", asked)
        assert report == {"items": [], "kind": "full"}


def test_changed_and_new_cells_count(launch, project: Path) -> None:
    client = launch()
    path = project / "work.ipynb"
    open_notebook(client, path, ("python", IMPORTS), ("python", TOOL))
    assert len(client.published(cell(path, 1))) == 1
    change = {
        "cells": {
            "textContent": [
                {
                    "document": {"uri": cell(path, 1), "version": 2},
                    "changes": [{"range": span(3, 10, 27), "text": "order"}],
                }
            ]
        }
    }
    client.notify(
        "notebookDocument/didChange",
        {"notebookDocument": {"uri": uri(path), "version": 2}, "change": change},
    )
    assert client.published(cell(path, 1), 2) == []
    added = cell(path, 9)
    structure = {
        "array": {"start": 1, "deleteCount": 1, "cells": [{"kind": 2, "document": added}]},
        "didOpen": [{"uri": added, "languageId": "python", "version": 1, "text": f"\n{TOOL}"}],
        "didClose": [{"uri": cell(path, 1)}],
    }
    client.notify(
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": uri(path), "version": 3},
            "change": {"cells": {"structure": structure}},
        },
    )
    (found,) = client.published(added, 1)
    assert found["range"]["start"]["line"] == 4
    client.notify(
        "notebookDocument/didClose",
        {
            "notebookDocument": {"uri": uri(path)},
            "cellTextDocuments": [{"uri": cell(path, 0)}, {"uri": added}],
        },
    )
    assert client.published(added) == []


def test_fixes_go_into_the_cell(launch, project: Path) -> None:
    client = launch()
    path = project / "work.ipynb"
    open_notebook(client, path, ("python", IMPORTS), ("python", TOOL))
    address = cell(path, 1)
    found = client.published(address)
    fix, *others = client.actions(address, found[0]["range"], found)
    text = applied(TOOL, edits_of(fix["edit"])[address])
    assert "idempotency_key: str" in text
    kinds = {action["kind"] for action in others}
    assert "notebook.source.fixAll.idemlint" in kinds
    assert "source.fixAll.idemlint" not in kinds
    silence = next(a for a in others if a["title"].endswith("Disable for this line"))
    assert "uuid4())  # noqa: IDM101\n" in applied(TOOL, edits_of(silence["edit"])[address])
    told = client.request(
        "textDocument/hover",
        {"textDocument": {"uri": address}, "position": found[0]["range"]["start"]},
    )
    assert "IDM101" in told["contents"]["value"]


def test_broken_cell_leaves_the_others_alone(launch, project: Path) -> None:
    client = launch()
    path = project / "work.ipynb"
    open_notebook(client, path, ("python", IMPORTS), ("python", "def half(:"), ("python", TOOL))
    assert {entry["code"] for entry in client.published(cell(path, 1))} == {"invalid-syntax"}
    assert [entry["code"] for entry in client.published(cell(path, 2))] == ["IDM101"]

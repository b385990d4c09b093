"""Columns in the units that client and server agree on."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from lsp_client import DEFAULT, edits_of, span

if TYPE_CHECKING:
    from pathlib import Path

TEXT = '''import uuid

import stripe
from langchain_core.tools import tool


@tool
def charge(order: str) -> str:
    """Charge."""
    return stripe.Charge.create(description="€😀日", idempotency_key=str(uuid.uuid4())).id
'''
ROW = 9
CALL = "uuid.uuid4()"


def columns(encoding: str) -> tuple[int, int]:
    row = TEXT.split("\n")[ROW]
    start = row.index(CALL)
    widths = {
        "utf-8": lambda text: len(text.encode()),
        "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
        "utf-32": len,
    }
    width = widths[encoding]
    return width(row[:start]), width(row[: start + len(CALL)])


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-16", "utf-8"], "utf-8"),
        (["utf-32", "utf-16"], "utf-32"),
        (["utf-7"], "utf-16"),
    ],
)
def test_encoding_is_negotiated(
    launch, project: Path, offered: list[str] | None, chosen: str
) -> None:
    capabilities = copy.deepcopy(DEFAULT)
    capabilities["general"] = {} if offered is None else {"positionEncodings": offered}
    client = launch(capabilities=capabilities)
    assert client.hello["capabilities"]["positionEncoding"] == chosen
    address = client.open(project / "tool.py", TEXT)
    (found,) = client.published(address, 1)
    start, end = columns(chosen)
    assert found["range"] == span(ROW, start, end)
    # an edit behind the wide signs goes where the client means it
    client.change(address, 2, {"range": span(ROW, start, end), "text": "order"})
    assert client.published(address, 2) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_fix_goes_behind_wide_signs_in_rows_of_windows(
    launch, project: Path, encoding: str
) -> None:
    capabilities = copy.deepcopy(DEFAULT)
    capabilities["general"] = {"positionEncodings": [encoding]}
    client = launch(capabilities=capabilities)
    text = TEXT.replace("\n", "\r\n")
    address = client.open(project / "größe 1.py", text)
    found = client.published(address, 1)
    fix = client.actions(address, found[0]["range"], found)[0]
    if "edit" not in fix:
        fix = client.request("codeAction/resolve", fix)
    edits = edits_of(fix["edit"])[address]
    start, end = columns(encoding)
    whole = span(ROW, start - len("str("), end + 1)
    assert {"range": whole, "newText": "idempotency_key"} in edits
    (other,) = [edit for edit in edits if edit["range"]["start"]["line"] != ROW]
    assert other["range"] == span(7, 21, 21)
    assert other["newText"] == ", idempotency_key: str"

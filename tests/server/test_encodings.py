"""Columns in the units that client and server agree on."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from lsp_client import DEFAULT, span

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

"""What is told of a rule under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conftest import TOOL
from lsp_client import span

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """# idemlint: file-ignore[fresh-key]
x = 1  # noqa: IDM101, IDM999, F401
"""


@pytest.fixture
def hover(launch, project: Path):
    client = launch()
    address = client.open(project / "clean.py", TEXT)

    def at(line: int, character: int) -> dict | None:
        return client.request(
            "textDocument/hover",
            {
                "textDocument": {"uri": address},
                "position": {"line": line, "character": character},
            },
        )

    return at


def test_codes_and_names_in_comments_are_explained(hover) -> None:
    found = hover(1, 17)
    assert found["range"] == span(1, 15, 21)
    assert found["contents"]["kind"] == "markdown"
    text = found["contents"]["value"]
    assert text.startswith("# fresh-key (IDM101)")
    assert "**Why**" in text
    assert "rules/IDM101-fresh-key.md" in text
    assert len(text) < 2000
    assert hover(0, 26)["contents"]["value"] == text
    assert hover(1, 25)["contents"]["value"] == "IDM999: Rule not found"
    assert hover(1, 33) is None
    assert hover(1, 1) is None


def test_findings_are_explained(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    (found,) = client.published(address, 1)
    told = client.request(
        "textDocument/hover",
        {"textDocument": {"uri": address}, "position": found["range"]["start"]},
    )
    assert told["range"] == found["range"]
    assert "fresh-key (IDM101)" in told["contents"]["value"]
    nowhere = {"textDocument": {"uri": address}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", nowhere) is None
    assert TOOL


def test_every_rule_has_a_short_page() -> None:
    from idemlint import catalogue
    from idemlint.server.hover import short_page

    for rule in catalogue.rules().values():
        text = short_page(rule)
        assert rule.code in text.partition("\n")[0]
        assert rule.url in text
        assert "```" not in text

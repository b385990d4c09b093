from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pygls", reason="the language server is not installed")

from lsp_client import LspClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TOOL = '''import uuid

import stripe
from langchain_core.tools import tool


@tool
def charge(order: str, amount: int) -> str:
    """Charge an order."""
    key = str(uuid.uuid4())
    return stripe.PaymentIntent.create(
        amount=amount, currency="usd", idempotency_key=key
    ).id
'''
RETRY = """import uuid

import requests


def send(order: str) -> None:
    for _ in range(3):
        key = str(uuid.uuid4())
        answer = requests.post(
            "https://api.example.com/orders",
            json={"order": order},
            headers={"Idempotency-Key": key},
        )
        if answer.ok:
            return
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    (folder / "tool.py").write_text(TOOL)
    return folder


@pytest.fixture
def launch(project: Path) -> Iterator[Callable[..., LspClient]]:
    """Starts servers in the project, and sees to it that they end."""
    clients: list[LspClient] = []

    def start(*arguments: str, **given: object) -> LspClient:
        client = LspClient(project, *arguments)
        clients.append(client)
        folders = given.pop("folders", [project])
        client.hello = client.start(folders, **given)
        return client

    yield start
    for client in clients:
        client.kill()

"""A small project with an entry of each standing, and a way to run the command on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from idemlint.hosts import cli

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = '''\
"""The tools of a shop."""

import acme_ledger
import requests
import stripe
from langchain_core.tools import tool

from shop.payments import send_back


@tool
def charge_card(card: str, cents: int, idempotency_key: str) -> str:
    """Charge a card."""
    done = stripe.PaymentIntent.create(amount=cents, idempotency_key=idempotency_key)
    return done.id


@tool
def refund_card(charge: str, cents: int) -> str:
    """Send money back."""
    return send_back(charge, cents)


@tool
def sync_ledger(order: str) -> str:
    """Bring the ledger up to date."""
    return acme_ledger.Client().sync(order)


@tool
def list_orders(customer: str) -> list:
    """The orders of a customer."""
    return requests.get(f"https://shop.example.com/orders/{customer}").json()


@tool
def capture(charge: str, cents: int, idempotency_key: str | None = None) -> str:
    """Take what was reserved."""
    return stripe.PaymentIntent.create(amount=cents, idempotency_key=idempotency_key).id


@tool
def ping(host: str) -> str:  # noqa: IDM401 - a second ping harms nobody
    """Tell a host that we live."""
    return requests.post("https://hooks.example.com/ping", json={"host": host}).text
'''
PAYMENTS = '''\
"""Money."""

import stripe


def send_back(charge: str, cents: int) -> str:
    return stripe.Refund.create(charge=charge, amount=cents).id
'''
DESK = '''\
"""A graph that asks before it pays."""

import resend
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


def ask(state: dict) -> dict:
    resend.Emails.send({"to": state["customer"], "subject": "Refund"})
    return {"approved": interrupt("ok?") == "yes"}


def note(state: dict) -> dict:
    return {"note": state["customer"].title()}


builder = StateGraph(dict)
builder.add_node("ask", ask)
builder.add_node("note", note)
builder.add_edge(START, "ask")
'''
WORKER = '''\
"""What runs in the background."""

import requests
from tenacity import retry


@retry
def push(order: str) -> None:
    requests.post("https://hooks.example.com/orders", json={"order": order})
'''
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/__init__.py": "",
    "shop/tools.py": TOOLS,
    "shop/payments.py": PAYMENTS,
    "shop/desk.py": DESK,
    "shop/worker.py": WORKER,
}


@dataclass(frozen=True)
class Result:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Shop:
    """The project in a scratch directory, which is the working directory."""

    folder: Path
    capfd: pytest.CaptureFixture[str]

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def tools(self, *args: str) -> Result:
        code = cli.run(["tools", *args])
        out, err = self.capfd.readouterr()
        return Result(code, out, err)

    def entries(self, *args: str) -> dict[str, Any]:
        """The entries of the JSON output, by their names."""
        result = self.tools("--output-format", "json", *args)
        assert result.code == 0, result.err
        return {entry["name"]: entry for entry in result.json["entries"]}


@pytest.fixture
def shop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Shop:
    folder = tmp_path / "shop"
    made = Shop(folder, capfd)
    for name, text in FILES.items():
        made.write(name, text)
    monkeypatch.chdir(folder)
    return made

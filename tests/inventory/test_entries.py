"""What the inventory says of each kind of entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Shop

    Entry = dict[str, Any]

TOOL = "from langchain_core.tools import tool\n"


def calls(path: list[Entry]) -> list[tuple[str, int]]:
    return [(step["call"], step["row"]) for step in path]


def only(shop: Shop, code: str, *args: str) -> Entry:
    """The only entry of a project of one file."""
    shop.write("alone/pyproject.toml", '[project]\nname = "alone"\n')
    shop.write("alone/code.py", code)
    found = list(shop.entries("alone", *args).values())
    assert len(found) == 1
    return dict(found[0])


def test_each_entry_stands_where_it_should(shop: Shop) -> None:
    assert {name: entry["standing"] for name, entry in shop.entries().items()} == {
        "ask": "unguarded",
        "refund_card": "unguarded",
        "push": "unguarded",
        "capture": "weak",
        "sync_ledger": "opaque",
        "ping": "accepted",
        "charge_card": "guarded",
        "note": "no-effect",
        "list_orders": "no-effect",
    }


def test_effect_classes(shop: Shop) -> None:
    assert {name: entry["effect_class"] for name, entry in shop.entries().items()} == {
        "ask": "send",
        "refund_card": "transfer",
        "push": "create",
        "capture": "charge",
        "sync_ledger": "opaque",
        "ping": "create",
        "charge_card": "charge",
        "note": "none",
        "list_orders": "read",
    }


def test_a_required_key_that_arrives_guards(shop: Shop) -> None:
    entry = shop.entries()["charge_card"]
    assert entry["key"] == {"need": "required", "name": "idempotency_key"}
    effect = entry["effects"][0]
    assert (effect["state"], effect["native_key"]) == ("guarded", "idempotency_key")
    assert (effect["guard"]["kind"], effect["guard"]["holds"]) == ("key", True)
    assert entry["findings"] == []
    assert entry["operation"] is None


def test_a_tool_without_a_key_names_the_path_to_its_effect(shop: Shop) -> None:
    entry = shop.entries()["refund_card"]
    assert entry["key"] == {"need": "none", "name": None}
    assert entry["targets"] == ["stripe"]
    effect = entry["effects"][0]
    assert calls(effect["path"]) == [("send_back", 21), ("stripe.Refund.create", 7)]
    assert effect["path"][1]["filename"].endswith("payments.py")
    assert effect["guard"] is None
    assert entry["operation"] == "OP-1"
    assert [found["code"] for found in entry["findings"]] == ["IDM401"]


def test_an_opaque_tool_names_the_call_that_is_not_known(shop: Shop) -> None:
    entry = shop.entries()["sync_ledger"]
    assert not entry["is_resolved"]
    assert entry["effects"] == []
    (call,) = entry["unknown_calls"]
    assert call["call"] == "acme_ledger.Client().sync"
    assert call["reason"] == "a library that no row describes"
    assert calls(call["path"]) == [("acme_ledger.Client().sync", 27)]


def test_a_node_says_what_replays_it(shop: Shop) -> None:
    entry = shop.entries()["ask"]
    assert (entry["kind"], entry["framework"]) == ("node", "langgraph")
    assert entry["key"]["need"] == "n/a"
    pause = entry["replays"][-1]
    assert pause["causes"] == ["pause"]
    assert pause["location"]["row"] == 10
    assert entry["operation"] == "OP-6"
    assert [found["code"] for found in entry["findings"]] == ["IDM201", "IDM501"]


def test_a_retried_function_is_an_entry(shop: Shop) -> None:
    entry = shop.entries()["push"]
    assert (entry["kind"], entry["framework"]) == ("retried function", "tenacity")
    assert [replay["text"] for replay in entry["replays"]] == ["`@retry` runs it again"]
    assert [found["code"] for found in entry["findings"]] == ["IDM204"]


def test_an_optional_key_is_a_weak_guard(shop: Shop) -> None:
    entry = shop.entries()["capture"]
    assert entry["key"] == {"need": "optional", "name": "idempotency_key"}
    assert entry["operation"] == "OP-7"


def test_what_a_comment_silences_is_accepted(shop: Shop) -> None:
    entry = shop.entries()["ping"]
    assert entry["findings"] == []
    assert [found["code"] for found in entry["silenced"]] == ["IDM401"]


def test_a_rule_that_is_ignored_hides_no_effect(shop: Shop) -> None:
    entry = shop.entries("--ignore", "IDM401")["refund_card"]
    assert entry["findings"] == []
    assert entry["standing"] == "unguarded"
    assert entry["operation"] == "OP-1"


def test_a_fresh_key_guards_nothing(shop: Shop) -> None:
    entry = only(
        shop,
        f"import uuid\nimport stripe\n{TOOL}\n@tool\ndef pay(cents: int) -> str:\n"
        "    return stripe.PaymentIntent.create(amount=cents, idempotency_key=str(uuid.uuid4())).id\n",
    )
    assert entry["standing"] == "unguarded"
    assert entry["effects"][0]["guard"]["kind"] == "bad-key"
    assert [found["code"] for found in entry["findings"]] == ["IDM101"]


def test_a_key_that_covers_a_part_is_weak(shop: Shop) -> None:
    entry = only(
        shop,
        f"import requests\nimport stripe\n{TOOL}\n@tool\n"
        "def pay(cents: int, idempotency_key: str) -> str:\n"
        "    requests.post('https://hooks.example.com/paid', json={'cents': cents})\n"
        "    return stripe.PaymentIntent.create(\n"
        "        amount=cents, idempotency_key=idempotency_key).id\n",
    )
    assert entry["standing"] == "weak"
    assert [effect["state"] for effect in entry["effects"]] == ["repeats", "guarded"]


def test_an_overwriting_request_is_harmless(shop: Shop) -> None:
    entry = only(
        shop,
        f"import requests\n{TOOL}\n@tool\ndef rename(item: str, name: str) -> str:\n"
        "    return requests.put(f'https://shop.example.com/{item}', json={'name': name}).text\n",
    )
    assert entry["standing"] == "harmless"


UNKNOWN = {
    "a parameter": ("", "send: object", "send('x')"),
    "an entry of a table": ("TABLE = {}\n", "name: str", "TABLE[name]('x')"),
    "an object of nothing known": ("", "mail", "mail.submit('x')"),
    "a method of an unknown client": ("import acme\n", "x: str", "acme.Client().submit(x)"),
    "a named effect": ("import acme\n", "x: str", "acme.send_invoice(x)"),
}


@pytest.mark.parametrize("case", UNKNOWN.values(), ids=UNKNOWN)
def test_a_call_that_could_act_is_not_resolved(shop: Shop, case: tuple[str, str, str]) -> None:
    imports, parameter, call = case
    code = f"{imports}{TOOL}\n@tool\ndef act({parameter}) -> str:\n    return {call}\n"
    entry = only(shop, code)
    assert entry["standing"] == "opaque"
    assert len(entry["unknown_calls"]) == 1


KNOWN = {
    "a read by its name": "def act(api) -> str:\n    return api.get_balance('x')",
    "an error that is raised": "def act(x: str) -> str:\n    raise ERRORS[x](x) from None",
    "a class in a variable": "def act(error_cls: type) -> str:\n    return str(error_cls('x'))",
    "methods of texts": "def act(x: str) -> str:\n    return x.rsplit('/')[0].strip()",
    "folders": "def act(x: str) -> str:\n    os.makedirs(x, exist_ok=True)\n    return x",
}


@pytest.mark.parametrize("body", KNOWN.values(), ids=KNOWN)
def test_a_call_that_cannot_act_is_resolved(shop: Shop, body: str) -> None:
    entry = only(shop, f"import os\n{TOOL}\nERRORS = {{}}\n\n\n@tool\n{body}\n")
    assert entry["is_resolved"], entry["unknown_calls"]


def test_a_chain_of_calls_is_one_unknown_call(shop: Shop) -> None:
    entry = only(
        shop,
        f"import acme\n{TOOL}\n@tool\ndef act(x: str) -> str:\n"
        "    return acme.service().users().messages().submit(x)\n",
    )
    assert [call["call"] for call in entry["unknown_calls"]] == [
        "acme.service().users().messages().submit"
    ]


def test_a_schema_whose_function_is_not_found_is_opaque(shop: Shop) -> None:
    entry = only(
        shop,
        "from mcp.types import Tool\n\nTOOLS = [\n"
        '    Tool(name="send_invoice", description="Send it",\n'
        '         inputSchema={"type": "object", "properties": {"to": {"type": "string"}}}),\n]\n',
    )
    assert entry["effect_class"] == "opaque"
    assert entry["unknown_calls"][0]["reason"] == "the function that runs it was not found"


def test_a_policy_of_another_file_replays_a_node(shop: Shop) -> None:
    shop.write("graph/pyproject.toml", '[project]\nname = "graph"\n')
    shop.write(
        "graph/nodes.py",
        "import requests\n\n\ndef push(state: dict) -> dict:\n"
        "    requests.post('https://hooks.example.com', json=state)\n    return {}\n",
    )
    shop.write(
        "graph/build.py",
        "from langgraph.graph import StateGraph\nfrom langgraph.types import RetryPolicy\n"
        "from nodes import push\n\nbuilder = StateGraph(dict)\n"
        "builder.add_node('push', push, retry_policy=RetryPolicy(max_attempts=3))\n",
    )
    entry = shop.entries("graph")["push"]
    assert any(
        replay["causes"] == ["retry"] and replay["location"]["filename"].endswith("build.py")
        for replay in entry["replays"]
    )


def test_entries_of_files_that_were_not_asked_for_are_left_out(shop: Shop) -> None:
    assert set(shop.entries("shop/worker.py")) == {"push"}


def test_a_path_into_another_file_is_followed_for_one_file(shop: Shop) -> None:
    entry = shop.entries("shop/tools.py")["refund_card"]
    assert len(entry["effects"][0]["path"]) == 2


def test_a_notebook_counts_rows_by_cell(shop: Shop) -> None:
    import json

    cells = [
        "import stripe\nfrom langchain_core.tools import tool",
        "@tool\ndef pay(cents: int) -> str:\n    return stripe.Charge.create(amount=cents).id",
    ]
    notebook = {
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": text,
             "execution_count": None}
            for text in cells
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }  # fmt: skip
    shop.write("book/notes.ipynb", json.dumps(notebook))
    entry = shop.entries("book")["pay"]
    assert (entry["cell"], entry["row"]) == (2, 2)
    step = entry["effects"][0]["path"][0]
    assert (step["cell"], step["row"]) == (2, 3)
    assert [(found["cell"], found["location"]["row"]) for found in entry["findings"]] == [(2, 2)]


def test_the_share_of_resolved_entries(shop: Shop) -> None:
    summary = shop.tools("--output-format", "json").json["summary"]
    assert summary["entries"] == 9
    assert summary["resolved"] == 8
    assert summary["resolved_share"] == 0.8889


def test_a_package_in_the_working_directory_hides_no_library(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.write("desk/__init__.py", "")
    shop.write("desk/os/__init__.py", "")
    shop.write(
        "desk/tools.py",
        f"import os\n{TOOL}\n@tool\ndef act(x: str) -> str:\n    return os.path.basename(x)\n",
    )
    monkeypatch.chdir(shop.folder / "desk")
    assert shop.entries()["act"]["is_resolved"]


@pytest.mark.parametrize(("options", "standing"), [("", "once"), ("(acks_late=True)", "unguarded")])
def test_a_task_that_nothing_repeats_runs_once(shop: Shop, options: str, standing: str) -> None:
    entry = only(
        shop,
        f"import requests\nfrom celery import shared_task\n\n\n@shared_task{options}\n"
        "def push(order: str) -> None:\n"
        "    requests.post('https://hooks.example.com', json={'order': order})\n",
    )
    assert (entry["kind"], entry["standing"]) == ("task", standing)

"""Rows of a project about the project's own code: what they say counts, whatever the code does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from marked import Tree

if TYPE_CHECKING:
    from pathlib import Path

CODE = {
    "shop/__init__.py": "",
    "shop/own.py": """\
import contextlib

import mystery
import requests


def action(function):
    return function


def insist(function):
    return function


@contextlib.contextmanager
def cluster(name):
    yield


class Ledger:
    def post(self, amount, ref=None):
        return requests.post("https://ledger.example/x", json={"a": amount, "r": ref}).json()


class Trail:
    def submit(self, text):
        requests.post("https://trail.example/x", json={"text": text})


trail = Trail()


def new_id():
    return mystery.make()


def connect(url):
    return mystery.connect(url)


class Kv:
    def has(self, key):
        return mystery.has(key)

    def put(self, key, value):
        mystery.put(key, value)


class Proxy:
    def get(self, key):
        return mystery.get(key)

    def set(self, key, value):
        mystery.set(key, value)
""",
}
RECEIVER = """\
[[tool.idemlint.knowledge.receiver_name]]
names = ["shared_cache"]
is = "redis.Redis"
"""
TOOL = """\
[[tool.idemlint.knowledge.tool]]
id = "own-tool"
framework = "shop"
kind = "decorator"
path = "shop.own.action"
"""
PROVIDER = """\
[[tool.idemlint.knowledge.provider]]
id = "ledger"
package = "shop"
imports = "shop"
[[tool.idemlint.knowledge.provider.effects]]
call = "shop.own.Ledger.post"
does = "charge"
repeat = "duplicates"
key = { argument = "ref" }
"""
STORE = """\
[[tool.idemlint.knowledge.store]]
id = "own-kv"
title = "Own KV"
kind = "kv"
operation = "OP-4"
target = "receiver"
check = "shop.own.Kv.has"
insert = "shop.own.Kv.put"
"""
LOOK = """\
def book(order):
    if {0}.{1}(order){2}:
        {0}.{3}(order, "booked")
"""
KEYED = """\
from {0}own import Ledger, action
ledger = Ledger()
@action
def pay(order: str, idempotency_key: str):
    return ledger.post(5)
"""
CASES = {
    "a provider's call": (TOOL + PROVIDER, KEYED.format("shop."), ["IDM501"]),
    "a provider's call by a relative import": (TOOL + PROVIDER, KEYED.format("."), ["IDM501"]),
    "a generator": (
        TOOL
        + PROVIDER
        + '[[tool.idemlint.knowledge.value]]\npath = "shop.own.new_id"\nkind = "fresh"\ngives = "id"\n',
        """\
from shop.own import Ledger, action, new_id
@action
def pay(order: str):
    return Ledger().post(5, ref=new_id())
""",
        ["IDM101"],
    ),
    "an audit trail, by its class": (
        TOOL + '[[tool.idemlint.knowledge.quiet]]\nkind = "logging"\npath = "shop.own.Trail.**"\n',
        """\
from shop.own import action, trail
@action
def send_note(text: str):
    trail.submit(text)
""",
        [],
    ),
    "an audit trail, by its object": (
        TOOL + '[[tool.idemlint.knowledge.quiet]]\nkind = "logging"\npath = "shop.own.trail.**"\n',
        """\
from shop.own import action, trail
@action
def send_note(text: str):
    trail.submit(text)
""",
        [],
    ),
    "a retry": (
        """\
[[tool.idemlint.knowledge.retry]]
id = "insist"
framework = "shop"
kind = "decorator"
path = "shop.own.insist"
attempts = 3
""",
        """\
import requests
from shop.own import insist
@insist
def report(order):
    requests.post("https://hooks.example/x", json={"order": order})
""",
        ["IDM204"],
    ),
    "a store": (
        STORE,
        "from shop.own import Kv\nkv = Kv()\n" + LOOK.format("kv", "has", " is False", "put"),
        ["IDM301"],
    ),
    "a class that stands for another": (
        '[[tool.idemlint.knowledge.type]]\npath = "shop.own.Proxy"\nis = "redis.Redis"\n',
        "from shop.own import Proxy\nkv = Proxy()\n" + LOOK.format("kv", "get", " is None", "set"),
        ["IDM301"],
    ),
    "what a function gives": (
        '[[tool.idemlint.knowledge.gives]]\npath = "shop.own.connect"\nis = "redis.Redis"\n',
        "from shop.own import connect\nkv = connect('x')\n"
        + LOOK.format("kv", "get", " is None", "set"),
        ["IDM301"],
    ),
    "a usual name": (
        RECEIVER,
        LOOK.format("shared_cache", "get", " is None", "set").replace(
            "(order):", "(order, shared_cache):", 1
        ),
        ["IDM301"],
    ),
    "a usual name beside another import": (
        RECEIVER + 'imports = "mystery"\n',
        "import mystery\n"
        + LOOK.format("shared_cache", "get", " is None", "set").replace(
            "(order):", "(order, shared_cache):", 1
        ),
        ["IDM301"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_row_about_the_projects_own_code_counts(case: str, tmp_path: Path) -> None:
    rows, code, expected = CASES[case]
    files = {**CODE, "pyproject.toml": rows, "shop/work.py": code}
    tree = Tree(
        tmp_path / "with", {"project": {k: v.encode() for k, v in files.items()}}, is_isolated=False
    )
    assert [entry.code for entry in tree.found] == expected


def test_a_row_about_another_package_changes_nothing_here(tmp_path: Path) -> None:
    files = {
        **CODE,
        "pyproject.toml": STORE.replace("shop.", "stock."),
        "shop/work.py": "from shop.own import Kv\nkv = Kv()\n"
        + LOOK.format("kv", "has", " is False", "put"),
    }
    tree = Tree(tmp_path, {"project": {k: v.encode() for k, v in files.items()}}, is_isolated=False)
    assert not tree.found

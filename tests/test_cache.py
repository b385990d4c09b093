"""A run with a cache says what a run without one says, whatever has changed in between."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from idemlint.hosts import cli

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TOOLS = '''\
from langchain.tools import tool

from shop.keys import new_key
from shop.mail import Mailer

mailer = Mailer("mail.example.com")


@tool
def send_receipt(order: str) -> str:
    """Send the receipt of an order."""
    return mailer.send(order)


@tool
def charge(order: str, cents: int, idempotency_key: str) -> str:
    """Charge an order. The same idempotency_key charges once."""
    return mailer.pay(cents, new_key(order, idempotency_key))
'''
MAIL = """\
import smtplib

import requests


class Mailer:
    def __init__(self, host: str) -> None:
        self.smtp = smtplib.SMTP(host)

    def send(self, order: str) -> str:
        self.smtp.sendmail("shop@example.com", order, "Thank you")
        return "sent"

    def pay(self, cents: int, key: str) -> str:
        url = "https://pay.example.com/charges"
        answer = requests.post(url, json={"cents": cents}, headers={"Idempotency-Key": key})
        return answer.text
"""
KEYS = """\
import uuid


def new_key(order: str, key: str) -> str:
    return f"{order}-{uuid.uuid4()}"
"""
ORDERS = """\
import sqlite3


def add(order: str) -> None:
    with sqlite3.connect("shop.db") as db:
        found = db.execute("SELECT 1 FROM orders WHERE number = ?", (order,)).fetchone()
        if found is None:
            db.execute("INSERT INTO orders (number) VALUES (?)", (order,))
"""
SCHEMA = "CREATE TABLE orders (number TEXT, made TEXT);\n"
PROJECT = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/schema.sql": SCHEMA,
    "shop/__init__.py": "",
    "shop/keys.py": KEYS,
    "shop/mail.py": MAIL,
    "shop/orders.py": ORDERS,
    "shop/tools.py": TOOLS,
}
"""Reports IDM101 in `keys.py`, IDM301 in `orders.py`, and IDM401 in `tools.py`."""
GUARDED = (
    MAIL.replace(
        "    def send(self, order: str) -> str:\n",
        "    def send(self, order: str) -> str:\n"
        "        if not self.claims.set(f'receipt:{order}', '1', nx=True):\n"
        "            return 'sent before'\n",
    )
    .replace(
        "        self.smtp = smtplib.SMTP(host)\n",
        "        self.smtp = smtplib.SMTP(host)\n        self.claims = redis.Redis()\n",
    )
    .replace("import requests\n", "import redis\nimport requests\n")
)
QUIET = MAIL.replace('self.smtp.sendmail("shop@example.com", order, "Thank you")', "print(order)")
STABLE = KEYS.replace("uuid.uuid4()", "key")


@dataclass(frozen=True)
class Change:
    """Files that are written (`None`: removed); the codes that are found before and after it."""

    files: Mapping[str, str | None]
    after: str
    before: str = "IDM101 IDM301 IDM401"
    first: Mapping[str, str | None] | None = None


CHANGES = {
    "nothing": Change({}, "IDM101 IDM301 IDM401"),
    "a helper loses its effect": Change({"shop/mail.py": QUIET}, "IDM101 IDM301"),
    "a helper gains its effect": Change(
        {"shop/mail.py": MAIL}, "IDM101 IDM301 IDM401", "IDM101 IDM301", {"shop/mail.py": QUIET}
    ),
    "a helper gains a guard": Change({"shop/mail.py": GUARDED}, "IDM101 IDM301"),
    "a helper loses its guard": Change(
        {"shop/mail.py": MAIL}, "IDM101 IDM301 IDM401", "IDM101 IDM301", {"shop/mail.py": GUARDED}
    ),
    "a helper makes a stable key": Change({"shop/keys.py": STABLE}, "IDM301 IDM401"),
    "a helper makes a fresh key": Change(
        {"shop/keys.py": KEYS}, "IDM101 IDM301 IDM401", "IDM301 IDM401", {"shop/keys.py": STABLE}
    ),
    "a helper is removed": Change({"shop/keys.py": None}, "IDM301 IDM401"),
    "a helper is added": Change(
        {"shop/keys.py": KEYS}, "IDM101 IDM301 IDM401", "IDM301 IDM401", {"shop/keys.py": None}
    ),
    "a helper becomes a package that passes it on": Change(
        {
            "shop/keys.py": None,
            "shop/keys/__init__.py": "from shop.keys.made import new_key\n",
            "shop/keys/made.py": KEYS,
        },
        "IDM101 IDM301 IDM401",
    ),
    "the helper of a helper changes": Change(
        {"shop/made.py": "def made(key: str) -> str:\n    return key\n"},
        "IDM301 IDM401",
        first={
            "shop/keys.py": (
                "from shop.made import made\n\n\n"
                "def new_key(order: str, key: str) -> str:\n    return made(key)\n"
            ),
            "shop/made.py": (
                "import uuid\n\n\ndef made(key: str) -> str:\n    return str(uuid.uuid4())\n"
            ),
        },
    ),
    "another module takes the place of an import": Change(
        {"shop/__init__.py": "from shop.orders import add\n"}, "IDM101 IDM301 IDM401"
    ),
    "the tool is one no longer": Change(
        {"shop/tools.py": TOOLS.replace("@tool\ndef send_receipt", "def send_receipt")},
        "IDM101 IDM301",
    ),
    "a comment suppresses": Change(
        {
            "shop/tools.py": TOOLS.replace(
                "order: str) -> str:", "order: str) -> str:  # noqa: IDM401"
            )
        },
        "IDM101 IDM301",
    ),
    "rows move": Change({"shop/mail.py": f"# moved\n\n{MAIL}"}, "IDM101 IDM301 IDM401"),
    "a constraint is declared": Change(
        {"shop/schema.sql": SCHEMA.replace("number TEXT", "number TEXT UNIQUE")}, "IDM101 IDM401"
    ),
    "a schema is added": Change(
        {"shop/db/schema.sql": "CREATE UNIQUE INDEX one ON orders (number);\n"}, "IDM101 IDM401"
    ),
    "the configuration leaves a rule out": Change(
        {"pyproject.toml": "[tool.idemlint.lint]\nignore = ['IDM401']\n"}, "IDM101 IDM301"
    ),
    "the configuration leaves a file out": Change(
        {"pyproject.toml": "[tool.idemlint]\nexclude = ['shop/orders.py']\n"}, "IDM101 IDM401"
    ),
    "the configuration has a row": Change(
        {
            "pyproject.toml": (
                "[[tool.idemlint.knowledge.value]]\n"
                "path = ['uuid.uuid4']\nkind = 'stable'\ngives = 'id'\n"
            )
        },
        "IDM301 IDM401",
    ),
    "a file can no longer be parsed": Change(
        {"shop/keys.py": KEYS.replace("(order", "(order(")}, "IDM301 IDM401 invalid-syntax"
    ),
    "a file can be parsed again": Change(
        {"shop/keys.py": KEYS},
        "IDM101 IDM301 IDM401",
        "IDM301 IDM401 invalid-syntax",
        {"shop/keys.py": KEYS.replace("(order", "(order(")},
    ),
}


class Project:
    """A project on the disk, older than its cache."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.capsys = capsys

    def write(self, files: Mapping[str, str | None], *, age: int = 0) -> None:
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            moment = time.time() - age
            os.utime(path, (moment, moment))

    def check(self, *flags: str) -> str:
        """What a run prints; it must not warn of anything."""
        cli.run(["check", "--output-format", "json-lines", *flags, "."])
        out, err = self.capsys.readouterr()
        assert err == ""
        return out


def codes(output: str) -> str:
    """The codes of a report, each once."""
    return " ".join(sorted({json.loads(line)["code"] for line in output.splitlines()}))


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path, capsys)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_in_spite_of_the_cache(name: str, project: Project) -> None:
    change = CHANGES[name]
    project.write(PROJECT, age=3600)
    project.write(change.first or {}, age=3600)
    assert codes(project.check()) == change.before
    project.write(change.files)
    cached = project.check()
    assert cached == project.check("--no-cache")
    assert codes(cached) == change.after
    assert project.check() == cached


def test_a_run_over_some_files_does_not_spoil_the_cache_of_the_others(project: Project) -> None:
    project.write(PROJECT, age=3600)
    whole = project.check()
    cli.run(["check", "--output-format", "json-lines", "shop/tools.py"])
    assert codes(project.capsys.readouterr().out) == "IDM401"
    project.write({"shop/mail.py": QUIET})
    cli.run(["check", "--output-format", "json-lines", "shop/tools.py"])
    assert codes(project.capsys.readouterr().out) == ""
    assert codes(whole) == "IDM101 IDM301 IDM401"
    assert project.check() == project.check("--no-cache")


def test_a_change_within_the_clock_of_the_disk_is_seen(project: Project) -> None:
    project.write(PROJECT)
    project.check()
    path = project.root / "shop" / "keys.py"
    status = path.stat()
    path.write_text(KEYS.replace("uuid.uuid4()", "key          "), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size != 0
    assert project.check() == project.check("--no-cache")


@pytest.mark.parametrize("broken", [b"", b"no pickle", b"\x80\x05]\x94."])
def test_a_cache_that_cannot_be_read_is_written_anew(project: Project, broken: bytes) -> None:
    project.write(PROJECT, age=3600)
    before = project.check()
    stored = list((project.root / ".idemlint_cache").rglob("*.pickle"))
    assert stored
    for path in stored:
        path.write_bytes(broken)
    assert project.check() == before
    assert all(path.read_bytes() != broken for path in stored)


def test_without_a_cache_nothing_is_written(project: Project) -> None:
    project.write(PROJECT, age=3600)
    project.check("--no-cache")
    assert not (project.root / ".idemlint_cache").exists()

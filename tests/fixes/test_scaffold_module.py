"""Fixes that use the module of `idemlint scaffold` once it is in the project."""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from idemlint.hosts.cli import run
from idemlint.model.program import Program
from idemlint.scaffold import MARK
from idemlint.scaffold.compose import module_text

if TYPE_CHECKING:
    from pathlib import Path

_TOLD_BY_MEMORY = '''
from fastapi import FastAPI, Header
from slack_sdk import WebClient

app = FastAPI()
slack = WebClient(token="xoxb-from-env")
_told: set[str] = set()


@app.post("/hooks/push")
def tell_of_push(push: dict, x_delivery: str = Header()) -> None:
    """The forge delivers a push again when we are slow."""
    if x_delivery not in _told:
        _told.add(x_delivery)
        slack.chat_postMessage(channel="#code", text=push["message"])
'''
_LATE_RECORD = '''
import psycopg
from fastmcp import FastMCP
from twilio.rest import Client

mcp = FastMCP("phone")
phone = Client()
calls = psycopg.connect("postgresql://calls", autocommit=True)


@mcp.tool
def ring(number: str, idempotency_key: str) -> dict:
    """Ring somebody up."""
    old = calls.execute("SELECT sid FROM calls WHERE key = %s", [idempotency_key]).fetchone()
    if old:
        return {"call": old[0], "was_replay": True}
    call = phone.calls.create(to=number, from_="+15550100", twiml="<Response/>")
    calls.execute("INSERT INTO calls (key, sid) VALUES (%s, %s)", [idempotency_key, call.sid])
    return {"call": call.sid, "was_replay": False}
'''
_NO_KEY = '''
import smtplib

from fastmcp import FastMCP

mcp = FastMCP("mail")


@mcp.tool
def send_note(to: str, body: str) -> str:
    """Send a note."""
    with smtplib.SMTP("localhost") as server:
        server.sendmail("us@example.org", to, body)
    return f"sent to {to}"
'''
_NOT_PASSED = '''
import requests
from fastmcp import FastMCP

mcp = FastMCP("pay")
OPTIONS = {"timeout": 5}
URL = "https://api.stripe.com/v1/refunds"


@mcp.tool
def refund(charge: str, idempotency_key: str) -> str:
    """Refund."""
    answer = requests.post("https://api.stripe.com/v1/refunds", data={"c": charge}, **OPTIONS)
    return answer.text
'''
_CASES = {
    "IDM302": _TOLD_BY_MEMORY,
    "IDM303": _LATE_RECORD,
    "IDM401": _NO_KEY,
    "IDM501": _NOT_PASSED,
}
_NEVER = {("IDM303", "OP-8")}
"""A record behind a checkpoint would still be checked and inserted in two steps."""


def _as_async(text: str) -> str:
    return text.replace("\ndef ", "\nasync def ")


def _idemlint(folder: Path, *options: str) -> str:
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        assert not run(["check", "--isolated", "--no-cache", "--exit-zero", *options, str(folder)])
    return written.getvalue()


def _codes(folder: Path) -> list[str]:
    return [entry["code"] for entry in json.loads(_idemlint(folder, "--output-format=json"))]


def _fixed(folder: Path, path: Path) -> str:
    _idemlint(folder, "--fix", "--unsafe-fixes", "--quiet")
    text = path.read_text(encoding="utf-8")
    ast.parse(text)
    return text


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("layout", ["", "shop"], ids=["flat", "package"])
@pytest.mark.parametrize(
    ("code", "operation"), sorted({*itertools.product(_CASES, ("OP-2", "OP-8"))} - _NEVER)
)
def test_the_module_is_used(
    tmp_path: Path, code: str, layout: str, operation: str, is_async: bool
) -> None:
    folder = tmp_path / layout
    folder.mkdir(exist_ok=True)
    if layout:
        (folder / "__init__.py").touch()
    text = module_text(operation, "sqlite", is_async=is_async)
    (folder / "once.py").write_text(text, encoding="utf-8")
    path = folder / "work.py"
    case = _CASES[code]
    path.write_text(_as_async(case) if is_async else case, encoding="utf-8")
    assert code in _codes(tmp_path)
    result = _fixed(tmp_path, path)
    name = "checkpoint" if operation == "OP-8" else "run_once"
    assert f"from {layout + '.' if layout else ''}once import {name}\n" in result
    assert f"{name}(" in result
    assert _codes(tmp_path) == []
    assert _fixed(tmp_path, path) == result


@pytest.mark.parametrize("code", _CASES)
def test_without_the_module_nothing_is_imported(tmp_path: Path, code: str) -> None:
    path = tmp_path / "work.py"
    path.write_text(_CASES[code], encoding="utf-8")
    assert "once" not in _fixed(tmp_path, path).replace("fetchone", "")


def test_an_async_module_is_nothing_for_a_plain_function(tmp_path: Path) -> None:
    text = module_text("OP-2", "sqlite", is_async=True)
    (tmp_path / "once.py").write_text(text, encoding="utf-8")
    path = tmp_path / "work.py"
    path.write_text(_NO_KEY, encoding="utf-8")
    assert "def claim(" in _fixed(tmp_path, path)


def test_a_file_with_dots_gets_dots(tmp_path: Path) -> None:
    for name, text in {
        "__init__.py": "",
        "names.py": "HOST = 'localhost'\n",
        "once.py": module_text("OP-2", "sqlite", is_async=False),
        "work.py": _NO_KEY.replace("\nmcp =", "\nfrom .names import HOST\n\nmcp =", 1),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = _fixed(tmp_path, tmp_path / "work.py")
    assert "from .names import HOST\nfrom .once import run_once\n" in result


def _fixed_beside_module(folder: Path, body: str) -> str:
    """What the fixes make of a tool with this body, which has the module beside it."""
    text = module_text("OP-2", "sqlite", is_async=False)
    (folder / "once.py").write_text(text, encoding="utf-8")
    path = folder / "work.py"
    head = _NO_KEY.partition("    with ")[0].replace(") -> str:", "):")
    path.write_text(head + body, encoding="utf-8")
    return _fixed(folder, path)


@pytest.mark.parametrize(
    "body",
    [
        "    for number in range(3):\n        smtplib.SMTP('h').sendmail('a', to, body)\n",
        "    smtplib.SMTP('h').sendmail('a', to, body)\n    return smtplib.SMTP('h')\n",
        "    smtplib.SMTP('h').sendmail('a', to, body)\n    body = body + '!'\n",
    ],
    ids=["loop", "no JSON", "rebound"],
)
def test_what_cannot_stand_apart_is_claimed(tmp_path: Path, body: str) -> None:
    result = _fixed_beside_module(tmp_path, body)
    assert "def claim(" in result
    assert "run_once" not in result
    assert _codes(tmp_path) == []


def test_what_is_bound_before_the_effect_stays_before(tmp_path: Path) -> None:
    body = "    body = body + '!'\n    smtplib.SMTP('h').sendmail('a', to, body)\n"
    result = _fixed_beside_module(tmp_path, body)
    assert "    body = body + '!'\n\n    def act():\n" in result
    assert _codes(tmp_path) == []


def test_rows_that_statements_share_are_left(tmp_path: Path) -> None:
    body = "    text = '''a\nb'''; smtplib.SMTP('h').sendmail('a', to, body)\n"
    result = _fixed_beside_module(tmp_path, body)
    assert result.endswith(body)
    assert "run_once" not in result
    assert _codes(tmp_path) == ["IDM401"]


_STUBS = {
    "fastmcp": "class FastMCP:\n    def __init__(self, name): pass\n    def tool(self, f): return f\n",
    "smtplib": (
        "class SMTP:\n"
        "    def __init__(self, host): pass\n"
        "    def __enter__(self): return self\n"
        "    def __exit__(self, *_): pass\n"
        "    def sendmail(self, *mail): print('sent', *mail)\n"
    ),
}
_TWICE = """
import asyncio, inspect
from work import send_note
def run():
    done = send_note(to="a@example.org", body="x", idempotency_key="k")
    return asyncio.run(done) if inspect.iscoroutine(done) else done
print(run())
print(run())
"""


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("operation", ["OP-2", "OP-5", "OP-7", "OP-8"])
def test_two_calls_with_one_key_act_once(tmp_path: Path, operation: str, is_async: bool) -> None:
    text = module_text(operation, "sqlite", is_async=is_async)
    (tmp_path / "once.py").write_text(text, encoding="utf-8")
    path = tmp_path / "work.py"
    path.write_text(_as_async(_NO_KEY) if is_async else _NO_KEY, encoding="utf-8")
    _fixed(tmp_path, path)
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for name, code in _STUBS.items():
        (stubs / f"{name}.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _TWICE],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, stubs)))},
    )
    assert done.stdout.splitlines() == [
        "sent us@example.org a@example.org x",
        "sent to a@example.org",
        "sent to a@example.org",
    ]


def test_each_folder_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "once.py").write_text(module_text("OP-2", "sqlite", is_async=False))
    (tmp_path / "work.py").write_text("x = 1\n")
    program = Program()
    importer = program.module(tmp_path / "work.py")
    assert importer is not None
    assert [module.name for module in program.marked(MARK, importer)] == ["once"]
    monkeypatch.setattr(program, "_begins", None)
    assert [module.name for module in program.marked(MARK, importer)] == ["once"]

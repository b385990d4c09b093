"""Where a key goes: what uses it, what stands in for it, what demands it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from idemlint.knowledge.facts import Knowledge
from idemlint.knowledge.signals import Signals
from idemlint.model.model import Model
from idemlint.model.program import Program
from idemlint.model.selection import Places, Selection
from idemlint.source.gate import Gate

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.model.key_paths import KeyPath

_HEAD = """
import functools, hashlib, logging
import requests
from fastmcp import FastMCP

log = logging.getLogger("x")
mcp = FastMCP("x")

def drop(text, key): return requests.post("https://x.example.com", json={"t": text})
def send(text, key=None):
    headers = {}
    if key:
        headers["Idempotency-Key"] = key
    return requests.post("https://x.example.com", json={"t": text}, headers=headers)
def need(key):
    if not key:
        raise ValueError("key")
    return key
def make(key): return key or hashlib.sha256(b"x").hexdigest()
class Box:
    def __init__(self, key): self.key = key

@mcp.tool
def tool(text: str, key_holder: str = "", idempotency_key: str = "") -> object:
"""


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge()


def path_of(body: str, knowledge: Knowledge, folder: Path) -> KeyPath:
    """What becomes of the key of a tool with this body."""
    rows = "".join(f"    {row}\n" for row in body.splitlines())
    file = folder / "server.py"
    file.write_text(_HEAD + rows)
    signals = Signals(knowledge)
    gate = Gate(signals.texts, signals.makers, signals.companions, signals.writing)
    selection = Selection(signals, {str(file): gate.look(file.read_bytes())})
    names = selection.names()
    program = Program(source_folders=(), libraries=knowledge.libraries, unsaved=None)
    model = Model(program, knowledge, names, Places(signals, names))
    module = program.module(file)
    assert module is not None
    (entry,) = model.entries.of(module)
    (parameter,) = model.entries.key_parameters(entry)
    return model.key_paths.of(entry, parameter)


@pytest.mark.parametrize(
    "body",
    [
        "return requests.post('https://x.example.com', headers={'K': idempotency_key})",
        "return send(text, idempotency_key)",
        "body = {'t': text}\nbody['k'] = idempotency_key\nreturn send(body)",
        "body = [text]\nbody.append(f'{idempotency_key}')\nreturn send(body)",
        "if idempotency_key in SEEN:\n    return 'old'\nreturn send(text)",
        "with guard(idempotency_key):\n    return send(text)",
        "return send(Box(idempotency_key))",
        "return send(**locals())",
        "def inner():\n    return send(text, idempotency_key)\nreturn inner()",
        "cache[idempotency_key] = 1\nreturn send(text)",
    ],
)
def test_key_arrives(body: str, knowledge: Knowledge, tmp_path: Path) -> None:
    assert path_of(body, knowledge, tmp_path).arrives


@pytest.mark.parametrize(
    "body",
    [
        "return send(text)",
        "log.info('sending %s', idempotency_key)\nreturn send(text)",
        "print(f'sending {idempotency_key}')\nreturn send(text)",
        "if not idempotency_key:\n    raise ValueError(idempotency_key)\nreturn send(text)",
        "send(text)\nreturn {'key': idempotency_key}",
        "key = idempotency_key.strip()\nsend(text)\nresult = {'key': key}\nreturn result",
        "return drop(text, idempotency_key)",
        "key = need(idempotency_key)\nreturn drop(text, key=key)",
        "assert len(idempotency_key) > 8\nreturn send(text)",
    ],
)
def test_key_goes_nowhere(body: str, knowledge: Knowledge, tmp_path: Path) -> None:
    assert not path_of(body, knowledge, tmp_path).arrives


@pytest.mark.parametrize(
    ("body", "is_replaced"),
    [
        ("return send(text, idempotency_key or make(''))", True),
        ("return send(text, make(idempotency_key))", True),
        ("if not idempotency_key:\n    idempotency_key = make('')\nreturn send(text)", True),
        ("key = idempotency_key if idempotency_key else make('')\nreturn send(text, key)", True),
        ("return send(text, idempotency_key or '')", False),
        ("idempotency_key = idempotency_key.strip()\nreturn send(text, idempotency_key)", False),
        ("h = {'K': idempotency_key} if idempotency_key else {}\nreturn send(h)", False),
    ],
)
def test_stand_in(body: str, is_replaced: bool, knowledge: Knowledge, tmp_path: Path) -> None:
    assert path_of(body, knowledge, tmp_path).is_replaced is is_replaced


@pytest.mark.parametrize(
    ("body", "is_demanded"),
    [
        ("if not idempotency_key:\n    raise ValueError('key')\nreturn send(text)", True),
        ("if not text or idempotency_key is None:\n    return 'no key'\nreturn send(text)", True),
        ("assert idempotency_key\nreturn send(text)", True),
        ("if not (idempotency_key and text):\n    return ''\nreturn send(text)", True),
        ("if not text or not idempotency_key:\n    return ''\nreturn send(text)", True),
        ("return send(text, need(idempotency_key))", True),
        ("if len(idempotency_key) < 8:\n    raise ValueError('key')\nreturn send(text)", True),
        ("if not idempotency_key:\n    return send(text)\nreturn send(text, '')", False),
        ("if not idempotency_key:\n    log.info('no key')\nreturn send(text)", False),
        ("body = {'k': idempotency_key}\nif not body:\n    return ''\nreturn send(body)", False),
    ],
)
def test_demand(body: str, is_demanded: bool, knowledge: Knowledge, tmp_path: Path) -> None:
    assert path_of(body, knowledge, tmp_path).is_demanded is is_demanded

"""OP-8: a checkpoint before the call lets a repeat know of it, also after a crash."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Pages
    from endpoint import Provider

ARGS = {"number": "123"}


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def store(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name == "PostgreSQL":
        request.getfixturevalue("postgres")
    return name


@pytest.fixture
def block(store: str, pages: Pages) -> Any:
    module = pages.load("OP-8", store)
    if hasattr(module, "create_table"):
        module.create_table()
    return module


def send(block: Any, sent: list[str], args: dict[str, str] = ARGS) -> tuple[bool, Any]:
    with block.checkpoint("key", args) as call:
        if not call.was_replay:
            sent.append("text")
            call.result = f"text-{len(sent)}"
    return call.was_replay, call.result


def test_a_repeat_has_the_result_and_sends_nothing(block: Any) -> None:
    sent: list[str] = []
    assert send(block, sent) == (False, "text-1")
    assert send(block, sent) == (True, "text-1")
    with pytest.raises(ValueError, match="other arguments"):
        send(block, sent, {"number": "456"})
    assert sent == ["text"]


def test_a_block_that_fails_is_in_doubt(block: Any) -> None:
    sent: list[str] = []
    with pytest.raises(ConnectionResetError), block.checkpoint("key", ARGS):
        sent.append("text")
        raise ConnectionResetError
    with pytest.raises(RuntimeError, match="in doubt"):
        send(block, sent)
    assert sent == ["text"]


def test_a_repeat_within_the_block_is_in_doubt(block: Any) -> None:
    sent: list[str] = []
    with block.checkpoint("key", ARGS), pytest.raises(RuntimeError, match="in doubt"):
        send(block, sent)
    assert sent == []


CALL = """
def act():
    with open("log", "a") as log:
        log.write("sent\\n")
with block.checkpoint("key", {{"number": "123"}}) as call:
    {body}
{behind}
"""
WINDOWS = {
    "before the block": ("die()", "acts", 1),
    "before the effect": (CALL.format(body="die()", behind=""), "fails", 0),
    "after the effect": (CALL.format(body="act(); die()", behind=""), "fails", 1),
    "after the block": (CALL.format(body="call.result = act()", behind="die()"), "replays", 1),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_no_crash_leads_to_a_second_effect(
    window: str, block: Any, store: str, pages: Pages, tmp_path: Path
) -> None:
    script, outcome, effects = WINDOWS[window]
    pages.crash("OP-8", store, script)
    sent: list[str] = []
    if outcome == "fails":
        with pytest.raises(RuntimeError, match="in doubt"):
            send(block, sent)
    else:
        assert send(block, sent)[0] is (outcome == "replays")
    log = tmp_path / "log"
    before = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    assert len(before) + len(sent) == effects


# The module that `idemlint scaffold` writes.


@pytest.fixture
def tool(pages: Pages, provider: Provider, scaffold: Any) -> Any:
    pytest.importorskip("httpx")
    provider.honours_keys = False
    scaffold("OP-8", "checkpoints")
    return pages.load("OP-8", "The module")


def test_the_tool_of_the_page_sends_once(tool: Any, provider: Provider) -> None:
    first = tool.send_text("123", "hello", "key")
    assert tool.send_text("123", "hello", "key") == first
    assert len(provider.effects) == 1


@pytest.mark.parametrize(("trouble", "effects"), [("lost_answers", 1), ("refusals", 0)])
def test_the_job_of_the_page_settles_what_failed(
    trouble: str,
    effects: int,
    tool: Any,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setattr(provider, trouble, 1)
    with pytest.raises(tool.httpx.HTTPError):
        tool.send_text("123", "hello", "key")
    assert len(provider.effects) == effects
    assert tool.settle() == []
    with pytest.raises(Exception, match="has not ended"):
        tool.send_text("123", "hello", "key")
    with monkeypatch.context() as patched:
        patched.setattr(tool, "timedelta", lambda minutes: timedelta(0))
        assert tool.settle() == []
    assert tool.send_text("123", "hello", "key")["id"] == "id-1"
    assert len(provider.effects) == 1

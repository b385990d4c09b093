"""OP-7, with real clients and servers of MCP: the key is required, and a repeat acts on nothing."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pages
    from endpoint import Provider

FORMS = {"FastMCP": "fastmcp", "MCP Python SDK": "mcp.server.mcpserver"}
MESSAGE = {"channel": "general", "text": "hello"}
KEY = "message-1"


@pytest.fixture(params=FORMS)
def heading(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    pytest.importorskip(FORMS[name])
    return name


@pytest.fixture
def load(heading: str, pages: Pages, provider: Provider, scaffold: Any) -> Any:
    """A function that starts the server anew, on the records that are there."""
    provider.honours_keys = False

    def start() -> Any:
        if heading != "FastMCP":
            scaffold("OP-7", "window")
        return pages.load("OP-7", heading)

    return start


def session(block: Any) -> Any:
    """A client of the server, in this process."""
    if hasattr(block, "mcp"):
        from fastmcp import Client

        return Client(block.mcp)
    from mcp.client.client import Client as SdkClient

    return SdkClient(block.server)


async def call_in(client: Any, **arguments: str) -> tuple[bool, Any]:
    """Whether the call failed, and what it returned."""
    if type(client).__module__.startswith("fastmcp"):
        result = await client.call_tool("post_message", arguments, raise_on_error=False)
    else:
        result = await client.call_tool("post_message", arguments)
    text = "".join(part.text for part in result.content)
    return result.is_error, text if result.is_error else json.loads(text)


def call(block: Any, **arguments: str) -> tuple[bool, Any]:
    async def run() -> tuple[bool, Any]:
        async with session(block) as client:
            return await call_in(client, **arguments)

    return asyncio.run(run())


def do_not_wait(block: Any) -> None:
    """Let the module of the scaffold refuse at once."""
    if hasattr(block, "run_once"):
        block.run_once.__kwdefaults__["wait_seconds"] = 0.0


def schema(block: Any) -> dict[str, Any]:
    async def run() -> Any:
        async with session(block) as client:
            listed = await client.list_tools()
            (tool,) = listed if isinstance(listed, list) else listed.tools
            return tool.model_dump(by_alias=True)["inputSchema"]

    found = asyncio.run(run())
    assert isinstance(found, dict)
    return found


def test_the_schema_requires_the_key_and_says_what_it_is_for(load: Any) -> None:
    found = schema(load())
    assert "idempotency_key" in found["required"]
    described = found["properties"]["idempotency_key"]
    assert described["minLength"] == 8
    assert "Send the same key again" in described["description"]


def test_a_call_without_a_key_is_refused(load: Any, provider: Provider) -> None:
    for arguments in (MESSAGE, {**MESSAGE, "idempotency_key": "1"}):
        is_error, _ = call(load(), **arguments)
        assert is_error
    assert provider.effects == []


def test_a_repeat_posts_nothing_and_says_so(load: Any, provider: Provider) -> None:
    block = load()
    _, first = call(block, **MESSAGE, idempotency_key=KEY)
    _, again = call(block, **MESSAGE, idempotency_key=KEY)
    assert (first["was_replay"], again["was_replay"]) == (False, True)
    assert first["result"] == again["result"]
    assert len(provider.effects) == 1
    call(block, **MESSAGE, idempotency_key="message-2")
    assert len(provider.effects) == 2


def test_a_restart_of_the_server_forgets_nothing(load: Any, provider: Provider) -> None:
    call(load(), **MESSAGE, idempotency_key=KEY)
    _, again = call(load(), **MESSAGE, idempotency_key=KEY)
    assert again["was_replay"] is True
    assert len(provider.effects) == 1


def test_other_arguments_under_the_key_are_an_error(load: Any, provider: Provider) -> None:
    block = load()
    call(block, **MESSAGE, idempotency_key=KEY)
    is_error, text = call(block, channel="general", text="bye", idempotency_key=KEY)
    assert is_error
    assert "other arguments" in text
    assert len(provider.effects) == 1


def test_a_lost_answer_of_the_provider_is_not_sent_again(load: Any, provider: Provider) -> None:
    block = load()
    do_not_wait(block)
    provider.lost_answers = 1
    is_error, _ = call(block, **MESSAGE, idempotency_key=KEY)
    assert is_error
    is_error, text = call(block, **MESSAGE, idempotency_key=KEY)
    assert is_error
    assert "has not ended" in text or "may have happened" in text
    assert len(provider.effects) == 1


def test_two_sessions_at_once_post_once(
    load: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = load()
    post = block.httpx.post

    def slow(*given: Any, **options: Any) -> Any:
        time.sleep(0.2)
        return post(*given, **options)

    monkeypatch.setattr(block.httpx, "post", slow)

    async def run() -> list[tuple[bool, Any]]:
        async with session(block) as one, session(block) as other:
            calls = (call_in(client, **MESSAGE, idempotency_key=KEY) for client in (one, other))
            return list(await asyncio.gather(*calls))

    results = asyncio.run(run())
    assert len(provider.effects) == 1
    assert [is_error for is_error, _ in results].count(False) >= 1


def test_after_the_window_the_key_acts_again(load: Any, provider: Provider) -> None:
    block = load()
    call(block, **MESSAGE, idempotency_key=KEY)
    if hasattr(block, "WINDOW_SECONDS"):
        block.WINDOW_SECONDS = 0
    else:
        import window

        window.WINDOW *= 0
    _, again = call(block, **MESSAGE, idempotency_key=KEY)
    assert again["was_replay"] is False
    assert len(provider.effects) == 2


@pytest.mark.parametrize("name", FORMS)
def test_a_server_that_dies_leaves_a_call_in_doubt(
    name: str, pages: Pages, provider: Provider, scaffold: Any
) -> None:
    pytest.importorskip(FORMS[name])
    provider.honours_keys = False
    scaffold("OP-7", "window")
    call_it = f"block.post_message(**{MESSAGE}, idempotency_key={KEY!r})"
    pages.crash("OP-7", name, f"block.httpx.Response.raise_for_status = die\n{call_it}")
    assert len(provider.effects) == 1
    again = pages.load("OP-7", name)
    do_not_wait(again)
    is_error, text = call(again, **MESSAGE, idempotency_key=KEY)
    assert is_error
    assert "has not ended" in text or "may have happened" in text
    assert len(provider.effects) == 1


def test_a_schema_written_by_hand_refuses_a_call_without_a_key(pages: Pages) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    tool = pages.load("OP-7", "A schema written by hand").POST_MESSAGE
    validator = jsonschema.Draft202012Validator(tool["inputSchema"])
    assert validator.is_valid({**MESSAGE, "idempotency_key": KEY})
    assert not validator.is_valid(MESSAGE)
    assert not validator.is_valid({**MESSAGE, "idempotency_key": "1"})

"""Tools that a model calls again, as it saw no answer: the servers, clients and loops are real."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from conftest import Replay


def arguments(schema: Mapping[str, Any], intent: str, **known: object) -> dict[str, object]:
    """What a model sends that reads the schema: one key for all calls of one intent."""
    keys = {name: f"key-of-{intent}" for name in schema["required"] if name not in known}
    assert keys.keys() <= {"idempotency_key"}
    return {**known, **keys}


def test_client_of_mcp_calls_again(replay: Replay) -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="mcp 2 is not installed")
    from mcp.client.client import Client

    async def call_until_it_works(module: ModuleType, intent: str) -> None:
        async with Client(module.server) as client:
            (tool,) = (await client.list_tools()).tools
            given = arguments(tool.input_schema, intent, account=intent, cents=500)
            assert (await client.call_tool(tool.name, given)).is_error
            assert not (await client.call_tool(tool.name, given)).is_error

    def drive(module: ModuleType, intent: str) -> None:
        replay.provider.lost_answers = 1
        asyncio.run(call_until_it_works(module, intent))

    replay.prove("IDM101", "tool_with_a_new_key", drive, framework="mcp")


def test_client_of_fastmcp_calls_again_after_a_timeout(replay: Replay) -> None:
    pytest.importorskip("fastmcp", reason="fastmcp is not installed")
    pytest.importorskip("stripe", reason="stripe is not installed")
    from fastmcp import Client

    async def call_until_it_works(module: ModuleType, intent: str) -> None:
        async with Client(module.mcp) as client:
            (tool,) = await client.list_tools()
            given = arguments(tool.input_schema, intent, customer=intent, cents=500)
            with pytest.raises(Exception, match=r"(?i)timed? ?out"):
                await client.call_tool(tool.name, given, timeout=3)
            replay.provider.released.set()
            await client.call_tool(tool.name, given)

    def drive(module: ModuleType, intent: str) -> None:
        replay.provider.late_answers = 1
        replay.provider.released.clear()
        asyncio.run(call_until_it_works(module, intent))

    replay.prove("IDM401", "tool_without_a_key", drive, framework="fastmcp")


def run_of_agent(replay: Replay, tool: Any, intent: str, **known: str) -> None:
    """Let a scripted model call a tool twice, as the first answer is lost."""
    from agents import Agent, Runner, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    set_tracing_disabled(True)
    given = json.dumps(arguments(tool.params_json_schema, intent, **known))
    calls = [[function_call(tool.name, given, call_id=f"call_{intent}_{n}")] for n in (1, 2)]
    model = ScriptedModel([*calls, [assistant_message("done")]])
    replay.provider.lost_answers = 1
    asyncio.run(Runner.run(Agent("clerk", model=model, tools=[tool]), "do it"))


def test_agent_calls_again_after_a_failure(replay: Replay) -> None:
    pytest.importorskip("agents", reason="openai-agents is not installed")
    pytest.importorskip("stripe", reason="stripe is not installed")

    def drive(module: ModuleType, intent: str) -> None:
        run_of_agent(replay, module.refund, intent, charge=intent)

    replay.prove("IDM102", "tool_with_a_clock_key", drive, framework="openai-agents")


def test_agent_calls_again_where_no_key_is_taken(
    replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("agents", reason="openai-agents is not installed")
    monkeypatch.setenv("IDEMPOTENCY_DATABASE", str(tmp_path / "claims.sqlite3"))
    replay.provider.honours_keys = False

    def drive(module: ModuleType, intent: str) -> None:
        run_of_agent(replay, module.send_letter, intent, recipient=intent)

    replay.prove("IDM401", "tool_that_nothing_stops", drive, framework="openai-agents")


def test_model_calls_again_with_another_id(replay: Replay) -> None:
    pytest.importorskip("langchain", reason="langchain is not installed")
    pytest.importorskip("stripe", reason="stripe is not installed")
    from langchain.agents import create_agent
    from langchain.agents.middleware import wrap_tool_call
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: object, **options: object) -> Model:
            return self

    @wrap_tool_call
    def told(request: Any, handler: Any) -> ToolMessage:
        """Tell the model of a failure."""
        try:
            return handler(request)
        except Exception as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")

    def drive(module: ModuleType, intent: str) -> None:
        tool = module.pay_out
        schema = tool.tool_call_schema.model_json_schema()
        given = arguments(schema, intent, account=intent, cents=500)
        calls = [
            AIMessage(
                "", tool_calls=[{"name": tool.name, "args": given, "id": f"call_{n}_{intent}"}]
            )
            for n in (1, 2)
        ]
        model = Model(messages=iter([*calls, AIMessage("done")]))
        replay.provider.lost_answers = 1
        create_agent(model, [tool], middleware=[told]).invoke({"messages": [("user", "pay")]})

    replay.prove("IDM105", "tool_keyed_by_its_call", drive, framework="langchain")

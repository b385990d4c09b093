"""Nodes of LangGraph that are run again: after a failure, by a policy, and behind a pause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("langgraph", reason="langgraph is not installed")
pytest.importorskip("stripe", reason="stripe is not installed")

import httpx
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

if TYPE_CHECKING:
    from types import ModuleType

    from conftest import Replay


def compiled(module: ModuleType) -> Any:
    return module.builder.compile(checkpointer=InMemorySaver())


def thread(intent: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": intent}}


def test_policy_runs_a_node_again(replay: Replay) -> None:
    def drive(module: ModuleType, intent: str) -> None:
        replay.provider.lost_answers = 1
        compiled(module).invoke({"seller": "acct_1", "cents": 500}, thread(intent))

    replay.prove("IDM101", "node_retried_with_a_new_key", drive, framework="langgraph")


def test_answer_runs_a_node_again(replay: Replay) -> None:
    def drive(module: ModuleType, intent: str) -> None:
        graph = compiled(module)
        graph.invoke({"title": intent}, thread(intent))
        assert graph.invoke(Command(resume="red"), thread(intent))["cover"] == "red"

    replay.prove("IDM201", "node_that_acts_and_asks", drive, framework="langgraph")


def test_graph_goes_on_after_a_failure(replay: Replay) -> None:
    def drive(module: ModuleType, intent: str) -> None:
        graph = compiled(module)
        replay.provider.lost_answers = 1
        with pytest.raises(Exception, match="Unexpected error"):
            graph.invoke({"charge": intent}, thread(intent))
        graph.invoke(None, thread(intent))

    replay.prove("IDM202", "node_that_makes_a_missing_key", drive, framework="langgraph")


def test_guest_orders_again_who_was_not_asked(replay: Replay) -> None:
    def drive(module: ModuleType, intent: str) -> None:
        graph = compiled(module)
        asked = graph.invoke({"table": intent}, thread(intent))
        answer: Any = Command(resume="fish") if "__interrupt__" in asked else {"table": intent}
        graph.invoke(answer, thread(intent))

    replay.prove("IDM203", "node_that_swallows_the_pause", drive, framework="langgraph")


def test_report_is_filed_again_after_a_failure(
    replay: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    moto = pytest.importorskip("moto", reason="moto is not installed")
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")

    def drive(module: ModuleType, intent: str) -> None:
        graph = compiled(module)
        replay.provider.lost_answers = 1
        with pytest.raises(httpx.RemoteProtocolError):
            graph.invoke({"title": intent}, thread(intent))
        graph.invoke(None, thread(intent))

    with moto.mock_aws():
        bucket = boto3.resource("s3").create_bucket(Bucket="files")
        replay.prove(
            "IDM103",
            "node_that_files_under_a_new_name",
            drive,
            framework="langgraph",
            effects=lambda _: len(list(bucket.objects.all())),
        )

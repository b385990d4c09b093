"""OP-6, in the real LangGraph: the key is the same in every run of the node, or it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Pages
    from endpoint import Provider

httpx = pytest.importorskip("httpx")
types = pytest.importorskip("langgraph.types", reason="LangGraph is not installed")

EARLIER, COMPUTED, TASK = (
    "A key from an earlier node",
    "A key computed from stable values",
    "A key from a task in an entrypoint",
)
MAIL = {"to": "ada", "body": "hello"}
APPROVED = types.Command(resume="approve")


def thread(name: str = "1") -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


@pytest.fixture(params=[EARLIER, COMPUTED, TASK])
def heading(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def app(heading: str, pages: Pages, provider: Provider) -> Any:
    return compiled(pages.load("OP-6", heading))


def compiled(block: Any, checkpointer: Any = None) -> Any:
    build = block.workflow if hasattr(block, "workflow") else block.graph
    return build(checkpointer)


def test_nothing_is_sent_before_the_answer(app: Any, provider: Provider) -> None:
    app.invoke(MAIL, thread())
    assert provider.effects == []
    app.invoke(types.Command(resume="no"), thread())
    assert provider.effects == []


def test_an_approved_mail_is_sent_once(app: Any, provider: Provider) -> None:
    app.invoke(MAIL, thread())
    app.invoke(APPROVED, thread())
    assert len(provider.keys) == len(provider.effects) == 1


def test_a_run_that_failed_behind_the_send_sends_under_the_same_key(
    app: Any, provider: Provider
) -> None:
    provider.lost_answers = 1
    app.invoke(MAIL, thread())
    with pytest.raises(httpx.TransportError):
        app.invoke(APPROVED, thread())
    app.invoke(None, thread())
    assert len(provider.keys) == 2
    assert len({*provider.keys}) == 1
    assert None not in provider.keys
    assert len(provider.effects) == 1


def test_two_threads_send_two_mails(app: Any, provider: Provider) -> None:
    for name in ("1", "2"):
        app.invoke(MAIL, thread(name))
        app.invoke(APPROVED, thread(name))
    assert len({*provider.keys}) == len(provider.effects) == 2


RESUME_AND_DIE = """
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
block.httpx.Response.raise_for_status = die
with SqliteSaver.from_conn_string("checkpoints.sqlite3") as saver:
    app = (block.workflow if hasattr(block, "workflow") else block.graph)(saver)
    app.invoke(Command(resume="approve"), {"configurable": {"thread_id": "1"}})
"""


def test_the_key_outlives_a_process_that_dies_behind_the_send(
    heading: str, pages: Pages, provider: Provider
) -> None:
    sqlite = pytest.importorskip("langgraph.checkpoint.sqlite")
    block = pages.load("OP-6", heading)
    with sqlite.SqliteSaver.from_conn_string(str(pages.folder / "checkpoints.sqlite3")) as saver:
        compiled(block, saver).invoke(MAIL, thread())
    pages.crash("OP-6", heading, RESUME_AND_DIE)
    assert len(provider.effects) == 1
    with sqlite.SqliteSaver.from_conn_string(str(pages.folder / "checkpoints.sqlite3")) as saver:
        compiled(block, saver).invoke(None, thread())
    assert len(provider.keys) == 2
    assert len({*provider.keys}) == len(provider.effects) == 1


def test_under_a_retry_policy_the_key_from_an_earlier_node_stays(
    pages: Pages, provider: Provider
) -> None:
    assert keys_under_a_retry_policy(pages.load("OP-6", EARLIER), provider) == 1
    assert len(provider.effects) == 1


def keys_under_a_retry_policy(block: Any, provider: Provider) -> int:
    """How many keys three runs of the node send."""
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph

    policy = types.RetryPolicy(max_attempts=3, initial_interval=0.01, retry_on=httpx.TransportError)
    builder = StateGraph(block.State)
    names = [name for name in ("plan", "send") if hasattr(block, name)]
    for name in names:
        builder.add_node(name, getattr(block, name), retry_policy=policy)
    for source, target in zip([START, *names], [*names, END], strict=True):
        builder.add_edge(source, target)
    app = builder.compile(checkpointer=InMemorySaver())
    provider.lost_answers = 2
    app.invoke(MAIL, thread())
    app.invoke(APPROVED, thread())
    assert len(provider.keys) == 3
    return len({*provider.keys})


# What is not guaranteed.


def test_a_caller_who_starts_again_gets_another_key_unless_the_input_holds_it(
    pages: Pages, provider: Provider
) -> None:
    app = compiled(pages.load("OP-6", EARLIER))
    for _ in range(2):
        app.invoke({**MAIL, "mail_key": ""}, thread())
        app.invoke(APPROVED, thread())
    assert len({*provider.keys}) == len(provider.effects) == 2
    for _ in range(2):
        app.invoke({**MAIL, "mail_key": "the caller's"}, thread())
        app.invoke(APPROVED, thread())
    assert provider.keys[2:] == ["the caller's"] * 2
    assert len(provider.effects) == 3


def test_a_task_is_run_again_when_the_caller_starts_again(pages: Pages, provider: Provider) -> None:
    app = compiled(pages.load("OP-6", TASK))
    for _ in range(2):
        app.invoke(MAIL, thread())
        app.invoke(APPROVED, thread())
    assert len({*provider.keys}) == len(provider.effects) == 2


def test_the_computed_key_is_the_same_when_the_caller_starts_again(
    pages: Pages, provider: Provider
) -> None:
    app = compiled(pages.load("OP-6", COMPUTED))
    for body in ("hello", "hello", "bye"):
        app.invoke({"to": "ada", "body": body}, thread())
        app.invoke(APPROVED, thread())
    assert provider.keys[0] == provider.keys[1] != provider.keys[2]
    assert len(provider.effects) == 2


@pytest.fixture
def short_form(pages: Pages, provider: Provider) -> Any:
    return pages.load("OP-6", "Not this")


def test_the_short_form_sends_two_mails_when_it_fails_behind_the_send(
    short_form: Any, provider: Provider
) -> None:
    app = compiled(short_form)
    provider.lost_answers = 1
    app.invoke(MAIL, thread())
    with pytest.raises(httpx.TransportError):
        app.invoke(APPROVED, thread())
    app.invoke(None, thread())
    assert len({*provider.keys}) == len(provider.effects) == 2


def test_the_attempts_of_a_retry_policy_see_what_the_short_form_assigned(
    short_form: Any, provider: Provider
) -> None:
    assert keys_under_a_retry_policy(short_form, provider) == 1
    assert len(provider.effects) == 1


def test_what_the_short_form_assigns_does_not_survive_the_pause(
    short_form: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    send = short_form.send

    def watched(state: Any) -> Any:
        seen.append(state.get("mail_key"))
        return send(state)

    monkeypatch.setattr(short_form, "send", watched)
    app = compiled(short_form)
    app.invoke(MAIL, thread())
    app.invoke(types.Command(resume="no"), thread())
    assert seen == [None, None]

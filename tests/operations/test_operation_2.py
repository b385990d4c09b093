"""OP-2: one effect for each key, in every window that a crash can hit."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Pages
    from endpoint import Provider

ARGS = {"to": "ada"}
STORES = ("SQLite", "PostgreSQL", "Redis", "DynamoDB")
NEEDS = {"PostgreSQL": "postgres", "Redis": "redis_store", "DynamoDB": "dynamodb"}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name in NEEDS:
        request.getfixturevalue(NEEDS[name])
    return name


@pytest.fixture
def block(store: str, pages: Pages) -> Any:
    module = pages.load("OP-2", store)
    if hasattr(module, "create_table"):
        module.create_table()
    return module


class Effect:
    """An effect that is counted."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        return self.count


def test_a_repeat_gets_the_result_as_a_replay(block: Any) -> None:
    effect = Effect()
    assert block.run_once("key", ARGS, effect) == {"result": 1, "was_replay": False}
    assert block.run_once("key", ARGS, effect) == {"result": 1, "was_replay": True}
    assert block.run_once("other key", ARGS, effect) == {"result": 2, "was_replay": False}
    assert effect.count == 2


def test_other_arguments_are_an_error_and_do_nothing(block: Any) -> None:
    effect = Effect()
    block.run_once("key", ARGS, effect)
    with pytest.raises(ValueError, match="other arguments"):
        block.run_once("key", {"to": "bob"}, effect)
    assert effect.count == 1


def test_an_effect_without_an_end_is_not_repeated(block: Any) -> None:
    effect = Effect()

    def and_fail() -> None:
        effect()
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        block.run_once("key", ARGS, and_fail)
    with pytest.raises(RuntimeError, match="in doubt"):
        block.run_once("key", ARGS, effect)
    assert effect.count == 1


def test_of_eight_calls_at_once_one_acts(block: Any) -> None:
    effect, together = Effect(), threading.Barrier(8)

    def call(_: int) -> bool:
        together.wait()
        try:
            return not block.run_once("key", ARGS, effect)["was_replay"]
        except RuntimeError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(call, range(8))) == 1
    assert effect.count == 1


WINDOWS = {
    "before the claim": ("die()", "acts", 1),
    "before the effect": ("block.run_once('key', {'to': 'ada'}, die)", "refuses", 0),
    "after the effect": (
        "block.run_once('key', {'to': 'ada'}, lambda: act() or die())",
        "refuses",
        1,
    ),
    "after the record": ("block.run_once('key', {'to': 'ada'}, act); die()", "replays", 1),
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("store", ["SQLite", "PostgreSQL", "Redis"], indirect=True)
def test_no_crash_leads_to_a_second_effect(
    window: str, block: Any, store: str, pages: Pages, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    script, outcome, effects = WINDOWS[window]
    act = f"act = lambda: open({str(log)!r}, 'a').write('sent\\n') and None\n"
    pages.crash("OP-2", store, act + script)

    def send() -> str:
        with log.open("a", encoding="utf-8") as stream:
            stream.write("sent\n")
        return "sent"

    if outcome == "refuses":
        with pytest.raises(RuntimeError, match="in doubt"):
            block.run_once("key", ARGS, send)
    else:
        is_replay = outcome == "replays"
        assert block.run_once("key", ARGS, send)["was_replay"] is is_replay
    sent = log.read_text(encoding="utf-8") if log.exists() else ""
    assert sent == "sent\n" * effects


# Several writes in one transaction.

TRANSFER = "PostgreSQL, several writes in one transaction"


@pytest.fixture
def bank(pages: Pages, postgres: str) -> Any:
    import psycopg

    module = pages.load("OP-2", TRANSFER)
    module.create_tables()
    with psycopg.connect(postgres) as database:
        database.execute("INSERT INTO accounts VALUES ('ada', 100), ('bob', 0)")
    return module


def balances(dsn: str) -> dict[str, int]:
    import psycopg

    with psycopg.connect(dsn) as database:
        return dict(database.execute("SELECT name, cents FROM accounts").fetchall())


def test_record_and_writes_are_one(bank: Any, postgres: str) -> None:
    assert bank.transfer("ada", "bob", 30, "key") == {"was_replay": False}
    assert bank.transfer("ada", "bob", 30, "key") == {"was_replay": True}
    with pytest.raises(ValueError, match="other arguments"):
        bank.transfer("ada", "bob", 40, "key")
    assert balances(postgres) == {"ada": 70, "bob": 30}


def test_a_crash_between_the_writes_leaves_none(bank: Any, postgres: str, pages: Pages) -> None:
    script = """
import psycopg
execute = psycopg.Connection.execute
def dying(self, query, *given, **options):
    if "UPDATE" in str(query) and given[0][0] > 0:
        die()
    return execute(self, query, *given, **options)
psycopg.Connection.execute = dying
block.transfer("ada", "bob", 30, "key")
"""
    pages.crash("OP-2", TRANSFER, script)
    assert balances(postgres) == {"ada": 100, "bob": 0}
    assert bank.transfer("ada", "bob", 30, "key") == {"was_replay": False}
    assert balances(postgres) == {"ada": 70, "bob": 30}


def test_a_second_transfer_waits_for_the_first(bank: Any, postgres: str) -> None:
    import psycopg

    with psycopg.connect(postgres) as first, ThreadPoolExecutor(1) as pool:
        args = '{"source": "ada", "target": "bob", "cents": 30}'
        first.execute("INSERT INTO transfers VALUES ('key', %s)", (args,))
        second = pool.submit(bank.transfer, "ada", "bob", 30, "key")
        time.sleep(0.3)
        assert not second.done()
        first.rollback()
        assert second.result(30) == {"was_replay": False}
    assert balances(postgres) == {"ada": 70, "bob": 30}


# The module that `idemlint scaffold` writes.


@pytest.fixture
def tool(pages: Pages, provider: Provider, scaffold: Any) -> Any:
    pytest.importorskip("httpx")
    provider.honours_keys = False
    scaffold("OP-2", "once")
    return pages.load("OP-2", "The module")


def test_the_tool_of_the_page_sends_once(tool: Any, provider: Provider) -> None:
    assert tool.send_email("ada", "hello", "key")["was_replay"] is False
    again = tool.send_email("ada", "hello", "key")
    assert (again["was_replay"], again["result"]["id"]) == (True, "id-1")
    assert len(provider.effects) == 1


def test_the_job_of_the_page_settles_a_lost_answer(
    tool: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.lost_answers = 1
    with pytest.raises(tool.httpx.TransportError):
        tool.send_email("ada", "hello", "key")
    assert tool.settle() == []
    with pytest.raises(Exception, match="has not ended"):
        tool.send_email("ada", "hello", "key")
    settle_now(tool, monkeypatch)
    assert tool.send_email("ada", "hello", "key")["result"]["id"] == "id-1"
    assert len(provider.effects) == 1


def test_the_job_of_the_page_frees_what_was_refused(
    tool: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.refusals = 1
    with pytest.raises(tool.httpx.HTTPStatusError):
        tool.send_email("ada", "hello", "key")
    settle_now(tool, monkeypatch)
    assert tool.send_email("ada", "hello", "key")["was_replay"] is False
    assert len(provider.effects) == 1


def settle_now(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the job as if fifteen minutes had gone by."""
    with monkeypatch.context() as patched:
        patched.setattr(tool, "timedelta", lambda minutes: timedelta(0))
        assert tool.settle() == []


# What is not guaranteed.


WRONG_ORDER = """
import os
def act():
    with open("log", "a") as log:
        log.write("sent\\n")
if not os.path.exists(os.environ["DATABASE"]):
    act()
    {behind_the_effect}
    block.run_once("key", {{}}, lambda: None)
"""


def test_a_record_that_is_first_written_after_the_effect_guards_nothing(
    pages: Pages, tmp_path: Path
) -> None:
    pages.crash("OP-2", "SQLite", WRONG_ORDER.format(behind_the_effect="die()"))
    for _ in range(2):
        ran = pages.run("OP-2", "SQLite", WRONG_ORDER.format(behind_the_effect="pass"))
        assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "log").read_text(encoding="utf-8") == "sent\n" * 2

"""What the written modules promise: one effect a key, and an answer to everything else."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
import servers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Writer, Written

ARGS = {"to": "ada@example.org", "body": "hello"}
AT_ONCE = timedelta(0)
RUNS_ONCE = ("OP-2", "OP-5", "OP-7")


class Mail:
    """An effect that is counted."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def __call__(self) -> dict[str, str]:
        self.sent.append("mail")
        return {"id": f"mail-{len(self.sent)}"}

    def and_crash(self) -> dict[str, str]:
        self()
        raise ConnectionResetError("no answer")


@pytest.fixture
def mail() -> Mail:
    return Mail()


@pytest.fixture(params=RUNS_ONCE)
def runs_once(request: pytest.FixtureRequest, writer: Writer, is_async: bool) -> Written:
    """Each operation that has `run_once`, on SQLite."""
    return writer.module(str(request.param), is_async=is_async)


@pytest.fixture
def written(writer: Writer, store: str, is_async: bool) -> Written:
    """OP-2 on each store."""
    return writer.module("OP-2", store, is_async=is_async)


def crash(written: Written, mail: Mail, key: str = "k") -> None:
    """A call whose effect happens, and whose end is never recorded."""
    with pytest.raises(ConnectionResetError):
        written.act(key, ARGS, mail.and_crash)


# What every operation does.


def test_a_repeat_returns_the_first_answer(written: Written, mail: Mail) -> None:
    first = written.run_once("k", ARGS, mail)
    again = written.run_once("k", dict(reversed(ARGS.items())), mail)
    assert (first.value, first.was_replay) == ({"id": "mail-1"}, False)
    assert (again.value, again.was_replay) == ({"id": "mail-1"}, True)
    assert again.called_at == first.called_at
    assert abs(first.called_at - datetime.now(timezone.utc)) < timedelta(minutes=1)
    assert len(mail.sent) == 1


def test_another_key_is_another_effect(written: Written, mail: Mail) -> None:
    assert not written.run_once("k", ARGS, mail).was_replay
    assert not written.run_once("l", ARGS, mail).was_replay
    assert not written.run_once("k", ARGS, mail, tool="other").was_replay
    assert len(mail.sent) == 3


def test_other_arguments_under_the_same_key_are_refused(written: Written, mail: Mail) -> None:
    written.run_once("k", ARGS, mail)
    with pytest.raises(written.module.ConflictError) as caught:
        written.run_once("k", {**ARGS, "body": "bye"}, mail)
    assert caught.value.key == "k"
    assert len(mail.sent) == 1


def test_a_call_without_an_end_is_not_repeated(written: Written, mail: Mail) -> None:
    crash(written, mail)
    for _ in range(2):
        with pytest.raises(written.module.InDoubtError) as caught:
            written.run_once("k", ARGS, mail)
    assert caught.value.key == "k"
    with pytest.raises(written.module.ConflictError):
        written.run_once("k", {}, mail)
    assert len(mail.sent) == 1


def test_an_error_that_proves_that_nothing_happened_frees_the_key(
    written: Written, mail: Mail
) -> None:
    def refuse() -> None:
        raise ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        written.run_once("k", ARGS, refuse, not_done=(ConnectionRefusedError,))
    assert written.run_once("k", ARGS, mail).was_replay is False
    assert len(mail.sent) == 1


def test_reconciliation_completes_what_happened(written: Written, mail: Mail) -> None:
    crash(written, mail)
    entries = []

    def look_up(entry: Any) -> object:
        entries.append(entry)
        return written.module.Done({"id": "found"})

    assert written.reconcile(look_up, older_than=AT_ONCE) == []
    assert [(entry.tool, entry.key, entry.args) for entry in entries] == [("", "k", ARGS)]
    again = written.run_once("k", ARGS, mail)
    assert (again.value, again.was_replay) == ({"id": "found"}, True)
    assert written.reconcile(look_up, older_than=AT_ONCE) == []
    assert len(entries) == 1


def test_reconciliation_frees_what_did_not_happen(written: Written, mail: Mail) -> None:
    crash(written, mail)
    mail.sent.clear()
    not_done = written.module.Verdict.NOT_DONE
    assert written.reconcile(lambda entry: not_done, older_than=AT_ONCE) == []
    assert written.run_once("k", ARGS, mail).was_replay is False


def test_reconciliation_hands_back_what_nobody_can_tell(written: Written, mail: Mail) -> None:
    crash(written, mail)
    unknown = written.module.Verdict.UNKNOWN
    left = written.reconcile(lambda entry: unknown, older_than=AT_ONCE)
    assert [entry.key for entry in left] == ["k"]
    with pytest.raises(written.module.InDoubtError):
        written.run_once("k", ARGS, mail)


def test_reconciliation_leaves_young_calls_alone(written: Written, mail: Mail) -> None:
    crash(written, mail)
    asked: list[object] = []
    assert written.reconcile(asked.append, older_than=timedelta(minutes=1)) == []
    assert asked == []


def test_expiry_forgets_what_ended_and_nothing_else(written: Written, mail: Mail) -> None:
    written.run_once("k", ARGS, mail)
    crash(written, mail, key="stuck")
    assert written.expire(older_than=timedelta(minutes=1)) == 0
    assert written.run_once("k", ARGS, mail).was_replay is True
    assert written.expire(older_than=AT_ONCE) == 1
    assert written.run_once("k", ARGS, mail).was_replay is False
    with pytest.raises(written.module.InDoubtError):
        written.run_once("stuck", ARGS, mail)


def test_a_slow_effect_records_itself_when_its_key_was_freed(written: Written, mail: Mail) -> None:
    def slow() -> dict[str, str]:
        free(written)
        return mail()

    assert written.run_once("k", ARGS, slow).was_replay is False
    assert written.run_once("k", ARGS, mail).was_replay is True


def test_a_slow_effect_tells_when_another_call_took_its_freed_key(
    written: Written, mail: Mail
) -> None:
    def slow() -> dict[str, str]:
        free(written)
        other = threading.Thread(target=written.run_once, args=("k", ARGS, mail))
        other.start()
        other.join()
        return mail()

    with pytest.raises(written.module.InDoubtError):
        written.run_once("k", ARGS, slow)
    assert len(mail.sent) == 2


def test_a_slow_effect_agrees_with_a_reconciliation_that_found_it(
    written: Written, mail: Mail
) -> None:
    def slow() -> dict[str, str]:
        value = mail()
        done = written.module.Done(value)
        in_a_thread(lambda: written.reconcile(lambda entry: done, older_than=AT_ONCE))
        return value

    assert written.run_once("k", ARGS, slow).value == {"id": "mail-1"}
    assert written.run_once("k", ARGS, mail).value == {"id": "mail-1"}


def test_a_call_that_ends_while_it_is_looked_up_stays_completed(
    written: Written, mail: Mail
) -> None:
    is_running, may_end = threading.Event(), threading.Event()

    def slow() -> dict[str, str]:
        is_running.set()
        may_end.wait(30)
        return mail()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(written.run_once, "k", ARGS, slow)
        is_running.wait(30)

        def look_up(entry: object) -> object:
            may_end.set()
            running.result(30)
            return written.module.Verdict.NOT_DONE

        assert written.reconcile(look_up, older_than=AT_ONCE) == []
    assert written.run_once("k", ARGS, mail).was_replay is True
    assert len(mail.sent) == 1


def free(written: Written) -> None:
    """Reconcile too early."""
    not_done = written.module.Verdict.NOT_DONE
    in_a_thread(lambda: written.reconcile(lambda entry: not_done, older_than=AT_ONCE))


def in_a_thread(function: Callable[[], object]) -> None:
    # Coroutines cannot be run where a loop runs already.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(function).result()


def test_of_eight_calls_at_once_one_acts(written: Written, mail: Mail) -> None:
    together = threading.Barrier(8)

    def call(_: int) -> Any:
        together.wait()
        return written.run_once("k", ARGS, mail, wait_seconds=30)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(call, range(8)))
    assert len(mail.sent) == 1
    assert [result.value for result in results] == [{"id": "mail-1"}] * 8
    assert sorted(result.was_replay for result in results) == [False, *[True] * 7]


def test_a_call_waits_for_one_that_runs_and_no_longer(written: Written, mail: Mail) -> None:
    crash(written, mail)
    start = time.monotonic()
    with pytest.raises(written.module.InDoubtError):
        written.run_once("k", ARGS, mail, wait_seconds=0.3)
    assert 0.3 <= time.monotonic() - start < 5


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_that_waited_is_as_old_as_its_claim(
    writer: Writer, is_async: bool, mail: Mail
) -> None:
    written = writer.module("OP-2", is_async=is_async)
    crash(written, mail)
    asked: list[object] = []

    def slow() -> None:
        in_a_thread(lambda: written.reconcile(asked.append, older_than=timedelta(seconds=0.4)))

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(written.run_once, "k", ARGS, slow, wait_seconds=30)
        time.sleep(0.5)
        assert not waiting.done()
        free(written)
        assert waiting.result(30).was_replay is False
    assert asked == []


def test_a_cancelled_call_is_in_doubt(writer: Writer, mail: Mail) -> None:
    written = writer.module("OP-2", is_async=True)

    async def send() -> None:
        mail()
        await asyncio.sleep(30)

    async def cancelled() -> None:
        await asyncio.wait_for(written.module.run_once("k", ARGS, send), timeout=0.5)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(cancelled())
    with pytest.raises(written.module.InDoubtError):
        written.run_once("k", ARGS, mail)
    assert len(mail.sent) == 1


CRASH = """
import os, sys
sys.path.insert(0, {folder!r})
import {name} as module
def effect():
    with open({log!r}, "a") as log:
        log.write("sent\\n")
    os.kill(os.getpid(), 9)
async def effect_async():
    effect()
if {is_async}:
    import asyncio
    asyncio.run(module.run_once("k", {args!r}, effect_async))
else:
    module.run_once("k", {args!r}, effect)
"""


def test_a_killed_process_leaves_a_call_in_doubt(
    written: Written, mail: Mail, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    script = CRASH.format(
        folder=str(written.path.parent),
        name=written.path.stem,
        log=str(log),
        is_async=written.is_async,
        args=ARGS,
    )
    killed = subprocess.run([sys.executable, "-c", script], check=False)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(written.module.InDoubtError):
        written.run_once("k", ARGS, mail)
    done = written.module.Done(log.read_text(encoding="utf-8"))
    assert written.reconcile(lambda entry: done, older_than=AT_ONCE) == []
    assert written.run_once("k", ARGS, mail).value == "sent\n"
    assert mail.sent == []


# Arguments and results.


def test_an_empty_key_is_refused(runs_once: Written, mail: Mail) -> None:
    with pytest.raises(ValueError, match="empty key"):
        runs_once.run_once("", ARGS, mail)
    assert mail.sent == []


@pytest.mark.parametrize("argument", [object(), float("nan"), {1, 2}], ids=["object", "nan", "set"])
def test_arguments_without_a_canonical_form_are_refused(
    runs_once: Written, mail: Mail, argument: object
) -> None:
    with pytest.raises((TypeError, ValueError)):
        runs_once.run_once("k", {"argument": argument}, mail)
    assert mail.sent == []


def test_keys_and_tools_do_not_run_into_each_other(writer: Writer, store: str, mail: Mail) -> None:
    written = writer.module("OP-2", store)
    for tool, key in (("a", "b:c"), ("a:b", "c"), ("", 'a","b'), ('"', "ü{}\\")):
        assert not written.run_once(key, ARGS, mail, tool=tool).was_replay
        assert written.run_once(key, ARGS, mail, tool=tool).was_replay
    assert len(mail.sent) == 4


def test_a_reply_tells_the_model_of_the_replay(runs_once: Written, mail: Mail) -> None:
    first = runs_once.run_once("k", ARGS, mail)
    assert runs_once.run_once("k", ARGS, mail).as_reply() == {
        "result": {"id": "mail-1"},
        "was_replay": True,
        "original_called_at": first.called_at.isoformat(),
    }


def test_operations_on_one_database_keep_apart(writer: Writer, store: str, mail: Mail) -> None:
    database = writer.database(store)
    one, other = (writer.at(database, operation, store) for operation in ("OP-2", "OP-5"))
    crash(one, mail)
    assert not other.run_once("k", ARGS, mail).was_replay
    asked: list[object] = []
    other.reconcile(asked.append, asked.append, older_than=AT_ONCE)
    assert asked == []


# OP-5: undoing.


@pytest.fixture
def saga(writer: Writer, store: str, is_async: bool) -> Written:
    return writer.module("OP-5", store, is_async=is_async)


def test_an_effect_is_undone_once(saga: Written, mail: Mail) -> None:
    undone: list[object] = []
    saga.run_once("k", ARGS, mail)
    assert saga.undo_once("k", undone.append) is True
    assert saga.undo_once("k", undone.append) is False
    assert undone == [{"id": "mail-1"}]
    with pytest.raises(saga.module.UndoneError):
        saga.run_once("k", ARGS, mail)
    assert len(mail.sent) == 1


def test_what_never_began_needs_no_undoing(saga: Written) -> None:
    assert saga.undo_once("k", pytest.fail) is False


def test_a_call_in_doubt_is_not_undone(saga: Written, mail: Mail) -> None:
    crash(saga, mail)
    with pytest.raises(saga.module.InDoubtError):
        saga.undo_once("k", pytest.fail)


def hang_in_undoing(saga: Written, mail: Mail) -> None:
    def refund(result: object) -> None:
        raise ConnectionResetError

    saga.run_once("k", ARGS, mail)
    with pytest.raises(ConnectionResetError):
        saga.undo_once("k", refund)
    with pytest.raises(saga.module.InDoubtError):
        saga.undo_once("k", pytest.fail)
    with pytest.raises(saga.module.InDoubtError):
        saga.run_once("k", ARGS, mail)


def test_an_undoing_that_happened_is_found(saga: Written, mail: Mail) -> None:
    hang_in_undoing(saga, mail)
    assert saga.reconcile(lambda entry: [], pytest.fail, older_than=AT_ONCE) == []
    assert saga.undo_once("k", pytest.fail) is False
    with pytest.raises(saga.module.UndoneError):
        saga.run_once("k", ARGS, mail)


def test_an_undoing_that_did_not_happen_can_be_made_up_for(saga: Written, mail: Mail) -> None:
    hang_in_undoing(saga, mail)
    left = saga.reconcile(lambda entry: [{"id": "mail-1"}], pytest.fail, older_than=AT_ONCE)
    assert left == []
    assert saga.run_once("k", ARGS, mail).was_replay is True
    undone: list[object] = []
    assert saga.undo_once("k", undone.append) is True
    assert undone == [{"id": "mail-1"}]


def test_what_the_other_side_has_twice_is_undone_once(saga: Written, mail: Mail) -> None:
    crash(saga, mail)
    undone: list[object] = []
    found = ["first", "second", "third"]
    assert saga.reconcile(lambda entry: found, undone.append, older_than=AT_ONCE) == []
    assert undone == ["second", "third"]
    assert saga.run_once("k", ARGS, mail).value == "first"


def test_what_the_other_side_has_not_frees_the_key(saga: Written, mail: Mail) -> None:
    crash(saga, mail)
    assert saga.reconcile(lambda entry: [], pytest.fail, older_than=AT_ONCE) == []
    assert saga.run_once("k", ARGS, mail).was_replay is False


def test_what_the_other_side_cannot_tell_stays_in_doubt(saga: Written, mail: Mail) -> None:
    crash(saga, mail)
    left = saga.reconcile(lambda entry: None, pytest.fail, older_than=AT_ONCE)
    assert [entry.key for entry in left] == ["k"]
    with pytest.raises(saga.module.InDoubtError):
        saga.run_once("k", ARGS, mail)


# OP-7: the window.


@pytest.fixture
def served(writer: Writer, store: str, is_async: bool) -> Written:
    return writer.module("OP-7", store, is_async=is_async)


def test_a_repeat_after_the_window_acts_again(served: Written, mail: Mail) -> None:
    served.run_once("k", ARGS, mail)
    assert served.run_once("k", ARGS, mail).was_replay is True
    served.module.WINDOW = AT_ONCE
    assert served.run_once("k", ARGS, mail).was_replay is False
    assert len(mail.sent) == 2


def test_the_window_does_not_end_a_doubt(served: Written, mail: Mail) -> None:
    crash(served, mail)
    served.module.WINDOW = AT_ONCE
    with pytest.raises(served.module.InDoubtError):
        served.run_once("k", ARGS, mail, wait_seconds=0)
    assert served.expire() == 0
    assert len(mail.sent) == 1


def test_the_description_of_the_key_tells_the_window(served: Written) -> None:
    minutes = served.module.WINDOW // timedelta(minutes=1)
    assert f"within {minutes} minutes" in served.module.KEY_DESCRIPTION


# OP-8: the checkpoint.


@pytest.fixture
def checkpointed(writer: Writer, store: str, is_async: bool) -> Written:
    return writer.module("OP-8", store, is_async=is_async)


def test_a_checkpoint_remembers_the_result(checkpointed: Written, mail: Mail) -> None:
    assert checkpointed.act("k", ARGS, mail) == {"id": "mail-1"}
    assert checkpointed.act("k", ARGS, mail) == {"id": "mail-1"}
    assert len(mail.sent) == 1
    with pytest.raises(checkpointed.module.ConflictError):
        checkpointed.act("k", {}, mail)


def test_a_block_that_fails_stays_in_progress(checkpointed: Written, mail: Mail) -> None:
    crash(checkpointed, mail)
    with pytest.raises(checkpointed.module.InDoubtError):
        checkpointed.act("k", ARGS, mail)
    done = checkpointed.module.Done("found")
    assert checkpointed.reconcile(lambda entry: done, older_than=AT_ONCE) == []
    assert checkpointed.act("k", ARGS, mail) == "found"
    assert len(mail.sent) == 1


def test_a_block_that_proves_that_it_did_nothing_frees_the_key(
    checkpointed: Written, mail: Mail
) -> None:
    def refuse(call: object) -> None:
        raise ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        checkpointed.in_checkpoint(refuse, "k", ARGS, not_done=(ConnectionRefusedError,))
    assert checkpointed.act("k", ARGS, mail) == {"id": "mail-1"}

    with pytest.raises(ConnectionRefusedError):
        checkpointed.in_checkpoint(refuse, "k", ARGS, not_done=(ConnectionRefusedError,))
    assert checkpointed.act("k", ARGS, mail) == {"id": "mail-1"}, "a replay frees no key"


def test_a_block_that_acts_in_a_replay_is_told(checkpointed: Written) -> None:
    def careless(call: Any) -> None:
        call.result = "sent"

    checkpointed.in_checkpoint(careless, "k")
    with pytest.raises(RuntimeError, match="the effect ran again"):
        checkpointed.in_checkpoint(careless, "k")


# Stores.


def test_a_table_is_made_by_eight_deployments_at_once(writer: Writer) -> None:
    servers.postgres_dsn()
    written = writer.at(writer.database("postgres"), "OP-2", "postgres")
    together = threading.Barrier(8)

    def deploy(_: int) -> None:
        together.wait()
        written.module.create_table()

    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            with written.module.connection() as connection:
                connection.execute("DROP TABLE idempotency_records")
            assert list(pool.map(deploy, range(8))) == [None] * 8


def test_redis_counts_a_script_once_that_it_gets_again(writer: Writer, mail: Mail) -> None:
    servers.redis_url()
    module = writer.module("OP-2", "redis").module
    mine = module.new_record("OP-2", "", "k", ARGS, "pending")
    done = module.changed(mine, "completed", "sent")
    for _ in range(2):
        assert module.claim_record(mine) == mine
    for _ in range(2):
        assert module.replace_record(mine, done) is True
    assert module.claim_record(module.new_record("OP-2", "", "k", ARGS, "pending")) == done


def test_redis_keeps_claims_over_a_crash_if_it_writes_each_to_disk(
    writer: Writer, mail: Mail, tmp_path: Path
) -> None:
    server = servers.RedisServer(tmp_path, "--appendonly", "yes", "--appendfsync", "always")
    written = writer.at(server.url, "OP-2", "redis")
    written.run_once("done", ARGS, mail)
    crash(written, mail)
    server.kill()
    server.start()
    assert written.run_once("done", ARGS, mail).was_replay is True
    with pytest.raises(written.module.InDoubtError):
        written.run_once("k", ARGS, mail)
    assert len(mail.sent) == 2


def test_redis_forgets_claims_in_a_crash_if_it_writes_none(
    writer: Writer, mail: Mail, tmp_path: Path
) -> None:
    server = servers.RedisServer(tmp_path, "--save", "", "--appendonly", "no")
    written = writer.at(server.url, "OP-2", "redis")
    written.run_once("done", ARGS, mail)
    server.kill()
    server.start()
    assert written.run_once("done", ARGS, mail).was_replay is False

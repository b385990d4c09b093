"""Retry decorators, tasks of workers, workflows that go on in another process."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from conftest import Program, Replay


def test_tenacity_makes_a_key_for_each_attempt(replay: Replay) -> None:
    pytest.importorskip("tenacity", reason="tenacity is not installed")

    def drive(module: ModuleType, intent: str) -> None:
        replay.provider.lost_answers = 2
        module.print_book(intent)

    replay.prove("IDM101", "function_retried_with_a_new_key", drive, framework="tenacity")


def test_tenacity_sends_again_without_the_key(replay: Replay) -> None:
    pytest.importorskip("tenacity", reason="tenacity is not installed")

    def drive(module: ModuleType, intent: str) -> None:
        replay.provider.lost_answers = 2
        module.print_book(intent, f"key-of-{intent}")

    replay.prove("IDM204", "loop_that_sends_without_the_key", drive, framework="tenacity")


def test_worker_of_celery_runs_a_task_again(replay: Replay) -> None:
    pytest.importorskip("celery", reason="celery is not installed")
    pytest.importorskip("stripe", reason="stripe is not installed")
    from celery.contrib.testing.worker import start_worker

    with contextlib.ExitStack() as workers:

        def drive(module: ModuleType, intent: str) -> None:
            replay.provider.lost_answers = 1
            if intent == "first":
                workers.close()
                options = {"perform_ping_check": False, "pool": "solo", "loglevel": "CRITICAL"}
                workers.enter_context(start_worker(module.app, **options))
            module.collect.delay("cus_1", intent).get(timeout=30)

        replay.prove("IDM501", "task_that_collects_without_the_key", drive, framework="celery")


def test_worker_of_dramatiq_runs_an_actor_again(replay: Replay) -> None:
    dramatiq = pytest.importorskip("dramatiq", reason="dramatiq is not installed")
    pytest.importorskip("stripe", reason="stripe is not installed")

    def drive(module: ModuleType, intent: str) -> None:
        replay.provider.lost_answers = 1
        worker = dramatiq.Worker(module.broker, worker_timeout=50, worker_threads=1)
        worker.start()
        module.collect.send("cus_1", intent)
        module.broker.join(module.collect.queue_name, timeout=30_000)
        worker.join()
        worker.stop()

    replay.prove("IDM501", "actor_that_sends_no_key", drive, framework="dramatiq")


def test_workflow_of_dbos_goes_on_in_another_process(
    replay: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dbos", reason="dbos is not installed")
    pytest.importorskip("stripe", reason="stripe is not installed")

    def drive(program: Program, intent: str) -> None:
        for seed, crash in (("1", "yes"), ("2", "")):
            monkeypatch.setenv("PYTHONHASHSEED", seed)
            monkeypatch.setenv("CRASH", crash)
            assert bool(program.run(intent)) is bool(crash)
        assert "CRASH" in os.environ

    replay.prove("IDM104", "workflow_keyed_by_a_hash", drive, framework="dbos", in_process=False)


def test_step_of_a_workflow_waits_for_an_answer(replay: Replay) -> None:
    pytest.importorskip("workflows", reason="llama-index-workflows is not installed")
    from workflows.events import HumanResponseEvent, InputRequiredEvent

    async def answered(module: ModuleType, intent: str) -> None:
        handler = module.Printing(timeout=20).run(title=intent)
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                handler.ctx.send_event(HumanResponseEvent(response="red"))
        assert await handler == "red"

    def drive(module: ModuleType, intent: str) -> None:
        asyncio.run(answered(module, intent))

    replay.prove("IDM201", "step_that_acts_and_waits", drive, framework="llama-index-workflows")

"""Calls keys through a written module, and is killed on the way: `MODULE LOG SETTINGS` (JSON).

Each effect and each answer is a line of the log, written at once.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import random
import signal
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

SETTINGS = json.loads(sys.argv[3])
RANDOM = random.Random(SETTINGS["seed"])
LOG = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def note(*words: str) -> None:
    os.write(LOG, (" ".join(words) + "\n").encode())


def effect(key: str) -> str:
    token = uuid.uuid4().hex
    time.sleep(RANDOM.random() * 0.002)
    die_as_the_first("before the effect")
    note("effect", key, token)
    die_as_the_first("after the effect")
    time.sleep(RANDOM.random() * 0.002)
    return token


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_as_the_first(place: str) -> None:
    """Die where no process has died before, so that no run is without such a death."""
    try:
        Path(f"{sys.argv[2]} {place}").touch(exist_ok=False)
    except FileExistsError:
        return
    die()


def die_somewhere(frame: FrameType, event: str, given: object) -> Any:
    """A tracing function: kills the process at a random line of the module or of the effect."""
    if frame.f_code.co_filename not in (sys.argv[1], __file__):
        return None
    if event == "line" and RANDOM.random() < SETTINGS["death"]:
        die()
    return die_somewhere


def loaded_module() -> Any:
    spec = importlib.util.spec_from_file_location("written", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["written"] = module
    spec.loader.exec_module(module)
    return module


def call(module: Any, key: str) -> None:
    """One call of a key."""
    wait = RANDOM.choice([0.0, 0.2])
    try:
        if hasattr(module, "checkpoint"):
            with module.checkpoint(key, {"key": key}, wait_seconds=wait) as step:
                if not step.was_replay:
                    step.result = effect(key)
            note("answer", key, step.result)
        else:
            done = module.run_once(key, {"key": key}, lambda: effect(key), wait_seconds=wait)
            note("answer", key, done.value)
    except module.InDoubtError:
        note("doubt", key)


async def call_async(module: Any, key: str) -> None:
    """The same, with coroutines."""

    async def act() -> str:
        await asyncio.sleep(0)
        return effect(key)

    wait = RANDOM.choice([0.0, 0.2])
    try:
        if hasattr(module, "checkpoint"):
            async with module.checkpoint(key, {"key": key}, wait_seconds=wait) as step:
                if not step.was_replay:
                    step.result = await act()
            note("answer", key, step.result)
        else:
            done = await module.run_once(key, {"key": key}, act, wait_seconds=wait)
            note("answer", key, done.value)
    except module.InDoubtError:
        note("doubt", key)


async def call_all_async(module: Any, keys: Sequence[str]) -> None:
    for start in range(0, len(keys), 5):
        await asyncio.gather(*(call_async(module, key) for key in keys[start : start + 5]))
        Path(SETTINGS["progress"]).write_text(str(start + 5), encoding="utf-8")


def main() -> None:
    module = loaded_module()
    progress = Path(SETTINGS["progress"])
    start = int(progress.read_text(encoding="utf-8") or 0) if progress.exists() else 0
    keys = [f"key{number}" for number in range(start, SETTINGS["keys"])]
    if SETTINGS["death"]:
        sys.settrace(die_somewhere)
        threading.settrace(die_somewhere)
    if SETTINGS["is_async"]:
        asyncio.run(call_all_async(module, keys))
        return
    for number, key in enumerate(keys, start=start + 1):
        call(module, key)
        progress.write_text(str(number), encoding="utf-8")


main()

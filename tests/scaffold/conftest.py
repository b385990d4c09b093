"""Modules written by `idemlint scaffold`, each loaded with a store of its own."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from idemlint.scaffold import STORES
from idemlint.scaffold.compose import module_text

sys.path.insert(0, str(Path(__file__).parents[1]))

import servers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import timedelta

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Written:
    """A module on the disk, and loaded; coroutines are run, so that all forms are called alike."""

    operation: str
    path: Path
    database: str
    is_async: bool
    module: Any

    def run_once(
        self, key: str, args: Mapping[str, object], effect: Callable[[], Any], **options: Any
    ) -> Any:
        return self._call("run_once", key, args, self._step(effect), **options)

    def undo_once(self, key: str, undo: Callable[[Any], object]) -> bool:
        return bool(self._call("undo_once", key, self._step(undo)))

    def reconcile(self, *steps: Callable[..., object], older_than: timedelta) -> list[Any]:
        left = self._call("reconcile", *map(self._step, steps), older_than=older_than)
        assert isinstance(left, list)
        return left

    def expire(self, **options: timedelta) -> int:
        return int(self._call("expire", **options))

    def in_checkpoint(self, body: Callable[[Any], None], *given: Any, **options: Any) -> Any:
        """Run the body in a checkpoint; returns the call, after its block."""
        if not self.is_async:
            with self.module.checkpoint(*given, **options) as call:
                body(call)
            return call

        async def run() -> Any:
            async with self.module.checkpoint(*given, **options) as call:
                body(call)
            return call

        return asyncio.run(run())

    def act(self, key: str, args: Mapping[str, object], effect: Callable[[], Any]) -> Any:
        """What the key's call returns, by whatever form the operation has."""
        if self.operation != "OP-8":
            return self.run_once(key, args, effect, wait_seconds=0).value

        def body(call: Any) -> None:
            if not call.was_replay:
                call.result = effect()

        return self.in_checkpoint(body, key, args).result

    def _call(self, name: str, *given: Any, **options: Any) -> Any:
        result = getattr(self.module, name)(*given, **options)
        return asyncio.run(result) if self.is_async else result

    def _step(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not self.is_async:
            return function

        async def step(*given: Any) -> Any:
            return function(*given)

        return step


class Writer:
    """Writes modules, and gives each its own database."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch

    def module(self, operation: str, store: str = "sqlite", *, is_async: bool = False) -> Written:
        return self.at(self.database(store), operation, store, is_async=is_async)

    def at(self, database: str, operation: str, store: str, *, is_async: bool = False) -> Written:
        name = f"written_{next(_numbers)}"
        path = self.folder / f"{name}.py"
        path.write_text(module_text(operation, store, is_async=is_async), encoding="utf-8")
        self._monkeypatch.setenv("IDEMPOTENCY_DATABASE", database)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        self._monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        if hasattr(module, "create_table"):
            module.create_table()
        return Written(operation, path, database, is_async, module)

    def database(self, store: str) -> str:
        """An empty database."""
        if store == "sqlite":
            return str(self.folder / f"{next(_numbers)}.sqlite3")
        return servers.empty_redis() if store == "redis" else servers.empty_postgres()


@pytest.fixture
def writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Writer:
    return Writer(tmp_path, monkeypatch)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> str:
    """Each store; a test is skipped where its server is not installed."""
    name = str(request.param)
    if name != "sqlite":
        (servers.redis_url if name == "redis" else servers.postgres_dsn)()
    return name


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)

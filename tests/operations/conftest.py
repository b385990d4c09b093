"""The code on the pages of operations, taken out block by block and run."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from idemlint import catalogue

sys.path.insert(0, str(Path(__file__).parents[1]))

import servers
from endpoint import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endpoint import Provider

_numbers = itertools.count(1)


@functools.cache
def blocks_of(operation: str) -> dict[str, str]:
    """The Python blocks of a page by the heading that they stand under."""
    text = catalogue.operations()[operation].page.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        for code in re.findall(r"^```python\n(.*?)^```$", body, re.MULTILINE | re.DOTALL):
            assert heading not in found, f"{operation}: two blocks under {heading}"
            found[heading] = code
    return found


class Pages:
    """Blocks as modules in a scratch directory; their environment is that of the test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch

    def write(self, operation: str, heading: str) -> str:
        """Write a block to a file; returns the name of the module."""
        name = f"block_{next(_numbers)}"
        text = blocks_of(operation)[heading]
        (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    def load(self, operation: str, heading: str) -> Any:
        """A block as a loaded module."""
        name = self.write(operation, heading)
        spec = importlib.util.spec_from_file_location(name, self.folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        self._monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    def run(self, operation: str, heading: str, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script in a process of its own, in which the block is the module `block`.

        `die()` ends that process at once, as a crash does.
        """
        name = self.write(operation, heading)
        start = f"import os, signal, sys\nsys.path.insert(0, {str(self.folder)!r})\n"
        start += "die = lambda *given, **options: os.kill(os.getpid(), signal.SIGKILL)\n"
        return subprocess.run(
            [sys.executable, "-c", f"{start}import {name} as block\n{script}"],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
        )

    def crash(self, operation: str, heading: str, script: str) -> None:
        """Run a script as `run` does; it must get to its `die()`."""
        ran = self.run(operation, heading, script)
        assert ran.returncode == -signal.SIGKILL, ran.stderr


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pages:
    monkeypatch.setenv("DATABASE", str(tmp_path / "database.sqlite3"))
    return Pages(tmp_path, monkeypatch)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    for provider in serve():
        monkeypatch.setenv("API_URL", provider.url)
        yield provider


@pytest.fixture
def postgres(monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty schema of PostgreSQL, as `DATABASE_URL`."""
    dsn = servers.empty_postgres()
    monkeypatch.setenv("DATABASE_URL", dsn)
    return dsn


@pytest.fixture
def redis_store(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty Redis, as `REDIS_URL`."""
    url = servers.empty_redis()
    import redis

    monkeypatch.setenv("REDIS_URL", url)
    return redis.Redis.from_url(url)


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """AWS, simulated in this process; one request is done after the other.

    DynamoDB checks the condition of a write and writes in one step, the simulation in two: of
    threads that ask at once, more than one could win. Programs see every interleaving of whole
    requests all the same.
    """
    moto = pytest.importorskip("moto", reason="moto is not installed")
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    from moto.core.botocore_stubber import BotocoreStubber

    answer = BotocoreStubber.process_request
    one_at_a_time = threading.RLock()

    def answer_in_turn(stubber: BotocoreStubber, request: Any) -> Any:
        with one_at_a_time:
            return answer(stubber, request)

    monkeypatch.setattr(BotocoreStubber, "process_request", answer_in_turn)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with moto.mock_aws():
        yield boto3


@pytest.fixture
def dynamodb(aws: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty table of DynamoDB, as `TABLE`."""
    table = aws.resource("dynamodb").create_table(
        TableName="calls",
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    monkeypatch.setenv("TABLE", "calls")
    return table


@pytest.fixture
def scaffold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that writes a module as `idemlint scaffold … -o` does, to be imported."""
    from idemlint.hosts import cli

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("IDEMPOTENCY_DATABASE", str(tmp_path / "idempotency.sqlite3"))

    def write(operation: str, name: str) -> None:
        monkeypatch.delitem(sys.modules, name, raising=False)
        output = os.fspath(tmp_path / f"{name}.py")
        assert cli.run(["scaffold", operation, "-o", output, "--force"]) == 0

    return write

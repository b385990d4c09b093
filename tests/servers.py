"""PostgreSQL and Redis for tests: the installed programs, in a scratch directory, on a socket."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["RedisServer", "empty_postgres", "empty_redis", "postgres_dsn", "redis_url"]

_PATIENCE_SECONDS = 30
_numbers = itertools.count(1)


@functools.cache
def postgres_dsn() -> str:
    """The address of a PostgreSQL that lasts as long as the test run; skips where there is none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, server = _postgres_program("initdb"), _postgres_program("postgres")
    folder, user = _scratch_folder(), _unprivileged_user()
    setup = [initdb, "-D", folder / "data", "-A", "trust", "-U", "tests", "-E", "UTF8", "--no-sync"]
    subprocess.run(setup, check=True, capture_output=True, user=user, cwd=folder)
    options = ["-D", folder / "data", "-k", folder, "-h", "", "-F", "-c", "max_connections=200"]
    _start([server, *options], user=user, folder=folder)
    dsn = f"postgresql://tests@/postgres?host={folder}"
    _wait_until(functools.partial(_postgres_answers, dsn), "PostgreSQL")
    return dsn


def empty_postgres() -> str:
    """The address of a schema of its own, which is made much sooner than a database."""
    dsn = postgres_dsn()
    import psycopg

    name = f"schema_{next(_numbers)}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{dsn}&options=-csearch_path%3D{name}"


@functools.cache
def redis_url() -> str:
    """The address of a Redis that lasts as long as the test run; skips where there is none."""
    return RedisServer(_scratch_folder(), "--save", "", "--appendonly", "no").url


def empty_redis() -> str:
    """The same, emptied."""
    url = redis_url()
    import redis

    redis.Redis.from_url(url).flushall()
    return url


class RedisServer:
    """A Redis of one's own, that can be killed and started again; skips where there is none."""

    def __init__(self, folder: Path, *options: str) -> None:
        pytest.importorskip("redis", reason="redis-py is not installed")
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("redis-server is not installed")
        self._folder = folder
        socket = Path(tempfile.mkdtemp(prefix="redis"), "socket")
        atexit.register(shutil.rmtree, socket.parent, ignore_errors=True)
        self._command = [program, "--port", "0", "--unixsocket", str(socket), *options]
        self.url = f"unix://{socket}"
        self.start()

    def start(self) -> None:
        """Start the server on the data of its folder."""
        self._process = _start(self._command, user=None, folder=self._folder)
        _wait_until(functools.partial(_redis_answers, self.url), "Redis")

    def kill(self) -> None:
        """End the server as a loss of power would, but for what the system has not written yet."""
        self._process.kill()
        self._process.wait()


def _postgres_program(name: str) -> str:
    """Debian keeps the programs of the server off the path."""
    found = shutil.which(name) or next(
        (str(path) for path in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None
    )
    if found is None:
        pytest.skip(f"PostgreSQL's {name} is not installed")
    return found


def _unprivileged_user() -> int | None:
    """Whom PostgreSQL runs as, since it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    import pwd

    ids = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    user = ids.get("postgres", ids.get("nobody"))
    if user is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is no user for it")
    return user


def _scratch_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="idemlint"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if (user := _unprivileged_user()) is not None:
        os.chown(folder, user, -1)
    return folder


def _start(
    command: Sequence[str | Path], *, user: int | None, folder: Path
) -> subprocess.Popen[bytes]:
    # Its output goes nowhere: nobody reads it, and a full pipe would stop the server.
    process = subprocess.Popen(
        command, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    atexit.register(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _wait_until(answers: Callable[[], bool], server: str) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not answers():
        if time.monotonic() > deadline:
            pytest.fail(f"{server} does not answer after {_PATIENCE_SECONDS} seconds")
        time.sleep(0.02)


def _postgres_answers(dsn: str) -> bool:
    import psycopg

    try:
        psycopg.connect(dsn).close()
    except psycopg.OperationalError:
        return False
    return True


def _redis_answers(url: str) -> bool:
    import redis

    try:
        return bool(redis.Redis.from_url(url).ping())
    except redis.RedisError:
        return False

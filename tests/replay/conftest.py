"""Bad code, run in the framework that it is written for, before and after its fixes."""

from __future__ import annotations

import importlib.util
import itertools
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "operations"))

from endpoint import serve
from marked import Unit

from idemlint.hosts import cli
from idemlint.scaffold.compose import module_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from endpoint import Provider

PROGRAMS = Path(__file__).parent / "programs"
_numbers = itertools.count(1)
_OPTIONS = ["--isolated", "--no-cache", "--preview", "--exit-zero"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.replay)


@dataclass
class Program:
    """A program on the disk, ready to be run."""

    path: Path
    monkeypatch: pytest.MonkeyPatch

    def load(self) -> ModuleType:
        """The program as a module of its own."""
        name = f"{self.path.stem}_{next(_numbers)}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        self.monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    def run(self, *arguments: str) -> int:
        """Run the program in a process of its own, in its folder; returns the exit code."""
        command = [sys.executable, self.path.name, *arguments]
        done = subprocess.run(
            command, cwd=self.path.parent, check=False, capture_output=True, timeout=100
        )
        if done.returncode not in (0, CRASHED):
            raise AssertionError(done.stderr.decode()[-2000:])
        return done.returncode


CRASHED = 9
"""The exit code of a program that ends in the middle of an effect."""


@dataclass
class Replay:
    """Proofs of one test."""

    folder: Path
    provider: Provider
    monkeypatch: pytest.MonkeyPatch
    request: pytest.FixtureRequest

    def prove(
        self,
        rule: str,
        program: str,
        drive: Callable[[Any, str], object],
        *,
        framework: str,
        effects: Callable[[Program], int] | None = None,
        in_process: bool = True,
        also: Iterable[str] = (),
        scaffold: str = "",
    ) -> None:
        """Show that a program repeats its effect, and that it does not when it has been fixed.

        `drive` gets the program (the module, or the `Program` if it is not run `in_process`) and
        what tells two intents apart; it carries one intent out, with all replays. `effects` counts
        what has happened; by default that is asked of the provider. The module of the operation
        `scaffold` lies beside the program before it is fixed.
        """
        unit = Unit.read(PROGRAMS / f"{program}.py")
        assert {mark.code for mark in unit.marks} == {rule, *also}
        count = effects or (lambda _: len(self.provider.effects))

        def carried_out(variant: Program) -> list[int]:
            module = variant.load() if in_process else variant
            numbers = []
            for intent in ("first", "second"):
                before = count(variant)
                drive(module, intent)
                numbers.append(count(variant) - before)
            return numbers

        bad = self._written(unit, "bad")
        found = self._check(bad.path)
        assert found == sorted((mark.row, mark.code) for mark in unit.marks)
        fixed = self._written(unit, "fixed")
        if scaffold:
            written = module_text(scaffold, "sqlite")
            (fixed.path.parent / "once.py").write_text(written, encoding="utf-8")
        assert cli.run(["check", *_OPTIONS, "-q", "--fix", "--unsafe-fixes", str(fixed.path)]) == 0
        assert self._check(fixed.path) == []

        before, after = carried_out(bad), carried_out(fixed)
        is_bare = framework in ("threads", "processes")
        package = framework if is_bare else f"{framework} {version(framework)}"
        self.request.node.user_properties.append(
            ("replay", json.dumps([rule, package, program, before[0], after[0]]))
        )
        assert all(number > 1 for number in before), f"no duplicate: {before}"
        assert after == [1, 1], fixed.path.read_text(encoding="utf-8")

    def _written(self, unit: Unit, name: str) -> Program:
        folder = self.folder / name
        folder.mkdir()
        ((file, text),) = unit.plain().items()
        (folder / file).write_text(text, encoding="utf-8")
        return Program(folder / file, self.monkeypatch)

    def _check(self, path: Path) -> list[tuple[int, str]]:
        report = self.folder / "report.json"
        options = [*_OPTIONS, "--output-format", "json", "-o", str(report)]
        assert cli.run(["check", *options, str(path)]) == 0
        found = json.loads(report.read_text(encoding="utf-8"))
        return sorted((entry["location"]["row"], entry["code"]) for entry in found)


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    for provider in serve():
        monkeypatch.setenv("API_URL", provider.url)
        yield provider


@pytest.fixture
def replay(
    tmp_path: Path,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Replay:
    return Replay(tmp_path, provider, monkeypatch, request)


def together(*calls: Callable[[], object]) -> None:
    """Make calls in threads that start at once; what they raise is left out."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        barrier.wait()
        call()

    threads = [threading.Thread(target=run, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

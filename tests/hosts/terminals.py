"""A scratch directory in which commands are run, ours and those of the installed Ruff."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Position, Range
from idemlint.hosts import check as check_command
from idemlint.hosts import cli
from idemlint.hosts.check_run import run_check
from idemlint.linter import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest

    from idemlint.linter import Target

RUFF = Path(sysconfig.get_path("scripts"), "ruff")
RULES = ("--isolated", "--select", "F401,F841,E711,E902")


@dataclass(frozen=True)
class Result:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str

    def as_ruffs(self) -> Result:
        """The same with Ruff's name in the place of ours."""
        out, err = (text.replace("idemlint", "ruff") for text in (self.out, self.err))
        return Result(self.code, out, err)

    def with_plain_rows(self) -> Result:
        """The same without carriage returns, which are the business of the formats."""
        return Result(self.code, self.out.replace("\r", ""), self.err.replace("\r", ""))


@dataclass(frozen=True)
class Terminal:
    """A scratch directory in which commands are run."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capfd: pytest.CaptureFixture[str]

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def idemlint(self, *args: str, stdin: str = "") -> Result:
        return self._captured(lambda: cli.run(args), stdin)

    def with_ruffs_findings(self, *args: str, stdin: str = "") -> Result:
        """`idemlint check`, with Ruff's rules in the place of ours."""

        def run() -> int:
            with check_command.command.make_context("idemlint check", list(args)) as ctx:
                return run_check(check_command.arguments_of(ctx), findings_of_ruff)

        return self._captured(run, stdin)

    def ruff(self, *args: str, stdin: str = "") -> Result:
        done = subprocess.run([RUFF, *args], input=stdin.encode(), capture_output=True, check=False)
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def _captured(self, run: Callable[[], int], stdin: str) -> Result:
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self.capfd.readouterr()
        code = run()
        sys.stdout.flush()
        out, err = self.capfd.readouterr()
        return Result(code, out, err)


def findings_of_ruff(
    targets: Sequence[Target], *, cache: bool, ignore_noqa: bool, searched: Sequence[str]
) -> Report:
    flags = ["--ignore-noqa"] if ignore_noqa else []
    found: list[Diagnostic] = []
    on_disk = [target.path for target in targets if target.contents is None]
    if on_disk:
        found += _found(flags + on_disk)
    for target in targets:
        if target.contents is not None:
            # Ruff names what is on standard input as it was given
            found += _found([*flags, f"--stdin-filename={target.path}"], target.contents)
    return Report(tuple(sorted(found, key=lambda finding: finding.sort_key)))


def _found(flags: list[str], data: bytes | None = None) -> list[Diagnostic]:
    command = [RUFF, "check", *RULES, "--no-cache", "--output-format=json", *flags]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return [_diagnostic(found) for found in json.loads(done.stdout)]


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    path, cell, fix = Path(found["filename"]), found["cell"], found["fix"]
    if fix is not None:
        edits = tuple(Edit(path, _range(edit), edit["content"], cell) for edit in fix["edits"])
        fix = Fix(fix["message"], Applicability[fix["applicability"].upper()], edits)
    return Diagnostic(
        path,
        _range(found),
        found["code"],
        found["name"],
        found["message"],
        noqa_row=found["noqa_row"],
        cell=cell,
        url=found["url"],
        fix=fix,
    )


def _range(found: dict[str, Any]) -> Range:
    start, end = found["location"], found["end_location"]
    return Range(Position(start["row"], start["column"]), Position(end["row"], end["column"]))


def contents_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "_cache" not in str(path)
    }


def comparable(result: Result) -> Result:
    """JSON as values, without the fields that only one of both has; no traces of Ruff's name."""
    own = ("operation", "reason", "related", "suggestion", "url")
    result = result.as_ruffs().with_plain_rows()
    if not result.out.startswith(("[", '{"cell"')):
        return result
    is_list = result.out.startswith("[")
    found = json.loads(result.out) if is_list else map(json.loads, result.out.splitlines())
    items = [{key: value for key, value in item.items() if key not in own} for item in found]
    return Result(result.code, json.dumps([is_list, items], sort_keys=True), result.err)

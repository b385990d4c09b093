"""A warm session says what a fresh run says, whatever was changed before."""

from __future__ import annotations

import gc
import random
import re
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from conftest import RETRY, TOOL

from idemlint import __version__
from idemlint.config.discovery import Resolver
from idemlint.linter import Report, Target, check
from idemlint.session import Session, SupersededError

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic

HELPER = """import uuid

import requests


def send(order):
    return requests.post("https://api.example.com/ship", json={"order": order}).text


def new_key():
    return str(uuid.uuid4())
"""
CALLER = '''import stripe
from langchain_core.tools import tool

from helper import new_key, send


@tool
def ship(order: str) -> str:
    """Ship an order."""
    return send(order)


@tool
def pay(order: str) -> str:
    """Pay an order."""
    return stripe.PaymentIntent.create(amount=1, currency="usd", idempotency_key=new_key()).id
'''


def last(session: Session, targets: list[Target]) -> Report:
    reports = [report for report in session.check(targets) if report is not None]
    return reports[-1]


def fresh(targets: list[Target]) -> list[Diagnostic]:
    report = check(targets, cache=False)
    return [entry for entry in report.diagnostics if entry.code != "invalid-syntax"]


def comparable(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return [replace(entry, noqa_row=None) for entry in diagnostics]


def with_fixes(session: Session, targets: list[Target]) -> list[Diagnostic]:
    by_path = {target.path: target for target in targets}
    report = last(session, targets)
    return [session.with_fix(entry, by_path[str(entry.path)]) for entry in report.diagnostics]


@pytest.fixture
def files(project: Path) -> dict[str, str]:
    texts = {"tool.py": TOOL, "retry.py": RETRY, "helper.py": HELPER, "caller.py": CALLER}
    for name, text in texts.items():
        (project / name).write_text(text)
    return texts


def targets_of(project: Path, texts: dict[str, str], *names: str) -> list[Target]:
    settings = Resolver(project).root
    return [Target(str(project / name), settings, texts[name].encode()) for name in names]


def test_first_answer_is_that_of_a_fresh_run(project: Path, files: dict[str, str]) -> None:
    targets = targets_of(project, files, *files)
    assert comparable(with_fixes(Session(), targets)) == comparable(fresh(targets))


def test_change_of_a_helper_reaches_the_tool(project: Path, files: dict[str, str]) -> None:
    session = Session()
    names = ("helper.py", "caller.py")
    assert len(last(session, targets_of(project, files, *names)).diagnostics) == 2
    files["helper.py"] = HELPER.replace("str(uuid.uuid4())", "'a'").replace("requests.post", "f")
    targets = targets_of(project, files, *names)
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))


def test_file_on_the_disk_counts_when_it_is_doubted(project: Path, files: dict[str, str]) -> None:
    session = Session()
    targets = targets_of(project, files, "caller.py")
    before = last(session, targets).diagnostics
    assert [entry.code for entry in before] == ["IDM401"]
    helper = project / "helper.py"
    helper.write_text(HELPER.replace("requests.post", "print"))
    session.doubt([str(helper)])
    assert last(session, targets).diagnostics == ()
    helper.unlink()
    session.doubt([str(helper)])
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))
    helper.write_text(HELPER)
    session.doubt()
    assert [entry.code for entry in last(session, targets).diagnostics] == ["IDM401"]


def test_unchanged_files_are_not_read_again(
    project: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import idemlint.linter

    session = Session()
    last(session, targets_of(project, files, "caller.py"))
    read: list[str] = []
    before = idemlint.linter._Run._look

    def look(self: object, path: str) -> object:
        read.append(path)
        return before(self, path)

    monkeypatch.setattr(idemlint.linter._Run, "_look", look)
    files["caller.py"] = CALLER.replace("Ship an order", "Ship it")
    last(session, targets_of(project, files, "caller.py"))
    assert read == [str(project / "caller.py")]


def test_first_report_comes_before_the_rest_of_the_project(
    project: Path, files: dict[str, str]
) -> None:
    reports = [r for r in Session().check(targets_of(project, files, "helper.py")) if r]
    assert [len(report.diagnostics) for report in reports] == [0, 1]


def test_stale_check_is_given_up(project: Path, files: dict[str, str]) -> None:
    session = Session()
    targets = targets_of(project, files, "caller.py")
    with pytest.raises(SupersededError):
        list(session.check(targets, lambda: True))
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))


def test_check_that_was_left_does_not_spoil_the_next(project: Path, files: dict[str, str]) -> None:
    session = Session()
    targets = targets_of(project, files, "helper.py")
    started = session.check(targets)
    next(report for report in started if report is not None)
    started.close()
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))


def test_check_of_a_later_text_ends_the_one_before(project: Path, files: dict[str, str]) -> None:
    session = Session()
    started = session.check(targets_of(project, files, "helper.py"))
    next(report for report in started if report is not None)
    files["helper.py"] = HELPER.replace("requests.post", "print")
    targets = targets_of(project, files, "helper.py")
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))
    with pytest.raises(SupersededError):
        list(started)
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))


def test_models_of_earlier_texts_leave_no_cycles(project: Path, files: dict[str, str]) -> None:
    session = Session()
    last(session, targets_of(project, files, *files))
    analysis = next(iter(session._kept.values())).analysis
    assert analysis is not None
    parts = [weakref.ref(analysis.model), weakref.ref(analysis.program.modules[0])]
    del analysis
    gc.disable()
    try:
        files["caller.py"] = CALLER.replace("Ship an order", "Ship it")
        last(session, targets_of(project, files, *files))
        assert [part() for part in parts] == [None, None]
    finally:
        gc.enable()


def test_fix_of_another_text_is_not_given(project: Path, files: dict[str, str]) -> None:
    session = Session()
    targets = targets_of(project, files, "tool.py")
    (found,) = last(session, targets).diagnostics
    assert session.with_fix(found, targets[0]).fix is not None
    files["tool.py"] = "\n" + TOOL
    last(session, targets_of(project, files, "tool.py"))
    assert session.with_fix(found, targets[0]).fix is None


def mutated(text: str, chance: random.Random) -> str:
    """A text after one of the things that happen to texts in an editor."""
    rows = text.split("\n")
    at = chance.randrange(len(rows))
    what = chance.randrange(6)
    if what == 0:
        rows[at:at] = [""]
    elif what == 1:
        del rows[at]
    elif what == 2:
        rows[at] = rows[at][: chance.randrange(len(rows[at]) + 1)]
    elif what == 3:
        rows[at] += chance.choice(["  # noqa: IDM101", "  # noqa", " (", '"""', " \\"])
    elif what == 4:
        words = re.findall(r"\w+", text)
        rows[at] = rows[at].replace(chance.choice(words), chance.choice(words), 1)
    else:
        rows[at:at] = ["", "@tool", f"def more_{at}(order: str):", "    return send(order)", ""]
    return "\n".join(rows)


@pytest.mark.parametrize("seed", range(8))
def test_random_edits_give_what_fresh_runs_give(
    project: Path, files: dict[str, str], seed: int
) -> None:
    chance = random.Random(seed)
    session = Session()
    texts = dict(files)
    for _ in range(12):
        name = chance.choice(list(texts))
        text = mutated(texts[name], chance)
        # what is broken is typed further until it parses again
        texts[name] = text if chance.random() < 0.8 else files[name]
        targets = targets_of(project, texts, *texts)
        assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))


def test_results_of_the_command_line_are_taken_over(project: Path, files: dict[str, str]) -> None:
    targets = targets_of(project, files, *files)
    folder = targets[0].settings.cache_dir / __version__
    folder.mkdir(parents=True)
    on_disk = [replace(target, contents=None) for target in targets]
    check(on_disk, cache=True)
    assert list(folder.iterdir())
    session = Session()
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))
    files["helper.py"] = HELPER.replace("requests.post", "print")
    targets = targets_of(project, files, *files)
    assert comparable(with_fixes(session, targets)) == comparable(fresh(targets))

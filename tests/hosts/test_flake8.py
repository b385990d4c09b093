"""The plugin, run by the real flake8."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("flake8", reason="flake8 is not installed")

if not [
    entry
    for entry in importlib.metadata.entry_points(group="flake8.extension")
    if entry.value == "idemlint.hosts.flake8:Plugin"
]:
    pytest.skip("idemlint is not installed", allow_module_level=True)

TOOLS = '''\
"""Tools of a shop."""
from langchain.tools import tool

from keys import new_key
from mail import pay, send


@tool
def send_receipt(order: str) -> str:
    """Send the receipt of an order."""
    return send(order)


@tool
def charge(order: str, idempotency_key: str) -> str:
    """Charge an order. The same idempotency_key charges once."""
    return pay(order, new_key())
'''
KEYS = '''\
"""Keys."""
import uuid


def new_key() -> str:
    """A key."""
    return uuid.uuid4().hex
'''
MAIL = '''\
"""Requests of a shop."""
import requests

URL = "https://api.example.com"


def send(order: str) -> str:
    """Send a receipt."""
    return requests.post(f"{URL}/receipts", json=[order]).text


def pay(order: str, key: str) -> str:
    """Charge an order."""
    headers = {"Idempotency-Key": key}
    return requests.post(f"{URL}/charges", json=[order], headers=headers).text
'''
PREVIEW = '''\
"""A key that two intents share."""
import stripe
from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph


def pay(state, config: RunnableConfig):
    """Pay."""
    thread = config["configurable"]["thread_id"]
    return stripe.Invoice.create(customer=state["who"], idempotency_key=f"invoice-{thread}")


builder = StateGraph(dict)
builder.add_node("pay", pay)
'''
FOUND = {"keys.py:7:12: IDM101", "tools.py:9:5: IDM401"}
ASIDE = "--extend-ignore=E501"


class Project:
    """A scratch project that flake8 checks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("setup.cfg", "")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def flake8(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "flake8", *arguments]
        return subprocess.run(
            command, cwd=self.root, input=stdin, capture_output=True, text=True, check=False
        )

    def found(self, *arguments: str, stdin: str = "") -> set[str]:
        """Where what is found; nothing may go wrong on the way."""
        done = self.flake8(ASIDE, *arguments, stdin=stdin)
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        assert done.returncode == bool(lines)
        return {" ".join(line.split()[:2]).removeprefix("./") for line in lines}


def row_of(part: str, text: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    for name, text in (("tools.py", TOOLS), ("keys.py", KEYS), ("mail.py", MAIL)):
        made.write(name, text)
    return made


def test_files_are_answered_from_their_whole_project(project: Project) -> None:
    assert project.found(".") == FOUND
    assert project.found("keys.py") == {"keys.py:7:12: IDM101"}


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_the_number_of_processes_changes_nothing(jobs: str, project: Project) -> None:
    assert project.found("-j", jobs, ".") == FOUND


def test_columns_and_texts_are_those_of_the_command(project: Project) -> None:
    command = [sys.executable, "-m", "idemlint", "check", "--no-cache", "--output-format", "json"]
    done = subprocess.run(
        [*command, "."], cwd=project.root, capture_output=True, text=True, check=False
    )
    expected = {
        f"{entry['location']['row']}:{entry['location']['column']}: "
        f"{entry['code']} {entry['message']}"
        for entry in json.loads(done.stdout)
    }
    lines = project.flake8(ASIDE, ".").stdout.splitlines()
    assert {line.split(":", 1)[1] for line in lines} == expected


def test_standard_input_is_checked(project: Project) -> None:
    tools = TOOLS.replace("from keys import new_key\nfrom mail import pay, send\n", "")
    whole = f"{MAIL}\n\n{KEYS}\n\n{tools}"
    assert project.found("--select=IDM", "-", stdin=whole) == {
        f"stdin:{row_of('return uuid', whole)}:12: IDM101",
        f"stdin:{row_of('def send_receipt', whole)}:5: IDM401",
    }


def test_standard_input_takes_the_place_of_a_file(project: Project) -> None:
    changed = KEYS.replace('"""Keys."""', '"""Keys.\n\nNot saved yet.\n"""')
    arguments = ("--stdin-display-name", "keys.py", "-")
    assert project.found(*arguments, stdin=changed) == {"keys.py:10:12: IDM101"}


def test_rules_are_selected_by_flake8(project: Project) -> None:
    assert project.found("--select=IDM4", ".") == {"tools.py:9:5: IDM401"}
    assert project.found("--extend-ignore=IDM401,E501", ".") == {"keys.py:7:12: IDM101"}
    assert project.found("--ignore=IDM,E501", ".") == set()


def test_files_are_excepted_by_flake8(project: Project) -> None:
    project.write("setup.cfg", "[flake8]\nper-file-ignores =\n    keys.py:IDM101\n")
    assert project.found(".") == {"tools.py:9:5: IDM401"}


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: IDM101", "# noqa: E501,IDM101"])
def test_findings_are_suppressed_by_flake8(comment: str, project: Project) -> None:
    project.write("keys.py", KEYS.replace(".hex", f".hex  {comment}"))
    assert project.found(".") == {"tools.py:9:5: IDM401"}
    assert project.found("--disable-noqa", ".") == FOUND


def test_a_comment_for_another_code_suppresses_nothing(project: Project) -> None:
    project.write("keys.py", KEYS.replace(".hex", ".hex  # noqa: E501"))
    assert project.found(".") == FOUND


def test_preview_rules_are_asked_for(project: Project) -> None:
    from marked import built_rules

    if "IDM106" not in built_rules():
        pytest.skip("waits for IDM106")
    project.write("pay.py", PREVIEW)
    expected = {"pay.py:10:73: IDM106"}
    assert project.found("pay.py") == set()
    assert project.found("--idemlint-preview", "pay.py") == expected
    project.write("setup.cfg", "[flake8]\nidemlint-preview = true\n")
    assert project.found("pay.py") == expected


def test_the_configuration_can_be_named(project: Project) -> None:
    (project.root / "lint").mkdir()
    project.write("lint/own.toml", "[lint]\nignore = ['IDM401']\n")
    expected = {"keys.py:7:12: IDM101"}
    assert project.found("--idemlint-config", "lint/own.toml", ".") == expected
    project.write("setup.cfg", "[flake8]\nidemlint-config = lint/own.toml\n")
    assert project.found(".") == expected


def test_the_projects_own_configuration_holds(project: Project) -> None:
    project.write("pyproject.toml", "[tool.idemlint.lint]\nignore = ['IDM101']\n")
    assert project.found(".") == {"tools.py:9:5: IDM401"}


@pytest.mark.parametrize("way", ["--format=pylint", "format = pylint"])
def test_the_format_is_that_of_flake8(way: str, project: Project) -> None:
    if not way.startswith("-"):
        project.write("setup.cfg", f"[flake8]\n{way}\n")
    arguments = (way,) if way.startswith("-") else ()
    out = project.flake8("--select=IDM", *arguments, "keys.py").stdout
    assert out.startswith("keys.py:7: [IDM101] ")


def test_our_own_comments_suppress_nothing_twice(project: Project) -> None:
    # what flake8 does not read is not read for it: one place decides
    project.write("keys.py", KEYS.replace(".hex", ".hex  # idemlint: ignore[IDM101]"))
    assert project.found("--select=IDM", "keys.py") == {"keys.py:7:12: IDM101"}


def test_the_version_is_shown(project: Project) -> None:
    assert "idemlint: 0.1.0" in project.flake8("--version").stdout

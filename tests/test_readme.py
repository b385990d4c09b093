"""What the README says is so: its output, its tables, its commands and its configuration.

`pytest tests/test_readme.py --update` writes the output and the tables anew.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from marked import ROOT

from idemlint import __version__, catalogue
from idemlint.config.discovery import Resolver
from idemlint.hosts import cli
from idemlint.hosts.check import command as check_command
from idemlint.hosts.tools import command as tools_command

if TYPE_CHECKING:
    from pathlib import Path

README = ROOT / "README.md"
PREVIEW = " *(preview)*"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def rules_table() -> str:
    rows = [
        f"| [{rule.code}]({page(rule.page)}) | {rule.name}{PREVIEW if rule.is_preview else ''} "
        f"| {rule.summary} | {rule.severity.value} | {rule.fix} |"
        for rule in catalogue.rules().values()
    ]
    head = ["| code | name | what is wrong | severity | fix |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def operations_table() -> str:
    rows = [
        f"| [{entry.code}]({page(entry.page)}) | {entry.name} | {entry.summary} |"
        for entry in catalogue.operations().values()
    ]
    return "\n".join(["| operation | name | what to do |", "|---|---|---|", *rows])


def page(path: Path) -> str:
    return (
        (ROOT / "rules")
        .joinpath(path.relative_to(catalogue.rules_folder()))
        .relative_to(ROOT)
        .as_posix()
    )


def check_again(name: str, expected: str, request: pytest.FixtureRequest) -> None:
    """Compare what stands behind a comment in the README; with `--update` write it."""
    part = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->\n)", re.DOTALL)
    whole = f"<!-- {name} -->\n\n{expected}\n\n<!-- end -->\n"
    text = README.read_text(encoding="utf-8")
    if request.config.getoption("--update"):
        text = part.sub(lambda _: whole, text)
        README.write_text(text, encoding="utf-8")
    found = part.search(text)
    assert found is not None
    assert found[0] == whole


def test_the_table_of_rules_is_that_of_the_pages(request: pytest.FixtureRequest) -> None:
    check_again("rules", rules_table(), request)


def test_the_table_of_operations_is_that_of_the_pages(request: pytest.FixtureRequest) -> None:
    check_again("operations", operations_table(), request)


def test_the_output_is_what_is_printed(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.run(["check", "--isolated", "--no-cache", "examples"]) == 1
    out = capsys.readouterr().out
    shown = f"```text\n$ idemlint check examples\n{out}```"
    check_again("output: idemlint check examples", shown, request)


def test_the_inventory_is_what_is_printed(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.run(["tools", "--isolated", "examples"]) == 0
    out = capsys.readouterr().out
    shown = f"```text\n$ idemlint tools examples\n{out}```"
    check_again("output: idemlint tools examples", shown, request)


def commands() -> list[str]:
    """All calls of the command on the page."""
    code = "\n".join(
        blocks("console")
        + blocks("yaml")
        + blocks("groovy")
        + re.findall(r"`(idemlint [^`]+)`", TEXT)
    )
    found = re.findall(r"\bidemlint (?:check|tools|rule|config|scaffold|clean)\b[^\n|&'#]*", code)
    return sorted({call.strip() for call in found})


@pytest.mark.parametrize("call", commands())
def test_each_command_is_one(call: str) -> None:
    words = shlex.split(call)[1:]
    if words[0] == "check":
        check_command.make_context("idemlint check", words[1:])
    elif words[0] == "tools":
        tools_command.make_context("idemlint tools", words[1:])
    else:
        assert cli.run([words[0], "--help"]) == 0


@pytest.mark.parametrize("block", [text for text in blocks("toml") if "idemlint" in text])
def test_each_configuration_is_accepted(block: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block, encoding="utf-8")
    assert Resolver(tmp_path).root.root == tmp_path


def test_workflows_are_yaml() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    found = [yaml.safe_load(text) for text in blocks("yaml")]
    assert len(found) == 5
    assert all(found)


def test_the_hooks_are_those_of_the_repository() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["idemlint", "idemlint-fix"]
    assert [hook["entry"] for hook in hooks] == [
        "idemlint check --force-exclude",
        "idemlint check --force-exclude --fix",
    ]
    shown = yaml.safe_load(next(text for text in blocks("yaml") if "hooks:" in text))
    assert shown["repos"][0]["rev"] == f"v{__version__}"
    assert {hook["id"] for hook in shown["repos"][0]["hooks"]} <= {hook["id"] for hook in hooks}

"""What the README says to write for CI servers is run, on the example; so is the action."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
from marked import ROOT

from idemlint import __version__
from idemlint.hosts.check import command as check_command

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from terminals import Terminal

SECTION = (
    (ROOT / "README.md")
    .read_text(encoding="utf-8")
    .split("## Continuous integration\n", 1)[1]
    .split("\n## ", 1)[0]
)
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
USES = f"idemlint/idemlint@v{__version__}"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)


def commands(value: Any) -> Iterator[str]:
    """The command lines of a workflow, those of our action included."""
    if isinstance(value, dict):
        if value.get("uses") == USES:
            given = value.get("with", {})
            defaults = {name: entry["default"] for name, entry in ACTION["inputs"].items()}
            yield "idemlint {args} {src}".format(**{**defaults, **given})
        for entry in value.values():
            yield from commands(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from commands(entry)
    elif isinstance(value, str):
        yield from (row for row in value.splitlines() if row.startswith("idemlint "))


def snippets() -> dict[str, list[str]]:
    """The command lines by the heading that they stand under."""
    found: dict[str, list[str]] = {}
    for part in SECTION.split("\n### ")[1:]:
        lines = found.setdefault(part.splitlines()[0], [])
        for block in re.findall(r"^```yaml\n(.*?)^```$", part, re.MULTILINE | re.DOTALL):
            lines += commands(yaml.safe_load(block))
        lines += re.findall(r"sh '(idemlint [^']+)'", part)
        lines += re.findall(r"^(idemlint [^|\n]+?) \|", part, re.MULTILINE)
    return found


CALLS = [(place, line) for place, lines in snippets().items() for line in lines]


def test_each_server_has_its_call() -> None:
    places = [place for place, _ in CALLS]
    assert places == [
        "GitHub Actions", "GitHub Actions", "GitLab", "Azure Pipelines", "Jenkins", "reviewdog",
    ]  # fmt: skip


@pytest.mark.parametrize(("place", "line"), CALLS)
def test_the_call_writes_what_the_server_reads(terminal: Terminal, place: str, line: str) -> None:
    shutil.copytree(ROOT / "examples" / "refund_desk", terminal.folder, dirs_exist_ok=True)
    args = shlex.split(line)[1:]
    given = check_command.make_context("idemlint check", args[1:]).params

    done = terminal.idemlint(*args)

    assert (done.code, done.err) == (0 if given["exit_zero"] else 1, "")
    form, name = given["output_format"], given["output_file"]
    text = terminal.read(name) if name else done.out
    assert count(form, text) == 3
    if name:
        # the server is told to read the file that is written
        assert SECTION.count(name) >= 2


def count(form: str, text: str) -> int:
    if form in ("github", "azure"):
        return sum(
            row.startswith(("::error ", "##vso[task.logissue ")) for row in text.splitlines()
        )
    if form == "junit":
        return len(ET.fromstring(text).findall("testsuite/testcase"))
    document = json.loads(text)
    if form == "sarif":
        return len(document["runs"][0]["results"])
    return len(document["diagnostics"] if form == "rdjson" else document)


def test_the_action_is_named_by_its_release() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"uses: (idemlint/\S+)", text)) == {USES}


def test_the_action_passes_what_it_is_given(tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not there")
    program = tmp_path / "idemlint"
    program.write_text(
        f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\nsys.exit(1)\n"
    )
    program.chmod(0o755)
    step = ACTION["runs"]["steps"][1]
    environ = {"IDEMLINT": str(program), "ARGS": "check --fix  *", "SRC": "src 'x;y' $(id)"}
    assert environ.keys() - {"IDEMLINT"} == step["env"].keys()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout) == ["check", "--fix", "*", "src", "'x;y'", "$(id)"]


def test_inputs_reach_the_shell_as_variables_only() -> None:
    assert ACTION["runs"]["using"] == "composite"
    used = {
        name
        for step in ACTION["runs"]["steps"]
        for value in step["env"].values()
        for name in re.findall(r"\$\{\{ inputs\.(\w+) \}\}", value)
    }
    assert used == ACTION["inputs"].keys()
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])

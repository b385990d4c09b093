"""Each format beside what Ruff prints of the same findings."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from ruff_beside import Beside, printed_in

from idemlint.output.statistics import render_statistics

if TYPE_CHECKING:
    from pathlib import Path

_FILES = {
    "a.py": "import os\nimport sys  # noqa: F401\n\n\ndef f(x=[]):\n    return None == x\n",
    "folder/wide.py": 'def g():\n\tx = "日本語" == None\n\té = 1\n\treturn "\U0001d4b3" == None\n',
    "rows.py": (
        'value = 1\nprint("%s %s"\n    % (\n        value,\n    )\n)\nprint(\n    """%s %s"""\n'
        "    % (value,)\n)\n"
    ),
    "twice.py": "import os, sys\nfrom re import match\nx = lambda: 1; y = lambda: 2\n#print(1)\n",
    "many.py": "".join(f"import m{number}\n" for number in range(12)),
    "no_newline.py": "import os",
    "broken.py": "import os\ndef f(:\n",
    "bytes.py": b"x = '\xff'\n",
    "crlf.py": "import os\r\nx = 1\r\n",
}
_FLAGS = ("--select", "F,B,E70,E71,E9,ERA", "--exit-zero", ".")


@pytest.fixture
def beside(tmp_path: Path) -> Beside:
    for name, content in _FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Beside(tmp_path, _FLAGS)


@pytest.mark.parametrize("unsafe", [None, True, False])
@pytest.mark.parametrize("name", ["concise", "grouped"])
def test_lines_are_those_of_ruff(beside: Beside, name: str, unsafe: bool | None) -> None:
    flag = {None: [], True: ["--unsafe-fixes"], False: ["--no-unsafe-fixes"]}[unsafe]
    assert printed_in(beside.report(unsafe_fixes=unsafe), name) == beside.ruff(
        "--output-format", name, *flag
    )


@pytest.mark.parametrize("name", ["concise", "grouped"])
def test_colours_are_those_of_ruff(beside: Beside, name: str) -> None:
    ours = printed_in(beside.report(color=True), name)
    assert ours == beside.ruff("--output-format", name, "--color", "always")


def test_frames_and_diffs_are_those_of_ruff(beside: Beside) -> None:
    report = beside.report()
    single = [entry for entry in report.diagnostics if entry.code != "invalid-syntax"]
    theirs = beside.ruff("--output-format", "full").replace("\r\n", "\n")
    theirs = re.sub(r"invalid-syntax: .*?\n\n", "", theirs, flags=re.DOTALL)
    theirs = theirs[: theirs.index("Found ")]
    ours = printed_in(replace(report, diagnostics=single), "full")
    assert ours[: ours.index("Found ")] == theirs


def test_a_syntax_error_has_the_frame_of_ruff(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = = 2\nz = 3\n")
    beside = Beside(tmp_path, ("--exit-zero", "a.py"))
    assert printed_in(beside.report(), "full") == beside.ruff()


@pytest.mark.parametrize("name", ["pylint", "azure", "json-lines", "gitlab", "json"])
def test_nothing_found_is_written_as_ruff_writes_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    beside = Beside(tmp_path, ("a.py",))
    assert printed_in(beside.report(), name) == beside.ruff("--output-format", name)


@pytest.mark.parametrize("name", ["concise", "full", "grouped"])
def test_nothing_found_is_said_as_ruff_says_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    beside = Beside(tmp_path, ("a.py",))
    assert printed_in(beside.report(), name) == beside.ruff("--output-format", name)
    assert printed_in(beside.report(quiet=True), name) == ""


@pytest.mark.parametrize("name", ["pylint", "azure"])
def test_machine_lines_are_those_of_ruff(beside: Beside, name: str) -> None:
    assert printed_in(beside.report(), name) == beside.ruff("--output-format", name)


def test_github_commands_are_those_of_ruff_with_percent_signs_escaped(beside: Beside) -> None:
    theirs = beside.ruff("--output-format", "github", "--ignore", "F811")
    theirs = theirs.replace("title=ruff", "title=idemlint").replace("`%`", "`%25`")
    report = beside.report()
    kept = [entry for entry in report.diagnostics if entry.code != "F811"]
    ours = printed_in(replace(report, diagnostics=kept), "github")
    assert _without_help(ours) == _without_help(theirs)
    assert ours.splitlines()[0] == theirs.splitlines()[0]
    assert "%0A  help: Remove unused import: `os`\n" in ours


def _without_help(text: str) -> str:
    """Ruff also prints a help where there is no fix, which its JSON does not have."""
    return re.sub(r"%0A  help: .*", "", text)


def test_junit_is_that_of_ruff(beside: Beside) -> None:
    theirs = beside.ruff("--output-format", "junit").replace("org.ruff", "org.idemlint")
    theirs = theirs.replace('name="ruff"', 'name="idemlint"')
    assert printed_in(beside.report(), "junit") == theirs


def test_junit_of_nothing_is_that_of_ruff(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    beside = Beside(tmp_path, ("a.py",))
    assert printed_in(beside.report(), "junit") == beside.ruff("--output-format", "junit").replace(
        "ruff", "idemlint"
    )


@pytest.mark.parametrize("name", ["json", "json-lines"])
def test_json_has_the_keys_of_ruff_and_four_more(beside: Beside, name: str) -> None:
    ours = printed_in(beside.report(), name)
    theirs = beside.ruff("--output-format", name)
    assert _own_keys_removed(ours, name) == _objects(theirs, name)
    assert [len(line) - len(line.lstrip()) for line in ours.splitlines()[:2]] == [
        len(line) - len(line.lstrip()) for line in theirs.splitlines()[:2]
    ]
    assert ours.endswith("\n") is theirs.endswith("\n")


def _objects(text: str, name: str) -> list[dict[str, Any]]:
    if name == "json":
        found: list[dict[str, Any]] = json.loads(text)
        return found
    return [json.loads(line) for line in text.splitlines()]


def _own_keys_removed(text: str, name: str) -> list[dict[str, Any]]:
    own = {"operation", "reason", "related", "suggestion"}
    return [
        {key: value for key, value in entry.items() if key not in own}
        for entry in _objects(text, name)
    ]


def test_gitlab_issues_are_those_of_ruff_but_for_the_fingerprints(beside: Beside) -> None:
    ours = json.loads(printed_in(beside.report(), "gitlab"))
    theirs = json.loads(beside.ruff("--output-format", "gitlab"))
    for entry in (*ours, *theirs):
        assert re.fullmatch("[0-9a-f]{1,16}", entry.pop("fingerprint"))
    assert ours == theirs


def test_rdjson_is_that_of_ruff_with_a_severity_for_each_finding(beside: Beside) -> None:
    ours = json.loads(printed_in(beside.report(), "rdjson"))
    theirs = json.loads(beside.ruff("--output-format", "rdjson"))
    assert {entry.pop("severity") for entry in ours["diagnostics"]} == {"ERROR"}
    assert ours.pop("source")["name"] == "idemlint"
    assert theirs.pop("source")["name"] == "ruff"
    assert ours == theirs


def test_sarif_results_hold_all_that_those_of_ruff_hold(beside: Beside) -> None:
    [ours] = json.loads(printed_in(beside.report(), "sarif"))["runs"]
    [theirs] = json.loads(beside.ruff("--output-format", "sarif"))["runs"]
    for result in ours["results"]:
        assert len(result.pop("partialFingerprints")) == 1
        for fix in result.get("fixes", []):
            assert fix.pop("properties").keys() == {"applicability"}
    assert ours["results"] == theirs["results"]


@pytest.mark.parametrize("flag", [[], ["--unsafe-fixes"]])
@pytest.mark.parametrize("color", [False, True])
def test_statistics_are_those_of_ruff(
    beside: Beside, flag: list[str], color: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    report = beside.report(unsafe_fixes=bool(flag) or None, color=color)
    render_statistics(report, sys.stdout, as_json=False)
    colors = ["--color", "always"] if color else []
    theirs = beside.ruff("--statistics", *flag, *colors).replace("\x1b[1;31m", "\x1b[1m\x1b[31m")
    theirs = theirs.replace("\x1b[1m\x1b[31m\x1b[0m", "")  # around no code at all
    ours = capsys.readouterr().out
    assert sorted(ours.splitlines()) == sorted(theirs.splitlines())
    counts = [
        int(re.sub(r"\x1b\[\d+m", "", line).split("\t")[0]) for line in ours.splitlines()[:-2]
    ]
    assert counts == sorted(counts, reverse=True)


def test_statistics_as_json_are_those_of_ruff(
    beside: Beside, capsys: pytest.CaptureFixture[str]
) -> None:
    render_statistics(beside.report(), sys.stdout, as_json=True)
    ours = json.loads(capsys.readouterr().out)
    theirs = json.loads(beside.ruff("--statistics", "--output-format", "json"))
    assert sorted(ours, key=lambda row: row["name"]) == sorted(theirs, key=lambda row: row["name"])


def test_statistics_of_nothing_are_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    beside = Beside(tmp_path, ("a.py",))
    for as_json in (False, True):
        render_statistics(beside.report(), sys.stdout, as_json=as_json)
    assert capsys.readouterr().out == beside.ruff("--statistics")
    assert beside.ruff("--statistics") == ""

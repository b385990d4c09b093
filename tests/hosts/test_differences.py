"""The intended differences from Ruff: each row of the README's table is shown by a test, and no other."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from marked import ROOT
from test_notebooks_beside_ruff import CELLS, notebook

if TYPE_CHECKING:
    from collections.abc import Callable

    from terminals import Terminal

README = (ROOT / "README.md").read_text(encoding="utf-8")
UNKNOWN = "import os  # noqa: IDM999\n"
OURS, THEIRS = ("--select", "IDM002"), ("--select", "F401")
DESK = (ROOT / "examples" / "refund_desk" / "desk.py").read_text(encoding="utf-8")

SHOWN: dict[str, Callable[[Terminal], None]] = {}


def shows(row: str) -> Callable[[Callable[[Terminal], None]], Callable[[Terminal], None]]:
    """The function shows the row of the table that begins with that text."""

    def add(function: Callable[[Terminal], None]) -> Callable[[Terminal], None]:
        SHOWN[row] = function
        return function

    return add


def ours(terminal: Terminal, *args: str) -> str:
    return terminal.idemlint("check", "--no-cache", *args).out


def theirs(terminal: Terminal, *args: str) -> str:
    return terminal.ruff("check", "--no-cache", *args).out


def documents(terminal: Terminal, form: str, name: str) -> tuple[Any, Any]:
    args = ("--isolated", "--output-format", form, name)
    return (
        json.loads(ours(terminal, *args, *OURS)),
        json.loads(theirs(terminal, *args, *THEIRS)),
    )


@shows("rules without a selection")
def _(terminal: Terminal) -> None:
    terminal.write(m_py="")
    enabled = ours(terminal, "--isolated", "--show-settings").split("linter.rules.enabled = [")[1]
    assert enabled.split("]")[0].count("(IDM") == 20


@shows("`# ruff: noqa` and `# flake8: noqa`")
def _(terminal: Terminal) -> None:
    terminal.write(m_py=f"# ruff: noqa\n{UNKNOWN}")
    assert "F401" not in theirs(terminal, "--isolated", *THEIRS)
    assert "IDM002" in ours(terminal, "--isolated", *OURS)
    terminal.write(m_py=f"# ruff: noqa: IDM002\n{UNKNOWN}")
    assert "IDM002" not in ours(terminal, "--isolated", *OURS)


@shows("`noqa` for a rule that does not run")
def _(terminal: Terminal) -> None:
    terminal.write(m_py="x = 1  # noqa: F401, IDM101\n")
    assert "non-enabled: `F401`" in theirs(terminal, "--isolated", "--select", "RUF100")
    assert "passed" in ours(terminal, "--isolated", "--select", "IDM001")


@shows("names of rules in brackets")
def _(terminal: Terminal) -> None:
    names = "# ruff: file-ignore[unused-import]\n# idemlint: file-ignore[blanket-noqa-with-typo]\n"
    terminal.write(m_py=names + UNKNOWN)
    assert "F401" in theirs(terminal, "--isolated", *THEIRS)
    assert "IDM002" not in ours(terminal, "--isolated", *OURS)


@shows("codes with `--preview`")
def _(terminal: Terminal) -> None:
    terminal.write(m_py=UNKNOWN)
    args = ("--isolated", "--preview", "--output-format", "concise")
    assert ": unused-import: " in theirs(terminal, *args, *THEIRS)
    assert ": IDM002 " in ours(terminal, *args, *OURS)


@shows("`select` outside of `lint`")
def _(terminal: Terminal) -> None:
    terminal.write(m_py="", **{"ruff.toml": "select = ['F']", "idemlint.toml": "select = ['IDM']"})
    assert terminal.ruff("check").code == 0
    done = terminal.idemlint("check")
    assert (done.code, "unknown field `select`" in done.err) == (2, True)


@shows("an unknown key outside of `lint`")
def _(terminal: Terminal) -> None:
    text = "[tool.{}]\nline-length = 80\nfoo = 1\n"
    terminal.write(**{"pyproject.toml": text.format("ruff")})
    assert "at line 1, column 1" in terminal.ruff("check").err
    terminal.write(**{"pyproject.toml": text.format("idemlint")})
    assert "at line 3, column 1" in terminal.idemlint("check").err


@shows("a version that cannot be read")
def _(terminal: Terminal) -> None:
    for name in ("ruff.toml", "idemlint.toml"):
        terminal.write(**{name: 'required-version = "new"\n'})
    ours, theirs = terminal.idemlint("check").err, terminal.ruff("check").err
    head = "Failed to parse version: Unexpected "
    assert f"{head}version specifier: `new`" in ours
    assert f"{head}end of version specifier, expected operator" in theirs


@shows("TOML files")
def _(terminal: Terminal) -> None:
    terminal.write(m_py="", **{"pyproject.toml": ""})
    assert len(theirs(terminal, "--show-files").splitlines()) == 2
    assert len(ours(terminal, "--show-files").splitlines()) == 1


@shows("links to files outside of the project")
def _(terminal: Terminal) -> None:
    outside = terminal.folder.parent / "outside.py"
    outside.write_text(UNKNOWN)
    (terminal.folder / "link.py").symlink_to(outside)
    assert "link.py" in theirs(terminal, "--isolated", *THEIRS)
    assert "link.py" not in ours(terminal, "--isolated", *OURS)
    assert "link.py" in ours(terminal, "--isolated", *OURS, "link.py")


@shows("`json`, `json-lines`")
def _(terminal: Terminal) -> None:
    terminal.write(m_py=UNKNOWN)
    [mine], [its] = documents(terminal, "json", "m.py")
    assert mine.keys() - its.keys() == {"operation", "reason", "related", "suggestion"}
    assert (mine["severity"], its["severity"]) == ("warning", "error")


@shows("`sarif`")
def _(terminal: Terminal) -> None:
    terminal.write(m_py=DESK)
    args = ("--isolated", "--select", "IDM201", "--output-format", "sarif")
    [result] = json.loads(ours(terminal, *args))["runs"][0]["results"]
    assert {"codeFlows", "partialFingerprints", "relatedLocations"} <= result.keys()


@shows("the summary")
def _(terminal: Terminal) -> None:
    terminal.write(m_py=DESK + UNKNOWN)
    assert "\n2 proven duplicates, 1 warning.\n" in ours(terminal, "--isolated")


@shows("help in `full`")
def _(terminal: Terminal) -> None:
    terminal.write(m_py=DESK)
    assert "\n   = help: Move the effect behind the pause (OP-6: " in ours(terminal, "--isolated")


@shows("notebooks in `sarif` and `rdjson`")
def _(terminal: Terminal) -> None:
    terminal.write(**{"n.ipynb": notebook([UNKNOWN])})
    mine, its = documents(terminal, "rdjson", "n.ipynb")
    assert "range" not in mine["diagnostics"][0]["location"]
    assert its["diagnostics"][0]["location"]["range"]["start"]["line"] == 1
    mine, its = documents(terminal, "sarif", "n.ipynb")
    assert "fixes" not in mine["runs"][0]["results"][0]
    assert "fixes" in its["runs"][0]["results"][0]


@shows("fixes in notebooks")
def _(terminal: Terminal) -> None:
    text = json.dumps(json.loads(notebook([UNKNOWN, "x = 1"])), indent=4)
    for run, select in ((ours, OURS), (theirs, THEIRS)):
        terminal.write(**{"n.ipynb": text})
        run(terminal, "--isolated", "--fix", *select)
        after = terminal.read("n.ipynb")
        rows = set(after.splitlines()) ^ set(text.splitlines())
        assert (len(rows) < 4) is (run is ours)


@shows("notebooks in `grouped`")
def _(terminal: Terminal) -> None:
    terminal.write(**{"n.ipynb": notebook(CELLS[0], CELLS[1], [UNKNOWN])})
    text = theirs(terminal, "--isolated", *THEIRS, "--output-format", "grouped")
    assert "   cell 2:2:8 F401" in text
    assert ours(terminal, "--isolated", *OURS, "--output-format", "grouped").startswith(
        "n.ipynb:\n  cell 4:1:20 IDM002"
    )


@shows("a notebook that is no JSON")
def _(terminal: Terminal) -> None:
    terminal.write(**{"n.ipynb": "{"})
    assert "1 |\n" in theirs(terminal, "--isolated")
    assert "1 | {\n" in ours(terminal, "--isolated")


@shows("commands and flags")
def _(terminal: Terminal) -> None:
    for line in ("format", "analyze", "check --add-ignore", "check --line-length 80"):
        assert terminal.idemlint(*line.split()).code == 2
    for line in ("scaffold --help", "check --baseline x --update-baseline"):
        assert terminal.idemlint(*line.split()).code == 0
        assert terminal.ruff(*line.split()).code == 2


def rows() -> list[str]:
    """The first cells of the table."""
    table = README.split("## Differences from Ruff\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| (.*?) \|", table, re.MULTILINE)[1:]


def test_each_row_of_the_table_is_shown() -> None:
    assert rows() == list(SHOWN)


@pytest.mark.parametrize("row", SHOWN)
def test_the_difference_is_there(terminal: Terminal, row: str) -> None:
    SHOWN[row](terminal)

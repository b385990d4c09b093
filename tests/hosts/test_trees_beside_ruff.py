"""The same tree checked by both programs: which files, which exit code, which words.

Each file has one finding of Ruff (F401) and one of ours (IDM002); what is written is compared with the
codes in each other's place, so that only places inside of a row and messages are left out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from terminals import Result

if TYPE_CHECKING:
    from terminals import Terminal

TEXT = "import os  # noqa: IDM999\n"
BOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": TEXT,
            }
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
)
TREE = (
    "a.py", "b.pyi", "script.pyw", "data.txt", "ignored.py", "out/o.py", ".hidden/f.py",
    "pkg/e.py", "pkg/c.py", "pkg/sub/d.py", "tests/test_a.py", "tests/deep/test_b.py",
    "venv/g.py", "node_modules/h.py", "migrations/0001.py", "with space/i j.py", "é/ü.py",
)  # fmt: skip
CODES = {
    "{code}": ("IDM002", "F401"),
    "{prefix}": ("IDM0", "F4"),
    "{all}": ("IDM", "F"),
    "{select}": ("IDM002", "F401,E902"),
}
ROW = re.compile(r"^(?P<path>.+?)(?P<cell>:cell \d+)?:\d+:\d+: (?P<code>\w+) .*$", re.MULTILINE)
ORDER = re.compile(r"^(?:warning|  Cause): .*$", re.MULTILINE)


def spelled(text: str, *, is_ours: bool) -> str:
    for name, codes in CODES.items():
        text = text.replace(name, codes[0 if is_ours else 1])
    return text if is_ours else text.replace("idemlint", "ruff")


class Both:
    """A tree, and what both programs make of it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        for name in TREE:
            self.write(name, TEXT)
        self.write("n.ipynb", BOOK)
        self.write(".gitignore", "ignored.py\n/out/\n")
        folder = terminal.folder
        (folder / ".git").mkdir()
        (folder / "link.py").symlink_to("a.py")
        (folder / "linked").symlink_to("pkg", target_is_directory=True)

    def write(self, name: str, text: str) -> None:
        path = self.terminal.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, line: str, files: dict[str, str] | None = None) -> tuple[Result, Result]:
        """What we and what Ruff write, told alike; `files` are configurations, named as ours."""
        for name, text in (files or {}).items():
            mine, theirs = spelled(text, is_ours=True), spelled(text, is_ours=False)
            if "idemlint" in name:
                self.write(name.replace("idemlint", "ruff"), theirs)
            else:
                mine += theirs if "idemlint" in text else ""
            self.write(name, mine)
        args = line.split()
        ours = self.terminal.idemlint(
            "check", "--no-cache", *(spelled(arg, is_ours=True) for arg in args)
        )
        theirs = self.terminal.ruff(
            "check", "--no-cache", *(spelled(arg, is_ours=False) for arg in args)
        )
        return self._alike(ours), self._alike(theirs)

    def _alike(self, result: Result) -> Result:
        out, err = (self._told(text) for text in (result.out, result.err))
        # the line that the README's table tells of
        out = re.sub(r"^1 unreadable file, 1 warning\.\n", "", out, flags=re.MULTILINE)
        shown = ROW.sub(r"\g<path>\g<cell> \g<code>", out)
        # what only Ruff takes for its own file
        rows = [row for row in shown.splitlines() if not row.endswith((".toml", ".md"))]
        return Result(result.code, "\n".join(rows), err)

    def _told(self, text: str) -> str:
        text = text.replace("idemlint", "ruff")
        for ours, theirs in CODES.values():
            text = re.sub(rf"\b{ours}\b", theirs, text)
        return text


@pytest.fixture
def both(terminal: Terminal) -> Both:
    return Both(terminal)


FLAGS = [
    ".",
    "a.py",
    "pkg tests",
    "a.py ./a.py pkg/../a.py",
    "pkg pkg/c.py pkg/sub",
    "data.txt script.pyw",
    "n.ipynb",
    "ignored.py",
    "out",
    "out/o.py",
    "venv",
    "venv/g.py",
    "link.py",
    "linked",
    "linked/c.py",
    "link.py a.py",
    "missing.py a.py",
    "missing",
    ".hidden",
    "é",
    "--no-respect-gitignore .",
    "--force-exclude ignored.py",
    "--force-exclude venv/g.py a.py",
    "--force-exclude venv",
    "--exclude pkg .",
    "--exclude pkg/* .",
    "--exclude pkg/sub .",
    "--exclude **/d.py .",
    "--exclude ./pkg .",
    "--exclude pkg/ .",
    "--exclude *.pyi,tests .",
    "--exclude a.py a.py",
    "--exclude a.py --force-exclude a.py",
    "--exclude a.py --force-exclude --no-force-exclude a.py",
    "--exclude pkg --force-exclude pkg/sub/d.py pkg",
    "--extend-exclude test_*.py .",
    "--extend-exclude tests --extend-exclude migrations .",
    "--extend-exclude migrations migrations",
    "--extend-exclude é .",
    "--exclude ?.py .",
    "--exclude ??.py .",
    "--exclude [!a].py .",
    "--exclude [ü].py .",
    "--exclude é/*.py .",
    "--exclude ?? .",
    "--per-file-ignores a.py:{code} .",
    "--per-file-ignores pkg/*:{prefix} .",
    "--per-file-ignores pkg:{all} .",
    "--per-file-ignores !pkg/**:{code} .",
    "--per-file-ignores test_*.py:{code},a.py:{all} .",
    "--per-file-ignores *.ipynb:{code} n.ipynb",
    "--extend-per-file-ignores tests/**:{code} .",
    "--ignore {code} .",
    "--ignore {prefix} a.py",
    "--extend-select {code} --ignore {all} a.py",
    "--extend-ignore {code} a.py",
    "--exit-zero .",
    "--exit-zero missing.py",
    "--quiet pkg",
    "--silent pkg",
    "--exclude * .",
    "--show-files .",
    "--show-files pkg a.py",
    "--show-files --exclude pkg .",
    "--show-files --no-respect-gitignore .",
    "--show-files --force-exclude venv/g.py a.py",
    "--show-files linked link.py",
]


@pytest.mark.parametrize("line", FLAGS)
def test_flags_choose_the_same_files_and_end_alike(both: Both, line: str) -> None:
    ours, theirs = both.run(f"--isolated --select {{select}} --output-format concise {line}")
    assert ours == theirs


SELECT = '[lint]\nselect = ["{code}"]\n'
CONFIGURATIONS: dict[str, dict[str, str]] = {
    "nothing": {"idemlint.toml": SELECT},
    "exclude": {"idemlint.toml": f'exclude = ["pkg", "*.pyi"]\n{SELECT}'},
    "extend-exclude": {"idemlint.toml": f'extend-exclude = ["tests/deep", "a.py"]\n{SELECT}'},
    "include": {"idemlint.toml": f'include = ["pkg/**/*.py"]\n{SELECT}'},
    "extend-include": {"idemlint.toml": f'extend-include = ["*.pyw", "data.txt"]\n{SELECT}'},
    "gitignore off": {"idemlint.toml": f"respect-gitignore = false\n{SELECT}"},
    "lint.exclude": {"idemlint.toml": f'{SELECT}exclude = ["pkg/*", "a.py"]\n'},
    "select nothing": {"idemlint.toml": "[lint]\nselect = []\n"},
    "ignore": {"idemlint.toml": f'{SELECT}ignore = ["{{code}}"]\n'},
    "ignore a prefix": {"idemlint.toml": f'{SELECT}ignore = ["{{prefix}}"]\n'},
    "select a prefix": {"idemlint.toml": '[lint]\nselect = ["{prefix}"]\nignore = ["{all}"]\n'},
    "files": {"idemlint.toml": f'{SELECT}per-file-ignores = {{"pkg/*" = ["{{code}}"]}}\n'},
    "all files but": {"idemlint.toml": f'{SELECT}per-file-ignores = {{"!pkg/*" = ["{{all}}"]}}\n'},
    "names of files": {"idemlint.toml": f'{SELECT}per-file-ignores = {{"test_*" = ["{{all}}"]}}\n'},
    "braces": {
        "idemlint.toml": f'{SELECT}per-file-ignores = {{"{{{{a,b}}}}.py*" = ["{{all}}"]}}\n'
    },
    "more files": {
        "idemlint.toml": f'{SELECT}[lint.extend-per-file-ignores]\n"tests/**" = ["{{code}}"]\n'
    },
    "format": {"idemlint.toml": f'output-format = "grouped"\n{SELECT}'},
    "table": {"pyproject.toml": '[tool.idemlint.lint]\nselect = ["{code}"]\nignore = ["{all}"]\n'},
    "bare wins": {
        "idemlint.toml": SELECT,
        "pyproject.toml": "[tool.idemlint.lint]\nselect = []\n",
    },
    "hidden wins": {".idemlint.toml": SELECT, "idemlint.toml": "[lint]\nselect = []\n"},
    "nested": {"idemlint.toml": SELECT, "pkg/idemlint.toml": "[lint]\nselect = []\n"},
    "nested twice": {
        "idemlint.toml": SELECT,
        "pkg/idemlint.toml": "[lint]\nselect = []\n",
        "pkg/sub/idemlint.toml": SELECT,
    },
    "nested extends": {
        "idemlint.toml": SELECT,
        "pkg/idemlint.toml": 'extend = "../idemlint.toml"\nextend-exclude = ["sub"]\n',
    },
    "nested extends and ignores": {
        "idemlint.toml": SELECT,
        "pkg/idemlint.toml": 'extend = "../idemlint.toml"\n[lint]\nextend-ignore = ["{prefix}"]\n',
    },
    "nested excludes": {
        "idemlint.toml": SELECT,
        "tests/idemlint.toml": f'exclude = ["deep"]\n{SELECT}',
    },
    "nested files": {
        "idemlint.toml": SELECT,
        "pkg/idemlint.toml": f'{SELECT}per-file-ignores = {{"sub/*" = ["{{code}}"]}}\n',
    },
    "excluded with its configuration": {
        "idemlint.toml": f'exclude = ["pkg"]\n{SELECT}',
        "pkg/idemlint.toml": "broken",
    },
    "another language": {
        "idemlint.toml": f'extension = {{txt = "python"}}\nextend-include = ["*.txt"]\n{SELECT}'
    },
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configurations_are_followed_alike(both: Both, name: str) -> None:
    line = "" if name == "format" else "--output-format concise"
    ours, theirs = both.run(line, CONFIGURATIONS[name])
    if name == "format":
        ours, theirs = (Result(each.code, plain(each.out), each.err) for each in (ours, theirs))
    assert ours == theirs


def plain(text: str) -> str:
    """Without columns and messages."""
    return re.sub(r"^ +((?:cell \d+:)?\d+):\d+ (\w+) .*$", r"\1 \2", text, flags=re.MULTILINE)


PKG = f'{SELECT}per-file-ignores = {{"pkg/*" = ["{{all}}"]}}\n'
FORCED = f'exclude = ["pkg"]\nforce-exclude = true\n{SELECT}'
CALLS = [
    ("--force-exclude pkg/c.py a.py", {"idemlint.toml": f'exclude = ["pkg"]\n{SELECT}'}),
    ("pkg/c.py", {"idemlint.toml": f'exclude = ["pkg"]\n{SELECT}'}),
    ("pkg/c.py", {"idemlint.toml": FORCED}),
    ("--no-force-exclude pkg/c.py", {"idemlint.toml": FORCED}),
    ("pkg/c.py", {"idemlint.toml": f'{SELECT}exclude = ["pkg/*"]\n'}),
    ("--extend-select {code} a.py", {"idemlint.toml": '[lint]\nselect = []\n'}),
    ("--select {code} a.py", {"idemlint.toml": f'{SELECT}ignore = ["{{code}}"]\n'}),
    ("--ignore {code} a.py", {"idemlint.toml": SELECT}),
    ("--isolated --select {code} a.py", {"idemlint.toml": "broken"}),
    ("--config idemlint-2.toml a.py", {"idemlint.toml": "broken", "idemlint-2.toml": SELECT}),
    ("--config lint.select=['{code}'] a.py", {"idemlint.toml": "[lint]\nselect = []\n"}),
    ("--config exclude=['pkg'] .", {"idemlint.toml": SELECT}),
    ("--per-file-ignores a.py:{code} .", {"idemlint.toml": PKG}),
    ("--extend-per-file-ignores a.py:{code} .", {"idemlint.toml": PKG}),
    ("--exclude tests .", {"idemlint.toml": f'exclude = ["pkg"]\n{SELECT}'}),
    ("--extend-exclude tests .", {"idemlint.toml": f'exclude = ["pkg"]\n{SELECT}'}),
    ("--show-files", {"idemlint.toml": f'include = ["pkg/*"]\n{SELECT}exclude = ["pkg/c.py"]\n'}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "files"), CALLS, ids=[line for line, _ in CALLS])
def test_flags_and_configurations_meet_alike(both: Both, line: str, files: dict[str, str]) -> None:
    ours, theirs = both.run(f"--output-format concise {line}", files)
    assert ours == theirs


BROKEN = {
    "no TOML": {"idemlint.toml": "[lint\n"},
    "a wrong type": {"idemlint.toml": 'fix = "yes"\n'},
    "an unknown rule": {"idemlint.toml": '[lint]\nselect = ["XYZ1"]\n'},
    "an unknown rule of a file": {"idemlint.toml": '[lint.per-file-ignores]\n"a.py" = ["XYZ1"]\n'},
    "another version": {"idemlint.toml": 'required-version = ">=99"\n'},
    "an unknown format": {"idemlint.toml": 'output-format = "html"\n'},
    "an unknown target": {"idemlint.toml": 'target-version = "3.9"\n'},
    "a file to extend that is not there": {"idemlint.toml": 'extend = "none.toml"\n'},
    "files that extend each other": {
        "idemlint.toml": 'extend = "pkg/idemlint.toml"\n',
        "pkg/idemlint.toml": 'extend = "../idemlint.toml"\n',
    },
    "a wrong pattern": {"idemlint.toml": 'exclude = ["a[b"]\n'},
    "a nested file that is broken": {"idemlint.toml": SELECT, "pkg/idemlint.toml": "fix = 3\n"},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_configuration_that_cannot_be_used_is_refused_alike(both: Both, name: str) -> None:
    ours, theirs = both.run("", BROKEN[name])
    version = r"running version `[\d.]+`"
    ours, theirs = (
        Result(each.code, each.out, re.sub(version, "running version", each.err))
        for each in (ours, theirs)
    )
    assert ours == theirs
    assert ours.code == 2


SYNTAX = {
    "wide characters": 'x = "日本語" 1\n',
    "astral characters": 'x = "\U0001d4b3\U0001d4b3" 1\n',
    "combining characters": 'é = "e\u0301" 1\n',
    "tabs": "if x:\n\t\ty = = 1\n",
    "byte order mark": "\ufeffx = = 1\n",
    "carriage returns": "x = 1\r\ny = = 2\r\n",
    "lone carriage returns": "x = 1\ry = = 2\r",
    "form feed": "x = 1\n\x0cy = = 2\n",
    "no last newline": "x = = 1",
    "several": "x = = 1\ny = 2\nz = = 3\n",
}


@pytest.mark.parametrize("name", SYNTAX)
@pytest.mark.parametrize("form", ["concise", "json"])
def test_columns_of_any_text_are_those_of_ruff(terminal: Terminal, name: str, form: str) -> None:
    (terminal.folder / "m.py").write_bytes(SYNTAX[name].encode())
    args = ("check", "--isolated", "--no-cache", "--output-format", form, "m.py")
    ours, theirs = terminal.idemlint(*args), terminal.ruff(*args)
    if form == "json":
        own = {"operation", "reason", "related", "suggestion"}
        found = [
            {key: value for key, value in entry.items() if key not in own}
            for entry in json.loads(ours.out)
        ]
        assert found == json.loads(theirs.out)
    else:
        assert ours == theirs


FORMATS = ["json", "json-lines", "gitlab", "rdjson", "sarif"]


def shape(value: Any) -> Any:
    """What keys there are, and of which types their values are."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


def missing(theirs: Any, ours: Any, place: str = "") -> list[str]:
    """Where Ruff's document has what ours has not, or not of that type."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return [
            told
            for key, value in theirs.items()
            for told in missing(value, ours.get(key), f"{place}.{key}")
        ]
    if isinstance(theirs, list) and isinstance(ours, list):
        pairs = zip(theirs, ours, strict=False)
        return [told for one, other in pairs for told in missing(one, other, f"{place}[]")]
    return [] if theirs == ours else [f"{place}: {theirs} {ours}"]


DOCUMENTS = [(form, "a.py") for form in FORMATS] + [
    # the others know only rows of files: there we leave out what would lead astray
    (form, "n.ipynb")
    for form in ("json", "json-lines", "gitlab")
]


@pytest.mark.parametrize(("form", "name"), DOCUMENTS)
def test_documents_have_the_keys_and_types_of_ruff(both: Both, form: str, name: str) -> None:
    args = ("check", "--isolated", "--no-cache", "--output-format", form, name)
    ours = json.loads(both.terminal.idemlint(*args, "--select", "IDM002").out)
    theirs = json.loads(both.terminal.ruff(*args, "--select", "F401").out)
    assert ours
    assert missing(shape(theirs), shape(ours)) == []

"""Files that are hard to read: a clear line for each, the others still checked, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from idemlint.analysis import Analysis
from idemlint.hosts import cli

if TYPE_CHECKING:
    from terminals import Terminal

    from idemlint.diagnostic import Diagnostic

TOOL = '''\
import smtplib

from langchain.tools import tool


@tool
def send_mail(to: str) -> str:
    """Send a mail."""
    smtplib.SMTP("mail.example.com").sendmail("shop@example.com", to, "Hello")
    return "sent"
'''
FAULT = [("IDM401", 7)]
NOT_UTF8 = [("E902", 1)]
END = TOOL.count("\n") + 1
DEEP = 5_000
LONG = 2_000_000


def with_end(text: str) -> bytes:
    return f"{TOOL}{text}".encode()


FILES: dict[str, tuple[bytes, list[tuple[str, int]]]] = {
    "empty": (b"", []),
    "only_a_comment": (b"# nothing", []),
    "only_empty_lines": (b"\n\n \n", []),
    "binary": (bytes(range(256)) * 40, NOT_UTF8),
    "utf_16": (TOOL.encode("utf-16"), NOT_UTF8),
    "latin_1": (with_end("# caf\u00e9\n").replace("\u00e9".encode(), b"\xe9"), NOT_UTF8),
    "latin_1_with_a_coding_line": (b"# -*- coding: latin-1 -*-\n# caf\xe9\n", NOT_UTF8),
    "half_a_character": (TOOL.encode() + b"# \xe2\x82", NOT_UTF8),
    "coding_line_of_ascii": (b"# -*- coding: ascii -*-\n" + TOOL.encode(), [("IDM401", 8)]),
    "byte_order_mark": (b"\xef\xbb\xbf" + TOOL.encode(), FAULT),
    "carriage_returns_and_newlines": (TOOL.replace("\n", "\r\n").encode(), FAULT),
    "carriage_returns": (TOOL.replace("\n", "\r").encode(), FAULT),
    "mixed_newlines": (TOOL.replace("\n\n", "\r\n\n").encode(), FAULT),
    "form_feeds": (TOOL.replace("\n\n\n", "\n\f\n\f\n").encode(), FAULT),
    "vertical_tab_in_a_text": (TOOL.replace("Hello", "a\vb\x1cc\u2028d").encode(), FAULT),
    "tabs": (TOOL.replace("    ", "\t").encode(), FAULT),
    "no_final_newline": (TOOL.rstrip("\n").encode(), FAULT),
    "wide_characters": (TOOL.replace("Hello", "\U0001f600" * 50).encode(), FAULT),
    "null_byte": (with_end('x = "\0"\n'), [*FAULT, ("invalid-syntax", END)]),
    "long_line": (with_end(f'x = "{"a" * LONG}"\n'), FAULT),
    "long_line_in_the_effect": (TOOL.replace("Hello", "a" * LONG).encode(), FAULT),
    "long_name": (with_end(f"import {'a' * LONG} as b\n{'c' * LONG}\n"), FAULT),
    "long_line_of_parts": (with_end(f"x = [{'1, ' * (LONG // 3)}]\n"), FAULT),
    "syntax_error": (
        with_end("x = (1\ny = 2\n"),
        [*FAULT, ("invalid-syntax", END + 1), ("invalid-syntax", END + 2)],
    ),
    "syntax_error_in_the_tool": (
        TOOL.replace('return "sent"', "return 1 +").encode(),
        [("invalid-syntax", 10)],
    ),
    "syntax_of_the_future": (with_end("x = a ?? b\n"), [*FAULT, ("invalid-syntax", END)]),
    "syntax_of_python_2": (with_end("print 'x'\n"), [*FAULT, ("invalid-syntax", END)]),
    "broken_indent": (
        with_end("if x:\n        a\n    b\n"),
        [*FAULT, ("invalid-syntax", END + 2), ("invalid-syntax", END + 3)],
    ),
    "text_without_an_end": (with_end('x = "a\n'), [*FAULT, ("invalid-syntax", END)]),
}
NESTED = {
    "nested_brackets": "[" * DEEP + "]" * DEEP,
    "nested_calls": "f(" * DEEP + ")" * DEEP,
    "nested_signs": "-" * DEEP + "1",
    "nested_attributes": "a" + ".b" * DEEP,
    "nested_sums": "+".join(["1"] * 4 * DEEP),
    "nested_texts": "+".join(['"a"'] * 4 * DEEP),
    "nested_lambdas": "lambda: " * DEEP + "1",
    "nested_conditions": "1 if a else " * DEEP + "2",
}


class Folder:
    """All of the files in one folder, checked in one run."""

    def __init__(self, root: Path) -> None:
        for name, (data, _) in FILES.items():
            (root / f"{name}.py").write_bytes(data)
        for name, expression in NESTED.items():
            (root / f"{name}.py").write_bytes(with_end(f"x = {expression}\n"))
        blocks = "".join(f"{' ' * depth}if x:\n" for depth in range(150))
        (root / "nested_blocks.py").write_bytes(with_end(f"{blocks}{' ' * 150}pass\n"))
        (root / "good.py").write_text(TOOL, encoding="utf-8")
        (root / "a_directory.py").mkdir()
        (root / "loop.py").symlink_to("loop.py")
        (root / "gone.py").symlink_to("nowhere.py")
        self.root = root
        done = self.run("--output-format", "json-lines")
        self.code, self.err = done.returncode, done.stderr
        self.found: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self.messages: dict[str, list[str]] = defaultdict(list)
        for line in done.stdout.splitlines():
            entry = json.loads(line)
            name = Path(entry["filename"]).stem
            self.found[name].append((entry["code"], entry["location"]["row"]))
            self.messages[name].append(entry["message"])

    def run(self, *flags: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "idemlint", "check", "--isolated", "--no-cache", *flags]
        return subprocess.run(
            [*command, "."], cwd=self.root, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("hard"))


def test_the_run_ends_with_findings_and_says_nothing_else(folder: Folder) -> None:
    assert folder.code == 1
    assert folder.err == ""
    assert folder.found["good"] == FAULT


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_reported_for_what_it_is(name: str, folder: Folder) -> None:
    found = folder.found[name]
    expected = FILES[name][1]
    assert sorted(set(found)) == sorted(expected)


@pytest.mark.parametrize("name", [*NESTED, "nested_blocks"])
def test_deep_nesting_is_told_and_costs_no_more_than_its_own_statement(
    name: str, folder: Folder
) -> None:
    codes = {code for code, _ in folder.found[name]}
    assert codes <= {"IDM401", "invalid-syntax"}
    assert "IDM401" in codes
    for message in folder.messages[name]:
        assert message.startswith("`send_mail`") or message == "Too deeply nested to be parsed"


def test_what_cannot_be_opened_is_told(folder: Folder) -> None:
    assert folder.found["loop"] == [("E902", 1)]
    assert folder.messages["loop"] == ["Too many levels of symbolic links (os error 40)"]
    assert folder.messages["binary"] == ["stream did not contain valid UTF-8"]
    assert "a_directory" not in folder.found


@pytest.mark.parametrize("name", ["full", "sarif", "gitlab"])
def test_each_format_can_tell_of_all_of_them(name: str, folder: Folder) -> None:
    done = folder.run("--output-format", name)
    assert done.returncode == 1
    assert done.stderr == ""
    assert "Traceback" not in done.stdout
    assert len(done.stdout) < 20 * LONG


def test_fixes_leave_alone_what_cannot_be_parsed(folder: Folder) -> None:
    before = {path: path.read_bytes() for path in folder.root.glob("*.py") if path.is_file()}
    done = folder.run("--fix", "--unsafe-fixes", "--diff")
    assert "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["missing.py"], "missing.py:1:1: E902 No such file or directory (os error 2)\n"),
        (["missing/"], "missing:1:1: E902 No such file or directory (os error 2)\n"),
        (["a", "missing.py"], "missing.py:1:1: E902 No such file or directory (os error 2)\n"),
    ],
)
def test_a_missing_path_is_an_input_error(
    arguments: list[str],
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "tool.py").write_text("", encoding="utf-8")
    code = cli.run(
        ["check", "-q", "--isolated", "--no-cache", "--output-format", "concise", *arguments]
    )
    assert (code, *capsys.readouterr()) == (1, shown, "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all files")
def test_what_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "closed.py").write_text(TOOL, encoding="utf-8")
    (tmp_path / "closed.py").chmod(0)
    code = cli.run(["check", "-q", "--isolated", "--no-cache", "--output-format", "concise", "."])
    shown = "closed.py:1:1: E902 Permission denied (os error 13)\n"
    assert (code, *capsys.readouterr()) == (1, shown, "")


def test_nothing_of_the_checked_code_is_run(tmp_path: Path) -> None:
    for name in ("conftest", "sitecustomize", "setup", "smtplib", "langchain", "tool"):
        text = f'open("{name}.ran", "w")\nraise SystemExit("run")\n{TOOL}'
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-m", "idemlint"]
    done = subprocess.run(
        [*command, "check", "--isolated", "--no-cache", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert not list(tmp_path.glob("*.ran"))


def test_deep_nesting_on_standard_input_is_told() -> None:
    command = [sys.executable, "-m", "idemlint", "check", "--isolated", "-q", "-"]
    done = subprocess.run(
        [*command, "--output-format", "concise"],
        input=f"x = {'(' * DEEP}{')' * DEEP}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "-:1:205: invalid-syntax: Too deeply nested to be parsed\n"


@pytest.mark.parametrize(
    ("flags", "code"), [((), 1), (("-q",), 1), (("-s",), 1), (("--exit-zero",), 0)]
)
def test_fault_of_our_own_is_told_and_hides_no_other_file(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], code: int
) -> None:
    made = Analysis.diagnostics

    def failing(analysis: Analysis, path: Path) -> list[Diagnostic]:
        if path.stem == "hard":
            raise LookupError(path)
        return made(analysis, path)

    monkeypatch.setattr(Analysis, "diagnostics", failing)
    for name in ("easy", "hard"):
        (terminal.folder / f"{name}.py").write_text(TOOL, encoding="utf-8")
    done = terminal.idemlint("check", "--isolated", "--no-cache", *flags, ".")
    assert done.code == code
    place = terminal.folder / "hard.py"
    assert done.err.startswith(f"error: {place}: not checked, because of a fault in idemlint (Loo")
    assert done.err.count("\n") == 1
    assert ("easy.py" in done.out) is ("-s" not in flags)


def test_fault_of_our_own_is_none_of_the_code(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is found, and the exit code still tells that not all was looked at."""

    def failing(analysis: Analysis, path: Path) -> list[Diagnostic]:
        raise LookupError(path)

    monkeypatch.setattr(Analysis, "diagnostics", failing)
    (terminal.folder / "hard.py").write_text(TOOL, encoding="utf-8")
    assert terminal.idemlint("check", "--isolated", "--no-cache", ".").code == 1

"""Completion: the scripts, and what they are answered; in bash by bash itself."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from terminals import Result

from idemlint.hosts.completion import SHELLS

if TYPE_CHECKING:
    from pathlib import Path

    from terminals import Terminal

PROGRAM = f"""\
#!{sys.executable}
from idemlint.hosts.cli import main
main()
"""
LINES = [
    ("idemlint ", "check", "--"),
    ("idemlint chec", "check", "rule"),
    ("idemlint check --sel", "--select", "--config"),
    ("idemlint check --output-format js", "json json-lines", "junit"),
    ("idemlint check --select ", "ALL IDM IDM1 IDM101", "fresh-key"),
    ("idemlint check --select IDM101,IDM20", "IDM101,IDM201", "IDM101,IDM301"),
    ("idemlint check --unfixable IDM0", "IDM001", "IDM101"),
    ("idemlint check mo", "module.py", "folder"),
    ("idemlint check --output-file fol", "folder", "module.py"),
    ("idemlint check --config mo", "module.py", "folder"),
    ("idemlint --quiet rule fresh", "fresh-key fresh-record-id", "unused-noqa"),
    ("idemlint rule IDM10", "IDM101", "IDM201"),
    ("idemlint config lint.sel", "lint.select", "lint.ignore"),
    ("idemlint scaffold OP", "OP-2 OP-8", "OP-1"),
    ("idemlint help sca", "scaffold", "check"),
    ("idemlint generate-shell-completion ", "bash fish zsh", "check"),
]


@pytest.fixture
def program(terminal: Terminal) -> Path:
    """The command on a path of its own, and two names to complete beside it."""
    path = terminal.folder.parent / "bin" / "idemlint"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    path.chmod(0o755)
    terminal.write(module_py="")
    (terminal.folder / "folder").mkdir()
    terminal.monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")
    return path


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed(terminal: Terminal, shell: str) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("bash is asked for its version")
    done = terminal.idemlint("generate-shell-completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "_IDEMLINT_COMPLETE" in done.out


def test_mistakes_are_told_in_ruffs_words(terminal: Terminal) -> None:
    assert terminal.idemlint("generate-shell-completion").as_ruffs() == terminal.ruff(
        "generate-shell-completion"
    )
    assert terminal.idemlint("generate-shell-completion", "csh") == Result(
        2,
        "",
        "error: invalid value 'csh' for '<SHELL>'\n  [possible values: bash, fish, zsh]\n\n"
        "For more information, try '--help'.\n",
    )


SCRIPT = r"""
source <(idemlint generate-shell-completion bash)
complete() { :; }
compopt() { compgen -f -- "${COMP_WORDS[COMP_CWORD]}"; }
while IFS= read -r line; do
    read -ra COMP_WORDS <<< "$line"
    [[ $line == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    found=$(_idemlint_completion idemlint; printf '%s ' "${COMPREPLY[@]}")
    echo "$line|" $found
done
"""


def test_bash_completes(program: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not there")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", SCRIPT],
        input="".join(f"{line}\n" for line, _, _ in LINES),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    found = dict(row.split("|") for row in done.stdout.splitlines())
    for line, offered, left_out in LINES:
        words = found[line].split()
        assert set(offered.split()) <= set(words), line
        assert left_out not in words, line


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_the_script(program: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not there")
    done = subprocess.run(
        [shell, "-n", "/dev/stdin"],
        input=subprocess.run(
            [program, "generate-shell-completion", shell],
            capture_output=True,
            text=True,
            check=True,
        ).stdout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("shell", "variables"),
    [
        ("zsh", {"COMP_WORDS": "idemlint check --output-format js", "COMP_CWORD": "3"}),
        ("fish", {"COMP_WORDS": "idemlint check --output-format js", "COMP_CWORD": "js"}),
    ],
)
def test_what_other_shells_ask_is_answered(
    program: Path, shell: str, variables: dict[str, str]
) -> None:
    done = subprocess.run(
        [program],
        env={**os.environ, "_IDEMLINT_COMPLETE": f"{shell}_complete", **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "json-lines" in done.stdout
    assert shlex.split(done.stdout.replace(",", " "))[:2] == ["plain", "json"]

"""The hooks, run by the real pre-commit on a scratch repository."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = '''\
from langchain.tools import tool

from mail import send


@tool
def send_receipt(order: str) -> str:
    """Send the receipt of an order."""
    return send(order)
'''
MAIL = """\
import requests


def send(order: str) -> str:
    return requests.post("https://api.example.com/receipts", json=[order]).text
"""
LOOP = """\
import uuid

import requests


def charge(order: str) -> str:
    for _ in range(3):
        key = str(uuid.uuid4())
        headers = {"Idempotency-Key": key}
        try:
            return requests.post("https://api.example.com", json=[order], headers=headers).text
        except requests.ConnectionError:
            continue
    raise RuntimeError("no answer")
"""
CONFIG = """\
repos:
  - repo: {repo}
    rev: {rev}
    hooks:
      - id: {hook}
"""

if importlib.util.find_spec("pre_commit") is None:
    pytest.skip("pre-commit is not installed", allow_module_level=True)


def run(
    *command: str, cwd: Path, home: Path | None = None, is_checked: bool = True
) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environ |= {f"GIT_{role}_{what}": "x@example.com" for role in ROLES for what in WHAT}
    if home is not None:
        environ["PRE_COMMIT_HOME"] = str(home)
    return subprocess.run(
        command, cwd=cwd, env=environ, capture_output=True, text=True, check=is_checked
    )


ROLES = ("AUTHOR", "COMMITTER")
WHAT = ("NAME", "EMAIL")


def commit_all(folder: Path) -> str:
    """Commit what is in a folder; returns the commit."""
    run("git", "init", "-q", cwd=folder)
    run("git", "add", "-A", cwd=folder)
    run("git", "commit", "-q", "-m", "all", cwd=folder)
    return run("git", "rev-parse", "HEAD", cwd=folder).stdout.strip()


class PreCommit:
    """A clone of this repository as it is, and a scratch repository that uses its hooks."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.clone = root / "clone"
        self.clone.mkdir()
        listed = run(
            "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT
        )
        for name in filter(None, listed.stdout.split("\0")):
            source = ROOT / name
            if source.is_file() and not name.startswith(("tests/", "fixtures/")):
                target = self.clone / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read_bytes())
        self.rev = commit_all(self.clone)
        self.project = root / "project"
        self.project.mkdir()
        self.write("pyproject.toml", "[tool.idemlint]\nexclude = ['left_out.py']\n")
        for name, text in (("tools.py", TOOLS), ("mail.py", MAIL), ("left_out.py", TOOLS)):
            self.write(name, text)
        commit_all(self.project)

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text, encoding="utf-8")

    def hook(self, hook: str, *files: str) -> subprocess.CompletedProcess[str]:
        """Run a hook over some files."""
        config = CONFIG.format(repo=self.clone.as_uri(), rev=self.rev, hook=hook)
        self.write(".pre-commit-config.yaml", config)
        run("git", "add", "-A", cwd=self.project)
        return self._pre_commit("run", hook, "--files", *files)

    def try_repo(self, hook: str, *files: str) -> subprocess.CompletedProcess[str]:
        """Try a hook of the clone."""
        return self._pre_commit("try-repo", str(self.clone), hook, "--files", *files)

    def _pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", *arguments, "--color", "never"]
        done = run(*command, cwd=self.project, home=self.home, is_checked=False)
        if re.search(r"pip.*install|virtualenv", done.stdout + done.stderr) and done.returncode > 1:
            pytest.skip("the environment of the hook cannot be installed here")
        return done


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> PreCommit:
    return PreCommit(tmp_path_factory.mktemp("pre_commit"))


def test_a_clone_can_be_tried(pre_commit: PreCommit) -> None:
    done = pre_commit.try_repo("idemlint", "tools.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "IDM401" in done.stdout
    assert "Found 1 error." in done.stdout


def test_a_file_is_answered_from_the_files_that_were_not_passed(pre_commit: PreCommit) -> None:
    done = pre_commit.hook("idemlint", "tools.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.findall(r"IDM\d+", done.stdout)[0] == "IDM401"
    pre_commit.write("mail.py", MAIL.replace("requests.post", "print"))
    done = pre_commit.hook("idemlint", "tools.py")
    pre_commit.write("mail.py", MAIL)
    assert done.returncode == 0, done.stdout + done.stderr


def test_excluded_files_are_not_checked_though_they_are_passed(pre_commit: PreCommit) -> None:
    done = pre_commit.hook("idemlint", "left_out.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "IDM" not in done.stdout


def test_the_hook_that_fixes_writes_what_is_safe(pre_commit: PreCommit) -> None:
    pre_commit.write("loop.py", LOOP)
    done = pre_commit.hook("idemlint-fix", "loop.py", "tools.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "files were modified by this hook" in done.stdout
    fixed = (pre_commit.project / "loop.py").read_text(encoding="utf-8")
    assert fixed.index("uuid.uuid4()") < fixed.index("for _ in range(3)")
    assert (pre_commit.project / "tools.py").read_text(encoding="utf-8") == TOOLS
    assert pre_commit.hook("idemlint-fix", "loop.py").returncode == 0

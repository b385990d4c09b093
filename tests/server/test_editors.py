"""Real editors with the server: each is driven without a screen, and skipped where it is not."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import TOOL

EDITORS = Path(__file__).parent / "editors"
COMMAND = [sys.executable, "-m", "idemlint", "server"]


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def driven(project: Path, tmp_path: Path, *command: str) -> dict[str, Any]:
    """Run an editor in a project; what its script wrote."""
    out = tmp_path / "out.json"
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        "IDEMLINT_COMMAND": json.dumps(COMMAND),
        "IDEMLINT_ROOT": str(project),
        "IDEMLINT_OUT": str(out),
        "TERM": "dumb",
    }
    done = subprocess.run(
        command,
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=180,
        check=False,
    )
    told = (done.stdout + done.stderr).decode(errors="replace")
    assert out.exists(), told
    found: dict[str, Any] = json.loads(out.read_text())
    assert not found.get("trouble"), f"{found}\n{told}"
    return found


@needs("nvim")
def test_neovim(project: Path, tmp_path: Path) -> None:
    found = driven(project, tmp_path, "nvim", "--headless", "-n", "-u", str(EDITORS / "neovim.lua"))
    (opened,) = found["opened"]
    row = next(n for n, text in enumerate(TOOL.split("\n")) if "uuid4()" in text)
    assert (opened["code"], opened["row"], opened["column"]) == ("IDM101", row, 14)
    assert opened["source"] == "idemlint"
    assert opened["related"] >= 2
    assert "fresh-key (IDM101)" in found["hover"]["contents"]["value"]
    assert found["actions"][0].startswith("idemlint (IDM101): Take `idempotency_key`")
    assert "idemlint (IDM101): Disable for this line" in found["actions"]
    assert found["after_fix"] in ([], {})
    assert "idempotency_key: str" in found["fixed"]
    ast.parse(found["fixed"])
    assert len(found["after_undo"]) == 1
    assert [entry["row"] for entry in found["moved"]] == [row + 1]
    half = {entry["code"] for entry in found["half_typed"]}
    assert half == {"IDM101", "invalid-syntax"}


def has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    probe = "(progn (require 'package) (package-initialize) (require 'eglot))"
    done = subprocess.run(
        ["emacs", "--batch", "--eval", probe], capture_output=True, timeout=60, check=False
    )
    return done.returncode == 0


@needs("emacs")
def test_emacs_eglot(project: Path, tmp_path: Path) -> None:
    if not has_eglot():
        pytest.skip("this Emacs has no eglot")
    found = driven(project, tmp_path, "emacs", "--batch", "-l", str(EDITORS / "eglot.el"))
    (opened,) = found["opened"]
    row = next(n for n, text in enumerate(TOOL.split("\n")) if "uuid4()" in text)
    assert opened["row"] == row
    assert "IDM101" in opened["text"] or "is new at each run" in opened["text"]
    assert "fresh-key (IDM101)" in found["hover"]
    assert found["actions"][0].startswith("idemlint (IDM101): Take `idempotency_key`")
    assert found["after_fix"] == []
    ast.parse(found["fixed"])
    assert "idempotency_key: str" in found["fixed"]
    assert [entry["row"] for entry in found["again"]] == [row + 1]


def ale_folder() -> Path | None:
    places = [os.environ.get("ALE_FOLDER", ""), "/usr/share/vim-ale"]
    return next((Path(p) for p in places if p and Path(p, "plugin", "ale.vim").exists()), None)


@needs("vim")
def test_vim_ale(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ale_folder()
    if folder is None:
        pytest.skip("ALE is not installed (Debian: vim-ale)")
    monkeypatch.setenv("IDEMLINT_ALE", str(folder))
    script = str(EDITORS / "ale.vim")
    found = driven(project, tmp_path, "vim", "-es", "-N", "-u", "NONE", "-i", "NONE", "-S", script)
    (opened,) = found["opened"]
    row = next(n for n, text in enumerate(TOOL.split("\n")) if "uuid4()" in text)
    assert (opened["code"], opened["row"], opened["column"]) == ("IDM101", row, 14)
    assert opened["type"] == "E"
    assert [entry["row"] for entry in found["moved"]] == [row + 1]
    assert found["cured"] == []

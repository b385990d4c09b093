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
    assert "IDM101 fresh-key" in found["hover"]["contents"]["value"]
    assert found["actions"][0].startswith("idemlint (IDM101): Take `idempotency_key`")
    assert "idemlint (IDM101): Disable for this line" in found["actions"]
    assert found["after_fix"] in ([], {})
    assert "idempotency_key: str" in found["fixed"]
    ast.parse(found["fixed"])
    assert len(found["after_undo"]) == 1
    assert [entry["row"] for entry in found["moved"]] == [row + 1]
    half = {entry["code"] for entry in found["half_typed"]}
    assert half == {"IDM101", "invalid-syntax"}

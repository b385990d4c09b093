"""The blocks of configuration for editors in the README: they parse, and what they name exists."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from marked import ROOT
from test_editors import ale_folder, has_eglot, needs

from idemlint.server.settings import _READERS, read_settings

if TYPE_CHECKING:
    from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = README.partition("\n## Editors\n")[2].partition("\n## ")[0]
EDITORS = ("Neovim", "Emacs", "Vim with ALE", "Helix", "VS Code", "Sublime Text", "Zed", "PyCharm")


def blocks(language: str, title: str = "") -> list[str]:
    page = PAGE.partition(f"\n### {title}\n")[2].partition("\n### ")[0] if title else PAGE
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def options_in(value: Any) -> list[dict[str, Any]]:
    """The tables in a configuration that are initialization options."""
    if isinstance(value, list):
        return [found for item in value for found in options_in(item)]
    if not isinstance(value, dict):
        return []
    found = [value] if isinstance(value.get("settings"), dict) else []
    return found + [entry for item in value.values() for entry in options_in(item)]


@pytest.mark.parametrize("title", EDITORS)
def test_each_editor_has_a_block(title: str) -> None:
    section = PAGE.partition(f"\n### {title}\n")[2].partition("\n### ")[0]
    assert "```" in section
    assert "idemlint" in section
    assert '"server"' in section or "server" in section


def test_settings_in_the_blocks_exist() -> None:
    tables = [json.loads(block) for block in blocks("json")]
    tables += [tomllib.loads(block) for block in blocks("toml")]
    tables += [json.loads(text) for text in re.findall(r'`(\{"settings".*?\})`', PAGE)]
    options = options_in(tables)
    assert len(options) >= 4
    for entry in options:
        assert read_settings(entry).unknown == ()
    for text in re.findall(r"settings = \{(.*?)\}", "".join(blocks("lua"))):
        names = re.findall(r"(\w+) *=", text)
        assert names
        assert set(names) <= set(_READERS)


def test_the_table_lists_all_settings() -> None:
    rows = PAGE.partition("\n### Settings\n")[2].partition("\n### ")[0]
    named = {
        name
        for row in rows.split("\n")
        if row.startswith("| `")
        for name in re.findall(r"`([\w.]+)`", row.split(" | ")[0])
    }
    assert named == set(_READERS)


@needs("nvim")
@pytest.mark.parametrize("block", blocks("lua"))
def test_blocks_for_neovim_parse(block: str, tmp_path: Path) -> None:
    path = tmp_path / "block.lua"
    path.write_text(block)
    check = f"lua assert(loadfile([[{path}]])) print('it parses')"
    done = subprocess.run(
        ["nvim", "--headless", "-n", "-u", "NONE", "-c", check, "-c", "qall!"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "it parses" in done.stdout + done.stderr


@needs("emacs")
def test_blocks_for_emacs_are_read_and_the_one_for_eglot_is_run(tmp_path: Path) -> None:
    if not has_eglot():
        pytest.skip("this Emacs has no eglot")
    found = blocks("elisp", "Emacs")
    assert len(found) == 2
    for number, block in enumerate(found):
        (tmp_path / f"block{number}.el").write_text(block)
    script = f"""(progn
      (require 'package) (package-initialize) (require 'eglot) (require 'python)
      (with-temp-buffer
        (insert-file-contents "{tmp_path}/block1.el") (emacs-lisp-mode) (check-parens))
      (load "{tmp_path}/block0.el")
      (setq python-mode-hook nil)
      (find-file "{tmp_path}/tool.py")
      (princ (format "%S" (nth 3 (eglot--guess-contact)))))"""
    done = subprocess.run(
        ["emacs", "--batch", "--eval", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "PATH": f"{on_path(tmp_path)}:{os.environ['PATH']}",
        },
    )
    assert '("idemlint" "server")' in done.stdout, done.stderr


def on_path(folder: Path) -> Path:
    """A folder with a command `idemlint`."""
    command = folder / "bin" / "idemlint"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m idemlint "$@"\n')
    command.chmod(0o755)
    return command.parent


@needs("vim")
def test_block_for_ale_is_run(tmp_path: Path) -> None:
    folder = ale_folder()
    if folder is None:
        pytest.skip("ALE is not installed (Debian: vim-ale)")
    (block,) = blocks("vim", "Vim with ALE")
    (tmp_path / "block.vim").write_text(block)
    script = tmp_path / "run.vim"
    script.write_text(f"""set nocompatible nomore
let &runtimepath .= ',{folder}'
let g:ale_linters = {{'python': ['idemlint']}}
runtime! plugin/ale.vim
source {tmp_path}/block.vim
let s:found = map(ale#linter#Get('python'), {{_, found -> [found.name, found.lsp]}})
call writefile([json_encode(s:found)], '{tmp_path}/out.json')
qall!
""")
    subprocess.run(
        ["vim", "-es", "-N", "-u", "NONE", "-i", "NONE", "-S", str(script)],
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert json.loads((tmp_path / "out.json").read_text()) == [["idemlint", "stdio"]]


@pytest.mark.skipif(shutil.which("hx") is None, reason="Helix (hx) is not installed")
def test_block_for_helix_is_known_to_helix(tmp_path: Path) -> None:
    (block,) = blocks("toml", "Helix")
    config = tmp_path / "helix" / "languages.toml"
    config.parent.mkdir()
    config.write_text(block)
    done = subprocess.run(
        ["hx", "--health", "python"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
    )
    assert "idemlint" in done.stdout

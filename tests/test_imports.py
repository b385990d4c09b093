"""Which part may import which, and what is imported when."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from marked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "idemlint"
LAYERS = (
    ("diagnostic", "workers"),
    ("catalogue", "inventory"),
    ("config", "knowledge", "scaffold"),
    ("source",),
    ("model",),
    ("fixes",),
    ("visitors", "output"),
    ("analysis", "cache"),
    ("linter",),
    ("survey",),
    ("session",),
    ("hosts",),
    ("server",),
    ("__main__",),
)
"""The parts, each of which imports from those above it, from itself, and from no other."""


class Import(NamedTuple):
    """One import of a part by another one."""

    source: str
    target: str
    place: str


def parts() -> set[str]:
    found = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir()}
    return found - {"__init__", "__pycache__", "py"}


def modules() -> Iterator[tuple[str, Path]]:
    """The modules of the package with the part that each belongs to; templates are data."""
    for path in sorted(PACKAGE.rglob("*.py")):
        names = path.relative_to(PACKAGE).with_suffix("").parts
        if "templates" not in names and names != ("__init__",):
            yield names[0], path


def imports() -> Iterator[Import]:
    for part, path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in imported_names(node):
                target = name.split(".")[1]
                if target in parts() and target != part:
                    yield Import(part, target, f"{path.relative_to(ROOT)}:{node.lineno}")


def imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        names = []
    return [name for name in names if name.startswith("idemlint.")]


def test_each_part_has_its_layer() -> None:
    assert {part for layer in LAYERS for part in layer} == parts()


def test_imports_go_one_way() -> None:
    level = {part: number for number, layer in enumerate(LAYERS) for part in layer}
    wrong = [entry for entry in imports() if level[entry.source] <= level[entry.target]]
    assert wrong == []


def test_visitors_know_neither_rows_nor_the_command_line() -> None:
    known = {entry.target for entry in imports() if entry.source == "visitors"}
    assert known <= {"catalogue", "diagnostic", "fixes", "model", "source"}


def test_the_concrete_tree_is_known_to_visitors_and_slices_alone() -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for part, path in modules()
        if part != "visitors" and "import libcst" in path.read_text(encoding="utf-8")
    }
    assert users == {"source/slices.py"}


def imported_by(*arguments: str, cwd: Path) -> set[str]:
    """The modules that a run of the command imports."""
    code = (
        "import json, sys; from idemlint.hosts import cli; cli.run(sys.argv[1:]);"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_version_is_told_before_anything_is_imported(tmp_path: Path) -> None:
    ours = {name for name in imported_by("--version", cwd=tmp_path) if name.startswith("idemlint")}
    assert ours == {"idemlint", "idemlint.hosts", "idemlint.hosts.cli"}
    assert not {"click", "libcst", "ahocorasick_rs"} & imported_by("--version", cwd=tmp_path)


@pytest.mark.parametrize("text", ["", "import os\n\nprint(os.name)\n"], ids=["empty", "plain"])
def test_a_run_over_files_without_an_entry_imports_no_rule(tmp_path: Path, text: str) -> None:
    (tmp_path / "module.py").write_text(text, encoding="utf-8")
    found = imported_by("check", "--isolated", "--no-cache", cwd=tmp_path)
    assert "idemlint.linter" in found
    assert not {name for name in found if name.startswith(("libcst", "idemlint.visitors"))}

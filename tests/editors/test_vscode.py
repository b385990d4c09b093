"""The extension for VS Code: its manifest beside the server, and its own tests and package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from idemlint import __version__

settings = pytest.importorskip(
    "idemlint.server.settings", reason="the language server is not installed"
)

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
PROPERTIES: dict[str, dict[str, Any]] = {
    name.removeprefix("idemlint."): entry
    for name, entry in MANIFEST["contributes"]["configuration"]["properties"].items()
}
FOR_THE_CLIENT = {"enable", "importStrategy", "interpreter", "path", "trace.server"}


def flat() -> dict[str, dict[str, Any]]:
    """The settings by the names of the server: those in an object by their own."""
    found = {}
    for name, entry in PROPERTIES.items():
        inner = entry.get("properties")
        found.update({f"{name}.{key}": inner[key] for key in inner} if inner else {name: entry})
    return found


def test_version_is_that_of_the_package() -> None:
    assert MANIFEST["version"] == __version__
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["version"] == lock["packages"][""]["version"] == __version__


def test_licence_is_that_of_the_package() -> None:
    assert (EXTENSION / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_lock_file_names_no_registry() -> None:
    text = (EXTENSION / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert text.count('"integrity"') > 100


def test_settings_are_those_of_the_server() -> None:
    assert set(flat()) - FOR_THE_CLIENT == set(settings._READERS)
    for name in FOR_THE_CLIENT:
        assert name in PROPERTIES
        assert name.partition(".")[0] in settings._FOR_OTHERS


def test_settings_that_are_passed_on_are_those_of_the_manifest() -> None:
    source = (EXTENSION / "src" / "settings.ts").read_text(encoding="utf-8")
    listed = re.search(r"SERVER_SETTINGS = \[(.*?)\]", source, re.DOTALL)
    assert listed is not None
    names = re.findall(r'"([\w.]+)"', listed.group(1))
    assert sorted(names) == sorted(set(PROPERTIES) - FOR_THE_CLIENT)


@pytest.mark.parametrize("name", sorted(set(flat()) - FOR_THE_CLIENT))
def test_default_and_values_are_those_of_the_server(name: str) -> None:
    field, read = settings._READERS[name]
    entry = flat()[name]
    defaults = {entry.name: entry.default for entry in fields(settings.EditorSettings)}
    default = defaults[field]
    if entry["default"] is None:
        assert default is None
    else:
        assert read(entry["default"]) == default
    for value in entry.get("enum", ()):
        assert value is None or read(value) is not None
    kinds = [entry["type"]] if isinstance(entry["type"], str) else entry["type"]
    accepted = {
        "string": entry.get("enum", ["x"])[0],
        "boolean": True,
        "array": ["x"],
        "object": {},
    }
    for kind in set(kinds) - {"null"}:
        read(accepted[kind])


def test_each_setting_is_described_and_has_a_scope() -> None:
    for name, entry in PROPERTIES.items():
        assert entry["markdownDescription"].endswith("."), name
        assert entry["scope"] in {"application", "window", "resource"}, name
        assert len(entry.get("enumDescriptions", ())) in {0, len(entry.get("enum", ()))}, name


def test_commands_of_the_manifest_are_those_of_the_code() -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    registered = re.findall(r'registerCommand\("([\w.]+)"', source)
    commands = [entry["command"] for entry in MANIFEST["contributes"]["commands"]]
    assert sorted(commands) == sorted(registered)


def why_not() -> str:
    """Why the extension cannot be built here; empty if it can."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(told.strip("v").partition(".")[0]) < 20:
        return f"node 20 or newer is needed, this is {told.strip()}"
    if shutil.which("idemlint", path=Path(sys.executable).parent) is None:
        return "idemlint is not installed beside this Python"
    return ""


def npm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "IDEMLINT_PYTHON": sys.executable}
    return subprocess.run(
        ["npm", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension with its packages, so that nothing is written in the repository."""
    if reason := why_not():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("editors") / "vscode"
    made = shutil.ignore_patterns("node_modules", "dist", "out", "*.vsix")
    shutil.copytree(EXTENSION, folder, ignore=made)
    done = npm(folder, "ci", "--no-audit", "--no-fund", "--prefer-offline")
    if done.returncode and re.search(r"E(NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT)", done.stderr):
        pytest.skip("the packages cannot be installed: no network")
    assert done.returncode == 0, done.stderr
    return folder


def test_types_layout_and_tests_of_the_extension(built: Path) -> None:
    done = npm(built, "test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"# skipped 0\b|ℹ skipped 0\b", done.stdout), done.stdout  # noqa: RUF001


def test_package_holds_what_is_run_and_no_more(built: Path) -> None:
    done = npm(built, "run", "package")
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(built / "idemlint.vsix") as package:
        names = {name.removeprefix("extension/") for name in package.namelist()}
        code = package.read("extension/dist/extension.js").decode()
    manifest = {"extension.vsixmanifest", "[Content_Types].xml"}
    assert names - manifest == {
        "LICENSE.txt",
        "dist/extension.js",
        "icon.png",
        "package.json",
        "readme.md",
    }
    assert "sourceMappingURL" not in code

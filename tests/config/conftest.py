"""A project on the disk that idemlint and Ruff look at side by side."""

from __future__ import annotations

import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from idemlint.config.discovery import Overrides, Resolver
from idemlint.config.errors import ConfigError
from idemlint.source.files import find_files

if TYPE_CHECKING:
    from idemlint.config.settings import Settings

RUFF = Path(sysconfig.get_path("scripts"), "ruff")


@dataclass(frozen=True)
class Project:
    """A scratch directory, which is also the working directory."""

    root: Path

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def write_for_both(self, files: dict[str, str]) -> None:
        """Write files for Ruff, and the same for idemlint under its own names."""
        self.write(files)
        self.write(dict(map(_ours, files.items())))
        for name, text in files.items():
            if name.endswith("pyproject.toml") and "[tool.ruff]" in text:
                self.write({name: text + _ours((name, text))[1]})

    def settings(self, name: str = "m.py", overrides: Overrides | None = None) -> Settings:
        return Resolver(self.root, overrides).settings_for(self.root / name)

    def error(self, name: str = "m.py", overrides: Overrides | None = None) -> str:
        with pytest.raises(ConfigError) as caught:
            self.settings(name, overrides)
        return str(caught.value)

    def files(self, *paths: str, overrides: Overrides | None = None) -> list[str]:
        resolver = Resolver(self.root, overrides)
        found = find_files([Path(path) for path in paths or (".",)], resolver)
        return [self._short(file.path) for file in found.files if file.path.endswith(".py")]

    def ruff(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [RUFF, *args], cwd=self.root, capture_output=True, text=True, check=False
        )

    def ruff_files(self, *args: str) -> list[str]:
        shown = self.ruff("check", "--no-cache", "--show-files", *(args or (".",)))
        assert shown.returncode == 0, shown.stderr
        return [self._short(path) for path in shown.stdout.splitlines() if path.endswith(".py")]

    def ruff_settings(self, *args: str) -> dict[str, str]:
        """The settings that Ruff shows, as far as they stand on one line."""
        shown = self.ruff("check", "--show-settings", *args)
        assert shown.returncode == 0, shown.stderr
        pairs = (line.partition(" = ") for line in shown.stdout.splitlines())
        return {name: value for name, sign, value in pairs if sign}

    def _short(self, path: str) -> str:
        return Path(path).relative_to(self.root).as_posix()


def _ours(file: tuple[str, str]) -> tuple[str, str]:
    name, text = file
    return name.replace("ruff", "idemlint"), text.replace("ruff", "idemlint")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    home = tmp_path / "home"
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    return Project(root)

from __future__ import annotations

import pytest
from terminals import Terminal


@pytest.fixture
def terminal(tmp_path, monkeypatch, capfd):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    for name in ("FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "FORCE_HYPERLINK"):
        monkeypatch.delenv(name, raising=False)
    return Terminal(folder, monkeypatch, capfd)

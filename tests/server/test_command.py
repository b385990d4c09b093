"""`idemlint server` as a command."""

from __future__ import annotations

import subprocess
import sys


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_other_commands_do_not_import_the_protocol() -> None:
    done = run(
        "import sys; from idemlint.hosts.cli import run; run(['--version']); run(['--help']);"
        " print([name for name in sys.modules if name in ('pygls', 'lsprotocol', 'libcst')])"
    )
    assert done.stdout.strip().endswith("[]"), done.stderr


def test_missing_library_is_told_with_the_remedy() -> None:
    done = run(
        "import sys; sys.modules['pygls'] = None; from idemlint.hosts.cli import run;"
        " sys.exit(run(['server']))"
    )
    assert done.returncode == 2
    assert "pip install 'idemlint[server]'" in done.stderr


def test_unknown_arguments_are_refused() -> None:
    done = run("import sys; from idemlint.hosts.cli import run; sys.exit(run(['server', '--tcp']))")
    assert done.returncode == 2

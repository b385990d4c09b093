"""`idemlint scaffold`: what it writes where, and the quality of every module that it can write."""

from __future__ import annotations

import ast
import itertools
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from idemlint.hosts import cli
from idemlint.scaffold import CALLS, MARK, OPERATIONS, STORES
from idemlint.scaffold.compose import module_text

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
FORMS = list(itertools.product(OPERATIONS, STORES, (False, True)))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# The command.


@pytest.mark.parametrize(("operation", "store", "is_async"), FORMS)
def test_the_module_is_printed(
    operation: str, store: str, is_async: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--store", store, *(["--async"] if is_async else [])]
    assert cli.run(["scaffold", operation, *options]) == 0
    text = module_text(operation, store, is_async=is_async)
    assert capsys.readouterr() == (text, "")
    assert text.startswith(f"# Written by `idemlint scaffold {operation} {' '.join(options)}`.\n")


def test_sqlite_is_the_default_store(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["scaffold", "OP-2"]) == 0
    assert capsys.readouterr().out == module_text("OP-2", "sqlite")


def test_the_module_is_written_to_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["scaffold", "OP-8", "-o", "checkpoints.py"]) == 0
    assert capsys.readouterr() == ("", "")
    written = project / "checkpoints.py"
    assert written.read_bytes() == module_text("OP-8", "sqlite").encode()
    plain = project / "plain"
    plain.touch()
    assert stat.S_IMODE(written.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert names(project) == ["checkpoints.py", "plain"]


def test_an_existing_file_stays_without_force(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = project / "once.py"
    mine.write_text("mine\n", encoding="utf-8")
    assert cli.run(["scaffold", "OP-2", "-o", "once.py"]) == 2
    assert capsys.readouterr() == ("", "error: `once.py` exists; `--force` overwrites it\n")
    assert mine.read_text(encoding="utf-8") == "mine\n"
    assert names(project) == ["once.py"]


def test_force_overwrites_and_keeps_the_mode(project: Path) -> None:
    mine = project / "once.py"
    mine.write_text("mine\n", encoding="utf-8")
    mine.chmod(0o640)
    assert cli.run(["scaffold", "OP-2", "-o", "once.py", "--force"]) == 0
    assert mine.read_text(encoding="utf-8") == module_text("OP-2", "sqlite")
    assert stat.S_IMODE(mine.stat().st_mode) == 0o640
    assert names(project) == ["once.py"]


def test_force_needs_no_file(project: Path) -> None:
    assert cli.run(["scaffold", "OP-2", "-o", "once.py", "--force"]) == 0
    assert names(project) == ["once.py"]


def test_a_dangling_link_is_no_place_to_write(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "once.py").symlink_to(project / "elsewhere.py")
    assert cli.run(["scaffold", "OP-2", "-o", "once.py"]) == 2
    assert "exists" in capsys.readouterr().err
    assert names(project) == ["once.py"]


def test_a_folder_that_is_missing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["scaffold", "OP-2", "-o", "app/once.py"]) == 2
    err = capsys.readouterr().err
    assert err == "error: `app/once.py` was not written: No such file or directory\n"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "required arguments were not provided:\n  <OPERATION>"),
        (["OP-3"], "invalid value 'OP-3' for '<OPERATION>'"),
        (["op-2"], "invalid value 'op-2' for '<OPERATION>'"),
        (["OP-2", "--store", "mysql"], "invalid value 'mysql' for '--store <STORE>'"),
    ],
)
def test_what_cannot_be_written_is_told(
    args: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["scaffold", *args]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_the_parts_are_not_imported() -> None:
    script = (
        "import sys; from idemlint.hosts import cli; code = cli.run(['scaffold', 'OP-2']);"
        "loaded = [name for name in sys.modules if 'scaffold.templates' in name"
        " or name in ('sqlite3', 'psycopg', 'redis', 'libcst')];"
        "sys.exit(f'{code} {loaded}')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.stderr == "0 []\n"


# The modules.


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every module that can be written."""
    folder = tmp_path_factory.mktemp("modules")
    for operation, store, is_async in FORMS:
        name = f"{operation}_{store}_{is_async}.py".lower().replace("-", "")
        text = module_text(operation, store, is_async=is_async)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(*command: str | Path) -> tuple[int, str]:
    program = Path(sysconfig.get_path("scripts"), command[0])
    ran = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_ruff_finds_nothing_in_them(modules: Path) -> None:
    config = ROOT / "pyproject.toml"
    assert run("ruff", "check", "--no-cache", "--config", config, modules) == (
        0,
        "All checks passed!\n",
    )
    code, told = run("ruff", "format", "--no-cache", "--check", "--config", config, modules)
    assert code == 0, told


def test_mypy_finds_nothing_in_them(modules: Path) -> None:
    pytest.importorskip("mypy")
    for package in ("psycopg", "redis"):
        pytest.importorskip(package)
    cache = ("--cache-dir", str(modules / ".mypy_cache"))
    code, told = run("mypy", "--strict", "--python-version", "3.10", *cache, modules)
    assert code == 0, told


def test_idemlint_finds_nothing_in_them(modules: Path) -> None:
    code, told = run("idemlint", "check", "--isolated", "--no-cache", modules)
    assert (code, told) == (0, "All checks passed!\n")


def everywhere(check: Callable[[ast.Module], None]) -> None:
    for operation, store, is_async in FORMS:
        text = module_text(operation, store, is_async=is_async)
        check(ast.parse(text, feature_version=(3, 10)))


def test_they_carry_only_what_they_use() -> None:
    def check(module: ast.Module) -> None:
        defined = {
            node.name
            for node in module.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        read = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        assert defined - read - public_names(module) == set()

    everywhere(check)


def test_they_export_what_they_define() -> None:
    def check(module: ast.Module) -> None:
        bound = {
            name.id if isinstance(name, ast.Name) else name.name
            for node in module.body
            for name in (node.targets if isinstance(node, ast.Assign) else [node])
            if isinstance(name, ast.Name | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        assert public_names(module) <= bound

    everywhere(check)


def test_the_names_that_fixes_write_are_there() -> None:
    for operation, store, is_async in FORMS:
        text = module_text(operation, store, is_async=is_async)
        assert text.startswith(f"{MARK}{operation} ")
        module = ast.parse(text)
        shared = {"ConflictError", "InDoubtError", "expire", "reconcile", "DATABASE"}
        assert {CALLS[operation], *shared} <= public_names(module)


def public_names(module: ast.Module) -> set[str]:
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return set(ast.literal_eval(node.value))
    raise AssertionError("no `__all__`")

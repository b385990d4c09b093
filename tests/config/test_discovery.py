"""Which configuration holds for a file, beside Ruff; `line-length` tells which one was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from idemlint.config.discovery import Overrides, Resolver
from idemlint.config.layer import Layer
from idemlint.config.settings import Origin

PYPROJECT = "[tool.ruff]\nline-length = 10\n"


def widths(project, name: str, **cases) -> tuple[int, int]:
    """The line length that idemlint and Ruff see for a file."""
    ours = project.settings(name, **cases).line_length
    return ours, int(project.ruff_settings(name)["linter.line_length"])


@pytest.mark.parametrize(
    ("files", "name", "width"),
    [
        ({"pyproject.toml": PYPROJECT}, "m.py", 10),
        ({"ruff.toml": "line-length = 20\n"}, "m.py", 20),
        ({".ruff.toml": "line-length = 30\n"}, "m.py", 30),
        ({"ruff.toml": "line-length = 20\n", ".ruff.toml": "line-length = 30\n"}, "m.py", 30),
        ({"ruff.toml": "line-length = 20\n", "pyproject.toml": PYPROJECT}, "m.py", 20),
        ({"ruff.toml": "", "pyproject.toml": PYPROJECT}, "m.py", 88),
        ({"pyproject.toml": PYPROJECT}, "sub/deep/m.py", 10),
        ({"pyproject.toml": PYPROJECT, "sub/ruff.toml": ""}, "sub/deep/m.py", 88),
        ({"pyproject.toml": PYPROJECT, "sub/pyproject.toml": "[project]\n"}, "sub/m.py", 10),
        ({"sub/ruff.toml": "line-length = 20\n"}, "m.py", 88),
        ({"sub/ruff.toml": "line-length = 20\n"}, "sub/m.py", 20),
        (
            {"ruff.toml": "line-length = 20\n", "sub/ruff.toml": "line-length = 40\n"},
            "sub/m.py",
            40,
        ),
    ],
    ids=str,
)
def test_the_nearest_configuration_wins_alone(project, files, name, width):
    project.write_for_both(files)
    project.write({name: ""})

    assert widths(project, name) == (width, width)


def test_a_file_outside_any_project_has_the_settings_of_the_working_directory(project, tmp_path):
    project.write_for_both({"ruff.toml": "line-length = 20\n"})
    (tmp_path / "other.py").touch()

    assert widths(project, str(tmp_path / "other.py")) == (20, 20)


def test_the_users_configuration_holds_where_no_project_has_one(project, tmp_path):
    for name in ("ruff", "idemlint"):
        folder = tmp_path / "home" / ".config" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.toml").write_text('line-length = 50\nsrc = ["lib"]\n')
    project.write({"m.py": ""})
    settings = project.settings()

    assert widths(project, "m.py") == (50, 50)
    assert settings.origin is Origin.USER
    assert settings.root == project.root
    assert settings.src == (project.root / "lib",)


def test_the_users_configuration_is_not_read_inside_a_project(project, tmp_path):
    folder = tmp_path / "home" / ".config" / "idemlint"
    folder.mkdir(parents=True)
    (folder / "idemlint.toml").write_text("line-length = 'broken'\n")
    project.write({"idemlint.toml": "line-length = 20\n", "m.py": ""})

    assert project.settings().line_length == 20


def test_a_broken_configuration_above_the_nearest_is_not_read(project):
    project.write_for_both({"ruff.toml": "broken", "sub/ruff.toml": "line-length = 20\n"})
    project.write({"sub/m.py": ""})

    resolver = Resolver(project.root / "sub")

    assert resolver.settings_for(project.root / "sub" / "m.py").line_length == 20


def test_a_broken_configuration_of_the_working_directory_is_an_error_for_all_files(project):
    project.write_for_both({"ruff.toml": "broken", "sub/ruff.toml": ""})
    project.write({"sub/m.py": ""})

    assert "key with no value" in project.error("sub/m.py")
    assert project.ruff("check", "sub/m.py").returncode == 2


def test_a_pyproject_that_is_no_toml_and_not_about_idemlint_is_passed_over(project):
    project.write({"pyproject.toml": "[tool.black\n", "m.py": ""})

    assert project.settings().origin is Origin.DEFAULT


def test_a_pyproject_that_names_idemlint_elsewhere_holds_no_configuration(project):
    project.write({"pyproject.toml": '[project]\ndependencies = ["idemlint"]\n', "m.py": ""})

    assert project.settings().origin is Origin.DEFAULT


def test_a_given_file_replaces_all_others_and_its_patterns_count_from_the_working_directory(
    project,
):
    project.write_for_both({"ruff.toml": "line-length = 20\n", "sub/ruff.toml": ""})
    project.write({"sub/m.py": "", "given/my.toml": 'line-length = 60\nexclude = ["sub/m.py"]\n'})
    overrides = Overrides(config_file=project.root / "given" / "my.toml")
    settings = project.settings("sub/m.py", overrides)

    assert settings.line_length == 60
    assert settings.origin is Origin.COMMAND_LINE
    assert settings.root == project.root
    assert settings.exclude.matches(str(project.root / "sub" / "m.py"), "m.py")
    shown = project.ruff("check", "--config", "given/my.toml", "--show-files").stdout
    assert "m.py" not in shown


def test_a_given_pyproject_without_our_table_means_the_defaults(project):
    project.write({"idemlint.toml": "line-length = 20\n", "x/pyproject.toml": "[project]\n"})
    overrides = Overrides(config_file=project.root / "x" / "pyproject.toml")

    assert project.settings("m.py", overrides).line_length == 88


def test_isolation_reads_nothing_at_all(project, tmp_path):
    folder = tmp_path / "home" / ".config" / "idemlint"
    folder.mkdir(parents=True)
    (folder / "idemlint.toml").write_text("broken")
    project.write({"idemlint.toml": "broken", "pyproject.toml": "[tool.idemlint]\nbroken"})

    settings = project.settings("m.py", Overrides(is_isolated=True))

    assert (settings.origin, settings.config_path) == (Origin.DEFAULT, None)


def test_flags_win_over_pairs_and_pairs_over_files_and_all_over_the_hosts_defaults(project):
    project.write({"idemlint.toml": "line-length = 20\n"})

    def width(**layers: int) -> int:
        given = {name: Layer(line_length=number) for name, number in layers.items()}
        return project.settings("m.py", Overrides(**given)).line_length

    assert width(flags=1, inline=2, defaults=3) == 1
    assert width(inline=2, defaults=3) == 2
    assert width(defaults=3) == 20


def test_a_hosts_defaults_hold_without_any_configuration(project):
    overrides = Overrides(defaults=Layer(line_length=3))

    assert project.settings("m.py", overrides).line_length == 3


def test_root_settings_are_those_around_the_start_that_is_given(project):
    project.write({"idemlint.toml": "broken", "sub/idemlint.toml": "line-length = 20\n"})

    assert Resolver(project.root, start=project.root / "sub").root.line_length == 20


def test_settings_below_follow_the_files_that_are_met(project):
    project.write({"idemlint.toml": "line-length = 20\n", "sub/idemlint.toml": ""})
    resolver = Resolver(project.root)
    below = project.root / "sub"

    assert resolver.settings_below(resolver.root, below, ["a.py"]) is resolver.root
    assert resolver.settings_below(resolver.root, below, ["idemlint.toml"]).root == below


def test_one_configuration_yields_one_object(project):
    project.write({"idemlint.toml": "", "a/m.py": "", "b/m.py": ""})
    resolver = Resolver(project.root)

    assert resolver.settings_in(project.root / "a") is resolver.settings_in(project.root / "b")


@pytest.mark.parametrize("name", [".ruff.toml", "ruff.toml", "pyproject.toml"])
def test_a_directory_with_the_name_of_a_configuration_is_none(project, name):
    (project.root / name.replace("ruff", "idemlint")).mkdir()

    assert project.settings("m.py").origin is Origin.DEFAULT


def test_paths_of_the_configuration_count_from_its_directory(project):
    text = 'exclude = ["a/*.py"]\nsrc = ["lib", "packages/*/src"]\ncache-dir = ".cache"\n'
    project.write({"sub/idemlint.toml": text, "sub/a/m.py": ""})
    project.write({"sub/packages/one/src/x.py": "", "sub/packages/two/src/x.py": ""})
    sub = project.root / "sub"
    settings = project.settings("sub/a/m.py")

    assert settings.exclude.matches(str(sub / "a" / "m.py"), "m.py")
    assert settings.cache_dir == sub / ".cache"
    assert settings.src == (
        sub / "lib",
        sub / "packages" / "one" / "src",
        sub / "packages" / "two" / "src",
    )


def test_home_and_variables_are_expanded_in_paths(project, monkeypatch):
    monkeypatch.setenv("PLACE", "here")
    project.write({"idemlint.toml": 'cache-dir = "~/${PLACE}/$PLACE"\n'})
    home = Path("~").expanduser()

    assert project.settings("m.py").cache_dir == home / "here" / "here"


def test_a_variable_that_is_not_set_is_an_error_in_ruffs_words(project):
    project.write_for_both({"ruff.toml": 'extend = "$NO_SUCH_VARIABLE/a.toml"\n', "m.py": ""})

    said = (
        "Cause: Invalid `extend` value: "
        "error looking key 'NO_SUCH_VARIABLE' up: environment variable not found"
    )
    assert project.error() == f"idemlint failed\n  {said}"
    assert said in project.ruff("check", ".").stderr

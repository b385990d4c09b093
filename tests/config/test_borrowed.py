"""What is taken from Ruff's configuration where a project has none of ours."""

from __future__ import annotations

import pytest

from idemlint.config.settings import Origin

FILES = ("a.py", "old/b.py", "new/c.py")


def write(project, text: str, name: str = "pyproject.toml") -> None:
    project.write({name: text, **dict.fromkeys(FILES, "")})


@pytest.mark.parametrize(
    "text",
    ["exclude = ['old']\n", "extend-exclude = ['old/*.py', 'a.py']\n", "exclude = []\n", ""],
)
@pytest.mark.parametrize("name", ["pyproject.toml", "ruff.toml", ".ruff.toml"])
def test_excludes_are_honoured(project, text, name):
    write(project, f"[tool.ruff]\n{text}" if name == "pyproject.toml" else text, name)

    assert project.files() == project.ruff_files()


def test_target_version_and_src_are_honoured(project):
    write(project, '[tool.ruff]\ntarget-version = "py39"\nsrc = ["lib"]\n')
    settings = project.settings("a.py")

    assert settings.target_version == (3, 9)
    assert settings.src == (project.root / "lib",)
    assert settings.borrowed_from == project.root / "pyproject.toml"
    assert settings.borrowed_keys == ("target-version", "src")
    assert (settings.origin, settings.config_path) == (Origin.DEFAULT, None)


def test_requires_python_stands_in_for_the_target_version(project):
    write(project, '[project]\nrequires-python = ">=3.12"\n[tool.ruff]\n')

    assert project.settings("a.py").target_version == (3, 12)


def test_of_per_file_ignores_only_our_codes_are_taken(project):
    write(
        project,
        '[tool.ruff.lint.per-file-ignores]\n"old/*" = ["E501", "IDM101", "IDM999"]\n'
        '"new/*" = ["E501"]\n',
    )
    settings = project.settings("a.py")
    (entry,) = settings.per_file_ignores

    assert entry.codes == {"IDM101"}
    assert "IDM101" not in settings.rules_for(project.root / "old" / "b.py")
    assert "IDM101" in settings.rules_for(project.root / "a.py")


def test_nothing_else_is_taken(project):
    write(project, "[tool.ruff]\nline-length = 50\nfix = true\npreview = true\n")
    settings = project.settings("a.py")

    assert settings.line_length == 88
    assert not (settings.fix or settings.preview)
    assert settings.borrowed_keys == ()


def test_our_own_configuration_turns_it_off(project):
    write(project, "[tool.ruff]\nexclude = ['old']\n[tool.idemlint]\n")

    assert project.files() == ["a.py", "new/c.py", "old/b.py"]
    assert project.settings("a.py").borrowed_from is None


def test_our_own_configuration_further_up_turns_it_off_below(project):
    write(project, "[tool.ruff]\nexclude = ['c.py']\n", "new/pyproject.toml")
    project.write({"idemlint.toml": ""})

    assert project.files() == ["a.py", "new/c.py", "old/b.py"]


def test_the_nearest_of_ruffs_configurations_counts(project):
    write(project, "[tool.ruff]\nexclude = ['old']\n")
    project.write({"new/ruff.toml": "exclude = ['c.py']\n"})

    assert project.files() == project.ruff_files() == ["a.py"]


def test_what_ruffs_configuration_extends_is_honoured(project):
    write(project, "[tool.ruff]\nextend = 'base/ruff.toml'\nextend-exclude = ['a.py']\n")
    project.write({"base/ruff.toml": "extend-exclude = ['x']\ntarget-version = 'py39'\n"})

    assert project.files() == project.ruff_files() == ["new/c.py", "old/b.py"]
    assert project.settings("a.py").target_version == (3, 9)


@pytest.mark.parametrize(
    "text",
    [
        "[tool.ruff]\nbroken",
        "[tool.ruff]\nexclude = 3\nsrc = [3]\ntarget-version = 'py2'\n",
        "[tool.ruff]\nexclude = ['a[']\n",
        "[tool.ruff]\nextend = 'missing.toml'\n",
        "[tool.ruff]\nextend = 'pyproject.toml'\n",
        "[tool.ruff]\nextend = '$NO_SUCH_VARIABLE'\n",
        "[tool.ruff]\nlint = 3\nper-file-ignores = { a = 3 }\n",
        "[tool]\nruff = 3\n",
    ],
)
def test_mistakes_are_left_to_ruff(project, text):
    write(project, text)

    assert project.files() == ["a.py", "new/c.py", "old/b.py"]


@pytest.mark.parametrize(
    "text",
    [
        "[tool]\nruff.exclude = ['old']\n",
        "tool.ruff.exclude = ['old']\n",
        "[tool]\nruff = { exclude = ['old'] }\n",
        "[ tool . ruff ]\nexclude = ['old']\n",
        "[tool.x]\na = '''\n[tool.ruff]\n'''\n[tool.ruff]\nexclude = ['old']\n",
        "[tool.ruff]\nbuiltins = [\n  'a',\n]\nexclude = ['old']\n[tool.x]\nexclude = ['new']\n",
    ],
)
def test_the_table_is_found_in_any_spelling(project, text):
    write(project, text)

    assert project.files() == project.ruff_files() == ["a.py", "new/c.py"]


def test_the_users_own_configuration_stands_above_it(project, tmp_path):
    folder = tmp_path / "home" / ".config" / "idemlint"
    folder.mkdir(parents=True)
    (folder / "idemlint.toml").write_text("line-length = 70\ntarget-version = 'py313'\n")
    write(project, "[tool.ruff]\nexclude = ['old']\ntarget-version = 'py39'\n")
    settings = project.settings("a.py")

    assert project.files() == ["a.py", "new/c.py"]
    assert (settings.line_length, settings.target_version) == (70, (3, 13))
    assert settings.origin is Origin.USER
    assert settings.borrowed_from == project.root / "pyproject.toml"

"""`target-version`, and what stands in for it where it is not set: beside Ruff."""

from __future__ import annotations

import pytest

from idemlint.config.options import DEFAULT_TARGET_VERSION


def versions(project, name: str = "m.py") -> tuple[str, str]:
    """What idemlint and Ruff target; `none` is Ruff's word for its default."""
    project.write({name: ""})
    ours = project.settings(name).target_version
    shown = project.ruff_settings(name)["linter.unresolved_target_version"]
    mine = "none" if ours == DEFAULT_TARGET_VERSION and shown == "none" else ours
    return mine if mine == "none" else "{}.{}".format(*ours), shown


SPECIFIERS = [
    (">3.9,<3.12", "3.9"),
    ("==3.12.*", "3.12"),
    ("~=3.10", "3.10"),
    ("~=3.10.2", "3.10"),
    (">=3.10.4", "3.10"),
    ("==3.12", "3.12"),
    ("===3.12", "3.12"),
    (">=3.8,>=3.9", "3.8"),
    (">=3.8,!=3.8.*", "3.8"),
    (">= 3.9 , < 4", "3.9"),
    (">3.9.1", "3.9"),
    ("<3.12", "none"),
    (">=3.6", "none"),
    (">=2.7", "none"),
    (">=3", "none"),
    (">=4", "none"),
    (">=3.20", "none"),
    ("!=3.8", "none"),
    ("", "none"),
]


@pytest.mark.parametrize(("specifier", "version"), SPECIFIERS)
def test_the_lower_bound_of_requires_python_is_targeted(project, specifier, version):
    text = f'[project]\nrequires-python = "{specifier}"\n[tool.ruff]\n'
    project.write({"pyproject.toml": f"{text}[tool.idemlint]\n"})

    assert versions(project) == (version, version)


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({}, "none"),
        ({"ruff.toml": ""}, "none"),
        ({"ruff.toml": 'target-version = "py39"\n'}, "3.9"),
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.12"\n'}, "3.12"),
        ({"ruff.toml": "", "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n'}, "3.12"),
        (
            {
                "ruff.toml": 'target-version = "py39"\n',
                "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n',
            },
            "3.9",
        ),
        ({"a/ruff.toml": "", "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n'}, "3.12"),
        (
            {
                "a/ruff.toml": "",
                "a/pyproject.toml": '[project]\nrequires-python = ">=3.10"\n',
                "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n',
            },
            "3.10",
        ),
        (
            {
                "a/ruff.toml": "",
                "a/pyproject.toml": '[project]\nrequires-python = "<3.12"\n',
                "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n',
            },
            "3.12",
        ),
        (
            {
                "a/ruff.toml": 'extend = "../base/pyproject.toml"\n',
                "a/pyproject.toml": '[project]\nrequires-python = ">=3.10"\n',
                "base/pyproject.toml": '[project]\nrequires-python = ">=3.13"\n[tool.ruff]\n',
            },
            "3.13",
        ),
    ],
    ids=str,
)
def test_the_projects_around_a_configuration_are_asked(project, files, version):
    bare = {name: text for name, text in files.items() if "[tool.ruff]" not in text}
    project.write_for_both({name: text for name, text in bare.items() if "ruff.toml" in name})
    project.write({name: text for name, text in files.items() if name not in bare})
    project.write({name: text for name, text in bare.items() if "pyproject" in name})
    base = files.get("base/pyproject.toml")
    if base:
        project.write({"base/pyproject.toml": f"{base}[tool.idemlint]\n"})

    assert versions(project, "a/m.py") == (version, version)


def test_isolation_asks_no_project(project):
    from idemlint.config.discovery import Overrides

    project.write({"pyproject.toml": '[project]\nrequires-python = ">=3.12"\n'})

    settings = project.settings("m.py", Overrides(is_isolated=True))

    assert settings.target_version == DEFAULT_TARGET_VERSION


def test_a_given_file_asks_no_project_around_it(project):
    from idemlint.config.discovery import Overrides

    project.write({"pyproject.toml": '[project]\nrequires-python = ">=3.12"\n', "my.toml": ""})

    settings = project.settings("m.py", Overrides(config_file=project.root / "my.toml"))

    assert settings.target_version == DEFAULT_TARGET_VERSION


def test_a_malformed_bound_in_the_same_file_is_an_error(project):
    project.write({"pyproject.toml": '[project]\nrequires-python = "^3.9"\n[tool.idemlint]\n'})

    assert project.error().splitlines() == [
        "idemlint failed",
        f"  Cause: Failed to parse {project.root}/pyproject.toml",
        "  Cause: TOML parse error at line 2, column 19",
        "  |",
        '2 | requires-python = "^3.9"',
        "  |                   ^^^^^^",
        "Failed to parse version: Unexpected version specifier: `^3.9`",
    ]


def test_a_malformed_bound_of_a_project_around_is_passed_over(project):
    project.write({"pyproject.toml": '[project]\nrequires-python = "^3.9"\n'})

    assert project.settings("m.py").target_version == DEFAULT_TARGET_VERSION


def test_only_the_table_of_the_project_is_asked(project):
    project.write({"pyproject.toml": '[tool.x]\nrequires-python = ">=3.12"\n'})

    assert project.settings("m.py").target_version == DEFAULT_TARGET_VERSION

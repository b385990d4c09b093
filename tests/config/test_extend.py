"""`extend`: what a file takes over from another one, beside Ruff."""

from __future__ import annotations

import re

import pytest

from idemlint.config.settings import CACHE_FOLDER


def chain(project, *texts: str) -> None:
    """Write files of which each extends the next."""
    names = [f"ruff{number or ''}.toml" for number in range(len(texts))]
    files = {}
    for number, text in enumerate(texts):
        extend = f'extend = "{names[number + 1]}"\n' if number + 1 < len(texts) else ""
        files[names[number]] = extend + text
    project.write_for_both(files)
    project.write({"m.py": "", "a.py": "", "b/c.py": ""})


@pytest.mark.parametrize(
    ("texts", "width"),
    [
        (["", "line-length = 10\n"], 10),
        (["line-length = 20\n", "line-length = 10\n"], 20),
        (["", "", "line-length = 10\n"], 10),
        (["", "line-length = 20\n", "line-length = 10\n"], 20),
    ],
)
def test_what_the_child_sets_wins(project, texts, width):
    chain(project, *texts)

    assert project.settings().line_length == width
    assert project.ruff_settings("m.py")["linter.line_length"] == str(width)


@pytest.mark.parametrize(
    "texts",
    [
        ['extend-exclude = ["a.py"]\n', 'extend-exclude = ["b"]\n'],
        ['exclude = ["a.py"]\n', 'exclude = ["b"]\n'],
        ["", 'exclude = ["b"]\nextend-exclude = ["m.py"]\n'],
        ['extend-include = ["*.txt"]\n', 'include = ["a.py"]\n'],
    ],
)
def test_lists_that_extend_are_joined_and_others_replaced(project, texts):
    chain(project, *texts)

    assert project.files() == project.ruff_files()


def test_patterns_of_the_extended_file_count_from_its_directory(project):
    project.write_for_both({"ruff.toml": 'extend = "sub/base.toml"\n'})
    project.write({"sub/base.toml": 'extend-exclude = ["a.py", "./b.py"]\n'})
    project.write({"a.py": "", "b.py": "", "sub/a.py": "", "sub/b.py": ""})

    assert project.files() == project.ruff_files() == ["b.py"]


def test_a_selection_of_the_child_drops_what_the_parent_ignores(project):
    project.write(
        {
            "idemlint.toml": 'extend = "base.toml"\nlint.select = ["IDM1"]\n',
            "base.toml": 'lint.ignore = ["IDM101"]\nlint.extend-select = ["IDM2"]\n',
        }
    )

    rules = project.settings().rules

    assert "IDM101" in rules
    assert "IDM201" not in rules


def test_per_file_ignores_are_replaced_and_their_extensions_added(project):
    project.write(
        {
            "idemlint.toml": 'extend = "base.toml"\n[lint.per-file-ignores]\n"a.py" = ["IDM1"]\n'
            '[lint.extend-per-file-ignores]\n"b.py" = ["IDM2"]\n',
            "base.toml": '[lint.per-file-ignores]\n"*" = ["IDM"]\n'
            '[lint.extend-per-file-ignores]\n"c.py" = ["IDM3"]\n',
        }
    )

    settings = project.settings()
    off = {
        name: settings.rules - settings.rules_for(project.root / name)
        for name in ("a.py", "b.py", "c.py", "d.py")
    }

    assert {name: {code[:4] for code in codes} for name, codes in off.items()} == {
        "a.py": {"IDM1"},
        "b.py": {"IDM2"},
        "c.py": {"IDM3"},
        "d.py": set(),
    }


def test_rows_of_knowledge_are_added_to_those_of_the_extended_file(project):
    project.write(
        {
            "idemlint.toml": 'extend = "base.toml"\n[[knowledge.tool]]\nid = "mine"\n',
            "base.toml": '[[knowledge.tool]]\nid = "theirs"\n',
        }
    )

    tables = project.settings().knowledge

    assert [(table.columns["id"], table.path, table.row) for table in tables] == [
        ("theirs", project.root / "base.toml", 1),
        ("mine", project.root / "idemlint.toml", 2),
    ]


def test_a_pyproject_can_be_extended_by_its_table(project):
    project.write_for_both(
        {
            "ruff.toml": 'extend = "sub/pyproject.toml"\n',
            "sub/pyproject.toml": "[tool.ruff]\nline-length = 30\n",
        }
    )
    project.write({"idemlint.toml": 'extend = "sub/pyproject.toml"\n', "m.py": ""})

    assert project.settings().line_length == 30
    assert project.ruff_settings("m.py")["linter.line_length"] == "30"


@pytest.mark.parametrize(
    "texts",
    [
        ["", "", 'extend = "ruff.toml"\n'],
        ["", 'extend = "ruff1.toml"\n'],
        ["", "fix = 3\n"],
        ["", "", "fix = 3\n"],
        ["", '[lint]\nselect = ["ZZ"]\n'],
        ["", '[lint.per-file-ignores]\n"a" = ["ZZ"]\n'],
        ["", "broken\n"],
        ['extend = "missing.toml"\n'],
        ['extend = "ruff.toml"\n'],
        ["extend = 3\n"],
        ["", 'extend = "b/"\n'],
    ],
    ids=str,
)
def test_an_extension_that_fails_is_told_in_ruffs_words(project, texts):
    chain(project, *texts)
    ours = project.error()
    theirs = project.ruff("check", "--no-cache", ".")

    assert theirs.returncode == 2
    assert ours.replace("idemlint", "ruff").rstrip() == theirs.stderr.rstrip()


def test_the_cache_stands_beside_the_file_that_was_found_not_the_extended_one(project):
    project.write({"idemlint.toml": 'extend = "sub/base.toml"\n', "sub/base.toml": ""})

    assert project.settings().cache_dir == project.root / CACHE_FOLDER


def test_a_chain_names_every_file_on_the_way(project):
    chain(project, "", "", 'extend = "gone.toml"\n')

    names = re.findall(r"extends `[^`]*/([^`/]+)`", project.error())

    assert names == ["idemlint1.toml", "idemlint2.toml", "gone.toml"]

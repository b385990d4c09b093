"""What is wrong with a configuration is told as Ruff tells it, at the same place."""

from __future__ import annotations

import pytest

from idemlint.config.options import OPTIONS, SECTIONS, options_of
from idemlint.config.reader import NoPlaces, Origin, read_layer

SAME = [
    'line-length = "x"\n',
    "line-length = 0\n",
    "line-length = 70000\n",
    "line-length = true\n",
    "line-length = 9.5\n",
    '"line-length" = "x"\n',
    '[lint]\nselect = "E"\n',
    '[lint]\nselect = ["ALL", 3]\n',
    '[lint]\n  select = [\n    "ALL",\n    3,\n  ]\n',
    "lint.select = 3\n",
    '[lint]\nselect = ["ALL", "ZZ"]\n',
    '[lint.per-file-ignores]\n"a" = ["ZZ"]\n',
    '[lint.per-file-ignores]\n"a" = "x"\n',
    '[lint]\nper-file-ignores = { "a" = "F" }\n',
    "lint.per-file-ignores = []\n",
    'target-version = "3.9"\n',
    'target-version = "py39"\ntarget-version = "py39"\n',
    'output-format = "x"\n',
    "[lint\n",
    "[lint]\n[lint]\n",
    "cache-dir = \n",
    'cache-dir = "x\n',
    'cache-dir = "x',
    "cache-dir = 'x\n",
    'exclude = ["a"\n',
    'exclude = ["a" "b"]\n',
    'exclude = [\n\t"a",\n\t3,\n]\n',
    "exclude = {}\n",
    "src = 3\n",
    'fix = "yes"\n',
    "fix = 1.5\n",
    "fix = {}\n",
    "fix\n",
    "cache-dir = 3\n",
    "required-version = 3\n",
    'extension = { a = "python"\n',
    'src = ["$NO_SUCH_VARIABLE"]\nfix = 3\n',
    "# é\nfix = 3 # é\n",
    'cache-dir = """a\nb"""\nfix = 3\n',
]


@pytest.mark.parametrize("text", SAME)
def test_a_mistake_in_a_bare_file_is_told_in_ruffs_words(project, text):
    project.write_for_both({"ruff.toml": text, "m.py": ""})
    theirs = project.ruff("check", "--no-cache", ".")

    assert theirs.returncode == 2
    assert project.error().replace("idemlint", "ruff").rstrip() == theirs.stderr.rstrip()


@pytest.mark.parametrize(
    "text", ["line-length = 'x'\n", "exclude = ['a'\n", "[tool.ruff.lint]\nselect = 3\n"]
)
def test_a_mistake_in_a_pyproject_is_told_in_ruffs_words(project, text):
    text = f"[project]\nname = 'x'\n\n[tool.ruff]\n{text}"
    project.write({"pyproject.toml": text})
    theirs = project.ruff("check", "--no-cache", ".").stderr
    project.write({"pyproject.toml": text.replace("tool.ruff", "tool.idemlint")})

    assert project.error().replace("idemlint", "ruff").rstrip() == theirs.rstrip()


def test_crlf_does_not_shift_the_place(project):
    (project.root / "idemlint.toml").write_bytes(b"preview = true\r\nfix = 3\r\n")

    assert "at line 2, column 7\n  |\n2 | fix = 3\n  |       ^\n" in project.error()


def test_an_unknown_key_at_the_top_is_shown_where_it_stands_with_all_that_is_known(project):
    project.write({"idemlint.toml": "preview = true\nfoo = 1\n"})
    known = [option.name for option in options_of("")] + list(SECTIONS)

    assert project.error().splitlines() == [
        "idemlint failed",
        f"  Cause: Failed to load configuration `{project.root}/idemlint.toml`",
        f"  Cause: Failed to parse {project.root}/idemlint.toml",
        "  Cause: TOML parse error at line 2, column 1",
        "  |",
        "2 | foo = 1",
        "  | ^^^",
        f"unknown field `foo`, expected one of {', '.join(f'`{name}`' for name in known)}",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[lint]\nfoo = 1\n", (2, 1)),
        ("[lint.foo]\na = 1\n", (1, 7)),
        ("[lint]\nfoo.bar = 1\n", (2, 1)),
        ("lint.foo = 1\n", (1, 6)),
        ("lint = { foo = 1 }\n", (1, 10)),
    ],
)
def test_an_unknown_key_of_a_section_is_shown_at_ruffs_place(project, text, place):
    project.write_for_both({"ruff.toml": text, "m.py": ""})
    row, column = place
    said = f"TOML parse error at line {row}, column {column}\n"

    assert said in project.error()
    assert said in project.ruff("check", "--no-cache", ".").stderr


@pytest.mark.parametrize(
    ("text", "tip"),
    [
        ("exclud = []\n", "a similar key exists: `exclude`"),
        ("target_version = 3\n", "a similar key exists: `target-version`"),
        ("[lint]\nselct = []\n", "a similar key exists: `select`"),
        ("select = []\n", "a key of that name exists elsewhere: `lint.select`"),
        ("[lint]\nfix = true\n", "a key of that name exists elsewhere: `fix`"),
        ("fixible = []\n", "a similar key exists: `lint.fixable`"),
        ("output-format = 'jsn'\n", "a similar value exists: `json`"),
    ],
)
def test_the_nearest_valid_name_is_suggested(project, text, tip):
    project.write({"idemlint.toml": text})

    assert project.error().endswith(f"\n\n  tip: {tip}\n")


def test_nothing_is_suggested_for_what_resembles_nothing(project):
    project.write({"idemlint.toml": "zzz = 3\n"})

    assert "tip" not in project.error()


def test_another_version_is_asked_for_before_anything_is_refused(project):
    project.write({"idemlint.toml": 'a-key-of-the-future = 1\nrequired-version = ">=99"\n'})

    assert project.error().splitlines()[-1] == (
        "  Cause: Required version `>=99` does not match the running version `0.1.0`"
    )


def test_a_section_that_is_no_table_is_a_wrong_type(project):
    project.write({"idemlint.toml": "lint = 3\n"})

    assert "\n1 | lint = 3\n  |        ^\n" in project.error()
    assert "invalid type: integer `3`, expected a table\n" in project.error()


def test_the_table_of_a_pyproject_that_is_no_table_is_a_wrong_type(project):
    project.write({"pyproject.toml": "[tool]\nidemlint = []\n"})

    assert "invalid type: sequence, expected a table\n" in project.error()


def test_knowledge_that_is_no_table_is_a_wrong_type(project):
    project.write({"idemlint.toml": "[knowledge]\nnames = ['a']\n"})

    assert 'invalid type: string "a", expected a table\n' in project.error()


def test_a_file_that_is_not_utf8_is_refused_in_ruffs_words(project):
    for name in ("ruff.toml", "idemlint.toml"):
        (project.root / name).write_bytes(b"\xff")
    project.write({"m.py": ""})
    theirs = project.ruff("check", "--no-cache", ".").stderr

    assert project.error().replace("idemlint", "ruff").rstrip() == theirs.rstrip()


def test_a_byte_order_mark_is_no_part_of_the_text(project):
    project.write({"idemlint.toml": "\ufeffline-length = 20\n"})

    assert project.settings().line_length == 20


def test_settings_without_a_text_are_refused_without_a_place(project):
    from idemlint.config.errors import TomlError

    with pytest.raises(TomlError) as caught:
        read_layer({"lint": {"select": "E"}}, Origin("the editor", project.root), NoPlaces())

    assert str(caught.value) == ('invalid type: string "E", expected a sequence\nin `lint.select`')


def test_very_deep_nesting_is_an_error_like_any_other(project):
    project.write({"idemlint.toml": f"src = {'[' * 100_000}\n"})

    assert "Failed to parse" in project.error()


def test_every_option_is_described_in_full():
    for option in OPTIONS:
        assert option.doc.strip(), option.key
        assert option.example.startswith(option.name), option.key

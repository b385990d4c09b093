"""File patterns mean what they mean to Ruff."""

from __future__ import annotations

import pickle

import pytest

from idemlint.config.errors import ConfigError
from idemlint.config.globs import GlobError, glob_regex
from idemlint.config.patterns import Pattern, PatternSet

FILES = ("src/a.py", "src/deep/b.py", "test-a/c.py", "x/d.py", "x/da.py", "e.py", "f[1].py")

PATTERNS = [
    "src",
    "src/",
    "./src",
    "*/a.py",
    "src/*.py",
    "src/**",
    "**/b.py",
    "x/d?.py",
    "x?d.py",
    "te*",
    "{src,x}",
    "{src,x}/*.py",
    "{a,{b,c}}.py",
    "[ex]*",
    "x/[d]*",
    "x/[!d]*",
    "x/[a-d].py",
    "f[[]1[]].py",
    "f\\[1\\].py",
    "src/**/b.py",
    "**/src",
    "../project/src",
    "src/..",
    "a,b",
    "**",
    "*",
    "src/*/b.py",
    "src**b.py",
    "***/a.py",
    "[]]",
    "[a-]",
    "*.py",
    "e.py",
    "nothing",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_exclude_leaves_out_the_same_files_as_ruff(project, pattern):
    project.write(dict.fromkeys(FILES, ""))
    project.write_for_both({"ruff.toml": f"exclude = ['{pattern}']\n"})

    assert project.files() == project.ruff_files()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_include_takes_the_same_files_as_ruff(project, pattern):
    project.write(dict.fromkeys(FILES, ""))
    project.write_for_both({"ruff.toml": f"include = ['{pattern}']\n"})

    assert project.files() == project.ruff_files()


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a[", "unclosed character class; missing ']'"),
        ("s[a-", "unclosed character class; missing ']'"),
        ("[]", "unclosed character class; missing ']'"),
        ("a{b", "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"),
        ("a}b", "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)"),
        ("a\\", "dangling '\\'"),
        ("[d-a]", "invalid range; 'd' > 'a'"),
    ],
)
def test_a_malformed_pattern_is_refused_in_ruffs_words(project, pattern, reason):
    project.write_for_both({"ruff.toml": f"exclude = ['{pattern}']\n", "m.py": ""})

    expected = f"Cause: error parsing glob '{project.root}/{pattern}': {reason}"
    assert project.error() == f"idemlint failed\n  {expected}"
    assert expected in project.ruff("check", ".").stderr


def test_signs_in_the_directory_of_the_configuration_stand_for_themselves():
    files = PatternSet((Pattern("src/*.py", "/home/[me]/{a,b}*"),))

    assert files.matches("/home/[me]/{a,b}*/src/m.py", "m.py")
    assert not files.matches("/home/m/a/src/m.py", "m.py")


def test_a_bare_pattern_does_not_look_at_the_directories_above_the_project():
    files = PatternSet((Pattern("*test*", "/home/tester/project"),))

    assert not files.matches("/home/tester/project/a.py", "a.py")
    assert files.matches("/home/tester/project/test_a.py", "test_a.py")


def test_a_star_stops_at_a_separator_where_that_is_asked():
    assert glob_regex("a/*.py", stops_at_separator=True) == "a/[^/]*\\.py"
    assert glob_regex("a/*.py") == "a/.*\\.py"


def test_an_unreadable_glob_is_an_error():
    with pytest.raises(GlobError, match="unclosed character class"):
        glob_regex("[")


def test_an_empty_set_matches_nothing():
    assert not PatternSet()
    assert not PatternSet().matches("/a.py", "a.py")


def test_a_set_is_the_same_after_pickling():
    files = PatternSet((Pattern("a*", "/p"), Pattern("b/c", "/p")))
    assert files.matches("/p/ab", "ab")

    copy = pickle.loads(pickle.dumps(files))

    assert copy == files
    assert copy.matches("/p/b/c", "c")


def test_a_set_refuses_a_malformed_pattern_when_it_is_made():
    with pytest.raises(ConfigError):
        PatternSet((Pattern("a[", "/p"),))

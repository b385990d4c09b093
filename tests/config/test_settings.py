"""Settled settings: defaults, what depends on the file, and the digest that caches rely on."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from idemlint.config.discovery import Overrides
from idemlint.config.layer import FileIgnores, KnowledgeTable, Layer, Selection
from idemlint.config.options import DEFAULT_EXCLUDE
from idemlint.config.patterns import Pattern
from idemlint.config.settings import Settings, settle

ROOT = Path("/project")


def settled(**layer: object) -> Settings:
    return settle(Layer(**layer), ROOT)


def test_defaults_are_ruffs(project):
    project.write({"m.py": ""})
    shown = project.ruff("check", "--isolated", "--show-settings", "m.py").stdout
    block = shown.split("file_resolver.exclude = [\n")[1].split("]")[0]
    theirs = {line.strip(' \t",') for line in block.splitlines() if line.strip()}

    assert set(DEFAULT_EXCLUDE) == theirs | {".idemlint_cache"}


def test_defaults():
    settings = settled()

    assert settings.src == (ROOT, ROOT / "src")
    assert settings.cache_dir == ROOT / ".idemlint_cache"
    assert settings.target_version == (3, 11)
    assert settings.output_format == "full"
    assert settings.unsafe_fixes is None
    assert settings.respect_gitignore
    assert not (settings.fix or settings.fix_only or settings.show_fixes or settings.preview)


def test_fix_only_implies_fix():
    assert settled(fix_only=True).fix


def test_preview_of_the_linter_wins_over_the_general_one():
    assert settled(preview=True).preview
    assert not settled(preview=True, lint_preview=False).preview
    assert settled(preview=False, lint_preview=True).preview


@pytest.mark.parametrize(
    ("pattern", "is_negated", "name", "is_off"),
    [
        ("tests/*", False, "tests/a.py", True),
        ("tests/*", False, "tests/deep/a.py", True),
        ("tests/*", False, "src/a.py", False),
        ("a.py", False, "src/deep/a.py", True),
        ("tests", False, "tests/a.py", False),
        ("*_test.py", False, "src/x_test.py", True),
        ("src/**", True, "tests/a.py", True),
        ("src/**", True, "src/a.py", False),
    ],
)
def test_rules_are_off_in_the_files_of_a_pattern(pattern, is_negated, name, is_off):
    entry = FileIgnores(Pattern(pattern, "/project"), is_negated, ("IDM1",), "x", "the test")
    settings = settled(per_file_ignores=(entry,))

    assert ("IDM101" not in settings.rules_for(ROOT / name)) is is_off
    assert "IDM201" in settings.rules_for(ROOT / name)


def test_all_patterns_that_match_a_file_count():
    entries = tuple(
        FileIgnores(Pattern(pattern, "/project"), False, (code,), "x", "the test")
        for pattern, code in (("*.py", "IDM101"), ("a.py", "IDM102"), ("b.py", "IDM103"))
    )
    settings = settled(per_file_ignores=entries)

    assert settings.rules - settings.rules_for(ROOT / "a.py") == {"IDM101", "IDM102"}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.py", "python"),
        ("a.pyi", "pyi"),
        ("a.ipynb", "ipynb"),
        ("a.txt", "python"),
        ("a", "python"),
        ("a.ipy", "ipynb"),
        ("a.ipy.py", "python"),
    ],
)
def test_the_language_follows_the_extension(name, language):
    settings = settled(extension=(("ipy", "ipynb"),))

    assert settings.language_of(ROOT / name) == language


def test_an_extension_can_be_given_another_language():
    assert settled(extension=(("py", "pyi"),)).language_of(ROOT / "a.py") == "pyi"


CHANGES_FINDINGS = {
    "selections": (Selection("the CLI", select=("IDM101",)),),
    "preview": True,
    "target_version": (3, 9),
    "src": (ROOT / "lib",),
    "line_length": 100,
    "external": ("X",),
    "extension": (("ipy", "ipynb"),),
    "per_file_ignores": (FileIgnores(Pattern("a", "/p"), False, ("IDM1",), "x", "the test"),),
    "knowledge": (KnowledgeTable("tool", {"id": "x"}, ROOT / "idemlint.toml", 3),),
}
CHANGES_NOTHING = {
    "cache_dir": ROOT / "cache",
    "output_format": "json",
    "fix": True,
    "unsafe_fixes": True,
    "show_fixes": True,
    "exclude": (Pattern("a", "/p"),),
    "include": (Pattern("a", "/p"),),
    "force_exclude": True,
    "respect_gitignore": False,
    "lint_exclude": (Pattern("a", "/p"),),
}


@pytest.mark.parametrize("name", CHANGES_FINDINGS)
def test_what_changes_findings_changes_the_fingerprint(name):
    changed = settled(**{name: CHANGES_FINDINGS[name]})

    assert changed.fingerprint != settled().fingerprint
    assert changed == settled(**{name: CHANGES_FINDINGS[name]})


@pytest.mark.parametrize("name", CHANGES_NOTHING)
def test_what_changes_no_finding_leaves_the_fingerprint(name):
    changed = settled(**{name: CHANGES_NOTHING[name]})

    assert changed.fingerprint == settled().fingerprint
    assert changed != settled()


def test_each_kind_of_change_has_a_fingerprint_of_its_own():
    prints = {settled(**{name: value}).fingerprint for name, value in CHANGES_FINDINGS.items()}

    assert len(prints) == len(CHANGES_FINDINGS)


def test_every_layer_field_is_known_to_change_findings_or_not():
    said = CHANGES_FINDINGS.keys() | CHANGES_NOTHING.keys()
    others = {
        "extend_exclude",
        "extend_include",
        "extend_per_file_ignores",
        "explicit_preview_rules",
        "fix_only",
        "lint_preview",
    }

    assert {field.name for field in fields(Layer)} == said | others


def test_the_columns_of_a_row_of_knowledge_are_part_of_the_fingerprint():
    def fingerprint(**columns: object) -> str:
        table = KnowledgeTable("tool", columns, ROOT / "idemlint.toml", 3)
        return settled(knowledge=(table,)).fingerprint

    assert fingerprint(a=[1, {"b": 2}]) != fingerprint(a=[1, {"b": 3}])
    assert fingerprint(a=1, b=2) == fingerprint(b=2, a=1)


def test_the_fingerprint_is_the_same_in_another_process():
    code = (
        "from pathlib import Path; from idemlint.config.layer import Layer;"
        "from idemlint.config.settings import settle;"
        "print(settle(Layer(), Path('/project')).fingerprint)"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1"},
    )

    assert other.stdout.strip() == settled().fingerprint


def test_equal_settings_have_one_hash_and_survive_pickling():
    settings = settled(**CHANGES_FINDINGS)
    copy = pickle.loads(pickle.dumps(settings))

    assert copy == settings
    assert hash(copy) == hash(settings)
    assert hash(replace(settings, fix=True)) == hash(settings)
    assert copy.rules_for(ROOT / "a") == settings.rules_for(ROOT / "a")


def test_warnings_about_selectors_are_kept_for_the_host(project):
    flags = Layer(selections=(Selection("the CLI", select=("IDM106",)),))

    assert project.settings("m.py", Overrides(flags=flags)).warnings == (
        "Selection `IDM106` has no effect because preview is not enabled.",
    )

"""The catalogue, its pages, its visitors and its fixtures say the same."""

from __future__ import annotations

import importlib
import re
import string

import pytest
from marked import FIXTURES, ROOT, SUPPRESSION_RULES, built_rules

from idemlint import __version__, catalogue
from idemlint.visitors.base import RuleVisitor

RULES = list(catalogue.rules().values())
BUILT = [
    rule
    for rule in RULES
    if rule.code in built_rules() and not rule.code.startswith(SUPPRESSION_RULES)
]
_LONGEST_VISITOR = 90


def test_codes_and_names_are_given_once() -> None:
    pages = list((ROOT / "rules").glob("IDM*.md"))
    assert len(RULES) == len(pages)
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_front_matter_of_a_page_is_sound(rule: catalogue.Rule) -> None:
    assert re.fullmatch(r"IDM[0-5]\d\d", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert rule.status in ("stable", "preview")
    assert set(rule.operations) <= catalogue.operations().keys()
    assert bool(rule.operations) is not rule.code.startswith(SUPPRESSION_RULES)
    assert rule.summary
    assert not rule.summary.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_message_is_one_sentence_with_named_places(rule: catalogue.Rule) -> None:
    for text in (rule.message, rule.suggestion):
        assert text
        assert not text.endswith(".")
        assert ". " not in text
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field is not None]
        assert all(field.isidentifier() for field in fields)


def test_each_rule_has_fixtures_and_each_folder_a_rule() -> None:
    folders = {path.name for path in FIXTURES.iterdir() if path.is_dir()}
    assert folders == catalogue.rules().keys()


def test_each_visitor_belongs_to_a_rule() -> None:
    files = {path.stem for path in (ROOT / "idemlint" / "visitors").glob("*.py")}
    assert files - {"__init__", "base"} == {rule.module for rule in BUILT}


@pytest.mark.parametrize("rule", BUILT, ids=lambda rule: rule.code)
def test_a_visitor_is_small_and_says_which_rule_it_is(rule: catalogue.Rule) -> None:
    module = importlib.import_module(f"idemlint.visitors.{rule.module}")
    assert issubclass(module.Visitor, RuleVisitor)
    assert (module.__doc__ or "").startswith(f"{rule.code}: ")
    text = (ROOT / "idemlint" / "visitors" / f"{rule.module}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= _LONGEST_VISITOR


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_changelog_names_each_rule(rule: catalogue.Rule) -> None:
    entry = f"- `{rule.name}` ({rule.code}{', *preview*' if rule.is_preview else ''}): "
    assert entry in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_changelog_has_a_section_for_what_is_installed() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## ({re.escape(__version__)}|Unreleased)\b", text, re.MULTILINE)


def test_the_package_is_typed_and_licensed() -> None:
    assert (ROOT / "idemlint" / "py.typed").exists()
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")

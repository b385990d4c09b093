"""The pages of rules and knowledge: their form, their links, and what is reported in their code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from marked import ROOT, Tree, Unit, blocks, built_rules

from idemlint import catalogue

if TYPE_CHECKING:
    from pathlib import Path

RULES = list(catalogue.rules().values())
BUILT = [rule for rule in RULES if rule.code in built_rules()]
HEADINGS = [
    "What it finds",
    "Why",
    "Bad",
    "Good",
    "Fix",
    "Stays silent when",
    "Settings",
    "Sources",
]
# Where the marks are right and the linter is not yet. Nothing may be added.
DISAGREEING: dict[str, str] = {}
PAGES = [
    *sorted(path for path in (ROOT / "rules").rglob("*.md")),
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
]


def units_of(rule: catalogue.Rule, heading: str) -> list[Unit]:
    """The blocks of a page, each as a project of its own."""
    return [
        Unit(f"{rule.code}/{heading}/{number}", {"block.py": code})
        for number, code in enumerate(blocks(rule.page, heading), start=1)
    ]


def units_of_operation(operation: catalogue.Operation) -> list[Unit]:
    """The blocks of an operation's page; what is wrong on purpose is marked."""
    return [
        Unit(f"{operation.code}/{number}", {"block.py": code})
        for number, code in enumerate(blocks(operation.page), start=1)
    ]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The code of all pages of rules and operations."""
    units = [
        unit for rule in BUILT for heading in ("Bad", "Good") for unit in units_of(rule, heading)
    ]
    for operation in catalogue.operations().values():
        units += units_of_operation(operation)
    texts = {
        unit.name: {name: text.encode() for name, text in unit.plain().items()} for unit in units
    }
    return Tree(tmp_path_factory.mktemp("pages"), texts)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_has_the_fixed_headings(rule: catalogue.Rule) -> None:
    text = re.sub(
        r"^```.*?^```$", "", rule.page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    assert re.findall(r"^# (.*)$", text, re.MULTILINE) == [f"{rule.name} ({rule.code})"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    assert rule.page.name == f"{rule.code}-{rule.name}.md"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_bad_code_is_marked_with_the_rule_of_the_page(rule: catalogue.Rule) -> None:
    marked = re.compile(rf"#! .*{rule.code}")
    assert blocks(rule.page, "Bad")
    assert [code for code in blocks(rule.page, "Bad") if not marked.search(code)] == []
    assert blocks(rule.page, "Good")
    assert [code for code in blocks(rule.page, "Good") if "#!" in code] == []


@pytest.mark.parametrize("rule", BUILT, ids=lambda rule: rule.code)
def test_bad_code_is_reported_where_it_is_marked(
    rule: catalogue.Rule, tree: Tree, request: pytest.FixtureRequest
) -> None:
    if rule.code in DISAGREEING:
        request.applymarker(pytest.mark.xfail(reason=DISAGREEING[rule.code], strict=True))
    for unit in units_of(rule, "Bad"):
        found = tree.marks_in(unit.name)
        assert sorted(map(str, found)) == sorted(map(str, unit.marks)), unit.name


@pytest.mark.parametrize("rule", BUILT, ids=lambda rule: rule.code)
def test_good_code_is_not_reported(rule: catalogue.Rule, tree: Tree) -> None:
    for unit in units_of(rule, "Good"):
        assert sorted(map(str, tree.marks_in(unit.name))) == [], unit.name


@pytest.mark.parametrize(
    "operation", catalogue.operations().values(), ids=lambda operation: operation.code
)
def test_the_code_of_an_operation_is_reported_where_it_is_marked(
    operation: catalogue.Operation, tree: Tree, request: pytest.FixtureRequest
) -> None:
    if operation.code in DISAGREEING:
        request.applymarker(pytest.mark.xfail(reason=DISAGREEING[operation.code], strict=True))
    for unit in units_of_operation(operation):
        assert sorted(map(str, tree.marks_in(unit.name))) == sorted(map(str, unit.marks)), unit.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not target_exists(page, link)] == []


def target_exists(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return False
    return not anchor or anchor in anchors_of(target)


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def test_the_settings_named_on_pages_exist() -> None:
    from idemlint.config.options import OPTIONS

    known = {option.name for option in OPTIONS}
    for rule in RULES:
        text = rule.page.read_text(encoding="utf-8").partition("\n## Settings\n")[2]
        named = re.findall(r"`lint\.([a-z-]+)`", text)
        assert set(named) <= known, rule.code

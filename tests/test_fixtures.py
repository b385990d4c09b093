"""What is reported and fixed in the fixtures, and what every fix promises.

`pytest tests/test_fixtures.py --update` writes the `.out` files anew. Marks are written by hand.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from marked import (
    FIXTURES,
    FORMS,
    SUPPRESSION_RULES,
    Tree,
    Unit,
    built_rules,
    fixed_alone,
    fixtures,
    is_fixable,
)

from idemlint import catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic

UNITS = fixtures()
PLAIN = "as_written"
# Where the marks are right and the linter is not yet. Nothing may be added.
DISAGREEING: dict[str, str] = {}
_QUOTED = re.compile(r"`[^`]*`")
_NOT_FILLED = re.compile(r"[{}]|\bNone\b|``")


@pytest.fixture(params=UNITS, ids=lambda unit: unit.name)
def unit(request: pytest.FixtureRequest) -> Unit:
    found = request.param
    assert isinstance(found, Unit)
    waiting = found.waits_for()
    if waiting and found.name.startswith(SUPPRESSION_RULES):
        pytest.skip(f"suppresses what is not built yet: {', '.join(sorted(waiting))}")
    return found


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """All fixtures, in all forms: `tabs/IDM101/default_argument`."""
    units = {
        f"{form}/{unit.name}": {name: rewrite(text).encode() for name, text in unit.plain().items()}
        for form, rewrite in FORMS.items()
        for unit in UNITS
    }
    return Tree(tmp_path_factory.mktemp("fixtures"), units)


class SingleFixes:
    """Each finding with a fix, and a copy of its unit in which that fix alone was applied."""

    def __init__(self, root: Path, tree: Tree) -> None:
        self.before: dict[str, list[Diagnostic]] = {}
        self.messages: list[str] = []
        copies = {}
        for unit in UNITS:
            name = f"{PLAIN}/{unit.name}"
            texts = {file: text.encode() for file, text in unit.plain().items()}
            self.before[unit.name] = [entry for entry in tree.found_in(name) if is_fixable(entry)]
            for number, entry in enumerate(self.before[unit.name]):
                fixed, messages = fixed_alone(entry, tree.root / name, texts)
                copies[self.copy(unit, number)] = fixed
                self.messages += messages
        self.tree = Tree(root, copies)

    def copy(self, unit: Unit, number: int) -> str:
        return f"{unit.name}/{number}"


@pytest.fixture(scope="session")
def single_fixes(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> SingleFixes:
    return SingleFixes(tmp_path_factory.mktemp("single"), tree)


def test_marked_lines_are_reported_and_no_others(
    unit: Unit, tree: Tree, request: pytest.FixtureRequest
) -> None:
    if unit.name in DISAGREEING:
        request.applymarker(pytest.mark.xfail(reason=DISAGREEING[unit.name], strict=True))
    found = tree.marks_in(f"{PLAIN}/{unit.name}")
    assert sorted(map(str, found)) == sorted(map(str, unit.marks))


def test_a_place_is_reported_once(unit: Unit, tree: Tree) -> None:
    found = [
        (entry.path, entry.range, entry.code) for entry in tree.found_in(f"{PLAIN}/{unit.name}")
    ]
    assert len(found) == len(set(found))


def test_what_is_marked_as_missed_is_missed(unit: Unit, tree: Tree) -> None:
    """When this fails something has become better: take the word `missed` out of the mark."""
    assert not unit.missed & tree.marks_in(f"{PLAIN}/{unit.name}")


def test_the_form_of_the_text_changes_no_finding(unit: Unit, tree: Tree) -> None:
    expected = tree.marks_in(f"{PLAIN}/{unit.name}")
    found = {form: tree.marks_in(f"{form}/{unit.name}") for form in FORMS}
    assert found == dict.fromkeys(FORMS, expected)


def test_output_is_as_reviewed(unit: Unit, tree: Tree, request: pytest.FixtureRequest) -> None:
    if unit.waits_for():
        pytest.skip(f"waits for {', '.join(sorted(unit.waits_for()))}")
    path = FIXTURES / f"{unit.name}.out"
    name = f"{PLAIN}/{unit.name}"
    output = tree.output(name) if tree.found_in(name) else ""
    if request.config.getoption("--update"):
        path.write_text(output, encoding="utf-8") if output else path.unlink(missing_ok=True)
    reviewed = path.read_text(encoding="utf-8") if path.exists() else ""
    assert output == reviewed


def test_each_output_has_its_fixture() -> None:
    outputs = {f"{path.parent.name}/{path.stem}" for path in FIXTURES.rglob("*.out")}
    assert outputs <= {unit.name for unit in UNITS}


def test_a_finding_says_all_that_it_has_to(unit: Unit, tree: Tree) -> None:
    for entry in tree.found_in(f"{PLAIN}/{unit.name}"):
        rule = catalogue.rules()[entry.code]
        assert (entry.name, entry.severity, entry.url) == (rule.name, rule.severity, rule.url)
        assert entry.range.start < entry.range.end
        texts = (entry.message, entry.suggestion, *(place.label for place in entry.related))
        assert all(texts)
        assert not [text for text in texts if _NOT_FILLED.search(_QUOTED.sub("", text))]
        if rule.operations:
            assert entry.operation in rule.operations
            assert entry.reason


def test_a_fix_offers_no_more_than_the_page_says(unit: Unit, tree: Tree) -> None:
    levels = ("none", "display", "unsafe", "safe")
    for entry in tree.found_in(f"{PLAIN}/{unit.name}"):
        if entry.fix is not None:
            most = catalogue.rules()[entry.code].fix
            assert levels.index(entry.fix.applicability.name.lower()) <= levels.index(most)


def test_edits_of_a_fix_are_apart_and_in_its_project(unit: Unit, tree: Tree) -> None:
    folder = tree.root / PLAIN / unit.name
    for entry in tree.found_in(f"{PLAIN}/{unit.name}"):
        edits = sorted(
            entry.fix.edits if entry.fix else (), key=lambda edit: (edit.path, edit.range)
        )
        assert all(edit.path.is_relative_to(folder) for edit in edits)
        for before, after in pairwise(edits):
            assert before.path != after.path or before.range.end <= after.range.start


def test_nine_findings_in_ten_carry_an_edit(tree: Tree) -> None:
    found = [entry for unit in UNITS for entry in tree.found_in(f"{PLAIN}/{unit.name}")]
    with_edit = [entry for entry in found if entry.fix is not None and entry.fix.edits]
    assert len(with_edit) >= 0.9 * len(found)


def test_nothing_fails_on_the_way(tree: Tree, single_fixes: SingleFixes) -> None:
    assert tree.fixed.messages == ()
    assert single_fixes.messages == []
    assert tree.warnings == []


def test_all_fixes_leave_code_that_parses_and_nothing_to_fix(unit: Unit, tree: Tree) -> None:
    name = f"{PLAIN}/{unit.name}"
    for text in tree.fixed_texts(name).values():
        ast.parse(text)
    before, after = (
        Counter(codes_of(found)) for found in (tree.found_in(name), tree.left_in(name))
    )
    assert not after - before
    assert not [entry for entry in tree.left_in(name) if is_fixable(entry)]


def test_a_fix_alone_removes_its_finding_and_adds_none(
    unit: Unit, single_fixes: SingleFixes, tree: Tree
) -> None:
    before = Counter(codes_of(tree.found_in(f"{PLAIN}/{unit.name}")))
    for number, entry in enumerate(single_fixes.before[unit.name]):
        name = single_fixes.copy(unit, number)
        after = Counter(codes_of(single_fixes.tree.found_in(name)))
        place = f"{entry.code} in row {entry.range.start.row}"
        key = (entry.path.name, entry.code)
        assert after[key] < before[key], f"{place} stays"
        assert not after - before, f"the fix of {place} adds a finding"


def test_fixes_keep_the_form_of_the_text(unit: Unit, tree: Tree) -> None:
    fixed = tree.fixed_texts(f"{PLAIN}/{unit.name}")
    for form, rewrite in FORMS.items():
        for name, text in tree.fixed_texts(f"{form}/{unit.name}").items():
            # a comment that is taken out at the end leaves the empty lines before it
            end = "\n" if form == "no_final_newline" else ""
            # a definition that is added has plain empty lines around it
            found = rewrite(text) if form == "form_feeds" else text.rstrip(end)
            assert found == rewrite(fixed[name]), f"{name}, {form}"


@pytest.mark.parametrize("code", sorted(built_rules()))
def test_each_rule_has_bad_lines_and_lines_that_look_like_them(code: str) -> None:
    units = [unit for unit in UNITS if unit.name.startswith(code)]
    marks = [mark for unit in units for mark in unit.marks if mark.code == code]
    stays = [text.count("stays: ") for unit in units for text in unit.files.values()]
    assert len(marks) >= 3
    assert sum(stays) >= 3


def codes_of(diagnostics: list[Diagnostic]) -> list[tuple[str, str]]:
    return [(entry.path.name, entry.code) for entry in diagnostics]

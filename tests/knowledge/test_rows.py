"""Each row of knowledge makes a rule report, or keeps it silent, in a small generated program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from row_programs import TABLES, Claim, claims
from row_project import Project

from idemlint.knowledge.facts import Knowledge
from idemlint.knowledge.loader import Origin, UserRow

if TYPE_CHECKING:
    from pathlib import Path

NOT_SHOWN = {
    # part of the URL is the key
    "host": r"airtable|salesforce",
    # also a guard, by another row
    "replay": r"dbos-transaction",
    # SQL speaks for itself, whatever runs it
    "store": r"sql\S* runs |\.(filter|exclude|all|where)\.|insert(_many)?\.\*\*|batch_writer|"
    r"supabase (check|insert|refused)",
}
"""By table, a pattern of rows and facts for which no program is generated that shows them.

Where nothing else is said, the shape of the call is missing: a chain of calls.
"""


def unproved(project: Project, listed: list[Claim]) -> list[str]:
    """The claims of a row that do not hold; one control a rule is enough."""
    controls: dict[tuple[str, bool, bool], str] = {}
    for claim in listed:
        controls.setdefault(_kind(claim), claim.control)
    quiet = dict(zip(controls, project.found(controls.values()), strict=True))
    failed = []
    for claim, codes in zip(listed, project.found(c.code for c in listed), strict=True):
        reported = claim.rule in codes
        if reported is not claim.reports or (
            claim.times > 1 and codes.count(claim.rule) != claim.times
        ):
            failed.append(f"{claim.fact}: {codes}, not {claim.rule}\n{claim.code}")
        elif (claim.rule in quiet[_kind(claim)]) is reported:
            failed.append(f"{claim.fact}: the same without it\n{claim.control}")
    return failed


def _kind(claim: Claim) -> tuple[str, bool, bool]:
    return claim.rule, claim.reports, claim.times > 1


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize("table", TABLES)
def test_each_row_makes_the_difference_in_a_program(table: str, project: Project) -> None:
    failed = []
    pattern = NOT_SHOWN.get(table)
    for row, listed in claims(table, project.knowledge):
        shown = [
            claim
            for claim in listed
            if pattern is None or not re.search(pattern, f"{row} {claim.fact}")
        ]
        failed += [f"{row} {text}" for text in unproved(project, shown)]
    assert not failed, "\n".join(failed)


def test_a_row_of_a_project_says_that_a_shipped_guard_only_looks_so(
    project: Project, tmp_path: Path
) -> None:
    shown = [claim for _, listed in claims("guard", project.knowledge) for claim in listed]
    programs = [claim.code for claim in shown]
    assert len(shown) > 5
    assert not any("IDM401" in codes for codes in project.found(programs))
    for guards in (True, False):
        columns = {"id": "own", "framework": "own", "kind": "decorator", "guards": guards}
        own = tuple(
            UserRow("guard", {**columns, "path": [claim.fact]}, Origin("pyproject.toml", 1))
            for claim in shown
        )
        found = Project(tmp_path / f"{guards}", Knowledge(own)).found(programs)
        assert ["IDM401" in codes for codes in found] == [not guards] * len(shown)

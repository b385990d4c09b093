"""The pages of operations: their form, and that no block on them is left untested."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from conftest import blocks_of

from idemlint import catalogue

ROOT = Path(__file__).parents[2]
HEADINGS = [
    "When to choose it",
    "What it guarantees",
    "What it does not guarantee",
    "Failure windows",
    "Code",
    "See also",
]
OPERATIONS = list(catalogue.operations().values())


@pytest.fixture(params=OPERATIONS, ids=lambda operation: operation.code)
def operation(request: pytest.FixtureRequest) -> catalogue.Operation:
    found = request.param
    assert isinstance(found, catalogue.Operation)
    return found


@pytest.fixture
def body(operation: catalogue.Operation) -> str:
    return operation.page.read_text(encoding="utf-8").split("---\n", 2)[2]


def test_there_are_eight() -> None:
    assert [operation.code for operation in OPERATIONS] == [
        f"OP-{number}" for number in range(1, 9)
    ]


def test_a_page_has_the_fixed_headings(operation: catalogue.Operation, body: str) -> None:
    without_code = re.sub(r"^```.*?^```$", "", body, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^# (.*)$", without_code, re.MULTILINE) == [
        f"{operation.code} {operation.name}"
    ]
    assert re.findall(r"^## (.*)$", without_code, re.MULTILINE) == HEADINGS


def test_each_block_has_a_heading_and_a_text(operation: catalogue.Operation, body: str) -> None:
    blocks = blocks_of(operation.code)
    assert len(blocks) == body.count("```python\n") > 0
    for heading in blocks:
        lead_in = body.split(f"\n### {heading}\n", 1)[1]
        assert lead_in.startswith("\n")


def test_failure_windows_are_a_table(body: str) -> None:
    section = body.split("## Failure windows\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line]
    assert all(row.count("|") == 4 for row in rows)
    assert len(rows) >= 4


def test_links_lead_somewhere(operation: catalogue.Operation, body: str) -> None:
    links = re.findall(r"\]\(([^)]+)\)", body)
    assert links
    missing = [link for link in links if not (operation.page.parent / link).is_file()]
    assert missing == []


def test_the_rules_that_recommend_an_operation_are_seen_from_it(
    operation: catalogue.Operation, body: str
) -> None:
    """Each page of an operation leads to those rules."""
    recommending = {
        rule.code for rule in catalogue.rules().values() if operation.code in rule.operations
    }
    assert recommending - set(re.findall(r"IDM\d{3}", body)) == set()


def test_each_block_is_run_by_a_test() -> None:
    tests = "".join(
        path.read_text(encoding="utf-8")
        for path in Path(__file__).parent.glob("test_operation_?.py")
    )
    for operation in OPERATIONS:
        for heading in blocks_of(operation.code):
            assert f'"{heading}"' in tests, f"{operation.code}: {heading}"


def test_blocks_are_clean_and_formatted(tmp_path: Path) -> None:
    for operation in OPERATIONS:
        for number, code in enumerate(blocks_of(operation.code).values()):
            name = f"{operation.code}_{number}.py".lower().replace("-", "")
            (tmp_path / name).write_text(code, encoding="utf-8")
    ruff = Path(sysconfig.get_path("scripts"), "ruff")
    options = ["--no-cache", "--config", ROOT / "pyproject.toml"]
    # A block is a module without a docstring, and shows `try` as it is commonly written.
    checks = (["check", "--ignore", "D100,SIM105"], ["format", "--check"])
    for check in checks:
        ran = subprocess.run(
            [ruff, *check, *options, tmp_path], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr

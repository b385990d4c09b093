"""The rows of knowledge: each loads, its columns are described, wrong ones are told by place."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from marked import ROOT, Tree

from idemlint.config.discovery import Resolver
from idemlint.hosts import cli
from idemlint.knowledge import loader, rows
from idemlint.knowledge.facts import Knowledge
from idemlint.knowledge.loader import KnowledgeError, Origin, UserRow, load_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = ROOT / "rules" / "knowledge"
FILES = sorted(FOLDER.glob("*.toml"))
PAGE = (ROOT / "rules" / "knowledge.md").read_text(encoding="utf-8")
TOML = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
WORDS_THAT_ARE_ALSO_NAMES = {"cache", "file", "github", "line", "retry", "sql"}


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for table, value in tomllib.loads(path.read_text(encoding="utf-8")).items():
        for row in value if isinstance(value, list) else [value]:
            yield table, row


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_row_loads_as_a_row_of_a_project_does(path: Path) -> None:
    found = tuple(UserRow(table, row, Origin(path.name, 1)) for table, row in rows_of(path))
    assert found
    loader._compile([], found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_row_stands_twice(path: Path) -> None:
    found = [repr(entry) for entry in rows_of(path)]
    assert sorted({row for row in found if found.count(row) > 1}) == []


def test_what_is_stored_is_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "_cache_folders", lambda: [tmp_path / "stored"])
    read = load_tables()
    assert list((tmp_path / "stored").iterdir())
    assert load_tables() == read


WRONG = {
    "a table that does not exist": (
        '[[tool.idemlint.knowledge.provder]]\nid = "acme"\n',
        "unknown table `provder`, did you mean `provider`?",
    ),
    "a column that does not exist": (
        '[[tool.idemlint.knowledge.lock]]\npath = ["acme.lock"]\nacross_process = true\n',
        (
            "unknown column `across_process` in `lock`, did you mean `across_processes`?; "
            "expected one of `path`, `across_processes`"
        ),
    ),
    "a column that is missing": (
        '[[tool.idemlint.knowledge.lock]]\npath = ["acme.lock"]\n',
        "`lock` needs `across_processes`",
    ),
    "a value of another type": (
        '[[tool.idemlint.knowledge.lock]]\npath = ["acme.lock"]\nacross_processes = "yes"\n',
        "`across_processes` in `lock` is of type bool",
    ),
    "a list of another type": (
        "[[tool.idemlint.knowledge.lock]]\npath = [1]\nacross_processes = true\n",
        "`path` in `lock` is of type str",
    ),
    "a word that is none of the choices": (
        '[[tool.idemlint.knowledge.value]]\npath = ["acme.id"]\nkind = "frsh"\ngives = "id"\n',
        "`kind` in `value` is one of clock, fresh, pure, stable, not `frsh`",
    ),
    "a path that is none": (
        '[[tool.idemlint.knowledge.lock]]\npath = ["acme lock"]\nacross_processes = true\n',
        "`path` in `lock` is a dotted name, and `acme lock` is none",
    ),
    "an operation that does not exist": (
        """\
[[tool.idemlint.knowledge.store]]
id = "acme"
title = "Acme"
kind = "kv"
operation = "OP4"
target = "receiver"
""",
        "`operation` in `store` is one of OP-1, OP-2, OP-3, OP-4, OP-5, OP-6, OP-7, OP-8, not `OP4`",
    ),
    "a slot that does not exist": (
        """\
[[tool.idemlint.knowledge.provider]]
id = "acme"
package = "acme"
imports = ["acme"]
effects = [
    { call = "acme.pay", does = "charge", repeat = "duplicates", key = { argumnt = "ref" } },
]
""",
        "unknown column `argumnt` in `slot`, did you mean `argument`?; expected one of `argument`",
    ),
    "a word list that is a word": (
        '[tool.idemlint.knowledge.names]\nexact = "request_ref"\n',
        "`exact` in `names` is a list of texts",
    ),
    "a word list that does not exist": (
        '[tool.idemlint.knowledge.names]\nexakt = ["request_ref"]\n',
        (
            "unknown column `exakt` in `names`, did you mean `exact`?; expected one of `exact`, "
            "`patterns`, `headers`, `factories`, `stems`, `maybe`, `described`"
        ),
    ),
    "an expression that is none": (
        '[tool.idemlint.knowledge.names]\npatterns = ["request_("]\n',
        "`patterns` in `names` is a regular expression, and `request_(` is none: ",
    ),
    "an expression in a row": (
        '[[tool.idemlint.knowledge.override]]\npattern = "draft_["\nkind = "scratch"\n',
        "`pattern` in `override` is a regular expression, and `draft_[` is none: ",
    ),
    "a token that is no text": (
        "[tool.idemlint.knowledge.aws_token]\nacme = 5\n",
        "`acme` in `aws_token` is a table of texts by method",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_row_is_told_with_its_file_and_line(
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    row, message = WRONG[case]
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "pyproject.toml"
    sound = '[[tool.idemlint.knowledge.lock]]\npath = ["acme.first"]\nacross_processes = true\n\n'
    config.write_text(f"{sound}{row}", encoding="utf-8")
    (tmp_path / "module.py").write_text("print()\n", encoding="utf-8")
    assert cli.run(["check", "--no-cache"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"idemlint failed\n  Cause: {config}:5: {message}")


def test_the_line_is_that_of_the_row_in_a_shipped_file() -> None:
    text = '# head\n[[lock]]\npath = ["a"]\nacross_processes = true\n\n[[lock]]\npath = ["b"]\n'
    found = loader._parse([(ROOT / "locks.toml", text.encode())])
    with pytest.raises(KnowledgeError, match=r"locks\.toml:6: `lock` needs `across_processes`"):
        loader._compile(found, ())


def section(table: str) -> str:
    """The part of the page that describes a table."""
    matched = re.search(rf"^### .*`{table}`.*\n((?:(?!^##).*\n)*)", PAGE, re.MULTILINE)
    return matched[1] if matched else ""


@pytest.mark.parametrize("table", loader._ROW_TABLES)
def test_each_column_is_described(table: str) -> None:
    text = section(table) or PAGE[PAGE.index("## What names stand for") :]
    shown = {field: name for name, field in loader._RENAMED.items()}
    missing = [
        field.name
        for field in fields(loader._ROW_TABLES[table])
        if f"`{field.name}`" not in text and f"`{shown.get(field.name)}`" not in text
    ]
    assert set(missing) <= {"checked"}  # which is described once, for all tables


def test_no_column_is_described_that_does_not_exist() -> None:
    described = set(re.findall(r"^\| (`[a-z_`, ]+`) \| ", PAGE, re.MULTILINE))
    columns = {column for text in described for column in re.findall(r"`([a-z_]+)`", text)}
    classes = (
        *loader._ROW_TABLES.values(),
        rows.Effect,
        rows.Slot,
        rows.Statement,
        rows.Form,
        rows.Lost,
    )
    known = {field.name for row in classes for field in fields(row)} | loader._RENAMED.keys()
    known |= loader._ROW_TABLES.keys() | {
        name for names in loader._LISTS.values() for name in names
    }
    assert sorted(columns - known) == []


@pytest.mark.parametrize("block", TOML, ids=[f"{number}" for number in range(len(TOML))])
def test_the_rows_on_the_page_can_be_used(block: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block, encoding="utf-8")
    found = Resolver(tmp_path).root.knowledge
    assert found
    own = tuple(
        UserRow(table.name, table.columns, Origin(str(table.path), table.row)) for table in found
    )
    assert Knowledge(own).rows("lock")


def examples() -> list[tuple[str, str]]:
    """The blocks of rows on the page that a block of code follows, with that."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [
        (rows_, code)
        for (first, rows_), (second, code) in itertools.pairwise(found)
        if (first, second) == ("toml", "python")
    ]


EXAMPLES = examples()
WITHOUT_EXAMPLE = {"aws_token", "containers", "factories"}
"""The twin of another table, and lists of names that do nothing."""


def table_of(rows_: str) -> str:
    """The last table of a block of rows: the one that it is an example of."""
    return re.findall(r"^\[+tool\.idemlint\.knowledge\.(\w+)", rows_, re.MULTILINE)[-1]


@pytest.mark.parametrize("example", EXAMPLES, ids=[table_of(row) for row, _ in EXAMPLES])
def test_an_example_finds_what_it_says_because_of_its_row(
    example: tuple[str, str], tmp_path: Path
) -> None:
    row, code = example
    expected = [
        (found, number)
        for number, line in enumerate(code.splitlines(), start=1)
        for found in re.findall(r"IDM\d+", line.partition("# ")[2].partition(":")[0])
    ]
    reported = [
        [
            (entry.code, entry.range.start.row)
            for entry in Tree(
                tmp_path / name,
                {"example": {"pyproject.toml": rows_.encode(), "module.py": code.encode()}},
                is_isolated=False,
            ).found
        ]
        for name, rows_ in (("with", row), ("without", ""))
    ]
    assert sorted(reported[0]) == sorted(expected)
    assert reported[0] != reported[1]


GUARDED = """\
import stripe
from dbos import SetWorkflowID
from langchain_core.tools import tool


@tool
def refund(charge: str) -> str:
    with SetWorkflowID(charge):
        return stripe.Refund.create(charge=charge).id
"""
LOOKS_SO = """\
[[tool.idemlint.knowledge.guard]]
id = "dbos-workflow-id"
framework = "dbos"
kind = "context-manager"
path = ["dbos.SetWorkflowID"]
guards = false
"""


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param("", [], id="without"),
        pytest.param(LOOKS_SO, ["IDM401"], id="with"),
        pytest.param(LOOKS_SO.replace("false", "true"), [], id="as-shipped"),
    ],
)
def test_a_row_of_a_project_goes_before_the_shipped_guard(
    row: str, expected: list[str], tmp_path: Path
) -> None:
    files = {"pyproject.toml": row.encode(), "module.py": GUARDED.encode()}
    tree = Tree(tmp_path, {"example": files}, is_isolated=False)
    assert sorted(entry.code for entry in tree.found) == expected


def test_each_table_has_an_example() -> None:
    shown = {
        name
        for row, _ in EXAMPLES
        for name in re.findall(r"^\[+tool\.idemlint\.knowledge\.(\w+)", row, re.MULTILINE)
    }
    known = {*loader._ROW_TABLES, *loader._LISTS, *loader._FREE}
    assert known - shown == WITHOUT_EXAMPLE


def names_in_rows() -> set[str]:
    """What frameworks, packages, providers and stores are called."""
    found: set[str] = set()
    for path in FILES:
        for table, row in rows_of(path):
            for column in ("framework", "package", "imports"):
                value = row.get(column, ())
                listed = [value] if isinstance(value, str) else value
                found.update(name.partition(".")[0] for name in listed)
            if table in ("provider", "store"):
                found.add(row["id"])
    usual = {*sys.stdlib_module_names, *dir(builtins), *WORDS_THAT_ARE_ALSO_NAMES}
    return {name for name in found - usual if re.fullmatch(r"[\w-]{3,}", name)}


def texts_in_code(path: Path) -> Iterator[str]:
    """The texts that a module works with; docstrings are none."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield "" if id(node) in described else node.value


def test_no_framework_provider_or_store_is_named_in_code() -> None:
    names = names_in_rows()
    assert len(names) > 100
    parts = (
        "analysis.py", "cache.py", "fixes", "inventory.py", "knowledge", "linter.py", "model",
        "session.py", "source", "survey.py", "visitors",
    )  # fmt: skip
    package = ROOT / "idemlint"
    naming = {
        path.relative_to(package).as_posix()
        for part in parts
        for path in ([package / part] if part.endswith(".py") else (package / part).rglob("*.py"))
        if any(names & set(re.findall(r"[\w-]+", text)) for text in texts_in_code(path))
    }
    assert naming == set()

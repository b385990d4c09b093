"""`--baseline`: what is known is not told again, wherever it moves; what is new fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from marked import ROOT
from terminals import Result

if TYPE_CHECKING:
    from terminals import Terminal

PAYMENTS = (ROOT / "examples" / "refund_desk" / "payments.py").read_text(encoding="utf-8")
DESK = (ROOT / "examples" / "refund_desk" / "desk.py").read_text(encoding="utf-8")
UNUSED = "x = 1  # noqa: IDM101\n"
NEW = "y = 2  # noqa: IDM102\n"


@pytest.fixture
def project(terminal: Terminal) -> Terminal:
    terminal.write(payments_py=PAYMENTS, desk_py=DESK, unused_py=UNUSED)
    return terminal


def check(terminal: Terminal, *args: str, stdin: str = "") -> Result:
    shared = ("--isolated", "--no-cache", "--output-format", "concise", "--baseline", "known.json")
    return terminal.idemlint("check", *shared, *args, stdin=stdin)


def update(terminal: Terminal, *args: str) -> str:
    done = check(terminal, "--update-baseline", *args)
    assert (done.code, done.out) == (0, "")
    return done.err


def listed(terminal: Terminal) -> list[tuple[str, str]]:
    document = json.loads(terminal.read("known.json"))
    assert document["version"] == 1
    return [(entry["path"], entry["code"]) for entry in document["findings"]]


def test_what_is_known_is_not_told_and_what_is_new_fails(project: Terminal) -> None:
    assert update(project) == "The baseline has 4 findings.\n"
    assert listed(project) == [
        ("desk.py", "IDM201"),
        ("desk.py", "IDM501"),
        ("payments.py", "IDM101"),
        ("unused.py", "IDM001"),
    ]
    told = "4 known findings of the baseline not shown.\n"
    assert check(project) == Result(0, "All checks passed!\n", told)

    project.write(new_py=NEW)

    done = check(project)
    assert (done.code, done.err) == (1, told)
    assert done.out.startswith("new.py:1:8: IDM001 [*] Unused")
    assert check(project, "-q").err == ""


def test_findings_are_known_wherever_they_move_in_their_file(project: Terminal) -> None:
    update(project)
    project.write(
        payments_py=f'"""Payments."""\n\n\n{PAYMENTS}',
        desk_py=DESK.replace("import ", "import json\n\nimport ", 1),
        unused_py=f"\n\n{UNUSED}",
    )
    assert check(project).code == 0


@pytest.mark.parametrize(
    ("old", "new"), [("x = 1", "y = 1"), ("x = 1", "def f():\n    x = 1")], ids=["row", "place"]
)
def test_a_row_that_changes_or_goes_elsewhere_is_new(project: Terminal, old: str, new: str) -> None:
    update(project)
    project.write(unused_py=UNUSED.replace(old, new))
    assert check(project).code == 1


def test_of_equal_rows_one_more_is_new_and_one_less_is_not(project: Terminal) -> None:
    project.write(unused_py=UNUSED * 2)
    update(project)
    project.write(unused_py=UNUSED)
    assert check(project).code == 0
    project.write(unused_py=UNUSED * 3)
    assert check(project).out.count("IDM001") == 1


def test_paths_count_from_the_file_not_from_the_working_directory(project: Terminal) -> None:
    update(project)
    (project.folder / "sub").mkdir()
    project.monkeypatch.chdir(project.folder / "sub")
    done = project.idemlint(
        "check", "--isolated", "--no-cache", "--baseline", "../known.json", ".."
    )
    assert done.code == 0


def test_an_update_of_some_files_keeps_what_is_known_of_the_others(project: Terminal) -> None:
    update(project)
    project.write(unused_py="x = 1\n", new_py=NEW)
    assert update(project, "unused.py", "new.py") == "The baseline has 4 findings.\n"
    assert ("new.py", "IDM001") in listed(project)
    assert ("unused.py", "IDM001") not in listed(project)
    (project.folder / "new.py").unlink()
    update(project, "unused.py")
    assert ("new.py", "IDM001") not in listed(project)


def test_the_file_is_the_same_for_the_same_findings(project: Terminal) -> None:
    update(project)
    first = project.read("known.json")
    update(project)
    assert project.read("known.json") == first
    # one row a finding: a merge shows what changed
    assert len(first.splitlines()) == 5 + len(listed(project))


def test_nothing_found_makes_an_empty_baseline(terminal: Terminal) -> None:
    terminal.write(m_py="x = 1\n")
    assert update(terminal) == "The baseline has 0 findings.\n"
    assert listed(terminal) == []


def test_what_is_known_is_not_fixed(project: Terminal) -> None:
    project.write(unused_py=UNUSED)
    update(project)
    project.write(unused_py=UNUSED + NEW)
    assert "-y = 2  # noqa: IDM102\n" in check(project, "--diff").out
    done = check(project, "--fix")
    assert done.out == "Found 1 error (1 fixed, 0 remaining).\n"
    assert project.read("unused.py") == f"{UNUSED}y = 2\n"


def test_machine_formats_hold_what_is_new(project: Terminal) -> None:
    update(project)
    assert check(project, "--output-format", "json").code == 2  # given twice
    shared = ("--isolated", "--no-cache", "--baseline", "known.json")
    for name in ("json", "gitlab"):
        assert project.idemlint("check", *shared, "--output-format", name).out == "[]"


def test_what_cannot_be_checked_is_never_known(terminal: Terminal) -> None:
    terminal.write(m_py="x = = 1\n")
    assert update(terminal, "m.py", "missing.py") == "The baseline has 0 findings.\n"
    done = check(terminal, "m.py", "missing.py")
    assert (done.code, done.out.count("invalid-syntax"), done.out.count("E902")) == (1, 1, 1)


def test_standard_input_is_compared_by_its_name(project: Terminal) -> None:
    update(project)
    assert check(project, "--stdin-filename", "unused.py", "-", stdin=f"\n{UNUSED}").code == 0
    assert check(project, "--stdin-filename", "other.py", "-", stdin=UNUSED).code == 1


def test_notebooks_have_their_findings_known(terminal: Terminal) -> None:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}

    def book(*sources: str) -> str:
        cells = [{**cell, "source": source} for source in sources]
        whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        return json.dumps(whole)

    terminal.write(**{"n.ipynb": book(UNUSED)})
    update(terminal)
    terminal.write(**{"n.ipynb": book("z = 1", UNUSED)})
    assert check(terminal).code == 0


def test_a_missing_file_is_an_error_that_says_how_it_is_made(project: Terminal) -> None:
    assert check(project) == Result(
        2,
        "",
        f"idemlint failed\n  Cause: Failed to read baseline {project.folder}/known.json\n"
        "  Cause: No such file or directory (os error 2)\n\n"
        "  tip: `--update-baseline` writes the findings of now into it\n",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expected JSON: "),
        ("[]", "Expected an object with `version` 1"),
        ('{"version": 2, "findings": []}', "Expected an object with `version` 1"),
        ('{"version": 1}', "Expected `findings` with `path`, `code` and `fingerprint` each"),
        ('{"version": 1, "findings": [{"path": "a"}]}', "Expected `findings` with"),
        ('{"version": 1, "findings": 3}', "Expected `findings` with"),
    ],
)
def test_a_file_that_is_no_baseline_is_an_error(project: Terminal, text: str, reason: str) -> None:
    project.write(**{"known.json": text})
    done = check(project)
    assert (done.code, done.out) == (2, "")
    assert f"known.json\n  Cause: {reason}" in done.err


def test_a_folder_cannot_be_written(project: Terminal) -> None:
    (project.folder / "known.json").mkdir()
    done = check(project)
    assert (done.code, done.err.splitlines()[-1]) == (2, "  Cause: Is a directory (os error 21)")


def test_an_update_needs_a_file(project: Terminal) -> None:
    done = project.idemlint("check", "--update-baseline")
    assert done == Result(
        2,
        "",
        "error: the following required arguments were not provided:\n  --baseline <FILE>\n\n"
        "Usage: idemlint check --baseline <FILE> --update-baseline [FILES]...\n\n"
        "For more information, try '--help'.\n",
    )


@pytest.mark.parametrize("flag", ["--fix", "--diff", "--watch", "--statistics", "--add-noqa"])
def test_an_update_does_nothing_else(project: Terminal, flag: str) -> None:
    done = check(project, "--update-baseline", flag)
    assert done.code == 2
    assert "cannot be used with" in done.err

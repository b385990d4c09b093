"""Comments that silence findings, beside Ruff where the grammar is the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from idemlint import catalogue
from idemlint.diagnostic import Applicability, Diagnostic, Fix, Position, Range
from idemlint.fixes.apply import apply_once
from idemlint.source.comments import comments, joined_rows, logical_lines
from idemlint.source.suppressions import Suppressions, concerns_us
from idemlint.source.text import SourceText

PATH = Path("/project/m.py").absolute()
ALL = frozenset(catalogue.rules())


def read(text: str) -> Suppressions:
    return Suppressions.of(SourceText(PATH, text))


def finding(row: int, code: str = "IDM101", end_row: int | None = None) -> Diagnostic:
    rule = catalogue.rules().get(code)
    span = Range(Position(row, 1), Position(end_row or row, 2))
    name = rule.name if rule is not None else code
    return Diagnostic(PATH, span, code, name, "m", noqa_row=row)


def silenced(text: str, *findings: Diagnostic) -> list[tuple[str, int]]:
    """Codes and rows of the findings that the comments of `text` silence."""
    filtered = read(text).filter(findings)
    return [
        (entry.diagnostic.code, entry.diagnostic.range.start.row) for entry in filtered.silenced
    ]


def unused(
    text: str,
    *findings: Diagnostic,
    enabled: frozenset[str] = ALL,
    external: tuple[str, ...] = (),
) -> tuple[Diagnostic, ...]:
    suppressions = read(text)
    return suppressions.unused(suppressions.filter(findings), enabled=enabled, external=external)


def cleaned(text: str, *findings: Diagnostic, rounds: int = 9) -> str:
    """`text` after all fixes of IDM001 and IDM002, unsafe ones too."""
    for _ in range(rounds):
        done = apply_once(unused(text, *findings), {PATH: text.encode()}.get, unsafe=True)
        if not done.fixed:
            break
        text = done.contents[PATH].decode()
    return text


def added(text: str, *findings: Diagnostic, reason: str = "") -> str:
    edits = read(text).noqa_edits(findings, reason)
    carrier = Diagnostic(
        PATH, findings[0].range, "x", "x", "x", fix=Fix("x", Applicability.SAFE, edits)
    )
    return apply_once([carrier], lambda _: text.encode(), unsafe=False).contents[PATH].decode()


def ruff(folder: Path, text: str, *flags: str) -> tuple[list[dict[str, Any]], str]:
    """What Ruff finds in `text`, and its warnings."""
    (folder / "m.py").write_text(text, encoding="utf-8", newline="")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero"]
    command += ["--output-format", "json", *flags, "m.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr


# Each stands behind an import that is not used; IDM101 is put in the place of F401.
_NOQA = [
    "# noqa", "#noqa", "# NoQA", "#\t noqa", "#   NOQA", "## noqa", "# noqa # more", "# noqa#more",
    "# noqa: F401", "# noqa:F401", "# noqa : F401", "# noqa  :F401", "# noqa: E501,F401",
    "# noqa: E501, F401", "# noqa: E501 F401", "# noqa: E501\tF401", "# noqa: E501,,F401",
    "# noqa: E501 , F401", "# noqa: ,F401", "# noqa: E501F401", "# noqa: F401E501",
    "# noqa: F401,", "# noqa: F401 reason", "# noqa: F401 - reason", "# noqa: F401, reason",
    "# noqa: F401 # x", "# noqa: F401#x", "# noqa F401", "# noqa reason", "# noqa - reason",
    "# noqa:", "# noqa: f401", "# noqa: F", "# noqa: ALL", "# noqa: reason", "# noqa: F401;E501",
    "# noqa: F401: why", "# noqa: F401why", "# noqa, F401", "# noqaF401", "# noqa.", "# noqa: F4",
    "# noqa: F40", "# noqa: F401Fabc", "# noqa: E501Fabc", "# noqa: E501 Fabc F401",
    "# see # noqa: F401", "# type: ignore # noqa: F401", "# x noqa: F401",
    "# noqa: E501 # noqa: F401",
    "# noqa; F401", "# noqa=F401", "# ruff: noqa", "# ruff: noqa: F401", "# flake8: noqa",
    "#noqa:E501,W1,F401", "# noqa:\u00a0F401", "# noqa:F401\u3000x", "# no qa", "# noqa\u00e9",
]  # fmt: skip


def test_noqa_on_the_row_is_read_as_ruff_reads_it(tmp_path: Path) -> None:
    rows = [f"import m{number}  {comment}" for number, comment in enumerate(_NOQA)]
    text = "\n".join(rows) + "\n"
    found, stderr = ruff(tmp_path, text, "--select", "F401")
    left = [entry["location"]["row"] for entry in found]
    ours = text.replace("F401", "IDM101").replace("F4", "IDM1").replace("f401", "idm101")
    suppressions = read(ours)
    kept = suppressions.filter([finding(row) for row in range(1, len(rows) + 1)]).kept
    assert [entry.range.start.row for entry in kept] == left
    theirs = re.sub(r"F401, F841", "IDM101, IDM201", stderr).replace("`F401`", "`IDM101`")
    expected = sorted(line[len("warning: ") :] for line in theirs.splitlines())
    # What `ruff:` and `flake8:` say wrongly concerns us only where it names our codes.
    expected = [line for line in expected if "Unexpected" not in line]
    own = sorted(line for line in suppressions.warnings("m.py") if "Unexpected" not in line)
    assert own == expected
    assert len(expected) > 20


_FILE = [
    "# ruff: noqa: F401", "#ruff:noqa:F401", "# ruff : noqa : F401", "# ruff: NOQA: F401",
    "# flake8: noqa: F401", "# flake8: noqa: E501, F401", "# RUFF: noqa: F401",
    "# ruff: noqa: F401 reason", "# ruff: noqa: f401", "# ruff: noqa: E501,,F401",
    "# ruff: noqa: F4", "# x # ruff: noqa: F401", "x = 1  # ruff: noqa: F401", "# flake8: noqa",
    "# ruff: noqa:", "    # ruff: noqa: F401",
]  # fmt: skip


@pytest.mark.parametrize("comment", _FILE)
@pytest.mark.parametrize("own", [False, True])
def test_noqa_of_a_file_is_read_as_ruff_reads_it(tmp_path: Path, comment: str, own: bool) -> None:
    text = f"import os\nif x:\n    y = 1\n{comment}\n    z = 1\n"
    found, stderr = ruff(tmp_path, text, "--select", "F401")
    ours = text.replace("F401", "IDM101").replace("F4", "IDM1").replace("f401", "IDm101")
    if own:
        ours = ours.replace("ruff", "idemlint").replace("flake8", "idemlint")
    is_silent = silenced(ours, finding(1)) == [("IDM101", 1)]
    assert is_silent is (not found)
    if not own and "IDM" not in ours:
        return
    warnings = "".join(f"warning: {line}\n" for line in read(ours).warnings("m.py"))
    tool = "ruff" if "ruff" in comment or own else "flake8"
    theirs = stderr.replace("F401, F841", "IDM101, IDM201")
    assert warnings.replace("idemlint", "ruff") == theirs.replace("ruff", tool)


def test_a_blanket_for_the_file_is_ours_or_that_of_flake8() -> None:
    for comment, is_silent in (
        ("# idemlint: noqa", True),
        ("# idemlint:NOQA reason", True),
        ("# flake8: noqa", True),
        ("# ruff: noqa", False),
    ):
        assert bool(silenced(f"x = 1\n\n{comment}\n", finding(1))) is is_silent


def test_only_findings_of_rules_can_be_silenced() -> None:
    text = "# idemlint: noqa\nx = 1  # noqa\n"
    syntax = Diagnostic(PATH, finding(2).range, "invalid-syntax", "invalid-syntax", "m")
    assert silenced(text, syntax, finding(2)) == [("IDM101", 2)]


def test_a_noqa_in_a_string_is_none() -> None:
    text = '''x = "# noqa"
y = """
# idemlint: noqa
# noqa: IDM101
"""
z = rb'\\'# noqa: IDM101'
f"{x} # noqa"
'''
    rows = range(1, 8)
    assert silenced(text, *(finding(row) for row in rows)) == []
    assert unused(text) == ()


def test_a_noqa_counts_in_code_that_does_not_parse() -> None:
    text = 'def f(:\n    x = "open  # noqa\n    y = 1  # noqa: IDM101\n)]}\nz = 2  # noqa\n'
    rows = (2, 3, 5)
    assert silenced(text, *(finding(row) for row in rows)) == [("IDM101", 3), ("IDM101", 5)]


def test_text_without_the_words_is_not_scanned() -> None:
    assert read("x = 1  # nothing\n" * 3).entries == ()
    assert not concerns_us("x = 1  # noqa: F401\n# ruff: noqa: E501\n")
    assert concerns_us("x = 1  # noqa: IDM101\n")
    assert concerns_us("x = 1  # noqa: idm101\n")
    assert concerns_us("# idemlint: ignore[]\n")


# Ruff's forms with brackets; IDM101 is put in the place of F401, IDM102 in that of E402.
_BRACKETS = [
    "import a  # ruff: ignore[F401]\nimport b\n",
    "import a  # ruff: ignore[E402, F401] reason\n",
    "import a  # x # ruff: ignore[F401] # y\n",
    "import a  #ruff:ignore[ E402 , F401 , ]\n",
    "# ruff: ignore[F401]\nimport a\nimport b\n",
    "# ruff: ignore[F401]\n\n# more\n\nimport a\nimport b\n",
    "# ruff: ignore[F401]\nfrom a import (\n    b,\n    c,\n)\nimport d\n",
    "from a import (\n    # ruff: ignore[F401]\n    # more\n\n    b,\n    c,\n)\n",
    "from a import (\n    b,  # ruff: ignore[F401]\n    c,\n)\n",
    "from a import (\n    b,\n    c,\n)  # ruff: ignore[F401]\n",
    "if x:\n    # ruff: ignore[F401]\n    def f():\n        import a\n    import b\n",
    "# ruff: ignore[F401]\nif x:\n    import a\n",
    "# ruff: ignore[F401]\nif x: import a\nimport b\n",
    "# ruff: ignore[F401]\nimport a; import b\nimport c\n",
    '# ruff: ignore[F401]\nx = """\n"""; import a\nimport b\n',
    "# ruff: ignore[F401]\nimport \\\n    a\nimport b\n",
    "import a  # ruff: ignore[F4]\nimport b  # ruff: ignore[f401]\n",
    "# ruff: disable[F401]\nimport a\n# ruff: enable[F401]\nimport b\n",
    "import z\n# ruff: disable[F401, E402]\nimport a\n# ruff: enable[F401, E402]\nimport b\n",
    "# ruff: disable[F401, E402]\nimport a\n# ruff: enable[E402, F401]\nimport b\n",
    "# ruff: disable[F401]\n# ruff: disable[F401]\n# ruff: enable[F401]\nimport a\n",
    "# ruff: disable[F401]\n# ruff: disable[F401]\nimport a\n# ruff: enable[F401]\nimport b\n",
    "def f():\n    # ruff: disable[F401]\n    import a\n    if x:\n        import b\nimport c\n",
    "def f():\n    # ruff: disable[F401]\n    import a\nimport b\n# ruff: enable[F401]\nimport c\n",
    "def f():\n    import a\n# ruff: disable[F401]\n    import b\n# ruff: enable[F401]\nimport c\n",
    "def f():\n    import a\n    # ruff: disable[F401]\nimport b\n",
    "# ruff: disable[F401]\ndef f():\n    import a\n    # ruff: enable[F401]\n    import b\n",
    "# ruff: disable[F401]\nif x:\n    import a\n# ruff: enable[F401]\nimport b\n",
    "import a  # ruff: disable[F401]\nimport b\n# ruff: enable[F401]\n",
    "import a\n# ruff: file-ignore[F401]\nimport b\n",
    "import a\nif x:\n    # ruff: file-ignore[F401]\n    import b\n",
    "import a  # ruff: file-ignore[F401]\nimport b\n",
    "# ruff: file-ignore[F401, E402] reason\nimport a\n",
    "import a  # ruff: ignore[]\nimport b  # ruff: ignore F401\nimport c  # ruff: ignores[F401]\n",
    "import d  # ruff: ignore[F401\nimport e  # ruff: ignore[F401 E402]\n",
    "import f  # ruff: ignore[F401;]\nimport g  # RUFF: ignore[F401]\n",
    "import h  # ruff : ignore [F401]\n",
    "# ruff: enable[F401]\nimport a\n",
    "if x:\n\timport a\n\t# ruff: disable[F401]\n\timport b\n\t# ruff: enable[F401]\n\timport c\n",
]  # fmt: skip


@pytest.mark.parametrize("text", _BRACKETS)
def test_brackets_silence_what_they_silence_with_ruff(tmp_path: Path, text: str) -> None:
    every, _ = ruff(tmp_path, text, "--select", "F401", "--ignore-noqa")
    left, _ = ruff(tmp_path, text, "--select", "F401")
    ours = text.replace("ruff", "idemlint").replace("F401", "IDM101").replace("E402", "IDM102")
    findings = [
        Diagnostic(
            PATH,
            Range(_position(entry["location"]), _position(entry["end_location"])),
            "IDM101",
            "fresh-key",
            "m",
            noqa_row=entry["noqa_row"],
        )
        for entry in every
    ]
    kept = read(ours).filter(findings).kept
    assert [entry.range.start for entry in kept] == [_position(entry["location"]) for entry in left]


def _position(found: dict[str, int]) -> Position:
    return Position(found["row"], found["column"])


def test_brackets_take_names_of_rules() -> None:
    text = "x = 1  # idemlint: ignore[fresh-key]\n"
    assert silenced(text, finding(1), finding(1, "IDM102")) == [("IDM101", 1)]
    assert unused(text, finding(1)) == ()


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("# idemlint: ignore", "missing suppression codes like `[IDM101, ...]`"),
        ("# idemlint: ignore[]", "missing suppression codes like `[IDM101, ...]`"),
        ("# idemlint: disable[IDM101", "missing closing bracket"),
        ("# idemlint: disable[IDM101 IDM102]", "missing comma between codes"),
        ("# idemlint: ignore[;]", "invalid error code"),
        ("# idemlint: enable[IDM101]", "no matching `disable` comment"),
        ("   # idemlint: disable[IDM101]", "indentation does not match the code around it"),
        (
            "   # idemlint: file-ignore[IDM101]",
            "file-level suppressions must be at global module scope",
        ),
        (
            "y = 1  # idemlint: disable[IDM101]",
            "trailing comments are only supported for `idemlint: ignore`",
        ),
    ],
)
def test_a_comment_that_silences_nothing_is_warned_of(comment: str, reason: str) -> None:
    text = f"x = 1\n{comment}\nz = 1\n"
    action = re.findall("ignore|disable|enable|file-ignore", comment)[0]
    action = "file-ignore" if "file-" in comment else action
    expected = f"Invalid `# idemlint: {action}` directive at m.py:2: {reason}"
    assert read(text).warnings("m.py") == (expected,)
    assert silenced(text, *(finding(row) for row in (1, 2, 3))) == []


def test_what_is_no_directive_or_not_on_its_own_row_is_warned_of() -> None:
    assert read("# idemlint: off\n").warnings("m.py") == (
        "Invalid `# idemlint` directive at m.py:1: unknown directive",
    )
    [warning] = read("y = 1  # idemlint: noqa: IDM101\n").warnings("m.py")
    assert warning == (
        "Unexpected `# idemlint: noqa` directive at m.py:1. File-level suppression comments must"
        " appear on their own line. For line-level suppression, omit the `idemlint:` prefix."
    )


def test_other_tools_comments_are_not_ours_to_warn_of() -> None:
    text = "x = 1  # ruff: noqa: F401\n# ruff: noqa: f401\n# flake8: noqa:\n# ruff: ignore[]\n"
    assert read(text).warnings("m.py") == ()


_ROWS = '''a0 = """
x
""" + a1
b0 = b1 + \\
   b2 + \\
   b3; b4
c0 + "abc\\
def" + c1
d0 = f"""
{d1}
""" + d2
e(e1, """x
y""", e2, """z
w""", e3)
f0 = (f1,
  f2)
g0; h = """
a"""; i0 + i1 + \\
  i2
k0 + 'a' \\
   'b' + k1
l = [
  l0 + """
q""", l1,
  l2]
m0 + f"{m1 + 'x'} # noqa: F821" + m2
n0 + rb\'\'\'
\\\'\'\' \'\'\' + n1
o0 + """a""" + o1 \\

p0
if q0: """
""" ; q1
'''


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_noqa_row_is_that_of_ruff(tmp_path: Path, newline: str) -> None:
    text = _ROWS.replace("\n", newline)
    found, _ = ruff(tmp_path, text, "--select", "F821")
    suppressions = read(text)
    assert [suppressions.noqa_row(_position(entry["location"])) for entry in found] == [
        entry["noqa_row"] for entry in found
    ]
    assert len(found) == 34


# Ruff judges F401 and F811, which become IDM101 and IDM102; what it does not know stays.
_UNUSED = [
    "x = 1  # noqa: F401\n",
    "x = 1  # noqa: F401 reason\n",
    "x = 1  # noqa:F401 # type: ignore\n",
    "x = 1  # noqa: F401  # type: ignore\n",
    "x = 1  # type: ignore  # noqa: F401\n",
    "import os  # noqa: F401, F811\n",
    "import os  # noqa: F811, F401\n",
    "import os  # noqa: F401, F401\n",
    "x = 1  # noqa: F401, F401, F811\n",
    "# noqa: F401\nx = 1\n",
    "def f():\n    # noqa: F401\n    x()\n",
    "x = 1\n# ruff: noqa: F401\n",
    "import os\n# ruff: noqa: F401, F811\n",
    "x = 1  # noqa: F401, RUF100\n",
    "x = 1\t# noqa: F401  \n",
    "x = 1  # noqa: F401",
    "import os  # noqa\nx = 1\n",
    "x = 1  # ruff: ignore[F401]\n",
    "import os  # ruff: ignore[F401, F811] why\n",
    "# ruff: disable[F401]\nx = 1\n# ruff: enable[F401]\n",
    "# ruff: disable[F401, F811]\nimport os\n# ruff: enable[F401, F811]\n",
    "# ruff: file-ignore[F401]\nx = 1\n",
    "x = 1  # a # ruff: ignore[F401] # b\n",
]


@pytest.mark.parametrize("text", _UNUSED)
def test_unused_directives_are_reported_and_removed_as_with_ruff(tmp_path: Path, text: str) -> None:
    select = ("--select", "F401,F811,RUF100")
    found, _ = ruff(tmp_path, text, *select)
    silent, _ = ruff(tmp_path, text, "--select", "F401", "--ignore-noqa")
    findings = [finding(entry["location"]["row"]) for entry in silent]
    ours = _ours(text)
    reported = unused(ours, *findings)
    theirs = [entry for entry in found if entry["code"] == "RUF100"]
    assert [entry.message for entry in reported] == [_ours(entry["message"]) for entry in theirs]
    assert [entry.fix.applicability is Applicability.SAFE for entry in reported if entry.fix] == [
        entry["fix"]["applicability"] == "safe" for entry in theirs
    ]
    ruff(tmp_path, text, *select, "--fixable", "RUF100", "--fix", "--unsafe-fixes")
    after = (tmp_path / "m.py").read_bytes().decode()
    assert cleaned(ours, *findings) == _ours(after)


def _ours(text: str) -> str:
    renamed = text.replace("F401", "IDM101").replace("F811", "IDM102").replace("RUF100", "IDM001")
    return renamed.replace("ruff: noqa", "idemlint: noqa").replace("ruff: ", "idemlint: ")


def test_codes_of_other_tools_stay_byte_for_byte() -> None:
    for before, after in (
        ("# noqa:E501,IDM101,F401  why", "# noqa:E501,F401  why"),
        ("# noqa: IDM101 , E501", "# noqa: E501"),
        ("# noqa: E501 IDM101", "# noqa: E501"),
        ("# noqa: E501,, IDM101 IDM102, F401", "# noqa: E501,, F401"),
        ("# noqa: IDM101E501", "# noqa: E501"),
        ("# noqa: E501IDM101", "# noqa: E501"),
        ("# noqa: IDM101, pylint: disable=all", "# pylint: disable=all"),
        ("# noqa: IDM101 text  # nosec", "# nosec"),
        ("# flake8: noqa: IDM101, E501", "# flake8: noqa: E501"),
        ("# ruff: noqa: E501, IDM101 reason", "# ruff: noqa: E501 reason"),
    ):
        code = "" if ": noqa" in before else "x = 1  "
        assert cleaned(f"{code}{before}\ny = 1\n") == f"{code}{after}\ny = 1\n"


def test_a_file_level_comment_never_becomes_a_blanket() -> None:
    for tool in ("flake8", "ruff", "idemlint"):
        assert cleaned(f"x = 1\n# {tool}: noqa: IDM101\ny = 1\n") == "x = 1\ny = 1\n"


def test_a_blanket_and_other_tools_codes_are_never_unused() -> None:
    text = "x = 1  # noqa\ny = 1  # noqa: F401, E501\n# flake8: noqa: E501\nz = 1  # noqa reason\n"
    assert unused(text) == ()


def test_a_directive_for_a_rule_that_does_not_run_is_not_unused() -> None:
    text = "x = 1  # noqa: IDM101, IDM102\n"
    [entry] = unused(text, enabled=frozenset({"IDM001", "IDM102"}))
    assert entry.message == "Unused `noqa` directive (unused: `IDM102`)"
    assert entry.suggestion == "Remove `IDM102`"
    assert unused(text, enabled=frozenset({"IDM001"})) == ()
    assert unused(text, enabled=frozenset({"IDM101"})) == ()


def test_external_codes_belong_to_others() -> None:
    text = "x = 1  # noqa: IDM900, IDM101\ny = 1  # idemlint: ignore[XYZ1]\n"
    found = unused(text, external=("IDM9", "XYZ"))
    assert [entry.message for entry in found] == ["Unused `noqa` directive (unused: `IDM101`)"]


def test_an_unknown_code_is_reported_alone() -> None:
    text = "x = 1  # noqa: IDM101, IDM110, E501\n"
    [entry] = unused(text)
    assert entry == Diagnostic(
        PATH,
        Range(Position(1, 24), Position(1, 30)),
        "IDM002",
        "blanket-noqa-with-typo",
        "`IDM110` in this `noqa` is no rule of idemlint",
        severity=catalogue.rules()["IDM002"].severity,
        noqa_row=1,
        url=catalogue.rules()["IDM002"].url,
        suggestion="Name an existing code, or remove it",
        fix=entry.fix,
    )
    assert entry.fix is not None
    assert entry.fix.message == "Remove `IDM110`"
    assert cleaned(text, finding(1)) == "x = 1  # noqa: IDM101, E501\n"
    assert [entry.code for entry in unused(text, enabled=ALL - {"IDM002"})] == ["IDM001"]


def test_a_prefix_is_no_code() -> None:
    assert [entry.code for entry in unused("x = 1  # noqa: IDM1, IDM\n", finding(1))] == ["IDM002"]
    assert silenced("x = 1  # noqa: IDM1\n", finding(1)) == []


def test_all_is_unknown_in_our_own_brackets() -> None:
    [entry] = unused("x = 1  # idemlint: ignore[all]\n", finding(1))
    assert entry.message == "`all` in this suppression is no rule of idemlint"
    assert cleaned("x = 1  # idemlint: ignore[all]\n") == "x = 1\n"


def test_these_findings_can_be_silenced_too() -> None:
    assert unused("x = 1  # noqa: IDM101, IDM001\n") == ()
    assert unused("x = 1  # noqa: IDM900, IDM002\n") == ()
    assert unused("# idemlint: file-ignore[IDM001]\nx = 1  # noqa: IDM101\n") == ()
    assert unused("# idemlint: noqa: IDM001\nx = 1  # noqa: IDM101\n") == ()
    assert unused("# idemlint: noqa\nx = 1  # noqa: IDM101, IDM900\n") == ()


def test_a_finding_uses_the_strongest_directive() -> None:
    text = "# idemlint: file-ignore[IDM101]\nx = 1  # noqa: IDM101\n"
    [entry] = unused(text, finding(2))
    assert entry.range.start.row == 2


def test_what_silences_a_whole_notebook_may_stand_in_another_cell() -> None:
    other = read("# idemlint: noqa: IDM101\n").file_level
    here = read("x = 1\n")
    assert here.filter([finding(1)], other).kept == ()
    assert here.filter([finding(1, "IDM102")], other).kept == (finding(1, "IDM102"),)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = 1  # noqa: IDM101\n"),
        ("x = 1  \n", "x = 1  # noqa: IDM101\n"),
        ("x = 1", "x = 1  # noqa: IDM101"),
        ("x = 1\r\n", "x = 1  # noqa: IDM101\r\n"),
        ("x = 1  # see\n", "x = 1  # see  # noqa: IDM101\n"),
        ("x = 1  # noqa: E501\n", "x = 1  # noqa: E501, IDM101\n"),
        ("x = 1  # noqa: IDM201\n", "x = 1  # noqa: IDM101, IDM201\n"),
        ("x = 1  # noqa:E501,W1 why  # x\n", "x = 1  # noqa:E501, IDM101, W1 why  # x\n"),
        ("x = 1  # noqa:\n", "x = 1  # noqa: IDM101  # noqa:\n"),
        (
            "x = 1  # idemlint: ignore[IDM102]\n",
            "x = 1  # idemlint: ignore[IDM102]  # noqa: IDM101\n",
        ),
        ("\n", "# noqa: IDM101\n"),
    ],
)
def test_noqa_is_added_at_the_end_of_the_row_or_to_its_list(before: str, after: str) -> None:
    assert added(before, finding(1)) == after
    assert silenced(after, finding(1)) == [("IDM101", 1)]


@pytest.mark.parametrize("reason", ["", "since why"])
def test_added_directives_are_those_of_ruff(tmp_path: Path, reason: str) -> None:
    text = 'import a\nimport b; import c  # see\nx = """\n"""; import d\nimport e  # noqa: E501\n\n'
    found, _ = ruff(tmp_path, text, "--select", "F401,E702")
    names = {"F401": "IDM201", "E702": "IDM101"}
    findings = [finding(entry["noqa_row"], names[entry["code"]]) for entry in found]
    flag = f"--add-noqa={reason}" if reason else "--add-noqa"
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", flag]
    subprocess.run([*command, "--select", "F401,E702", "m.py"], cwd=tmp_path, check=True)
    theirs = (tmp_path / "m.py").read_text()
    for old, new in names.items():
        theirs = theirs.replace(old, new)
    assert sorted(added(text, *findings, reason=reason).split(",")) == sorted(
        theirs.replace("IDM101, IDM201", "IDM101, IDM201").split(",")
    )


def test_a_reason_is_added_only_where_there_is_none() -> None:
    assert added("x = 1  # noqa: E501 old\n", finding(1), reason="new") == (
        "x = 1  # noqa: E501, IDM101 old\n"
    )
    assert added("x = 1  # noqa: E501 # x\n", finding(1), reason="new") == (
        "x = 1  # noqa: E501, IDM101 new # x\n"
    )


def test_a_row_gets_one_directive_for_all_its_findings() -> None:
    edits = read("x = 1\ny = 1\n").noqa_edits(
        [finding(2), finding(1, "IDM201"), finding(1), finding(1)]
    )
    assert [edit.content for edit in edits] == ["  # noqa: IDM101, IDM201", "  # noqa: IDM101"]


def test_findings_without_a_row_for_noqa_get_none() -> None:
    syntax = Diagnostic(PATH, finding(1).range, "invalid-syntax", "invalid-syntax", "m")
    assert read("x = \n").noqa_edits([syntax]) == ()


@pytest.mark.parametrize("slug", ["124_unused_suppression", "125_suppression_of_unknown_code"])
def test_a_mark_behind_the_comment_is_no_part_of_it(slug: str) -> None:
    code = {"124": "IDM102", "125": "IDM110"}[slug[:3]]
    expected = {"124": "IDM001", "125": "IDM002"}[slug[:3]]
    text = f"call(\n    key=key,  # noqa: {code}  #! {expected}\n)\n"
    [entry] = unused(text)
    assert (entry.code, entry.range.start.row) == (expected, 2)
    assert cleaned(text) == f"call(\n    key=key,  #! {expected}\n)\n"


def test_comments_are_found_between_strings() -> None:
    text = (
        "a = '#'  # one\nb = \"\"\"\n# no\n\"\"\"  # two\nc = '\\'#'  # three\n'open # no\n# four"
    )
    assert [text[entry.start : entry.end] for entry in comments(text)] == [
        "# one", "# two", "# three", "# four",
    ]  # fmt: skip
    assert [entry.is_own_line for entry in comments(text)] == [False, False, False, True]


def test_joined_rows_do_not_share_a_row() -> None:
    text = 'a = """\n"""; b = """\n"""\nc = 1 + \\\n  2\nd = \\\n  """\n"""\n'
    assert joined_rows(SourceText(PATH, text)) == [(1, 3), (4, 5), (6, 8)]
    assert joined_rows(SourceText(PATH, "a = (1,\n  2)\n")) == []


def test_logical_lines_end_where_a_bracket_was_left_open() -> None:
    text = "x = f(1,\n  2)\nif x:  # c\n    y = '''\n'''; z\n\ncall(\ndef g():\n    pass\n"
    assert [text[line.start : line.end] for line in logical_lines(text)] == [
        "x = f(1,\n  2)", "if x:", "y = '''\n'''; z", "call(", "def g():", "pass",
    ]  # fmt: skip

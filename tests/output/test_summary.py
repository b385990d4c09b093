"""The last lines of a report, beside those of Ruff where Ruff has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from output_samples import (
    ALL,
    BEFORE_PAUSE,
    FRESH_KEY,
    KEYS,
    MAIL,
    NO_KEY,
    ROOT,
    UNUSED,
    finding,
    report,
)
from ruff_beside import Beside, run_ruff

from idemlint.diagnostic import Severity
from idemlint.fixes.apply import FixCount
from idemlint.output.report import FixMode, OutputReport
from idemlint.output.summary import added_noqa, ending, summary, watching

_SOURCE = "import os\nx = None == 2\ndef f(x=[]):\n  pass\ndef g(x=[]):\n  pass\n"
_MANY = "import os\nimport sys\nx = 2\nif x == None: pass\n"
_UNSAFE = {None: [], True: ["--unsafe-fixes"], False: ["--no-unsafe-fixes"]}
_MODES = {
    FixMode.OFFER: ["--no-fix"],
    FixMode.APPLY: ["--fix"],
    FixMode.DIFF: ["--diff"],
}


def _last_lines(text: str) -> str:
    """The summary of Ruff's report: what follows the last finding or change."""
    starts = r"^(?:Found|Fixed|Would fix|No errors|All checks|\[\*\]|\d+ unsafe)"
    return "".join(line for line in text.splitlines(keepends=True) if re.match(starts, line))


@pytest.mark.parametrize("unsafe", [None, True, False])
@pytest.mark.parametrize("mode", list(FixMode))
@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("rules", ["F401", "B006", "F401,B006", "F632", "E402"])
def test_summary_is_that_of_ruff(
    tmp_path: Path, unsafe: bool | None, mode: FixMode, only: bool, rules: str
) -> None:
    (tmp_path / "a.py").write_text(_SOURCE)
    flags = ("--select", rules, "--exit-zero", *_UNSAFE[unsafe], "a.py")
    beside = Beside(tmp_path, flags)
    made = beside.report(unsafe_fixes=unsafe, fix_mode=mode)
    left, fixed = made.diagnostics, ()
    if mode is not FixMode.OFFER:
        left, fixed = _fixed(made.diagnostics, unsafe=bool(unsafe))
    is_silent = mode is FixMode.DIFF or (only and mode is FixMode.APPLY)
    ours = OutputReport(
        left, tmp_path, unsafe_fixes=unsafe, fix_mode=mode, fixed=fixed,
        show_diagnostics=not is_silent,
    )  # fmt: skip
    extra = ["--fix-only"] if only and mode is FixMode.APPLY else _MODES[mode]
    assert summary(ours) == _last_lines(run_ruff(tmp_path, *flags, *extra))


def _fixed(diagnostics: Any, *, unsafe: bool) -> tuple[Any, tuple[FixCount, ...]]:
    def is_done(entry: Any) -> bool:
        return entry.fix is not None and (unsafe or entry.fix.applicability.name == "SAFE")

    done = [entry for entry in diagnostics if is_done(entry)]
    left = [entry for entry in diagnostics if not is_done(entry)]
    counts = [FixCount(entry.path, entry.code, entry.name, 1) for entry in done]
    return left, tuple(counts)


def test_the_list_of_fixes_is_that_of_ruff(tmp_path: Path) -> None:
    for name in ("b.py", "a.py"):
        (tmp_path / name).write_text(_MANY)
    flags = ("--select", "F401,E711", "--unsafe-fixes", "--exit-zero", ".")
    beside = Beside(tmp_path, flags)
    result = beside.fixed(unsafe=True)
    for color in ("never", "always"):
        ours = OutputReport(
            (),
            tmp_path,
            fixed=result.fixed,
            show_fixes=True,
            fix_mode=FixMode.APPLY,
            unsafe_fixes=True,
            color=color == "always",
        )
        theirs = run_ruff(tmp_path, *flags, "--fix", "--show-fixes", "--color", color)
        assert ending(ours) == theirs.replace("\x1b[1;31m", "\x1b[1m\x1b[31m")
        for name in ("b.py", "a.py"):
            (tmp_path / name).write_text(_MANY)
    assert [entry.count for entry in result.fixed] == [2, 1, 2, 1]


def test_warnings_beside_errors_are_counted_by_themselves() -> None:
    assert summary(report(*ALL)) == (
        "Found 4 errors.\n"
        "2 proven duplicates, 2 warnings.\n"
        "[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).\n"
    )
    assert summary(report(FRESH_KEY, BEFORE_PAUSE)).splitlines()[0] == "Found 2 errors."
    assert summary(report(NO_KEY, UNUSED)).splitlines() == [
        "Found 2 errors.",
        "[*] 1 fixable with `--fix`.",
    ]


def test_what_is_no_duplicate_is_called_by_its_name() -> None:
    syntax = finding(code="invalid-syntax", name="invalid-syntax")
    unread = finding(code="E902", name="io-error")
    lines = summary(report(syntax, syntax, unread, NO_KEY)).splitlines()
    assert lines == ["Found 4 errors.", "2 syntax errors, 1 unreadable file, 1 warning."]
    lines = summary(report(finding(), unread, finding(severity=Severity.WARNING))).splitlines()
    assert lines[1] == "1 proven duplicate, 1 unreadable file, 1 warning."


def test_quiet_leaves_the_list_of_fixes_but_no_summary() -> None:
    fixed = (FixCount(MAIL, "IDM101", "fresh-key", 2), FixCount(KEYS, "IDM104", "unstable", 11))
    made = report(fixed=fixed, show_fixes=True, quiet=True, fix_mode=FixMode.APPLY)
    assert ending(made) == (
        "\nFixed 13 errors:\n"
        "- agents/keys.py:\n"
        "    11 \N{MULTIPLICATION SIGN} IDM104 (unstable)\n"
        "- mail.py:\n"
        "     2 \N{MULTIPLICATION SIGN} IDM101 (fresh-key)\n"
        "\n"
    )


def test_single_things_are_not_many() -> None:
    assert watching(1) == "Found 1 error. Watching for file changes."
    assert watching(0) == "Found 0 errors. Watching for file changes."
    assert (added_noqa(0), added_noqa(1)) == ("", "Added 1 noqa directive.")
    assert added_noqa(3) == "Added 3 noqa directives."


def test_paths_outside_the_working_directory_are_whole() -> None:
    made = OutputReport((), ROOT / "agents")
    assert made.shown_path(KEYS) == "keys.py"
    assert made.shown_path(MAIL) == str(MAIL)
    assert OutputReport((), Path("/")).shown_path(MAIL) == str(MAIL)[1:]

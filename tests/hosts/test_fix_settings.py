"""Which fixes are offered and applied: `fixable`, `unfixable` and what moves between safe and unsafe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from marked import ROOT

if TYPE_CHECKING:
    from terminals import Terminal

UNUSED = "x = 1  # noqa: IDM101\n"
FIXED = "x = 1\n"
DESK = (ROOT / "examples" / "refund_desk" / "desk.py").read_text(encoding="utf-8")
"""IDM201 has an unsafe fix there, IDM501 one to look at."""
SETTINGS = [
    ([], "", True),
    (["--unfixable", "IDM001"], "", False),
    (["--fixable", "IDM1"], "", False),
    (["--fixable", "IDM1", "--extend-fixable", "IDM0"], "", True),
    ([], "unfixable = ['IDM0']", False),
    ([], "unfixable = ['IDM0']\nextend-fixable = ['IDM001']", True),
    (["--fixable", "IDM001"], "unfixable = ['IDM0']", True),
    ([], "extend-unsafe-fixes = ['IDM001']", False),
    (["--unsafe-fixes"], "extend-unsafe-fixes = ['IDM']", True),
    ([], "extend-unsafe-fixes = ['IDM']\nextend-safe-fixes = ['IDM001']", True),
]


def applicabilities(terminal: Terminal, *args: str) -> dict[str, str | None]:
    """By code how the fix of a finding may be applied, `None` where it has no fix."""
    done = terminal.idemlint("check", "--no-cache", "--output-format", "json", *args)
    return {
        found["code"]: found["fix"] and found["fix"]["applicability"]
        for found in json.loads(done.out)
    }


@pytest.mark.parametrize(("flags", "config", "is_fixed"), SETTINGS)
def test_only_what_may_be_fixed_is(
    terminal: Terminal, flags: list[str], config: str, is_fixed: bool
) -> None:
    terminal.write(m_py=UNUSED, **{"idemlint.toml": f"[lint]\n{config}\n"})

    diff = terminal.idemlint("check", "--no-cache", "--diff", *flags)
    done = terminal.idemlint("check", "--no-cache", "--fix", *flags)

    assert terminal.read("m.py") == (FIXED if is_fixed else UNUSED)
    assert (diff.code, done.code) == (int(is_fixed), int(not is_fixed))
    assert ("+x = 1\n" in diff.out) is is_fixed


def test_what_is_not_fixable_has_no_fix_at_all(terminal: Terminal) -> None:
    terminal.write(m_py=UNUSED)

    assert applicabilities(terminal) == {"IDM001": "safe"}
    assert applicabilities(terminal, "--unfixable", "IDM") == {"IDM001": None}
    assert "[*]" not in terminal.idemlint("check", "--no-cache", "--unfixable", "IDM").out


def test_what_is_unsafe_can_be_called_safe_and_what_is_to_look_at_stays_so(
    terminal: Terminal,
) -> None:
    terminal.write(desk_py=DESK)
    all_safe = ("--config", "lint.extend-safe-fixes = ['IDM']")

    assert applicabilities(terminal) == {"IDM201": "unsafe", "IDM501": "displayonly"}
    assert applicabilities(terminal, *all_safe) == {"IDM201": "safe", "IDM501": "displayonly"}
    done = terminal.idemlint("check", "--no-cache", "--fix", *all_safe)
    assert "(1 fixed, 1 remaining)" in done.out
    assert terminal.read("desk.py").index("interrupt({") < terminal.read("desk.py").index("Emails")


def test_each_file_has_the_settings_of_its_own_configuration(terminal: Terminal) -> None:
    terminal.write(a__m_py=UNUSED, b__m_py=UNUSED)
    terminal.write(**{"idemlint.toml": "", "a__idemlint.toml": "lint.unfixable = ['IDM001']\n"})

    terminal.idemlint("check", "--no-cache", "--fix")

    assert (terminal.read("a/m.py"), terminal.read("b/m.py")) == (UNUSED, FIXED)


def test_settings_of_fixes_count_for_cached_findings_too(terminal: Terminal) -> None:
    terminal.write(desk_py=DESK)
    args = ("check", "--output-format", "json")
    first = json.loads(terminal.idemlint(*args).out)
    again = json.loads(terminal.idemlint(*args, "--unfixable", "IDM201").out)

    assert [entry["fix"] is None for entry in first] == [False, False]
    assert [entry["fix"] is None for entry in again] == [True, False]

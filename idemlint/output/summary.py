"""The lines that end a report for people, in Ruff's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability, Severity
from idemlint.output.report import FixMode
from idemlint.output.styles import CYAN, EMPHASIS, PASSED, SIGN_REMOVED, styled

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.fixes.apply import FixCount
    from idemlint.output.report import OutputReport

__all__ = [
    "added_noqa",
    "ending",
    "fix_list",
    "in_baseline",
    "not_shown",
    "summary",
    "watching",
]


def ending(report: OutputReport) -> str:
    """All that follows the findings: the list of `--show-fixes`, then the summary."""
    listed = f"\n{fix_list(report)}\n" if report.show_fixes and report.fixed else ""
    return listed + summary(report)


def summary(report: OutputReport) -> str:
    """What was found, what was fixed and what can be fixed; whole lines, empty with `quiet`."""
    if report.quiet:
        return ""
    if report.show_diagnostics:
        return "".join(f"{line}\n" for line in _found(report))
    line = _only_fixed(report)
    return f"{line}\n" if line else ""


def fix_list(report: OutputReport) -> str:
    """The list of `--show-fixes`: what was fixed, by file and by falling count."""
    color = report.color
    total = _fixed_count(report)
    width = len(str(max(entry.count for entry in report.fixed)))
    by_file: dict[Path, list[FixCount]] = {}
    for entry in report.fixed:
        by_file.setdefault(entry.path, []).append(entry)
    lines = [styled(f"Fixed {_errors(total)}:", PASSED, color=color)]
    for path in sorted(by_file, key=str):
        dash, colon = styled("-", CYAN, color=color), styled(":", CYAN, color=color)
        name = styled(report.shown_path(path), EMPHASIS, color=color)
        lines.append(f"{dash} {name}{colon}")
        for entry in sorted(by_file[path], key=lambda entry: (-entry.count, entry.code)):
            code = styled(entry.code, SIGN_REMOVED, color=color)
            lines.append(
                f"    {entry.count:>{width}} \N{MULTIPLICATION SIGN} {code} ({entry.name})"
            )
    return "".join(f"{line}\n" for line in lines)


def watching(count: int) -> str:
    """The line under a report of `--watch`."""
    return f"Found {_errors(count)}. Watching for file changes."


def added_noqa(count: int) -> str:
    """The line after `--add-noqa`; empty where nothing was added."""
    return f"Added {count} noqa directive{_s(count)}." if count else ""


def in_baseline(count: int) -> str:
    """The line after `--update-baseline`."""
    return f"The baseline has {count} finding{_s(count)}."


def not_shown(count: int) -> str:
    """The line after a run in which the baseline knew something."""
    return f"{count} known finding{_s(count)} of the baseline not shown."


def _found(report: OutputReport) -> list[str]:
    fixed, remaining = _fixed_count(report), len(report.diagnostics)
    if fixed:
        first = f"Found {_errors(fixed + remaining)} ({fixed} fixed, {remaining} remaining)."
    elif remaining:
        first = f"Found {_errors(remaining)}."
    else:
        first = styled("All checks passed!", PASSED, color=report.color)
    return [first, *_by_severity(report), *_fixable(report)]


def _by_severity(report: OutputReport) -> list[str]:
    """One line where errors and warnings stand together: many warnings must not hide an error."""
    warnings = sum(entry.severity is Severity.WARNING for entry in report.diagnostics)
    errors = len(report.diagnostics) - warnings
    if not errors or not warnings:
        return []
    syntax = sum(entry.name == "invalid-syntax" for entry in report.diagnostics)
    unread = sum(entry.name == "io-error" for entry in report.diagnostics)
    proven = errors - syntax - unread
    parts = [
        f"{proven} proven duplicate{_s(proven)}" if proven else "",
        f"{syntax} syntax error{_s(syntax)}" if syntax else "",
        f"{unread} unreadable file{_s(unread)}" if unread else "",
        f"{warnings} warning{_s(warnings)}",
    ]
    return [f"{', '.join(filter(None, parts))}."]


def _fixable(report: OutputReport) -> list[str]:
    ready = sum(map(report.is_applicable, report.diagnostics))
    hidden = _hidden_count(report) if report.unsafe_fixes is None else 0
    more = f"{hidden} unsafe fix{_es(hidden)} available with `--fix --unsafe-fixes`"
    mark = f"[{styled('*', CYAN, color=report.color)}]"
    if ready and hidden:
        return [f"{mark} {ready} fixable with `--fix` ({more})."]
    if ready:
        return [f"{mark} {ready} fixable with `--fix`."]
    return [f"{more}."] if hidden else []


def _only_fixed(report: OutputReport) -> str:
    fixed, hidden = _fixed_count(report), _hidden_count(report)
    is_diff = report.fix_mode is FixMode.DIFF
    done = "Would fix" if is_diff else "Fixed"
    if fixed and hidden:
        more = f"{hidden} additional fix{_es(hidden)} available with `--unsafe-fixes`"
        return f"{done} {_errors(fixed)} ({more})."
    if fixed:
        return f"{done} {_errors(fixed)}."
    if hidden:
        none = "No errors would be fixed" if is_diff else "No errors fixed"
        return f"{none} ({hidden} fix{_es(hidden)} available with `--unsafe-fixes`)."
    return ""


def _fixed_count(report: OutputReport) -> int:
    return sum(entry.count for entry in report.fixed)


def _hidden_count(report: OutputReport) -> int:
    """How many findings have a fix that only `--unsafe-fixes` would apply."""
    return sum(
        entry.fix is not None
        and entry.fix.applicability is Applicability.UNSAFE
        and not report.is_applicable(entry)
        for entry in report.diagnostics
    )


def _errors(count: int) -> str:
    return f"{count} error{_s(count)}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _es(count: int) -> str:
    return "" if count == 1 else "es"

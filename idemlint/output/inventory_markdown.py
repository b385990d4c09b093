"""The inventory as Markdown, for a page of a repository or a comment on a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.output.inventory_report import (
    effect_text,
    guard_text,
    key_text,
    operation_url,
    summary_lines,
)
from idemlint.output.printable import printable
from idemlint.output.report import emit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.inventory import EntryRecord, Step
    from idemlint.output.inventory_report import InventoryReport

__all__ = ["render"]

_HEAD = "| name | framework | effect | key | guard | again on | operation | findings | place |"
_RULE = "|---|---|---|---|---|---|---|---|---|"
_MOST = 3


def render(report: InventoryReport, stream: TextIO) -> None:
    """Write a heading, the counts, and a table with the paths below it for each standing."""
    inventory = report.inventory
    lines = ["# Tools and what a repeat of them does", "", "  \n".join(summary_lines(inventory))]
    for standing, entries in inventory.groups():
        said = standing.value.replace("-", " ").capitalize()
        lines += ["", f"## {said} ({len(entries)}): {standing.summary}", "", _HEAD, _RULE]
        lines += [_row(entry, report) for entry in entries]
        ways = [line for entry in entries for line in _ways(entry, report)]
        if ways:
            lines += ["", "<details><summary>Paths</summary>", "", *ways, "", "</details>"]
    emit(stream, "".join(f"{line}\n" for line in lines))


def _row(entry: EntryRecord, report: InventoryReport) -> str:
    operation = operation_url(entry.operation)
    cells = [
        _code(entry.name),
        _text(entry.framework if entry.kind == "tool" else f"{entry.framework} {entry.kind}"),
        _text(effect_text(entry)),
        _text(key_text(entry)),
        _text(guard_text(entry)),
        _text(", ".join(entry.causes) or "-"),
        f"[{entry.operation}]({operation})" if operation else "-",
        ", ".join(
            (*_links(entry.findings), *(f"{link} (silenced)" for link in _links(entry.silenced)))
        )
        or "-",
        _code(report.shown_place(entry.place)),
    ]
    return "| " + " | ".join(cells) + " |"


def _links(findings: Iterable[Diagnostic]) -> Iterator[str]:
    for code, url in dict.fromkeys((found.code, found.url) for found in findings):
        yield f"[{code}]({url})" if url else code


def _ways(entry: EntryRecord, report: InventoryReport) -> Iterator[str]:
    """The way to each effect and to each call that is not known, as a list."""
    for effect in entry.effects[:_MOST]:
        guard = f", {_text(effect.guard.text)}" if effect.guard is not None else ""
        way = _way(effect.steps, report)
        yield f"- {_code(entry.name)} → {way}: {_text(effect.phrase)} ({effect.state.value}{guard})"
    if len(entry.effects) > _MOST:
        yield f"- {_code(entry.name)}: and {len(entry.effects) - _MOST} more effects"
    for call in entry.unknown[:_MOST]:
        yield f"- {_code(entry.name)} → {_way(call.steps, report)}: **not known**, {call.reason}"
    if len(entry.unknown) > _MOST:
        yield f"- {_code(entry.name)}: and {len(entry.unknown) - _MOST} more calls not known"


def _way(steps: tuple[Step, ...], report: InventoryReport) -> str:
    return " → ".join(
        f"{_code(step.call)} ({_text(report.shown_place(step.place))})" for step in steps
    )


def _code(text: str) -> str:
    shown = printable(text).replace("`", "'").replace("|", "\\|")
    return f"`{shown}`"


def _text(text: str) -> str:
    """A text as Markdown shows it; code in backticks stays."""
    shown = printable(text)
    for sign in ("\\", "|", "<", "*", "[", "]"):
        shown = shown.replace(sign, f"\\{sign}" if sign != "<" else "&lt;")
    return shown.replace("_", "\\_") if "`" not in shown else shown

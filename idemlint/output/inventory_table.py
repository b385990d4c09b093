"""The inventory as a table for the terminal, grouped by what a repeat does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.inventory import Standing
from idemlint.output.canvas import TextLine
from idemlint.output.inventory_report import (
    codes,
    counted,
    effect_text,
    guard_text,
    key_text,
    summary_lines,
)
from idemlint.output.printable import printable
from idemlint.output.report import emit
from idemlint.output.styles import (
    CYAN,
    EMPHASIS,
    ERROR,
    GUTTER,
    PASSED,
    WARNING,
    styled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from idemlint.inventory import EntryRecord, Step
    from idemlint.output.inventory_report import InventoryReport

__all__ = ["render"]

_HEADS = ("NAME", "FRAMEWORK", "EFFECT", "KEY", "GUARD", "AGAIN ON", "CURE", "PLACE")
_STYLES = {
    Standing.UNGUARDED: ERROR,
    Standing.WEAK: WARNING,
    Standing.OPAQUE: WARNING,
    Standing.GUARDED: PASSED,
    Standing.HARMLESS: PASSED,
}
_WIDEST = 44
"""Columns after which a cell no longer makes its column wider."""
_MOST = 3
"""Calls of a kind that are shown of one entry."""


def render(report: InventoryReport, stream: TextIO) -> None:
    """Write the table, then the counts."""
    inventory = report.inventory
    rows = {id(entry): _cells(entry, report) for entry in inventory.entries}
    widths = [
        max([_width(head), *(min(_width(row[at]), _WIDEST) for row in rows.values())])
        for at, head in enumerate(_HEADS)
    ]
    lines = ["  " + styled(_line(_HEADS, widths), GUTTER, color=report.color), ""] if rows else []
    for standing, entries in inventory.groups():
        style = _STYLES.get(standing, EMPHASIS)
        title = styled(standing.value, style, color=report.color)
        lines.append(f"{title} ({len(entries)}): {standing.summary}")
        for entry in entries:
            lines.append("  " + _row(rows[id(entry)], widths, color=report.color))
            lines += (f"      {line}" for line in _paths(entry, report))
        lines.append("")
    if not report.quiet or not inventory.entries:
        lines += summary_lines(inventory)
    emit(stream, "".join(f"{line}\n" for line in lines))


def _cells(entry: EntryRecord, report: InventoryReport) -> list[str]:
    cure = [entry.operation, *codes(entry.findings), *(f"({c})" for c in codes(entry.silenced))]
    return [
        printable(text)
        for text in (
            entry.name,
            entry.framework if entry.kind == "tool" else f"{entry.framework} {entry.kind}".strip(),
            effect_text(entry),
            key_text(entry),
            guard_text(entry),
            _causes(entry),
            " ".join(filter(None, cure)) or "-",
            report.shown_place(entry.place),
        )
    ]


def _causes(entry: EntryRecord) -> str:
    """The first occasion on which it runs again, and how many there are besides."""
    more = len(entry.causes) - 1
    return f"{entry.causes[0]} +{more}" if more > 0 else "".join(entry.causes) or "-"


def _row(cells: list[str], widths: list[int], *, color: bool) -> str:
    line = _line(cells, widths)
    name = cells[0]
    return styled(name, EMPHASIS, color=color) + line[len(name) :]


def _line(cells: list[str] | tuple[str, ...], widths: list[int]) -> str:
    parts = [cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(parts).rstrip()


def _width(text: str) -> int:
    return len(text) if text.isascii() else TextLine.of(text).starts[-1]


def _paths(entry: EntryRecord, report: InventoryReport) -> Iterator[str]:
    """The way to each effect, the calls that are not known, and what runs the entry again."""
    main = entry.main_effect
    effects = sorted(entry.effects, key=lambda effect: effect is not main)
    for effect in effects[:_MOST]:
        says = "" if effect is main else f"{effect.phrase}: "
        yield f"→ {says}{_way(effect.steps, entry, report)}"
        if effect.guard is not None:
            word = "guard" if effect.guard.holds else "no guard"
            yield f"  {word}: {printable(effect.guard.text)}"
    if len(effects) > _MOST:
        yield f"→ and {counted(len(effects) - _MOST, 'more effect')}"
    mark = styled("?", CYAN, color=report.color)
    for call in entry.unknown[:_MOST]:
        yield f"{mark} {_way(call.steps[-1:], entry, report)}: {call.reason}"
    if len(entry.unknown) > _MOST:
        more = counted(len(entry.unknown) - _MOST, "more call", "more calls")
        yield f"{mark} and {more} not known"
    for replay in entry.replays:
        if replay.place is not None:
            place = report.shown_place(replay.place, entry.place.path)
            yield f"↻ {printable(replay.text)} {place}"


def _way(steps: tuple[Step, ...], entry: EntryRecord, report: InventoryReport) -> str:
    parts = []
    last = entry.place.path
    for step in steps:
        parts.append(f"{printable(step.call)} {report.shown_place(step.place, last)}")
        last = step.place.path
    return " → ".join(parts)

"""The inventory as a page to look at: entries by risk, and the way from each to its effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint import catalogue
from idemlint.inventory import EffectState, Standing
from idemlint.output.html_page import coded, escaped, page
from idemlint.output.inventory_report import (
    counted,
    effect_text,
    guard_text,
    key_text,
    operation_url,
)
from idemlint.output.report import emit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TextIO

    from idemlint.diagnostic import Diagnostic
    from idemlint.inventory import EffectRecord, EntryRecord, Inventory, Step, UnknownRecord
    from idemlint.output.inventory_report import InventoryReport

__all__ = ["render"]

_QUIET = (Standing.HARMLESS, Standing.ONCE, Standing.NO_EFFECT)
"""Standings whose entries need a row each and no more."""
_MANY = 25
"""Rows from which on such a table is folded."""
_MOST = 4
"""Ways of one entry that are drawn at once; the others are folded."""
_STATES = {
    EffectState.REPEATS: "a repeat does it again",
    EffectState.GUARDED: "a repeat is recognised",
    EffectState.HARMLESS: "a repeat changes nothing more",
}


def render(report: InventoryReport, stream: TextIO) -> None:
    """Write the page."""
    name = report.cwd.name or "this project"
    title = f"Tools of {name}"
    body = "\n".join(
        (
            _header(title, report.inventory),
            _filters(report.inventory),
            "<main>",
            *(_section(found, entries, report) for found, entries in report.inventory.groups()),
            "</main>",
            _footer(),
        )
    )
    emit(stream, page(title, body))


def _header(title: str, inventory: Inventory) -> str:
    total = len(inventory.entries)
    lead = "What a model, a graph or a worker can run again, and what the repeat does."
    if not total:
        return (
            f"<header><h1>{escaped(title)}</h1>"
            '<p class="lead">No tools, nodes or tasks found.</p></header>'
        )
    figures = [
        (str(total), "entry" if total == 1 else "entries"),
        *(
            (str(inventory.counts[standing]), standing.value)
            for standing in (Standing.UNGUARDED, Standing.WEAK, Standing.OPAQUE)
            if standing in inventory.counts
        ),
        (f"{100 * inventory.resolved_share:.0f}%", "with effects fully resolved"),
    ]
    shown = "".join(f"<div><b>{number}</b><span>{what}</span></div>" for number, what in figures)
    bar = "".join(
        f'<a class="s-{standing.value}" style="flex: {count}" href="#{standing.value}"'
        f' title="{count} {standing.value}" aria-label="{count} {standing.value}"></a>'
        for standing, count in inventory.counts.items()
    )
    return (
        f'<header><h1>{escaped(title)}</h1><p class="lead">{lead}</p>'
        f'<div class="figures">{shown}</div><nav class="bar">{bar}</nav></header>'
    )


def _filters(inventory: Inventory) -> str:
    """What the script uses; without it the bar stays hidden."""
    if not inventory.entries:
        return ""
    boxes = "".join(
        f'<label class="s-{standing.value}"><input type="checkbox" value="{standing.value}" checked>'
        f'<span class="dot"></span>{standing.value} {count}</label>'
        for standing, count in inventory.counts.items()
    )
    return (
        f'<div class="tools" hidden>{boxes}'
        '<input type="search" placeholder="Filter by name, file, provider, rule"'
        ' aria-label="Filter"></div>'
    )


def _footer() -> str:
    return (
        "<footer>Made by <code>idemlint tools --output-format html</code>. An entry is what can run"
        " more than once for one intent; its effect should happen at most once.</footer>"
    )


def _section(standing: Standing, entries: Sequence[EntryRecord], report: InventoryReport) -> str:
    head = (
        f'<h2><span class="dot"></span>{standing.value} <span data-count>{len(entries)}</span>'
        f"<small>{standing.summary}</small></h2>"
    )
    if standing in _QUIET:
        inner = _table(entries, report)
        if len(entries) > _MANY:
            shown = f"Show all {counted(len(entries), 'entry', 'entries')}"
            inner = f'<details class="all"><summary>{shown}</summary>{inner}</details>'
    else:
        inner = "\n".join(_card(entry, report) for entry in entries)
    return (
        f'<section id="{standing.value}" class="s-{standing.value}"'
        f' data-standing="{standing.value}">{head}\n{inner}</section>'
    )


def _table(entries: Iterable[EntryRecord], report: InventoryReport) -> str:
    rows = "".join(
        f"<tr data-entry><td><code>{escaped(entry.name)}</code></td>"
        f"<td>{escaped(_origin(entry))}</td>"
        f"<td>{escaped(effect_text(entry))}</td><td>{escaped(key_text(entry))}</td>"
        f'<td class="mono">{escaped(report.shown_place(entry.place))}{_plain_codes(entry)}</td></tr>'
        for entry in entries
    )
    heads = "".join(f"<th>{head}</th>" for head in ("name", "framework", "effect", "key", "place"))
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def _plain_codes(entry: EntryRecord) -> str:
    links = ", ".join(_link(found) for found in entry.findings)
    return f" {links}" if links else ""


def _card(entry: EntryRecord, report: InventoryReport) -> str:
    return (
        f"<article data-entry>"
        f'<div class="head"><h3><code>{escaped(entry.name)}</code></h3>'
        f'<span class="chip">{escaped(_origin(entry))}</span>'
        f'<span class="does">{escaped(effect_text(entry))}</span>'
        f'<span class="place mono">{escaped(report.shown_place(entry.place))}</span></div>'
        f"{_facts(entry)}{_ways(entry, report)}{_again(entry, report)}{_found(entry, report)}"
        "</article>"
    )


def _origin(entry: EntryRecord) -> str:
    return " ".join(filter(None, (entry.framework, entry.kind)))


def _facts(entry: EntryRecord) -> str:
    tones = {"required": "good", "optional": "fair", "none": "bad"}
    tone = tones.get(entry.key.need, "") if entry.effects or entry.findings else ""
    guard = guard_text(entry)
    guard_tone = "bad" if guard == "none" and entry.standing is Standing.UNGUARDED else ""
    if entry.standing is Standing.GUARDED:
        guard_tone = "good"
    facts = []
    if entry.key.need != "n/a":
        facts.append(("Key parameter", escaped(key_text(entry)), tone))
    if entry.effects:
        facts.append(("Provider or store", escaped(", ".join(entry.targets)), ""))
        facts.append(("Guard", escaped(guard), guard_tone))
    facts.append(("Again on", escaped(", ".join(entry.causes) or "nothing known"), ""))
    if entry.operation:
        facts.append(("Operation", _operation(entry), ""))
    listed = "".join(
        f"<div><dt>{name}</dt><dd{f' class={tone}' if tone else ''}>{text}</dd></div>"
        for name, text, tone in facts
    )
    return f"<dl>{listed}</dl>"


def _operation(entry: EntryRecord) -> str:
    known = catalogue.operations().get(entry.operation)
    name = f" {known.name}" if known is not None else ""
    link = f'<a href="{escaped(operation_url(entry.operation))}">{entry.operation}</a>{name}'
    return f'<span title="{escaped(entry.reason)}">{link}</span>' if entry.reason else link


# the ways


def _ways(entry: EntryRecord, report: InventoryReport) -> str:
    """A drawing for each effect, the worst first, then those of calls that are not known."""
    main = entry.main_effect
    effects = sorted(entry.effects, key=lambda effect: effect is not main)
    known = [_effect_way(entry, effect, report) for effect in effects]
    unknown = [_unknown_way(entry, calls, report) for calls in _by_way(entry.unknown)]
    if known:
        shown = counted(len(entry.unknown), "call not known", "calls not known")
        return _folded(known, "more effect", "more effects") + _details(shown, unknown)
    return _folded(unknown, "more way", "more ways")


def _folded(drawn: list[str], noun: str, plural: str) -> str:
    """The first drawings, and the others to be opened."""
    first, rest = drawn[:_MOST], drawn[_MOST:]
    return "".join(first) + _details(counted(len(rest), noun, plural), rest)


def _details(title: str, drawn: list[str]) -> str:
    return f"<details><summary>{title}</summary>{''.join(drawn)}</details>" if drawn else ""


def _by_way(calls: Iterable[UnknownRecord]) -> list[list[UnknownRecord]]:
    """Calls that stand in one function and fail for one reason, together."""
    found: dict[object, list[UnknownRecord]] = {}
    for call in calls:
        found.setdefault((call.steps[:-1], call.reason), []).append(call)
    return list(found.values())


def _effect_way(entry: EntryRecord, effect: EffectRecord, report: InventoryReport) -> str:
    guard = f"; {coded(effect.guard.text)}" if effect.guard is not None else ""
    tone, says = effect.state.value, _STATES[effect.state]
    if effect.state is EffectState.GUARDED and entry.key.need == "optional":
        tone, says = "weak", f"{says}, if the model passes the key"
    end = f'<div class="node end {tone}">{escaped(effect.phrase)}<small>{says}{guard}</small></div>'
    return _flow(entry, effect.steps, end, report)


def _unknown_way(
    entry: EntryRecord, calls: Sequence[UnknownRecord], report: InventoryReport
) -> str:
    end = f'<div class="node end unknown">not known<small>{escaped(calls[0].reason)}</small></div>'
    last = "".join(_step_text(entry, call.steps[-1], report) for call in calls[:_MOST])
    if len(calls) > _MOST:
        last += f"<small>and {len(calls) - _MOST} more</small>"
    return _flow(entry, calls[0].steps[:-1], f'<div class="node">{last}</div>', report, end)


def _flow(
    entry: EntryRecord, steps: Sequence[Step], end: str, report: InventoryReport, *more: str
) -> str:
    nodes = [f'<div class="node start"><code>{escaped(entry.name)}</code></div>']
    nodes += (
        f'<div class="node" title="in {escaped(step.function or "the module")}">'
        f"{_step_text(entry, step, report)}</div>"
        for step in steps
    )
    nodes += (end, *more)
    first, *others = nodes
    drawn = "".join(f'<li><span class="arrow"></span>{node}</li>' for node in others)
    return f'<ol class="flow"><li>{first}</li>{drawn}</ol>'


def _step_text(entry: EntryRecord, step: Step, report: InventoryReport) -> str:
    """A call and where it stands; the file only where it is another one than that of the entry."""
    place = report.shown_place(step.place, entry.place.path)
    where = f"row {place[1:]}" if place.startswith(":") and step.place.cell is None else place
    return f"<code>{escaped(step.call)}()</code><small>{escaped(where)}</small>"


def _again(entry: EntryRecord, report: InventoryReport) -> str:
    listed = "".join(
        f"<li>{coded(replay.text)}"
        + (f' <span class="place mono">{escaped(report.shown_place(replay.place))}</span>'
           if replay.place is not None else "")
        + "</li>"
        for replay in entry.replays
        if replay.place is not None or entry.kind != "tool"
    )  # fmt: skip
    return f'<ul class="again">{listed}</ul>' if listed else ""


# findings


def _found(entry: EntryRecord, report: InventoryReport) -> str:
    listed = "".join(_finding(found, "", report) for found in entry.findings)
    listed += "".join(_finding(found, "silenced: ", report) for found in entry.silenced)
    return f'<ul class="found">{listed}</ul>' if listed else ""


def _finding(found: Diagnostic, before: str, report: InventoryReport) -> str:
    place = f"{report.shown_path(found.path)}:{found.range.start.row}"
    return (
        f'<li>{_link(found)} <span class="mute">{before}</span>{coded(found.message)}'
        f' <span class="place mono">{escaped(place)}</span></li>'
    )


def _link(found: Diagnostic) -> str:
    name = escaped(found.name)
    if not found.url:
        return f'<span title="{name}">{found.code}</span>'
    return f'<a href="{escaped(found.url)}" title="{name}">{found.code}</a>'

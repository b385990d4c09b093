"""Rule selectors: which codes they stand for, and which win."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint import catalogue
from idemlint.config.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from idemlint.config.layer import Selection

__all__ = ["FAMILY", "Choice", "PreviewMode", "choose", "codes_of", "is_selector"]

FAMILY = "IDM"
_ALL = "ALL"


@dataclass(frozen=True, slots=True)
class PreviewMode:
    """Whether preview rules may run, and whether they must be named by their full code."""

    is_enabled: bool = False
    is_explicit: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """Codes that run, those with fixes to apply, those whose fixes are taken as safe or unsafe."""

    rules: frozenset[str]
    fixable: frozenset[str]
    forced_safe: frozenset[str]
    forced_unsafe: frozenset[str]
    warnings: tuple[str, ...]


def is_selector(text: str) -> bool:
    """Whether `text` names at least one rule."""
    return text == _ALL or text in _names() or bool(_codes_with(text))


def codes_of(selectors: Iterable[str], option: str, source: str) -> frozenset[str]:
    """All codes that `selectors` stand for, preview rules included; raises `ConfigError`."""
    mode = PreviewMode(is_enabled=True)
    found: set[str] = set()
    for selector in selectors:
        _check(selector, option, source, mode)
        found.update(_rules(selector, mode))
    return frozenset(found)


def choose(selections: Sequence[Selection], mode: PreviewMode) -> Choice:
    """Settle the selectors of all layers, given from the weakest to the strongest.

    Inside a layer the longer selector decides, and of two that are equally long the one that turns
    a rule off. A layer with `select` starts afresh; one without edits what the layers before it
    have chosen. Raises `ConfigError` for an unknown selector.
    """
    for selection in selections:
        _check_all(selection, mode)
    every = frozenset(catalogue.rules())
    rules = _settle(
        frozenset(_rules(_ALL, mode)),
        [
            (
                selection.select,
                selection.extend_select,
                selection.ignore + selection.extend_ignore,
            )
            for selection in selections
        ],
        mode,
    )
    fixable = _settle(
        every,
        [
            (
                selection.fixable,
                selection.extend_fixable,
                selection.unfixable + selection.extend_unfixable,
            )
            for selection in selections
        ],
        PreviewMode(is_enabled=True),
    )
    safe, unsafe = _forced(selections)
    return Choice(rules, fixable, safe, unsafe, tuple(_warnings(selections, mode)))


_Parts = tuple["tuple[str, ...] | None", tuple[str, ...], tuple[str, ...]]


def _settle(chosen: frozenset[str], layers: Sequence[_Parts], mode: PreviewMode) -> frozenset[str]:
    carried: tuple[str, ...] = ()
    for select, extend, ignore in layers:
        is_on: dict[str, bool] = {}
        turns = [(selector, True) for selector in (*(select or ()), *extend)]
        turns += [(selector, False) for selector in (*ignore, *carried)]
        # A stable sort: of two selectors with one length the one that turns off comes last.
        for selector, turn in sorted(turns, key=lambda item: _length(item[0])):
            is_on.update(dict.fromkeys(_rules(selector, mode), turn))
        on = {code for code, turn in is_on.items() if turn}
        if select is None:
            chosen = (chosen - is_on.keys()) | on
            carried = ()
        else:
            chosen = frozenset(on)
            # `select = []` with only `ignore` is a list of ignores that another file extends.
            carried = ignore if not select and not extend else ()
    return chosen


def _forced(selections: Sequence[Selection]) -> tuple[frozenset[str], frozenset[str]]:
    turns = [
        (selector, is_safe)
        for is_safe in (True, False)
        for selection in selections
        for selector in (selection.extend_safe_fixes if is_safe else selection.extend_unsafe_fixes)
    ]
    is_safe_by_code: dict[str, bool] = {}
    for selector, is_safe in sorted(turns, key=lambda item: _length(item[0])):
        is_safe_by_code.update(
            dict.fromkeys(_rules(selector, PreviewMode(is_enabled=True)), is_safe)
        )
    safe = frozenset(code for code, is_safe in is_safe_by_code.items() if is_safe)
    return safe, frozenset(is_safe_by_code) - safe


def _warnings(selections: Sequence[Selection], mode: PreviewMode) -> Iterator[str]:
    if mode.is_enabled:
        return
    named = {
        selector
        for selection in selections
        for selector in (*(selection.select or ()), *selection.extend_select)
    }
    for selector in sorted(named, key=lambda item: (_length(item), item)):
        if not _rules(selector, mode):
            yield f"Selection `{selector}` has no effect because preview is not enabled."


_OPTIONS = (
    "select",
    "ignore",
    "extend_select",
    "extend_ignore",
    "fixable",
    "unfixable",
    "extend_fixable",
    "extend_unfixable",
    "extend_safe_fixes",
    "extend_unsafe_fixes",
)


def _check_all(selection: Selection, mode: PreviewMode) -> None:
    for option in _OPTIONS:
        for selector in getattr(selection, option) or ():
            _check(selector, option.replace("_", "-"), selection.source, mode)


def _check(selector: str, option: str, source: str, mode: PreviewMode) -> None:
    if not is_selector(selector):
        raise ConfigError(f"Unknown rule selector `{selector}` in `{option}` from {source}")
    if selector in _names() and not mode.is_enabled:
        raise ConfigError(
            f"Invalid selector `{selector}` in `{option}` from {source}. "
            "Selecting rules by name requires preview mode"
        )


def _rules(selector: str, mode: PreviewMode) -> list[str]:
    """The codes of a valid selector that may run in `mode`."""
    rules = catalogue.rules()
    code = _names().get(selector, selector)
    if code in rules:
        return [code] if mode.is_enabled or not rules[code].is_preview else []
    takes_preview = mode.is_enabled and not mode.is_explicit
    codes = list(rules) if selector == _ALL else _codes_with(selector)
    return [code for code in codes if takes_preview or not rules[code].is_preview]


def _codes_with(prefix: str) -> list[str]:
    if not prefix.startswith(FAMILY):
        return []
    return [code for code in catalogue.rules() if code.startswith(prefix)]


def _length(selector: str) -> int:
    """How exact a selector is: a full code, also by its name, is longer than any prefix of it."""
    return 0 if selector == _ALL else len(_names().get(selector, selector))


@functools.cache
def _names() -> dict[str, str]:
    return {rule.name: rule.code for rule in catalogue.rules().values()}

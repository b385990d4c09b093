"""What is shown over a code in a comment, and over a finding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from idemlint import catalogue
from idemlint.hosts.rule import page_text
from idemlint.server.documents import Document
from idemlint.source.directives import is_our_code
from idemlint.source.suppressions import Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from idemlint.diagnostic import Diagnostic
    from idemlint.server.documents import OpenNotebook

__all__ = ["hover_on_code", "hover_on_finding", "short_page"]

_SHOWN = ("What it finds", "Why", "Fix")
_SECTION = re.compile(r"^## +(.+)$", re.MULTILINE)


def hover_on_code(
    item: Document | OpenNotebook, uri: str, position: types.Position, *, is_markdown: bool
) -> types.Hover | None:
    """The page of the rule whose code or name is under the cursor, in a comment that silences."""
    document = item if isinstance(item, Document) else item.texts.get(uri)
    if document is None:
        return None
    places, source = document.places, document.source
    offset = source.offset(places.from_client(position))
    suppressions = Suppressions.of(source)
    for entry in suppressions.entries:
        for code in entry.directive.codes:
            if code.start <= offset <= code.end:
                text = _told(code.text)
                span = places.range_to_client(source.range(code.start, code.end))
                return _hover(text, span, is_markdown=is_markdown) if text else None
    return None


def _told(name: str) -> str:
    rule = catalogue.rule(name)
    if rule is not None:
        return short_page(rule)
    return f"{name}: Rule not found" if is_our_code(name) else ""


def hover_on_finding(
    found: Iterable[tuple[types.Range, Diagnostic]],
    position: types.Position,
    *,
    is_markdown: bool,
    entry: tuple[types.Range, str] | None = None,
) -> types.Hover | None:
    """The pages of the rules whose findings are under the cursor, below what `entry` tells."""
    here = [(span, entry) for span, entry in found if _holds(span, position)]
    texts: dict[str, None] = {} if entry is None else {entry[1]: None}
    for _, finding in here:
        rule = catalogue.rules().get(finding.code)
        if rule is not None:
            texts[short_page(rule)] = None
    if not texts:
        return None
    span = here[0][0] if entry is None else entry[0]
    return _hover("\n\n---\n\n".join(texts), span, is_markdown=is_markdown)


def short_page(rule: catalogue.Rule) -> str:
    """The page of a rule without its examples, and where to read all of it."""
    text = page_text(rule)
    title = text.partition("\n")[0]
    bounds = list(_SECTION.finditer(text))
    parts = [title, rule.summary + ("" if rule.summary.endswith(".") else ".")]
    ends = [*(found.start() for found in bounds[1:]), len(text)]
    for found, end in zip(bounds, ends, strict=True):
        if found[1].strip() in _SHOWN:
            first = text[found.end() : end].strip().split("\n\n")[0]
            parts.append(f"**{found[1].strip()}**: {' '.join(first.split())}")
    parts.append(f"[{rule.code}: the whole page]({rule.url})")
    return "\n\n".join(parts)


def _hover(text: str, span: types.Range, *, is_markdown: bool) -> types.Hover:
    kind = types.MarkupKind.Markdown if is_markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), span)


def _holds(span: types.Range, position: types.Position) -> bool:
    start = (span.start.line, span.start.character)
    end = (span.end.line, span.end.character)
    return start <= (position.line, position.character) <= end

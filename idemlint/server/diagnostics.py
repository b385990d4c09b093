"""Findings as the editor shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from idemlint.diagnostic import Severity
from idemlint.server.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.diagnostic import Diagnostic
    from idemlint.server.client import Client, Locator
    from idemlint.server.documents import OpenNotebook

__all__ = ["SOURCE", "by_uri", "place_of", "to_client"]

SOURCE = "idemlint"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}
_UNUSED = "IDM001"


def by_uri(
    item: Document | OpenNotebook,
    diagnostics: Iterable[Diagnostic],
    client: Client,
    locator: Locator,
) -> dict[str, list[types.Diagnostic]]:
    """Findings by the address that they are shown under: the document, or each cell."""
    if isinstance(item, Document):
        found: dict[str, list[types.Diagnostic]] = {item.uri: []}
    else:
        found = {cell.document: [] for cell in item.cells}
    for diagnostic in diagnostics:
        place = place_of(item, diagnostic)
        if place is not None:
            uri, span = place
            shown = to_client(diagnostic, span, client, locator)
            found.setdefault(uri, []).append(shown)
    return found


def place_of(
    item: Document | OpenNotebook, diagnostic: Diagnostic
) -> tuple[str, types.Range] | None:
    """Where a finding is shown: the address of the text, and the range in it."""
    if isinstance(item, Document):
        return item.uri, item.places.range_to_client(diagnostic.range)
    place = item.place(diagnostic.range)
    return None if place is None else (place[0].uri, place[1])


def to_client(
    diagnostic: Diagnostic, span: types.Range, client: Client, locator: Locator
) -> types.Diagnostic:
    """One finding; the data is what its quick fix is found by."""
    is_rule = diagnostic.code.startswith("IDM")
    shown = types.Diagnostic(
        range=span,
        message=_message(diagnostic),
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        source=SOURCE,
    )
    if client.has_links and diagnostic.url:
        shown.code_description = types.CodeDescription(diagnostic.url)
    if client.has_tags and diagnostic.code == _UNUSED:
        shown.tags = [types.DiagnosticTag.Unnecessary]
    if client.has_related and diagnostic.related:
        shown.related_information = list(_related(diagnostic, locator))
    if is_rule:
        shown.data = {"code": diagnostic.code, "operation": diagnostic.operation}
    return shown


def _message(diagnostic: Diagnostic) -> str:
    if not diagnostic.suggestion:
        return diagnostic.message
    operation = f" ({diagnostic.operation})" if diagnostic.operation else ""
    return f"{diagnostic.message}\n\nhelp: {diagnostic.suggestion}{operation}"


def _related(
    diagnostic: Diagnostic, locator: Locator
) -> Iterator[types.DiagnosticRelatedInformation]:
    for related in diagnostic.related:
        location = locator.location(related.path, related.range)
        if location is not None:
            yield types.DiagnosticRelatedInformation(location, related.label)

"""What the client can do, and how places of any file are named for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsprotocol import types

from idemlint.server.documents import Document, uri_of
from idemlint.server.positions import Encoding, Places
from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.diagnostic import Range
    from idemlint.server.documents import Documents

__all__ = ["Client", "Locator"]


@dataclass(frozen=True)
class Client:
    """The capabilities that change what is sent; without any the plainest form is."""

    encoding: Encoding = Encoding.UTF16
    pulls: bool = False
    has_related: bool = False
    has_tags: bool = False
    has_links: bool = False
    has_literal_actions: bool = True
    resolves_edits: bool = False
    has_versioned_edits: bool = False
    has_annotations: bool = False
    creates_files: bool = False
    has_markdown: bool = True
    refreshes: bool = False
    watches_files: bool = False
    applies_edits: bool = False
    shows_documents: bool = False
    renews_lenses: bool = False

    @classmethod
    def of(cls, given: types.ClientCapabilities, encoding: Encoding) -> Client:
        """Read the capabilities of a client."""
        text = given.text_document or types.TextDocumentClientCapabilities()
        workspace = given.workspace or types.WorkspaceClientCapabilities()
        edits = workspace.workspace_edit or types.WorkspaceEditClientCapabilities()
        published = text.publish_diagnostics
        pulled = text.diagnostic
        actions = text.code_action
        hover = text.hover
        shown = given.window.show_document if given.window else None
        resolve = actions.resolve_support if actions else None
        formats = (hover.content_format if hover else None) or ()
        sources = [source for source in (published, pulled) if source is not None]
        return cls(
            encoding=encoding,
            pulls=pulled is not None,
            has_related=any(source.related_information for source in sources),
            has_tags=any(source.tag_support for source in sources),
            has_links=any(source.code_description_support for source in sources),
            has_literal_actions=bool(actions and actions.code_action_literal_support),
            resolves_edits=bool(resolve and "edit" in resolve.properties),
            has_versioned_edits=bool(edits.document_changes),
            has_annotations=bool(edits.document_changes and edits.change_annotation_support),
            creates_files=bool(
                edits.document_changes
                and types.ResourceOperationKind.Create in (edits.resource_operations or ())
            ),
            has_markdown=types.MarkupKind.Markdown in formats or not formats,
            refreshes=bool(workspace.diagnostics and workspace.diagnostics.refresh_support),
            watches_files=bool(
                workspace.did_change_watched_files
                and workspace.did_change_watched_files.dynamic_registration
            ),
            applies_edits=bool(workspace.apply_edit),
            shows_documents=bool(shown and shown.support),
            renews_lenses=bool(workspace.code_lens and workspace.code_lens.refresh_support),
        )


@dataclass
class Locator:
    """Names places for the client; texts that are not open are read, each once."""

    documents: Documents
    encoding: Encoding
    _read: dict[Path, Places | None] = field(default_factory=dict)

    def location(self, path: Path, span: Range) -> types.Location | None:
        """A range of any file; `None` where that cannot be read."""
        item = self.documents.at(path)
        if isinstance(item, Document):
            return types.Location(item.uri, item.places.range_to_client(span))
        if item is not None:
            place = item.place(span)
            return None if place is None else types.Location(place[0].uri, place[1])
        places = self.places(path)
        return (
            None if places is None else types.Location(uri_of(path), places.range_to_client(span))
        )

    def places(self, path: Path) -> Places | None:
        """The places of a file that is not open."""
        if path not in self._read:
            try:
                self._read[path] = Places(SourceText.decode(path, path.read_bytes()), self.encoding)
            except (OSError, NotUtf8Error):
                self._read[path] = None
        return self._read[path]

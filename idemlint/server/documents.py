"""What is open in the editor: texts, and notebooks with their cells."""

from __future__ import annotations

import functools
import json
import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from idemlint.server.positions import Encoding, Places
from idemlint.source.notebooks import Notebook, NotebookError
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from idemlint.diagnostic import Range

__all__ = ["Document", "Documents", "OpenNotebook", "path_of", "stand_in", "uri_of"]

_DRIVE = re.compile(r"/[A-Za-z]:")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAVED = Path(Path.cwd().anchor, "untitled-documents")


def path_of(uri: str) -> Path | None:
    """The absolute path of a `file:` address; `None` for any other address."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file":
        return None
    path = unquote(parts.path)
    if "\0" in path or not path.startswith("/"):
        return None
    if os.name == "nt":
        if parts.netloc:
            return Path(f"//{parts.netloc}{path}")
        path = path[1:] if _DRIVE.match(path) else path
    return Path(os.path.normpath(path))


def _file_of(uri: str) -> Path | None:
    """The path of a document that is a file; the root of a disk is none."""
    path = path_of(uri)
    return path if path is not None and path.name else None


def uri_of(path: Path) -> str:
    """The address of an absolute path."""
    text = path.as_posix()
    return "file://" + quote(text if text.startswith("/") else f"/{text}", safe="/:")


def _key(uri: str) -> str:
    """Addresses that mean the same file have the same key, however they are quoted."""
    path = _file_of(uri)
    return uri if path is None else str(path)


def _as_unicode(text: str) -> str:
    """The same text if it can be encoded, else without what is half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def stand_in(uri: str) -> Path:
    """A path for a document that is no file; it is in no project."""
    name = re.sub(r"[^\w.-]+", "_", unquote(uri.partition(":")[2])).strip("_") or "untitled"
    return _UNSAVED / name / (name if name.endswith((".py", ".pyi")) else f"{name}.py")


@dataclass(frozen=True)
class Document:
    """One version of an open text. `path` is a stand-in where `is_file` is false."""

    uri: str
    path: Path
    version: int | None
    language: str
    text: str
    encoding: Encoding
    is_file: bool = True

    @functools.cached_property
    def places(self) -> Places:
        """Its places, for the editor and for the linter."""
        return Places(SourceText(self.path, self.text), self.encoding)

    @functools.cached_property
    def source(self) -> SourceText:
        """The text as the linter reads it."""
        if self.text.startswith("\ufeff") or _as_unicode(self.text) is not self.text:
            return SourceText.decode(self.path, self.contents)
        return self.places.source

    @functools.cached_property
    def contents(self) -> bytes:
        """What would stand in the file; what is no Unicode text is replaced."""
        return _as_unicode(self.text).encode()

    def changed(
        self, changes: Iterable[types.TextDocumentContentChangeEvent], version: int | None
    ) -> Document:
        """The next version."""
        found = self
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                start = found.places.offset(change.range.start)
                end = found.places.offset(change.range.end)
                start, end = min(start, end), max(start, end)
                text = found.text[:start] + change.text + found.text[end:]
            found = replace(found, text=text, version=version)
        return replace(found, version=version)


@dataclass(frozen=True)
class OpenNotebook:
    """One version of an open notebook, with its cells in order."""

    uri: str
    path: Path
    version: int
    cells: tuple[types.NotebookCell, ...]
    texts: dict[str, Document] = field(default_factory=dict)
    is_file: bool = True

    @functools.cached_property
    def notebook(self) -> Notebook:
        """The cells as the linter reads them."""
        listed: list[dict[str, object]] = []
        for cell in self.cells:
            document = self.texts.get(cell.document)
            is_code = cell.kind == types.NotebookCellKind.Code and document is not None
            is_python = document is not None and document.language == "python"
            listed.append(
                {
                    "cell_type": "code" if is_code and is_python else "markdown",
                    "metadata": {},
                    "source": document.text if document is not None else "",
                    **({"outputs": [], "execution_count": None} if is_code and is_python else {}),
                }
            )
        data = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        try:
            return Notebook.decode(self.path, json.dumps(data).encode())
        except NotebookError:
            return Notebook(self.path, "", ())

    @functools.cached_property
    def source(self) -> SourceText:
        """The cells as one module."""
        return self.notebook.source

    @functools.cached_property
    def contents(self) -> bytes:
        """The cells as one module."""
        return _as_unicode(self.source.text).encode()

    def cell(self, number: int) -> Document | None:
        """The text of a cell by its number from 1."""
        if not 1 <= number <= len(self.cells):
            return None
        return self.texts.get(self.cells[number - 1].document)

    def place(self, span: Range) -> tuple[Document, types.Range] | None:
        """The cell in which a range of the module begins, and the range there."""
        number, inner = self.notebook.cell_range(span)
        document = self.cell(number)
        return None if document is None else (document, document.places.range_to_client(inner))

    def span(self, document: Document, span: types.Range) -> Range | None:
        """The range of the module that is `span` in a cell."""
        for number, cell in enumerate(self.cells, start=1):
            if cell.document == document.uri:
                inner = document.places.range_from_client(span)
                try:
                    start = self.notebook.row_of(number, inner.start.row)
                    end = self.notebook.row_of(number, inner.end.row)
                except KeyError:
                    return None
                return type(inner)(
                    replace(inner.start, row=start),
                    replace(inner.end, row=end),
                )
        return None


class Documents:
    """All that is open, found by address however that is quoted."""

    def __init__(self) -> None:
        self.encoding = Encoding.UTF16
        self._texts: dict[str, Document] = {}
        self._notebooks: dict[str, OpenNotebook] = {}
        self._cells: dict[str, str] = {}

    def text(self, uri: str) -> Document | None:
        """An open text; not a cell."""
        return self._texts.get(_key(uri))

    def notebook(self, uri: str) -> OpenNotebook | None:
        """An open notebook, by its own address or that of a cell."""
        key = _key(uri)
        return self._notebooks.get(self._cells.get(uri, key))

    def at(self, path: Path) -> Document | OpenNotebook | None:
        """What is open of a file."""
        key = str(path)
        return self._texts.get(key) or self._notebooks.get(key) or self._stand_in_at(path)

    def _stand_in_at(self, path: Path) -> Document | OpenNotebook | None:
        if not path.is_relative_to(_UNSAVED):
            return None
        return next((found for found in self if found.path == path), None)

    def __iter__(self) -> Iterator[Document | OpenNotebook]:
        """Everything that is open: texts, then notebooks."""
        yield from self._texts.values()
        yield from self._notebooks.values()

    def open(self, item: types.TextDocumentItem) -> Document:
        """Open a text."""
        document = self._made(item)
        self._texts[_key(item.uri)] = document
        return document

    def _made(self, item: types.TextDocumentItem) -> Document:
        path = _file_of(item.uri)
        return Document(
            item.uri,
            stand_in(item.uri) if path is None else path,
            item.version,
            str(getattr(item.language_id, "value", item.language_id)),
            item.text,
            self.encoding,
            is_file=path is not None,
        )

    def change(
        self,
        identifier: types.VersionedTextDocumentIdentifier,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> Document | None:
        """The next version of a text; `None` if it is not open."""
        key = _key(identifier.uri)
        document = self._texts.get(key)
        if document is None:
            return None
        self._texts[key] = found = document.changed(changes, identifier.version)
        return found

    def close(self, uri: str) -> Document | None:
        """Close a text."""
        return self._texts.pop(_key(uri), None)

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> OpenNotebook:
        """Open a notebook with its cells."""
        given = params.notebook_document
        path = _file_of(given.uri)
        notebook = OpenNotebook(
            given.uri,
            stand_in(given.uri) if path is None else path,
            given.version,
            tuple(given.cells),
            {item.uri: self._made(item) for item in params.cell_text_documents},
            is_file=path is not None,
        )
        return self._put(notebook)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> OpenNotebook | None:
        """The next version of a notebook; `None` if it is not open."""
        before = self._notebooks.get(_key(params.notebook_document.uri))
        if before is None:
            return None
        cells, texts = list(before.cells), dict(before.texts)
        changes = params.change.cells
        if changes is not None and changes.structure is not None:
            array = changes.structure.array
            cells[array.start : array.start + array.delete_count] = array.cells or []
            texts |= {item.uri: self._made(item) for item in changes.structure.did_open or ()}
            for gone in changes.structure.did_close or ():
                texts.pop(gone.uri, None)
                self._cells.pop(gone.uri, None)
        if changes is not None:
            kinds = {cell.document: cell for cell in changes.data or ()}
            cells = [kinds.get(cell.document, cell) for cell in cells]
            for content in changes.text_content or ():
                document = texts.get(content.document.uri)
                if document is not None:
                    texts[document.uri] = document.changed(
                        content.changes, content.document.version
                    )
        notebook = replace(
            before, version=params.notebook_document.version, cells=tuple(cells), texts=texts
        )
        return self._put(notebook)

    def close_notebook(self, uri: str) -> OpenNotebook | None:
        """Close a notebook with its cells."""
        found = self._notebooks.pop(_key(uri), None)
        if found is not None:
            for cell in found.texts:
                self._cells.pop(cell, None)
        return found

    def _put(self, notebook: OpenNotebook) -> OpenNotebook:
        key = _key(notebook.uri)
        self._notebooks[key] = notebook
        self._cells |= dict.fromkeys(notebook.texts, key)
        return notebook

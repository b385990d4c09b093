"""The server: which message leads to what."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import logging
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from idemlint import __version__
from idemlint.config.loading import CONFIG_NAMES
from idemlint.knowledge.loader import KnowledgeError
from idemlint.server import commands
from idemlint.server.actions import KINDS, Actions
from idemlint.server.checks import Checked, Checker
from idemlint.server.client import Client, Locator
from idemlint.server.diagnostics import SOURCE, by_uri, place_of
from idemlint.server.documents import Document, Documents, path_of
from idemlint.server.entries import OPEN, Entries
from idemlint.server.hover import hover_on_code, hover_on_finding
from idemlint.server.logs import set_up_logs
from idemlint.server.positions import chosen_encoding
from idemlint.server.protocol import Protocol
from idemlint.server.settings import AllSettings, Run, SettingsError, read_settings
from idemlint.server.transport import Output, follow_process, serve
from idemlint.server.worker import InterruptedWork, Worker
from idemlint.server.workspace import Workspace
from idemlint.session import SupersededError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future
    from pathlib import Path

    from idemlint.server.documents import OpenNotebook
    from idemlint.server.settings import EditorSettings

__all__ = ["Server", "run_server"]

Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)
_WATCHER = "idemlint-server-watch"
_WATCHED = (*(f"**/{name}" for name in CONFIG_NAMES), "**/ruff.toml", "**/.ruff.toml", "**/*.py")
_CONFIG_NAMES = frozenset((*CONFIG_NAMES, "ruff.toml", ".ruff.toml"))
_PYTHON = "python"
_OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=list(KINDS), resolve_provider=True
    ),
    types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensOptions(resolve_provider=True),
}


class Server(LanguageServer):
    """The language server; `preview` switches the preview rules on for all."""

    protocol: Protocol

    def __init__(self, *, preview: bool = False) -> None:
        super().__init__(
            SOURCE,
            __version__,
            types.TextDocumentSyncKind.Incremental,
            types.NotebookDocumentSyncOptions(
                [
                    types.NotebookDocumentFilterWithCells(
                        cells=[types.NotebookCellLanguage(_PYTHON)]
                    )
                ],
                save=False,
            ),
            protocol_cls=Protocol,
        )
        self._preview = preview
        self.documents = Documents()
        self.client = Client()
        self.work = Worker()
        self.places = Workspace(self.tell_error)
        self.checker = Checker(
            self.documents, self.places, self.work, self._on_checked, self.tell_error
        )
        self._shown: dict[str, tuple[int | None, object]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: set[str] = set()
        self._entries: Entries | None = None
        for name, handler in self._handlers().items():
            # the library notes something on each handler, which methods do not let it do
            self.feature(name, _OPTIONS.get(name))(functools.partial(handler))
        self.command(commands.APPLY)(functools.partial(self.on_apply))
        self.command(commands.DEBUG)(functools.partial(self.on_debug))
        self.command(OPEN)(functools.partial(self.on_open_place))

    def _handlers(self) -> dict[str, Callable[..., Any]]:
        """By the name of a message what it leads to."""
        return {
            types.INITIALIZE: self.on_initialize,
            types.INITIALIZED: self.on_initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self.on_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self.on_change,
            types.TEXT_DOCUMENT_DID_SAVE: self.on_save,
            types.TEXT_DOCUMENT_DID_CLOSE: self.on_close,
            types.NOTEBOOK_DOCUMENT_DID_OPEN: self.on_notebook_open,
            types.NOTEBOOK_DOCUMENT_DID_CHANGE: self.on_notebook_change,
            types.NOTEBOOK_DOCUMENT_DID_SAVE: self.on_notebook_save,
            types.NOTEBOOK_DOCUMENT_DID_CLOSE: self.on_notebook_close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self.on_files,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self.on_folders,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self.on_settings,
            types.TEXT_DOCUMENT_DIAGNOSTIC: self.on_pull,
            types.TEXT_DOCUMENT_CODE_ACTION: self.on_actions,
            types.CODE_ACTION_RESOLVE: self.on_resolve,
            types.TEXT_DOCUMENT_HOVER: self.on_hover,
            types.TEXT_DOCUMENT_CODE_LENS: self.on_lenses,
            types.CODE_LENS_RESOLVE: self.on_lens,
        }

    def start(self) -> None:
        """Begin to check what will be opened."""
        self._tasks.add(asyncio.get_event_loop().create_task(self.checker.run()))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Errors go to the log; a window that pops up helps nobody."""
        _LOG.error("%s", error)

    def tell_error(self, text: str) -> None:
        """Show a message that the user has to act on; from any thread."""
        self._loop_call(
            lambda: self.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {text}")
            )
        )

    def _loop_call(self, call: Callable[[], object]) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._loop.call_soon_threadsafe(call)
        else:
            call()

    # starting

    def on_initialize(self, params: types.InitializeParams) -> None:
        """Read what the client can do and wants."""
        self._loop = asyncio.get_running_loop()
        general = params.capabilities.general
        encoding = chosen_encoding(general.position_encodings if general else None)
        self.client = Client.of(params.capabilities, encoding)
        self.documents.encoding = encoding
        if params.process_id:
            follow_process(params.process_id)
        self._read_settings(params.initialization_options)
        self.places.add(_folders(params))

    def _read_settings(self, options: object) -> None:
        try:
            settings = read_settings(options)
            trouble = ""
        except SettingsError as error:
            settings = AllSettings()
            trouble = (
                f"received invalid client settings ({error})"
                " - falling back to default client settings."
            )
        if self._preview:
            settings = _with_preview(settings)
        self.places.settings = settings
        set_up_logs(settings.general.log_level, settings.general.log_file)
        if trouble:
            _LOG.error("%s", trouble)
            self.tell_error(trouble)
        for name in settings.unknown:
            _LOG.warning("The setting `%s` is unknown and was passed over", name)

    def on_initialized(self, params: types.InitializedParams) -> None:
        """Ask to be told of changes on the disk, and get warm."""
        _LOG.info("idemlint %s, positions in %s", __version__, self.client.encoding.value)
        self.work.submit(_warm_up)
        if not self.client.watches_files:
            _LOG.info("The client watches no files: they are looked at when a text is saved")
            return
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        registration = types.Registration(
            _WATCHER,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
        answer = self.client_register_capability(types.RegistrationParams([registration]))
        answer.add_done_callback(self._on_watching)

    def _on_watching(self, answer: Future[None]) -> None:
        if _refusal(answer):
            _LOG.warning("The client does not watch files after all: %s", _refusal(answer))
            self.client = replace(self.client, watches_files=False)

    # texts

    def on_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A text was opened."""
        self._opened(self.documents.open(params.text_document))

    def on_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A text was changed."""
        self._changed(self.documents.change(params.text_document, params.content_changes))

    def on_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """A text was saved."""
        self._saved(self.documents.text(params.text_document.uri))

    def on_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A text was closed."""
        self._closed(self.documents.close(params.text_document.uri))

    def on_notebook_open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook was opened."""
        self._opened(self.documents.open_notebook(params))

    def on_notebook_change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """A notebook, or some of its cells, was changed."""
        self._changed(self.documents.change_notebook(params))

    def on_notebook_save(self, params: types.DidSaveNotebookDocumentParams) -> None:
        """A notebook was saved."""
        self._saved(self.documents.notebook(params.notebook_document.uri))

    def on_notebook_close(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """A notebook was closed."""
        self._closed(self.documents.close_notebook(params.notebook_document.uri))

    def _opened(self, item: Document | OpenNotebook) -> None:
        """Check what was opened."""
        if not self.client.watches_files:
            self._look_at_disk()
        self.checker.touch([item.path])

    def _changed(self, item: Document | OpenNotebook | None) -> None:
        """Check what was changed, unless that is left for when it is saved."""
        if item is not None and self._editor(item.path).run is Run.ON_TYPE:
            self.checker.touch([item.path])

    def _saved(self, item: Document | OpenNotebook | None) -> None:
        """See what else has changed on the disk."""
        if item is None:
            return
        if not self.client.watches_files:
            self._look_at_disk()
            self.checker.touch_all()
        elif self._editor(item.path).run is Run.ON_SAVE:
            self.checker.touch([item.path])

    def _closed(self, item: Document | OpenNotebook | None) -> None:
        """Take back what was shown of it."""
        if item is None:
            return
        uris = [item.uri] if isinstance(item, Document) else [c.document for c in item.cells]
        for uri in uris:
            self._shown.pop(uri, None)
            if not self.client.pulls or not isinstance(item, Document):
                self._publish(uri, None, [])
        self.checker.closed(item.path)

    def _look_at_disk(self) -> None:
        def look() -> None:
            self.places.forget()
            self.checker.session.doubt()

        self.work.submit(look)

    def on_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files have changed on the disk."""
        paths = [path for change in params.changes if (path := path_of(change.uri)) is not None]
        if any(path.name in _CONFIG_NAMES for path in paths):
            self._look_at_disk()
        names = [str(path) for path in paths]
        self.work.submit(lambda: self.checker.session.doubt(names))
        self.checker.touch_all()
        self._refresh()

    def on_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Folders were added and taken away."""
        removed = [path for f in params.event.removed if (path := path_of(f.uri)) is not None]
        added = [path for f in params.event.added if (path := path_of(f.uri)) is not None]
        self.places.remove(removed)
        self.places.add(added)
        self._look_at_disk()
        self.checker.touch_all()
        self._refresh()

    def on_settings(self, params: types.DidChangeConfigurationParams) -> None:
        """Settings have changed; as with Ruff they are read when the server starts."""
        _LOG.info("Changed settings count after a restart of the server")

    def _editor(self, path: Path) -> EditorSettings:
        return self.places.editor_settings(path)

    # findings

    def _on_checked(self, results: list[Checked]) -> None:
        others = has_news = False
        for checked in results:
            item = checked.item
            shown = self.shown(checked)
            for uri, listed in shown.items():
                version = _version_of(item, uri)
                before = self._shown.get(uri)
                is_same = before is not None and before[1] == listed
                if is_same and (self.client.pulls or before == (version, listed)):
                    continue
                self._shown[uri] = version, listed
                has_news = has_news or (before is not None and before[0] == version)
                if not self._is_pulled(item):
                    self._publish(uri, version, listed)
                elif before is not None and uri not in self._asked:
                    others = True
                elif uri in self._asked:
                    self._asked.discard(uri)
        if others:
            self._refresh()
        if has_news and self.client.renews_lenses and self.places.has_lenses:
            self.workspace_code_lens_refresh(None)

    def shown(self, checked: Checked) -> dict[str, list[types.Diagnostic]]:
        """What is shown of a result, by the address of the text."""
        locator = Locator(self.documents, self.client.encoding)
        return by_uri(checked.item, checked.diagnostics, self.client, locator)

    def _is_pulled(self, item: Document | OpenNotebook) -> bool:
        return self.client.pulls and isinstance(item, Document)

    def _publish(self, uri: str, version: int | None, listed: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, listed, version))

    def _refresh(self) -> None:
        if self.client.pulls and self.client.refreshes:
            self.workspace_diagnostic_refresh(None)

    async def on_pull(
        self, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport:
        """What there is to show of a text; cells show what is published, or they would twice."""
        uri = params.text_document.uri
        checked = None if self.documents.text(uri) is None else await self._checked(uri)
        if checked is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        self._asked.add(uri)
        return types.RelatedFullDocumentDiagnosticReport(self.shown(checked).get(uri, []))

    async def _checked(self, uri: str) -> Checked | None:
        item = self.documents.text(uri) or self.documents.notebook(uri)
        return None if item is None else await self.checker.of(item.path)

    # what is asked at a place

    async def on_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done at a range."""
        checked = await self._checked(params.text_document.uri)
        if checked is None or checked.target is None:
            return []
        actions = self._actions(checked)
        return await self._unless_changed(lambda: actions.offered(params), [])

    async def on_resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The edit of an action that was chosen."""
        data = action.data if isinstance(action.data, dict) else {}
        checked = await self._checked(str(data.get("uri", "")))
        if checked is None or checked.target is None:
            return action
        actions = self._actions(checked)
        try:
            action.edit = await self.work.run(lambda: actions.resolved(data))
        except SupersededError:
            raise JsonRpcContentModified("the text was changed meanwhile") from None
        return action

    def _actions(self, checked: Checked) -> Actions:
        return Actions(
            self.checker.session,
            checked,
            self._editor(checked.item.path),
            self.client,
            Locator(self.documents, self.client.encoding),
            lambda: self.documents.at(checked.item.path) is not checked.item,
        )

    async def on_hover(self, params: types.HoverParams) -> types.Hover | None:
        """A rule, over its code or over a finding."""
        uri = params.text_document.uri
        item = self.documents.text(uri) or self.documents.notebook(uri)
        if item is None:
            return None
        is_markdown = self.client.has_markdown
        found = hover_on_code(item, uri, params.position, is_markdown=is_markdown)
        if found is not None:
            return found
        checked = await self.checker.of(item.path)
        if checked is None:
            return None
        placed = [(place_of(checked.item, entry), entry) for entry in checked.diagnostics]
        here = [(place[1], entry) for place, entry in placed if place and place[0] == uri] or [
            (place[1], entry)
            for place, entry in placed
            if place and isinstance(checked.item, Document)
        ]
        entries = self._entries_of(checked)
        locator = Locator(self.documents, self.client.encoding)
        entry = await self._unless_changed(
            lambda: entries.hover(uri, params.position, locator), None
        )
        return hover_on_finding(here, params.position, is_markdown=is_markdown, entry=entry)

    async def on_lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """The places of the entries in a text, where lenses are wanted."""
        uri = params.text_document.uri
        item = self.documents.text(uri) or self.documents.notebook(uri)
        if item is None or not self._editor(item.path).code_lens:
            return []
        checked = await self._checked(uri)
        if checked is None:
            return []
        entries = self._entries_of(checked)
        return await self._unless_changed(lambda: entries.lenses(uri), [])

    async def on_lens(self, lens: types.CodeLens) -> types.CodeLens:
        """What a lens says."""
        data = lens.data if isinstance(lens.data, dict) else {}
        checked = await self._checked(str(data.get("uri", "")))
        command = None
        if checked is not None:
            entries = self._entries_of(checked)
            command = await self._unless_changed(
                lambda: entries.resolved(data.get("row", 0), data.get("column", 0)), None
            )
        lens.command = command or types.Command("", "")
        return lens

    def _entries_of(self, checked: Checked) -> Entries:
        if self._entries is None or self._entries.checked is not checked:
            self._entries = Entries(self.checker.session, checked)
        return self._entries

    async def _unless_changed(self, work: Callable[[], Result], otherwise: Result) -> Result:
        """What `work` gives on the worker; what is typed meanwhile breaks it off."""
        try:
            return await self.work.run(work)
        except (InterruptedWork, SupersededError, KnowledgeError):
            # wrong rows were told when the text was checked
            return otherwise

    # commands

    async def on_apply(self, *arguments: Any) -> None:
        """Apply all fixes of a text."""
        try:
            uri, version = commands.text_of(arguments[0] if arguments else None)
        except commands.ArgumentError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        item = self.documents.text(uri) or self.documents.notebook(uri)
        if item is None or (version is not None and item.version != version):
            _LOG.warning("`%s` has changed or is not open: nothing was fixed", uri)
            return
        checked = await self.checker.of(item.path)
        if checked is None or checked.target is None:
            return
        actions = self._actions(checked)
        edit = await self._unless_changed(lambda: actions.resolved(commands.FIX_ALL), None)
        if edit is None:
            return
        try:
            await self.workspace_apply_edit_async(
                types.ApplyWorkspaceEditParams(edit, commands.LABEL)
            )
        except JsonRpcException as error:
            _LOG.error("The client did not apply the edit: %s", error)

    async def on_open_place(self, *arguments: Any) -> None:
        """Show a page, or a place in the code."""
        try:
            uri, path, span = commands.opened(arguments[0] if arguments else None)
        except commands.ArgumentError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        params = types.ShowDocumentParams(uri, external=True)
        if path is not None and span is not None:
            location = Locator(self.documents, self.client.encoding).location(path, span)
            if location is None:
                _LOG.warning("`%s` cannot be read any more", path)
                return
            params = types.ShowDocumentParams(
                location.uri, take_focus=True, selection=location.range
            )
        if not self.client.shows_documents:
            told = types.ShowMessageParams(types.MessageType.Info, f"{SOURCE}: {params.uri}")
            self.window_show_message(told)
            return
        try:
            await self.window_show_document_async(params)
        except JsonRpcException as error:
            _LOG.error("The client did not show `%s`: %s", params.uri, error)

    def on_debug(self, *arguments: Any) -> str:
        """What the server knows of itself and of a text."""
        uri = commands.debugged(arguments[0] if arguments else None)
        item = self.documents.text(uri) or self.documents.notebook(uri) if uri else None
        found = None if item is None else self.checker.latest(item.path)
        text = commands.debug_text(
            self.client, self.places, [entry.uri for entry in self.documents], item, found
        )
        _LOG.info("%s", text)
        return text


def _refusal(answer: Future[None]) -> str:
    """Why a client did not do what it was asked; empty if it did."""
    if answer.cancelled():
        return "cancelled"
    error = answer.exception()
    return "" if error is None else str(error)


def _folders(params: types.InitializeParams) -> Iterable[Path]:
    uris = [folder.uri for folder in params.workspace_folders or ()]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    found = [path for uri in uris if (path := path_of(uri)) is not None]
    if not found and params.root_path:
        from pathlib import Path

        found = [Path(params.root_path)]
    return found


def _with_preview(settings: AllSettings) -> AllSettings:
    def switched(found: EditorSettings) -> EditorSettings:
        return found if found.preview is not None else replace(found, preview=True)

    return replace(
        settings,
        general=switched(settings.general),
        by_folder=tuple((path, switched(found)) for path, found in settings.by_folder),
    )


def _version_of(item: Document | OpenNotebook, uri: str) -> int | None:
    if isinstance(item, Document):
        return item.version
    cell = item.texts.get(uri)
    return None if cell is None else cell.version


def _warm_up() -> None:
    """Import what the first check would have to wait for."""
    from idemlint import analysis, visitors
    from idemlint.config.discovery import Overrides, Resolver
    from idemlint.linter import Target
    from idemlint.server.documents import stand_in
    from idemlint.session import Session
    from idemlint.visitors import base

    assert analysis and visitors and base
    path = stand_in("untitled:warm")
    with contextlib.suppress(Exception):
        settings = Resolver(path.parent, Overrides(is_isolated=True)).root
        list(
            Session().check(
                [Target(str(path), settings, b"from langgraph.types import interrupt\n")]
            )
        )
    gc.collect()
    gc.freeze()


def run_server(*, preview: bool = False) -> NoReturn:
    """Serve on standard input and output, and end the process."""
    set_up_logs(None, None)
    sys.setswitchinterval(0.001)
    gc.disable()
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # Whatever else prints must not get between the messages.
    sys.stdout = sys.stderr
    server = Server(preview=preview)
    server.protocol.set_writer(Output(stdout))
    code = serve(stdin, server.protocol.receive, server.start)
    logging.shutdown()
    # Other threads may be in the middle of something: nothing of it is wanted any more.
    os._exit(code)

"""The protocol with our own documents, and with an answer to whatever a client sends."""

from __future__ import annotations

import contextlib
import json
import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from idemlint.server.positions import chosen_encoding

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Protocol"]

_LOG = logging.getLogger(__name__)
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_INTERNAL_ERROR = -32603
_NOT_INITIALIZED = -32002
_SHOWN = 200


class Protocol(LanguageServerProtocol):
    """Handlers of texts and notebooks are ours alone: no second copy of each text is kept."""

    is_initialized = False

    def receive(self, body: bytes) -> None:
        """Handle the body of one message, whatever it is."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            _LOG.error("A message is no JSON (%s): %r", error, body[:_SHOWN])
            self._refuse(None, _PARSE_ERROR, f"no JSON: {error}")
            return
        for message in data if isinstance(data, list) else [data]:
            self._receive_one(message)

    def _receive_one(self, data: object) -> None:
        if not isinstance(data, dict) or data.get("jsonrpc") != self.VERSION:
            _LOG.error("A message is no JSON-RPC 2.0: %s", repr(data)[:_SHOWN])
            self._refuse(_id_in(data), _INVALID_REQUEST, "no JSON-RPC 2.0")
            return
        method = data.get("method")
        is_request = method is not None and "id" in data
        if is_request and _id_in(data) is None:
            self._refuse(None, _INVALID_REQUEST, "the id is neither a string nor a number")
            return
        refusal = self._refusal(method)
        if refusal is not None:
            if is_request:
                self._refuse(_id_in(data), *refusal)
            return
        self._handle(data, _id_in(data) if is_request else None)

    def _refusal(self, method: object) -> tuple[int, str] | None:
        """Why a method cannot be called now."""
        if method is not None and not isinstance(method, str):
            return _INVALID_REQUEST, "the method is no string"
        if method == types.INITIALIZE:
            return (_INVALID_REQUEST, "already initialized") if self.is_initialized else None
        if method == types.EXIT:
            return None
        if not self.is_initialized:
            return _NOT_INITIALIZED, "`initialize` comes first"
        if self._shutdown and method is not None:
            return _INVALID_REQUEST, "the server was shut down"
        known = (self.fm.builtin_features, self.fm.features, (types.CANCEL_REQUEST,))
        if method is not None and not any(method in names for names in known):
            return _METHOD_NOT_FOUND, f"no method `{method}`"
        return None

    def _handle(self, data: dict[str, Any], request: str | int | None) -> None:
        method = data.get("method")
        try:
            message = self.structure_message(data)
        except (JsonRpcException, RecursionError) as error:
            if method is None:
                self._disappoint(_id_in(data), data)
                return
            _LOG.error("The parameters of `%s` are wrong: %s", method, repr(data)[:_SHOWN])
            if request is not None:
                self._refuse(request, _INVALID_PARAMS, f"{error} of `{method}`")
            return
        if method == types.INITIALIZE:
            self.is_initialized = True
        try:
            self.handle_message(message)
        except Exception as error:
            _LOG.exception("`%s` failed", method)
            if request is not None:
                self._refuse(request, _INTERNAL_ERROR, str(error))

    def _disappoint(self, identifier: str | int | None, data: object) -> None:
        """Tell who waits for an answer of the client that it is none."""
        shown = repr(data)[:_SHOWN]
        _LOG.error("An answer of the client is wrong: %s", shown)
        waiting = self._request_futures.pop(identifier, None) if identifier is not None else None
        if waiting is not None:
            waiting.set_exception(JsonRpcException(f"no answer to the question: {shown}"))

    def _refuse(self, identifier: str | int | None, code: int, reason: str) -> None:
        error = types.ResponseError(code, reason)
        with contextlib.suppress(OSError):
            self._send_data(types.ResponseErrorMessage(id=identifier, error=error))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Offer what there is, with the encoding of our own choice."""
        general = params.capabilities.general
        if general is not None and general.position_encodings:
            chosen = chosen_encoding(general.position_encodings)
            general.position_encodings = [types.PositionEncodingKind(chosen.value)]
        return (yield from super().lsp_initialize(params))

    def _forwarded(self, method: str, params: Any) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """A text was opened."""
        yield from self._forwarded(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """A text was changed."""
        yield from self._forwarded(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """A text was closed."""
        yield from self._forwarded(types.TEXT_DOCUMENT_DID_CLOSE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """A notebook was opened."""
        yield from self._forwarded(types.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """A notebook was changed."""
        yield from self._forwarded(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """A notebook was closed."""
        yield from self._forwarded(types.NOTEBOOK_DOCUMENT_DID_CLOSE, params)


def _id_in(data: object) -> str | int | None:
    found = data.get("id") if isinstance(data, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None

"""A client that speaks to `idemlint server` over pipes, plain JSON, for tests and benchmarks."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

DEFAULT = {
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "tagSupport": {"valueSet": [1, 2]},
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "versionSupport": True,
        },
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}},
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": True,
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    },
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "changeAnnotationSupport": {"groupsOnLabel": True},
        },
        "workspaceFolders": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    },
    "notebookDocument": {"synchronization": {}},
    "general": {"positionEncodings": ["utf-16"]},
}


def uri(path: Path) -> str:
    return "file://" + quote(str(path))


class ServerError(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error)
        self.code = error["code"]
        self.message = error["message"]


class LspClient:
    """Starts the server in `cwd`; messages that no one waits for are kept in `notes`."""

    def __init__(self, cwd: Path, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "idemlint", "server", *arguments],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self.notes: list[dict[str, Any]] = []
        self.answers: dict[int, dict[str, Any]] = {}
        self.requests: list[dict[str, Any]] = []
        self.log: list[str] = []
        self.replies: dict[str, Any] = {
            "workspace/applyEdit": {"applied": True},
            "window/showDocument": {"success": True},
        }
        self._incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._ids = itertools.count(1)
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_log, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(ValueError):  # a test has closed the pipe
            self._read_all()
        self._incoming.put(None)

    def _read_all(self) -> None:
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                break
            message = json.loads(stream.read(length))
            message["_at"] = time.perf_counter()
            self._incoming.put(message)

    def _read_log(self) -> None:
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace"))

    # sending

    def send_raw(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> int:
        number = next(self._ids)
        self.send({"id": number, "method": method, "params": params})
        return number

    def request(self, method: str, params: Any = None, timeout: float = 60) -> Any:
        return self.answer(self.ask(method, params), timeout)

    def answer(self, number: int, timeout: float = 60) -> Any:
        until = time.monotonic() + timeout
        while number not in self.answers:
            self._take(until)
        found = self.answers.pop(number)
        if "error" in found:
            raise ServerError(found["error"])
        return found["result"]

    # receiving

    def _take(self, until: float) -> None:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("".join(self.log[-20:]))
        try:
            message = self._incoming.get(timeout=left)
        except queue.Empty:
            raise TimeoutError("".join(self.log[-20:])) from None
        if message is None:
            raise EOFError("".join(self.log[-20:]))
        if "method" in message and "id" in message:
            self.requests.append(message)
            self.send({"id": message["id"], "result": self.replies.get(message["method"])})
        elif "method" in message or message.get("id") is None:
            self.notes.append(message)
        else:
            self.answers[message["id"]] = message

    def note(self, method: str, match: Any = lambda params: True, timeout: float = 60) -> Any:
        """The parameters of the next notification of a kind; it is taken from `notes`."""
        until = time.monotonic() + timeout
        while True:
            for index, message in enumerate(self.notes):
                if message.get("method") == method and match(message["params"]):
                    del self.notes[index]
                    return message["params"]
            self._take(until)

    def wait_until(self, is_done: Any, timeout: float = 60) -> None:
        until = time.monotonic() + timeout
        while not is_done():
            self._take(until)

    def settle(self, seconds: float = 0.5) -> None:
        """Take all that arrives within some time."""
        with contextlib.suppress(TimeoutError):
            self._take_all(time.monotonic() + seconds)

    def _take_all(self, until: float) -> None:
        while True:
            self._take(until)

    # the usual

    def start(
        self,
        folders: list[Path] | None = None,
        options: Any = None,
        capabilities: dict[str, Any] | None = None,
        process: int | None = None,
    ) -> dict[str, Any]:
        result = self.request(
            "initialize",
            {
                "processId": process,
                "rootUri": None,
                "capabilities": DEFAULT if capabilities is None else capabilities,
                "workspaceFolders": [
                    {"uri": uri(folder), "name": folder.name} for folder in folders or []
                ],
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, path: Path | str, text: str | None = None, version: int = 1) -> str:
        address = path if isinstance(path, str) else uri(path)
        if text is None:
            text = Path(path).read_text(encoding="utf-8")
        item = {"uri": address, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return address

    def change(self, address: str, version: int, *changes: dict[str, Any]) -> None:
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": address, "version": version},
                "contentChanges": list(changes),
            },
        )

    def published(
        self, address: str, version: int | None = None, timeout: float = 60
    ) -> list[dict[str, Any]]:
        """The next findings that are published for a text, for a version if one is named."""
        params = self.note(
            "textDocument/publishDiagnostics",
            lambda params: (
                params["uri"] == address and (version is None or params.get("version") == version)
            ),
            timeout,
        )
        return params["diagnostics"]

    def actions(
        self,
        address: str,
        span: dict[str, Any],
        diagnostics: list[dict[str, Any]] | None = None,
        only: list[str] | None = None,
    ) -> list[dict[str, Any]]:
        context: dict[str, Any] = {"diagnostics": diagnostics or []}
        if only is not None:
            context["only"] = only
        return self.request(
            "textDocument/codeAction",
            {"textDocument": {"uri": address}, "range": span, "context": context},
        )

    def stop(self) -> int:
        """Shut down; the exit code."""
        with contextlib.suppress(EOFError, TimeoutError, OSError, ServerError):
            self.request("shutdown", timeout=20)
            self.notify("exit")
        try:
            return self.process.wait(20)
        finally:
            self.kill()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)


def span(line: int, start: int, end: int, last: int | None = None) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line if last is None else last, "character": end},
    }


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """A text with edits whose columns count UTF-16 units."""
    rows = text.splitlines(keepends=True) or [""]

    def offset(place: dict[str, int]) -> int:
        if place["line"] >= len(rows):
            return len(text)
        row = rows[place["line"]]
        units = row.encode("utf-16-le")[: place["character"] * 2]
        return sum(map(len, rows[: place["line"]])) + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def edits_of(edit: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The text edits of a workspace edit by address."""
    found: dict[str, list[dict[str, Any]]] = dict(edit.get("changes") or {})
    for change in edit.get("documentChanges") or []:
        if "edits" in change:
            found.setdefault(change["textDocument"]["uri"], []).extend(change["edits"])
    return found

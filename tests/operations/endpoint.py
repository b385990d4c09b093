"""A provider on this machine: it counts effects, honours keys or not, and can lose an answer."""

from __future__ import annotations

import contextlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Provider", "serve"]


@dataclass
class Provider:
    """What the provider holds, and how it behaves.

    `lost_answers` counts the requests whose effect happens and whose connection then breaks,
    `late_answers` those whose answer waits for `released`, `refusals` those that get a 503 before
    anything happens. A name in `sold_out` gets a 422.
    """

    url: str = ""
    honours_keys: bool = True
    conflict_status: int = 409
    lost_answers: int = 0
    late_answers: int = 0
    refusals: int = 0
    released: threading.Event = field(default_factory=threading.Event)
    sold_out: set[str] = field(default_factory=set)
    effects: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    _answers: dict[str, tuple[object, dict[str, Any]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def standing(self) -> list[dict[str, Any]]:
        """The effects that were not undone."""
        return [effect for effect in self.effects if not effect["is_undone"]]

    def post(self, body: dict[str, Any], key: str | None) -> tuple[int, dict[str, Any]]:
        """Act, or give the answer that the key had."""
        with self._lock:
            self.keys.append(key)
            if self.refusals:
                self.refusals -= 1
                return 503, {"error": {"message": "busy"}}
            if body.get("name") in self.sold_out:
                return 422, {"error": {"message": "sold out"}}
            if key is None or not self.honours_keys:
                return 200, self._act(body)
            if key not in self._answers:
                self._answers[key] = (body, self._act(body))
            first, answer = self._answers[key]
            if first != body:
                error = {
                    "type": "idempotency_error",
                    "message": "the key came with other arguments",
                }
                return self.conflict_status, {"error": error}
            return 200, answer

    def find(self, reference: str) -> list[dict[str, Any]]:
        """The effects of a reference that still stand."""
        with self._lock:
            return [effect for effect in self.standing if effect.get("reference") == reference]

    def undo(self, effect_id: str) -> None:
        """Undo an effect; each time that it is asked for counts."""
        with self._lock:
            for effect in self.effects:
                if effect["id"] == effect_id:
                    effect["is_undone"] = True
                    effect["undos"] += 1

    def loses_answer(self) -> bool:
        """Whether this answer is lost."""
        with self._lock:
            self.lost_answers -= 1
            return self.lost_answers >= 0

    def is_late(self) -> bool:
        """Whether this answer is late."""
        with self._lock:
            self.late_answers -= 1
            return self.late_answers >= 0

    def _act(self, body: dict[str, Any]) -> dict[str, Any]:
        effect = {**body, "id": f"id-{len(self.effects) + 1}", "is_undone": False, "undos": 0}
        self.effects.append(effect)
        return dict(effect)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: Provider

    def handle(self) -> None:
        with contextlib.suppress(ConnectionResetError):
            super().handle()

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        is_json = "json" in self.headers.get("Content-Type", "")
        body = json.loads(text) if is_json else dict(parse_qsl(text))
        status, answer = self.provider.post(body, self.headers.get("Idempotency-Key"))
        if status == 200 and self.provider.loses_answer():
            self.close_connection = True
            return
        if status == 200 and self.provider.is_late():
            self.provider.released.wait(10)
        self._answer(status, answer)

    def do_GET(self) -> None:
        (reference,) = parse_qs(urlsplit(self.path).query)["reference"]
        if self.provider.loses_answer():
            self.close_connection = True
            return
        self._answer(200, self.provider.find(reference))

    def do_DELETE(self) -> None:
        self.provider.undo(self.path.rpartition("/")[2])
        self._answer(200, {})

    def log_message(self, *given: object) -> None:
        """Say nothing: the tests look at the provider."""

    def _answer(self, status: int, answer: object) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve() -> Iterator[Provider]:
    """A provider that answers at its `url` until the generator goes on."""
    provider = Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        provider.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield provider
        server.shutdown()
        thread.join()

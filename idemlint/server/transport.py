"""Messages over standard input and output, read in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Output", "follow_process", "messages", "serve"]

_LOG = logging.getLogger(__name__)
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d+)\s*", re.IGNORECASE)
_MOST_BYTES = 512 * 1024 * 1024
_CHECK_SECONDS = 3.0


def messages(stream: BinaryIO) -> Iterator[bytes]:
    """The bodies of messages, until the stream ends. Whatever is no header is passed over."""
    length = None
    while line := stream.readline(65536):
        found = _LENGTH.fullmatch(line)
        if found is not None:
            length = int(found[1])
        elif not line.strip():
            if length is not None and length <= _MOST_BYTES:
                body = _read(stream, length)
                if len(body) < length:
                    return
                yield body
            elif length is not None:
                _LOG.error("A message of %d bytes is too long and was passed over", length)
                _pass_over(stream, length)
            length = None
        elif b":" not in line:
            _LOG.error("A line is neither a header nor empty: %r", line[:80])


def _read(stream: BinaryIO, length: int) -> bytes:
    parts, left = [], length
    while left:
        part = stream.read(left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _pass_over(stream: BinaryIO, length: int) -> None:
    while length > 0:
        part = stream.read(min(length, 1 << 20))
        if not part:
            return
        length -= len(part)


class Output:
    """Writes messages; a client that went away is no error, its input ends as well."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """Write one message."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._stream.write(data)
            self._stream.flush()

    def close(self) -> None:
        """Write what is left."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._stream.flush()


def serve(stream: BinaryIO, receive: Callable[[bytes], None], start: Callable[[], None]) -> int:
    """Hand on messages until the client says `exit` or goes away; returns the exit code.

    `start` is called on the loop before the first message.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    code = 1

    def read() -> None:
        try:
            for body in messages(stream):
                loop.call_soon_threadsafe(receive, body)
        except (OSError, ValueError) as error:
            _LOG.error("Standard input cannot be read: %s", error)
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)

    loop.call_soon(start)
    threading.Thread(target=read, name="input", daemon=True).start()
    try:
        loop.run_forever()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except KeyboardInterrupt:
        code = 130
    return code


def follow_process(process: int) -> None:
    """End when this process, that of the client, has ended."""

    def watch() -> None:
        while _is_alive(process):
            time.sleep(_CHECK_SECONDS)
        _LOG.info("The client's process %d has ended", process)
        os._exit(1)

    threading.Thread(target=watch, name="client", daemon=True).start()


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        # There a signal of 0 would end the process; the end of the input has to do.
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True

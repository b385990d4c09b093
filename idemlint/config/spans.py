"""Where keys and values stand in a TOML text.

The standard parser gives values without places. A place is needed only for a message, so this
second look is taken only then, and only at a text that the parser has accepted.
"""

from __future__ import annotations

import re

__all__ = ["KeyPath", "Span", "Spans", "locate"]

KeyPath = tuple["str | int", ...]
"""The keys that lead to a value; an integer is the index in an array."""

Span = tuple[int, int]
"""Offsets of the first character and of the one after the last."""

_BLANK = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]+")


class Spans:
    """The places of a text: `keys` holds the last part of each key, `values` what it is set to."""

    def __init__(self) -> None:
        self.keys: dict[KeyPath, Span] = {}
        self.values: dict[KeyPath, Span] = {}

    def key(self, path: KeyPath) -> Span:
        """Where a key stands; the beginning of the text if it is not there."""
        return self.keys.get(path) or self.values.get(path) or (0, 1)

    def value(self, path: KeyPath) -> Span:
        """Where a value stands; its key if it has no place of its own."""
        return self.values.get(path) or self.key(path)


def locate(text: str) -> Spans:
    """The places of a valid TOML text."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.spans = Spans()
        self.table: KeyPath = ()
        self.last_index: dict[KeyPath, int] = {}

    def scan(self) -> Spans:
        self._skip(_GAP)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                self._header()
            else:
                self._pair(self.table)
            self._skip(_GAP)
        return self.spans

    def _skip(self, pattern: re.Pattern[str]) -> None:
        matched = pattern.match(self.text, self.at)
        if matched:
            self.at = matched.end()

    def _header(self) -> None:
        start = self.at
        is_array = self.text.startswith("[[", start)
        self.at += 2 if is_array else 1
        path: KeyPath = ()
        for part, span in self._key_parts():
            path = self._entered((*path, part))
            self.spans.keys.setdefault(path, span)
        if is_array:
            # The name of an array of tables was entered as its newest table; this one is newer.
            if path and isinstance(path[-1], int):
                path = path[:-1]
            index = self.last_index.get(path, -1) + 1
            self.last_index[path] = index
            self.spans.keys.setdefault(path, (start, start + 1))
            self.spans.values.setdefault(path, (start, start + 1))
            path = (*path, index)
        self.at += 2 if is_array else 1
        self.spans.values.setdefault(path, (start, self.at))
        if is_array:
            self.spans.values[path[:-1]] = self.spans.values[(*path[:-1], 0)]
        self.table = path

    def _entered(self, path: KeyPath) -> KeyPath:
        """`path`, and the newest table below it where it is an array of tables."""
        index = self.last_index.get(path)
        return path if index is None else (*path, index)

    def _key_parts(self) -> list[tuple[str, Span]]:
        """The parts of a dotted key, up to the sign behind it."""
        parts: list[tuple[str, Span]] = []
        while True:
            self._skip(_BLANK)
            start = self.at
            quoted = _STRING.match(self.text, start)
            matched = quoted or _BARE_KEY.match(self.text, start)
            if matched is None:
                return parts
            self.at = matched.end()
            name = matched.group()
            # Escapes in a quoted key stay as written: no key of ours needs one.
            parts.append((name[1:-1] if quoted else name, (start, self.at)))
            self._skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def _pair(self, table: KeyPath) -> None:
        start = self.at
        path = table
        for part, span in self._key_parts():
            path = (*path, part)
            self.spans.keys.setdefault(path, span)
        self._skip(_BLANK)
        self.at += 1
        self._skip(_BLANK)
        self._value(path)
        for length in range(len(table) + 1, len(path)):
            self.spans.values.setdefault(path[:length], (start, self.at))

    def _value(self, path: KeyPath) -> None:
        start = self.at
        opening = self.text[start : start + 1]
        if opening == "[":
            self._sequence(path, "]")
        elif opening == "{":
            self._sequence(path, "}")
        else:
            string = _STRING.match(self.text, start)
            bare = string or _BARE_VALUE.match(self.text, start)
            text = bare.group() if bare else ""
            # A bare value runs to the end of its line; a scan never stands still.
            self.at = start + max(len(text if string else text.rstrip()), 1)
        self.spans.values[path] = (start, self.at)

    def _sequence(self, path: KeyPath, closing: str) -> None:
        self.at += 1
        index = 0
        self._skip(_GAP)
        while self.at < len(self.text) and self.text[self.at] != closing:
            if closing == "}":
                self._pair(path)
            else:
                self._value((*path, index))
            index += 1
            self._skip(_GAP)
            if self.text.startswith(",", self.at):
                self.at += 1
                self._skip(_GAP)
        self.at += 1

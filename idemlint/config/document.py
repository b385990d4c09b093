"""A TOML text with its values, and with the place of each of them for messages."""

from __future__ import annotations

import functools
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idemlint.config.errors import TomlError

if TYPE_CHECKING:
    from idemlint.config.spans import KeyPath, Span, Spans

__all__ = ["TomlDocument", "toml_data"]

_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)

_REASONS = {
    "Cannot overwrite a value": "duplicate key",
    "Expected '=' after a key in a key/value pair": "key with no value, expected `=`",
    "Expected ']' at the end of a table declaration": "unclosed table, expected `]`",
    "Expected ']]' at the end of an array declaration": "unclosed array table, expected `]]`",
    "Expected newline or end of document after a statement": (
        "unexpected key or value, expected newline, `#`"
    ),
    'Expected "\'"': "invalid literal string, expected `'`",
    "Expected \"'''\"": "invalid multi-line literal string, expected `'`",
    "Illegal character '\\n'": 'invalid basic string, expected `"`',
    "Invalid initial character for a key part": (
        "invalid unquoted key, expected letters, numbers, `-`, `_`"
    ),
    "Invalid statement": "invalid unquoted key, expected letters, numbers, `-`, `_`",
    "Invalid value": "string values must be quoted, expected literal string",
    "Unclosed array": "unclosed array, expected `]`",
    "Unclosed inline table": "unclosed inline table, expected `}`",
    "Unterminated string": 'invalid basic string, expected `"`',
}
_TWICE = ("Cannot declare", "Cannot overwrite", "Cannot redefine", "Cannot mutate", "Duplicate")
_KEY_AT_START = re.compile(r"\s*\[{0,2}\s*([^\s=\]]+)")


@dataclass(frozen=True, eq=False)
class TomlDocument:
    """A parsed text; `prefix` is the path of the table that holds our keys, empty if all do."""

    text: str
    data: dict[str, Any]
    prefix: KeyPath = ()

    @classmethod
    def parse(cls, text: str, prefix: KeyPath = ()) -> TomlDocument:
        """Read `text`; raises `TomlError`."""
        return cls(text, toml_data(text), prefix)

    @functools.cached_property
    def spans(self) -> Spans:
        """The places of keys and values, found on first use."""
        from idemlint.config.spans import locate

        return locate(self.text)

    def key_error(self, path: KeyPath, reason: str, tip: str = "") -> TomlError:
        """A mistake in the name of a key."""
        return self._error(self.spans.key(path), reason, path[:-1], tip)

    def value_error(self, path: KeyPath, reason: str, tip: str = "") -> TomlError:
        """A mistake in a value."""
        return self._error(self.spans.value(path), reason, path, tip)

    def row(self, path: KeyPath) -> int:
        """The 1-based row on which a value begins."""
        return self.text.count("\n", 0, self.spans.value(path)[0]) + 1

    def _error(self, span: Span, reason: str, path: KeyPath, tip: str) -> TomlError:
        names = [str(part) for part in path[len(self.prefix) :] if isinstance(part, str)]
        return _error_at(self.text, span[0], span[1], reason, ".".join(names), tip)


def toml_data(text: str) -> dict[str, Any]:
    """The values of a TOML text; raises `TomlError`, worded as Ruff words it."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(text, str(error)) from None
    except RecursionError:
        raise _error_at(text, 0, 1, "recursion limit exceeded") from None


def _syntax_error(text: str, message: str) -> TomlError:
    matched = _PLACE.fullmatch(message)
    if matched is None:
        return _error_at(text, 0, 1, message)
    said, row, column = matched.groups()
    offset = _offset(text, int(row), int(column)) if row else len(text.rstrip("\n"))
    if said.startswith(_TWICE):
        return _duplicate(text, offset)
    reason = _REASONS.get(said, said[:1].lower() + said[1:])
    if said == "Unclosed array" and text[offset:].strip():
        reason = "missing comma between array elements, expected `,`"
    return _error_at(text, offset, offset + 1, reason)


def _duplicate(text: str, offset: int) -> TomlError:
    """The parser stops behind the second value; the message points at its key."""
    row_start = text.rfind("\n", 0, max(offset - 1, 0)) + 1
    matched = _KEY_AT_START.match(text, row_start)
    start, end = matched.span(1) if matched else (offset, offset + 1)
    return _error_at(text, start, end, "duplicate key")


def _offset(text: str, row: int, column: int) -> int:
    start = 0
    for _ in range(row - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def _error_at(
    text: str, start: int, end: int, reason: str, context: str = "", tip: str = ""
) -> TomlError:
    row_start = text.rfind("\n", 0, start) + 1
    row_end = text.find("\n", start)
    line = text[row_start : len(text) if row_end < 0 else row_end].rstrip("\r")
    width = max(min(end, row_start + len(line)) - start, 1)
    row = text.count("\n", 0, start) + 1
    return TomlError(row, start - row_start + 1, width, line, reason, context, tip)

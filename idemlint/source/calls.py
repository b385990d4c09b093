"""Which functions of a file call which names, and what it imports, by a look at its bytes."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["calls_by_function", "imported_words", "later_imports", "leading_to"]

_FUNCTION = re.compile(rb"def (\w+)")
_IMPORT = re.compile(rb"import[ \t]+(\([^)]*\)|[^\n]*)")
_SEVERAL = re.compile(rb"import[ \t]+\w[\w.]*(?:[ \t]+as[ \t]+\w+)?[ \t]*,([^\n;#]*)")
_WORD = re.compile(rb"\w+")
_LONGEST_FROM = 200
"""How far before `import` its `from` is looked for, in bytes: rows can be of any length."""
_WORDS_AND_BRACKETS = bytes(
    code if chr(code) in f"({string.ascii_letters}{string.digits}_" else ord(" ")
    for code in range(256)
)
"""Translates everything else to a space. A word before each bracket is found four times as fast so."""


def imported_words(data: bytes) -> set[bytes]:
    """The words of all import statements of a file: names of modules, and what is taken from them."""
    found: set[bytes] = set()
    for match in _IMPORT.finditer(data):
        start = match.start()
        before = data[max(0, start - _LONGEST_FROM) : start].rpartition(b"\n")[2].split()
        if not before or (before[0] == b"from" and len(before) == 2):
            found.update(_WORD.findall(before[1]) if before else (), _WORD.findall(match[1]))
    return found


def later_imports(data: bytes) -> set[bytes]:
    """The packages that `import` statements of several modules name behind the first: `import a, b`."""
    found: set[bytes] = set()
    for match in _SEVERAL.finditer(data):
        start = match.start()
        if not data[data.rfind(b"\n", 0, start) + 1 : start].strip():
            packages = (_WORD.search(part) for part in match[1].split(b","))
            found.update(package[0] for package in packages if package)
    return found


def calls_by_function(data: bytes) -> dict[bytes, set[bytes]]:
    """The names that the functions of a file call, by the names of the functions."""
    found: dict[bytes, set[bytes]] = {}
    words = data.translate(_WORDS_AND_BRACKETS)
    defined = list(_FUNCTION.finditer(data))
    for place, match in enumerate(defined, 1):
        end = defined[place].start() if place < len(defined) else len(data)
        found.setdefault(match[1], set()).update(
            part.rsplit(None, 1)[-1]
            for part in words[match.end() : end].split(b"(")[:-1]
            if part and not part.endswith(b" ")
        )
    return found


def leading_to(acting: set[bytes], calls: Mapping[bytes, set[bytes]]) -> set[bytes]:
    """The functions that call one of `acting`, or a function of the same file that does."""
    found: set[bytes] = set()
    sought = acting
    while sought:
        more = {
            name
            for name, called in calls.items()
            if name not in found and not sought.isdisjoint(called)
        }
        found |= more
        sought = more
    return found

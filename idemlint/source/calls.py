"""Which functions of a file call which names, and what it imports, by a look at its bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["calls_by_function", "imported_words", "leading_to"]

_FUNCTION = re.compile(rb"def (\w+)")
_CALLED = re.compile(rb"\b(\w+)\(")  # from where a word begins: a long one is read once
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE
)
_WORD = re.compile(rb"\w+")


def imported_words(data: bytes) -> set[bytes]:
    """The words of all import statements of a file: names of modules, and what is taken from them."""
    found: set[bytes] = set()
    for module, names in _IMPORT.findall(data):
        found.update(_WORD.findall(module), _WORD.findall(names))
    return found


def calls_by_function(data: bytes) -> dict[bytes, set[bytes]]:
    """The names that the functions of a file call, by the names of the functions."""
    found: dict[bytes, set[bytes]] = {}
    defined = list(_FUNCTION.finditer(data))
    for place, match in enumerate(defined, 1):
        end = defined[place].start() if place < len(defined) else len(data)
        found.setdefault(match[1], set()).update(_CALLED.findall(data, match.end(), end))
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

"""Text from source code and file names, made safe for a terminal and for formats of one line."""

from __future__ import annotations

import re

__all__ = ["NOT_PRINTABLE", "printable"]

NOT_PRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
"""Control characters, line separators, marks that reorder text, and halves of surrogate pairs."""
_DELETE = "\x7f"


def printable(text: str) -> str:
    """`text` with a visible sign of the same length for all that a terminal would act upon.

    A control character becomes its picture (`␛` for escape, `␊` for a newline), all else `�`.
    """
    return NOT_PRINTABLE.sub(_picture, text) if NOT_PRINTABLE.search(text) else text


def _picture(found: re.Match[str]) -> str:
    char = found.group()
    if char == _DELETE:
        return "␡"
    return chr(0x2400 + ord(char)) if char < " " else "\N{REPLACEMENT CHARACTER}"

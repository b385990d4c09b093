"""Names for findings that stay the same while code moves around them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from idemlint.diagnostic import Diagnostic
    from idemlint.output.report import OutputReport
    from idemlint.source.text import SourceText

__all__ = ["fingerprints"]

_HEADER = re.compile(r"[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)")
_DIGITS = 16


def fingerprints(report: OutputReport, paths: Iterable[str]) -> list[str]:
    """One name of 16 hexadecimal digits a finding, different for each; `paths` has theirs.

    It is made of the code, the path, the names of the functions and classes around the finding and
    the text of its first row, never of the row's number. Equal ones are told apart by counting.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for diagnostic, path in zip(report.diagnostics, paths, strict=True):
        parts = (diagnostic.code, path, *_context(diagnostic, report.text_of(diagnostic)))
        names.append(_digest((*parts, str(seen[parts]))))
        seen[parts] += 1
    return names


def _context(diagnostic: Diagnostic, source: SourceText | None) -> tuple[str, str]:
    """The names around a finding and the words of its row; where it cannot be read, its message."""
    if source is None:
        return "", diagnostic.message
    row = diagnostic.range.start.row
    return ".".join(_around(source, row)), " ".join(source.row(row).split())


def _around(source: SourceText, number: int) -> list[str]:
    names: list[str] = []
    limit = _indentation(source.row(number))
    for above in range(number - 1, 0, -1):
        if limit == 0:
            break
        text = source.row(above)
        indentation = _indentation(text)
        if text.strip() and indentation < limit:
            limit = indentation
            header = _HEADER.match(text)
            if header is not None:
                names.append(header.group(1))
    return names[::-1]


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


def _digest(parts: tuple[str, ...]) -> str:
    data = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:_DIGITS]

"""Glob patterns, turned into regular expressions as Ruff's `globset` reads them."""

from __future__ import annotations

import re

__all__ = ["GLOB_SIGNS", "GlobError", "glob_regex", "in_bytes"]

GLOB_SIGNS = frozenset("*?[{}\\")
"""Characters that make a pattern more than a plain name."""


class GlobError(ValueError):
    """A pattern that cannot be read; the message says why."""


def in_bytes(text: str) -> str:
    """A text with one character for each byte: for Ruff, as for git, `?` stands for one of them."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def glob_regex(pattern: str, *, stops_at_separator: bool = False) -> str:
    """The source of a regular expression, to be matched in full against a path with `/`.

    The path has to be given `in_bytes`. Unless `stops_at_separator`, `*`, `?` and sets also match
    `/`. `**` stands for whole components where it is one. Raises `GlobError`.
    """
    return _Translator(in_bytes(pattern), stops_at_separator).translate()


class _Translator:
    def __init__(self, pattern: str, stops_at_separator: bool) -> None:
        self.pattern = pattern
        self.one = "[^/]" if stops_at_separator else "."
        self.stops_at_separator = stops_at_separator
        self.at = 0
        self.depth = 0

    def translate(self) -> str:
        parts = []
        while self.at < len(self.pattern):
            parts.append(self._next())
        if self.depth:
            raise GlobError("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)")
        return "".join(parts)

    def _next(self) -> str:
        sign = self.pattern[self.at]
        if sign == "*":
            return self._stars()
        if sign == "/" and self.pattern.startswith("/**/", self.at):
            self.at += 4
            return "/(?:.*/)?"
        self.at += 1
        if sign == "?":
            return self.one
        if sign == "[":
            return self._set()
        if sign == "\\":
            if self.at == len(self.pattern):
                raise GlobError("dangling '\\'")
            self.at += 1
            return re.escape(self.pattern[self.at - 1])
        return self._brace(sign) if sign in "{}," else re.escape(sign)

    def _brace(self, sign: str) -> str:
        if sign == "{":
            self.depth += 1
            return "(?:"
        if not self.depth:
            if sign == "}":
                raise GlobError(
                    "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)"
                )
            return ","
        if sign == "}":
            self.depth -= 1
            return ")"
        return "|"

    def _stars(self) -> str:
        start = self.at
        while self.pattern.startswith("*", self.at):
            self.at += 1
        starts_component = start == 0 or self.pattern[start - 1] == "/"
        if self.at - start == 2 and starts_component:
            if self.pattern.startswith("/", self.at):
                self.at += 1
                return "(?:.*/)?"
            if self.at == len(self.pattern):
                return ".+" if start else ".*"
        return f"{self.one}*"

    def _set(self) -> str:
        is_negated = self.pattern.startswith(("!", "^"), self.at)
        self.at += is_negated
        # A `]` that comes first is a member.
        end = self.pattern.find("]", self.at + 1)
        if end < 0:
            raise GlobError("unclosed character class; missing ']'")
        members = self.pattern[self.at : end]
        self.at = end + 1
        separator = "(?!/)" if self.stops_at_separator else ""
        return f"{separator}[{'^' if is_negated else ''}{_members(members)}]"


def _members(members: str) -> str:
    """The inside of a set, every sign escaped."""
    parts = []
    at = 0
    while at < len(members):
        low = members[at]
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            high = members[at + 2]
            if low > high:
                raise GlobError(f"invalid range; '{low}' > '{high}'")
            parts.append(f"{re.escape(low)}-{re.escape(high)}")
            at += 3
        else:
            parts.append(re.escape(low))
            at += 1
    return "".join(parts)

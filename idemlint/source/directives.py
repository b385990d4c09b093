"""What the comments that silence findings say: `# noqa`, `# idemlint: …` and their relatives.

The grammar is Ruff's, with `idemlint` in the place of `ruff`. Nothing here knows which rules exist.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.source.comments import Comment

__all__ = ["Code", "Complaint", "Directive", "Form", "directives", "is_our_code", "may_direct"]

_OWN = "idemlint"
_NOQA = re.compile(r"#\s*noqa", re.IGNORECASE)
_FILE_NOQA = re.compile(r"#\s*(?P<tool>idemlint|ruff|flake8)\s*:\s*(?i:noqa)")
_ACTION = re.compile(r"#\s*idemlint\s*:\s*(?P<action>file-ignore|ignore|disable|enable|)")
_FILE_NOQA_ACTION = re.compile(r"#\s*idemlint\s*:\s*(?i:noqa)")
_CODE = re.compile(r"[A-Z]+[0-9]+")
_WORD = re.compile(r"[\w-]+")
_SPACE = re.compile(r"\s*")
_COLON = re.compile(r"\s*:")
_OUR_CODE = re.compile(r"IDM[0-9]+")

_NO_CODES = "expected a comma-separated list of codes (e.g., `# noqa: IDM101, IDM201`)."
_NO_COLON = (
    "expected `:` followed by a comma-separated list of codes (e.g., `# noqa: IDM101, IDM201`)."
)
_BAD_CODE = "expected code to consist of uppercase letters followed by digits only (e.g. `IDM101`)"
_NO_BRACKETS = "missing suppression codes like `[IDM101, ...]`"
_NOT_CLOSED = "missing closing bracket"
_NO_COMMA = "missing comma between codes"
_NO_CODE = "invalid error code"
_TRAILING = "trailing comments are only supported for `idemlint: ignore`"
_NO_ITEM = "expected rule code between commas"
_NO_DELIMITER = "expected comma or space delimiter between codes"
_NOT_BY_ITSELF = (
    ". File-level suppression comments must appear on their own line."
    " For line-level suppression, omit the `{}:` prefix."
)


class Form(enum.Enum):
    """How much a directive silences."""

    ROW = "noqa"
    """The findings of its row."""
    FILE = "file noqa"
    """The whole file, written as a `noqa`."""
    FILE_IGNORE = "file-ignore"
    """The whole file, written in brackets."""
    IGNORE = "ignore"
    """Its row; on a row of its own the logical line that follows."""
    DISABLE = "disable"
    """All up to the `enable` that belongs to it."""
    ENABLE = "enable"
    """Nothing: the end of a `disable`."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code or a rule's name in a directive, with its offsets in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive; without `codes` it silences all rules.

    `start` is the offset of its `#`; `end` lies behind the last code, or behind `noqa`, or with
    brackets behind the reason. `tool` is `idemlint`, `ruff`, `flake8`, or empty for a plain `noqa`.
    """

    form: Form
    tool: str
    comment: Comment
    start: int
    end: int
    codes: tuple[Code, ...] = ()

    @property
    def has_brackets(self) -> bool:
        """Whether its codes stand in brackets; names of rules are then codes, too."""
        return self.form not in (Form.ROW, Form.FILE)

    @property
    def is_own_row(self) -> bool:
        """Whether nothing but space stands before it on its row."""
        return self.comment.is_own_line and self.start == self.comment.start


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with a directive at `start`; the text goes `before` and `after` its place.

    `form` is that of the directive, `None` for one that does not exist.
    """

    form: Form | None
    start: int
    before: str
    after: str

    def message(self, path: str, row: int) -> str:
        """The whole warning, in Ruff's words."""
        return f"{self.before} {path}:{row}{self.after}"


def may_direct(text: str) -> bool:
    """Whether there is any word in `text` without which it holds no directive."""
    return _OWN in text or "noqa" in text.lower()


def is_our_code(text: str) -> bool:
    """Whether `text` has the form of this linter's codes, whether such a rule exists or not."""
    return _OUR_CODE.fullmatch(text) is not None


def directives(text: str, comment: Comment) -> Iterator[Directive | Complaint]:
    """All directives in a comment, and what is wrong with those that do not count.

    Those of other tools are left to them, unless they name our codes.
    """
    start, end = comment.start, comment.end
    if not may_direct(text[start:end]):
        return
    inline = _NOQA.search(text, start, end)
    if inline is not None:
        yield from _noqa(text, comment, inline, Form.ROW, "")
    whole = _FILE_NOQA.search(text, start, end)
    if whole is not None:
        yield from _file_noqa(text, comment, whole)
    for found in _ACTION.finditer(text, start, end):
        if _FILE_NOQA_ACTION.match(text, found.start(), end) is None:
            yield _bracketed(text, comment, found)


def _file_noqa(
    text: str, comment: Comment, found: re.Match[str]
) -> Iterator[Directive | Complaint]:
    tool = found.group("tool")
    concerns_us = tool == _OWN or "IDM" in text[found.start() : comment.end]
    for entry in _noqa(text, comment, found, Form.FILE, tool):
        if isinstance(entry, Complaint):
            if concerns_us:
                yield entry
        elif not comment.is_own_line:
            if concerns_us:
                before = f"Unexpected `# {tool}: noqa` directive at"
                yield Complaint(Form.FILE, entry.start, before, _NOT_BY_ITSELF.format(tool))
        # Without codes Ruff's speaks to Ruff alone; flake8's silences our plugin there anyway.
        elif entry.codes or tool != "ruff":
            yield entry


def _noqa(
    text: str, comment: Comment, found: re.Match[str], form: Form, tool: str
) -> Iterator[Directive | Complaint]:
    """What follows the word `noqa`, which `found` ends with."""
    start, at = found.span()
    invalid = f"Invalid `# {tool}: noqa` directive at" if tool else "Invalid `# noqa` directive on"
    colon = _COLON.match(text, at, comment.end)
    if colon is None:
        if at == comment.end or text[at] == "#" or text[at].isspace():
            yield Directive(form, tool, comment, start, at)
        else:
            yield Complaint(form, start, invalid, f": {_NO_COLON}")
        return
    listed = _listed(text, colon.end(), comment.end)
    if listed.error:
        yield Complaint(form, start, invalid, f": {listed.error}")
        return
    for warning in listed.warnings:
        yield Complaint(form, start, "Missing or joined rule code(s) at", f": {warning}")
    yield Directive(form, tool, comment, start, listed.codes[-1].end, listed.codes)


@dataclass(frozen=True, slots=True)
class _Listed:
    """The codes behind a colon, and what is wrong with them."""

    codes: tuple[Code, ...]
    warnings: tuple[str, ...] = ()
    error: str = ""


def _listed(text: str, at: int, end: int) -> _Listed:
    """The codes from `at` on, in a comment up to `end`; they end at the first word that is none."""
    codes: list[Code] = []
    warnings: list[str] = []
    is_joined = False
    while True:
        at = _after_space(text, at, end)
        if text.startswith(",", at):
            warnings.append(_NO_ITEM)
            at += 1
            continue
        found = _CODE.match(text, at, end)
        if found is None:
            break
        codes.append(Code(found.group(), *found.span()))
        at = found.end()
        following = text[at : min(at + 1, end)]
        is_joined = "A" <= following <= "Z"
        if is_joined:
            warnings.append(_NO_DELIMITER)
        elif following == ",":
            at += 1
        elif following and following != "#" and not following.isspace():
            return _Listed((), error=_BAD_CODE)
    if is_joined:
        return _Listed((), error=_BAD_CODE)
    return _Listed(tuple(codes), tuple(warnings), "" if codes else _NO_CODES)


def _bracketed(text: str, comment: Comment, found: re.Match[str]) -> Directive | Complaint:
    start, action = found.start(), found.group("action")
    if not action:
        return Complaint(None, start, "Invalid `# idemlint` directive at", ": unknown directive")
    invalid = f"Invalid `# idemlint: {action}` directive at"
    codes = _in_brackets(text, found.end(), comment.end)
    if isinstance(codes, str):
        return Complaint(Form(action), start, invalid, f": {codes}")
    end = text.find("#", codes[-1].end, comment.end)
    end = comment.end if end < 0 else end
    directive = Directive(Form(action), _OWN, comment, start, end, codes)
    if directive.form is not Form.IGNORE and not directive.is_own_row:
        return Complaint(Form(action), start, invalid, f": {_TRAILING}")
    return directive


def _in_brackets(text: str, at: int, end: int) -> tuple[Code, ...] | str:
    """The codes and names in brackets, or what is wrong with them."""
    codes: list[Code] = []
    at = _after_space(text, at, end)
    if not text.startswith("[", at):
        return _NO_BRACKETS
    while True:
        at = _after_space(text, at + 1, end)
        if text.startswith("]", at):
            return tuple(codes) or _NO_BRACKETS
        found = _WORD.match(text, at, end)
        if found is None:
            return _NOT_CLOSED if at == end else _NO_CODE
        codes.append(Code(found.group(), *found.span()))
        at = _after_space(text, found.end(), end)
        if text.startswith("]", at):
            return tuple(codes)
        if not text.startswith(",", at):
            return _NOT_CLOSED if at == end else _NO_COMMA


def _after_space(text: str, at: int, end: int) -> int:
    found = _SPACE.match(text, at, end)
    return at if found is None else found.end()

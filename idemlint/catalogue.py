"""The rules and operations, read from the front matter of their pages.

The pages under `rules/` are the registry: nothing about a rule is written anywhere else.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from idemlint.diagnostic import Severity

__all__ = [
    "Operation",
    "PageError",
    "Rule",
    "operations",
    "page_url",
    "rule",
    "rules",
    "rules_folder",
]

_HOME = "https://github.com/idemlint/idemlint/blob/main/rules"
_FENCE = "---\n"
_FIX_LEVELS = ("none", "display", "unsafe", "safe")


class PageError(ValueError):
    """A page whose front matter is wrong; the message names file, line and field."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue; `fix` is the most that its fix can offer.

    `message` and `suggestion` are templates for `str.format`; `page` is the file that explains it.
    """

    code: str
    name: str
    status: str
    since: str
    severity: Severity
    operations: tuple[str, ...]
    fix: str
    summary: str
    message: str
    suggestion: str
    page: Path

    @property
    def is_preview(self) -> bool:
        """Whether the rule runs only with `--preview`."""
        return self.status == "preview"

    @property
    def module(self) -> str:
        """The module below `idemlint.visitors` that flags it."""
        return self.name.replace("-", "_")

    @property
    def url(self) -> str:
        """Where the page can be read."""
        return page_url(self.page)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation pattern: `code` is `OP-1` … `OP-8`."""

    code: str
    name: str
    summary: str
    page: Path


@functools.cache
def rules_folder() -> Path:
    """The folder of pages and rows: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    shipped = package / "rules"
    return shipped if shipped.is_dir() else package.parent / "rules"


@functools.cache
def rules() -> dict[str, Rule]:
    """All rules by code, in the order of their codes."""
    pages = sorted(rules_folder().glob("IDM*.md"))
    return {entry.code: entry for entry in map(_read_rule, pages)}


def rule(code_or_name: str) -> Rule | None:
    """The rule of that code or name, `None` if there is none. Case counts."""
    found = rules().get(code_or_name)
    if found is not None:
        return found
    return next((entry for entry in rules().values() if entry.name == code_or_name), None)


@functools.cache
def operations() -> dict[str, Operation]:
    """All operations by code."""
    found = {}
    for page in sorted((rules_folder() / "operations").glob("OP-*.md")):
        fields = _front_matter(page, {"operation", "name", "summary"})
        code = _text(fields, "operation")
        found[code] = Operation(code, _text(fields, "name"), _text(fields, "summary"), page)
    return found


def page_url(page: Path) -> str:
    """The address of a page of `rules/`."""
    return f"{_HOME}/{page.relative_to(rules_folder()).as_posix()}"


def _read_rule(page: Path) -> Rule:
    known = {field for field in Rule.__dataclass_fields__ if field != "page"}
    fields = _front_matter(page, known)
    fix = _text(fields, "fix")
    if fix not in _FIX_LEVELS:
        raise PageError(f"{page}: `fix` is one of {', '.join(_FIX_LEVELS)}, not `{fix}`")
    listed = fields["operations"]
    return Rule(
        code=_text(fields, "code"),
        name=_text(fields, "name"),
        status=_text(fields, "status"),
        since=_text(fields, "since"),
        severity=Severity(_text(fields, "severity")),
        operations=tuple(listed) if isinstance(listed, list) else (listed,),
        fix=fix,
        summary=_text(fields, "summary"),
        message=_text(fields, "message"),
        suggestion=_text(fields, "suggestion"),
        page=page,
    )


def _text(fields: dict[str, str | list[str]], name: str) -> str:
    value = fields[name]
    if isinstance(value, list):
        raise PageError(f"`{name}` is a text, not a list")
    return value


def _front_matter(page: Path, known: set[str]) -> dict[str, str | list[str]]:
    """The flat `field: value` lines between the two fences; lists are written `[A, B]`."""
    text = page.read_text(encoding="utf-8")
    if not text.startswith(_FENCE) or _FENCE not in text[len(_FENCE) :]:
        raise PageError(f"{page}: no front matter")
    block = text[len(_FENCE) : text.index(_FENCE, len(_FENCE))]
    fields: dict[str, str | list[str]] = {}
    for number, line in enumerate(block.splitlines(), start=2):
        matched = re.fullmatch(r"([a-z_]+): *(.*)", line)
        if matched is None:
            raise PageError(f"{page}:{number}: not a `field: value` line")
        field, value = matched.groups()
        if field not in known:
            raise PageError(f"{page}:{number}: unknown field `{field}`")
        if value.startswith("["):
            fields[field] = [item.strip() for item in value.strip("[]").split(",") if item.strip()]
        else:
            fields[field] = value.strip('"')
    missing = sorted(known - fields.keys())
    if missing:
        raise PageError(f"{page}: no `{missing[0]}` in the front matter")
    return fields

"""IDM001 and IDM002: directives that silence nothing, and codes that do not exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint import catalogue
from idemlint.diagnostic import Applicability, Diagnostic, Edit, Fix
from idemlint.source.directives import is_our_code
from idemlint.source.noqa_edits import delete_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from idemlint.diagnostic import Range
    from idemlint.source.directives import Code, Directive
    from idemlint.source.scopes import Suppression
    from idemlint.source.text import SourceText

__all__ = ["Usage", "unused_suppressions"]

_UNUSED = "IDM001"
_UNKNOWN = "IDM002"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the directives of a file are measured by.

    `reported` are the codes of all findings of the file, silenced or not; `silenced` says which
    entries silenced which codes; `enabled` are the codes that run. Codes that start with a prefix
    in `external` belong to other tools.
    """

    reported: frozenset[str]
    silenced: frozenset[tuple[Suppression, str]]
    enabled: Collection[str]
    external: Sequence[str] = ()

    def is_ours(self, directive: Directive, code: Code) -> bool:
        """Whether the code is ours to judge: all are that stand in our own brackets."""
        if any(code.text.startswith(prefix) for prefix in self.external):
            return False
        return directive.has_brackets or is_our_code(code.text)

    def is_used(self, entry: Suppression, code: str) -> bool:
        """Whether the entry silences a finding, or would if its rule ran."""
        if code not in self.enabled or code in (_UNUSED, _UNKNOWN):
            return True
        is_reported = entry.is_file_level and code in self.reported
        return is_reported or (entry, code) in self.silenced


def unused_suppressions(
    source: SourceText, entries: Iterable[Suppression], usage: Usage
) -> Iterator[Diagnostic]:
    """The findings about `entries`, in the order of their places.

    A directive without codes may serve other tools and is never reported; one for the whole file
    silences these findings, too. A directive that names IDM001 or IDM002 is not asked.
    """
    listed = sorted(entries, key=lambda entry: entry.directive.start)
    if any(entry.is_file_level and not entry.directive.codes for entry in listed):
        return
    for entry in listed:
        names = {code.text for code in entry.directive.codes}
        unknown = _unknown(entry.directive, usage)
        if unknown and _UNKNOWN in usage.enabled:
            if _UNKNOWN not in names:
                yield from (_unknown_code(source, entry, code) for code in unknown)
        elif _UNUSED in usage.enabled and _UNUSED not in names:
            unused, duplicated = _superfluous(entry, usage)
            if unused or duplicated:
                yield _unused_directive(source, entry, unused, duplicated)


def _rule(directive: Directive, code: Code) -> catalogue.Rule | None:
    """The rule that a code of a directive stands for; only in brackets it may have its name."""
    return catalogue.rule(code.text) if directive.has_brackets else catalogue.rules().get(code.text)


def _unknown(directive: Directive, usage: Usage) -> list[Code]:
    return [
        code
        for code in directive.codes
        if usage.is_ours(directive, code) and _rule(directive, code) is None
    ]


def _superfluous(entry: Suppression, usage: Usage) -> tuple[list[Code], list[Code]]:
    """The codes that silence nothing, and those that stand there once more."""
    unused, duplicated = [], []
    seen: set[str] = set()
    for code in entry.directive.codes:
        rule = _rule(entry.directive, code)
        if rule is None or not usage.is_ours(entry.directive, code):
            continue
        if code.text in seen:
            duplicated.append(code)
        elif not usage.is_used(entry, rule.code):
            unused.append(code)
        seen.add(code.text)
    return unused, duplicated


def _unused_directive(
    source: SourceText, entry: Suppression, unused: list[Code], duplicated: list[Code]
) -> Diagnostic:
    directive = entry.directive
    kind = "suppression" if directive.has_brackets else "`noqa` directive"
    detail = "; ".join(
        f"{what}: {', '.join(f'`{code.text}`' for code in codes)}"
        for what, codes in (("unused", unused), ("duplicated", duplicated))
        if codes
    )
    unwanted = [*unused, *duplicated]
    is_whole = len(unwanted) == len(directive.codes)
    named = ", ".join(dict.fromkeys(f"`{code.text}`" for code in unwanted))
    text = source.text[directive.start : directive.end]
    span = source.range(directive.start, directive.start + len(text.rstrip()))
    facts = {"kind": kind, "detail": detail, "part": "the directive" if is_whole else named}
    fix = _fix(source, entry, unwanted, f"Remove unused {kind}")
    return _diagnostic(source, entry, _UNUSED, span, facts, fix)


def _unknown_code(source: SourceText, entry: Suppression, code: Code) -> Diagnostic:
    kind = "suppression" if entry.directive.has_brackets else "`noqa`"
    facts = {"code": code.text, "kind": kind}
    fix = _fix(source, entry, [code], f"Remove `{code.text}`")
    return _diagnostic(source, entry, _UNKNOWN, source.range(code.start, code.end), facts, fix)


def _diagnostic(
    source: SourceText,
    entry: Suppression,
    code: str,
    span: Range,
    facts: dict[str, str],
    fix: Fix,
) -> Diagnostic:
    rule = catalogue.rules()[code]
    return Diagnostic(
        path=source.path,
        range=span,
        code=code,
        name=rule.name,
        message=rule.message.format(**facts),
        severity=rule.severity,
        noqa_row=entry.row,
        url=rule.url,
        suggestion=rule.suggestion.format(**facts),
        fix=fix,
    )


def _fix(source: SourceText, entry: Suppression, unwanted: list[Code], title: str) -> Fix:
    """Take the codes out, of the `enable` as well.

    It is not safe where a whole directive goes that shares its comment with other text: what
    remains may then speak to another tool in a new way.
    """
    numbers = [number for number, code in enumerate(entry.directive.codes) if code in unwanted]
    edits: tuple[Edit, ...] = ()
    is_safe = True
    for directive in filter(None, (entry.directive, entry.enable)):
        codes = [directive.codes[number] for number in numbers]
        edits += delete_codes(source, directive, codes)
        comment = directive.comment
        is_alone = (directive.start, directive.end) == (comment.start, comment.end)
        if directive.has_brackets and len(codes) == len(directive.codes) and not is_alone:
            is_safe = False
    return Fix(title, Applicability.SAFE if is_safe else Applicability.UNSAFE, edits)

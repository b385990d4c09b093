"""Which findings the comments of a file silence, and what to say about those comments."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.source.comments import comments, joined_rows
from idemlint.source.directives import Complaint, Directive, Form, directives, may_direct
from idemlint.source.noqa_edits import insert_codes, insert_noqa
from idemlint.source.scopes import Suppression, scopes
from idemlint.source.unused_suppressions import Usage, unused_suppressions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from idemlint.diagnostic import Diagnostic, Edit, Position
    from idemlint.source.text import SourceText

__all__ = ["Filtered", "Silenced", "Suppressions", "concerns_us"]


@dataclass(frozen=True, slots=True)
class Silenced:
    """A finding that is not shown, and what silenced it."""

    diagnostic: Diagnostic
    suppression: Suppression


@dataclass(frozen=True, slots=True)
class Filtered:
    """The findings of a file that stay, and those that its comments silence, both in order."""

    kept: tuple[Diagnostic, ...]
    silenced: tuple[Silenced, ...] = ()


def concerns_us(text: str) -> bool:
    """Whether a file without findings may still hold a directive that names one of our rules.

    Where this is false there is nothing to filter, to warn of or to report.
    """
    return "idemlint" in text or (("IDM" in text or "idm" in text) and may_direct(text))


@dataclass(frozen=True, eq=False)
class Suppressions:
    """The directives of one file, or of one notebook cell, with the rows that they silence.

    `complaints` are about comments that look like directives and silence nothing.
    """

    source: SourceText
    entries: tuple[Suppression, ...] = ()
    complaints: tuple[Complaint, ...] = ()

    @classmethod
    def of(cls, source: SourceText) -> Suppressions:
        """Read the directives of `source`; it need not parse."""
        if not may_direct(source.text):
            return cls(source)
        found: list[Directive] = []
        complaints: list[Complaint] = []
        for comment in comments(source.text):
            for entry in directives(source.text, comment):
                if isinstance(entry, Complaint):
                    complaints.append(entry)
                else:
                    found.append(entry)
        entries, more = scopes(source, found)
        ordered = sorted([*complaints, *more], key=lambda complaint: complaint.start)
        return cls(source, tuple(entries), tuple(ordered))

    @functools.cached_property
    def file_level(self) -> tuple[Suppression, ...]:
        """The entries that silence the whole file, and so all other cells of a notebook."""
        return tuple(entry for entry in self.entries if entry.is_file_level)

    def warnings(self, path: str) -> tuple[str, ...]:
        """The complaints as warnings, with `path` as it is shown."""
        place = self.source.position
        return tuple(entry.message(path, place(entry.start).row) for entry in self.complaints)

    def noqa_row(self, position: Position) -> int:
        """The row on which a `noqa` silences what starts at `position`.

        It is the row itself, or the last one of those that a string of three quotes or backslashes
        join with it.
        """
        row = position.row
        return next((last for first, last in self._joined if first <= row <= last), row)

    def filter(
        self, diagnostics: Iterable[Diagnostic], inherited: Sequence[Suppression] = ()
    ) -> Filtered:
        """Settle which findings of the file stay.

        What silences the whole file is asked first, then what stands in brackets, then `noqa`; the
        first that silences a finding counts as used. `inherited` is what holds for the whole file
        and stands elsewhere, in other cells of a notebook.
        """
        by_strength = sorted((*self.entries, *inherited), key=_strength)
        kept, silenced = [], []
        for diagnostic in diagnostics:
            entry = next((entry for entry in by_strength if entry.silences(diagnostic)), None)
            if entry is None:
                kept.append(diagnostic)
            else:
                silenced.append(Silenced(diagnostic, entry))
        return Filtered(tuple(kept), tuple(silenced))

    def unused(
        self, filtered: Filtered, *, enabled: Collection[str], external: Sequence[str] = ()
    ) -> tuple[Diagnostic, ...]:
        """The findings about the directives themselves: IDM001 and IDM002, in order.

        `filtered` is the answer of `filter` for all findings of the file. `enabled` are the codes
        that run: a directive for another rule is not unused. Codes that start with a prefix in
        `external` belong to someone else.
        """
        silenced = [(entry.suppression, entry.diagnostic.code) for entry in filtered.silenced]
        reported = (*(entry.code for entry in filtered.kept), *(code for _, code in silenced))
        usage = Usage(frozenset(reported), frozenset(silenced), enabled, external)
        wide = [entry for entry in self.entries if entry.directive.form is not Form.ROW]
        return tuple(
            diagnostic
            for diagnostic in unused_suppressions(self.source, self.entries, usage)
            if not any(entry.silences(diagnostic) for entry in wide)
        )

    def noqa_edits(self, diagnostics: Iterable[Diagnostic], reason: str = "") -> tuple[Edit, ...]:
        """The edits that silence `diagnostics` (findings that stay) by `noqa`, one edit a row."""
        codes: dict[int, set[str]] = {}
        for diagnostic in diagnostics:
            if diagnostic.noqa_row is not None:
                codes.setdefault(diagnostic.noqa_row, set()).add(diagnostic.code)
        return tuple(self._noqa_edit(row, codes[row], reason) for row in sorted(codes))

    def _noqa_edit(self, row: int, codes: set[str], reason: str) -> Edit:
        for entry in self.entries:
            directive = entry.directive
            if directive.form is Form.ROW and entry.row == row and directive.codes:
                return insert_codes(self.source, directive, codes, reason)
        # Only the first `noqa` of a row counts, so a wrong one must not stand before the new one.
        wrong = [
            entry.start
            for entry in self.complaints
            if entry.form is Form.ROW and self.source.position(entry.start).row == row
        ]
        return insert_noqa(self.source, row, codes, reason, wrong[0] if wrong else None)

    @functools.cached_property
    def _joined(self) -> list[tuple[int, int]]:
        return joined_rows(self.source)


def _strength(entry: Suppression) -> int:
    if entry.is_file_level:
        return 0
    return 1 if entry.directive.has_brackets else 2

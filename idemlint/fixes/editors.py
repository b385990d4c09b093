"""The edits of one fix, over all the modules that it changes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability, Fix
from idemlint.fixes.editing import Editor

if TYPE_CHECKING:
    from idemlint.model.program import Module

__all__ = ["Editors"]


class Editors:
    """Editors by module."""

    def __init__(self) -> None:
        self._editors: dict[Module, Editor] = {}
        self._is_shown_only = False

    def show_only(self) -> None:
        """Have the fix shown and not applied: what it asks for is not everywhere at hand."""
        self._is_shown_only = True

    def of(self, module: Module) -> Editor:
        """The editor of a module."""
        made = self._editors.get(module)
        if made is None:
            made = self._editors[module] = Editor(module)
        return made

    def fix(self, message: str, applicability: Applicability) -> Fix | None:
        """The fix that all edits make; `None` if there are none, or if two of them overlap."""
        edits = {edit for editor in self._editors.values() for edit in editor.edits}
        ordered = sorted(edits, key=lambda edit: (str(edit.path), edit.range.start, edit.range.end))
        for before, after in itertools.pairwise(ordered):
            if before.path == after.path and before.range.end > after.range.start:
                return None
        if self._is_shown_only:
            applicability = Applicability.DISPLAY
        return Fix(message, applicability, tuple(ordered)) if ordered else None

"""Cures for conflicts that are sent again (IDM502)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editors import Editors

if TYPE_CHECKING:
    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["raised_conflict"]


def raised_conflict(evidence: Evidence) -> Fix | None:
    """Show the conflict raised where it was sent again."""
    event = evidence.subject
    editors = Editors()
    editor = editors.of(evidence.module)
    statement = event.statement
    if not editor.stands_alone(statement):
        return None
    indent = editor.indent(statement)
    editor.replace(
        editor.line_start(statement),
        editor.line_end(statement),
        f'{indent}raise RuntimeError("this key was used for something else")\n',
    )
    return editors.fix("Raise the conflict", Applicability.DISPLAY)

"""Cures for dedup stores that forget, and for records that come too late (IDM302, IDM303)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editing import indent_of
from idemlint.fixes.editors import Editors
from idemlint.fixes.retries import claim_shown

if TYPE_CHECKING:
    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence

__all__ = ["durable_fix", "pending_fix"]


def durable_fix(evidence: Evidence) -> Fix | None:
    """Show the durable form above the container or the decorator."""
    node, _ = evidence.subject
    editors = Editors()
    editor = editors.of(evidence.module)
    start = evidence.module.source.row_starts[node.lineno - 1]
    indent = indent_of(editor.text, start)
    editor.insert(
        start,
        f"{indent}# keep these keys in a table with the key as its primary key, and claim one by\n"
        f"{indent}# INSERT ... ON CONFLICT DO NOTHING before the effect\n",
    )
    return editors.fix("Keep the keys in a durable store", Applicability.DISPLAY)


def pending_fix(evidence: Evidence) -> Fix | None:
    """Move a record that needs nothing of the effect before it; else show where a claim belongs."""
    occurrence, record = evidence.subject
    effect, late = occurrence.top.event, record.top.event
    if occurrence.top.frame is record.top.frame:
        fix = _moved(effect.statement, late.statement, evidence)
        if fix is not None:
            return fix
    return claim_shown(occurrence.top)


def _moved(effect: ast.stmt, late: ast.stmt, evidence: Evidence) -> Fix | None:
    """The late statement, shown before the effect: its winner alone may go on."""
    if not isinstance(late, ast.Expr) or not isinstance(effect, ast.Expr | ast.Assign):
        return None
    given = {
        n.id for n in ast.walk(effect) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    if any(isinstance(n, ast.Name) and n.id in given for n in ast.walk(late)):
        return None
    editors = Editors()
    editor = editors.of(evidence.module)
    if not editor.stands_alone(late) or not editor.stands_alone(effect):
        return None
    indent, own = editor.indent(effect), editor.indent(late)
    if indent != own:
        return None
    editor.replace(editor.line_start(late), editor.line_end(late), "")
    editor.insert(
        editor.line_start(effect),
        f"{indent}# as pending, and only if it is new; mark it as completed after the effect\n"
        + editor.rows_of(late),
    )
    return editors.fix("Write the record before the effect", Applicability.DISPLAY)

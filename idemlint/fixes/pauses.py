"""Cures for effects that a pause makes run again (IDM201)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editing import last_line_start
from idemlint.fixes.editors import Editors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from idemlint.diagnostic import Fix
    from idemlint.fixes.editing import Editor
    from idemlint.model.evidence import Evidence
    from idemlint.model.program import Function
    from idemlint.model.runs import Occurrence

__all__ = ["moved_fix", "raised_fix"]


def moved_fix(evidence: Evidence, beside: Iterable[Evidence] = ()) -> Fix | None:
    """Move the effect behind the pause, or show how to give it a body of its own.

    What of `beside` stands before the same pause moves along, so that the order stays.
    """
    effect, pause = evidence.subject
    function = effect.top.frame.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    editors = Editors()
    editor = editors.of(function.module)
    move = _move_of(effect, pause, function, editor)
    if move is None:
        return _own_body(function, effect.top.event.node, editors, editor)
    moves = {move.start: move}
    for other in beside:
        along, its_pause = other.subject
        if along.top.frame.function is function and its_pause.top.event is pause.top.event:
            found = _move_of(along, pause, function, editor)
            if found is not None and found.behind is move.behind and "noqa" not in found.rows:
                moves.setdefault(found.start, found)
    ordered = [moves[start] for start in sorted(moves)]
    for each in ordered:
        editor.replace(each.start, each.end, "")
    _insert_rows(editor, move.behind, "".join(each.rows for each in ordered))
    message = "Move the effect behind the pause"
    if len(ordered) > 1:
        message = f"Move {len(ordered)} effects behind the pause"
    return editors.fix(message, Applicability.UNSAFE)


@dataclass(frozen=True, slots=True)
class _Move:
    """Rows between two offsets that can run behind a statement."""

    start: int
    end: int
    rows: str
    behind: ast.stmt


def _move_of(
    effect: Occurrence, pause: Occurrence, function: Function, editor: Editor
) -> _Move | None:
    for block in _blocks(function):
        first = _holding(block, effect.top.event.node)
        second = _holding(block, pause.top.event.node)
        if first is None or second is None or first is second:
            continue
        if _can_move(first, second, block, editor):
            start = _above_comments(editor, first)
            end = editor.line_end(first)
            rows = editor.text[start:end].replace("\r\n", "\n").replace("\r", "\n")
            return _Move(start, end, rows if rows.endswith("\n") else f"{rows}\n", second)
    return None


def raised_fix(evidence: Evidence) -> Fix | None:
    """Raise the framework's own exception again, before the handler that would keep it."""
    handler, pause = evidence.subject
    if not pause.raises:
        return None
    editors = Editors()
    editor = editors.of(evidence.module)
    module, _, name = pause.raises[-1].rpartition(".")
    start = editor.span(handler)[0]
    row = last_line_start(editor.text, start)
    indent = editor.text[row:start]
    if indent.strip():
        return None
    error = editor.add_import(module, name)
    editor.insert(row, f"{indent}except {error}:\n{indent}{editor.step}raise\n")
    return editors.fix(f"Raise `{name}` again before this handler", Applicability.SAFE)


def _blocks(function: Function) -> list[list[ast.stmt]]:
    """The blocks of a body, those of inner statements too."""
    found = [function.body]
    for statement in function.body:
        for node in ast.walk(statement):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    found.append(block)
    return found


def _holding(block: list[ast.stmt], node: ast.AST) -> ast.stmt | None:
    return next((s for s in block if any(inner is node for inner in ast.walk(s))), None)


def _can_move(first: ast.stmt, second: ast.stmt, block: list[ast.stmt], editor: Editor) -> bool:
    """Whether a statement can run behind another one: nothing up to there needs what it gives."""
    if not isinstance(first, ast.Expr | ast.Assign | ast.With | ast.AsyncWith | ast.Try | ast.If):
        return False
    if not isinstance(second, ast.Expr | ast.Assign | ast.AnnAssign):
        return False
    start, end = block.index(first), block.index(second)
    if start >= end or not editor.stands_alone(second) or not _whole_rows(first, editor):
        return False
    if any(
        isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue)
        for node in ast.walk(first)
    ):
        return False
    given = _names(first, ast.Store)
    between = block[start + 1 : end + 1]
    if any(given & _names(statement, ast.Load) for statement in between):
        return False
    needed = _names(first, ast.Load)
    return not any(needed & _names(statement, ast.Store) for statement in between)


def _whole_rows(statement: ast.stmt, editor: Editor) -> bool:
    start, end = editor.span(statement)
    before = editor.text[editor.line_start(statement) : start]
    rest = editor.text[end : editor.line_end(statement)].strip()
    return not before.strip() and (not rest or rest.startswith("#"))


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def _above_comments(editor: Editor, statement: ast.stmt) -> int:
    """The offset of the comments right above a statement, which speak of it."""
    text, at = editor.text, editor.line_start(statement)
    indent = editor.indent(statement)
    while at:
        before = last_line_start(text, at - (2 if text.endswith("\r\n", 0, at) else 1))
        if not text.startswith(f"{indent}#", before):
            break
        at = before
    return at


def _insert_rows(editor: Editor, statement: ast.stmt, rows: str) -> None:
    end = editor.line_end(statement)
    if end and editor.text[end - 1] not in "\r\n":
        rows = "\n" + rows.rstrip("\n")
    editor.insert(end, rows)


def _own_body(function: Function, node: ast.AST, editors: Editors, editor: Editor) -> Fix | None:
    """Show the effect in a function of its own, to be made a node that runs before or after."""
    statement = _smallest(function, node)
    if statement is None or not _whole_rows(statement, editor):
        return None
    outer = function.node
    assert isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
    indent = editor.indent(outer)
    keyword = "async def" if isinstance(outer, ast.AsyncFunctionDef) else "def"
    parameters = editor.parameters_of(function)
    own = editor.indent(statement)
    body = "".join(
        f"{indent}    {row[len(own) :]}" if row.startswith(own) else row
        for row in editor.rows_of(statement).splitlines(keepends=True)
    )
    name = f"{function.name}_effect"
    editor.insert(editor.line_start(outer), f"{indent}{keyword} {name}({parameters}):\n{body}\n\n")
    editor.replace(editor.line_start(statement), editor.line_end(statement), f"{own}pass\n")
    return editors.fix(f"Give the effect a node of its own, `{name}`", Applicability.DISPLAY)


_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.AugAssign)


def _smallest(function: Function, node: ast.AST) -> ast.stmt | None:
    found: ast.stmt | None = None
    for statement in ast.walk(function.node):
        if isinstance(statement, _SIMPLE) and node in ast.walk(statement):
            found = statement
    return found

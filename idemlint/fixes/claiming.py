"""A claim of the key before the effect: the first call with it goes on, each later one fails.

For effects whose receiver takes no key. The claims are rows of a SQLite file; a crash behind the
claim leaves the effect undone rather than done twice.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from idemlint.fixes.once import run_through

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.fixes.editing import Editor
    from idemlint.fixes.editors import Editors
    from idemlint.model.entries import Entry
    from idemlint.model.program import Function
    from idemlint.model.runs import Occurrence

__all__ = ["claim_first"]

_SUMMARY = "Let the first call with a key go on; each later one fails."
_PLAIN_NAME = re.compile(r"[\w ./-]+")
_NAMES = ("claim", "claim_key", "claim_call")


def claim_first(
    entry: Entry,
    key: str,
    effects: Sequence[Occurrence],
    editors: Editors,
    *,
    block: Sequence[ast.stmt] | None = None,
    operation: str = "",
) -> bool:
    """Claim `key` before the first of the effects of a tool; false where there is no place for it.

    Without effects the claim is the first thing that the body does. `key` is an expression. `block`
    is what runs for the tool alone, where its function runs others, too. A project that has the
    module of an operation runs the effects through it.
    """
    function = entry.function
    if function is None or isinstance(function.node, ast.Lambda):
        return False
    editor = editors.of(function.module)
    statement = _first_act(function, function.body if block is None else block, effects, editor)
    if statement is None or not editor.stands_alone(statement) or not _is_plain(function):
        return False
    prefix = _prefix(entry, function, is_shared=block is not None)
    if effects and run_through(function, statement, key, prefix, operation, editors):
        return True
    name = _helper(editor)
    if name is None:
        return False
    inside = key.replace('"', "'")
    editor.insert_before(statement, f'{name}(f"{prefix}:{{{inside}}}")')
    return True


def _prefix(entry: Entry, function: Function, *, is_shared: bool) -> str:
    """What tells the keys of one tool from those of another: its name, or that of its function."""
    if entry.name.isidentifier() or (is_shared and _PLAIN_NAME.fullmatch(entry.name)):
        return entry.name
    return function.name


def _is_plain(function: Function) -> bool:
    """Whether the body runs when the function is called: a generator runs later, and in parts."""
    return not any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function.node))


def _first_act(
    function: Function,
    block: Sequence[ast.stmt],
    effects: Sequence[Occurrence],
    editor: Editor,
) -> ast.stmt | None:
    """The first statement in which an effect runs, or the first one behind the docstring.

    Effects that one branch holds are claimed there: the other branch may only read.
    """
    body = [s for number, s in enumerate(block) if number or not _is_text(s)]
    wanted = {id(o.top.event.statement) for o in effects if o.top.frame.function is function}
    if not wanted:
        return body[0] if body else None
    found: ast.stmt | None = None
    while True:
        acting = [s for s in body if any(id(node) in wanted for node in ast.walk(s))]
        if not acting:
            return found
        first = acting[0]
        if not _is_elif(first, editor):
            found = first
        if len(acting) > 1 or id(first) in wanted or not isinstance(first, ast.If):
            return found
        inner = [part for part in (first.body, first.orelse) if _holds(part, wanted)]
        if len(inner) != 1:
            return found
        body = inner[0]


def _holds(statements: Sequence[ast.stmt], wanted: set[int]) -> bool:
    return any(id(node) in wanted for statement in statements for node in ast.walk(statement))


def _is_elif(statement: ast.stmt, editor: Editor) -> bool:
    """Whether a statement is the `elif` of another one: no row can stand before it."""
    return editor.code(statement).startswith("elif")


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _helper(editor: Editor) -> str | None:
    """The name of the function that claims; it is added before the first definition of the module."""
    first: ast.stmt | None = None
    for statement in editor.module.statements():
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = first or statement
            if isinstance(statement, ast.FunctionDef) and ast.get_docstring(statement) == _SUMMARY:
                return statement.name
    if first is None:
        return None
    name = next((n for n in _NAMES if not re.search(rf"\b{n}\b", editor.text)), None)
    if name is None:
        return None
    environ = editor.add_import("os", "environ")
    closing = editor.add_import("contextlib", "closing")
    connect = editor.add_import("sqlite3", "connect")
    step = editor.step
    rows = [
        f"def {name}(key: str) -> None:",
        f'{step}"""{_SUMMARY}"""',
        f'{step}path = {environ}.get("IDEMPOTENCY_DATABASE", "idempotency.sqlite3")',
        f"{step}with {closing}({connect}(path, isolation_level=None)) as db:",
        f'{step * 2}db.execute("CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY)")',
        f'{step * 2}if not db.execute("INSERT OR IGNORE INTO claims VALUES (?)", (key,)).rowcount:',
        f'{step * 3}raise RuntimeError(f"{{key}} was used before: look up what that call did")',
        "",
        "",
    ]
    editor.insert(_above_comments(editor, first), "".join(f"{row}\n" for row in rows))
    return name


def _above_comments(editor: Editor, statement: ast.stmt) -> int:
    """The offset of a statement's first row, or of the comments that stand right above it."""
    text = editor.text
    at = editor.line_start(statement)
    while at:
        before = max(text.rfind("\n", 0, at - 1), text.rfind("\r", 0, at - 1)) + 1
        if not text[before:at].startswith("#"):
            break
        at = before
    return at

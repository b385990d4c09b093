"""Cures for races of a check and an insert (IDM301): the store's atomic form."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.callers import is_called_only_by
from idemlint.fixes.editors import Editors
from idemlint.fixes.losing import Loser
from idemlint.model.deeds import argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from idemlint.diagnostic import Fix
    from idemlint.fixes.editing import Editor
    from idemlint.model.deeds import Deed
    from idemlint.model.evidence import Evidence
    from idemlint.model.model import Model
    from idemlint.model.runs import Occurrence

__all__ = ["atomic_fix", "lost_test"]


def atomic_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Let the insert itself decide, by the atomic form that its store has.

    Where the winner goes on to act, or answers something else, the loser leaves as the check does;
    where it cannot be told how, the fix is only shown.
    """
    insert, check = evidence.subject
    deed: Deed = insert.deed
    store = deed.store
    assert store is not None
    editors = Editors()
    editor = editors.of(deed.place.frame.module)
    if _serves_others(insert, model):
        editors.show_only()
    loser = Loser(insert, check, model)
    lines = loser.leaves(editor) if loser.matters else []
    write = _FORMS.get(store.atomic_form)
    message = write(deed, check.deed, editor, model) if write is not None else ""
    if not message:
        return _caught(deed, editor, editors, lines)
    is_sure = True
    if loser.matters and not store.raises:
        is_sure = bool(lines) and _told_apart(deed, editor, lines or [])
    return editors.fix(message, Applicability.UNSAFE if is_sure else Applicability.DISPLAY)


def _serves_others(insert: Occurrence, model: Model) -> bool:
    """Whether the helper that inserts is called elsewhere, too, where it may have to overwrite."""
    for hop in insert.hops[1:]:
        call = hop.frame.call
        if call is None or hop.frame.function is None or not isinstance(call.node, ast.Call):
            return True
        if not is_called_only_by(call.node, hop.frame.function, model):
            return True
    return False


def _told_apart(deed: Deed, editor: Editor, lines: list[str]) -> bool:
    """Ask what the atomic form says, and leave if another run was first; false if it says nothing.

    A cursor has the number of rows itself; other results are asked as the store's row says.
    """
    statement, func = deed.place.statement, deed.call.func
    if statement is None or not _is_statement(deed) or not isinstance(func, ast.Attribute):
        return False
    receiver = editor.code(func.value)
    rows = [f"{editor.step}{line}" for line in lines]
    test = lost_test(deed)
    if test is None:
        return False
    if deed.store is not None and deed.store.kind == "sql-text":
        if func.attr.startswith("fetch") or "executemany" in func.attr:
            return False
        is_cursor = "cursor" in deed.path.lower() or receiver.lower().startswith("cur")
        if is_cursor:
            editor.insert_after(statement, f"if not {receiver}.rowcount:", *rows)
            return True
    before, _, after = test.partition("{}")
    assert isinstance(statement, ast.Expr)
    is_awaited = isinstance(statement.value, ast.Await)
    start, end = editor.span(statement.value)
    opening, closing = ("(", ")") if is_awaited and after else ("", "")
    editor.insert(start, f"if {before}{opening}")
    editor.insert(end, f"{closing}{after}:")
    editor.insert_after(statement, *rows)
    return True


def lost_test(deed: Deed) -> str | None:
    """What the result of an atomic write, `{}`, is asked; `None` where it does not tell."""
    func = deed.call.func
    name = func.attr if isinstance(func, ast.Attribute) else ""
    for lost in deed.store.lost if deed.store is not None else ():
        if (not lost.call or name in lost.call) and (
            not lost.library or any(library in deed.path for library in lost.library)
        ):
            return lost.test
    return None


def _sql(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    """`… ON CONFLICT (columns) DO NOTHING` behind the text; MySQL has `INSERT IGNORE`."""
    sql = deed.sql
    text = argument(deed.call, (0, "sql", "query", "statement", "operation"))
    if sql is None or text is None:
        return ""
    constant = _text_node(text, deed, model)
    if constant is None:
        return ""
    start, end = editor.span(constant)
    code = editor.text[start:end]
    ignores = deed.store.ignores if deed.store is not None else ()
    if any(word in deed.path.lower() for word in ignores):
        changed = re.sub(r"(?i)\binsert\s+into\b", "INSERT IGNORE INTO", code, count=1)
        if changed == code:
            return ""
        editor.replace(start, end, changed)
        return "Let `INSERT IGNORE` decide (needs a unique constraint)"
    asked = [column for column in (check.sql.asked if check.sql else ()) if column in sql.columns]
    columns = ", ".join(dict.fromkeys(asked))
    if not columns or sql.role == "upsert":
        return ""
    closing = re.search(r"[\s;]*(\"\"\"|'''|\"|')$", code)
    if closing is None:
        return ""
    editor.insert(start + closing.start(), f" ON CONFLICT ({columns}) DO NOTHING")
    return f"Let `ON CONFLICT DO NOTHING` decide (needs UNIQUE ({columns}))"


def _text_node(node: ast.expr, deed: Deed, model: Model) -> ast.Constant | None:
    """The text of a statement, where it is written as one string."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node
    return None


def _django(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    """`create(…)` becomes `get_or_create(…)`, by the fields that were looked up."""
    func = deed.call.func
    if (
        not isinstance(func, ast.Attribute)
        or func.attr not in ("create", "acreate")
        or deed.call.args
    ):
        return ""
    asked = _asked_keywords(check)
    keywords = {k.arg: k for k in deed.call.keywords}
    if None in keywords or not asked or not asked <= keywords.keys():
        return ""
    given = [f"{name}={editor.code(keywords[name].value)}" for name in keywords if name in asked]
    others = [
        f'"{name}": {editor.code(keywords[name].value)}' for name in keywords if name not in asked
    ]
    if others:
        given.append(f"defaults={{{', '.join(others)}}}")
    name = "aget_or_create" if func.attr == "acreate" else "get_or_create"
    call = f"{editor.code(func.value)}.{name}({', '.join(given)})"
    node: ast.expr = deed.call
    if not _is_statement(deed):
        call = f"(await {call})[0]" if name.startswith("a") else f"{call}[0]"
        if name.startswith("a"):
            return ""
    editor.replace_node(node, call)
    return f"Use `{name}` (needs a unique constraint on {', '.join(sorted(asked))})"


def _asked_keywords(check: Deed) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(check.call):
        if isinstance(node, ast.Call):
            found.update(
                k.arg for k in node.keywords if k.arg and "__" not in k.arg and k.arg != "pk"
            )
    return found


def _is_statement(deed: Deed) -> bool:
    statement = deed.place.statement
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return value is deed.call or (isinstance(value, ast.Await) and value.value is deed.call)


def _mongo(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    """`insert_one(d)` becomes an upsert that only sets on insert."""
    func = deed.call.func
    if not isinstance(func, ast.Attribute) or func.attr != "insert_one" or not deed.call.args:
        return ""
    if not _is_statement(deed) or not check.call.args:
        return ""
    asked, document = check.call.args[0], deed.call.args[0]
    if not isinstance(asked, ast.Dict):
        return ""
    wanted = _same_entries(asked, document, deed, model, editor)
    if not wanted:
        return ""
    others = "".join(f", {editor.code(k)}" for k in deed.call.keywords)
    editor.replace_node(
        deed.call,
        f"{editor.code(func.value)}.update_one("
        f'{wanted}, {{"$setOnInsert": {editor.code(document)}}}, upsert=True{others})',
    )
    return "Let an upsert with `$setOnInsert` decide (needs a unique index)"


def _same_entries(
    asked: ast.Dict, document: ast.expr, deed: Deed, model: Model, editor: Editor
) -> str:
    """What was asked for, with the values that the new document has; empty if it lacks one."""
    place = replace(deed.place, node=document)
    mapping = model.values.mapping(place)
    parts = []
    for key in asked.keys:
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return ""
        entries = mapping.get(key.value)
        if not entries or entries[0].value.frame is not deed.place.frame:
            return ""
        parts.append(f'"{key.value}": {editor.code(entries[0].value.node)}')
    return f"{{{', '.join(parts)}}}"


def _redis(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    func = deed.call.func
    if not isinstance(func, ast.Attribute):
        return ""
    if func.attr == "set":
        editor.add_keyword(deed.call, "nx", "True")
        return "Let `nx=True` decide"
    if func.attr in ("setex", "psetex") and len(deed.call.args) == 3:
        key, seconds, value = map(editor.code, deed.call.args)
        unit = "px" if func.attr == "psetex" else "ex"
        editor.replace_node(
            deed.call, f"{editor.code(func.value)}.set({key}, {value}, {unit}={seconds}, nx=True)"
        )
        return "Let `nx=True` decide"
    if func.attr == "hset" and len(deed.call.args) == 3 and not deed.call.keywords:
        editor.replace_node(
            deed.call,
            f"{editor.code(func.value)}.hsetnx({', '.join(map(editor.code, deed.call.args))})",
        )
        return "Let `hsetnx` decide"
    return ""


def _dynamodb(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    """A condition on the first attribute of the key that was looked up."""
    key = argument(check.call, ("Key",))
    if not isinstance(key, ast.Dict) or not key.keys or not isinstance(key.keys[0], ast.Constant):
        return ""
    if argument(deed.call, ("ConditionExpression",)) is not None:
        return ""
    name = key.keys[0].value
    if not isinstance(name, str):
        return ""
    editor.add_keyword(deed.call, "ConditionExpression", f'"attribute_not_exists({name})"')
    return "Let `ConditionExpression` decide"


def _keyword(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    """The argument that the store has for it, in the calls that have a form with an argument."""
    func, store = deed.call.func, deed.store
    assert store is not None
    methods = {form.call.rpartition(".")[2] for form in store.forms}
    if not isinstance(func, ast.Attribute) or func.attr not in methods:
        return ""
    name, _, value = store.atomic_argument.partition("=")
    for keyword in deed.call.keywords:
        if keyword.arg == name:
            editor.replace_node(keyword.value, value)
            return f"Let `{name}={value}` decide"
    editor.add_keyword(deed.call, name, value)
    return f"Let `{name}={value}` decide"


def _firestore(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    func = deed.call.func
    if not isinstance(func, ast.Attribute) or func.attr != "set" or len(deed.call.args) != 1:
        return ""
    if deed.call.keywords:
        return ""
    end = editor.span(func)[1]
    editor.replace(end - len(func.attr), end, "create")
    return "Let `create` decide"


def _file(deed: Deed, check: Deed, editor: Editor, model: Model) -> str:
    """Mode `x` creates a file only if it is not there."""
    func = deed.call.func
    if isinstance(func, ast.Attribute) and func.attr in ("write_text", "write_bytes"):
        return _written_file(deed, func, editor)
    if isinstance(func, ast.Attribute) and func.attr == "touch":
        if argument(deed.call, ("exist_ok",)) is not None:
            return ""
        editor.add_keyword(deed.call, "exist_ok", "False")
        return "Let `touch` fail if the file is there"
    number = 0 if isinstance(func, ast.Attribute) and "pathlib" in deed.path else 1
    mode = argument(deed.call, (number, "mode"))
    if not isinstance(mode, ast.Constant) or not isinstance(mode.value, str):
        return ""
    changed = mode.value.replace("w", "x").replace("a", "x")
    code = editor.code(mode)
    editor.replace_node(mode, code.replace(mode.value, changed))
    return "Open the file with mode `x`"


def _written_file(deed: Deed, func: ast.Attribute, editor: Editor) -> str:
    statement = deed.place.statement
    if not _is_statement(deed) or statement is None or not editor.stands_alone(statement):
        return ""
    if len(deed.call.args) != 1 or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Await)
    ):
        return ""
    mode = "xb" if func.attr == "write_bytes" else "x"
    options = "".join(f", {editor.code(k)}" for k in deed.call.keywords)
    inner = editor.indent(statement) + editor.step
    editor.replace_node(
        statement,
        f'with {editor.code(func.value)}.open("{mode}"{options}) as file:\n'
        f"{inner}file.write({editor.code(deed.call.args[0])})",
    )
    return "Open the file with mode `x`"


def _caught(deed: Deed, editor: Editor, editors: Editors, lines: list[str] | None) -> Fix | None:
    """An insert through a session, with the unique violation caught; `lines` is what follows."""
    statement = deed.place.statement
    func = deed.call.func
    if (
        deed.store is None
        or deed.store.atomic_form != "savepoint"
        or statement is None
        or not _is_statement(deed)
        or not editor.stands_alone(statement)
        or not isinstance(func, ast.Attribute)
        or func.attr not in ("add", "merge", "add_all", "execute", "exec")
    ):
        return None
    is_async = "asyncio" in deed.path or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Await)
    )
    session = editor.code(func.value)
    module, _, name = deed.store.violation[0].rpartition(".")
    error = editor.add_import(module, name)
    prefix = "async " if is_async else ""
    indent = editor.indent(statement)
    inner = indent + editor.step
    follows = "".join(f"\n{inner}{line}" if line else "\n" for line in lines or ["pass"])
    editor.replace_node(
        statement,
        f"try:\n{inner}{prefix}with {session}.begin_nested():\n"
        f"{inner}{editor.step}{editor.code(statement)}\n"
        f"{indent}except {error}:  # another run was first{follows}",
    )
    return editors.fix(
        "Let the unique constraint decide (the table needs one)",
        Applicability.DISPLAY if lines is None else Applicability.UNSAFE,
    )


_FORMS: dict[str, Callable[[Deed, Deed, Editor, Model], str]] = {
    "on-conflict": _sql,
    "get-or-create": _django,
    "set-on-insert": _mongo,
    "nx": _redis,
    "condition-expression": _dynamodb,
    "create": _firestore,
    "keyword": _keyword,
    "exclusive-mode": _file,
}

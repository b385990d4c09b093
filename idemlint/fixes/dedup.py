"""Cures for dedup stores that forget, and for records that come too late (IDM302, IDM303)."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editing import indent_of
from idemlint.fixes.editors import Editors
from idemlint.fixes.once import run_through
from idemlint.fixes.retries import claim_shown, scaffold_of
from idemlint.fixes.stores import lost_test
from idemlint.model.guards import Polarity
from idemlint.scaffold import CALLS

if TYPE_CHECKING:
    from idemlint.diagnostic import Fix
    from idemlint.fixes.editing import Editor
    from idemlint.model.evidence import Evidence
    from idemlint.model.model import Model
    from idemlint.model.program import Function
    from idemlint.model.runs import Hop, Occurrence

__all__ = ["durable_fix", "pending_fix"]


def durable_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Run the effect through the project's own module; without one, show the durable form."""
    node, occurrence = evidence.subject
    fix = (
        _through_module(occurrence, evidence, model, tuple(CALLS.values()))
        if occurrence is not None
        else None
    )
    if fix is not None:
        return fix
    editors = Editors()
    editor = editors.of(evidence.module)
    start = evidence.module.source.row_starts[node.lineno - 1]
    indent = indent_of(editor.text, start)
    editor.insert(
        start,
        f"{indent}# keep these keys in a table with the key as its primary key, and claim one by\n"
        f"{indent}# INSERT ... ON CONFLICT DO NOTHING before the effect\n"
        f"{indent}# (`idemlint scaffold {scaffold_of(evidence)}` writes a module that does this)\n",
    )
    return editors.fix("Keep the keys in a durable store", Applicability.DISPLAY)


def pending_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Move a record that needs nothing of the effect before it; else show where a claim belongs.

    It is applied where the record tells the one run that wrote it from all others.
    A project that has the module of an operation runs the effect through it.
    """
    occurrence, record = evidence.subject
    # behind a checkpoint the record would still be checked and inserted in two steps
    through = _through_module(occurrence, evidence, model, ("run_once",))
    if through is not None:
        return through
    if occurrence.top.frame is record.top.frame:
        fix = _moved(occurrence, record, model)
        if fix is not None:
            return fix
    return claim_shown(occurrence.top, evidence)


def _through_module(
    occurrence: Occurrence, evidence: Evidence, model: Model, calls: tuple[str, ...]
) -> Fix | None:
    """The rest of the body from the effect on, run once for its key."""
    hop = occurrence.top
    function = hop.frame.function
    key = _key_in(function, hop, model) if function is not None else None
    if function is None or key is None:
        return None
    tool = function.name
    editors = Editors()
    if not run_through(
        function, hop.event.statement, key, tool, evidence.operation, editors, calls=calls
    ):
        return None
    return editors.fix(f"Run the effect once for each `{key}`", Applicability.UNSAFE)


def _key_in(function: Function, hop: Hop, model: Model) -> str | None:
    """The parameter that is the key by its name, or that the body looks for among those seen."""
    texts = [
        arg.arg
        for arg in function.parameters
        if arg.annotation is None or ast.unparse(arg.annotation) == "str"
    ]
    for name in texts:
        if model.knowledge.is_key_name(name):
            return name
    for condition in hop.event.conditions:
        for node in ast.walk(condition.node):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                if isinstance(node.left, ast.Name) and node.left.id in texts:
                    return node.left.id
    return None


def _moved(occurrence: Occurrence, record: Occurrence, model: Model) -> Fix | None:
    """The late statement before the effect, with the end of the transaction behind it."""
    effect, late = occurrence.top.event.statement, record.top.event.statement
    function = occurrence.top.frame.function
    if not isinstance(late, ast.Expr) or not isinstance(effect, ast.Expr | ast.Assign):
        return None
    editors = Editors()
    editor = editors.of(occurrence.top.frame.module)
    block = _block_with(effect, function) if function is not None else []
    between: list[ast.stmt] = [effect]
    if late in block:
        between = block[block.index(effect) : block.index(late)]
    if any(isinstance(n, ast.Name) and n.id in _bound(between) for n in ast.walk(late)):
        return None
    if not editor.stands_alone(late) or not editor.stands_alone(effect):
        return None
    indent = editor.indent(effect)
    if indent != editor.indent(late):
        return None
    ending = _commit_behind(late, block)
    rows = editor.rows_of(late)
    last = late if ending is None else ending
    commit = "" if ending is None else editor.rows_of(ending)
    claimed = None
    if late in block and len(record.hops) == 1 and editor.stands_alone(last):
        leave = _way_out(occurrence, block, model, editor)
        claimed = _claiming(record, rows, leave, is_ended=ending is not None, model=model)
    editor.replace(editor.line_start(late), editor.line_end(late if claimed is None else last), "")
    if claimed is not None:
        editor.insert(editor.line_start(effect), claimed + commit)
        return editors.fix("Write the record before the effect", Applicability.UNSAFE)
    note = "as pending, and only if it is new; mark it as completed after the effect"
    editor.insert(editor.line_start(effect), f"{indent}# {note}\n{rows}")
    return editors.fix("Write the record before the effect", Applicability.DISPLAY)


def _bound(statements: list[ast.stmt]) -> set[str]:
    return {
        n.id
        for statement in statements
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _block_with(statement: ast.stmt, function: Function) -> list[ast.stmt]:
    """The block that a statement stands in."""
    for node in ast.walk(function.node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and statement in block:
                return block
    return []


def _commit_behind(late: ast.stmt, block: list[ast.stmt]) -> ast.stmt | None:
    """The statement that ends the transaction of a record, right behind it."""
    number = block.index(late) + 1 if late in block else len(block)
    behind = block[number] if number < len(block) else None
    value = behind.value if isinstance(behind, ast.Expr) else None
    call = value.value if isinstance(value, ast.Await) else value
    is_commit = isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "commit"
    return behind if is_commit else None


def _way_out(
    occurrence: Occurrence, block: list[ast.stmt], model: Model, editor: Editor
) -> list[str]:
    """How the body leaves where its check finds the record, one level in; empty if it does not."""
    hop = occurrence.top
    for statement in reversed(block[: block.index(hop.event.statement)]):
        if not isinstance(statement, ast.If) or statement.orelse or len(statement.body) != 1:
            continue
        out = statement.body[0]
        is_constant = isinstance(out, ast.Return) and (
            out.value is None or isinstance(out.value, ast.Constant)
        )
        if not is_constant and not isinstance(out, ast.Continue | ast.Raise):
            continue
        for condition in hop.event.conditions:
            if condition.node is statement.test and model.guards.may_say(
                condition, hop.frame, Polarity.ABSENT
            ):
                return [editor.code(out)]
    return []


def _claiming(
    record: Occurrence, rows: str, leave: list[str], *, is_ended: bool, model: Model
) -> str | None:
    """The rows of a record that lets one run alone go on; `None` where its form does not tell."""
    deed = record.deed
    store = deed.store
    statement = record.top.event.statement
    if store is None or re.search(r"""["'](?:completed?|done|sent|finished|success)["']""", rows):
        return None
    is_sql = store.kind in ("sql", "sql-text")
    if is_sql and not is_ended:
        return None
    lacks_condition = store.atomic_form == "nx" and _sets_plainly(deed.call)
    if deed.role != "atomic" and not lacks_condition:
        return rows if deed.role == "insert" and model.has_unique(deed, None) else None
    if store.raises:
        return rows
    value = statement.value if isinstance(statement, ast.Expr) else None
    if value is not deed.call or not leave or not isinstance(deed.call.func, ast.Attribute):
        return None
    test = lost_test(deed)
    if test is None or (store.kind == "sql-text" and deed.call.func.attr != "execute"):
        return None
    indent = indent_of(rows, 0)
    code = rows[len(indent) :].rstrip("\n")
    if "#" in code.rpartition(")")[2]:
        return None
    if lacks_condition:
        code = f"{code[:-1].rstrip().rstrip(',')}, nx=True)"
    step = "\t" if indent.startswith("\t") else "    "
    return f"{indent}if {test.format(code)}:\n" + "".join(
        f"{indent}{step}{line}\n" for line in leave
    )


def _sets_plainly(call: ast.Call) -> bool:
    """`set(key, value)` without a condition."""
    names = {keyword.arg for keyword in call.keywords}
    return getattr(call.func, "attr", "") == "set" and names.isdisjoint({"nx", "xx", None})

"""Letting a tool or task take its key from the caller, and handing it down to its use."""

from __future__ import annotations

import ast
import itertools
import re
from typing import TYPE_CHECKING

from idemlint.fixes.callers import is_called_only_by, is_filled_by_place, pass_on
from idemlint.fixes.editing import indent_of, last_line_start
from idemlint.model.flow import last_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.fixes.editing import Editor
    from idemlint.fixes.editors import Editors
    from idemlint.model.entries import Entry, ToolParameter
    from idemlint.model.model import Model
    from idemlint.model.program import Function
    from idemlint.model.symbols import Frame

__all__ = ["DESCRIPTION", "KEY", "add_key", "hand_down", "take_key"]

KEY = "idempotency_key"
"""What a key parameter is called where there is none yet."""
DESCRIPTION = "Identifies this operation; keep it when you try again."
_ARGS = re.compile(r"^[ \t]*(?:Args|Arguments|Parameters):[ \t]*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^[ \t]*Parameters[ \t]*\n[ \t]*-{3,}[ \t]*$", re.MULTILINE)
_EMPTY_ROWS = re.compile(r"(?:[ \t]*\n(?=[ \t]*\n))*")
_TYPED = re.compile(r"[ \t]*\*{0,2}\w+ \([^)\n]*\)[ \t]*:")
_OPTIONAL = re.compile(
    r"\s*\|\s*None\b|\bNone\s*\|\s*|\b(?:typing\.|t\.)?(?:Optional|NotRequired)\[(\w+)\]"
    r"|\b(?:typing\.|t\.)?Union\[\s*(?:None\s*,\s*(\w+)|(\w+)\s*,\s*None)\s*\]"
)
_SPHINX = re.compile(r"^([ \t]*):param \w+:.*$", re.MULTILINE)


def take_key(entry: Entry, model: Model, editors: Editors) -> str | None:
    """How the key is written in the body of an entry; a parameter is added where there is none.

    `None` where the body cannot get one by an edit that is sure. What is no tool is called by code,
    which would have to give the key: such a fix is shown, and so is that of a tool which code calls
    that has no key to give.
    """
    function = entry.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    known = model.entries.key_parameters(entry)
    if known:
        if not known[0].required and not (
            _reaches_callers(entry, known[0].name, model, editors)
            and not is_filled_by_place(function, model)
        ):
            editors.show_only()
        return _known_key(known[0], editors)
    if entry.schema is not None:
        key = _extend_schema(entry, model, editors)
    elif _binds(function, KEY) or function.node.args.kwarg is not None:
        return None
    else:
        editor = editors.of(function.module)
        form = _annotation(entry, editor)
        if not add_key(function, model, editors, form=form):
            return None
        _describe(function, editor)
        key = KEY
    if key == KEY and not _reaches_callers(entry, key, model, editors):
        editors.show_only()
    return key


def add_key(
    function: Function, model: Model, editors: Editors, *, form: str = "str", required: bool = True
) -> bool:
    """Add the key to the parameters of a function, where it is in the way of no other argument."""
    by_name = is_filled_by_place(function, model)
    return editors.of(function.module).add_parameter(
        function, f"{KEY}: {form}", required=required, by_name=by_name
    )


def _reaches_callers(entry: Entry, key: str, model: Model, editors: Editors) -> bool:
    """Whether all code that calls the body of an entry gives the key, after edits."""
    assert entry.function is not None
    return entry.is_tool and pass_on(entry.function, key, model, editors)


def _known_key(parameter: ToolParameter, editors: Editors) -> str | None:
    if parameter.source == "schema":
        return None
    make_required(parameter, editors)
    if parameter.source == "parameter":
        return parameter.name
    return f"{parameter.path}.{parameter.name}" if parameter.path else parameter.name


def make_required(parameter: ToolParameter, editors: Editors) -> None:
    """Take the default away from a parameter or field; one behind others with defaults moves up."""
    editor = editors.of(parameter.module)
    node = parameter.node
    default = parameter.default.node if parameter.default is not None else None
    if isinstance(node, ast.AnnAssign):
        _require_type(node.annotation, editor)
        if node.value is not None:
            _require_field(node, editor)
    elif isinstance(node, ast.arg):
        if isinstance(default, ast.Call) and _reads_as_field(default):
            _require_type(node.annotation, editor)
            _require_in_call(default, editor)
        elif default is not None:
            _require_argument(node, parameter, editor)
        else:
            _require_type(node.annotation, editor)


def _reads_as_field(call: ast.Call) -> bool:
    """`Field(…)` as a default describes the parameter; with no default in it, it demands it."""
    return getattr(call.func, "attr", getattr(call.func, "id", "")) == "Field"


def _require_type(annotation: ast.expr | None, editor: Editor) -> None:
    """Take `None` out of a type, also where the module gives it a name."""
    if annotation is None:
        return
    code = editor.code(annotation)
    bare = _without_none(code)
    if bare != code:
        editor.replace_node(annotation, bare)
    elif isinstance(annotation, ast.Name):
        for binding in editor.module.bindings(annotation.id):
            if binding.kind == "value" and isinstance(binding.node, ast.expr):
                _require_alias(binding.node, editor)


def _require_alias(node: ast.expr, editor: Editor) -> None:
    """`Annotated[str | None, …]` as `Annotated[str, …]`, or a bare type."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        if editor.code(node.value).rpartition(".")[2] == "Annotated":
            node = node.slice.elts[0]
    code = editor.code(node)
    bare = _without_none(code)
    if bare != code:
        editor.replace_node(node, bare)


def _require_in_call(call: ast.Call, editor: Editor) -> bool:
    """Take the default out of `Field(…)`; false if nothing else is said in it."""
    kept = [editor.code(k) for k in call.keywords if k.arg not in ("default", "default_factory")]
    if not kept:
        return False
    editor.replace_node(call, f"{editor.code(call.func)}({', '.join(kept)})")
    return True


def _require_field(node: ast.AnnAssign, editor: Editor) -> None:
    value = node.value
    assert value is not None
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name | ast.Attribute)
        and _require_in_call(value, editor)
    ):
        return
    editor.replace(editor.span(node.annotation)[1], editor.span(node)[1], "")


def _require_argument(node: ast.arg, parameter: ToolParameter, editor: Editor) -> None:
    function = _owner(node, parameter)
    if function is None:
        return
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    default = parameter.default
    assert default is not None
    start, end = editor.span(node)[0], _whole(default.node, editor)[1]
    bare = _without_none(editor.code(node))
    _require_type(node.annotation if isinstance(node.annotation, ast.Name) else None, editor)
    first = next(iter(positional[len(positional) - len(arguments.defaults) :]), node)
    if node in arguments.kwonlyargs or first is node:
        editor.replace(start, end, bare)
        return
    # it stands behind other defaults, and what has none stands before them
    if _moved_row(start, end, bare, editor.span(first)[0], editor):
        return
    before = positional.index(node) - 1 - len(positional) + len(arguments.defaults)
    behind = _whole(arguments.defaults[before], editor)[1]
    comma = editor.text.index(",", behind)
    editor.replace(comma, end, "")
    editor.insert(editor.span(first)[0], f"{bare}, ")


def _whole(node: ast.expr, editor: Editor) -> tuple[int, int]:
    """The span of an expression with the brackets around it."""
    start, end = editor.span(node)
    text = editor.text
    while text[:start].rstrip().endswith("(") and text[end:].lstrip().startswith(")"):
        start = text.rindex("(", 0, start)
        end = text.index(")", end) + 1
    return start, end


def _moved_row(start: int, end: int, bare: str, target: int, editor: Editor) -> bool:
    """Move a parameter that has its rows for itself, comment included, to another row."""
    text = editor.text
    row, target_row = last_line_start(text, start), last_line_start(text, target)
    newline = text.find("\n", end)
    rest = text[end : newline + 1].replace("\r\n", "\n")
    if text[row:start].strip() or text[target_row:target].strip() or newline < 0:
        return False
    code = rest.partition("#")[0].strip()
    if code not in ("", ","):
        return False
    editor.insert(target_row, f"{text[row:start]}{bare}{rest if code else ',' + rest}")
    editor.replace(row, newline + 1, "")
    return True


def _without_none(code: str) -> str:
    """`key: str | None` as `key: str`."""
    return re.sub(_OPTIONAL, lambda found: "".join(filter(None, found.groups())), code)


def _owner(
    node: ast.arg, parameter: ToolParameter
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    for statement in parameter.module.statements():
        for inner in ast.walk(statement):
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = inner.args
                if node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                    return inner
    return None


def _binds(function: Function, name: str) -> bool:
    """Whether a name is a parameter already."""
    return function.parameter(name) is not None


def _extend_schema(entry: Entry, model: Model, editors: Editors) -> str | None:
    """Add the key to the model class that a tool's arguments are described by, and to its body.

    Returns how the body reads it: from a parameter of its own, from the one that is the model, or
    out of the mapping of all arguments.
    """
    from idemlint.model.symbols import ClassSymbol

    schema, function = entry.schema, entry.function
    assert schema is not None and function is not None
    if _binds(function, KEY) or function.node.args.kwarg is not None:
        return None
    for symbol in model.names.resolve(schema):
        if isinstance(symbol, ClassSymbol) and symbol.cls.node.body:
            editor = editors.of(symbol.cls.module)
            fields = [s for s in symbol.cls.node.body if isinstance(s, ast.AnnAssign)]
            last = fields[-1] if fields else symbol.cls.node.body[-1]
            if not editor.stands_alone(last):
                return None
            uses_field = any(isinstance(f.value, ast.Call) for f in fields)
            written = (
                f'{KEY}: str = Field(description="{DESCRIPTION}")' if uses_field else f"{KEY}: str"
            )
            editor.insert_after(last, written)
            names = {f.target.id for f in fields if isinstance(f.target, ast.Name)}
            return _read_from_schema(function, symbol.cls.name, names, model, editors)
    return None


def _read_from_schema(
    function: Function, schema: str, names: set[str], model: Model, editors: Editors
) -> str | None:
    own = [arg for arg in function.parameters if arg.arg != function.self_name]
    if not names or any(arg.arg in names for arg in own):
        return KEY if add_key(function, model, editors) else None
    for arg in own:
        annotation = ast.unparse(arg.annotation) if arg.annotation is not None else ""
        if re.search(rf"\b{schema}\b", annotation):
            return f"{arg.arg}.{KEY}"
    mappings = [arg for arg in own if arg.annotation is not None and _is_mapping(arg.annotation)]
    return f'{mappings[0].arg}["{KEY}"]' if len(mappings) == 1 else None


def _is_mapping(annotation: ast.expr) -> bool:
    """Whether a parameter is annotated as a dictionary."""
    written = ast.unparse(annotation).partition("[")[0].rpartition(".")[2]
    return written in ("dict", "Dict", "Mapping", "MutableMapping")


def _annotation(entry: Entry, editor: Editor) -> str:
    """The annotation of the new parameter, with its description as the other parameters have it."""
    function = entry.function
    assert function is not None
    for arg in function.parameters:
        annotation = arg.annotation
        if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
            continue
        code = editor.code(annotation.value)
        if code.rpartition(".")[2] != "Annotated" or len(annotation.slice.elts) < 2:
            continue
        extra = annotation.slice.elts[1]
        if isinstance(extra, ast.Constant) and isinstance(extra.value, str):
            return f'{code}[str, "{DESCRIPTION}"]'
        if isinstance(extra, ast.Call) and any(k.arg == "description" for k in extra.keywords):
            return f'{code}[str, {editor.code(extra.func)}(description="{DESCRIPTION}")]'
    return "str"


def _describe(function: Function, editor: Editor) -> None:
    """Add the key to the docstring where that describes the parameters."""
    first = function.body[0] if function.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return
    if not isinstance(first.value.value, str):
        return
    start, end = editor.span(first.value)
    # every character stays where it is
    text = editor.text[start:end].replace("\r\n", " \n").replace("\r", "\n")
    heading = _ARGS.search(text) or _UNDERLINED.search(text)
    if heading is not None:
        empty = _EMPTY_ROWS.match(text, heading.end())
        behind = heading.end() if empty is None else empty.end()
        at = _end_of_arguments(text, behind)
        first_row = text.find("\n", behind) + 1
        indent = indent_of(text, first_row) if first_row else ""
        if heading.re is _UNDERLINED:
            rows = f"{indent}{KEY} : str\n{indent}{editor.step}{DESCRIPTION}\n"
        else:
            kind = " (str)" if _TYPED.match(text, first_row) else ""
            rows = f"{indent}{KEY}{kind}: {DESCRIPTION}\n"
        if at < len(text):
            editor.insert(start + at, rows)
        else:
            # the quotes close behind the last row
            closing = len(text) - (3 if text.endswith(('"""', "'''")) else 1)
            editor.insert(start + closing, "\n" + rows.rstrip("\n"))
        return
    sphinx = list(_SPHINX.finditer(text))
    if sphinx:
        last = sphinx[-1]
        editor.insert(
            start + last.start() + len(last[0].rstrip()), f"\n{last[1]}:param {KEY}: {DESCRIPTION}"
        )


def _end_of_arguments(text: str, at: int) -> int:
    """The offset behind the rows that describe arguments: those with the indent of the first."""
    at = text.find("\n", at) + 1
    indent = indent_of(text, at)
    while at < len(text):
        end = text.find("\n", at)
        row = text[at : end if end >= 0 else len(text)]
        if not row.strip() or not row.startswith(indent) or row.strip().startswith(('"""', "'''")):
            break
        at = end + 1 if end >= 0 else len(text)
    return at


def hand_down(
    frames: Sequence[Frame], key: str, model: Model, editors: Editors, *, required: bool = False
) -> tuple[str, bool] | None:
    """Hand a key from the first frame to the last one; `None` if that cannot be done.

    Each frame is the one that the call in the frame before it made. Returns how the key is written
    in the last one, and whether it is always there: a function that is called from elsewhere, too,
    gets it as an option, or with `required` has to be given it there as well.
    """
    is_always = True
    for caller, callee in itertools.pairwise(frames):
        function, call = callee.function, callee.call
        if function is None or call is None or call.frame is not caller:
            return None
        if isinstance(function.node, ast.Lambda) or not isinstance(call.node, ast.Call):
            return None
        if function.node.args.kwarg is not None and not _binds(function, KEY):
            return None
        if not _calls_directly(call.node, function):
            return None
        if not _binds(function, KEY):
            is_only = is_called_only_by(call.node, function, model)
            is_required = is_only or required
            form = "str" if is_required else "str | None = None"
            if not add_key(function, model, editors, form=form, required=is_required):
                return None
            is_always = is_always and is_only
        if not any(keyword.arg == KEY for keyword in call.node.keywords):
            editors.of(caller.module).add_keyword(call.node, KEY, key)
        key = KEY
    return key, is_always


def _calls_directly(call: ast.Call, function: Function) -> bool:
    """Whether a call names the function, so that a keyword reaches it."""
    name = last_name(call.func)
    return name == function.name

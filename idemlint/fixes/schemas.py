"""Keys of tools whose arguments are described by a dictionary, beside the body that reads them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idemlint.fixes.callers import pass_on
from idemlint.fixes.editing import indent_of, last_line_start
from idemlint.fixes.layout import fitted
from idemlint.fixes.taking import DESCRIPTION, KEY, add_key
from idemlint.model.functions import value_of
from idemlint.model.symbols import Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.fixes.editing import Editor
    from idemlint.fixes.editors import Editors
    from idemlint.model.entries import Entry
    from idemlint.model.model import Model
    from idemlint.model.program import Function

__all__ = ["SchemaKey", "extend_schema", "key_of_schema", "list_as_required"]


@dataclass(frozen=True, slots=True)
class SchemaKey:
    """How a body reads its key, and the statements that run for the tool alone."""

    written: str
    block: list[ast.stmt]


@dataclass(frozen=True, slots=True)
class _Described:
    """What a schema describes: the dictionary with an entry a parameter, in the one around it."""

    whole: ast.Dict
    properties: ast.Dict
    editor: Editor

    @property
    def names(self) -> set[str]:
        """The names of the parameters."""
        return {
            key.value
            for key in self.properties.keys
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }

    @property
    def is_plain(self) -> bool:
        """Whether the parameters stand in it without a schema around them; all are required."""
        return self.whole is self.properties


def extend_schema(entry: Entry, model: Model, editors: Editors) -> bool:
    """Add the key to the schema of a tool, and to what that requires; false if it is not at hand."""
    found = _described(entry, model, editors)
    if found is None:
        return False
    _extend(found)
    return True


def key_of_schema(entry: Entry, model: Model, editors: Editors) -> SchemaKey | None:
    """Add the key to the schema of a tool, and let its body read it; `None` if it cannot.

    Several tools that share a schema, and bodies that run several tools, are left alone.
    """
    function = entry.function
    found = _described(entry, model, editors)
    if function is None or isinstance(function.node, ast.Lambda) or found is None:
        return None
    if not _is_own(found, entry):
        return None
    _extend(found)
    if entry.frame.arguments or entry.frame.attributes:
        return _read_in_branch(entry, function, found.names)
    if function.parameter(KEY) is not None or function.node.args.kwarg is not None:
        return None
    written = _read_in_body(function, found.names, model, editors)
    if written == KEY and not pass_on(function, KEY, model, editors):
        editors.show_only()
    return SchemaKey(written, function.body) if written is not None else None


def _described(entry: Entry, model: Model, editors: Editors) -> _Described | None:
    if entry.schema is None:
        return None
    for symbol in model.names.resolve(entry.schema):
        if not isinstance(symbol, Literal) or not isinstance(symbol.node, ast.Dict):
            continue
        whole = symbol.node
        editor = editors.of(symbol.place.frame.module)
        properties = value_of(whole, "properties")
        if isinstance(properties, ast.Dict):
            return _Described(whole, properties, editor)
        if entry.parameters and all(p.source == "schema" for p in entry.parameters):
            return _Described(whole, whole, editor)
    return None


def _is_own(found: _Described, entry: Entry) -> bool:
    """Whether a schema is written down where the tool is, and is no other tool's as well."""
    if entry.schema is not None and entry.schema.node is found.whole:
        return True
    options = entry.options
    return options is not None and any(node is found.whole for node in ast.walk(options.node))


def _extend(found: _Described) -> None:
    editor, quote = found.editor, _quote_of(found)
    name = f"{quote}{KEY}{quote}"
    written = f"{{{quote}type{quote}: {quote}string{quote}, {quote}description{quote}: "
    written += f"{quote}{DESCRIPTION}{quote}}}"
    if found.is_plain:
        is_typed = all(not isinstance(value, ast.Dict) for value in found.properties.values)
        editor.add_entry(found.properties, name, "str" if is_typed else written)
        return
    required = value_of(found.whole, "required")
    if "\n" not in editor.code(found.whole):
        _rewrite(found, f"{name}: {written}", required, name)
        return
    editor.add_entry(found.properties, name, written)
    list_as_required(found.whole, name, editor)


def _rewrite(found: _Described, described: str, required: ast.expr | None, name: str) -> None:
    """Extend a schema of one row, which may be too long with it."""
    editor, text = found.editor, found.editor.text
    start, end = editor.span(found.whole)
    added: list[tuple[ast.expr, str]] = [(found.properties, described)]
    if required is None:
        added.append((found.whole, f"{name[0]}required{name[0]}: [{name}]"))
    elif isinstance(required, ast.List):
        added.append((required, name))
    content, at = "", start
    for node, item in sorted(added, key=lambda pair: editor.span(pair[0])[1]):
        opening, closing = editor.span(node)
        kept = text[at : closing - 1].rstrip(", ")
        is_first = not text[opening + 1 : closing - 1].strip()
        content += f"{kept}{item}" if is_first else f"{kept}, {item}"
        at = closing - 1
    content += text[at:end]
    row = last_line_start(text, start)
    indent = indent_of(text, row)
    behind = text[end:].partition("\n")[0].rstrip()
    limit = editor.limit - (start - row - len(indent)) if editor.limit else 0
    content = fitted(content, indent, editor.step, limit, behind=len(behind))
    editor.replace(start, end, content)


def _quote_of(found: _Described) -> str:
    """The quote that the dictionary is written with."""
    keys = [key for key in (*found.properties.keys, *found.whole.keys) if key is not None]
    return found.editor.code(keys[0])[0] if keys and found.editor.code(keys[0])[0] in "'\"" else '"'


def list_as_required(schema: ast.Dict, name: str, editor: Editor) -> None:
    """Put a name, as it is written with its quotes, into the `required` of a schema."""
    required = value_of(schema, "required")
    if required is None:
        editor.add_entry(schema, f"{name[0]}required{name[0]}", f"[{name}]")
    elif isinstance(required, ast.List):
        start, end = editor.span(required)
        last = required.elts[-1] if required.elts else None
        editor.append_item(start + 1 if last is None else start, last, end - 1, name)


def _read_in_body(
    function: Function, names: set[str], model: Model, editors: Editors
) -> str | None:
    """A parameter beside those that the schema names, or an entry of the one mapping of all."""
    own = [arg.arg for arg in function.parameters if arg.arg != function.self_name]
    if any(name in names for name in own) or (not own and not names):
        return KEY if add_key(function, model, editors) else None
    mappings = [name for name in own if _reads(name, names, function.body)]
    return f'{mappings[0]}["{KEY}"]' if len(mappings) == 1 else None


def _read_in_branch(entry: Entry, function: Function, names: set[str]) -> SchemaKey | None:
    """An entry of the mapping that a branch of a dispatcher reads the tool's arguments from."""
    blocks = list(_branches(entry.name, function.node))
    if len(blocks) != 1:
        return None
    asked = {name.partition(".")[0] for name in (*entry.frame.arguments, *entry.frame.attributes)}
    block = blocks[0]
    bound = {
        node.id
        for statement in block
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    inside = {node.id for s in block for node in ast.walk(s) if isinstance(node, ast.Name)} - bound
    mappings = [name for name in sorted(inside - asked) if _reads(name, names, block)]
    if not mappings:
        others = [n for n in function.positional if n != function.self_name and n not in asked]
        mappings = [name for name in others if name in inside]
    return SchemaKey(f'{mappings[0]}["{KEY}"]', block) if len(mappings) == 1 else None


def _reads(mapping: str, names: set[str], statements: list[ast.stmt]) -> bool:
    """Whether statements read an argument of the tool from a mapping."""
    for statement in statements:
        for node in ast.walk(statement):
            base: ast.expr | None = None
            key: ast.expr | None = None
            if isinstance(node, ast.Subscript):
                base, key = node.value, node.slice
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                base, key = node.func.value, node.args[0]
                if node.func.attr not in ("get", "pop"):
                    continue
            if isinstance(base, ast.Name) and base.id == mapping:
                if isinstance(key, ast.Constant) and key.value in names:
                    return True
    return False


def _branches(name: str, root: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a dispatcher that run for one tool alone."""
    for node in ast.walk(root):
        if (isinstance(node, ast.If) and _asks_for(node.test, name)) or (
            isinstance(node, ast.match_case) and _is_only(node.pattern, name)
        ):
            yield node.body


def _asks_for(test: ast.expr, name: str) -> bool:
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
        and any(
            isinstance(s, ast.Constant) and s.value == name for s in (test.left, *test.comparators)
        )
    )


def _is_only(pattern: ast.pattern, name: str) -> bool:
    return (
        isinstance(pattern, ast.MatchValue)
        and isinstance(pattern.value, ast.Constant)
        and pattern.value.value == name
    )

"""Edits on the text of a module, placed by the nodes of its `ast` tree.

Every edit is as small as it can be: comments, quotes and layout around it stay as they are.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from typing import TYPE_CHECKING

from idemlint.diagnostic import Edit
from idemlint.fixes.layout import commas, fitted, is_in_text, limit_of, width
from idemlint.source.ranges import node_span

if TYPE_CHECKING:
    from idemlint.model.program import Function, Module

__all__ = ["Editor", "indent_of", "last_line_start"]

_STEP = "    "
_PARAMETERS = re.compile(r"\b(?:def)\s+\w+\s*")


class Editor:
    """Collects the edits of one module; offsets count code points of its text."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.text = module.source.text
        self.newline = module.source.newline
        self.edits: list[Edit] = []
        self._new_imports: set[str] = set()
        self._import_places: dict[int, list[str]] = {}
        self._import_edits: dict[int, Edit] = {}

    # primitives

    def replace(self, start: int, end: int, content: str) -> None:
        """Put `content` in the place of a stretch of the text; what is there already is no edit."""
        source = self.module.source
        content = content.replace("\n", self.newline)
        if self.text[start:end] == content:
            return
        self.edits.append(Edit(source.path, source.range(start, end), content))

    def insert(self, at: int, content: str) -> None:
        """Insert `content` before an offset."""
        self.replace(at, at, content)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The offsets between which a node stands."""
        return node_span(self.module.source, node)

    def code(self, node: ast.AST) -> str:
        """The text of a node, as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def replace_node(self, node: ast.AST, content: str) -> None:
        """Put `content` in the place of a node."""
        self.replace(*self.span(node), content)

    # statements

    def indent(self, statement: ast.AST) -> str:
        """The white space before a statement."""
        start = self.line_start(statement)
        return indent_of(self.text, start)

    @functools.cached_property
    def step(self) -> str:
        """The white space of one level, as the module writes it."""
        for statement in self.module.statements():
            body = getattr(statement, "body", None)
            if isinstance(body, list) and body and body[0].lineno > statement.lineno:
                found = self.indent(body[0])
                if found:
                    return found
        return _STEP

    @functools.cached_property
    def limit(self) -> int:
        """How long the rows of the module are at most, 0 where there is no such length."""
        return limit_of(self.text)

    def line_start(self, statement: ast.AST) -> int:
        """The offset of the first row of a statement, decorators included."""
        rows: list[int] = [statement.lineno]  # type: ignore[attr-defined]
        rows += [node.lineno for node in getattr(statement, "decorator_list", ())]
        return self.module.source.row_starts[min(rows) - 1]

    def line_end(self, statement: ast.AST) -> int:
        """The offset behind the last row of a statement."""
        starts = self.module.source.row_starts
        last: int = statement.end_lineno  # type: ignore[attr-defined]
        return starts[last] if last < len(starts) else len(self.text)

    def stands_alone(self, statement: ast.stmt) -> bool:
        """Whether no other statement shares a row with it (`a; b`, `if x: a`)."""
        start, end = self.span(statement)
        before = self.text[self.line_start(statement) : start]
        rest = self.text[end : self.line_end(statement)].strip()
        return not before.strip() and (not rest or rest.startswith("#"))

    def insert_before(self, statement: ast.stmt, *lines: str) -> None:
        """Insert rows before a statement, at its indent."""
        indent = self.indent(statement)
        self.insert(
            self.line_start(statement),
            "".join(f"{indent}{line}\n" if line else "\n" for line in lines),
        )

    def insert_after(self, statement: ast.stmt, *lines: str) -> None:
        """Insert rows behind a statement, at its indent."""
        indent = self.indent(statement)
        lines = tuple(fitted(line, indent, self.step, self.limit) for line in lines)
        content = "".join(f"{indent}{line}\n" for line in lines)
        end = self.line_end(statement)
        if end and self.text[end - 1] not in "\r\n":
            content = "\n" + content.rstrip("\n")
        self.insert(end, content)

    def delete_statement(self, statement: ast.stmt) -> None:
        """Remove the rows of a statement that stands alone in a block with others."""
        self.replace(self.line_start(statement), self.line_end(statement), "")

    def rows_of(self, statement: ast.stmt) -> str:
        """The rows of a statement, with the newline of the last one."""
        text = self.text[self.line_start(statement) : self.line_end(statement)]
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text if text.endswith("\n") else text + "\n"

    # lists in brackets

    def _spread(self, opening: int, closing: int, item: str, *, before: int | None = None) -> bool:
        """Add an item to a list that would be too long with it, each item then in a row of its own.

        `opening` is behind the bracket, `closing` at the other one. The item is the last one, or
        stands before an offset. False where the list does not stand in one row, or is short enough.
        """
        text = self.text
        inside = text[opening:closing]
        first = opening + len(inside) - len(inside.lstrip())
        last = opening + len(inside.rstrip())
        row = last_line_start(text, first)
        end = min((n for n in (text.find("\n", last), len(text)) if n >= 0), default=len(text))
        length = width(text[row:end].rstrip("\r"))
        if not self.limit or not length <= self.limit < length + len(item) + 2:
            return False
        parts = commas(text, first, last)
        if parts is None or first == last or is_in_text(text[row:opening]):
            return False
        is_apart = "\n" in text[opening:first]
        if is_apart is not ("\n" in text[last:closing]) or (not is_apart and row > opening):
            return False
        outer = indent_of(text, row)
        inner = outer if is_apart else outer + self.step
        if not is_apart:
            self.replace(opening, first, f"\n{inner}")
        for comma in parts:
            rest = text[comma + 1 : last]
            if rest.strip():
                self.replace(comma + 1, comma + 1 + len(rest) - len(rest.lstrip()), f"\n{inner}")
        written = fitted(item, inner, self.step, self.limit, behind=1)
        if before is not None:
            self.insert(before, f"{written},\n{inner}")
        has_comma = text[last - 1] == ","
        ending = "" if has_comma else ","
        if before is None:
            ending += f"\n{inner}{written},"
        if item.startswith("**") and ending.endswith(","):
            ending = ending[:-1]
        if is_apart:
            self.insert(last, ending)
        else:
            self.replace(last, closing, f"{ending}\n{outer}")
        return True

    def _fits_row(self, item: str, indent: str) -> str:
        return fitted(item, indent, self.step, self.limit, behind=1)

    def append_item(self, opening: int, last: ast.AST | None, closing: int, item: str) -> None:
        """Append an item to a list in brackets: `opening` is behind the bracket, `closing` before.

        `last` is the last item there is. A list with an item a row gets a row more.
        """
        if last is None:
            self.insert(opening, item)
            return
        at = self._behind(self.span(last)[1], closing)
        start = self.span(last)[0]
        row = last_line_start(self.text, start)
        if not self.text[row:start].strip(" \t*") and row > opening:
            indent = indent_of(self.text, row)
            self.insert(at, f",\n{indent}{self._fits_row(item, indent)}")
        else:
            self.insert(at, f", {item}")

    def _behind(self, at: int, closing: int) -> int:
        """The offset behind an item and the brackets that close around it."""
        text = self.text
        end = at
        while at < closing:
            char = text[at]
            if char == "#":
                newline = min(
                    (n for n in (text.find("\n", at), text.find("\r", at)) if n >= 0),
                    default=closing,
                )
                at = newline
            elif char == ")":
                at += 1
                end = at
            elif char in " \t\r\n\\":
                at += 1
            else:
                break
        return end

    def add_keyword(self, call: ast.Call, name: str, value: str) -> None:
        """Add `name=value` to a call; for an empty `name` just `value` (a `**mapping`)."""
        item = f"{name}={value}" if name else value
        items: list[ast.AST] = [*call.args, *call.keywords]
        last = max(items, key=lambda node: self.span(node)[1], default=None)
        closing = self.span(call)[1] - 1
        behind = self.text.find("(", self.span(call.func)[1], closing) + 1
        if last is not None and behind and self._spread(behind, closing, item):
            return
        opening = self.text.rindex("(", 0, closing + 1) + 1 if last is None else self.span(call)[0]
        self.append_item(opening, last, closing, item)

    def add_entry(self, mapping: ast.Dict, key: str, value: str) -> None:
        """Add an entry to a dictionary that is written down."""
        self.add_entry_text(mapping, f"{key}: {value}")

    def add_entry_text(self, mapping: ast.Dict, entry: str) -> None:
        """Add an entry, or a `**mapping`, as it is written."""
        start, end = self.span(mapping)
        last = mapping.values[-1] if mapping.values else None
        if last is None:
            self.insert(start + 1, entry)
            return
        if self._spread(start + 1, end - 1, entry):
            return
        at = self._behind(self.span(last)[1], end - 1)
        first = mapping.keys[-1] or last
        place = self.span(first)[0]
        row = last_line_start(self.text, place)
        if row > start and not self.text[row:place].strip(" \t*"):
            indent = indent_of(self.text, row)
            self.insert(at, f",\n{indent}{self._fits_row(entry, indent)}")
        else:
            self.insert(at, f", {entry}")

    def add_parameter(
        self, function: Function, parameter: str, *, required: bool, by_name: bool = False
    ) -> bool:
        """Add a parameter: a required one behind the other required ones, else the last one.

        With `by_name` it is the last of those that are given by their name alone. Returns false
        where there is no place for it.
        """
        node = function.node
        if isinstance(node, ast.Lambda):
            return False
        arguments = node.args
        if by_name and (arguments.args or arguments.posonlyargs or arguments.vararg):
            self._append_named(node, parameter)
            return True
        positional = [*arguments.posonlyargs, *arguments.args]
        first_default = len(positional) - len(arguments.defaults)
        opening = self._opening(node)
        closing = self._closing(opening)
        is_last = not (arguments.vararg or arguments.kwonlyargs or arguments.kwarg)
        if required and arguments.defaults:
            target = self.span(positional[first_default])[0]
            if closing and self._spread(opening, closing, parameter, before=target):
                return True
        elif positional and is_last and closing:
            if not arguments.posonlyargs and self._spread(opening, closing, parameter):
                return True
        if required and arguments.defaults:
            self._insert_parameter(positional[first_default], parameter)
            return True
        if arguments.kwonlyargs and not required:
            self._append_parameter(
                node, arguments.kwonlyargs[-1], arguments.kw_defaults[-1], parameter
            )
            return True
        if positional:
            default = arguments.defaults[-1] if arguments.defaults else None
            self._append_parameter(node, positional[-1], default, parameter)
            return True
        if arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
            opening = self._opening(node)
            self.insert(opening, f"{parameter}, ")
            return True
        self.insert(self._opening(node), parameter)
        return True

    def _append_named(self, node: ast.FunctionDef | ast.AsyncFunctionDef, parameter: str) -> None:
        arguments = node.args
        if arguments.kwonlyargs:
            last, default = arguments.kwonlyargs[-1], arguments.kw_defaults[-1]
            self._append_parameter(node, last, default, parameter)
        elif arguments.vararg is not None:
            self._append_parameter(node, arguments.vararg, None, parameter)
        else:
            last = [*arguments.posonlyargs, *arguments.args][-1]
            default = arguments.defaults[-1] if arguments.defaults else None
            start = self.span(last)[0]
            row = last_line_start(self.text, start)
            is_apart = not self.text[row:start].strip()
            star = f"*,\n{self.text[row:start]}" if is_apart else "*, "
            self._append_parameter(node, last, default, star + parameter)

    def _opening(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        """The offset behind the bracket that opens the parameters."""
        found = _PARAMETERS.search(self.text, self.span(node)[0])
        assert found is not None
        at = found.end()
        if self.text[at] == "[":
            depth = 0
            while True:
                depth += {"[": 1, "]": -1}.get(self.text[at], 0)
                at += 1
                if not depth:
                    break
        return self.text.index("(", at) + 1

    def _closing(self, opening: int) -> int:
        """The offset of the bracket that closes the parameters, 0 if they have comments or texts."""
        end = self.text.find(")", opening)
        while end >= 0:
            inside = self.text[opening:end]
            if "#" in inside:
                return 0
            if all(inside.count(a) == inside.count(b) for a, b in ("()", "[]", "{}")):
                return end
            end = self.text.find(")", end + 1)
        return 0

    def _insert_parameter(self, before: ast.arg, parameter: str) -> None:
        start = self.span(before)[0]
        row = last_line_start(self.text, start)
        if not self.text[row:start].strip():
            indent = self.text[row:start]
            self.insert(start, f"{self._fits_row(parameter, indent)},\n{indent}")
        else:
            self.insert(start, f"{parameter}, ")

    def _append_parameter(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        last: ast.arg,
        default: ast.expr | None,
        parameter: str,
    ) -> None:
        end = self.span(default if default is not None else last)[1]
        body = self.span(node.body[0])[0]
        end = self._behind_default(end, body) if default is not None else end
        start = self.span(last)[0]
        row = last_line_start(self.text, start)
        if not self.text[row:start].strip():
            indent = self.text[row:start]
            self.insert(end, f",\n{indent}{self._fits_row(parameter, indent)}")
        else:
            self.insert(end, f", {parameter}")

    def _behind_default(self, at: int, limit: int) -> int:
        """A default in brackets ends behind them; the bracket of the parameters is the last one."""
        closers = 0
        text = self.text
        scan = at
        while scan < limit and text[scan] in ") \t\r\n":
            closers += text[scan] == ")"
            scan += 1
        end = at
        while closers > 1:
            end = text.index(")", end) + 1
            closers -= 1
        return end

    def parameters_of(self, function: Function) -> str:
        """The parameters of a definition, as they are written between the brackets."""
        node = function.node
        if isinstance(node, ast.Lambda):
            return ""
        opening = self._opening(node)
        end = node.returns.lineno if node.returns is not None else node.body[0].lineno
        limit = self.module.source.row_starts[end - 1]
        depth, at = 1, opening
        while depth and at < max(limit, opening) + 10_000 and at < len(self.text):
            depth += {"(": 1, ")": -1}.get(self.text[at], 0)
            at += 1
        return self.text[opening : at - 1]

    # imports

    def add_import(self, module: str, name: str) -> str:
        """See that a name can be used; returns how it is written here (`uuid.uuid5`, `uuid5`).

        A module that is imported as a whole, or names of which are imported, is used as it is.
        """
        found = self._imported(module, name)
        if found is not None:
            return found
        named = self._imported_from(module)
        if named is not None:
            self._add_name(named, name)
            return name
        is_plain = module in sys.stdlib_module_names
        line = f"import {module}" if is_plain else f"from {module} import {name}"
        if line not in self._new_imports:
            self._new_imports.add(line)
            self._insert_import(line)
        return f"{module}.{name}" if is_plain else name

    def _imported(self, module: str, name: str) -> str | None:
        for bound, bindings in self.module.loose_bindings.items():
            for binding in bindings:
                if binding.kind != "import" or not _is_at_top(binding.statement):
                    continue
                if binding.module == module and not binding.member:
                    return f"{bound}.{name}"
                if binding.module == module and binding.member == name:
                    return bound
        return None

    def _imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The imports at the top of the module, up to the first other statement."""
        found: list[ast.Import | ast.ImportFrom] = []
        for number, statement in enumerate(self.module.statements()):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                found.append(statement)
            elif number or not _is_docstring(statement):
                break
        return found

    def _imported_from(self, module: str) -> ast.ImportFrom | None:
        return next(
            (
                statement
                for statement in self._imports()
                if isinstance(statement, ast.ImportFrom)
                and statement.module == module
                and not statement.level
                and self.stands_alone(statement)
                and statement.lineno == statement.end_lineno
                and "(" not in self.code(statement)
            ),
            None,
        )

    def _add_name(self, statement: ast.ImportFrom, name: str) -> None:
        """Add a name to `from module import …`, in its order."""
        for alias in statement.names:
            if alias.name == name:
                return
        key = _import_order(name)
        before = next((a for a in statement.names if _import_order(a.name) > key), None)
        if before is not None:
            self.insert(self.span(before)[0], f"{name}, ")
        else:
            self.insert(self.span(statement.names[-1])[1], f", {name}")

    def _insert_import(self, line: str) -> None:
        """Put an import among those of its kind: the standard library first, each in its order."""
        module = line.split()[1]
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        is_local = module.startswith(".")
        imports = self._imports()
        kin = [
            s
            for s in imports
            if _is_standard(s) is is_standard
            and not _is_future(s)
            and (isinstance(s, ast.ImportFrom) and s.level > 0) is is_local
        ]
        key = (line.startswith("from"), module)
        for statement in kin:
            if _statement_key(statement) > key:
                self._put_import(self.line_start(statement), line)
                return
        if kin:
            self._put_import(self.line_end(kin[-1]), line)
            return
        others = [s for s in imports if not _is_future(s)]
        if others and is_standard:
            self._put_import(self.line_start(others[0]), line, after="\n")
        elif others:
            first_local = next(
                (s for s in others if isinstance(s, ast.ImportFrom) and s.level), None
            )
            if first_local is not None:
                self._put_import(self.line_start(first_local), line, after="\n")
            else:
                self._put_import(self.line_end(others[-1]), line, before="\n")
        else:
            self._put_import(self._behind_head(imports), line)

    def _put_import(self, at: int, line: str, *, before: str = "", after: str = "") -> None:
        """Insert an import; those that come to one place are sorted, and inserted together."""
        lines = self._import_places.setdefault(at, [])
        if lines:
            self.edits = [e for e in self.edits if e is not self._import_edits[at]]
        lines.append(line)
        lines.sort(key=lambda row: (row.startswith("from"), row.split()[1]))
        end = "\n" if self.text else ""
        self.insert(at, before + "\n".join(lines) + end + after)
        self._import_edits[at] = self.edits[-1]

    def _behind_head(self, imports: list[ast.Import | ast.ImportFrom]) -> int:
        """The offset behind `__future__` imports, the docstring, or the comments at the start."""
        if imports:
            return self.line_end(imports[-1])
        first = next(self.module.statements(), None)
        if first is not None and _is_docstring(first):
            return self.line_end(first)
        at = 0
        starts = self.module.source.row_starts
        for row in range(1, self.module.source.row_count + 1):
            if not self.module.source.row(row).startswith("#"):
                break
            at = starts[row] if row < len(starts) else len(self.text)
        return at


def _is_at_top(statement: ast.stmt | None) -> bool:
    return statement is not None and statement.col_offset == 0


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _module_of(statement: ast.Import | ast.ImportFrom) -> str:
    if isinstance(statement, ast.ImportFrom):
        return "." * statement.level + (statement.module or "")
    return statement.names[0].name


def _is_standard(statement: ast.Import | ast.ImportFrom) -> bool:
    return _module_of(statement).partition(".")[0] in sys.stdlib_module_names


def _statement_key(statement: ast.Import | ast.ImportFrom) -> tuple[bool, str]:
    return isinstance(statement, ast.ImportFrom), _module_of(statement)


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as isort sorts them."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2), name


def last_line_start(text: str, at: int) -> int:
    """The offset of the row that an offset lies in."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def indent_of(text: str, start: int) -> str:
    """The white space at the start of a row."""
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]

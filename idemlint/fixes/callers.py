"""Who calls a function: whether it may ask for one more argument."""

from __future__ import annotations

import ast
import itertools
import os
from typing import TYPE_CHECKING

from idemlint.model.flow import last_name
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from idemlint.fixes.editors import Editors
    from idemlint.model.model import Model
    from idemlint.model.program import Function, Module

__all__ = ["Mention", "is_called_only_by", "is_filled_by_place", "mentions", "pass_on"]

_MOST_FILES = 300
_MOST_ENTRIES = 3000
_MADE_BOUND = ("partial", "partialmethod")


class Mention:
    """A place where a function is named. `call` is the call of it, or the `partial` of it.

    `around` is the function that the place stands in, `None` at the top of the module.
    """

    def __init__(
        self,
        module: Module,
        node: ast.expr,
        call: ast.Call | None,
        around: ast.FunctionDef | ast.AsyncFunctionDef | None,
    ) -> None:
        self.module = module
        self.node = node
        self.call = call
        self.around = around

    def gives(self, name: str) -> bool:
        """Whether the call gives an argument of that name, or may do so."""
        call = self.call
        if call is None:
            return True
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return True
        return any(keyword.arg in (None, name) for keyword in call.keywords)


def mentions(function: Function, model: Model) -> Iterator[Mention]:
    """Where a function is called outside of its own body: in its module, and where it is imported.

    A method is looked for in its own module, by the object that its class calls itself.
    """
    if function.parent is not None or function.owner is not None:
        yield from _in_module(function, function.module)
        return
    for module in _project_of(function, model)[0]:
        if module is function.module or _imports(module, function):
            yield from _in_module(function, module)


def is_called_only_by(call: ast.Call, function: Function, model: Model) -> bool:
    """Whether one call alone names a function in its whole project; false where that is too large."""
    modules, is_whole = _project_of(function, model)
    if not is_whole:
        return False
    own = set(map(id, ast.walk(function.node)))
    return not any(
        node is not call.func and id(node) not in own
        for module in modules
        for node in _named(function.name, module)
        if not _is_other(node, module, function)
    )


def _is_other(node: ast.expr, module: Module, function: Function) -> bool:
    """Whether a bare name in another module is not the function's, which is not imported there."""
    if module is function.module or function.owner is not None or isinstance(node, ast.Attribute):
        return False
    return "*" not in module.loose_bindings and not any(
        isinstance(inner, ast.ImportFrom) and any(a.name == function.name for a in inner.names)
        for statement in module.statements_with(function.name)
        for inner in walk(statement)
    )


def is_filled_by_place(function: Function, model: Model) -> bool:
    """Whether a call gives by place what is no required parameter: one more would take its place.

    A call of any function of that name counts.
    """
    if isinstance(function.node, ast.Lambda):
        return False
    arguments = function.node.args
    if not arguments.defaults and arguments.vararg is None:
        return False
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    required -= bool(function.self_name)
    return any(
        len(node.args) > required or any(isinstance(a, ast.Starred) for a in node.args)
        for module in _project_of(function, model)[0]
        for part in module.parts_with(function.name)
        for node in walk(part)
        if isinstance(node, ast.Call) and last_name(node.func) == function.name
    )


def pass_on(function: Function, name: str, model: Model, editors: Editors) -> bool:
    """Give a new argument in the calls of a function; false where one of them has nothing to give.

    A call can give what is a parameter of the same name around it.
    """
    is_done = True
    for mention in mentions(function, model):
        call = mention.call
        if call is None or mention.gives(name):
            continue
        if mention.around is not None and _has_parameter(mention.around, name):
            editors.of(mention.module).add_keyword(call, name, name)
        else:
            is_done = False
    return is_done


def _has_parameter(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    arguments = node.args
    return any(
        arg.arg == name for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )


def _project_of(function: Function, model: Model) -> tuple[list[Module], bool]:
    """The modules of a project in which the name of a function stands, and whether these are all.

    The project is the outermost package around the function, or the folder of a loose module.
    """
    own = function.module
    inner = own.name.count(".") + own.is_package
    folder = own.path.parent
    for _ in range(inner - 1):
        folder = folder.parent
    found = [own]
    paths, is_whole = _files_below(folder)
    for path in paths:
        model.program.add_edge(own, path)
        other = model.program.module(path)
        if other is not None and other is not own and function.name in other.source.text:
            found.append(other)
    return found, is_whole


def _files_below(folder: Path) -> tuple[list[Path], bool]:
    """The Python files in a folder and those below, as far as is looked, and whether it is all."""
    found: list[Path] = []
    pending = [folder]
    looked = 0
    while pending and len(found) < _MOST_FILES and looked < _MOST_ENTRIES:
        current = pending.pop(0)
        try:
            with os.scandir(current) as listed:
                entries = sorted(
                    itertools.islice(listed, _MOST_ENTRIES), key=lambda entry: entry.name
                )
        except OSError:
            continue
        looked += len(entries)
        for entry in entries:
            if entry.name.endswith(".py"):
                found.append(current / entry.name)
            elif "." not in entry.name and entry.is_dir(follow_symlinks=False):
                pending.append(current / entry.name)
    return found[:_MOST_FILES], not pending and len(found) <= _MOST_FILES


def _imports(module: Module, function: Function) -> bool:
    """Whether a module imports a function by its name, or the module that defines it."""
    own = function.module.name.rpartition(".")[2]
    for bindings in module.loose_bindings.values():
        for binding in bindings:
            if binding.kind == "import" and (
                binding.member in (function.name, own)
                or (not binding.member and binding.module.rpartition(".")[2] == own)
            ):
                return True
    return False


def _named(name: str, module: Module) -> Iterator[ast.expr]:
    for part in module.parts_with(name):
        for node in walk(part):
            if isinstance(node, ast.Name | ast.Attribute) and last_name(node) == name:
                yield node


def _in_module(function: Function, module: Module) -> Iterator[Mention]:
    for part in module.parts_with(function.name):
        yield from _in(part, None, function, module)


def _in(
    node: ast.AST,
    around: ast.FunctionDef | ast.AsyncFunctionDef | None,
    function: Function,
    module: Module,
) -> Iterator[Mention]:
    if node is function.node:
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        around = node
    if isinstance(node, ast.Call):
        if _is_meant(node.func, function, module):
            yield Mention(module, node.func, node, around)
        elif last_name(node.func) in _MADE_BOUND and node.args:
            if _is_meant(node.args[0], function, module):
                yield Mention(module, node.args[0], node, around)
    for child in ast.iter_child_nodes(node):
        yield from _in(child, around, function, module)


def _is_meant(node: ast.expr, function: Function, module: Module) -> bool:
    """Whether an expression names the function, as far as its form tells."""
    if last_name(node) != function.name:
        return False
    if function.owner is None:
        if isinstance(node, ast.Attribute):
            return module is not function.module and isinstance(node.value, ast.Name)
        return _means(module, function)
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls", function.owner.name)
    )


def _means(module: Module, function: Function) -> bool:
    """Whether the bare name can stand for the function in a module, and for nothing else there."""
    if function.parent is not None:
        return True
    kinds = {binding.kind for binding in module.bindings(function.name)}
    return "import" not in kinds if module is function.module else kinds == {"import"}

"""Imports of several modules merged into one block, in isort's order."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Imports"]

_LINE_LENGTH = 100
_MODULE = ""


@dataclass(slots=True)
class Imports:
    """Names by the module that they come from; the module itself has the empty name."""

    runtime: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    typing: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, other: Imports) -> None:
        """Take over the imports of another module."""
        for mine, theirs in ((self.runtime, other.runtime), (self.typing, other.typing)):
            for module, names in theirs.items():
                mine[module] |= names

    def add_statement(self, node: ast.stmt, package: str) -> list[str]:
        """Take over an import, or those of an `if TYPE_CHECKING:`.

        What is imported from below `package` is not taken: its modules are returned.
        """
        if isinstance(node, ast.If):
            needed = []
            for inner in node.body:
                needed += self._add(inner, package, self.typing)
            return needed
        return self._add(node, package, self.runtime)

    def text(self, used: frozenset[str]) -> str:
        """The block of imports for code that uses these names, and no others."""
        runtime = _kept(self.runtime, used.__contains__)
        known = {name for names in runtime.values() for name in names}
        typing = _kept(self.typing, lambda name: name in used and name not in known)
        if typing:
            runtime.setdefault("typing", set()).add("TYPE_CHECKING")
        lines = ["from __future__ import annotations", "", *_block(runtime)]
        if typing:
            lines += ["", "if TYPE_CHECKING:", *(f"    {line}" for line in _block(typing))]
        return "\n".join(lines) + "\n"

    def _add(self, node: ast.stmt, package: str, into: dict[str, set[str]]) -> list[str]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                into[alias.name].add(_MODULE)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module.startswith(package):
                return [node.module.removeprefix(package)]
            into[node.module] |= {alias.name for alias in node.names}
        return []


def _kept(imports: dict[str, set[str]], is_used: Callable[[str], bool]) -> dict[str, set[str]]:
    kept = {
        module: {name for name in names if is_used(name or module)}
        for module, names in imports.items()
    }
    return {module: names for module, names in kept.items() if names and module != "__future__"}


def _block(imports: dict[str, set[str]]) -> list[str]:
    """The standard library, then others; in each `import x` before `from x import y`."""
    groups = [
        [line for module in sorted(modules) for line in _lines(module, imports[module])]
        for modules in _by_origin(imports)
    ]
    lines: list[str] = []
    for group in groups:
        group.sort(key=lambda line: line.startswith("from "))
        lines += [*([""] if lines and group else []), *group]
    return [part for line in lines for part in line.split("\n")]


def _by_origin(modules: Iterable[str]) -> tuple[list[str], list[str]]:
    standard: list[str] = []
    other: list[str] = []
    for module in modules:
        is_standard = module.partition(".")[0] in sys.stdlib_module_names
        (standard if is_standard else other).append(module)
    return standard, other


def _lines(module: str, names: set[str]) -> list[str]:
    """The statements that import a module, and names from it."""
    lines = [f"import {module}"] if _MODULE in names else []
    listed = sorted(names - {_MODULE}, key=_import_order)
    if listed:
        line = f"from {module} import {', '.join(listed)}"
        if len(line) > _LINE_LENGTH:
            line = "\n".join([f"from {module} import (", *(f"    {n}," for n in listed), ")"])
        lines.append(line)
    return lines


def _import_order(name: str) -> tuple[int, str]:
    if name.isupper():
        return 0, name
    return (1, name) if name[0].isupper() else (2, name)

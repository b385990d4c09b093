"""Puts one module together from the parts in `templates/`: an operation, its engine, its store.

The parts are real modules that import each other. Their statements are copied as they are written;
what the operation's `__all__` does not reach is left out, and the imports are merged.
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint.scaffold import MARK
from idemlint.scaffold.imports import Imports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["module_text"]

_FOLDER = Path(__file__).parent / "templates"
_PACKAGE = "idemlint.scaffold.templates."
_ANY_STORE = "store_sqlite"


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A top-level statement with the comment above it."""

    part: str
    text: str
    defines: str
    uses: frozenset[str]
    is_definition: bool
    first_line: int
    last_line: int


@dataclass(slots=True)
class _Part:
    """One module of the folder, taken apart."""

    name: str
    docstring: str
    public: list[str]
    imports: Imports
    chunks: list[_Chunk]
    needs: list[str] = field(default_factory=list)


def module_text(operation: str, store: str, *, is_async: bool = False) -> str:
    """The module of an operation (`OP-2`) on a store (`sqlite`), as it goes into a project."""
    first = operation.lower().replace("-", "") + ("_async" if is_async else "")
    parts = _parts(first, f"store_{store}")
    public = sorted({name for part in parts for name in part.public}, key=_export_order)
    chunks = _reached([chunk for part in parts for chunk in part.chunks], public)
    imports = Imports()
    for part in parts:
        imports.add(part.imports)
    options = f" --store {store}{' --async' if is_async else ''}"
    return "".join(
        [
            f"{MARK}{operation}{options}`.\n",
            f'"""{parts[0].docstring.strip()}\n\n{parts[-1].docstring.strip()}\n"""\n\n',
            imports.text(frozenset().union(*(chunk.uses for chunk in chunks))),
            "\n__all__ = [\n",
            *(f'    "{name}",\n' for name in public),
            "]\n\n",
            *_spaced(chunks),
        ]
    )


def _parts(first: str, store: str) -> list[_Part]:
    """The modules that `first` imports, itself first and the store last."""
    found: dict[str, _Part] = {}
    wanted = [first]
    while wanted:
        name = wanted.pop(0)
        if name not in found:
            found[name] = _part(name, store)
            wanted += found[name].needs
    return [*(part for name, part in found.items() if name != store), found[store]]


def _part(name: str, store: str) -> _Part:
    text = (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    part = _Part(name, ast.get_docstring(tree, clean=False) or "", [], Imports(), [])
    lines = text.splitlines()
    last_line = 0
    for node in tree.body:
        above, last_line = last_line, node.end_lineno or 0
        if _is_import(node):
            part.needs += [
                store if needed == _ANY_STORE else needed
                for needed in part.imports.add_statement(node, _PACKAGE)
            ]
        elif (defined := _defined(node)) == "__all__":
            part.public = ast.literal_eval(node.value) if isinstance(node, ast.Assign) else []
        elif defined:
            part.chunks.append(_chunk(name, node, defined, lines[above:last_line], above))
    return part


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom | ast.If)


def _defined(node: ast.stmt) -> str:
    """The name that a statement binds; empty for a docstring."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _chunk(part: str, node: ast.stmt, defined: str, lines: list[str], above: int) -> _Chunk:
    blank = sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), lines))
    uses = {found.id for found in ast.walk(node) if isinstance(found, ast.Name)}
    return _Chunk(
        part=part,
        text="\n".join(lines[blank:]) + "\n",
        defines=defined,
        uses=frozenset(uses - {defined}),
        is_definition=not isinstance(node, ast.Assign),
        first_line=above + blank + 1,
        last_line=above + len(lines),
    )


def _reached(chunks: list[_Chunk], public: Iterable[str]) -> list[_Chunk]:
    """The statements that the public names need, each name once."""
    by_name: dict[str, _Chunk] = {}
    for chunk in chunks:
        by_name.setdefault(chunk.defines, chunk)
    wanted = list(public)
    reached: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in by_name and name not in reached:
            reached.add(name)
            wanted += by_name[name].uses
    return [chunk for name, chunk in by_name.items() if name in reached]


def _spaced(chunks: list[_Chunk]) -> Iterator[str]:
    """The statements with the blank lines that formatters put between them."""
    above: _Chunk | None = None
    for chunk in chunks:
        if above is not None:
            yield "\n" * _blank_lines(above, chunk)
        yield chunk.text
        above = chunk


def _blank_lines(above: _Chunk, below: _Chunk) -> int:
    if above.is_definition or below.is_definition:
        return 2
    is_next = above.part == below.part and above.last_line + 1 == below.first_line
    return 0 if is_next else 1


def _export_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order that Ruff wants of `__all__`."""
    if name.isupper():
        return 0, name
    return (1, name) if name[0].isupper() else (2, name)

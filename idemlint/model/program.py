"""The program as the model sees it: modules, classes and functions, made on demand.

A `Program` is the set of files that one project can import. A module is indexed when it is first
asked for and its definitions are parsed one by one. Nothing is imported or run.
"""

from __future__ import annotations

import ast
import bisect
import functools
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idemlint.source.gate import aliases_in
from idemlint.source.index import ModuleIndex
from idemlint.source.text import NotUtf8Error, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from idemlint.source.index import Chunk

__all__ = ["Binding", "Class", "Function", "FunctionNode", "Module", "Program"]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SIMPLE = (
    ast.Expr, ast.Assign, ast.Return, ast.AnnAssign, ast.AugAssign, ast.Raise, ast.Import,
    ast.ImportFrom, ast.Pass, ast.Continue, ast.Break, ast.Assert, ast.Delete, ast.Global,
    ast.Nonlocal,
)  # fmt: skip
"""The statements that have no block."""
_BOUND = re.compile(
    r"^[ \t]*self\.(\w+)[ \t]*(?::[^=\n]+)?=[ \t]*(?:[^=\n#(]*\b(?:or|else)[ \t]+)?"
    r"(?:self\.)?(\w+)[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
_CALLED = re.compile(r"\b\w+\b(?=\s*\()")


@dataclass(frozen=True, slots=True)
class Binding:
    """One thing that a name of a module or class stands for.

    `kind` is import, function, class, value or item. An import has `module` (dots for a relative
    one) and `member` (empty for a whole module); the others have `node`: the definition, the value
    assigned, or for an item (the target of a loop, `with` or unpacking) the expression it is from, and
    its position, `key`, where it is one of several that are unpacked.
    """

    kind: str
    node: ast.AST | None = None
    module: str = ""
    member: str = ""
    statement: ast.stmt | None = None
    key: int | None = None


class Module:
    """A file of the program. `name` is its dotted name from `root`, the folder it is imported from."""

    def __init__(self, program: Program, source: SourceText, name: str, root: Path) -> None:
        self.program = program
        self.source = source
        self.path = source.path
        self.name = name
        self.root = root
        self.index = ModuleIndex(source)
        self._functions: dict[ast.AST, Function] = {}
        self._classes: dict[ast.AST, Class] = {}
        self._imports: dict[str, bool] = {}

    def __repr__(self) -> str:
        return f"<module {self.name}>"

    def close(self) -> None:
        """Let go of all definitions; what is still asked of the index is parsed again."""
        self._functions.clear()
        self._classes.clear()
        vars(self).pop("loose_bindings", None)
        self.index.forget()

    @property
    def is_package(self) -> bool:
        """Whether this is an `__init__.py`."""
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """The dotted name that relative imports start from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @functools.cached_property
    def aliases(self) -> dict[str, str]:
        """The own names of what is imported under another name; the code is not parsed for that."""
        text = self.source.text
        if " as " not in text:
            return {}
        return {alias: name for name, alias in aliases_in(text.encode())}

    def own_name(self, name: str) -> str:
        """The name that something has where it is imported from; others stay as they are."""
        return self.aliases.get(name, name) if self.aliases else name

    @functools.cached_property
    def loose_bindings(self) -> dict[str, list[Binding]]:
        """What the code between the definitions binds: imports, values, nested definitions."""
        found: dict[str, list[Binding]] = {}
        for chunk in list(self.index.chunks):
            if not chunk.name:
                for statement in self.index.statements(chunk):
                    collect_bindings(statement, found)
        return found

    def bindings(self, name: str) -> list[Binding]:
        """What a name at the top of the module can stand for, in the order of the file."""
        chunks = self.index.definitions.get(name)
        if chunks:
            found = []
            for chunk in chunks:
                for statement in self.index.statements(chunk):
                    if isinstance(statement, ast.ClassDef):
                        found.append(Binding("class", statement, statement=statement))
                    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                        found.append(Binding("function", statement, statement=statement))
            if found and name not in self.loose_bindings:
                return found
            return found + self.loose_bindings.get(name, [])
        return self.loose_bindings.get(name, [])

    def imports(self, top: str) -> bool:
        """Whether it mentions a library in an import; a look at its text."""
        known = self._imports.get(top)
        if known is None:
            text = self.source.text
            known = self._imports[top] = f"import {top}" in text or f"from {top}" in text
        return known

    def chunk_at(self, row: int) -> Chunk:
        """The chunk that a 1-based row lies in."""
        chunks = self.index.chunks
        number = bisect.bisect_right([chunk.row for chunk in chunks], row)
        return chunks[max(number - 1, 0)]

    def statements(self) -> Iterator[ast.stmt]:
        """All top-level statements; those that do not parse are left out."""
        for chunk in list(self.index.chunks):
            yield from self.index.statements(chunk)

    def statements_with(self, *texts: str) -> Iterator[ast.stmt]:
        """The top-level statements of the chunks in which each of `texts` stands."""
        text = self.source.text
        for chunk in list(self.index.chunks):
            if all(text.find(sought, chunk.start, chunk.end) >= 0 for sought in texts):
                yield from self.index.statements(chunk)

    @functools.cached_property
    def bound_attributes(self) -> dict[str, set[str]]:
        """By attribute of `self`, the last names of what it is set to where that is no call.

        `self.send = self._post`, `self.send = send or _post`.
        """
        found: dict[str, set[str]] = {}
        for attribute, name in _BOUND.findall(self.source.text):
            found.setdefault(attribute, set()).add(name)
        return found

    def parts_with(self, text: str) -> Iterator[ast.AST]:
        """The top-level statements in which `text` stands; of a class only members where it does.

        What a class has beside its members is given, too.
        """
        for statement in self.statements_with(text):
            if not isinstance(statement, ast.ClassDef):
                yield statement
                continue
            yield from (*statement.decorator_list, *statement.bases, *statement.keywords)
            for member in statement.body:
                decorators = getattr(member, "decorator_list", None) or [member]
                start, end = self.rows(decorators[0].lineno, member.end_lineno or member.lineno)
                if self.source.text.find(text, start, end) >= 0:
                    yield member

    def rows(self, first: int, last: int) -> tuple[int, int]:
        """The offsets of rows of the file, which are 1-based; the last one is included."""
        starts = self.source.row_starts
        return starts[first - 1], starts[last] if last < len(starts) else len(self.source.text)

    def function(
        self, node: FunctionNode, owner: Class | None, parent: Function | None
    ) -> Function:
        """The function of a definition, the same object at each call."""
        made = self._functions.get(node)
        if made is None:
            made = self._functions[node] = Function(self, node, owner, parent)
        return made

    def class_(self, node: ast.ClassDef, parent: Function | None = None) -> Class:
        """The class of a definition, the same object at each call."""
        made = self._classes.get(node)
        if made is None:
            made = self._classes[node] = Class(self, node, parent)
        return made

    def functions(self) -> Iterator[Function]:
        """Every function at the top of the module and in its classes."""
        for chunk in list(self.index.chunks):
            yield from self.functions_of(chunk)

    def functions_of(self, chunk: Chunk) -> Iterator[Function]:
        """Every function of a chunk that is at the top of the module or of a class."""
        for statement in self.index.statements(chunk):
            yield from self._functions_in(statement)

    def _functions_in(self, statement: ast.stmt) -> Iterator[Function]:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield self.function(statement, None, None)
        elif isinstance(statement, ast.ClassDef):
            yield from self.class_(statement).methods()
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            for inner in inner_statements(statement):
                yield from self._functions_in(inner)


@dataclass(eq=False)
class Class:
    """A class of the program; `parent` is the function that it is defined in."""

    module: Module
    node: ast.ClassDef
    parent: Function | None = None

    def __repr__(self) -> str:
        return f"<class {self.qualified_name}>"

    @property
    def name(self) -> str:
        """The name it is defined under."""
        return self.node.name

    @property
    def qualified_name(self) -> str:
        """Dotted: the module's name, then the class."""
        return f"{self.module.name}.{self.node.name}"

    @functools.cached_property
    def members(self) -> dict[str, list[Binding]]:
        """What the body of the class binds."""
        found: dict[str, list[Binding]] = {}
        for statement in self.node.body:
            collect_bindings(statement, found)
        return found

    @functools.cached_property
    def annotations(self) -> dict[str, ast.expr]:
        """The annotation of each field that has one."""
        return {
            statement.target.id: statement.annotation
            for statement in self.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        }

    def method(self, name: str) -> Function | None:
        """The method of that name in this class itself, the last one if it is defined twice."""
        for binding in reversed(self.members.get(name, ())):
            if isinstance(binding.node, ast.FunctionDef | ast.AsyncFunctionDef):
                return self.module.function(binding.node, self, self.parent)
        return None

    def methods(self) -> Iterator[Function]:
        """All functions of the body, those of nested classes too."""
        for statement in self.node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                yield self.module.function(statement, self, self.parent)
            elif isinstance(statement, ast.ClassDef):
                yield from self.module.class_(statement, self.parent).methods()


@dataclass(eq=False)
class Function:
    """A function, method or lambda. `owner` is its class, `parent` the function around it."""

    module: Module
    node: FunctionNode
    owner: Class | None = None
    parent: Function | None = None
    nested: dict[str, ast.AST] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<function {self.qualified_name}>"

    @property
    def name(self) -> str:
        """The name it is defined under; `<lambda>` for a lambda."""
        return self.node.name if not isinstance(self.node, ast.Lambda) else "<lambda>"

    @property
    def qualified_name(self) -> str:
        """Dotted: the module's name, the class if there is one, the function."""
        owner = f"{self.owner.name}." if self.owner else ""
        return f"{self.module.name}.{owner}{self.name}"

    @functools.cached_property
    def parameters(self) -> tuple[ast.arg, ...]:
        """All parameters that a call can fill by name or place, `self` included."""
        arguments = self.node.args
        return (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)

    @functools.cached_property
    def positional(self) -> tuple[str, ...]:
        """The names of the parameters that a call fills by place, `self` included."""
        arguments = self.node.args
        return tuple(arg.arg for arg in (*arguments.posonlyargs, *arguments.args))

    @functools.cached_property
    def defaults(self) -> dict[str, ast.expr]:
        """The default of each parameter that has one."""
        arguments = self.node.args
        positional = (*arguments.posonlyargs, *arguments.args)
        found = dict(
            zip(
                (arg.arg for arg in positional[len(positional) - len(arguments.defaults) :]),
                arguments.defaults,
                strict=True,
            )
        )
        for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                found[arg.arg] = default
        return found

    def parameter(self, name: str) -> ast.arg | None:
        """The parameter of that name."""
        return next((arg for arg in self.parameters if arg.arg == name), None)

    @functools.cached_property
    def decorators(self) -> tuple[ast.expr, ...]:
        """The decorators, the outermost first."""
        return () if isinstance(self.node, ast.Lambda) else tuple(self.node.decorator_list)

    @functools.cached_property
    def decorator_names(self) -> frozenset[str]:
        """The last name of each decorator, for quick looks."""
        names = set()
        for decorator in self.decorators:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(target, ast.Attribute):
                names.add(target.attr)
            elif isinstance(target, ast.Name):
                names.add(target.id)
        return frozenset(names)

    @property
    def is_static(self) -> bool:
        """Whether it is a static method."""
        return "staticmethod" in self.decorator_names

    @property
    def is_class_method(self) -> bool:
        """Whether it is a class method."""
        return "classmethod" in self.decorator_names

    @property
    def is_property(self) -> bool:
        """Whether an attribute access runs it."""
        return not self.decorator_names.isdisjoint({"property", "cached_property"})

    @functools.cached_property
    def self_name(self) -> str:
        """The name of the parameter that holds the object; empty outside of methods."""
        if self.owner is None or self.is_static or not self.positional:
            return ""
        return self.positional[0]

    @functools.cached_property
    def span(self) -> tuple[int, int]:
        """The offsets of its rows in the file."""
        return self.module.rows(self.node.lineno, self.node.end_lineno or self.node.lineno)

    @property
    def may_do_nothing(self) -> bool:
        """Whether it can end in `pass` or a constant; the body is not parsed for that."""
        text = self.module.source.text
        start, end = self.span
        last = text[start:end].rstrip().rpartition("\n")[2]
        return "#" in last or last.endswith(("pass", "...", '"', "'", "None"))

    @functools.cached_property
    def called_words(self) -> frozenset[str]:
        """The words before a bracket in its rows, all names it calls among them.

        What is imported under another name is there by its own. The body is not parsed for that.
        """
        words = _CALLED.findall(self.module.source.text, *self.span)
        aliases = self.module.aliases
        if aliases:
            words += [aliases[word] for word in words if word in aliases]
        return frozenset(words)

    def mentions(self, text: str) -> bool:
        """Whether a text stands anywhere in it; the body is not parsed for that."""
        return self.module.source.text.find(text, *self.span) >= 0

    @functools.cached_property
    def body(self) -> list[ast.stmt]:
        """The statements; for a lambda one `return`."""
        if isinstance(self.node, ast.Lambda):
            made = ast.Return(self.node.body)
            return [ast.copy_location(made, self.node.body)]
        return self.node.body

    @functools.cached_property
    def docstring(self) -> str:
        """The docstring, empty if there is none."""
        return "" if isinstance(self.node, ast.Lambda) else ast.get_docstring(self.node) or ""


class Program:
    """The files of one project.

    `source_folders` are further folders that imports start from, `libraries` names of packages that
    are never the project's own unless they lie there as a package, `unsaved` the bytes of files that
    differ from the disk. `edges` tells, for each file, of which others an answer about it can depend
    at the first step: what it imports, as far as that was asked for.
    """

    def __init__(
        self,
        *,
        source_folders: tuple[Path, ...] = (),
        libraries: frozenset[str] = frozenset(),
        unsaved: Mapping[Path, bytes] | None = None,
    ) -> None:
        self._source_folders = source_folders
        self._libraries = libraries
        self._unsaved = dict(unsaved or {})
        self.edges: dict[Path, set[Path]] = {}
        self._modules: dict[Path, Module | None] = {}
        self._folders: dict[str, frozenset[str]] = {}
        self._roots: dict[Path, Path] = {}
        self._found: dict[tuple[str, Path, str], Path | None] = {}
        self._single_root: dict[Path, bool] = {}
        self._marked: dict[tuple[str, Path], list[Path]] = {}

    def module(self, path: Path) -> Module | None:
        """The module of a file; `None` if it cannot be read or is not UTF-8."""
        if path not in self._modules:
            self._modules[path] = self._load(path)
        return self._modules[path]

    def close(self) -> None:
        """Let go of all modules."""
        for module in self.modules:
            module.close()
        self._modules.clear()

    @property
    def modules(self) -> list[Module]:
        """The modules that were asked for and could be read."""
        return [module for module in self._modules.values() if module is not None]

    def add_edge(self, importer: Module, path: Path) -> None:
        """Note that answers about a module can depend on a file."""
        self.edges.setdefault(importer.path, set()).add(path)

    def _load(self, path: Path) -> Module | None:
        try:
            data = self._unsaved[path] if path in self._unsaved else path.read_bytes()
            source = SourceText.decode(path, data)
        except (OSError, NotUtf8Error):
            return None
        root = self.import_root(path)
        return Module(self, source, _dotted(path, root), root)

    def import_root(self, path: Path) -> Path:
        """The folder that absolute imports of this file's own package start from."""
        folder = path.parent
        known = self._roots.get(folder)
        if known is None:
            root = folder
            while self._has(root, "__init__.py") and root.parent != root:
                root = root.parent
            known = self._roots[folder] = root
        return known

    def find(self, name: str, importer: Module) -> Module | None:
        """The project's module of an absolute dotted name, as `importer` would import it."""
        top = name.partition(".")[0]
        key = (top, importer.root, importer.name.partition(".")[0])
        if key not in self._found:
            self._found[key] = self._find_top(top, importer)
        base = self._found[key]
        if base is None:
            return None
        return self._imported(importer, self._descend(base, name.split(".")))

    def find_relative(self, module: str, importer: Module) -> Module | None:
        """The module of a relative name such as `..a.b`; the file system decides, not the root."""
        name = module.lstrip(".")
        folder = importer.path.parent
        for _ in range(len(module) - len(name) - 1):
            folder = folder.parent
        if not name:
            return self._imported(importer, self._package(folder))
        return self._imported(importer, self._descend(folder, name.split(".")))

    def marked(self, mark: str, importer: Module) -> Iterator[Module]:
        """The modules that `importer` can import and that begin with a mark.

        They are looked for in the folders between the file and its root and one level below them;
        each folder is read once.
        """
        folder, above = importer.path.parent, [importer.path.parent]
        while folder not in (importer.root, folder.parent):
            folder = folder.parent
            above.append(folder)
        for folder in above:
            self.add_edge(importer, folder)
            inner = (
                folder / name
                for name in sorted(self._entries(folder))
                if "." not in name and self._has(folder / name, "__init__.py")
            )
            for place in (folder, *inner):
                for path in self._marked_in(place, mark):
                    module = self.module(path)
                    if module is not None and self.find(module.name, importer) is module:
                        yield module

    def _marked_in(self, folder: Path, mark: str) -> list[Path]:
        key = (mark, folder)
        known = self._marked.get(key)
        if known is None:
            names = sorted(name for name in self._entries(folder) if name.endswith(".py"))
            paths = [folder / name for name in names]
            known = self._marked[key] = [path for path in paths if self._begins(path, mark)]
        return known

    def _begins(self, path: Path, mark: str) -> bool:
        head = mark.encode()
        if path in self._unsaved:
            return self._unsaved[path].startswith(head)
        if path in self._modules:
            module = self._modules[path]
            return module is not None and module.source.text.startswith(mark)
        try:
            with path.open("rb", buffering=0) as file:
                return file.read(len(head)) == head
        except OSError:
            return False

    def submodule(self, package: Module, name: str) -> Module | None:
        """The module `name` inside of a package."""
        if not package.is_package:
            return None
        return self._imported(package, self._descend(package.path.parent, [name]))

    def _imported(self, importer: Module, module: Module | None) -> Module | None:
        if module is not None:
            self.add_edge(importer, module.path)
        return module

    def _find_top(self, top: str, importer: Module) -> Path | None:
        # nothing is imported by its bare name from inside of a package: `agno/os` is no `os`
        bases = [each for each in self._source_folders if not self._has(each, "__init__.py")]
        if self._is_source_root(importer.root) or top == importer.name.partition(".")[0]:
            bases.insert(0, importer.root)
        for base in bases:
            entries = self._entries(base)
            if f"{top}.py" in entries:
                return base
            if top in entries and self._is_importable(base / top, top):
                return base
        return None

    def _is_importable(self, folder: Path, top: str) -> bool:
        """A folder without `__init__.py` loses against an installed library of its name."""
        entries = self._entries(folder)
        if "__init__.py" in entries:
            return True
        return top not in self._libraries and any(name.endswith(".py") for name in entries)

    def _is_source_root(self, root: Path) -> bool:
        """False for a folder of installed packages, where a neighbour is another project."""
        known = self._single_root.get(root)
        if known is None:
            installed = sum(name.endswith(".dist-info") for name in self._entries(root))
            known = self._single_root[root] = installed <= 1
        return known

    def _descend(self, folder: Path, names: list[str]) -> Module | None:
        for name in names[:-1]:
            folder = folder / name
        last = names[-1]
        if f"{last}.py" in self._entries(folder):
            return self.module(folder / f"{last}.py")
        if last in self._entries(folder):
            return self._package(folder / last)
        return None

    def _package(self, folder: Path) -> Module | None:
        return self.module(folder / "__init__.py") if self._has(folder, "__init__.py") else None

    def _has(self, folder: Path, name: str) -> bool:
        return name in self._entries(folder)

    def _entries(self, folder: Path) -> frozenset[str]:
        key = os.fspath(folder)
        known = self._folders.get(key)
        if known is None:
            try:
                known = frozenset(os.listdir(key))  # noqa: PTH208 - a name is all that is asked
            except OSError:
                known = frozenset()
            extra = [path.name for path in self._unsaved if path.parent == folder]
            known = self._folders[key] = known.union(extra) if extra else known
        return known


def _dotted(path: Path, root: Path) -> str:
    parts = list(path.relative_to(root).with_suffix("").parts)
    if parts and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def inner_statements(statement: ast.stmt) -> Sequence[ast.stmt]:
    """The statements of the blocks of a compound statement, of a definition too, in their order."""
    if isinstance(statement, _SIMPLE):
        return ()
    found: list[ast.stmt] = []
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(statement, name, ()):
            if isinstance(inner, ast.ExceptHandler | ast.match_case):
                found += inner.body
            else:
                found.append(inner)
    return found


def collect_bindings(statement: ast.stmt, found: dict[str, list[Binding]]) -> None:
    """Add what a statement of a module or class body binds, blocks included."""

    def add(name: str, binding: Binding) -> None:
        found.setdefault(name, []).append(binding)

    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.asname:
                add(alias.asname, Binding("import", module=alias.name, statement=statement))
            else:
                top = alias.name.partition(".")[0]
                add(top, Binding("import", module=top, statement=statement))
    elif isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
        for alias in statement.names:
            add(
                alias.asname or alias.name,
                Binding("import", module=module, member=alias.name, statement=statement),
            )
    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        add(statement.name, Binding("function", statement, statement=statement))
    elif isinstance(statement, ast.ClassDef):
        add(statement.name, Binding("class", statement, statement=statement))
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            _bind_target(target, statement.value, statement, add)
    elif isinstance(statement, ast.AnnAssign):
        if isinstance(statement.target, ast.Name):
            if statement.value is not None:
                add(statement.target.id, Binding("value", statement.value, statement=statement))
            else:
                add(statement.target.id, Binding("item", None, statement=statement))
    elif isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            if isinstance(item.optional_vars, ast.Name):
                add(item.optional_vars.id, Binding("value", item.context_expr, statement=statement))
        for inner in statement.body:
            collect_bindings(inner, found)
    elif isinstance(statement, ast.For | ast.AsyncFor):
        _bind_target(statement.target, statement.iter, statement, add, item=True)
        for inner in inner_statements(statement):
            collect_bindings(inner, found)
    elif isinstance(statement, ast.If | ast.Try | ast.While):
        for inner in inner_statements(statement):
            collect_bindings(inner, found)


def _bind_target(
    target: ast.expr,
    value: ast.expr,
    statement: ast.stmt,
    add: Callable[[str, Binding], None],
    *,
    item: bool = False,
    key: int | None = None,
) -> None:
    if isinstance(target, ast.Name):
        kind = "item" if item else "value"
        add(target.id, Binding(kind, value, statement=statement, key=key))
    elif isinstance(target, ast.Tuple | ast.List):
        paired = (
            value.elts
            if not item
            and isinstance(value, ast.Tuple | ast.List)
            and len(value.elts) == len(target.elts)
            else None
        )
        for number, element in enumerate(target.elts):
            if paired is not None:
                _bind_target(element, paired[number], statement, add)
            else:
                _bind_target(element, value, statement, add, item=True, key=number)

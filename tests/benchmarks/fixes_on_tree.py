"""What the fixes do to real code: applied to a copy of a tree, and every promise looked at.

`python tests/benchmarks/fixes_on_tree.py TREE...` prints the figures; the exit code is 1 where a
promise is broken. The trees themselves are only read.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.fixes import apply
from idemlint.fixes.layout import limit_of
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from idemlint.diagnostic import Diagnostic, Edit

_CHECK = ("check", "--isolated", "--no-cache", "--preview", "--exit-zero", "--quiet")
_FIX = ("--fix", "--unsafe-fixes")
_Finding = dict[str, Any]


@dataclass(slots=True)
class Rounds:
    """Looks on while fixes are applied: what was fixed, and whether a byte outside changed."""

    first: Counter[tuple[str, str]] | None = None
    count: int = 0
    edits: int = 0
    applied: Counter[tuple[str, str]] = field(default_factory=Counter)
    outside: list[str] = field(default_factory=list)

    def watched(self, once: Callable[..., apply.Round]) -> Callable[..., apply.Round]:
        """`apply_once`, seen from outside."""

        def looked_at(
            diagnostics: Iterable[Diagnostic],
            read: Callable[[Path], bytes | None],
            *,
            unsafe: bool,
        ) -> apply.Round:
            if self.first is None:
                self.first = Counter((str(found.path), found.code) for found in diagnostics)
            done = once(diagnostics, read, unsafe=unsafe)
            self.count += bool(done.fixed)
            self._see(done, read)
            return done

        return looked_at

    def _see(self, done: apply.Round, read: Callable[[Path], bytes | None]) -> None:
        by_path: dict[Path, set[Edit]] = {}
        for diagnostic in done.fixed:
            self.applied[str(diagnostic.path), diagnostic.code] += 1
            for edit in diagnostic.fix.edits if diagnostic.fix is not None else ():
                by_path.setdefault(edit.path, set()).add(edit)
        for path, edits in by_path.items():
            self.edits += len(edits)
            if any(edit.cell is not None for edit in edits):
                continue
            before = read(path)
            assert before is not None
            if not _is_same_outside(path, before, done.contents[path], edits):
                self.outside.append(f"{path}: changed outside of its edits")


def _is_same_outside(path: Path, before: bytes, after: bytes, edits: set[Edit]) -> bool:
    """Whether all that no edit covers follows in the new bytes, in order and unchanged."""
    source = SourceText.decode(path, before)
    at, where = 0, 0
    rest = after
    for edit in sorted(edits, key=lambda edit: edit.range):
        kept = source.text[at : source.offset(edit.range.start)].encode()
        bom = before[: len(before) - len(source.text.encode())] if not at else b""
        if not rest[where:].startswith(bom + kept):
            return False
        where += len(bom) + len(kept)
        content = re.sub(r"\r\n|\r|\n", source.newline, edit.content).encode()
        if not rest[where:].startswith(content):
            return False
        where += len(content)
        at = source.offset(edit.range.end)
    return rest[where:] == source.text[at:].encode()


@dataclass(slots=True)
class Result:
    """The figures of one tree, and each promise that was broken."""

    findings: list[_Finding]
    changed: int = 0
    rounds: Rounds = field(default_factory=Rounds)
    broken: list[str] = field(default_factory=list)
    style: list[str] = field(default_factory=list)


def checked(tree: Path, *options: str) -> list[_Finding]:
    """The findings of a tree, as the command line writes them; with options those that are left."""
    written = _run(*_CHECK, *options, "--output-format", "json", str(tree))
    found: list[_Finding] = json.loads(written)
    return found


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "idemlint", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"idemlint ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def copied(tree: Path, findings: Sequence[_Finding], to: Path, depth: int) -> None:
    """Copy the files and the folders, so many levels down, in which something was found."""
    parts = {Path(entry["filename"]).relative_to(tree).parts[:depth] for entry in findings}
    for names in sorted(parts):
        source, target = tree.joinpath(*names), to.joinpath(*names)
        target.parent.mkdir(parents=True, exist_ok=True)
        for above in target.parents[: len(names) - 1]:
            # what is around a folder stays a package
            init = source.parents[target.parents.index(above)] / "__init__.py"
            if init.is_file() and not (above / "__init__.py").exists():
                shutil.copy2(init, above / "__init__.py")
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.so", ".git")
            shutil.copytree(source, target, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(source, target)


def fixed(tree: Path) -> Rounds:
    """Apply all fixes to a tree in this process, and look on."""
    from idemlint.hosts.cli import run

    rounds = Rounds()
    once = apply.apply_once
    apply.apply_once = rounds.watched(once)
    try:
        if run([*_CHECK, *_FIX, "--fix-only", str(tree)]):
            raise SystemExit(f"idemlint failed in {tree}")
    finally:
        apply.apply_once = once
    return rounds


def promises(tree: Path, *, keep: Path | None, known: Path | None, depth: int) -> Result:
    """Copy what has findings, fix the copy, and look at each promise.

    `known` is the output of an earlier check of the tree.
    """
    found = checked(tree) if known is None else json.loads(known.read_text(encoding="utf-8"))
    result = Result(found)
    with tempfile.TemporaryDirectory() as folder:
        copy = keep or Path(folder)
        copied(tree, found, copy, depth)
        texts = {path: path.read_bytes() for path in copy.rglob("*.py") if path.is_file()}
        result.rounds = fixed(copy)
        changed = {path: path.read_bytes() for path in texts if path.read_bytes() != texts[path]}
        result.changed = len(changed)
        result.broken += result.rounds.outside
        result.broken += _do_not_compile(texts, changed)
        result.broken += _callers_left(copy, texts, changed)
        result.style += _long_lines(texts, changed)
        result.broken += _by_ruff(texts, changed)
        result.broken += _not_gone(checked(copy, *_FIX), result.rounds)
        result.broken += [
            f"{path}: a second run changes it"
            for path in texts
            if path.read_bytes() != changed.get(path, texts[path])
        ]
    return result


def _do_not_compile(texts: Mapping[Path, bytes], changed: Mapping[Path, bytes]) -> Iterator[str]:
    for path, data in changed.items():
        if _tree_of(texts[path]) is not None and _tree_of(data) is None:
            yield f"{path}: does not compile after its fixes"


def _tree_of(data: bytes) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, "file", "exec", dont_inherit=True)
            return ast.parse(data)
        except (SyntaxError, ValueError):
            return None


def _not_gone(after: Sequence[_Finding], rounds: Rounds) -> Iterator[str]:
    """Findings that were fixed and are still there, that are new, or that can be fixed still."""
    old = rounds.first or Counter()
    new = Counter((entry["filename"], entry["code"]) for entry in after)
    for key, count in new.items():
        if count > old[key]:
            yield f"{key[0]}: a new {key[1]}"
        elif count > old[key] - rounds.applied[key]:
            yield f"{key[0]}: {key[1]} is there after its fix"
    for entry in after:
        if _is_applicable(entry):
            place = f"{entry['filename']}:{entry['location']['row']}"
            yield f"{place}: {entry['code']} can be fixed still"


def _is_applicable(finding: _Finding) -> bool:
    fix = finding.get("fix") or {}
    return fix.get("applicability") in ("safe", "unsafe")


# what runs the changed code


def _callers_left(
    copy: Path, texts: Mapping[Path, bytes], changed: Mapping[Path, bytes]
) -> Iterator[str]:
    """Calls that do not give what a changed function now asks for, found by its name.

    A call is taken for one of the function in its own module, by its bare name or through `self`,
    and in a module that imports the name.
    """
    asked: dict[str, list[tuple[Path, str, bool]]] = {}
    for path, data in changed.items():
        old, new = _required(_tree_of(texts[path])), _required(_tree_of(data))
        for name, names in new.items():
            for added in names - old.get(name, names):
                owner, _, last = name.rpartition(".")
                is_method = owner.rpartition(".")[2][:1].isupper()
                asked.setdefault(last, []).append((path, added, is_method))
    pattern = re.compile("|".join(rf"\b{re.escape(n)}\b" for n in asked).encode() or rb"(?!)")
    for path, data in texts.items():
        data = changed.get(path, data)
        tree = _tree_of(data) if pattern.search(data) else None
        if tree is None:
            continue
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for name, argument in _uses(copy, call, asked, path, imported):
                yield f"{path.relative_to(copy)}:{call.lineno}: `{name}` gets no `{argument}`"


def _required(tree: ast.Module | None) -> dict[str, set[str]]:
    """The parameters without a default of each function, by its dotted name."""
    found: dict[str, set[str]] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = child.args
                positional = [*arguments.posonlyargs, *arguments.args]
                names = {a.arg for a in positional[: len(positional) - len(arguments.defaults)]}
                pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                names |= {a.arg for a, default in pairs if default is None}
                found[prefix + child.name] = names
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            else:
                visit(child, prefix)

    if tree is not None:
        visit(tree, "")
    return found


def _uses(
    copy: Path,
    call: ast.Call,
    asked: Mapping[str, list[tuple[Path, str, bool]]],
    path: Path,
    imported: set[str],
) -> Iterator[tuple[str, str]]:
    """The changed functions that a call names, with the argument that it does not give."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    is_own = isinstance(call.func, ast.Name) or (
        isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in ("self", "cls")
    )
    is_passed_on = isinstance(call.func, ast.Attribute) and call.func.attr in (
        "delay", "apply_async", "send", "send_with_options", "submit", "s", "si",
    )  # fmt: skip
    if is_passed_on:
        assert isinstance(call.func, ast.Attribute)
        name, is_own = getattr(call.func.value, "id", ""), True
    is_bare = isinstance(call.func, ast.Name) or is_passed_on
    for where, argument, is_method in asked.get(name, ()):
        if is_method is is_bare:
            continue
        if not is_own or not (where == path or name in imported):
            continue
        if where.relative_to(copy).parts[0] != path.relative_to(copy).parts[0]:
            continue
        written = ast.unparse(call)
        if argument not in written and "**" not in written and "*" not in written:
            yield name, argument


# how the changed code reads


def _long_lines(texts: Mapping[Path, bytes], changed: Mapping[Path, bytes]) -> Iterator[str]:
    """New rows that are longer than the file keeps its rows; a file may keep to no length."""
    for path, data in changed.items():
        before = texts[path].decode(errors="replace")
        old, limit = set(before.splitlines()), limit_of(before)
        for number, row in enumerate(data.decode(errors="replace").splitlines(), 1):
            if limit and len(row) > limit and row not in old:
                yield f"{path}:{number}: {len(row)} characters, {limit} are kept"


def _by_ruff(texts: Mapping[Path, bytes], changed: Mapping[Path, bytes]) -> Iterator[str]:
    """Names that are imported and not used, not defined, or defined twice, and were not before."""
    if shutil.which("ruff") is None or not changed:
        return
    now = _names_at_fault({str(path): data for path, data in changed.items()})
    earlier = _names_at_fault({str(path): texts[path] for path in changed})
    for (name, code, message), count in (now - earlier).items():
        yield f"{name}: {code} {message} ({count} times)"


def _names_at_fault(files: Mapping[str, bytes]) -> Counter[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        names: dict[str, str] = {}
        for number, (name, data) in enumerate(files.items()):
            path = Path(folder, f"m{number}{'_init' if name.endswith('__init__.py') else ''}.py")
            path.write_bytes(data)
            names[str(path)] = name
        done = subprocess.run(
            ["ruff", "check", "--isolated", "--no-cache", "--output-format=json", "--exit-zero",
             "--ignore-noqa", "--select=F401,F811,F821,F841", folder],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found = json.loads(done.stdout)
    return Counter(
        (names[entry["filename"]], entry["code"], re.sub(r"\d+", "", entry["message"]))
        for entry in found
        if entry["filename"] in names
    )


def shown(tree: Path, result: Result, seconds: float) -> str:
    """The figures of one tree."""
    found = result.findings
    carry = sum(bool(e.get("fix") and e["fix"]["edits"]) for e in found)
    can = sum(_is_applicable(e) for e in found)
    rounds = result.rounds
    count = len(found) or 1
    lines = [
        (
            f"{tree.name}: {len(found)} findings, {carry} ({carry / count:.2f}) carry an edit,"
            f" {can} ({can / count:.2f}) one that can be applied"
        ),
        (
            f"  {sum(rounds.applied.values())} fixes with {rounds.edits} edits applied in"
            f" {rounds.count} rounds, {result.changed} files changed ({seconds:.0f} s)"
        ),
        (
            f"  {len(result.style)} new rows longer than their file keeps them,"
            f" {len(result.broken)} broken promises"
        ),
        *(f"    {text}" for text in result.broken),
    ]
    return "\n".join(lines)


def main() -> int:
    """Check each tree; the exit code is 1 where a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE")
    parser.add_argument("--keep", type=Path, help="a new folder for the changed copy")
    parser.add_argument("--long-lines", action="store_true", help="list the new long lines too")
    parser.add_argument("--known", type=Path, help="the JSON that a check of the tree has written")
    parser.add_argument("--depth", type=int, default=1, help="how far down folders are copied")
    options = parser.parse_args()
    is_broken = False
    for tree in options.trees:
        start = time.perf_counter()
        result = promises(
            tree.resolve(), keep=options.keep, known=options.known, depth=options.depth
        )
        print(shown(tree, result, time.perf_counter() - start))
        if options.long_lines:
            print(*(f"    {text}" for text in result.style), sep="\n")
        is_broken = is_broken or bool(result.broken)
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main())

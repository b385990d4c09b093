"""Code with marks, laid out as projects of its own, checked and fixed in one run.

`#! IDM101` ends the line on which a finding starts, `#! IDM101 IDM401` one on which two do. A real
fault that is not found yet is marked `#! missed IDM101`. Marks are taken out before the code is
checked. A rule counts from the moment its visitor is there.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from idemlint import catalogue
from idemlint.config.discovery import Overrides, Resolver
from idemlint.config.layer import Layer
from idemlint.diagnostic import Applicability
from idemlint.fixes.apply import FixResult, apply_all, apply_once
from idemlint.linter import Target, check
from idemlint.output import renderer
from idemlint.output.report import OutputReport
from idemlint.output.unified_diff import unified_diff
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from idemlint.diagnostic import Diagnostic

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "fixtures"
SUPPRESSION_RULES = "IDM0"
_CODE = r"IDM\d{3}"
_MARK = re.compile(rf"[ \t]*#!(?P<missed> missed)?(?P<codes>(?: {_CODE})+)$", re.MULTILINE)
_PROJECT = "setup.cfg"  # makes a folder a project, and configures nothing


@functools.cache
def built_rules() -> frozenset[str]:
    """The codes of all rules that can report something."""
    return frozenset(
        rule.code
        for rule in catalogue.rules().values()
        if rule.code.startswith(SUPPRESSION_RULES)
        or importlib.util.find_spec(f"idemlint.visitors.{rule.module}")
    )


@dataclass(frozen=True, order=True)
class Mark:
    """Where a finding starts."""

    file: str
    row: int
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.row} {self.code}"


@dataclass(frozen=True)
class Unit:
    """A small project: its files, with their marks, by their names."""

    name: str
    files: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> Unit:
        """A fixture: one file, or a folder."""
        if path.is_file():
            files = {path.name: path.read_text(encoding="utf-8")}
        else:
            files = {
                file.relative_to(path).as_posix(): file.read_text(encoding="utf-8")
                for file in sorted(path.rglob("*"))
                if file.is_file() and "__pycache__" not in file.parts
            }
        return cls(f"{path.parent.name}/{path.stem}", files)

    @property
    def marks(self) -> frozenset[Mark]:
        """What has to be found, as far as its rules are there."""
        return self._marks(is_missed=False)

    @property
    def missed(self) -> frozenset[Mark]:
        """What is known not to be found."""
        return self._marks(is_missed=True)

    def waits_for(self) -> frozenset[str]:
        """The codes that stand in the code and whose rules are not there yet."""
        named = {code for text in self.files.values() for code in re.findall(_CODE, text)}
        return frozenset(named & catalogue.rules().keys() - built_rules())

    def plain(self) -> dict[str, str]:
        """The files without marks."""
        return {name: _MARK.sub("", text) for name, text in self.files.items()}

    def _marks(self, *, is_missed: bool) -> frozenset[Mark]:
        return frozenset(
            Mark(name, row, code)
            for name, text in self.files.items()
            for row, line in enumerate(text.splitlines(), start=1)
            for mark in _MARK.finditer(line)
            if bool(mark["missed"]) is is_missed
            for code in mark["codes"].split()
            if code in built_rules()
        )


def fixtures() -> list[Unit]:
    """All fixtures, in the order of their names."""
    return [
        Unit.read(path)
        for path in sorted(FIXTURES.glob("IDM*/*"))
        if path.suffix in ("", ".py") and path.name != "__pycache__"
    ]


def blocks(page: Path, heading: str = "") -> list[str]:
    """The blocks of Python on a page, or below one of its headings."""
    text = page.read_text(encoding="utf-8")
    if heading:
        text = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


Texts = dict[str, bytes]
"""The bytes of the files of a unit, by their names."""


class Tree:
    """Units on the disk, each a project of its own, that are checked and fixed together."""

    def __init__(self, root: Path, units: Mapping[str, Texts], *, is_isolated: bool = True) -> None:
        self.root = root
        self._folders: dict[str, list[Path]] = {}
        for name, texts in units.items():
            folder = root / name
            folder.mkdir(parents=True)
            (folder / _PROJECT).touch()
            self._folders[name] = [folder / file for file in sorted(texts) if file.endswith(".py")]
            for file, data in texts.items():
                path = folder / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        overrides = Overrides(is_isolated=is_isolated, flags=Layer(preview=True))
        self._resolver = Resolver(root, overrides)
        self.warnings: list[str] = []

    @functools.cached_property
    def found(self) -> tuple[Diagnostic, ...]:
        """What is found, in order."""
        return self.check()

    @functools.cached_property
    def fixed(self) -> FixResult:
        """What all fixes make of it, unsafe ones too, until none is left."""
        return apply_all(self.found, self._read, self.check, unsafe=True)

    def check(self, contents: Mapping[Path, bytes] | None = None) -> tuple[Diagnostic, ...]:
        """What is found, with `contents` in the place of files."""
        given = contents or {}
        targets = [
            Target(str(path), self._resolver.settings_for(path), given.get(path))
            for folder in self._folders.values()
            for path in folder
        ]
        report = check(targets, cache=False, searched=[str(self.root)])
        self.warnings += report.warnings
        return tuple(entry for entry in report.diagnostics if _is_built(entry))

    def found_in(self, unit: str) -> list[Diagnostic]:
        """What is found in one unit."""
        return self._found_by_unit[unit]

    def left_in(self, unit: str) -> list[Diagnostic]:
        """What is left in one unit after all fixes."""
        return self._left_by_unit[unit]

    def marks_in(self, unit: str) -> frozenset[Mark]:
        """What is found in one unit, in the form of marks."""
        folder = self.root / unit
        return frozenset(
            Mark(entry.path.relative_to(folder).as_posix(), entry.range.start.row, entry.code)
            for entry in self.found_in(unit)
        )

    def fixed_texts(self, unit: str) -> dict[str, str]:
        """The files of one unit after all fixes."""
        folder = self.root / unit
        contents = self.fixed.contents
        return {
            path.relative_to(folder).as_posix(): contents.get(path, path.read_bytes()).decode()
            for path in self._folders[unit]
        }

    def output(self, unit: str) -> str:
        """The findings of one unit in full, and the difference that all fixes make."""
        folder = self.root / unit
        stream = io.StringIO()
        report = OutputReport(
            self.found_in(unit),
            folder,
            lambda path: SourceText.decode(path, path.read_bytes()),
            unsafe_fixes=True,
        )
        renderer("full")(report, stream)
        diffs = [
            unified_diff(name, (folder / name).read_bytes().decode(), text)
            for name, text in sorted(self.fixed_texts(unit).items())
        ]
        return f"{stream.getvalue()}\n{''.join(diffs)}".rstrip("\n") + "\n"

    @functools.cached_property
    def _found_by_unit(self) -> dict[str, list[Diagnostic]]:
        return self._by_unit(self.found)

    @functools.cached_property
    def _left_by_unit(self) -> dict[str, list[Diagnostic]]:
        return self._by_unit(self.fixed.diagnostics)

    def _by_unit(self, diagnostics: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
        units = {path: name for name, folder in self._folders.items() for path in folder}
        found: dict[str, list[Diagnostic]] = {name: [] for name in self._folders}
        for entry in diagnostics:
            found[units[entry.path]].append(entry)
        return found

    def _read(self, path: Path) -> bytes | None:
        is_ours = any(path in folder for folder in self._folders.values())
        return path.read_bytes() if is_ours else None


def _is_built(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in built_rules() or not diagnostic.code.startswith("IDM")


def is_fixable(diagnostic: Diagnostic) -> bool:
    """Whether a finding has a fix that is applied, with `--unsafe-fixes` at least."""
    return diagnostic.fix is not None and diagnostic.fix.applicability > Applicability.DISPLAY


def fixed_alone(
    diagnostic: Diagnostic, folder: Path, texts: Mapping[str, bytes]
) -> tuple[Texts, Sequence[str]]:
    """The files after the fix of one finding, and what there is to say of it."""

    def read(path: Path) -> bytes | None:
        return texts.get(path.relative_to(folder).as_posix())

    done = apply_once([diagnostic], read, unsafe=True)
    changed = {path.relative_to(folder).as_posix(): data for path, data in done.contents.items()}
    return {**texts, **changed}, done.messages


def _with_tabs(text: str) -> str:
    return re.sub(
        r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text, flags=re.MULTILINE
    )


FORMS: dict[str, Callable[[str], str]] = {
    "as_written": lambda text: text,
    "carriage_returns": lambda text: text.replace("\n", "\r\n"),
    "tabs": _with_tabs,
    "byte_order_mark": lambda text: f"\ufeff{text}",
    "form_feeds": lambda text: text.replace("\n\n\n", "\n\n\f\n"),
    "no_final_newline": lambda text: text.rstrip("\n"),
}
"""Other forms of the same code: a fix has to leave each of them as it is."""

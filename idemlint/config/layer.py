"""One layer of settings: what a file, a `--config` pair or the flags say, and nothing else.

In a layer `None` means that nothing is said. Layers are combined from the weakest to the strongest;
only `idemlint.config.settings` fills in defaults.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from idemlint.config.patterns import Pattern

__all__ = ["EMPTY", "FileIgnores", "KnowledgeTable", "Layer", "Selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The selectors of one layer; `source` names it in messages, such as `the CLI`."""

    source: str
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    fixable: tuple[str, ...] | None = None
    extend_fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    extend_unfixable: tuple[str, ...] = ()
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileIgnores:
    """Selectors that are off in the files of a pattern, or with `is_negated` in all others."""

    pattern: Pattern
    is_negated: bool
    selectors: tuple[str, ...]
    option: str
    source: str


@dataclass(frozen=True, slots=True)
class KnowledgeTable:
    """A table of `[tool.idemlint.knowledge]` as it was read; its loader checks what is in it.

    `name` is the key below `knowledge`; each table of an array stands alone. `path` and the 1-based
    `row` are where it begins, `path` is `None` for settings that came from no file.
    """

    name: str
    columns: dict[str, Any]
    path: Path | None
    row: int


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place says. Fields have the names of the options."""

    cache_dir: Path | None = None
    output_format: str | None = None
    fix: bool | None = None
    unsafe_fixes: bool | None = None
    fix_only: bool | None = None
    show_fixes: bool | None = None
    preview: bool | None = None
    exclude: tuple[Pattern, ...] | None = None
    extend_exclude: tuple[Pattern, ...] = ()
    include: tuple[Pattern, ...] | None = None
    extend_include: tuple[Pattern, ...] = ()
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    extension: tuple[tuple[str, str], ...] | None = None
    target_version: tuple[int, int] | None = None
    src: tuple[Path, ...] | None = None
    line_length: int | None = None
    lint_exclude: tuple[Pattern, ...] | None = None
    lint_preview: bool | None = None
    explicit_preview_rules: bool | None = None
    external: tuple[str, ...] | None = None
    per_file_ignores: tuple[FileIgnores, ...] | None = None
    extend_per_file_ignores: tuple[FileIgnores, ...] = ()
    selections: tuple[Selection, ...] = ()
    knowledge: tuple[KnowledgeTable, ...] = ()

    def over(self, weaker: Layer) -> Layer:
        """Both layers as one: what this says wins, lists that extend are joined, weaker first."""
        changes: dict[str, Any] = {}
        for field in fields(Layer):
            mine, theirs = getattr(self, field.name), getattr(weaker, field.name)
            if isinstance(field.default, tuple):
                changes[field.name] = theirs + mine
            elif mine is None:
                changes[field.name] = theirs
        return replace(self, **changes)


EMPTY = Layer()

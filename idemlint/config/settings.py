"""What one file is checked with: all layers settled, nothing left open."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from idemlint.config.layer import KnowledgeTable, Layer
from idemlint.config.options import (
    DEFAULT_EXCLUDE,
    DEFAULT_INCLUDE,
    DEFAULT_LINE_LENGTH,
    DEFAULT_TARGET_VERSION,
)
from idemlint.config.patterns import Pattern, PatternSet
from idemlint.config.selectors import PreviewMode, choose, codes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.config.layer import FileIgnores

__all__ = ["CACHE_FOLDER", "Origin", "PerFileIgnore", "Settings", "settle"]

CACHE_FOLDER = ".idemlint_cache"

_LANGUAGES = {".pyi": "pyi", ".ipynb": "ipynb"}

_NOT_FOR_FINDINGS = frozenset(
    {
        "borrowed_from",
        "borrowed_keys",
        "cache_dir",
        "config_path",
        "exclude",
        "fix",
        "fix_only",
        "force_exclude",
        "include",
        "lint_exclude",
        "origin",
        "output_format",
        "respect_gitignore",
        "show_fixes",
        "unsafe_fixes",
        "warnings",
    }
)
"""Settings that decide which files are checked or what is done with findings, not what is found."""


class Origin(enum.Enum):
    """Where settings come from."""

    PROJECT = "project"
    """A configuration file at or above the file."""
    COMMAND_LINE = "command line"
    """The file of `--config`."""
    USER = "user"
    """The user's own configuration."""
    DEFAULT = "default"
    """No configuration."""


@dataclass(frozen=True, slots=True)
class PerFileIgnore:
    """Codes that are off in the files that `files` matches, with `is_negated` in all others."""

    files: PatternSet
    is_negated: bool
    codes: frozenset[str]

    def applies_to(self, path: Path) -> bool:
        """Whether the codes are off in the file at this absolute path."""
        return self.files.matches(str(path), path.name) is not self.is_negated


@dataclass(frozen=True)
class Settings:
    """The settings of a file. All paths are absolute.

    `root` is the directory from which the configuration's paths count, and where results are kept
    unless `cache_dir` says otherwise. `rules` run; the fixes of `fixable` may be applied;
    `forced_safe` and `forced_unsafe` are codes whose fixes change their applicability.
    `unsafe_fixes` is `None` where nothing is said. `exclude` and `include` hold the lists that
    extend them, too. Where a project has no configuration of ours, `borrowed_keys` were taken from
    Ruff's, `borrowed_from`.
    """

    root: Path
    config_path: Path | None
    origin: Origin
    rules: frozenset[str]
    fixable: frozenset[str]
    forced_safe: frozenset[str]
    forced_unsafe: frozenset[str]
    per_file_ignores: tuple[PerFileIgnore, ...]
    external: tuple[str, ...]
    preview: bool
    explicit_preview_rules: bool
    target_version: tuple[int, int]
    src: tuple[Path, ...]
    line_length: int
    extension: tuple[tuple[str, str], ...]
    knowledge: tuple[KnowledgeTable, ...]
    exclude: PatternSet
    include: PatternSet
    lint_exclude: PatternSet
    force_exclude: bool
    respect_gitignore: bool
    cache_dir: Path
    output_format: str
    fix: bool
    fix_only: bool
    unsafe_fixes: bool | None
    show_fixes: bool
    warnings: tuple[str, ...]
    borrowed_from: Path | None = None
    borrowed_keys: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @functools.cached_property
    def fingerprint(self) -> str:
        """A short digest of all that changes findings; the same in every run."""
        from hashlib import blake2b

        parts = [
            (field.name, _plain(getattr(self, field.name)))
            for field in fields(self)
            if field.name not in _NOT_FOR_FINDINGS
        ]
        return blake2b(repr(parts).encode(), digest_size=10).hexdigest()

    def rules_for(self, path: Path) -> frozenset[str]:
        """The codes that run in the file at this absolute path."""
        off = [entry.codes for entry in self.per_file_ignores if entry.applies_to(path)]
        return self.rules.difference(*off)

    def language_of(self, path: Path) -> str:
        """How a file is to be read: `python`, `pyi` or `ipynb`; an unknown extension is Python."""
        suffix = path.suffix
        return dict(self.extension).get(suffix[1:]) or _LANGUAGES.get(suffix, "python")


def settle(
    layer: Layer,
    root: Path,
    *,
    config_path: Path | None = None,
    origin: Origin = Origin.DEFAULT,
) -> Settings:
    """Fill in the defaults; raises `ConfigError` for unknown selectors and unreadable patterns."""
    mode = _preview_mode(layer)
    choice = choose(layer.selections, mode)
    ignores = (*(layer.per_file_ignores or ()), *layer.extend_per_file_ignores)
    fix_only = bool(layer.fix_only)
    return Settings(
        root=root,
        config_path=config_path,
        origin=origin,
        rules=choice.rules,
        fixable=choice.fixable,
        forced_safe=choice.forced_safe,
        forced_unsafe=choice.forced_unsafe,
        per_file_ignores=tuple(map(_per_file_ignore, ignores)),
        external=layer.external or (),
        preview=mode.is_enabled,
        explicit_preview_rules=mode.is_explicit,
        target_version=layer.target_version or DEFAULT_TARGET_VERSION,
        src=(root, root / "src") if layer.src is None else layer.src,
        line_length=layer.line_length or DEFAULT_LINE_LENGTH,
        extension=layer.extension or (),
        knowledge=layer.knowledge,
        exclude=_patterns(layer.exclude, DEFAULT_EXCLUDE, layer.extend_exclude, root),
        include=_patterns(layer.include, DEFAULT_INCLUDE, layer.extend_include, root),
        lint_exclude=PatternSet(layer.lint_exclude or ()),
        force_exclude=bool(layer.force_exclude),
        respect_gitignore=layer.respect_gitignore is not False,
        cache_dir=layer.cache_dir or root / CACHE_FOLDER,
        output_format=layer.output_format or "full",
        fix=bool(layer.fix) or fix_only,
        fix_only=fix_only,
        unsafe_fixes=layer.unsafe_fixes,
        show_fixes=bool(layer.show_fixes),
        warnings=choice.warnings,
    )


def _preview_mode(layer: Layer) -> PreviewMode:
    preview = layer.preview if layer.lint_preview is None else layer.lint_preview
    return PreviewMode(bool(preview), bool(layer.explicit_preview_rules))


def _per_file_ignore(entry: FileIgnores) -> PerFileIgnore:
    codes = codes_of(entry.selectors, entry.option, entry.source)
    return PerFileIgnore(PatternSet((entry.pattern,)), entry.is_negated, codes)


def _patterns(
    given: tuple[Pattern, ...] | None,
    default: Sequence[str],
    extend: tuple[Pattern, ...],
    root: Path,
) -> PatternSet:
    if given is None:
        given = tuple(Pattern(text, str(root)) for text in default)
    return PatternSet(given + extend)


def _plain(value: Any) -> object:
    """`value` so that equal ones have equal texts."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return sorted((str(key), _plain(item)) for key, item in value.items())
    if isinstance(value, PerFileIgnore):
        return [_plain(value.files.patterns), value.is_negated, _plain(value.codes)]
    if isinstance(value, Pattern):
        return [value.text, value.root]
    if isinstance(value, KnowledgeTable):
        return [value.name, _plain(value.columns), str(value.path), value.row]
    return str(value) if isinstance(value, Path) else repr(value)

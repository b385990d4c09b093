"""`--show-settings`: the settings of a file as text, in the order and the words of Ruff."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from idemlint import catalogue
from idemlint.config.errors import ConfigError
from idemlint.config.settings import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.config.patterns import PatternSet
    from idemlint.config.settings import PerFileIgnore, Settings
    from idemlint.hosts.inputs import Inputs

__all__ = ["settings_text", "show_settings"]

_UNSAFE = {None: "hint", True: "enabled", False: "disabled"}


def show_settings(inputs: Inputs, stream: TextIO) -> int:
    """Write the settings of the first file; raises `ConfigError` where there is none."""
    if not inputs.files:
        raise ConfigError("No files found under the given path")
    file = inputs.files[0]
    stream.write(f'Resolved settings for: "{file.path}"\n{settings_text(file.settings)}')
    return 0


def settings_text(settings: Settings) -> str:
    """Settings as lines `name = value`, grouped under headings."""
    return "".join(f"{line}\n" for line in _lines(settings))


def _lines(settings: Settings) -> Iterator[str]:
    if settings.config_path is not None:
        yield f'Settings path: "{settings.config_path}"'
    if settings.borrowed_from is not None:
        keys = ", ".join(settings.borrowed_keys) or "nothing"
        yield f'Taken from Ruff: {keys} (no idemlint configuration; "{settings.borrowed_from}")'
    elif settings.origin is Origin.DEFAULT:
        yield "No configuration found, these are the defaults"
    yield from ("", "# General Settings")
    yield f'cache_dir = "{settings.cache_dir}"'
    yield f"fix = {_bool(settings.fix)}"
    yield f"fix_only = {_bool(settings.fix_only)}"
    yield f"output_format = {settings.output_format}"
    yield f"show_fixes = {_bool(settings.show_fixes)}"
    yield f"unsafe_fixes = {_UNSAFE[settings.unsafe_fixes]}"
    yield from ("", "# File Resolver Settings")
    yield from _list("file_resolver.exclude", _patterns(settings.exclude))
    yield f"file_resolver.force_exclude = {_bool(settings.force_exclude)}"
    yield from _list("file_resolver.include", _patterns(settings.include))
    yield f"file_resolver.respect_gitignore = {_bool(settings.respect_gitignore)}"
    yield f'file_resolver.project_root = "{settings.root}"'
    yield from ("", "# Linter Settings")
    yield from _list("linter.exclude", _patterns(settings.lint_exclude))
    yield f'linter.project_root = "{settings.root}"'
    yield from _list("linter.rules.enabled", _rules(settings.rules))
    yield from _list("linter.rules.should_fix", _rules(settings.rules & settings.fixable))
    yield from _ignores(settings.per_file_ignores)
    yield from _list("linter.safety_table.forced_safe", _rules(settings.forced_safe))
    yield from _list("linter.safety_table.forced_unsafe", _rules(settings.forced_unsafe))
    yield f"linter.target_version = {'.'.join(map(str, settings.target_version))}"
    yield f"linter.preview = {'enabled' if settings.preview else 'disabled'}"
    yield f"linter.explicit_preview_rules = {_bool(settings.explicit_preview_rules)}"
    yield from _list("linter.extension", [f"{key}: {name}" for key, name in settings.extension])
    yield from _list("linter.external", settings.external)
    yield from _list("linter.src", [f'"{place}"' for place in settings.src])
    yield f"linter.line_length = {settings.line_length}"
    rows = [f"{table.name} ({table.path}:{table.row})" for table in settings.knowledge]
    yield from _list("linter.knowledge", rows)


def _list(name: str, items: Iterable[str]) -> Iterator[str]:
    items = list(items)
    if not items:
        yield f"{name} = []"
        return
    yield f"{name} = ["
    yield from (f"\t{item}," for item in items)
    yield "]"


def _ignores(entries: Iterable[PerFileIgnore]) -> Iterator[str]:
    entries = list(entries)
    if not entries:
        yield "linter.per_file_ignores = {}"
        return
    yield "linter.per_file_ignores = {"
    for entry in entries:
        (pattern,) = entry.files.patterns
        sign = "!" if entry.is_negated else ""
        yield f'\t"{sign}{pattern.absolute}" = [{", ".join(_rules(entry.codes))}],'
    yield "}"


def _rules(codes: Iterable[str]) -> list[str]:
    rules = catalogue.rules()
    return [f"{rules[code].name} ({code})" for code in sorted(codes)]


def _patterns(patterns: PatternSet) -> list[str]:
    return [f'"{pattern.text}"' for pattern in patterns.patterns]


def _bool(value: bool) -> str:
    return str(value).lower()

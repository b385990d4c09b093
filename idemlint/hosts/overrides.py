"""From the flags of a command to what stands above the configuration files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from idemlint.config.discovery import Overrides
from idemlint.config.document import TomlDocument
from idemlint.config.errors import ConfigError, TomlError
from idemlint.config.layer import EMPTY, FileIgnores, Layer, Selection
from idemlint.config.patterns import Pattern
from idemlint.config.reader import Origin, read_layer, version_number
from idemlint.hosts.usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.hosts.check import CheckArguments

__all__ = ["overrides_of"]

_SOURCE = "the CLI"
_TIP = """  tip: A `--config` flag must either be a path to a `.toml` configuration file
       or a TOML `<KEY> = <VALUE>` pair overriding a specific configuration
       option"""


def overrides_of(arguments: CheckArguments, cwd: Path) -> Overrides:
    """What the arguments say about settings; raises a usage error or `ConfigError`."""
    files: list[str] = []
    inline = EMPTY
    for value in arguments.shared.config:
        path = cwd / value
        if value.endswith(".toml") and path.is_file():
            files.append(value)
        else:
            # Of two that set the same key the first one wins, as with Ruff.
            inline = inline.over(_inline_layer(value, cwd))
    _refuse_files(files, is_isolated=arguments.shared.isolated)
    return Overrides(
        config_file=Path(os.path.normpath(cwd / files[0])) if files else None,
        is_isolated=arguments.shared.isolated,
        inline=inline,
        flags=_flags_layer(arguments, cwd),
    )


def _inline_layer(text: str, cwd: Path) -> Layer:
    if text.endswith(".toml") and "=" not in text:
        _refuse(
            text,
            "\n\nIt looks like you were trying to pass a path to a configuration file.\n"
            f"The path `{text}` does not point to a configuration file",
        )
    if "=" not in text:
        _refuse(text)
    try:
        document = TomlDocument.parse(text)
    except TomlError as error:
        _refuse(text, f"\n\nThe supplied argument is not valid TOML:\n\n{error}".rstrip("\n"))
    try:
        return read_layer(document.data, Origin(_SOURCE, cwd), document)[0]
    except TomlError as error:
        _refuse(
            text,
            "\n\nCould not parse the supplied argument as an `idemlint.toml` configuration"
            f" option:\n\n{error.frameless}",
        )


def _refuse(text: str, reason: str = "") -> NoReturn:
    raise UsageError(f"invalid value '{text}' for '--config <CONFIG_OPTION>'\n\n{_TIP}{reason}")


def _refuse_files(files: Sequence[str], *, is_isolated: bool) -> None:
    more = "For more information, try `--help`."
    if len(files) > 1:
        raise ConfigError(
            "You cannot specify more than one configuration file on the command line.\n\n"
            f"  tip: remove either `--config={files[0]}` or `--config={files[1]}`.\n"
            f"       {more}\n"
        )
    if files and is_isolated:
        raise ConfigError(
            f"The argument `--config={files[0]}` cannot be used with `--isolated`\n\n"
            "  tip: You cannot specify a configuration file and also specify `--isolated`,\n"
            "       as `--isolated` causes idemlint to ignore all configuration files.\n"
            f"       {more}\n"
        )


def _flags_layer(given: CheckArguments, cwd: Path) -> Layer:
    target = given.target_version
    cache_dir = given.cache_dir
    return Layer(
        cache_dir=None if cache_dir is None else Path(os.path.normpath(cwd / cache_dir)),
        output_format=given.output_format,
        fix=given.fix,
        unsafe_fixes=given.unsafe_fixes,
        fix_only=given.fix_only,
        show_fixes=given.show_fixes,
        preview=given.preview,
        lint_preview=given.preview,
        exclude=_patterns(given.exclude, cwd),
        extend_exclude=_patterns(given.extend_exclude, cwd) or (),
        force_exclude=given.force_exclude,
        respect_gitignore=given.respect_gitignore,
        extension=given.extension,
        target_version=None if target is None else version_number(target),
        per_file_ignores=_file_ignores(given.per_file_ignores, "per-file-ignores", cwd),
        extend_per_file_ignores=_file_ignores(
            given.extend_per_file_ignores, "extend-per-file-ignores", cwd
        )
        or (),
        selections=_selections(given),
    )


def _patterns(texts: Sequence[str] | None, cwd: Path) -> tuple[Pattern, ...] | None:
    return None if texts is None else tuple(Pattern(text, str(cwd)) for text in texts)


def _file_ignores(
    pairs: Sequence[tuple[str, str]] | None, option: str, cwd: Path
) -> tuple[FileIgnores, ...] | None:
    if pairs is None:
        return None
    return tuple(
        FileIgnores(
            Pattern(text.removeprefix("!"), str(cwd)),
            text.startswith("!"),
            (selector,),
            option,
            _SOURCE,
        )
        for text, selector in pairs
    )


def _selections(given: CheckArguments) -> tuple[Selection, ...]:
    selection = Selection(
        _SOURCE,
        select=given.select,
        extend_select=given.extend_select or (),
        ignore=given.ignore or (),
        extend_ignore=given.extend_ignore or (),
        fixable=given.fixable,
        extend_fixable=given.extend_fixable or (),
        unfixable=given.unfixable or (),
        extend_unfixable=given.extend_unfixable or (),
    )
    return () if selection == Selection(_SOURCE) else (selection,)

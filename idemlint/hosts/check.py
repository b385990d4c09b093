"""`idemlint check`: its options. What it does is in `idemlint.hosts.check_run`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from idemlint.config.options import LANGUAGES, OUTPUT_FORMATS, TARGET_VERSIONS
from idemlint.hosts import completion
from idemlint.hosts.command import Command
from idemlint.hosts.console import GlobalOptions, global_values
from idemlint.hosts.usage import Argument, CommaList, FileName, OneOf, Option, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["CheckArguments", "arguments_of", "command"]

_RULES = "Rule selection"
_FILES = "File selection"
_MISC = "Miscellaneous"
_CODES = "RULE_CODE"
_LIST = CommaList()
_INSTEAD_OF_CHECKING = (
    "--watch",
    "--statistics",
    "--add-noqa",
    "--update-baseline",
    "--ignore-noqa",
    "--stdin-filename",
)
"""What is of no use beside a flag that only shows something."""
_SHARED = {field.name for field in fields(GlobalOptions)}


@dataclass(frozen=True, slots=True)
class CheckArguments:
    """The arguments as they were given; `None` where a flag of a pair was not."""

    files: tuple[str, ...]
    fix: bool | None
    unsafe_fixes: bool | None
    show_fixes: bool | None
    diff: bool
    watch: bool
    fix_only: bool | None
    ignore_noqa: bool
    output_format: str | None
    output_file: str | None
    target_version: str | None
    preview: bool | None
    extension: tuple[tuple[str, str], ...] | None
    statistics: bool
    add_noqa: str | None
    baseline: str | None
    update_baseline: bool
    show_files: bool
    show_settings: bool
    select: tuple[str, ...] | None
    ignore: tuple[str, ...] | None
    extend_select: tuple[str, ...] | None
    extend_ignore: tuple[str, ...] | None
    per_file_ignores: tuple[tuple[str, str], ...] | None
    extend_per_file_ignores: tuple[tuple[str, str], ...] | None
    fixable: tuple[str, ...] | None
    unfixable: tuple[str, ...] | None
    extend_fixable: tuple[str, ...] | None
    extend_unfixable: tuple[str, ...] | None
    exclude: tuple[str, ...] | None
    extend_exclude: tuple[str, ...] | None
    respect_gitignore: bool | None
    force_exclude: bool | None
    no_cache: bool
    cache_dir: str | None
    stdin_filename: str | None
    exit_zero: bool
    exit_non_zero_on_fix: bool
    shared: GlobalOptions


def arguments_of(ctx: click.Context) -> CheckArguments:
    """The arguments that were parsed in a context of this command."""
    own = {name: value for name, value in ctx.params.items() if name not in _SHARED}
    return CheckArguments(**own, shared=global_values(ctx))


@click.pass_context
def _run(ctx: click.Context, /, **given: Any) -> int:
    from idemlint.hosts.check_run import run_check

    return run_check(arguments_of(ctx))


def _joined(
    ctx: click.Context, param: click.Parameter, value: Sequence[tuple[Any, ...]]
) -> tuple[Any, ...] | None:
    """The items of a list that was given in several parts; `None` if it was not given."""
    return tuple(item for part in value for item in part) if value else None


def _pairs(
    noun: str, choices: tuple[str, ...] = ()
) -> Callable[[click.Context, click.Parameter, Sequence[tuple[str, ...]]], Any]:
    """Split the items of a list at their colon."""

    def split(
        ctx: click.Context, param: click.Parameter, value: Sequence[tuple[str, ...]]
    ) -> tuple[tuple[str, str], ...] | None:
        items = _joined(ctx, param, value)
        return None if items is None else tuple(pair(ctx, param, item) for item in items)

    def pair(ctx: click.Context, param: click.Parameter, item: str) -> tuple[str, str]:
        label = param.label(param.long_name) if isinstance(param, Option) else ""
        wrong = f"invalid value '{item}' for '{label}': "
        if item.count(":") != 1:
            raise UsageError(f"{wrong}Expected {noun} pattern", ctx)
        key, said = (part.strip() for part in item.split(":"))
        if choices and said not in choices:
            listed = ", ".join(f"`{choice}`" for choice in choices[:-1])
            known = f"Expected one of {listed}, or `{choices[-1]}`."
            raise UsageError(f"{wrong}Unrecognized language: `{said}`. {known}", ctx)
        return key, said

    return split


def _named(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if "" in value:
        raise UsageError("a value is required for '[FILES]...' but none was supplied", ctx)
    return value


def _flag(*names: str, help: str, **more: Any) -> Option:  # noqa: A002
    return Option(list(names), is_flag=True, help=help, **more)


def _pair(name: str, help: str, **more: Any) -> Option:  # noqa: A002
    return Option([f"--{name}/--no-{name}"], default=None, help=help, **more)


def _codes(name: str, help: str, **more: Any) -> Option:  # noqa: A002
    return Option(
        [name],
        metavar=_CODES,
        type=_LIST,
        multiple=True,
        callback=_joined,
        shell_complete=completion.selectors,
        heading=_RULES,
        help=help,
        **more,
    )


def _ignores(name: str, help: str) -> Option:  # noqa: A002
    return Option(
        [name],
        metavar=name[2:].replace("-", "_").upper(),
        type=_LIST,
        multiple=True,
        callback=_pairs("<FilePattern>:<RuleCode>"),
        heading=_RULES,
        help=help,
    )


def _patterns(name: str, help: str) -> Option:  # noqa: A002
    return Option(
        [name],
        metavar="FILE_PATTERN",
        type=_LIST,
        multiple=True,
        callback=_joined,
        heading=_FILES,
        help=help,
    )


command = Command(
    name="check",
    help="Run idemlint on the given files or directories",
    usage="[OPTIONS] [FILES]...",
    callback=_run,
    params=[
        Argument(
            ["files"],
            nargs=-1,
            type=FileName(),
            callback=_named,
            help="List of files or directories to check, or `-` to read from stdin [default: .]",
        ),
        _pair(
            "fix",
            "Apply fixes to resolve lint violations. Use `--no-fix` to disable or"
            " `--unsafe-fixes` to include unsafe fixes",
        ),
        _pair(
            "unsafe-fixes",
            "Include fixes that may not retain the original intent of the code. Use"
            " `--no-unsafe-fixes` to disable",
        ),
        _pair(
            "show-fixes",
            "Show an enumeration of all fixed lint violations. Use `--no-show-fixes` to disable",
        ),
        _flag(
            "--diff",
            conflicts=["--show-fixes", "--statistics"],
            help="Avoid writing any fixed files back; instead, output a diff for each changed file"
            " to stdout, and exit 0 if there are no diffs. Implies `--fix-only`",
        ),
        _flag("-w", "--watch", help="Run in watch mode by re-running whenever files change"),
        _pair(
            "fix-only",
            "Apply fixes to resolve lint violations, but don't report on, or exit non-zero for,"
            " leftover violations. Implies `--fix`. Use `--no-fix-only` to disable or"
            " `--unsafe-fixes` to include unsafe fixes",
        ),
        _flag("--ignore-noqa", help="Ignore any `# noqa` comments"),
        Option(
            ["--output-format"],
            metavar="OUTPUT_FORMAT",
            type=OneOf(OUTPUT_FORMATS),
            envvar="IDEMLINT_OUTPUT_FORMAT",
            help="Output serialization format for violations. The default serialization format is"
            ' "full"',
        ),
        Option(
            ["-o", "--output-file"],
            metavar="OUTPUT_FILE",
            type=FileName(),
            envvar="IDEMLINT_OUTPUT_FILE",
            help="Specify file to write the linter output to (default: stdout)",
        ),
        Option(
            ["--target-version"],
            metavar="TARGET_VERSION",
            type=OneOf(TARGET_VERSIONS),
            help="The minimum Python version that should be supported",
        ),
        _pair(
            "preview",
            "Enable preview mode; checks will include unstable rules and fixes. Use `--no-preview`"
            " to disable",
        ),
        Option(
            ["--extension"],
            metavar="EXTENSION",
            type=_LIST,
            multiple=True,
            callback=_pairs("<Extension>:<LanguageCode>", LANGUAGES),
            help="List of mappings from file extension to language (one of `python`, `ipynb`,"
            " `pyi`). For example, to treat `.ipy` files as IPython notebooks, use"
            " `--extension ipy:ipynb`",
        ),
        _flag(
            "--statistics",
            conflicts=["--watch"],
            help="Show counts for every rule with at least one violation",
        ),
        Option(
            ["--add-noqa"],
            metavar="REASON",
            optional_value=True,
            conflicts=[
                "--fix",
                "--diff",
                "--watch",
                "--statistics",
                "--ignore-noqa",
                "--stdin-filename",
            ],
            help="Enable automatic additions of `noqa` directives to failing lines. Optionally"
            " provide a reason to append after the codes",
        ),
        Option(
            ["--baseline"],
            metavar="FILE",
            type=FileName(),
            help="Report only what is not among the findings in this file, which"
            " `--update-baseline` writes",
        ),
        _flag(
            "--update-baseline",
            requires=["--baseline"],
            conflicts=[
                "--fix",
                "--diff",
                "--watch",
                "--statistics",
                "--add-noqa",
                "--stdin-filename",
            ],
            help="Write the findings of now into the file of `--baseline`",
        ),
        _flag(
            "--show-files",
            conflicts=["--show-settings", *_INSTEAD_OF_CHECKING],
            help="See the files idemlint will be run against with the current settings",
        ),
        _flag(
            "--show-settings",
            conflicts=_INSTEAD_OF_CHECKING,
            help="See the settings idemlint will use to lint a given Python file",
        ),
        _codes(
            "--select",
            "Comma-separated list of rule codes to enable (or ALL, to enable all rules)",
        ),
        _codes("--ignore", "Comma-separated list of rule codes to disable"),
        _codes(
            "--extend-select",
            "Like --select, but adds additional rule codes on top of those already specified",
        ),
        _codes("--extend-ignore", "Like --ignore", hidden=True),
        _ignores("--per-file-ignores", "List of mappings from file pattern to code to exclude"),
        _ignores(
            "--extend-per-file-ignores",
            "Like `--per-file-ignores`, but adds additional ignores on top of those already"
            " specified",
        ),
        _codes(
            "--fixable",
            "List of rule codes to treat as eligible for fix. Only applicable when fix itself is"
            " enabled (e.g., via `--fix`)",
        ),
        _codes(
            "--unfixable",
            "List of rule codes to treat as ineligible for fix. Only applicable when fix itself"
            " is enabled (e.g., via `--fix`)",
        ),
        _codes(
            "--extend-fixable",
            "Like --fixable, but adds additional rule codes on top of those already specified",
        ),
        _codes("--extend-unfixable", "Like --unfixable", hidden=True),
        _patterns(
            "--exclude",
            "List of paths, used to omit files and/or directories from analysis",
        ),
        _patterns(
            "--extend-exclude",
            "Like --exclude, but adds additional files and directories on top of those already"
            " excluded",
        ),
        _pair(
            "respect-gitignore",
            "Respect file exclusions via `.gitignore` and other standard ignore files. Use"
            " `--no-respect-gitignore` to disable",
            heading=_FILES,
        ),
        _pair(
            "force-exclude",
            "Enforce exclusions, even for paths passed to idemlint directly on the command-line."
            " Use `--no-force-exclude` to disable",
            heading=_FILES,
        ),
        _flag(
            "-n",
            "--no-cache",
            envvar="IDEMLINT_NO_CACHE",
            heading=_MISC,
            help="Disable cache reads",
        ),
        Option(
            ["--cache-dir"],
            metavar="CACHE_DIR",
            type=FileName(),
            envvar="IDEMLINT_CACHE_DIR",
            heading=_MISC,
            help="Path to the cache directory",
        ),
        Option(
            ["--stdin-filename"],
            metavar="STDIN_FILENAME",
            type=FileName(),
            heading=_MISC,
            help="The name of the file when passing it through stdin",
        ),
        _flag(
            "-e",
            "--exit-zero",
            conflicts=["--exit-non-zero-on-fix"],
            heading=_MISC,
            help='Exit with status code "0", even upon detecting lint violations',
        ),
        _flag(
            "--exit-non-zero-on-fix",
            heading=_MISC,
            help="Exit with a non-zero status code if any files were modified via fix, even if no"
            " lint violations remain",
        ),
    ],
)

"""The table of options: name, type, default, text and example of each, told once.

Validation, the JSON schema, `idemlint config` and `--show-settings` all come from here.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = [
    "DEFAULT_EXCLUDE",
    "DEFAULT_INCLUDE",
    "DEFAULT_LINE_LENGTH",
    "DEFAULT_TARGET_VERSION",
    "LANGUAGES",
    "MAX_LINE_LENGTH",
    "OPTIONS",
    "OUTPUT_FORMATS",
    "SECTIONS",
    "TARGET_VERSIONS",
    "Kind",
    "Option",
    "options_of",
]

OUTPUT_FORMATS = (
    "concise",
    "full",
    "json",
    "json-lines",
    "junit",
    "grouped",
    "github",
    "gitlab",
    "pylint",
    "rdjson",
    "azure",
    "sarif",
)
TARGET_VERSIONS = tuple(f"py3{minor}" for minor in range(7, 16))
DEFAULT_TARGET_VERSION = (3, 11)
LANGUAGES = ("python", "pyi", "ipynb")
DEFAULT_LINE_LENGTH = 88
MAX_LINE_LENGTH = 65535
DEFAULT_INCLUDE = ("*.py", "*.pyi", "*.ipynb")
DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".idemlint_cache",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pypackages__",
    "_build",
    "buck-out",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)

SECTIONS = {
    "lint": "How the code is checked.",
    "knowledge": "Rows that add to what is known about frameworks, providers, stores and names.",
}


class Kind(enum.Enum):
    """The type of an option's value, as it is shown to people."""

    BOOL = "bool"
    INT = "int"
    STRING = "str"
    STRINGS = "list[str]"
    SELECTORS = "list[RuleSelector]"
    SELECTORS_BY_PATTERN = "dict[str, list[RuleSelector]]"
    LANGUAGE_BY_EXTENSION = "dict[str, Language]"
    CHOICE = "choice"
    VERSIONS = "version specifier"


@dataclass(frozen=True, slots=True)
class Option:
    """One key; `default` and `example` are TOML, `section` is its table, empty at the top."""

    section: str
    name: str
    kind: Kind
    default: str
    doc: str
    example: str
    choices: tuple[str, ...] = ()
    deprecated: str = ""

    @property
    def key(self) -> str:
        """The dotted name, such as `lint.select`."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def type_name(self) -> str:
        """The type as it is shown to people; a choice lists its values."""
        if self.kind is Kind.CHOICE:
            return " | ".join(f'"{choice}"' for choice in self.choices)
        return str(self.kind.value)


def options_of(section: str) -> tuple[Option, ...]:
    """The options of a section, in their order; the empty name is the top level."""
    return tuple(option for option in OPTIONS if option.section == section)


def _list(items: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{item}"' for item in items) + "]"


_GLOBS = """
A pattern is either

- a bare name, such as `.mypy_cache` or `test_*.py`, which counts at any depth, or
- a path, such as `vendored/*.py`, which counts from the directory of the configuration file.

`*` and `?` also stand for `/`, `**` for any number of directories, `[a-z]` for one character of a
set, `{a,b}` for either word."""

OPTIONS: tuple[Option, ...] = (
    Option(
        "",
        "cache-dir",
        Kind.STRING,
        '".idemlint_cache"',
        """Where results are kept between runs.

A relative path counts from the directory of the configuration file; `~` and environment variables
are expanded. The flag `--cache-dir` and the variable `IDEMLINT_CACHE_DIR` win over it.""",
        'cache-dir = "~/.cache/idemlint"',
    ),
    Option(
        "",
        "extend",
        Kind.STRING,
        "null",
        """Another configuration file whose settings hold where this file says nothing.

The path counts from the directory of this file; `~` and environment variables are expanded. The
patterns of the other file count from its own directory.""",
        'extend = "../pyproject.toml"',
    ),
    Option(
        "",
        "output-format",
        Kind.CHOICE,
        '"full"',
        "The format in which findings are printed.",
        'output-format = "grouped"',
        OUTPUT_FORMATS,
    ),
    Option("", "fix", Kind.BOOL, "false", "Apply fixes, as `--fix` does.", "fix = true"),
    Option(
        "",
        "unsafe-fixes",
        Kind.BOOL,
        "null",
        """Whether fixes that change what the code does are applied, too.

Where it is not set they are not applied, but they are counted; `false` leaves that out.""",
        "unsafe-fixes = true",
    ),
    Option(
        "",
        "fix-only",
        Kind.BOOL,
        "false",
        "Apply fixes and report nothing of what is left. Implies `fix`.",
        "fix-only = true",
    ),
    Option(
        "",
        "show-fixes",
        Kind.BOOL,
        "false",
        "List all fixes that were applied, as `--show-fixes` does.",
        "show-fixes = true",
    ),
    Option(
        "",
        "required-version",
        Kind.VERSIONS,
        "null",
        """The versions of idemlint that may read this configuration, as a PEP 440 specifier.

Any other version stops with an error.""",
        'required-version = ">=0.1.0"',
    ),
    Option(
        "",
        "preview",
        Kind.BOOL,
        "false",
        "Use preview rules and behaviour. `lint.preview` wins over it.",
        "preview = true",
    ),
    Option(
        "",
        "exclude",
        Kind.STRINGS,
        _list(DEFAULT_EXCLUDE),
        f"""Files and directories to leave out, in place of the default list.
{_GLOBS}

Use `extend-exclude` to add to the default list. A file that is named on the command line is checked
all the same, unless `force-exclude` is set.""",
        'exclude = [".venv"]',
    ),
    Option(
        "",
        "extend-exclude",
        Kind.STRINGS,
        "[]",
        f"Files and directories to leave out in addition to `exclude`.\n{_GLOBS}",
        'extend-exclude = ["tests", "vendored/*"]',
    ),
    Option(
        "",
        "extend-include",
        Kind.STRINGS,
        "[]",
        "Files to check in addition to `include`, in the same form.",
        'extend-include = ["*.pyw"]',
    ),
    Option(
        "",
        "force-exclude",
        Kind.BOOL,
        "false",
        """Whether excludes also hold for paths that are named on the command line.

Useful with tools such as pre-commit, which name every changed file.""",
        "force-exclude = true",
    ),
    Option(
        "",
        "include",
        Kind.STRINGS,
        _list(DEFAULT_INCLUDE),
        """Files to check when a directory is searched, in place of the default list.

A pattern is matched against the whole path, from the directory of the configuration file; `*` also
stands for `/`, so that `*.py` counts at any depth.""",
        'include = ["src/**/*.py"]',
    ),
    Option(
        "",
        "respect-gitignore",
        Kind.BOOL,
        "true",
        "Whether files that `.gitignore`, `.ignore` and `.git/info/exclude` name are left out.",
        "respect-gitignore = false",
    ),
    Option(
        "",
        "extension",
        Kind.LANGUAGE_BY_EXTENSION,
        "{}",
        """Languages by file extension: `python`, `pyi` or `ipynb`.

To find such files in a directory, name them in `include` or `extend-include` as well.""",
        'extension = { ipy = "ipynb" }',
        LANGUAGES,
    ),
    Option(
        "",
        "target-version",
        Kind.CHOICE,
        '"py311"',
        """The oldest version of Python that the code runs on; fixes use nothing newer.

Where it is not set, the lower bound of `project.requires-python` counts, from the `pyproject.toml`
that holds the configuration or from the nearest one at or above it.""",
        'target-version = "py310"',
        TARGET_VERSIONS,
    ),
    Option(
        "",
        "src",
        Kind.STRINGS,
        '[".", "src"]',
        """The directories from which the project's own modules are imported.

Paths count from the directory of the configuration file; patterns are expanded.""",
        'src = ["src", "packages/*/src"]',
    ),
    Option(
        "",
        "line-length",
        Kind.INT,
        str(DEFAULT_LINE_LENGTH),
        "The width at which the code of a fix is wrapped. No rule looks at it.",
        "line-length = 100",
    ),
    Option(
        "lint",
        "exclude",
        Kind.STRINGS,
        "[]",
        """Files that are found but not checked.

In contrast to `exclude` only whole file paths are matched: a directory needs `directory/*`.""",
        'exclude = ["generated/*"]',
    ),
    Option(
        "lint",
        "explicit-preview-rules",
        Kind.BOOL,
        "false",
        "Whether preview rules must be selected by their full code, even with `preview`.",
        "explicit-preview-rules = true",
    ),
    Option(
        "lint",
        "extend-fixable",
        Kind.SELECTORS,
        "[]",
        "Rules whose fixes may be applied, in addition to `fixable`.",
        'extend-fixable = ["IDM1"]',
    ),
    Option(
        "lint",
        "extend-ignore",
        Kind.SELECTORS,
        "[]",
        "Rules to turn off in addition to `ignore`.",
        'extend-ignore = ["IDM401"]',
        deprecated="Use `ignore`, which does the same.",
    ),
    Option(
        "lint",
        "extend-per-file-ignores",
        Kind.SELECTORS_BY_PATTERN,
        "{}",
        "Rules to turn off in some files, in addition to `per-file-ignores`.",
        'extend-per-file-ignores = { "scripts/*" = ["IDM4"] }',
    ),
    Option(
        "lint",
        "extend-safe-fixes",
        Kind.SELECTORS,
        "[]",
        "Rules whose unsafe fixes are to be taken as safe.",
        'extend-safe-fixes = ["IDM402"]',
    ),
    Option(
        "lint",
        "extend-select",
        Kind.SELECTORS,
        "[]",
        "Rules to turn on in addition to `select`.",
        'extend-select = ["IDM106"]',
    ),
    Option(
        "lint",
        "extend-unfixable",
        Kind.SELECTORS,
        "[]",
        "Rules whose fixes may not be applied, in addition to `unfixable`.",
        'extend-unfixable = ["IDM201"]',
        deprecated="Use `unfixable`, which does the same.",
    ),
    Option(
        "lint",
        "extend-unsafe-fixes",
        Kind.SELECTORS,
        "[]",
        "Rules whose safe fixes are to be taken as unsafe.",
        'extend-unsafe-fixes = ["IDM101"]',
    ),
    Option(
        "lint",
        "external",
        Kind.STRINGS,
        "[]",
        """Codes or prefixes of other tools, which may stand in `noqa` comments.

They are never reported as unused or unknown.""",
        'external = ["IDMX"]',
    ),
    Option(
        "lint",
        "fixable",
        Kind.SELECTORS,
        '["ALL"]',
        "Rules whose fixes may be applied.",
        'fixable = ["IDM1", "IDM402"]',
    ),
    Option(
        "lint",
        "ignore",
        Kind.SELECTORS,
        "[]",
        """Rules to turn off: codes, or prefixes of codes.

Where a rule is named by `select` and by `ignore`, the longer selector decides, and `ignore` where
both are equally long.""",
        'ignore = ["IDM401"]',
    ),
    Option(
        "lint",
        "per-file-ignores",
        Kind.SELECTORS_BY_PATTERN,
        "{}",
        f"""Rules to turn off in the files that a pattern matches.
{_GLOBS}

A pattern that begins with `!` stands for all files that it does not match.""",
        'per-file-ignores = { "tests/*" = ["IDM"], "!src/**" = ["IDM4"] }',
    ),
    Option(
        "lint",
        "preview",
        Kind.BOOL,
        "false",
        "Use preview rules. Where it is not set, the top-level `preview` counts.",
        "preview = true",
    ),
    Option(
        "lint",
        "select",
        Kind.SELECTORS,
        '["ALL"]',
        """Rules to turn on: codes such as `IDM101`, prefixes such as `IDM1`, or `ALL`.

Where a rule is named by `select` and by `ignore`, the longer selector decides, and `ignore` where
both are equally long. Preview rules are taken only with `preview`.""",
        'select = ["IDM1", "IDM201"]',
    ),
    Option(
        "lint",
        "unfixable",
        Kind.SELECTORS,
        "[]",
        "Rules whose fixes may not be applied.",
        'unfixable = ["IDM201"]',
    ),
)

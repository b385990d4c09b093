"""The command line, beside Ruff's: usage, exit codes, streams, and what each subcommand prints."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from terminals import RULES, Result, comparable, contents_of

from idemlint import catalogue
from idemlint.config.options import OPTIONS, SECTIONS
from idemlint.hosts.console import has_color, has_hyperlinks
from idemlint.hosts.program import COMMANDS

if TYPE_CHECKING:
    from terminals import Terminal

MISTAKES = [
    "a.py",
    "chek",
    "--foo",
    "help xx",
    "-q -v check",
    "check --foo",
    "check --unknown=3",
    "check -x",
    "check -qx",
    "check --sel F",
    "check --select-x",
    "check --output-format x",
    "check --output-format jsn",
    "check --output-format json --output-format full",
    "check --output-format",
    "check --fix --fix",
    "check --fix=true",
    "check --unsafe-fixes --unsafe-fixes",
    "check -q -v",
    "check -q -q",
    "check --quiet -q",
    "check -v -s",
    "check --no-cache -n",
    "check --exit-zero -e",
    "check --diff --statistics",
    "check --fix --diff --statistics --show-fixes m.py",
    "check --statistics --diff --add-noqa m.py",
    "check --add-noqa --fix",
    "check --add-noqa=why --watch m.py",
    "check --watch --add-noqa",
    "check --add-noqa --ignore-noqa",
    "check --add-noqa --stdin-filename x.py",
    "check --exit-zero --exit-non-zero-on-fix",
    "check --show-files --show-settings",
    "check --show-files --statistics m.py",
    "check --show-files --add-noqa",
    "check --show-files --ignore-noqa",
    "check --show-files --watch",
    "check --show-settings --statistics",
    "check --show-settings --add-noqa=why",
    "check --show-settings --ignore-noqa",
    "check --statistics --watch",
    "check --isolated --show-files --stdin-filename x.py",
    "check --show-settings --stdin-filename x.py",
    "check --target-version 3.9",
    "check --target-version py36",
    "check --per-file-ignores abc",
    "check --per-file-ignores a:b:c",
    "check --extend-per-file-ignores abc",
    "check --extension ipy",
    "check --extension ipy:foo",
    "check --color x",
    "check --config",
    "check --config nope.toml",
    "check --config .",
    "check --config nonsense",
    "check --config my.toml --config my.toml",
    "check --config my.toml --isolated",
    "check --select X m.py",
    "check --select= m.py",
    "check --stdin-filename",
    "check -o",
    "check --watch -",
    "check --watch --stdin-filename x.py",
    "check --watch missing.py",
    "check @missing",
    "check --show-settings missing.py",
    "rule",
    "rule XX1",
    "rule --output-format x --all",
    "config foo",
    "config a b",
    "linter x",
    "linter --output-format x",
    "version --foo",
    "clean --cache-dir x",
]


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_on_the_command_line_is_told_in_ruffs_words(terminal, line):
    terminal.write(m_py="", **{"my.toml": ""})

    ours, theirs = terminal.idemlint(*line.split()), terminal.ruff(*line.split())

    assert ours.as_ruffs() == theirs
    assert (ours.code, ours.out) == (2, "")


def test_an_empty_path_is_a_missing_value(terminal):
    assert terminal.idemlint("check", "").as_ruffs() == terminal.ruff("check", "")


def test_a_selector_with_a_blank_before_it_is_unknown(terminal):
    terminal.write(m_py="")

    assert terminal.idemlint("check", "--select", "IDM1, IDM2").err == (
        "idemlint failed\n  Cause: Unknown rule selector ` IDM2` in `select` from the CLI\n"
    )


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ("lint.select = 3", "invalid type: integer `3`, expected a sequence\nin `lint.select`"),
        ("line-length = 'x'", 'invalid type: string "x", expected i64\nin `line-length`'),
    ],
)
def test_a_pair_that_sets_a_wrong_value_is_told_in_ruffs_words(terminal, pair, reason):
    ours, theirs = (run("check", "--config", pair) for run in (terminal.idemlint, terminal.ruff))

    assert ours.as_ruffs().err.replace("an `ruff", "a `ruff") == theirs.err
    assert reason in ours.err
    assert ours.code == 2


def test_a_pair_that_is_no_toml_is_told_in_ruffs_words(terminal):
    args = ("check", "--config", 'lint.select=["F"')

    assert terminal.idemlint(*args).as_ruffs() == terminal.ruff(*args)


def test_of_two_pairs_for_one_key_the_first_wins_as_with_ruff(terminal):
    terminal.write(m_py="")
    args = ("--config", "line-length=10", "--config", "line-length=20", "m.py")
    ours, theirs = (
        run("check", "--show-settings", *args).out.split("linter.line_length = ")[1][:2]
        for run in (terminal.idemlint, terminal.ruff)
    )

    assert ours == theirs == "10"


def test_without_a_command_the_help_goes_to_standard_error(terminal):
    result = terminal.idemlint()

    assert (result.code, result.out) == (2, "")
    assert result.err == terminal.idemlint("-h").out


HELPS = [("check", "-h"), ("check", "--help"), ("rule", "-h"), ("version", "-h"), ("help", "clean")]


@pytest.mark.parametrize("args", HELPS, ids=" ".join)
def test_the_help_has_the_headings_and_options_of_ruff(terminal, args):
    def shape(text: str) -> list[str]:
        """The lines that are neither texts nor blank, without what only one of both has."""
        kept = [
            line.split("  ")[0 if line[0] != " " else 1 if line[2] != " " else 3]
            for line in text.splitlines()
            if line.strip() and (line[0] != " " or line.lstrip().startswith("-"))
        ]
        own = ("--add-ignore", "--baseline", "--update-baseline")
        return [line for line in kept if line and not line.startswith(own)]

    ours, theirs = terminal.idemlint(*args), terminal.ruff(*args)

    assert shape(ours.as_ruffs().out)[1:] == shape(theirs.out)[1:]
    assert (ours.code, ours.err) == (0, "")


def test_help_is_given_whatever_follows(terminal):
    assert terminal.idemlint("check", "--help", "--foo").code == 0
    assert terminal.idemlint("check", "--foo", "--help").code == 2


def test_the_help_of_the_program_lists_every_command(terminal):
    lines = terminal.idemlint("--help").out.splitlines()

    width = max(map(len, COMMANDS))
    for name, text in COMMANDS.items():
        assert f"  {name.ljust(width)}  {text}" in lines


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_summary_that_the_list_tells(terminal, name):
    assert terminal.idemlint(name, "--help").out.splitlines()[0] == COMMANDS[name]


@pytest.mark.parametrize("args", [["--version"], ["-V"], ["version"], ["--version", "check"]])
def test_the_version_is_printed(terminal, args):
    assert terminal.idemlint(*args) == Result(0, "idemlint 0.1.0\n", "")


def test_the_version_as_json_has_ruffs_form(terminal):
    ours, theirs = (
        run("version", "--output-format", "json").out for run in (terminal.idemlint, terminal.ruff)
    )

    assert ours == theirs.replace("0.17.6", "0.1.0")


CLEAN = "x = 1\n"
SAFE = "import os\nimport sys\n\nprint(sys)\n"
MIXED = "import os\n\n\ndef f(x):\n    y = 1\n    return x == None\n"
BROKEN = "x = = 1\n"

RUNS = [
    "a.py",
    "a.py b.py",
    "clean.py",
    ".",
    "missing.py",
    "missing.py a.py",
    "broken.py a.py",
    "a.py --exit-zero",
    "a.py -q",
    "a.py -s",
    "clean.py -q",
    "clean.py -s",
    "empty",
    "empty -q",
    "empty --diff",
    "empty --fix-only",
    "empty --statistics",
    "empty --output-format json",
    "empty --show-files",
    "missing.py --fix-only",
    "missing.py --diff",
    "missing.py --statistics",
    "missing.py --show-files",
    "missing.py --output-format json",
    "broken.py --fix-only",
    "broken.py --diff",
    "a.py --unsafe-fixes",
    "b.py --no-unsafe-fixes",
    "b.py --unsafe-fixes --no-unsafe-fixes",
    "a.py --fix",
    "b.py --fix",
    "a.py b.py --fix --show-fixes",
    "unsafe.py --fix --unsafe-fixes --show-fixes",
    "a.py --fix --no-fix",
    "a.py --no-fix --fix --no-fix --fix",
    "a.py --fix --exit-non-zero-on-fix",
    "a.py --exit-non-zero-on-fix",
    "b.py --fix --exit-zero",
    "a.py --fix -q",
    "a.py --fix -s",
    "a.py --fix --output-format json",
    "b.py --fix --output-format concise",
    "b.py --fix-only",
    "a.py --fix-only",
    "a.py --fix-only --exit-non-zero-on-fix",
    "b.py --fix-only --unsafe-fixes",
    "b.py --fix-only --output-format json",
    "clean.py --fix-only",
    "a.py b.py --diff",
    "b.py --diff --unsafe-fixes",
    "clean.py --diff",
    "a.py --diff --fix",
    "a.py --diff -q",
    "a.py --diff -s",
    "a.py --diff --exit-zero",
    "a.py --diff --output-file out.txt",
    "noqa.py",
    "noqa.py --ignore-noqa",
    "a.py b.py --statistics",
    "clean.py --statistics",
    "a.py --statistics --output-format json",
    "b.py --fix --statistics",
    "a.py --output-format pylint --statistics",
    "clean.py --output-format pylint --statistics",
    "a.py --output-format concise",
    "a.py --output-format grouped",
    "a.py --output-format pylint",
    "a.py --output-file deep/out.txt",
    "a.py -o - --output-format concise",
    "a.py --output-file empty",
    "a.py --add-noqa",
    "a.py b.py --add-noqa=because",
    "noqa.py --add-noqa",
    "a.py --add-noqa -q",
    "clean.py --add-noqa",
    "missing.py --add-noqa",
    "broken.py --add-noqa",
    "crlf.py --fix",
    "crlf.py --diff",
    "bare.py --diff",
    "a.py --show-files",
    "a.py empty --show-files",
    "a.py empty --show-files --output-file out.txt",
    "a.py b.py --statistics -s",
    "empty --color always",
    "a.py --color always --output-format concise",
]


def _write_files(terminal: Terminal) -> None:
    terminal.write(a_py=SAFE, b_py=MIXED, clean_py=CLEAN, broken_py=BROKEN)
    terminal.write(unsafe_py="import os\n\n\ndef f():\n    x = 1\n    y = 2\n")
    terminal.write(noqa_py="import os  # noqa: F401\nimport re\n", bare_py="x = 1\nimport os")
    (terminal.folder / "crlf.py").write_bytes(b"import os\r\nx = 1\r\n")
    (terminal.folder / "empty").mkdir()


@pytest.mark.parametrize("line", RUNS)
def test_a_run_ends_as_it_does_with_ruff(terminal, line):
    _write_files(terminal)
    before = contents_of(terminal.folder)
    theirs = terminal.ruff("check", *RULES, "--no-cache", *line.split())
    after = contents_of(terminal.folder)
    for name in after.keys() - before.keys():
        (terminal.folder / name).unlink()
    for name, data in before.items():
        (terminal.folder / name).write_bytes(data)

    try:
        ours = terminal.with_ruffs_findings("--isolated", "--no-cache", *line.split())
    except Exception as error:
        ours = Result(2, "", f"{error}\n")

    assert comparable(ours) == comparable(theirs)
    assert contents_of(terminal.folder) == after


STDIN_RUNS = [
    "-",
    "--stdin-filename t.py",
    "--stdin-filename t.py a.py",
    "- a.py",
    "- --fix",
    "- --fix -q",
    "- --fix -s",
    "- --fix --show-fixes",
    "- --fix-only",
    "- --diff",
    "- --diff --output-file out.txt",
    "- --fix --output-file out.txt",
    "--stdin-filename t.py --diff",
    "--stdin-filename sub/t.py --output-format concise",
    "--stdin-filename /abs/t.py --output-format concise",
    "- --output-format concise --exit-zero",
    "- --output-format json",
    "--stdin-filename t.py --statistics",
    "--stdin-filename t.py --exclude t.py",
    "--stdin-filename t.py --exclude t.py --force-exclude",
    "--stdin-filename t.py --exclude t.py --force-exclude --fix",
    "--stdin-filename t.py --exclude t.py --force-exclude --diff",
]


@pytest.mark.parametrize("text", [MIXED, CLEAN, ""], ids=["mixed", "clean", "empty"])
@pytest.mark.parametrize("line", STDIN_RUNS)
def test_a_run_on_standard_input_ends_as_it_does_with_ruff(terminal, line, text):
    theirs = terminal.ruff("check", *RULES, "--no-cache", *line.split(), stdin=text)
    ours = terminal.with_ruffs_findings("--isolated", "--no-cache", *line.split(), stdin=text)

    assert comparable(ours) == comparable(theirs)


def test_line_ends_of_standard_input_are_kept(terminal):
    text = "import os\r\nx = 'é'\r\n"

    ours = terminal.with_ruffs_findings("--isolated", "-", "--fix", stdin=text)

    assert (ours.code, ours.out) == (0, "x = 'é'\r\n")


@pytest.mark.parametrize("name", ["fix", "fix-only", "show-fixes", "unsafe-fixes", "output-format"])
def test_settings_of_the_configuration_act_like_flags(terminal, name):
    value = '"concise"' if name == "output-format" else "true"
    _write_files(terminal)
    for config in ("ruff.toml", "idemlint.toml"):
        terminal.write(**{config: f"{name} = {value}\n"})
    theirs = terminal.ruff("check", *RULES[1:], "--no-cache", "b.py")
    terminal.write(b_py=MIXED)

    assert terminal.with_ruffs_findings("--no-cache", "b.py").as_ruffs() == theirs


@pytest.mark.parametrize(
    ("variable", "flags", "is_concise"),
    [("concise", [], True), ("concise", ["--output-format", "grouped"], False), ("", [], False)],
)
def test_the_variable_beats_the_configuration_and_loses_to_the_flag(
    terminal, variable, flags, is_concise
):
    terminal.write(**{"idemlint.toml": 'output-format = "pylint"\n'})
    terminal.monkeypatch.setenv("IDEMLINT_OUTPUT_FORMAT", variable)

    out = terminal.idemlint("check", "missing.py", *flags).out

    assert out.startswith("missing.py:1:1: E902") is is_concise


def test_a_wrong_value_of_a_variable_is_a_mistake(terminal):
    terminal.monkeypatch.setenv("IDEMLINT_OUTPUT_FORMAT", "zz")
    terminal.monkeypatch.setenv("RUFF_OUTPUT_FORMAT", "zz")

    assert terminal.idemlint("check").as_ruffs() == terminal.ruff("check")


def test_the_output_file_can_be_given_by_a_variable(terminal):
    terminal.monkeypatch.setenv("IDEMLINT_OUTPUT_FILE", "deep/out.txt")

    assert terminal.idemlint("check", "missing.py", "--output-format", "concise").out == ""
    assert terminal.read("deep/out.txt").startswith("missing.py:1:1: E902 No such file")


def test_arguments_can_come_from_a_file(terminal):
    _write_files(terminal)
    terminal.write(args="check\n--isolated\n@more\n", more="--output-format\nconcise\nmissing.py")

    assert terminal.idemlint("@args").out.startswith("missing.py:1:1: E902")


def test_files_of_arguments_that_name_each_other_come_to_an_end(terminal):
    terminal.write(args="@args\nversion\n")

    assert terminal.idemlint("@args").out == "idemlint 0.1.0\n"


def test_shared_options_can_stand_before_the_command(terminal):
    terminal.write(**{"idemlint.toml": "broken"})

    assert terminal.idemlint("--isolated", "-q", "check").out == ""
    assert terminal.idemlint("--isolated", "check").code == 0


class TestShown:
    """`--show-files` and `--show-settings`."""

    def test_files_are_listed_by_their_whole_paths(self, terminal):
        terminal.write(b_py="", a_py="")

        assert terminal.idemlint("check", "--show-files").out == "".join(
            f"{terminal.folder / name}\n" for name in ("a.py", "b.py")
        )

    def test_settings_have_the_names_and_values_that_ruff_gives_them(self, terminal):
        terminal.write(m_py="", lib__x_py="")
        text = (
            'exclude = ["a", "b/*"]\nline-length = 99\nfix = true\nunsafe-fixes = false\n'
            'target-version = "py310"\nsrc = ["lib"]\n'
        )
        terminal.write(**{"ruff.toml": text, "idemlint.toml": text})

        def settings(shown: str) -> dict[str, str]:
            flat = shown.replace("[\n\t", "[ ").replace(",\n\t", ", ").replace(",\n]", " ]")
            pairs = (line.partition(" = ") for line in flat.splitlines())
            return {name: value for name, sign, value in pairs if sign}

        ours = settings(terminal.idemlint("check", "--show-settings").as_ruffs().out)
        theirs = settings(terminal.ruff("check", "--show-settings").out)
        own = {
            "linter.rules.enabled",
            "linter.rules.should_fix",
            "linter.target_version",
            "linter.knowledge",
            "linter.extension",
            "file_resolver.include",
        }
        assert {name: theirs.get(name) for name in ours if name not in own} == {
            name: value for name, value in ours.items() if name not in own
        }
        assert ours["linter.target_version"] == "3.10"

    def test_rules_are_listed_with_their_names(self, terminal):
        terminal.write(m_py="")

        out = terminal.idemlint("check", "--show-settings", "--select", "IDM101").out

        assert "linter.rules.enabled = [\n\tfresh-key (IDM101),\n]\n" in out

    def test_what_is_taken_from_ruff_is_told(self, terminal):
        terminal.write(m_py="", **{"pyproject.toml": "[tool.ruff]\nsrc = ['lib']\n"})

        out = terminal.idemlint("check", "--show-settings").out

        assert out.splitlines()[1] == (
            f'Taken from Ruff: src (no idemlint configuration; "{terminal.folder}/pyproject.toml")'
        )

    def test_rows_of_knowledge_are_told_with_their_places(self, terminal):
        text = '[lint]\n\n[[knowledge.tool]]\nid = "x"\n'
        terminal.write(m_py="", **{"idemlint.toml": text})

        out = terminal.idemlint("check", "--show-settings").out

        assert f"linter.knowledge = [\n\ttool ({terminal.folder}/idemlint.toml:3),\n]\n" in out


class TestCache:
    """Where results are kept."""

    def test_it_stands_beside_the_configuration_and_is_kept_from_git(self, terminal):
        terminal.write(sub__m_py="", **{"idemlint.toml": ""})
        terminal.idemlint("check", "sub")
        cache = terminal.folder / ".idemlint_cache"

        assert (cache / "0.1.0").is_dir()
        assert (cache / ".gitignore").read_text().splitlines()[-1] == "*"
        assert (cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f")

    @pytest.mark.parametrize("args", [["--no-cache", "."], ["-n"], ["-"]])
    def test_none_is_made_without_need(self, terminal, args):
        terminal.write(m_py="")
        terminal.idemlint("check", *args)

        assert not (terminal.folder / ".idemlint_cache").exists()

    def test_a_variable_turns_it_off(self, terminal):
        terminal.write(m_py="")
        terminal.monkeypatch.setenv("IDEMLINT_NO_CACHE", "true")
        terminal.idemlint("check")

        assert not (terminal.folder / ".idemlint_cache").exists()

    @pytest.mark.parametrize("way", ["flag", "variable", "configuration"])
    def test_its_place_can_be_chosen(self, terminal, way):
        terminal.write(m_py="")
        args = ["--cache-dir", "my/cache"] if way == "flag" else []
        if way == "variable":
            terminal.monkeypatch.setenv("IDEMLINT_CACHE_DIR", "my/cache")
        if way == "configuration":
            terminal.write(**{"idemlint.toml": 'cache-dir = "my/cache"\n'})
        terminal.idemlint("check", *args)

        assert (terminal.folder / "my" / "cache" / "0.1.0").is_dir()
        assert not (terminal.folder / ".idemlint_cache").exists()

    def test_an_unusable_place_is_an_error(self, terminal):
        terminal.write(m_py="", file="")

        result = terminal.idemlint("check", "--cache-dir", "file/x")

        assert result == Result(
            2,
            "",
            f"idemlint failed\n  Cause: Failed to initialize cache at {terminal.folder}/file/x\n"
            "  Cause: Not a directory (os error 20)\n",
        )

    def test_clean_removes_every_one_below_the_working_directory(self, terminal):
        for cache in ("sub/.idemlint_cache/0.1.0", ".hidden/.idemlint_cache", ".idemlint_cache"):
            (terminal.folder / cache).mkdir(parents=True)

        result = terminal.idemlint("clean")

        assert (result.code, result.out) == (0, "")
        assert sorted(result.err.splitlines()) == [
            "Removing cache at: .hidden/.idemlint_cache",
            "Removing cache at: .idemlint_cache",
            "Removing cache at: sub/.idemlint_cache",
        ]
        assert list(terminal.folder.rglob(".idemlint_cache")) == []

    def test_clean_is_content_without_any(self, terminal):
        assert terminal.idemlint("clean") == Result(0, "", "")


class TestRule:
    """`rule` and `linter`."""

    def test_a_page_is_printed_without_the_data_at_its_top(self, terminal):
        page = catalogue.rules()["IDM201"].page.read_text()

        for name in ("IDM201", "side-effect-before-interrupt"):
            out = terminal.idemlint("rule", name).out
            assert out.startswith("# side-effect-before-interrupt (IDM201)\n")
            assert page.endswith(out)

    def test_all_pages_are_printed_in_the_order_of_codes(self, terminal):
        lines = terminal.idemlint("rule", "--all").out.splitlines()
        titles = [f"# {rule.name} ({rule.code})" for rule in catalogue.rules().values()]

        assert [line for line in lines if line in titles] == titles

    def test_json_has_the_fields_of_ruff(self, terminal):
        ours = json.loads(terminal.idemlint("rule", "IDM101", "--output-format", "json").out)
        theirs = json.loads(terminal.ruff("rule", "F401", "--output-format", "json").out)

        assert list(ours) == list(theirs)
        assert {name: type(value) for name, value in ours.items()} == {
            name: type(value) for name, value in theirs.items()
        }
        assert ours["status"] == {"Stable": {"since": "0.1.0"}}
        assert ours["linter"] == "Keys"

    def test_json_of_all_rules_is_a_list(self, terminal):
        found = json.loads(terminal.idemlint("rule", "--all", "--output-format", "json").out)

        assert [rule["code"] for rule in found] == list(catalogue.rules())

    def test_the_nearest_code_is_suggested(self, terminal):
        result = terminal.idemlint("rule", "IDM1011")

        assert result == Result(
            2,
            "",
            "error: invalid value 'IDM1011' for '[RULE]'\n\n"
            "  tip: a similar value exists: 'IDM101'\n\nFor more information, try '--help'.\n",
        )

    def test_case_counts(self, terminal):
        assert terminal.idemlint("rule", "idm101").code == 2

    def test_every_rule_belongs_to_a_family_that_is_listed(self, terminal):
        lines = terminal.idemlint("linter").out.splitlines()
        prefixes = {line.split()[0] for line in lines}

        assert lines[0] == "IDM0 Suppressions"
        assert {code[:4] for code in catalogue.rules()} == prefixes

    def test_families_as_json_have_the_fields_of_ruff(self, terminal):
        ours, theirs = (
            json.loads(run("linter", "--output-format", "json").out)
            for run in (terminal.idemlint, terminal.ruff)
        )

        assert list(ours[0]) == list(theirs[0])


class TestConfig:
    """`config`."""

    def test_without_a_key_the_keys_are_listed(self, terminal):
        lines = terminal.idemlint("config").out.splitlines()

        assert lines == [option.name for option in OPTIONS if not option.section] + list(SECTIONS)

    def test_a_section_lists_its_keys(self, terminal):
        lines = terminal.idemlint("config", "lint").out.splitlines()

        assert "select" in lines
        assert "extend-ignore (deprecated)" in lines

    @pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
    def test_an_option_is_described(self, terminal, option):
        table = f"[tool.idemlint.{option.section}]" if option.section else "[tool.idemlint]"
        deprecated = f"Deprecated: {option.deprecated}\n" if option.deprecated else ""

        assert terminal.idemlint("config", option.key).out == (
            f"{option.doc}\n\nDefault value: {option.default}\nType: {option.type_name}\n"
            f"{deprecated}Example usage:\n```toml\n{table}\n{option.example}\n```\n"
        )

    @pytest.mark.parametrize("key", ["exclude", "lint.select", "lint.extend-ignore"])
    def test_an_option_as_json_has_the_fields_of_ruff(self, terminal, key):
        ours, theirs = (
            json.loads(run("config", key, "--output-format", "json").out)
            for run in (terminal.idemlint, terminal.ruff)
        )

        assert list(ours) == list(theirs)
        assert ours["value_type"] == theirs["value_type"]

    def test_all_options_as_json_are_named_by_their_keys(self, terminal):
        found = json.loads(terminal.idemlint("config", "--output-format", "json").out)

        assert list(found) == [option.key for option in OPTIONS]

    def test_an_unknown_key_suggests_the_nearest(self, terminal):
        assert "tip: a similar value exists: 'lint.select'" in (
            terminal.idemlint("config", "lint.selct").err
        )


class TestMessages:
    """Warnings, logs and failures."""

    def test_a_preview_rule_that_has_no_effect_is_told_once(self, terminal):
        terminal.write(a__m_py="", b__m_py="")
        for folder in "ab":
            text = '[lint]\nselect = ["IDM106"]\n'
            terminal.write(**{f"{folder}__idemlint.toml": text})
        said = "warning: Selection `IDM106` has no effect because preview is not enabled.\n"

        assert terminal.idemlint("check").err == said
        assert terminal.idemlint("check", "-q").err == ""

    def test_details_are_told_with_time_and_place(self, terminal):
        terminal.write(m_py="", **{"idemlint.toml": ""})

        lines = terminal.idemlint("check", "-v").err.splitlines()

        assert any(
            line.endswith(
                "[idemlint::config][DEBUG] "
                f"Using configuration file at: {terminal.folder}/idemlint.toml"
            )
            for line in lines
        )

    def test_a_fault_of_our_own_is_one_line_and_code_2(self, terminal):
        # No standard input at all, as under `pythonw`.
        code = "import sys; sys.stdin = None; from idemlint.hosts import cli; cli.main()"
        done = subprocess.run(
            [sys.executable, "-c", code, "check", "-"], capture_output=True, text=True, check=False
        )

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: idemlint crashed: AttributeError: 'NoneType'")
        assert done.stderr.count("\n") == 1

    def test_a_fault_of_our_own_is_traced_on_demand(self, terminal):
        code = "import sys; sys.stdin = None; from idemlint.hosts import cli; cli.main()"
        done = subprocess.run(
            [sys.executable, "-c", code, "check", "-v", "-"],
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 2
        assert "Traceback (most recent call last)" in done.stderr

    @pytest.mark.parametrize("option", ["--output-file", "--stdin-filename", "--", "--config"])
    def test_a_null_character_is_no_fault(self, terminal, option):
        terminal.write(args=f"check\n{option}\nm\0.py\n")

        result = terminal.idemlint("@args")

        assert result.code in {0, 1, 2}
        assert "crashed" not in result.err

    def test_a_working_directory_that_is_gone_is_no_fault(self, terminal):
        gone = terminal.folder / "gone"
        gone.mkdir()
        terminal.monkeypatch.chdir(gone)
        gone.rmdir()

        assert terminal.idemlint("check").err == (
            "idemlint failed\n  Cause: No such file or directory\n"
        )

    def test_a_reader_that_went_away_is_no_failure(self, terminal):
        done = subprocess.run(
            f"{sys.executable} -m idemlint rule --all --output-format json | head -c 1",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
        )

        assert (done.stdout, done.stderr) == ("[", "")


ENVIRONMENTS = [
    ({}, False),
    ({"FORCE_COLOR": "0"}, True),
    ({"FORCE_COLOR": ""}, False),
    ({"CLICOLOR_FORCE": "0"}, True),
    ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ({"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
    ({"NO_COLOR": "0"}, False),
    ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
]


@pytest.mark.parametrize(("environ", "is_colored"), ENVIRONMENTS, ids=str)
def test_variables_turn_colours_on_and_off_as_with_ruff(terminal, environ, is_colored):
    for name, value in environ.items():
        terminal.monkeypatch.setenv(name, value)
    theirs = terminal.ruff("check", "missing.py", "--isolated", "--output-format", "concise").out
    ours = terminal.idemlint("check", "missing.py", "--isolated", "--output-format", "concise").out

    assert ("\x1b" in ours) is ("\x1b" in theirs) is is_colored


@pytest.mark.parametrize(("asked", "is_colored"), [("always", True), ("never", False)])
def test_the_flag_beats_all_variables(asked, is_colored):
    environ = {"NO_COLOR": "1"} if is_colored else {"FORCE_COLOR": "1"}

    assert has_color(asked, io.StringIO(), environ) is is_colored


@pytest.mark.parametrize(
    ("flags", "environ"),
    [
        (["--color", "always"], {}),
        (["--color=always"], {"NO_COLOR": "1"}),
        ([], {"FORCE_COLOR": "1"}),
        (["--color", "never"], {"FORCE_COLOR": "1"}),
        (["--color"], {}),
    ],
)
def test_failures_have_the_colours_of_ruff(terminal, flags, environ):
    for name, value in environ.items():
        terminal.monkeypatch.setenv(name, value)
    args = ("check", "--isolated", "--select", "XYZ1", *flags)

    assert terminal.idemlint(*args).as_ruffs() == terminal.ruff(*args)


def test_a_file_gets_no_colours(terminal):
    terminal.idemlint("check", "missing.py", "--color", "always", "-o", "out")

    assert "\x1b" not in terminal.read("out")


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "has_links"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "vscode"}, True),
        ({"VTE_VERSION": "4999"}, False),
        ({"VTE_VERSION": "6003"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"WT_SESSION": "x"}, True),
        ({"TERM_PROGRAM": "vscode", "FORCE_HYPERLINK": "0"}, False),
    ],
    ids=str,
)
def test_links_are_written_where_the_terminal_knows_them(environ, has_links):
    assert has_hyperlinks(_Screen(), environ) is has_links


def test_links_can_be_forced_where_there_is_no_terminal():
    assert has_hyperlinks(io.StringIO(), {"FORCE_HYPERLINK": "1"})
    assert not has_hyperlinks(io.StringIO(), {"TERM_PROGRAM": "vscode"})


@pytest.mark.parametrize("line", ["--version", "--help", "check --help", "rule IDM101", "config"])
def test_neither_the_linter_nor_a_parser_is_imported_without_need(line):
    code = (
        "import sys; from idemlint.hosts import cli; cli.run(sys.argv[1:]);"
        "heavy = {'libcst', 'pathspec', 'tomllib', 'tomli', 'idemlint.linter'};"
        "print('imported:', sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, *line.split()], capture_output=True, text=True, check=True
    )

    assert shown.stdout.splitlines()[-1] == "imported: []"


def test_watch_reports_until_it_is_stopped(terminal):
    pytest.importorskip("watchfiles")
    terminal.write(m_py="")
    process = subprocess.Popen(
        [sys.executable, "-m", "idemlint", "check", "--isolated", "--watch", "."],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    guard = threading.Timer(30, process.kill)
    guard.start()
    first = [process.stdout.readline() for _ in range(3)]
    (terminal.folder / "m.py").write_text("x = 1\n")
    rest = [process.stdout.readline() for _ in range(4)]
    guard.cancel()
    process.terminate()
    process.communicate()

    assert first[0].startswith("\x1b[H\x1b[2J\x1b[3J[")
    assert first[0].endswith("] Starting linter in watch mode...\n")
    assert first[2].endswith("] Found 0 errors. Watching for file changes.\n")
    assert any(line.endswith("] File change detected...\n") for line in rest)


def test_watch_says_what_it_lacks(terminal):
    code = (
        "import sys; sys.modules['watchfiles'] = None; from idemlint.hosts import cli; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--watch"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "idemlint failed\n"
        "  Cause: `--watch` needs the package `watchfiles`: run `pip install watchfiles`\n"
    )


def test_the_module_does_what_the_command_does():
    done = subprocess.run(
        [sys.executable, "-m", "idemlint", "version"], capture_output=True, text=True, check=True
    )

    assert done.stdout == "idemlint 0.1.0\n"

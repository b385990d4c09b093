"""Selectors decide as Ruff's do: the same choice, with codes of Ruff in the place of ours."""

from __future__ import annotations

import re

import pytest

from idemlint import catalogue
from idemlint.config.errors import ConfigError
from idemlint.config.layer import Selection
from idemlint.config.selectors import PreviewMode, choose, codes_of, is_selector

STABLE = PreviewMode()
PREVIEW = PreviewMode(is_enabled=True)
EXPLICIT = PreviewMode(is_enabled=True, is_explicit=True)

# Both families have two rules with one prefix, and one rule with another.
TO_RUFF = {"IDM101": "E711", "IDM102": "E712", "IDM201": "E401", "IDM10": "E71", "IDM1": "E7"} | {
    "IDM2": "E4",
    "IDM": "E",
    "ALL": "ALL",
}
COMPARED = ("IDM101", "IDM102", "IDM201")

ONE_LAYER = [
    {"select": ["ALL"]},
    {"select": ["IDM"]},
    {"select": ["IDM1"]},
    {"select": ["IDM10"]},
    {"select": ["IDM101"]},
    {"select": []},
    {"select": ["IDM101"], "ignore": ["IDM1"]},
    {"select": ["IDM1"], "ignore": ["IDM101"]},
    {"select": ["IDM101"], "ignore": ["ALL"]},
    {"select": ["ALL"], "ignore": ["IDM"]},
    {"select": ["IDM1"], "ignore": ["IDM1"]},
    {"select": ["IDM101"], "ignore": ["IDM101"]},
    {"select": ["IDM10"], "ignore": ["IDM1"]},
    {"select": ["IDM1"], "ignore": ["IDM10"]},
    {"select": ["IDM1"], "extend-select": ["IDM2"]},
    {"select": ["IDM1"], "extend-select": ["IDM2"], "ignore": ["IDM"]},
    {"select": ["IDM2"], "extend-select": ["IDM101"], "ignore": ["IDM1"]},
    {"select": ["IDM1"], "extend-ignore": ["IDM101"]},
    {"select": [], "ignore": ["IDM1"]},
]

LAYERS = [
    ({"select": ["IDM"], "ignore": ["IDM101"]}, {"select": ["IDM1"]}),
    ({"select": ["IDM101"]}, {"ignore": ["IDM"]}),
    ({"select": ["IDM"], "ignore": ["IDM101"]}, {"extend-select": ["IDM1"]}),
    ({"select": ["IDM2"], "extend-select": ["IDM101"]}, {"select": ["IDM102"]}),
    ({"select": ["IDM2"], "extend-select": ["IDM101"]}, {"ignore": ["IDM2"]}),
    ({"select": ["IDM2"]}, {"extend-select": ["IDM1"], "ignore": ["IDM101"]}),
    ({"select": [], "ignore": ["IDM101"]}, {"select": ["IDM"]}),
    ({"select": [], "ignore": ["IDM101"]}, {"select": ["IDM101"]}),
    ({"select": [], "ignore": ["IDM101"]}, {"extend-select": ["IDM1"]}),
    ({"select": ["IDM"]}, {"select": [], "ignore": ["IDM1"]}),
]


def on(*selections: Selection, mode: PreviewMode = STABLE) -> frozenset[str]:
    return choose(selections, mode).rules


def selection(options: dict[str, list[str]], source: str = "the CLI") -> Selection:
    given = {name.replace("-", "_"): tuple(codes) for name, codes in options.items()}
    return Selection(source, **given)


def by_ruff(project, *layers: dict[str, list[str]], first_is_file: bool = False) -> set[str]:
    args = []
    for number, options in enumerate(layers):
        mapped = {name: [TO_RUFF[code] for code in codes] for name, codes in options.items()}
        if first_is_file and number == 0:
            lines = "".join(f"{name} = {codes}\n" for name, codes in mapped.items())
            project.write({"ruff.toml": f"[lint]\n{lines}"})
        else:
            for name, codes in mapped.items():
                args += [f"--{name}={','.join(codes)}"] if codes else ["--config=lint.select=[]"]
    project.write({"m.py": ""})
    shown = project.ruff("check", "--show-settings", *args, "m.py").stdout
    enabled = re.search(r"linter\.rules\.enabled = \[(.*?)\]", shown, re.DOTALL)
    assert enabled is not None
    codes = set(re.findall(r"\((\w+)\)", enabled[1]))
    return {ours for ours in COMPARED if TO_RUFF[ours] in codes}


@pytest.mark.parametrize("options", ONE_LAYER, ids=str)
def test_inside_a_layer_the_same_rules_are_on_as_with_ruff(project, options):
    assert on(selection(options)) & set(COMPARED) == by_ruff(project, options, first_is_file=True)


@pytest.mark.parametrize("layers", LAYERS, ids=str)
def test_across_layers_the_same_rules_are_on_as_with_ruff(project, layers):
    ours = on(*map(selection, layers)) & set(COMPARED)

    assert ours == by_ruff(project, *layers, first_is_file=True)


def test_without_a_selection_all_stable_rules_are_on():
    stable = {code for code, rule in catalogue.rules().items() if not rule.is_preview}

    assert on() == stable


def test_preview_adds_the_preview_rules():
    assert on(mode=PREVIEW) == frozenset(catalogue.rules())


def test_a_preview_rule_is_off_without_preview_even_by_its_full_code():
    choice = choose([Selection("the CLI", select=("IDM106", "IDM101"))], STABLE)

    assert choice.rules == {"IDM101"}
    assert choice.warnings == ("Selection `IDM106` has no effect because preview is not enabled.",)


def test_all_and_prefixes_leave_preview_rules_out_without_a_warning():
    choice = choose([Selection("the CLI", select=("ALL", "IDM10"))], STABLE)

    assert "IDM106" not in choice.rules
    assert choice.warnings == ()


def test_explicit_preview_rules_are_taken_by_their_full_code_only():
    by_prefix = on(Selection("the CLI", select=("IDM10",)), mode=EXPLICIT)
    by_code = on(Selection("the CLI", select=("IDM106",)), mode=EXPLICIT)

    assert "IDM106" not in by_prefix
    assert by_code == {"IDM106"}


def test_a_warning_about_preview_is_not_given_for_ignored_rules():
    assert choose([Selection("the CLI", ignore=("IDM106",))], STABLE).warnings == ()


def test_warnings_come_from_the_shortest_selector_to_the_longest():
    given = Selection("the CLI", extend_select=("IDM502", "IDM403"), select=("IDM106",))

    assert [text.split("`")[1] for text in choose([given], STABLE).warnings] == [
        "IDM106",
        "IDM403",
        "IDM502",
    ]


@pytest.mark.parametrize(
    ("option", "selector"),
    [
        ("select", "X"),
        ("select", ""),
        ("select", " IDM1"),
        ("select", "idm101"),
        ("select", "IDM9"),
        ("select", "IDM1011"),
        ("ignore", "X"),
        ("extend_select", "X"),
        ("extend_ignore", "X"),
        ("fixable", "X"),
        ("unfixable", "X"),
        ("extend_fixable", "X"),
        ("extend_unfixable", "X"),
        ("extend_safe_fixes", "X"),
        ("extend_unsafe_fixes", "X"),
    ],
)
def test_an_unknown_selector_is_an_error_that_names_option_and_source(option, selector):
    with pytest.raises(ConfigError) as caught:
        on(Selection("the CLI", **{option: (selector,)}))

    shown = option.replace("_", "-")
    assert caught.value.causes == (f"Unknown rule selector `{selector}` in `{shown}` from the CLI",)


def test_a_name_selects_its_rule_with_preview():
    assert on(Selection("the CLI", select=("fresh-key",)), mode=PREVIEW) == {"IDM101"}


def test_a_name_is_refused_without_preview():
    with pytest.raises(ConfigError) as caught:
        on(Selection("`/p/idemlint.toml`", select=("fresh-key",)))

    (cause,) = caught.value.causes
    assert cause == (
        "Invalid selector `fresh-key` in `select` from `/p/idemlint.toml`. "
        "Selecting rules by name requires preview mode"
    )


def test_all_fixes_may_be_applied_without_a_selection():
    assert choose([], STABLE).fixable == frozenset(catalogue.rules())


def test_unfixable_takes_away_and_a_longer_fixable_gives_back():
    choice = choose([Selection("the CLI", fixable=("IDM101",), unfixable=("IDM1",))], STABLE)

    assert choice.fixable == {"IDM101"}


def test_fixable_of_a_later_layer_overrides_unfixable():
    file = Selection("`/p/idemlint.toml`", unfixable=("IDM101",))
    flags = Selection("the CLI", fixable=("IDM101",))

    assert choose([file, flags], STABLE).fixable == {"IDM101"}
    assert "IDM101" not in choose([file], STABLE).fixable


@pytest.mark.parametrize(
    ("safe", "unsafe", "is_safe"),
    [
        (("IDM101",), ("IDM101",), False),
        (("IDM1",), ("IDM101",), False),
        (("IDM101",), ("IDM1",), True),
        (("IDM101",), (), True),
    ],
)
def test_of_two_settings_of_safety_the_longer_wins_and_unsafe_in_a_tie(safe, unsafe, is_safe):
    given = Selection("the CLI", extend_safe_fixes=safe, extend_unsafe_fixes=unsafe)

    choice = choose([given], STABLE)

    assert ("IDM101" in choice.forced_safe) is is_safe
    assert ("IDM101" in choice.forced_unsafe) is not is_safe


def test_selectors_of_files_stand_for_preview_rules_too():
    assert codes_of(("IDM10",), "per-file-ignores", "the CLI") == {
        code for code in catalogue.rules() if code.startswith("IDM10")
    }


@pytest.mark.parametrize("text", ["ALL", "IDM", "IDM1", "IDM10", "IDM101", "fresh-key"])
def test_what_names_a_rule_is_a_selector(text):
    assert is_selector(text)


@pytest.mark.parametrize("text", ["", "I", "ID", "IDM6", "IDM1 ", "all", "Fresh-Key"])
def test_what_names_no_rule_is_no_selector(text):
    assert not is_selector(text)

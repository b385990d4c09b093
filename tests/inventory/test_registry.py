"""`--fail-on`, `--write`, `--check`, and input that cannot be read."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Shop

KEYED = "def charge_card(card: str, cents: int, idempotency_key: str)"
PASSED = "create(amount=cents, idempotency_key=idempotency_key)\n    return done"
SIGNS = ("-  ", "+  ")
TIP = '''

@tool
def tip(cents: int) -> str:
    """Give a tip."""
    return stripe.Charge.create(amount=cents).id
'''


def test_fail_on_sets_the_exit_code(shop: Shop) -> None:
    assert shop.tools("--fail-on", "unguarded").code == 1
    assert shop.tools("--fail-on", "harmless").code == 0
    assert shop.tools("--fail-on", "harmless,opaque").code == 1
    assert shop.tools("shop/payments.py", "--fail-on", "unguarded").code == 0


def test_fail_on_shows_the_inventory_all_the_same(shop: Shop) -> None:
    assert shop.tools("--fail-on", "unguarded").out == shop.tools().out


def test_fail_on_of_something_else_is_a_usage_error(shop: Shop) -> None:
    result = shop.tools("--fail-on", "unsafe")
    assert result.code == 2
    assert "invalid value 'unsafe' for '--fail-on <STANDING>'" in result.err
    assert "unguarded, weak, opaque" in result.err


def test_an_accepted_finding_does_not_fail(shop: Shop) -> None:
    text = shop.read("shop/tools.py")
    head, _, ping = text.partition("@tool\ndef ping")
    imports = head[: head.index("@tool")]
    shop.write("alone/tools.py", f"{imports}@tool\ndef ping{ping}")
    assert shop.tools("alone", "--fail-on", "unguarded").code == 0


def test_a_registry_that_was_just_written_holds(shop: Shop) -> None:
    written = shop.tools("--write", "tools.json")
    assert (written.code, written.out) == (0, "")
    assert written.err == "Wrote 9 entries to tools.json.\n"
    checked = shop.tools("--check", "tools.json")
    assert (checked.code, checked.out) == (0, "")
    assert checked.err == "tools.json is up to date (9 entries).\n"


def test_the_registry_says_what_a_review_needs(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    entries = json.loads(shop.read("tools.json"))["entries"]
    assert entries["shop/tools.py::charge_card"] == {
        "kind": "tool",
        "framework": "langchain",
        "standing": "guarded",
        "key": "idempotency_key (required)",
        "effects": {"moves money through stripe": "guarded"},
        "guards": ["key"],
        "unknown": [],
    }


def test_the_registry_does_not_change_with_rows(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    shop.replace("shop/tools.py", '"""The tools of a shop."""\n', '"""Tools."""\n\n# moved\n\n')
    assert shop.tools("--check", "tools.json").code == 0


def test_the_registry_does_not_change_with_the_directory(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.tools("--write", "tools.json")
    monkeypatch.chdir(shop.folder / "shop")
    assert shop.tools("..", "--check", "../tools.json").code == 0


def test_a_tool_that_lost_its_key_is_worse(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    shop.replace("shop/tools.py", KEYED, "def charge_card(card: str, cents: int)")
    shop.replace("shop/tools.py", PASSED, "create(amount=cents)\n    return done")
    result = shop.tools("--check", "tools.json")
    assert result.code == 1
    assert result.out == (
        "worse: shop/tools.py::charge_card: lost its key: idempotency_key (required) → none;"
        " guarded → unguarded; moves money through stripe: guarded → repeats;"
        " no longer guarded by `key`\n"
    )
    assert result.err == "Review this, then run `idemlint tools --write tools.json`.\n"


def test_the_diff_of_the_registry_shows_the_lost_key(shop: Shop) -> None:
    shop.tools("--write", "before.json")
    shop.replace("shop/tools.py", KEYED, "def charge_card(card: str, cents: int)")
    shop.replace("shop/tools.py", PASSED, "create(amount=cents)\n    return done")
    shop.tools("--write", "after.json")
    before, after = (shop.read(f"{name}.json").splitlines() for name in ("before", "after"))
    changed = [line for line in difflib.unified_diff(before, after, n=0) if line[:3] in SIGNS]
    assert changed == [
        '-      "standing": "guarded",',
        '-      "key": "idempotency_key (required)",',
        '+      "standing": "unguarded",',
        '+      "key": "none",',
        '-        "moves money through stripe": "guarded"',
        '+        "moves money through stripe": "repeats"',
        '-      "guards": [',
        '-        "key"',
        "-      ],",
        '+      "guards": [],',
    ]


def test_a_new_unguarded_tool_is_worse_and_told_first(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    shop.replace("shop/desk.py", "def note(", "def remark(")
    shop.replace("shop/desk.py", '"note", note', '"remark", remark')
    shop.write("shop/tools.py", shop.read("shop/tools.py") + TIP)
    result = shop.tools("--check", "tools.json")
    assert result.code == 1
    assert result.out == (
        "worse: shop/tools.py::tip is new and unguarded: moves money through stripe (repeats)\n"
        "gone: shop/desk.py::note\n"
        "new: shop/desk.py::remark is new and has no effect\n"
    )


def test_a_tool_that_got_a_key_is_better(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    shop.replace("shop/tools.py", "idempotency_key: str | None = None", "idempotency_key: str")
    result = shop.tools("--check", "tools.json")
    assert result.code == 1
    assert result.out == (
        "better: shop/tools.py::capture: has another key:"
        " idempotency_key (optional) → idempotency_key (required); weak → guarded\n"
    )


def test_a_call_that_is_no_longer_resolved_is_worse(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    shop.replace("shop/tools.py", 'requests.get(f"https://shop.example.com/orders/{customer}").json()',
                 "acme_ledger.Client().push(customer)")  # fmt: skip
    result = shop.tools("--check", "tools.json")
    assert result.code == 1
    assert result.out.startswith("worse: shop/tools.py::list_orders: no-effect → opaque; now calls")


def test_check_and_fail_on_go_together(shop: Shop) -> None:
    shop.tools("--write", "tools.json")
    result = shop.tools("--check", "tools.json", "--fail-on", "weak")
    assert result.code == 1
    assert result.out == "forbidden: shop/tools.py::capture is weak\n"


def test_two_entries_of_one_name_are_both_kept(shop: Shop) -> None:
    shop.write("shop/more.py", shop.read("shop/worker.py") + "\n\nclass A:\n    @retry\n"
               "    def push(self) -> None:\n        requests.post('https://x.example.com')\n")  # fmt: skip
    shop.tools("--write", "tools.json")
    entries = json.loads(shop.read("tools.json"))["entries"]
    assert {"shop/more.py::push", "shop/more.py::push#2"} <= entries.keys()
    assert shop.tools("--check", "tools.json").code == 0


def test_write_and_check_exclude_each_other(shop: Shop) -> None:
    result = shop.tools("--write", "a.json", "--check", "b.json")
    assert result.code == 2
    assert "cannot be used with" in result.err


# input that cannot be read

ODD = (
    '{{"version": 1, "entries": {{"a.py::f": {{"kind": "", "framework": "", "standing": "{standing}",'
    ' "key": "", "effects": {effects}, "guards": [], "unknown": []}}}}}}'
)
WRONG = {
    "no JSON": ("{", "The registry `tools.json` is no JSON: "),
    "another object": (
        "{}",
        "The registry `tools.json` was not written by `idemlint tools --write`",
    ),
    "a list": ("[]", "The registry `tools.json` was not written by `idemlint tools --write`"),
    "another version": (
        '{"version": 9, "entries": {}}',
        "The registry `tools.json` has version 9, this idemlint writes version 1",
    ),
    "a field less": (
        '{"version": 1, "entries": {"a.py::f": {"kind": "tool"}}}',
        "`a.py::f` lacks a field of kind, framework, standing",
    ),
    "an unknown standing": (
        ODD.format(standing="fine", effects="{}"),
        "`a.py::f` has the standing 'fine'",
    ),
    "a field of another type": (
        ODD.format(standing="weak", effects="[]"),
        "a field of `a.py::f` has another type",
    ),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_a_wrong_registry_is_told_with_its_name(shop: Shop, case: tuple[str, str]) -> None:
    text, expected = case
    shop.write("tools.json", text)
    result = shop.tools("--check", "tools.json")
    assert (result.code, result.out) == (2, "")
    assert expected in result.err
    assert "Traceback" not in result.err


def test_a_registry_that_is_not_there(shop: Shop) -> None:
    result = shop.tools("--check", "none.json")
    assert result.code == 2
    assert "The registry `none.json` cannot be read: No such file" in result.err


def test_a_registry_that_is_no_text(shop: Shop) -> None:
    (shop.folder / "tools.json").write_bytes(b"\xff\xfe")
    result = shop.tools("--check", "tools.json")
    assert result.code == 2
    assert "The registry `tools.json` cannot be read" in result.err


def test_a_path_that_is_not_there(shop: Shop) -> None:
    result = shop.tools("nowhere")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: nowhere: No such file")


def test_a_broken_file_is_told_and_the_others_are_listed(shop: Shop) -> None:
    shop.write("shop/broken.py", "def f(:\n")
    result = shop.tools()
    assert result.code == 2
    assert "refund_card" in result.out
    assert result.err.startswith("error: shop/broken.py:1:7: ")


@pytest.mark.parametrize("option", ["--write", "--check"])
def test_a_broken_file_stops_the_registry(shop: Shop, option: str) -> None:
    shop.tools("--write", "tools.json")
    before = shop.read("tools.json")
    shop.write("shop/broken.py", "def f(:\n")
    result = shop.tools(option, "tools.json")
    assert (result.code, result.out) == (2, "")
    assert "error: shop/broken.py:1:7: " in result.err
    assert shop.read("tools.json") == before


def test_a_file_that_is_no_text(shop: Shop) -> None:
    (shop.folder / "shop" / "odd.py").write_bytes(b"\xff\xfe\x00")
    result = shop.tools()
    assert result.code == 2
    assert "error: shop/odd.py: " in result.err


def test_a_registry_that_cannot_be_written(shop: Shop) -> None:
    shop.write("blocked", "a file")
    result = shop.tools("--write", "blocked/tools.json")
    assert result.code == 2
    assert "`blocked/tools.json` was not written" in result.err


def test_an_output_file_that_cannot_be_written(shop: Shop) -> None:
    shop.write("blocked", "a file")
    result = shop.tools("-o", "blocked/inventory.html", "--output-format", "html")
    assert result.code == 2
    assert "blocked/inventory.html" in result.err


def test_an_unknown_format_lists_the_known_ones(shop: Shop) -> None:
    result = shop.tools("--output-format", "pdf")
    assert result.code == 2
    assert "html, json, markdown, table" in result.err


def test_a_wrong_row_of_the_configuration(shop: Shop) -> None:
    shop.write("pyproject.toml", '[[tool.idemlint.knowledge.guard]]\nid = "x"\n')
    result = shop.tools()
    assert result.code == 2
    assert "pyproject.toml" in result.err

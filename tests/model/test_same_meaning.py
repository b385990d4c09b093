"""What is found does not hang on how a program is written: the fixtures, written otherwise.

A rewriting changes nothing of what the code does, so each function has the same findings as before.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from marked import SUPPRESSION_RULES, Tree, fixtures
from rewriting import Rewriting, rewritings

if TYPE_CHECKING:
    from pathlib import Path

KNOWN: dict[str, set[str]] = {
    "ArgumentsWithNames": {
        "lost IDM101 of charge_with_new_key in IDM204/functions_that_call_themselves",
        "lost IDM204 of Ledger._request in IDM204/client_that_calls_itself",
        "lost IDM204 of refund in IDM204/functions_that_call_themselves",
        "lost IDM401 of append_minutes in IDM401/batched_requests",
        "lost IDM401 of credit in IDM401/updates_that_count_on",
        "lost IDM401 of fill_wallet in IDM401/updates_that_count_on",
    },
    "CallInFunction": {
        "lost IDM204 of book in IDM204/callables_for_another_file/hotel.py",
        "lost IDM101 of _prepared in IDM101/key_among_headers",
        "lost IDM101 of deliver_new in IDM101/key_of_a_record",
        "lost IDM107 of order_sacks in IDM107/where_a_key_ends",
        "lost IDM202 of lend in IDM202/async_and_setdefault",
        "lost IDM204 of add_note in IDM204/arguments_in_a_mapping",
        "lost IDM204 of ship in IDM204/helper_in_another_file/jobs.py",
        "lost IDM301 of _write in IDM301/helper_that_others_call",
        "lost IDM302 of the file in IDM302/handler_of_events/handlers.py",
        "lost IDM502 of book in IDM502/status_409/bookings.py",
        "lost IDM502 of book_deck in IDM502/status_409/bookings.py",
        "lost IDM502 of send_back in IDM502/conflicts_of_stripe",
        "lost IDM502 of upgrade in IDM502/conflicts_of_stripe",
        "new IDM204 of Service.run in IDM204/told_by_a_flag",
        "new IDM301 of begin in IDM301/one_look_of_two",
    },
    "FilledInByFormat": {
        "lost IDM107 of BookRoom._run in IDM107/classes_and_agents",
    },
    "ImportsUnderOtherNames": {
        "lost IDM101 of Transfer. in IDM101/partials_and_dumped_models",
        "new IDM401 of transfer in IDM101/partials_and_dumped_models",
    },
    "KeywordsInMapping": {
        "lost IDM101 of Payout. in IDM101/partials_and_dumped_models",
        "lost IDM101 of Transfer. in IDM101/partials_and_dumped_models",
        "lost IDM101 of refund_bound in IDM101/partials_and_dumped_models",
        "lost IDM101 of charge_with_new_key in IDM204/functions_that_call_themselves",
        "lost IDM107 of hire in IDM107/where_a_key_ends",
        "lost IDM204 of append in IDM204/tables_of_pandas",
        "lost IDM401 of credit in IDM401/updates_that_count_on",
        "lost IDM401 of fill_wallet in IDM401/updates_that_count_on",
        "lost IDM404 of only_reads in IDM404/what_proves_it",
    },
    "ResultWithName": {
        "lost IDM101 of _prepared in IDM101/key_among_headers",
        "lost IDM403 of _once in IDM403/signs_of_a_replay",
        "new IDM302 of VolatileIdempotencyStore.__init__ in IDM302/idempotency_backends/volatile.py",
    },
    "TestWithName": {
        "lost IDM302 of DefaultIdempotencyStore.__init__ in IDM302/idempotency_backends/volatile.py",
        "new IDM402 of print_chart in IDM402/refusals_in_other_words",
    },
    "TwoAtOnce": {
        "lost IDM107 of order_sacks in IDM107/where_a_key_ends",
        "lost IDM204 of announce in IDM204/services_that_go_round",
        "new IDM402 of print_map in IDM402/refusals_in_other_words",
    },
}
"""What is not the same yet. An entry that no longer holds fails the test: take it out."""
REWRITINGS = rewritings()
UNITS = [unit for unit in fixtures() if not unit.name.startswith(SUPPRESSION_RULES)]


def findings(root: Path, rewriting: type[Rewriting]) -> Counter[str]:
    """How often each code is found in each function of the rewritten fixtures."""
    texts = {
        unit.name: {name: _rewritten(name, text, rewriting) for name, text in unit.plain().items()}
        for unit in UNITS
    }
    encoded = {
        unit: {name: text.encode() for name, text in files.items()} for unit, files in texts.items()
    }
    tree = Tree(root, encoded)
    found: Counter[str] = Counter()
    for unit, files in texts.items():
        marks = Counter(
            (mark.path.relative_to(root / unit).as_posix(), mark.range.start.row, mark.code)
            for mark in tree.found_in(unit)
        )
        for (file, row, code), number in marks.items():
            where = unit if len(files) == 1 else f"{unit}/{file}"
            found[f"{code} of {_function_at(files[file], row)} in {where}"] += number
    return found


def _rewritten(name: str, text: str, rewriting: type[Rewriting]) -> str:
    return rewriting.of(text) if name.endswith(".py") else text


def _function_at(text: str, row: int) -> str:
    """The outermost function or method in which a row is; the file itself where there is none."""
    place = ""
    body: list[ast.stmt] = ast.parse(text).body
    while True:
        for node in body:
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            if first <= row <= (node.end_lineno or row):
                break
        else:
            return place or "the file"
        if isinstance(node, ast.ClassDef):
            place, body = f"{place}{node.name}.", node.body
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return place + node.name
        else:
            return place or "the file"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """What is found in the fixtures without their comments and blank lines."""
    return findings(tmp_path_factory.mktemp("plain"), Rewriting)


def test_there_is_something_to_find(plain: Counter[str]) -> None:
    assert plain.total() > len(UNITS)


def test_what_is_known_is_of_a_rewriting() -> None:
    assert KNOWN.keys() <= {rewriting.__name__ for rewriting in REWRITINGS}


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda cls: cls.__name__)
def test_what_means_the_same_is_found_the_same(
    rewriting: type[Rewriting], plain: Counter[str], tmp_path: Path
) -> None:
    found = findings(tmp_path, rewriting)
    differences = {f"lost {place}" for place in plain - found}
    differences |= {f"new {place}" for place in found - plain}
    assert differences == KNOWN.get(rewriting.__name__, set())

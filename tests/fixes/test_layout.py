"""How long rows may be, and how what is too long is laid out."""

from __future__ import annotations

import pytest

from idemlint.fixes.layout import commas, fitted, limit_of


@pytest.mark.parametrize(
    ("longest", "expected"), [(20, 88), (88, 88), (89, 100), (101, 120), (121, 0)]
)
def test_the_limit_is_the_least_that_the_rows_keep(longest: int, expected: int) -> None:
    assert limit_of(f"{'x' * longest}\n" * 3) == expected


def test_a_single_long_row_among_many_does_not_count() -> None:
    assert limit_of("short\n" * 400 + "x" * 300 + "\n") == 88


def test_commas_in_brackets_and_texts_are_not_between_items() -> None:
    text = "f(a, (b, c), 'd, e')"
    assert commas(text, 2, len(text) - 1) == [3, 11]


@pytest.mark.parametrize("text", ["f(a,\n  b)", "f(a, # c\n b)"])
def test_a_list_with_rows_or_comments_is_left_alone(text: str) -> None:
    assert commas(text, 2, len(text) - 1) is None


def test_what_fits_stays_as_it_is() -> None:
    assert fitted("f(a, b)", "    ", "    ", 88) == "f(a, b)"


def test_what_does_not_fit_gets_a_row_for_each_item() -> None:
    assert fitted("f(aaaa, bbbb)", "", "  ", 10) == "f(\n  aaaa,\n  bbbb,\n)"


def test_one_item_gets_no_comma() -> None:
    assert fitted("f(aaaaaaaaa)", "", "  ", 10) == "f(\n  aaaaaaaaa\n)"

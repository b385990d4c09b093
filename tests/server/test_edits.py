"""Edits that make one text of another."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from idemlint.server.edits import edits_between
from idemlint.source.text import SourceText

PATH = Path("/project/tool.py")


def edits_of_texts(old: str, new: str) -> list[tuple[int, int, str]]:
    source = SourceText(PATH, old)
    return [
        (source.offset(edit.range.start), source.offset(edit.range.end), edit.content)
        for edit in edits_between(PATH, source, SourceText(PATH, new))
    ]


def edited(old: str, new: str) -> str:
    text = old
    for start, end, content in reversed(edits_of_texts(old, new)):
        text = text[:start] + content + text[end:]
    return text


def changed(text: str, chance: random.Random) -> str:
    rows = text.splitlines(keepends=True)
    for _ in range(chance.randrange(6)):
        at = chance.randrange(len(rows) + 1)
        what = chance.randrange(3)
        if what == 0:
            rows.insert(at, chance.choice("abcxyz") + "\n")
        elif rows and what == 1:
            del rows[min(at, len(rows) - 1)]
        else:
            chance.shuffle(rows)
    return "".join(rows)


@pytest.mark.parametrize("seed", range(5))
def test_edits_make_the_other_text(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        parts = (chance.choice("abcdef\n") + chance.choice(["\n", ""]) for _ in range(30))
        old = "".join(parts)[chance.randrange(40) :]
        new = changed(old, chance)
        assert edited(old, new) == new


def test_rows_that_stay_are_not_touched() -> None:
    assert edits_of_texts("a\nb\nc\n", "a\nx\nc\n") == [(2, 4, "x\n")]
    assert edits_of_texts("a\na\n", "a\na\n") == []
    assert edits_of_texts("", "a") == [(0, 0, "a")]


def test_long_text_of_repeated_rows_is_compared_in_no_time() -> None:
    body = "".join(f"def f{n}():\n" + "    x = 1\n" * 99 for n in range(150))
    started = time.perf_counter()
    new = body.replace("def f70():\n", "def f70():\n    y = 2\n")
    assert edits_of_texts(body, new) == [(body.index("def f70") + 11,) * 2 + ("    y = 2\n",)]
    assert edited("x\n" * 9000, "y\n" * 9000) == "y\n" * 9000
    assert time.perf_counter() - started < 5

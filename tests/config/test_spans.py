"""The places of keys and values in a TOML text."""

from __future__ import annotations

import pytest

from idemlint.config.spans import locate

TEXT = """\
# a comment with = and [brackets]
fix = true  # behind
"quoted" = 'literal'
a.b.c = [1, "two", { x = 3, y.z = 4 }]
long = \"\"\"
[not.a.table]
key = 1
\"\"\"
date = 1979-05-27 07:32:00

[lint]  # header
select = [
    "E",  # why
    # alone
    "F",
]

[ lint . "per file" ]
'a/*' = []

[[tool]]
id = "one"
[tool.sub]
x = 1
[[tool]]
id = "two"
[tool.sub]
x = 2
[[tool.rows]]
y = 1
[[tool.rows]]
y = 2
"""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("fix",), "true"),
        (("quoted",), "'literal'"),
        (("a", "b", "c"), '[1, "two", { x = 3, y.z = 4 }]'),
        (("a", "b", "c", 0), "1"),
        (("a", "b", "c", 1), '"two"'),
        (("a", "b", "c", 2), "{ x = 3, y.z = 4 }"),
        (("a", "b", "c", 2, "x"), "3"),
        (("a", "b", "c", 2, "y", "z"), "4"),
        (("long",), '"""\n[not.a.table]\nkey = 1\n"""'),
        (("date",), "1979-05-27 07:32:00"),
        (("lint",), "[lint]"),
        (("lint", "select", 1), '"F"'),
        (("lint", "per file"), '[ lint . "per file" ]'),
        (("lint", "per file", "a/*"), "[]"),
        (("tool", 0), "[[tool]]"),
        (("tool", 0, "id"), '"one"'),
        (("tool", 1, "id"), '"two"'),
        (("tool", 0, "sub", "x"), "1"),
        (("tool", 1, "sub", "x"), "2"),
        (("tool", 1, "rows", 0, "y"), "1"),
        (("tool", 1, "rows", 1, "y"), "2"),
    ],
)
def test_a_value_is_found(path, value):
    start, end = locate(TEXT).value(path)

    assert TEXT[start:end] == value


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (("fix",), "fix"),
        (("quoted",), '"quoted"'),
        (("a", "b"), "b"),
        (("a", "b", "c", 2, "y", "z"), "z"),
        (("lint", "per file"), '"per file"'),
        (("lint", "per file", "a/*"), "'a/*'"),
        (("tool", 1, "sub"), "sub"),
        (("tool", 1, "rows"), "rows"),
    ],
)
def test_a_key_is_found(path, key):
    start, end = locate(TEXT).key(path)

    assert TEXT[start:end] == key


def test_what_is_not_there_is_at_the_beginning():
    assert locate(TEXT).key(("none",)) == (0, 1)


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "a = 1", "[t]"])
def test_short_texts_come_to_an_end(text):
    locate(text)

"""Syntax errors beside those of the installed Ruff: all of a text, their words and their places."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING

import pytest

from idemlint.diagnostic import Position, Range
from idemlint.source.syntax import SyntaxProblem, syntax_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

Found = tuple[int, int, int, int, str]

RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
RUNNING_FLAG = f"--target-version=py{sys.version_info.major}{sys.version_info.minor}"

BROKEN = {
    # Brackets
    "parenthesis left open": "x = (1,\n",
    "bracket left open": "x = [1, 2\ny = 3\n",
    "brace left open": "x = {1: 2\n",
    "nothing behind a bracket": "x = (\n",
    "call left open before a definition": "f(a,\n\ndef g():\n    pass\n",
    "call left open before a statement": "print(1\nx = 2\n",
    "parameters left open": "def f(a, b:\n    pass\n",
    "closing parenthesis too many": "f(1))\n",
    "closing bracket alone": "]\n",
    "other bracket closes": "x = (1]\n",
    "subscript left open": "x[1\ny\n",
    "empty subscript": "x[]\n",
    "empty brackets of type parameters": "def f[](): pass\n",
    # Rows and indents
    "indent without a reason": "x = 1\n    y = 2\n",
    "indent on the first row": "  x = 1\n",
    "no indented block": "def f():\nx = 1\n",
    "no indented block at the end": "if x:\n",
    "only a comment in a block": "class C:\n    # nothing\nx = 1\n",
    "unindent that matches nothing": "if x:\n        y\n    z\n",
    "tabs and spaces": "if x:\n        a\n\tb\n",
    "missing colon of if": "if x\n    y\n",
    "missing colon of def": "def f()\n    pass\n",
    "missing colon of class": "class C\n    pass\n",
    "missing colon of for": "for a in b\n    pass\n",
    "missing colon of else": "if x:\n    pass\nelse\n    pass\n",
    "missing colon of try": "try\n    pass\nexcept E:\n    pass\n",
    "missing colon of lambda": "f = lambda x\n",
    "two statements on a row": "x = 1 y = 2\n",
    "print without parentheses": 'print "hello"\n',
    "exec without parentheses": 'exec "x"\n',
    "compound statement behind a simple one": "x = 1; if y: pass\n",
    "compound statement in a simple body": "if x: for y in z: pass\n",
    "else without if": "else:\n    pass\n",
    "elif behind else": "if a:\n    pass\nelse:\n    pass\nelif b:\n    pass\n",
    "except without try": "except E:\n    pass\n",
    "try alone": "try:\n    pass\nx = 1\n",
    "else behind finally": "try: pass\nfinally: pass\nelse: pass\n",
    "backslash before a space": "x = 1 + \\ \n    2\n",
    "backslash at the end": "x = 1 + \\",
    "carriage returns only": "x = 1\ry = (\rz = 3\r",
    "windows rows": "if x\r\n    y\r\n",
    "form feeds": "x = 1\n\x0cy = 2 3\n",
    # Strings and characters
    "quote left open": "x = 'abc\ny = 1\n",
    "three quotes left open": 'x = """abc\ny = 1\n',
    "bytes beyond ascii": "x = b'aé'\n",
    "unknown name of a character": "x = '\\N{no such name}'\n",
    "short escape": "x = '\\x1'\n",
    "escape too large": "x = '\\UFFFFFFFF'\n",
    "escape without braces": "x = '\\N'\n",
    "bytes beside a string": "x = b'a' 'b'\n",
    "dollar": "x = $a\n",
    "question mark": "x?\n",
    "backtick": "`x`\n",
    "exclamation mark": "!x\n",
    "character of no language": "x = 1 € 2\n",
    "typographic quotes": "x = “a”\n",
    "null byte": "x = 1\n\x00y = 2\n",
    "byte order mark inside": "x = 1\n\ufeffy = 2\n",
    "two byte order marks": "\ufeffx = = 1\n",
    "space that breaks no row": "x =\u00a01\n",
    "column behind an astral character": "\U0001d4b3 = '日' = = 1\n",
    "column behind a tab": "if x:\n\ty = = 1\n",
    # Numbers
    "leading zero": "x = 0777\n",
    "name behind a number": "x = 1abc\n",
    "underscore at the end": "x = 1_\n",
    "two underscores": "x = 1__0\n",
    "underscore behind the point": "x = 1._5\n",
    "hexadecimal without digits": "x = 0x\n",
    "octal with a nine": "x = 0o9\n",
    # f-strings
    "field left open": "f'{a'\n",
    "field without an expression": "f'{}'\n",
    "closing brace alone": "f'a}'\n",
    "unknown conversion": "f'{a!x}'\n",
    "conversion missing": "f'{a!}'\n",
    "space before the conversion": "f'{a! r}'\n",
    "lambda in a field": "f'{lambda x: 1}'\n",
    "f-string left open": "f'abc\n",
    "f-string of three quotes left open": "f'''abc\n{x}\n",
    "format left open": "f'{a:>10'\n",
    "row end in a format": "f'{a:>\n10}'\n",
    "statement in a field": "f'{a = 1; b}'\n",
    "escape in an f-string": "f'\\N{nope}'\n",
    "field left open in a call": "print(f'{a', b)\n",
    # Expressions
    "nothing behind an operator": "x = 1 +\n",
    "two operators": "x = 1 + * 2\n",
    "nothing behind equals": "x =\n",
    "nothing behind not": "x = not\n",
    "starred alone in parentheses": "x = (*a)\n",
    "condition without else": "x = a if b\n",
    "not behind an operator": "x = 1 + not a\n",
    "lambda behind an operator": "x = 1 + lambda: 0\n",
    "await of a sum": "x = await -a\n",
    "yield as an argument": "f(yield 1)\n",
    "yield behind an operator": "x = 1 + yield\n",
    "two values between commas": "x = [1 2]\n",
    "comma without a value": "x = [1,, 2]\n",
    "dictionary without a value": "x = {1: }\n",
    "dictionary without a colon": "x = {1: 2, 3}\n",
    "unpacking in a dictionary": "x = {**a: 1}\n",
    "keyword as a name": "class = 1\n",
    "keyword as an attribute": "x = a.class\n",
    "attribute without a name": "x = a.\n",
    "comprehension without in": "x = [a for b]\n",
    "comprehension over a target": "x = [a for f() in b]\n",
    "named expression without parentheses": "x := 1\n",
    "named expression of an attribute": "(x.y := 1)\n",
    "slice with a named expression": "x[a := 1:2]\n",
    "comparison behind a star": "x = [*a < b]\n",
    "arrow operator": "x = a -> b\n",
    "angle brackets": "x = a <> b\n",
    # Calls
    "positional behind keyword": "f(a=1, b)\n",
    "positional behind unpacking": "f(**a, b)\n",
    "star behind unpacking": "f(**a, *b)\n",
    "keyword that is no name": "f(a.b=1)\n",
    "keyword without a value": "f(a=)\n",
    "generator among arguments": "f(x for x in y, 1)\n",
    "generator as a base": "class C(x for x in y): pass\n",
    "missing comma in a call": "f(a b)\n",
    # Targets
    "assignment to a number": "1 = x\n",
    "assignment to a call": "f() = x\n",
    "assignment to None": "None = x\n",
    "assignment to an operation": "a + b = x\n",
    "assignment in a condition": "if x = 1:\n    pass\n",
    "assignment to part of a tuple": "(a, f()) = x\n",
    "augmented assignment to a tuple": "a, b += 1\n",
    "annotation of a tuple": "a, b: int = 1\n",
    "annotation of a call": "f(): int\n",
    "loop over a call": "for f() in x:\n    pass\n",
    "with as a call": "with a as f():\n    pass\n",
    "deletion of a call": "del f()\n",
    "deletion of nothing": "del\n",
    "error in the value behind a wrong target": "f() = $\n",
    # Statements
    "import of nothing": "import\n",
    "from import of nothing": "from a import\n",
    "trailing comma of an import": "from a import b,\n",
    "star among imports": "from a import *, b\n",
    "star in parentheses": "from a import (*)\n",
    "from without a module": "from import b\n",
    "as without a name": "import a as\n",
    "dotted alias": "import a as b.c\n",
    "global of nothing": "global\n",
    "trailing comma of nonlocal": "def f():\n    nonlocal a,\n",
    "raise of a tuple": "raise a, b\n",
    "raise from alone": "raise from e\n",
    "assert with an empty message": "assert x,\n",
    "decorator of an assignment": "@d\nx = 1\n",
    "decorator of nothing": "@\ndef f(): pass\n",
    "async before while": "async while x: pass\n",
    "except of two as": "try: pass\nexcept A, B as e: pass\n",
    "except and except star": "try: pass\nexcept A: pass\nexcept* B: pass\n",
    "except star of nothing": "try: pass\nexcept*: pass\n",
    "with of nothing": "with:\n    pass\n",
    "with items without a comma": "with (a as b c as d): pass\n",
    "two return types": "def f() -> a, b: pass\n",
    "return type missing": "def f() ->: pass\n",
    "tuple behind yield from": "def f(): yield from a, b\n",
    "class without a name": "class:\n    pass\n",
    "function without a name": "def (a): pass\n",
    "keyword as a function": "def if(): pass\n",
    "type alias without a value": "type X =\n",
    # Parameters
    "default before none": "def f(a=1, b): pass\n",
    "two stars": "def f(*a, *b): pass\n",
    "star of nothing": "def f(*): pass\n",
    "star of nothing before two": "def f(*, **k): pass\n",
    "parameter behind two stars": "def f(**k, a): pass\n",
    "default of a star": "def f(*a=1): pass\n",
    "slash first": "def f(/, a): pass\n",
    "slash behind a star": "def f(*a, /): pass\n",
    "two slashes": "def f(a, /, b, /): pass\n",
    "parameter that is a number": "def f(1): pass\n",
    "tuple as a parameter": "def f((a, b)): pass\n",
    "annotation missing": "def f(a: ): pass\n",
    "annotation in a lambda": "lambda a: int: a\n",
    # match
    "match without cases": "match x:\n    pass\n",
    "match without a block": "match x:\ncase 1:\n    pass\n",
    "case without a pattern": "match x:\n    case :\n        pass\n",
    "case of a sum": "match x:\n    case a + b:\n        pass\n",
    "case of a call of a number": "match x:\n    case 1(a):\n        pass\n",
    "star pattern alone": "match x:\n    case *a:\n        pass\n",
    "underscore as a target": "match x:\n    case 1 as _:\n        pass\n",
    "positional behind keyword pattern": "match x:\n    case C(a=1, b):\n        pass\n",
    "rest twice": "match x:\n    case {**a, **b}:\n        pass\n",
    "name as a mapping key": "match x:\n    case {a: 1}:\n        pass\n",
    "guard missing": "match x:\n    case 1 if:\n        pass\n",
    "match without a colon": "match x\n    case 1: pass\n",
    # Several at once
    "three rows broken": "x = = 1\ny = [1\nz = 'a\n",
    "half typed call": "def f():\n    send(to=a,\n    return 1\n",
    "half typed attribute": "def f():\n    self.\n    return 1\n",
    "merge conflict": "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main\n",
    "template": "x = {{ name }}\n{% if a %}\n",
    "prose": "Hello, this is not Python at all.\n",
    "json": '{"a": null}\n}\n',
    "octets": "\x01\x02\x7f\n",
    "magic of a notebook": "%matplotlib inline\n!ls\n",
}
"""Texts that no Python parses, and of which Ruff and this linter say the same."""

NEWER = {
    "except star": (11, "try: pass\nexcept* A: pass\n"),
    "star in an index": (11, "x[*a]\n"),
    "star annotation": (11, "def f(*a: *b): pass\n"),
    "type alias": (12, "type X = int\n"),
    "type parameters of a function": (12, "def f[T](a: T): pass\n"),
    "type parameters of a class": (12, "class C[T, *Ts, **P]: pass\n"),
    "quotes again in an f-string": (12, "f'{a['b']}'\n"),
    "backslash in a field": (12, "f'{a + \"\\n\"}'\n"),
    "comment in a field": (12, "f'''{\na # b\n}'''\n"),
    "row end in a field": (12, "f'{\na\n}'\n"),
    "default of a type parameter": (13, "class C[T = int]: pass\n"),
    "except of two": (14, "try: pass\nexcept A, B: pass\n"),
    "t-string": (14, "x = t'{a}'\n"),
    "lazy import": (15, "lazy import a\nlazy from b import c\n"),
    "unpacking in a list comprehension": (15, "[*a for a in b]\n"),
    "unpacking in a set comprehension": (15, "{*a for a in b}\n"),
    "unpacking in a generator": (15, "f(*a for a in b)\n"),
    "unpacking in a dict comprehension": (15, "{**a for a in b}\n"),
    "plus in a pattern": (15, "match x:\n    case +1: pass\n"),
}
"""Syntax by the minor version of Python 3 that brought it."""

DEEP = 5000
# Text, what is said of it where Python refuses it, why it differs. Ruff reports no syntax error.
REFUSED_BY_PYTHON = {
    "null byte in a string": (
        "x = 'a\0'\n",
        (1, 7, 1, 8, "Source code cannot contain null bytes"),
        "Python takes no null byte anywhere",
    ),
    "null byte in a comment": (
        "x = 1\n# a\0\n",
        (2, 4, 2, 5, "Source code cannot contain null bytes"),
        "Python takes no null byte anywhere",
    ),
    "brackets": (
        f"x = 1\ny = {'(' * 300}1{')' * 300}\n",
        (2, 205, 2, 206, "Too deeply nested to be parsed"),
        "Python takes 200 open brackets",
    ),
    "brackets in brackets of calls": (
        f"x = {'f(' * 300}{')' * 300}\n",
        (1, 406, 1, 407, "Too deeply nested to be parsed"),
        "Python takes 200 open brackets",
    ),
    "blocks": (
        "".join(" " * depth + "if x:\n" for depth in range(150)) + " " * 150 + "pass\n",
        (101, 100, 101, 101, "Too deeply nested to be parsed"),
        "Python takes 100 levels of indentation",
    ),
    "yield as an operand": (
        "def f():\n    yield < a\n",
        (2, 11, 2, 11, "Invalid syntax"),
        "Ruff reads `(yield) < a`",
    ),
}

REFUSED_BY_RUFF = {
    "parameter twice": ("def f(a, a): pass\n", 'Duplicate parameter "a"'),
    "keyword twice": ("f(a=1, a=2)\n", "Duplicate keyword argument `a`"),
    "nonlocal of the module": (
        "nonlocal a\n",
        "nonlocal declaration not allowed at module level",
    ),
    "star as a target": ("*a = b\n", "starred assignment target must be in a list or tuple"),
    "star as a value": ("a = *b\n", "Starred expression cannot be used here"),
    "assignment to debug": ("__debug__ = 1\n", "cannot assign to `__debug__`"),
}
"""What Python parses and refuses only when it compiles: there is something to lint.

Text and what Ruff says of it.
"""


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Found]]:
    """What Ruff says of the texts, by their names."""
    texts = {
        **BROKEN,
        **{name: text for name, (text, _, _) in REFUSED_BY_PYTHON.items()},
        **{name: text for name, (text, _) in REFUSED_BY_RUFF.items()},
    }
    return ruff_says(texts, tmp_path_factory.mktemp("beside"))


@pytest.fixture(scope="module")
def beside_newer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Found]]:
    texts = {name: text for name, (_, text) in NEWER.items()}
    return ruff_says(texts, tmp_path_factory.mktemp("newer"), RUNNING_FLAG)


def ruff_says(texts: Mapping[str, str], folder: Path, *flags: str) -> dict[str, list[Found]]:
    names = list(texts)
    for number, text in enumerate(texts.values()):
        (folder / f"{number}.py").write_bytes(text.encode())
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select=E902"]
    done = subprocess.run(
        [*command, "--output-format=json", *flags, "."],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    says: dict[str, list[Found]] = {name: [] for name in names}
    for found in json.loads(done.stdout):
        start, end = found["location"], found["end_location"]
        place = (start["row"], start["column"], end["row"], end["column"])
        name = names[int(re.findall(r"(\d+)\.py$", found["filename"])[0])]
        says[name].append((*place, found["message"]))
    return {name: sorted(found) for name, found in says.items()}


def we_say(text: str, first_row: int = 1) -> list[Found]:
    return sorted(map(plain, syntax_errors(text, first_row=first_row)))


def plain(problem: SyntaxProblem) -> Found:
    start, end = problem.range.start, problem.range.end
    return start.row, start.column, end.row, end.column, problem.message


def without_mark(text: str) -> str:
    """A text as it is when its file has been decoded: without the first byte order mark."""
    return text.removeprefix("\ufeff")


@pytest.mark.parametrize("name", BROKEN)
def test_broken_text_is_reported_as_by_ruff(name: str, beside: dict[str, list[Found]]) -> None:
    assert beside[name]
    assert we_say(without_mark(BROKEN[name])) == beside[name]


def test_two_byte_order_marks_are_one_too_many(tmp_path: Path) -> None:
    text = "\ufeff\ufeffx = 1\n"
    assert we_say(without_mark(text)) == ruff_says({"x": text}, tmp_path)["x"] != []


@pytest.mark.parametrize("name", NEWER)
def test_newer_syntax_is_reported_as_by_ruff(
    name: str, beside_newer: dict[str, list[Found]]
) -> None:
    minor, text = NEWER[name]
    assert we_say(text) == beside_newer[name]
    assert bool(beside_newer[name]) is (sys.version_info < (3, minor))


def test_newer_syntax_beside_an_error_is_not_mentioned() -> None:
    text = "lazy import a\nx = = 1\n"
    assert we_say(text) == [(2, 5, 2, 6, "Expected an expression")]


def test_removed_syntax_names_the_running_python(tmp_path: Path) -> None:
    text = "f((a)=1, b c)\n"
    what = f"Cannot use parenthesized keyword argument name on Python {RUNNING}"
    assert we_say(text)[0] == (1, 3, 1, 6, f"{what} (syntax was removed in Python 3.8)")
    assert we_say(text) == ruff_says({"x": text}, tmp_path, RUNNING_FLAG)["x"]


@pytest.mark.parametrize("name", REFUSED_BY_PYTHON)
def test_text_that_only_python_refuses_has_one_clear_error(
    name: str, beside: dict[str, list[Found]]
) -> None:
    text, said, _ = REFUSED_BY_PYTHON[name]
    assert we_say(text) == [said]
    assert beside[name] == []


@pytest.mark.parametrize("name", REFUSED_BY_RUFF)
def test_text_that_only_ruff_refuses_is_linted(name: str, beside: dict[str, list[Found]]) -> None:
    text, message = REFUSED_BY_RUFF[name]
    assert we_say(text) == []
    assert [found[-1] for found in beside[name]] == [message]


@pytest.mark.parametrize("text", ["", "\n", "x = 1\n", "return 1\nbreak\nyield\n", "\x0c\n\x0cx\n"])
def test_text_that_parses_has_no_errors(text: str) -> None:
    assert syntax_errors(text) == []


SAMPLE = '''\
from a.b import (c, d as e)
@d(x, *y, k=1, **z)
async def f(a, /, b: int = 0, *args, c=1, **kw) -> "T":
    """Text."""
    async with a.b(c) as d, e:
        x = [i async for i in y if i > 0 and not i in z]
    for k, *v in {1: 2, **m}.items():
        if (n := len(v)) >= 3: continue
        elif n: raise E(f"{k!r:>{w}} of {v}") from None
        else: print(-n ** 2, lambda q, *r: q[1:2, ::3], end='')
    try: del x[0], y.z
    except (A, B) as e: pass
    finally: return a if b else {c, d}
class C(B, metaclass=M):
    x: int = 1; y += 2
    match p:
        case [1, -2j, *_] | {"a": 2}: ...
        case {**r}: ...
        case C(d.e, f=None) as g if g: yield g
with (open(p) as q, r): assert x is not y, "no"
'''
TOKEN = re.compile(r'\w+|"""|[^\w\s]|\n *')


def shortened() -> dict[str, str]:
    """The sample with one of its tokens left out, where Python refuses that."""
    return refused(
        SAMPLE[: found.start()] + SAMPLE[found.end() :] for found in TOKEN.finditer(SAMPLE)
    )


def cut_off() -> dict[str, str]:
    """The beginning of the sample, up to each of its tokens."""
    return refused(SAMPLE[: found.start()] for found in TOKEN.finditer(SAMPLE))


def disturbed() -> dict[str, str]:
    """The sample with something too much before one of its tokens."""
    strays = ("(", ")", ":", ",", "=", "*", "if ", "'", '"""', "\n", "  ", "0x", "f'{", "in ", "\\")
    places = [found.start() for found in TOKEN.finditer(SAMPLE)]
    return refused(
        SAMPLE[:place] + strays[number % len(strays)] + SAMPLE[place:]
        for number, place in enumerate(places)
    )


def without_newer(found: list[Found]) -> list[Found]:
    """Leave out syntax that is too new where there is something else."""
    return [entry for entry in found if " (syntax was added in " not in entry[-1]] or found


def refused(texts: Iterable[str]) -> dict[str, str]:
    return {text: text for text in texts if is_refused(text)}


def is_refused(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError:
        return True
    except ValueError:
        # Early Python 3.12 fails on a valid `f"{a:{b=}}"`.
        return False
    return False


@pytest.mark.parametrize("texts", [shortened, cut_off, disturbed])
def test_sample_broken_at_each_token_is_reported_as_by_ruff(
    texts: Callable[[], dict[str, str]], tmp_path: Path
) -> None:
    broken = texts()
    assert len(broken) > 100
    says = ruff_says(broken, tmp_path, RUNNING_FLAG)
    assert {text: we_say(text) for text in broken} == {
        text: without_newer(found) for text, found in says.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        f"x = {'[' * DEEP}\n",
        f"x = {'{1:' * DEEP}\n",
        f"x = {'a.' * DEEP}\n",
        f"x = {'1 + ' * DEEP}\n",
        f"x = {'-' * DEEP}\n",
        f"x = {'not ' * DEEP}\n",
        f"x = {'f(' * DEEP}\n",
        f"x = {'a[' * DEEP}\n",
        f"x = {'a if b else ' * DEEP}\n",
        f"x = {'lambda: ' * DEEP}\n",
        f"match x:\n    case {'[' * DEEP}\n",
        f"""x = {'f"{' * DEEP}\n""",
        f"x = {'a = ' * DEEP}\n",
        "if x: pass\n" + "elif y: pass\n" * DEEP + "elif\n",
        "".join(" " * depth + "if x:\n" for depth in range(DEEP // 5)),
        "x = '" + "a" * 2_000_000 + "\n",
        "x = " + "a" * 2_000_000 + " b\n",
        "x = " + " " * 2_000_000 + "\n",
        "é" * 200_000 + " b\n",
        "# é\n" * 100_000 + "x = (\n",
        "\\\n" * 20_000,
        "x = '\ud800' =\n",
        "\udfff = 1\n",
        "x = '\ud800'\n",
        "x = 1\n# \udfff\n",
        f"x = {'1' * 5000}\n",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_monstrous_text_has_an_error_at_a_place(text: str) -> None:
    problems = syntax_errors(text)
    assert problems
    for problem in problems:
        problem.message.encode()
        assert problem.message
        assert Position(1, 1) <= problem.range.start <= problem.range.end


@pytest.mark.parametrize(
    ("chain", "is_limited"),
    [("**".join(["1"] * DEEP), True), ("lambda: " * DEEP + "1", True), ("-" * DEEP + "1", False)],
    ids=["powers", "lambdas", "signs"],
)
def test_chain_beyond_the_running_python_is_placed_at_its_statement(
    chain: str, is_limited: bool
) -> None:
    said = we_say(f"def f():\n    x = 1\n\ny = {chain}\n")
    too_deep = [(4, 1, 4, 2, "Too deeply nested to be parsed")]
    # Some versions of Python take a row of signs of this length, and there is nothing to say.
    assert said == too_deep or (not is_limited and said == [])


def test_brackets_left_open_too_deep_are_reported_as_by_ruff(tmp_path: Path) -> None:
    text = f"x = {'(' * DEEP}\n"
    assert we_say(text) == ruff_says({"x": text}, tmp_path)["x"]
    assert we_say(text)[0] == (2, 1, 2, 1, "unexpected EOF while parsing")


def test_long_data_left_open_ends_at_the_end() -> None:
    text = f"x = [{'1, ' * 130_000}\n"
    assert we_say(text) == [(2, 1, 2, 1, "unexpected EOF while parsing")]


@pytest.mark.parametrize("rows", ["[1,\n", "(\n"])
def test_rows_count_from_the_first_row(rows: str) -> None:
    here = we_say(f"x = 1\ny = {rows}z z\n")
    there = we_say(f"x = 1\ny = {rows}z z\n", first_row=11)
    assert here
    assert [(start + 10, a, end + 10, b, text) for start, a, end, b, text in here] == there


def test_nothing_is_warned_of_or_printed(
    recwarn: pytest.WarningsRecorder, capfd: pytest.CaptureFixture[str]
) -> None:
    warnings.simplefilter("error")
    for text in ("x = '\\d' is 1\n", "x = '\\d' is 1 = = 2\n", "1if x else 2\n", "assert (x, 1)\n"):
        syntax_errors(text)
    assert not recwarn.list
    assert capfd.readouterr() == ("", "")


def test_problem_is_plain_data() -> None:
    problem = SyntaxProblem(Range(Position(1, 1), Position(1, 2)), "m")
    assert {problem} == {SyntaxProblem(problem.range, "m")}

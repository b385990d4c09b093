"""Notebooks beside the installed Ruff: cells, rows and columns, refusals, and what fixes leave."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from idemlint.diagnostic import Edit, Position, Range
from idemlint.source.notebooks import Notebook, NotebookError

PATH = Path("/project/n.ipynb").absolute()
RULES = "F401,F541,F821,F841,E711"
# cell, start row and column, end row and column, code, message
Found = tuple[Any, int, int, int, int, str, str]


def code(source: str | list[str], **fields: Any) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    return {**cell, "metadata": {}, "source": source, **fields}


def markdown(source: str = "import os") -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def raw(source: str = "import os") -> dict[str, Any]:
    return {"cell_type": "raw", "metadata": {}, "source": source}


def notebook(*cells: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4, **fields}


def written(value: object, **style: Any) -> bytes:
    return json.dumps(value, **{"indent": 1, "ensure_ascii": False, **style}).encode()


def read(*cells: dict[str, Any], **fields: Any) -> Notebook:
    return Notebook.decode(PATH, written(notebook(*cells, **fields)))


def ruff(folder: Path, *flags: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", *flags]
    done = subprocess.run(
        [*command, "--output-format=json", "."], cwd=folder, capture_output=True, check=False
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def ruff_says(folder: Path, data: bytes, *flags: str) -> list[dict[str, Any]]:
    (folder / "n.ipynb").write_bytes(data)
    return ruff(folder, f"--select={RULES}", *flags)


def place(found: dict[str, Any]) -> tuple[int, int]:
    return found["row"], found["column"]


def span_of(found: dict[str, Any]) -> Range:
    return Range(Position(*place(found["location"])), Position(*place(found["end_location"])))


def plain(cell: object, span: Range, code: str, message: str) -> Found:
    start, end = span.start, span.end
    return cell, start.row, start.column, end.row, end.column, code, message


MAGICS = {
    "line magic": "%matplotlib inline",
    "short magic": "%x",
    "percent alone": "%",
    "shell": "!ls -l 'a",
    "shell over rows": "!pip install x \\\n  y \\\n  z",
    "help before": "?print",
    "more help before": "??print",
    "help behind": "os.path?",
    "more help behind": "a.b[0].c ??",
    "help behind, short": "x?",
    "help behind a semicolon": "y = 1; y?",
    "autocall": "/print 1 2",
    "autoquote": ",print a 'b",
    "autoquote whole": ";print a b",
    "assigned shell": 'z = !ls "a',
    "assigned magic": "z = %time f(",
    "assigned over rows": "z = !ls \\\n  -l",
    "annotated": "z: list = !ls",
    "in a block": "if y:\n    %time g(\n    !ls",
    "assigned in a block": "if y:\n\tz = !ls",
    "magic of a cell": "%%time\nz = 1",
    "comment behind": "!ls # noqa",
    "beyond ascii": "!echo é𝒳 日",
    "percent as an operator": "y = 5 % 3\ny %= 2",
    "percent on a row of its own": "y = (5\n% 3)",
    "exclamation mark as an operator": "y = 5 != 3",
    "magic in a string": 's = """\n%time\n!ls\n"""',
    "magic in a comment": "# %time\n# !ls",
    "question mark in a string": "s = 'a?'",
    "hash in a string before a magic": "s = '#'\n%time",
    "keyword argument": "print(y=5 % 3)",
    "backslash before a magic": "y = \\\n !ls",
}

TAKEN = {
    "cell magic": "%%bash\nimport os\n",
    "cell magic further down": "x = 1\n%%html\nimport os\n",
    "cell magic of Python": "%%time\nimport os\n",
    "cell magic of tests": "%%ipytest\nimport os\n",
    "cell magic in a comment": "# %%bash\nimport os\n",
    "cell magic in a string": "s = '''\n%%bash\n'''\nimport os\n",
    "indented cell magic": "  %%bash\nimport os\n",
    "two percent signs": "%%\nimport os\n",
    "automagic": "pip install x\nimport os\n",
    "automagic alone": "ls\nimport os\n",
    "automagic with a minus": "cd -\nimport os\n",
    "automagic as a name": "time = 1\nimport os\n",
    "automagic in an operation": "time += 1\nimport os\n",
    "automagic further down": "import os\npip install x\n",
    "unknown command": "cat x\nimport os\n",
}


@pytest.mark.parametrize("as_list", [False, True], ids=["string", "list"])
def test_same_cells_are_read_as_by_ruff(as_list: bool, tmp_path: Path) -> None:
    texts = list(TAKEN.values())
    # A cell in which the import stands in broken code is read, and has another finding.
    for number, text in enumerate(texts):
        source = text.splitlines(keepends=True) if as_list else text
        (tmp_path / f"{number}.ipynb").write_bytes(written(notebook(code(source))))
    read_by_ruff = {int(Path(entry["filename"]).stem) for entry in ruff(tmp_path, "--select=F401")}
    for number, name in enumerate(TAKEN):
        source = texts[number].splitlines(keepends=True) if as_list else texts[number]
        assert (len(read(code(source)).cells) == 1) is (number in read_by_ruff), name


@pytest.mark.parametrize(
    ("metadata", "is_python"),
    [
        ({}, True),
        ({"language_info": {"name": "python"}}, True),
        ({"language_info": {"name": "R"}}, False),
        ({"language_info": {"name": "python", "version": 3}}, True),
        ({"kernelspec": {"language": "python"}}, True),
        ({"kernelspec": {"language": "julia"}}, False),
        ({"kernelspec": {"language": "Python"}}, False),
        ({"kernelspec": {"name": "python3"}}, False),
        ({"kernelspec": {"language": None}}, False),
        ({"kernelspec": None, "language_info": None}, True),
        ({"kernelspec": {"language": "R"}, "language_info": {"name": "python"}}, True),
        ({"kernelspec": {"language": "python"}, "language_info": {"name": "R"}}, False),
    ],
    ids=str,
)
def test_language_is_decided_as_by_ruff(
    metadata: dict[str, Any], is_python: bool, tmp_path: Path
) -> None:
    found = read(code("import os"), metadata=metadata)
    assert found.is_python is is_python
    assert bool(found.cells) is is_python
    data = written(notebook(code("import os"), metadata=metadata))
    assert bool(ruff_says(tmp_path, data)) is is_python


@pytest.mark.parametrize("language", ["python", "sql", "Python", None])
def test_language_of_a_cell_is_decided_as_by_ruff(language: str | None, tmp_path: Path) -> None:
    editor = None if language is None else {"languageId": language}
    cells = [code("import a", metadata={"vscode": editor}), code("import b")]
    numbers = [cell.number for cell in read(*cells).cells]
    assert numbers == [entry["cell"] for entry in ruff_says(tmp_path, written(notebook(*cells)))]


@pytest.mark.parametrize("name", MAGICS)
def test_module_parses_and_keeps_its_places(name: str) -> None:
    text = MAGICS[name]
    module = read(code(text)).source.text
    ast.parse(module)
    assert [len(row) for row in module.splitlines()] == [len(row) for row in text.splitlines()]


@pytest.mark.parametrize(
    "name", ["percent as an operator", "magic in a string", "keyword argument"]
)
def test_what_is_no_command_stays(name: str) -> None:
    assert read(code(MAGICS[name])).source.text == f"{MAGICS[name]}\n"


def test_value_of_a_command_is_a_name_that_is_not_bound() -> None:
    assert read(code("x = !date")).source.text == "x = _    \n"


NOTEBOOKS: dict[str, list[dict[str, Any]]] = {
    "cells of all kinds": [
        markdown(),
        code("import a"),
        raw(),
        code(["import b\n", "x = 1\n", "import c"]),
        code("%%bash\nimport os"),
        code("import d\n"),
        code(""),
        code([]),
        code("def f():\n    y = 1\n"),
    ],
    "newlines at the end": [code("import a\n"), code("import b\n\n"), code("\n\nimport c")],
    "rows of other systems": [code("import a\r\nimport b\r\n"), code("import c\r\n\r\nimport d")],
    "list cut elsewhere": [code(["imp", "ort a\nimport b", "\n", "import c"]), code(["import d"])],
    "columns": [
        code("s = '日𝒳'; import a"),
        code("if x == None:\n\timport b"),
        code("é = f'é'; x == None"),
    ],
    "statement over rows": [
        code("from a import (\n    b,\n    c,\n)\n"),
        code("from d import \\\n  e"),
    ],
    "magics before and behind": [
        code(f"import a\n{MAGICS['shell over rows']}\nimport b\n{MAGICS['line magic']}\nx == None"),
        code(f"{MAGICS['magic of a cell']}\nimport c\n{MAGICS['help behind']}"),
        code(f"import d\nimport e\n{MAGICS['in a block']}\nimport g"),
    ],
    "no cells": [],
    "no code": [markdown(), raw(), code("%%html\n<p>")],
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_findings_have_the_cells_and_places_of_ruff(name: str, tmp_path: Path) -> None:
    cells = NOTEBOOKS[name]
    expected = ruff_says(tmp_path, written(notebook(*cells)))
    assert (name in ("no cells", "no code")) is not bool(expected)
    (tmp_path / "n.ipynb").unlink()
    ours = read(*cells)
    # The module alone, as a file of Python, has the same findings in its own rows.
    (tmp_path / "n.py").write_bytes(ours.source.encode())
    alone = ruff(tmp_path, f"--select={RULES}")
    assert [in_cell(ours, entry) for entry in alone] == [
        (plain(entry["cell"], span_of(entry), entry["code"], entry["message"]), entry["noqa_row"])
        for entry in expected
    ]
    assert [edits_in_cells(ours, entry) for entry in alone] == [
        fix_edits(entry) for entry in expected
    ]


def in_cell(ours: Notebook, entry: dict[str, Any]) -> tuple[Found, int]:
    cell, span = ours.cell_range(span_of(entry))
    return plain(cell, span, entry["code"], entry["message"]), ours.cell_of(entry["noqa_row"])[1]


def fix_edits(entry: dict[str, Any]) -> list[tuple[Range, str]]:
    return [(span_of(edit), edit["content"]) for edit in (entry["fix"] or {"edits": []})["edits"]]


def edits_in_cells(ours: Notebook, entry: dict[str, Any]) -> list[tuple[Range, str]]:
    edits = [Edit(PATH, span, content) for span, content in fix_edits(entry)]
    return [(edit.range, edit.content) for _, edit in map(ours.cell_edit, edits)]


BROKEN: dict[str, list[dict[str, Any]]] = {
    "bracket left open": [code("x = (\n"), code("import a"), code("y y")],
    "block left open": [code("if x:"), code("    y = 1"), code("z = = 1")],
    "else in the next cell": [code("if x:\n    y"), code("else:\n    z")],
    "decorator alone": [code("@d\n"), code("def f(): pass")],
    "string left open": [code('s = """a'), code('b"""')],
    "no newline at the end": [code("x = ("), code("x = (\n"), code("x ="), code("x =\n")],
    "error behind a magic": [code("!ls 'a\nx = = 1"), markdown(), code("%time f(\ny y")],
    "error behind a bracket and a magic": [code("f(\n!ls\n)")],
    "indented cell": [code("  x = 1"), code("y = 1")],
    "exclamation mark in brackets": [code("d = {'a': !x}")],
    "rows of other systems": [code("x = 1\r\ny y\r\n"), code("z z")],
}


@pytest.mark.parametrize("name", BROKEN)
def test_syntax_errors_are_those_of_ruff(name: str, tmp_path: Path) -> None:
    ours = read(*BROKEN[name])
    expected = ruff_says(tmp_path, written(notebook(*BROKEN[name])))
    assert expected
    found = [(*ours.cell_range(problem.range), problem.message) for problem in ours.syntax_errors()]
    assert [plain(cell, span, "invalid-syntax", message) for cell, span, message in found] == [
        plain(entry["cell"], span_of(entry), entry["code"], entry["message"]) for entry in expected
    ]


@pytest.mark.parametrize(
    ("text", "theirs", "said"),
    [
        (
            "f(x)?",
            "Expected name, subscript or attribute expression in help end escape command",
            "Got unexpected token ?",
        ),
        (
            "x???",
            "Maximum of 2 `?` tokens are allowed in help end escape command",
            "Got unexpected token ?",
        ),
    ],
)
def test_wrong_help_is_refused_in_the_same_row_in_other_words(
    text: str, theirs: str, said: str, tmp_path: Path
) -> None:
    expected = ruff_says(tmp_path, written(notebook(code(f"y = 1\n{text}"))))
    (first, *_) = read(code(f"y = 1\n{text}")).syntax_errors()
    assert (expected[0]["message"], expected[0]["location"]["row"]) == (theirs, 2)
    assert (first.message, first.range.start.row) == (said, 2)


def test_rows_lead_to_cells_and_back() -> None:
    ours = read(markdown(), code("a\nb"), code(""), raw(), code("c\n"))
    rows = [(2, 1), (2, 2), (3, 1), (5, 1), (5, 2)]
    assert [ours.cell_of(row) for row in range(1, 6)] == rows
    assert [ours.row_of(cell, row) for cell, row in rows] == [1, 2, 3, 4, 5]
    assert ours.cell_of(6) == (5, 3)
    assert ours.source.text == "a\nb\n\nc\n\n"
    for cell in (1, 4, 6):
        with pytest.raises(KeyError):
            ours.row_of(cell, 1)


def test_places_in_a_notebook_without_code_are_its_first() -> None:
    ours = read(markdown())
    assert ours.source.text == "\n"
    assert ours.cell_of(1) == (1, 1)


def test_text_of_a_cell_is_what_was_written() -> None:
    ours = read(markdown(), code(["%time\n", "x"]))
    text = ours.cell_text(2)
    assert text is not None
    assert (text.path, text.text) == (PATH, "%time\nx")
    assert ours.cell_text(1) is ours.cell_text(3) is None


CELL = '{"cell_type": "raw", "metadata": {}, "source": ""}'
REFUSED = {
    "empty": "",
    "only space": "  \n",
    "Python": "import os\n",
    "markup": "<!DOCTYPE html>\n",
    "merge conflict": '{\n "cells": [\n<<<<<<< HEAD\n  {}\n',
    "cut off in a list": '{"cells": [',
    "cut off in an object": '{"cells": [], "metadata": {',
    "cut off behind a key": '{"cells": [], "metadata"',
    "cut off behind a comma": '{"cells": [], "metadata": {"a": 1,',
    "cut off in a string": '{"cells": [], "metadata": {"a": "abc',
    "cut off in an escape": '{"cells": [], "metadata": {"a": "abc\\',
    "cut off in a code point": '{"cells": [], "metadata": {"a": "\\u12',
    "cut off in a word": '{"cells": [], "metadata": {"a": tr',
    "cut off in a number": '{"cells": [], "metadata": {"a": -',
    "trailing comma": '{"cells": [],}',
    "trailing comma of a list": f'{{"cells": [{CELL},]}}',
    "text behind": f"{written(notebook()).decode()} x",
    "key without quotes": '{"cells": [], metadata: {}}',
    "single quotes": "{'cells': []}",
    "no colon": '{"cells" []}',
    "no comma": '{"cells": [] "metadata": {}}',
    "no comma in a list": '{"cells": [], "metadata": {"a": [1 2]}}',
    "comment": '{"cells": [] // x\n}',
    "wrong word": '{"cells": tru}',
    "not a number": '{"cells": [], "metadata": {"a": NaN}}',
    "leading zero": '{"cells": [],\n "metadata": {"a":\n 01}}',
    "no fraction": '{"cells": [], "metadata": {"a": 1.}}',
    "no exponent": '{"cells": [], "metadata": {"a": 1e}}',
    "wrong escape": '{"cells": [], "metadata": {"é": "\\q"}}',
    "wrong code point": '{"cells": [], "metadata": {"a": "\\u12"}}',
    "half a pair": '{"cells": [], "metadata": {"a": "\\ud800"}}',
    "other half of a pair": '{"cells": [], "metadata": {"a": "\\udc00"}}',
    "half a pair and a letter": '{"cells": [], "metadata": {"a": "\\ud800\\u0041"}}',
    "half a pair and an escape": '{"cells": [], "metadata": {"a": "\\ud800\\n"}}',
    "control character": '{"cells": [], "metadata": {"a": "\x01"}}',
    "newline in a string": '{"cells": [], "metadata": {"a": "x\ny"}}',
    "byte order mark": f"\ufeff{written(notebook()).decode()}",
    "number": "1",
    "null": "null",
    "string": '"abc"',
    "no cells": "{}",
    "no metadata": '{"cells": [], "nbformat": 4, "nbformat_minor": 4}',
    "no minor version": '{"cells": [], "metadata": {}, "nbformat": 4}',
    "unknown field": written(notebook(worksheets=[])).decode(),
    "field twice": '{"cells": [], "cells": [], "metadata": {}}',
    "version 3": written(notebook(nbformat=3)).decode(),
    "version 3 as written then": '{"metadata": {"name": "x"}, "nbformat": 3, "worksheets": []}',
    "version in words": written(notebook(nbformat="4")).decode(),
    "version as a fraction": written(notebook(nbformat=4.0)).decode(),
    "version as a truth": written(notebook(nbformat=True)).decode(),
    "large version": written(notebook(nbformat=2**70)).decode(),
    "version of 64 bits": written(notebook(nbformat=2**64 - 1)).decode(),
    "cells as an object": written(notebook(cells={})).decode(),
    "cells as text": written(notebook(cells='a"b\né')).decode(),
    "cells as null": written(notebook(cells=None)).decode(),
    "cell as a number": '{"cells": [1 2]}',
    "cell as text": '{"cells": ["a"]}',
    "cell as a list": '{"cells": [[]]}',
    "cell without a type": written(notebook({"metadata": {}, "source": []})).decode(),
    "cell of an unknown type": written(notebook({"cell_type": "heading"})).decode(),
    "cell of a numbered type": written(notebook({"cell_type": 3})).decode(),
    "cell of two types": '{"cells": [{"cell_type": "raw", "cell_type": "raw"}]}',
    "cell with a field twice": '{"cells": [{"cell_type": "raw", "source": "", "source": ""}]}',
    "cell without metadata": f'{{"cells": [{CELL}, {{"cell_type": "code", "id": ""}} , {CELL}]}}',
    "cell without outputs": written(notebook(code("", outputs=None))).decode(),
    "cell without a source": '{"cells": [{"cell_type": "raw", "metadata": {}}]}',
    "cell with an unknown field": written(notebook(code("", foo=1))).decode(),
    "outputs in text": written(notebook({**markdown(), "outputs": []})).decode(),
    "source as a number": written(notebook(code(3))).decode(),  # type: ignore[arg-type]
    "source of numbers": written(notebook(code([3]))).decode(),  # type: ignore[list-item]
    "count as text": written(notebook(code("", execution_count="a"))).decode(),
    "count as a fraction": written(notebook(code("", execution_count=1.5))).decode(),
    "large count": written(notebook(code("", execution_count=10**20))).decode(),
    "numbered id": written(notebook(code("", id=3), code(""))).decode(),
    "metadata of a cell as null": written(notebook(code("", metadata=None))).decode(),
    "metadata of a cell as a list": written(notebook(code("", metadata=[]))).decode(),
    "editor as a number": written(notebook(code("", metadata={"vscode": 3}))).decode(),
    "editor without a language": written(notebook(code("", metadata={"vscode": {}}))).decode(),
    "metadata as a list": written(notebook(metadata=[])).decode(),
    "kernel as a number": written(notebook(metadata={"kernelspec": 3})).decode(),
    "kernel as a list": written(notebook(metadata={"kernelspec": []})).decode(),
    "language of a kernel as a number": '{"metadata": {"kernelspec": {"language": 4} }}',
    "language without a name": written(notebook(metadata={"language_info": {}})).decode(),
    "language with a number": written(notebook(metadata={"language_info": {"name": 3}})).decode(),
    "title as a number": '{"metadata": {"title": 4 }}',
    "former version as text": written(notebook(metadata={"orig_nbformat": "x"})).decode(),
}
REFUSED_BYTES = {
    "utf-16": written(notebook()).decode().encode("utf-16"),
    "latin-1 in the metadata": '{"metadata": {"a": "xéy"}}'.encode("latin-1"),
    "latin-1 in a source": written(notebook(code("# é"))).decode().encode("latin-1"),
    "latin-1 in a key": '{"metadata": {"é": 1}}'.encode("latin-1"),
    "latin-1 outside of strings": '{"metadata": é}'.encode("latin-1"),
    "surrogate": b'{"metadata": {"a": "\xed\xa0\x80"}}',
}


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What Ruff says of the files that it refuses, by their names."""
    folder = tmp_path_factory.mktemp("refused")
    files = {**{name: text.encode() for name, text in REFUSED.items()}, **REFUSED_BYTES}
    for number, data in enumerate(files.values()):
        (folder / f"{number}.ipynb").write_bytes(data)
    names = list(files)
    return {
        names[int(Path(entry["filename"]).stem)]: entry["message"]
        for entry in ruff(folder, "--select=F")
        if (entry["code"], entry["cell"], place(entry["location"]))
        == ("invalid-syntax", None, (1, 1))
    }


@pytest.mark.parametrize("name", [*REFUSED, *REFUSED_BYTES])
def test_file_is_refused_in_the_words_of_ruff(name: str, refusals: dict[str, str]) -> None:
    data = REFUSED_BYTES.get(name) or REFUSED[name].encode()
    with pytest.raises(NotebookError) as refusal:
        Notebook.decode(PATH, data)
    assert str(refusal.value) == refusals[name]


@pytest.mark.parametrize(
    ("text", "theirs", "ours"),
    [
        (
            '{"cells": [], "metadata": {"a": 1e400}, "nbformat": 4, "nbformat_minor": 4}',
            "number out of range",
            None,
        ),
        (
            written(notebook(metadata={"a": json.loads("[" * 200 + "]" * 200)})).decode(),
            "recursion limit exceeded",
            None,
        ),
        ("[]", "invalid length 0", "invalid type: sequence, expected struct RawNotebook"),
    ],
    ids=["number", "depth", "list"],
)
def test_file_that_ruff_refuses_for_other_reasons(
    text: str, theirs: str, ours: str | None, tmp_path: Path
) -> None:
    assert theirs in ruff_says(tmp_path, text.encode())[0]["message"]
    if ours is None:
        assert Notebook.decode(PATH, text.encode()).is_python
        return
    with pytest.raises(NotebookError, match=ours):
        Notebook.decode(PATH, text.encode())


def test_file_nested_without_end_is_refused() -> None:
    text = f'{{"cells": [], "metadata": {{"a": {"[" * 200_000}'
    with pytest.raises(NotebookError, match=r"recursion limit exceeded at line 1 column 158"):
        Notebook.decode(PATH, text.encode())


@pytest.mark.parametrize(
    "fields",
    [
        {"id": None},
        {"execution_count": -1},
        {"id": "a", "execution_count": 3},
        {"metadata": {"a": 1}},
    ],
    ids=str,
)
def test_fields_that_may_be_there_are_taken(fields: dict[str, Any], tmp_path: Path) -> None:
    cell = code("import os", **fields)
    assert len(read(cell).cells) == 1
    assert [entry["code"] for entry in ruff_says(tmp_path, written(notebook(cell)))] == ["F401"]


def edit(row: int, column: int, end_row: int, end_column: int, content: str = "") -> Edit:
    return Edit(PATH, Range(Position(row, column), Position(end_row, end_column)), content)


def sources(data: bytes) -> list[Any]:
    return [cell["source"] for cell in json.loads(data)["cells"]]


STYLES: dict[str, dict[str, Any]] = {
    "as Jupyter writes": {"indent": 1},
    "on one row": {"indent": None},
    "without space": {"indent": None, "separators": (",", ":")},
    "four spaces": {"indent": 4},
    "tabs": {"indent": "\t"},
    "escapes": {"indent": 1, "ensure_ascii": True},
    "sorted": {"indent": 2, "sort_keys": True},
}


@pytest.mark.parametrize("end", ["", "\n", "\r\n\n"], ids=repr)
@pytest.mark.parametrize("style", STYLES)
def test_only_the_changed_line_of_a_list_is_written_anew(style: str, end: str) -> None:
    cells = [
        markdown("é"),
        code(["a = 'é'\n", "b = 2 # 日\n", "c = '\\n'"], id="x", outputs=[{"text": ["é\n"]}]),
        code(["d\n", "e"]),
    ]
    data = written(notebook(*cells), **STYLES[style]) + end.encode()
    after = Notebook.decode(PATH, data).with_edits({2: [edit(2, 5, 2, 6, "'é\"\\\t'")]})
    # Every byte but those of the one line, in the file's own way to write.
    old, new = (
        json.dumps(line, ensure_ascii="ensure_ascii" in STYLES[style]).encode()
        for line in ("b = 2 # 日\n", "b = 'é\"\\\t' # 日\n")
    )
    assert data.count(old) == 1
    assert after == data.replace(old, new)


def test_source_that_is_one_string_stays_one() -> None:
    ours = read(code("a\nb\nc"), code("a\nb\nc"))
    after = ours.with_edits({2: [edit(2, 1, 2, 2, "x\ny")]})
    assert after == written(notebook(code("a\nb\nc"), code("a\nx\ny\nc")))


def test_escapes_beside_an_edit_stay_as_they_were() -> None:
    before = rb"\u0061 = '\u00e9\ud835\udcb3\/' #\tb\u000a"
    data = written(notebook(code("SOURCE"))).replace(b"SOURCE", before)
    ours = Notebook.decode(PATH, data)
    assert [cell.text for cell in ours.cells] == ["a = 'é\U0001d4b3/' #\tb\n"]
    after = ours.with_edits({1: [edit(1, 11, 1, 12, "é\n#")]})
    assert after == data.replace(b"#", rb"\u00e9\n#")


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        (["a\n", "b\n", "c"], [edit(2, 1, 3, 1)], ["a\n", "c"]),
        (["a\n", "b\n", "c"], [edit(1, 1, 2, 1)], ["b\n", "c"]),
        (["a\n", "b\n", "c"], [edit(3, 1, 3, 2)], ["a\n", "b"]),
        (["a\n", "b\n", "c"], [edit(3, 1, 4, 1)], ["a\n", "b"]),
        (["a\n", "b\n", "c\n"], [edit(3, 1, 4, 1)], ["a\n", "b\n"]),
        (["a\n", "b\n", "c"], [edit(1, 1, 2, 1), edit(2, 1, 3, 1)], ["c"]),
        (["a\n", "b\n", "c"], [edit(2, 1, 3, 1), edit(3, 1, 3, 2)], ["a"]),
        (["a"], [edit(1, 1, 1, 2)], []),
        (["a"], [edit(1, 1, 2, 1)], []),
        (["a\n", "b"], [edit(1, 2, 2, 1)], ["ab"]),
        (["a\n", "b"], [edit(2, 1, 2, 1, "x\n")], ["a\n", "x\n", "b"]),
        (["a\n", "b"], [edit(2, 2, 2, 2, "\nx\ny")], ["a\n", "b\n", "x\n", "y"]),
        (["a\n", "b"], [edit(1, 1, 2, 2, "x\n")], ["x\n"]),
        (["a\n", "b"], [edit(2, 2, 2, 2, "2"), edit(1, 2, 1, 2, "1")], ["a1\n", "b2"]),
        (["a\r\n", "b\r\n", "c"], [edit(2, 1, 3, 1)], ["a\r\n", "c"]),
        (["a\r\n", "b"], [edit(2, 1, 2, 2)], ["a"]),
        (["ab", "c\nd", "\ne"], [edit(1, 1, 1, 2, "x")], ["xb", "c\nd", "\ne"]),
        (["ab", "c\nd", "\ne"], [edit(1, 2, 1, 3, "x")], ["axc\nd", "\ne"]),
        ([], [edit(1, 1, 1, 1, "a\nb")], ["a\n", "b"]),
        ("a\nb", [edit(2, 1, 2, 2)], "a"),
        ("", [edit(1, 1, 1, 1, "a\nb")], "a\nb"),
    ],
    ids=str,
)
def test_lines_of_a_list_are_cut_as_before(
    before: str | list[str], edits: list[Edit], after: str | list[str]
) -> None:
    data = written(notebook(code("x"), code(before), code(["y"])))
    changed = Notebook.decode(PATH, data).with_edits({2: edits})
    assert sources(changed) == ["x", after, ["y"]]
    expected = json.loads(data)
    expected["cells"][1]["source"] = after
    # The layout goes on in new lines, where there was one to go by.
    assert changed == written(expected) or before in ([], "")


def test_several_cells_are_changed_at_once() -> None:
    ours = read(code(["a"]), markdown(), code("b\nc"), code(["d"]))
    changed = ours.with_edits({3: [edit(2, 1, 2, 2, "x")], 1: [edit(1, 1, 1, 2, "y")], 4: []})
    assert changed == written(notebook(code(["y"]), markdown(), code("b\nx"), code(["d"])))


def test_no_edits_give_the_same_bytes() -> None:
    data = written(notebook(code(["a"])), indent=3) + b"\n\n"
    assert Notebook.decode(PATH, data).with_edits({}) == data


def test_edit_that_reaches_into_another_cell_is_refused() -> None:
    ours = read(code("a\nb"), code("c"), code("d"))
    assert ours.cell_edit(edit(2, 1, 3, 1)) == (1, edit(2, 1, 2, 2))
    for span in (edit(2, 1, 3, 2), edit(2, 1, 4, 1)):
        with pytest.raises(ValueError, match="another cell"):
            ours.cell_edit(span)


def test_edits_of_other_cells_and_edits_that_overlap_are_refused() -> None:
    ours = read(markdown(), code("abc"))
    with pytest.raises(KeyError):
        ours.with_edits({1: [edit(1, 1, 1, 2)]})
    with pytest.raises(ValueError, match="overlap"):
        ours.with_edits({2: [edit(1, 1, 1, 3), edit(1, 2, 1, 4)]})


FIXED = {
    "rows in the middle": [code(["import a\n", "x = 1\n", "import b\n", "y = 2"])],
    "last rows": [code(["x = 1\n", "import a\n", "import b"]), code("y = 1\nimport c")],
    "newline at the end": [code(["x = 1\n", "import a\n"]), code("import b\n")],
    "all of a cell": [code(["import a"]), code("import b\nimport c"), code("x = 1")],
    "in a block": [code("if 1:\n    import a\nx = f'a'\n"), code(["def f():\n", "    import b"])],
    "several rows": [code("from a import (\n    b,\n    c,\n)"), code(["x == None\n", "f'é'"])],
    "magics": [
        code(f"%time\nimport a\n{MAGICS['shell over rows']}\nimport b"),
        code("!ls\nimport c"),
    ],
}


@pytest.mark.parametrize("name", FIXED)
def test_fixes_leave_what_those_of_ruff_leave(name: str, tmp_path: Path) -> None:
    data = written(notebook(*FIXED[name])) + b"\n"
    edits: dict[int, list[Edit]] = {}
    for entry in ruff_says(tmp_path, data, "--unsafe-fixes"):
        found = [Edit(PATH, span, content) for span, content in fix_edits(entry)]
        # Two names of one statement have the same fix.
        chosen = edits.setdefault(entry["cell"], [])
        chosen += [edit for edit in found if edit not in chosen]
    ruff(tmp_path, f"--select={RULES}", "--unsafe-fixes", "--fix")
    theirs = (tmp_path / "n.ipynb").read_bytes()
    ours = Notebook.decode(PATH, data).with_edits(edits)
    assert edits
    assert list(map("".join, sources(ours))) == list(map("".join, sources(theirs)))


def test_newline_of_two_characters_goes_as_one(tmp_path: Path) -> None:
    data = written(notebook(code("x = 1\r\nimport a")))
    (entry,) = ruff_says(tmp_path, data)
    edits = [Edit(PATH, span, content) for span, content in fix_edits(entry)]
    ruff(tmp_path, "--select=F401", "--fix")
    # Ruff leaves half of it.
    assert sources((tmp_path / "n.ipynb").read_bytes()) == [["x = 1\r"]]
    assert sources(Notebook.decode(PATH, data).with_edits({1: edits})) == ["x = 1"]

"""What programs read: schemas, fingerprints, severities, and names that try to break out."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from output_samples import (
    ALL,
    BEFORE_PAUSE,
    FRESH_KEY,
    KEYS,
    MAIL,
    NO_KEY,
    ROOT,
    TEXTS,
    finding,
    report,
    span,
)
from ruff_beside import printed_in

from idemlint import __version__, catalogue
from idemlint.diagnostic import Applicability, Edit, Fix, Related, Severity
from idemlint.output import format_names, renderer
from idemlint.output.report import OutputReport
from idemlint.source.text import SourceText

_SCHEMAS = Path(__file__).parent / "schemas"
_LINES = ("concise", "grouped", "full", "pylint", "azure", "github")


def schema(name: str) -> Any:
    return json.loads((_SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def test_formats_are_the_modules_of_the_folder() -> None:
    assert format_names() == (
        "azure", "concise", "full", "github", "gitlab", "grouped", "json", "json-lines",
        "junit", "pylint", "rdjson", "sarif",
    )  # fmt: skip
    with pytest.raises(ModuleNotFoundError):
        renderer("csv")


@pytest.mark.parametrize("name", format_names())
def test_nothing_is_written_of_findings_that_are_not_asked_for(name: str) -> None:
    assert printed_in(report(*ALL, show_diagnostics=False, quiet=True), name) == ""


def test_json_says_where_else_the_finding_is_at_home() -> None:
    [entry] = json.loads(printed_in(report(FRESH_KEY), "json"))
    assert list(entry) == sorted(entry)
    assert entry == {
        "cell": None,
        "code": "IDM101",
        "end_location": {"column": 28, "row": 5},
        "filename": str(KEYS),
        "fix": {
            "applicability": "unsafe",
            "edits": [
                {
                    "content": "seed",
                    "end_location": {"column": 13, "row": 4},
                    "location": {"column": 13, "row": 4},
                },
                {
                    "content": "uuid.uuid5(SPACE, seed)",
                    "end_location": {"column": 28, "row": 5},
                    "location": {"column": 16, "row": 5},
                },
                {
                    "content": "state.id",
                    "end_location": {"column": 19, "row": 6},
                    "filename": str(MAIL),
                    "location": {"column": 19, "row": 6},
                },
            ],
            "message": "Derive the key from the state",
        },
        "location": {"column": 16, "row": 5},
        "message": "`uuid.uuid4()` is new on each run",
        "name": "fresh-key",
        "noqa_row": 5,
        "operation": "OP-1",
        "reason": "`client.send` takes a key",
        "related": [
            {
                "end_location": {"column": 20, "row": 6},
                "filename": str(MAIL),
                "label": "called here",
                "location": {"column": 11, "row": 6},
            },
            {
                "end_location": {"column": 16, "row": 9},
                "filename": str(MAIL),
                "label": "used as the key",
                "location": {"column": 13, "row": 9},
            },
        ],
        "severity": "error",
        "suggestion": "Take the key as a parameter",
        "url": "https://example.com/IDM101",
    }
    assert all(list(edit) == sorted(edit) for edit in entry["fix"]["edits"])


def test_json_lines_are_the_objects_of_json_without_spaces() -> None:
    lines = printed_in(report(*ALL), "json-lines").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(printed_in(report(*ALL), "json"))
    assert lines[1].startswith('{"cell":null,"code":"IDM401","end_location":{"column":9,"row":4},')


def test_a_display_fix_is_displayonly() -> None:
    [entry] = json.loads(printed_in(report(BEFORE_PAUSE), "json"))
    assert entry["fix"]["applicability"] == "displayonly"


def test_standard_input_is_a_dash_in_every_format() -> None:
    entry = finding(path=Path("-"), range=span(1, 1, 1, 2))
    assert json.loads(printed_in(report(entry), "json"))[0]["filename"] == "-"
    assert printed_in(report(entry), "concise").startswith("-:1:1: IDM201")
    assert "file=-,line=1" in printed_in(report(entry), "github")
    assert 'classname="-"' in printed_in(report(entry), "junit")


def test_sarif_follows_its_schema() -> None:
    book = finding(path=ROOT / "book.ipynb", cell=2, related=BEFORE_PAUSE.related)
    lost = finding(path=ROOT / "x.py", code="E902", name="io-error", url=None)
    for shown in ((), ALL, (book, lost)):
        jsonschema.validate(json.loads(printed_in(report(*shown), "sarif")), schema("sarif-2.1.0"))


def test_sarif_has_the_rules_that_reported_with_their_pages() -> None:
    [run] = json.loads(printed_in(report(*ALL), "sarif"))["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("idemlint", __version__)
    assert [rule["id"] for rule in driver["rules"]] == ["IDM001", "IDM101", "IDM201", "IDM401"]
    assert [result["ruleIndex"] for result in run["results"]] == [1, 3, 2, 0]
    rule, page = driver["rules"][1], catalogue.rules()["IDM101"].page.read_text(encoding="utf-8")
    assert rule["help"]["markdown"].startswith("# fresh-key (IDM101)\n")
    assert page.endswith(rule["help"]["markdown"])
    assert rule["properties"]["problem.severity"] == "error"
    assert driver["rules"][3]["defaultConfiguration"] == {"enabled": True, "level": "warning"}
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_has_the_related_places_and_the_path() -> None:
    [result] = json.loads(printed_in(report(FRESH_KEY), "sarif"))["runs"][0]["results"]
    places = [
        (entry["message"]["text"], entry["physicalLocation"]["region"]["startLine"])
        for entry in result["relatedLocations"]
    ]
    assert places == [("called here", 6), ("used as the key", 9)]
    [flow] = result["codeFlows"]
    [thread] = flow["threadFlows"]
    steps = [entry["location"]["message"]["text"] for entry in thread["locations"]]
    assert steps == ["`uuid.uuid4()` is new on each run", "called here", "used as the key"]
    [fix] = result["fixes"]
    uris = [change["artifactLocation"]["uri"] for change in fix["artifactChanges"]]
    assert uris == [KEYS.as_uri(), MAIL.as_uri()]
    assert fix["properties"] == {"applicability": "unsafe"}


def test_sarif_levels_follow_the_severity() -> None:
    results = json.loads(printed_in(report(*ALL), "sarif"))["runs"][0]["results"]
    assert [result["level"] for result in results] == ["error", "warning", "error", "warning"]


@pytest.mark.parametrize("name", ["gitlab", "sarif"])
def test_fingerprints_survive_rows_that_move(name: str) -> None:
    def names(text: str, row: int) -> list[str]:
        entries = [
            finding(range=span(at, 5, at, 16), noqa_row=at, code=code)
            for at in (row, row + 1)
            for code in ("IDM201", "IDM101")
        ]
        made = OutputReport(entries, ROOT, lambda path: SourceText(path, text))
        document = json.loads(printed_in(made, name))
        if name == "gitlab":
            return [entry["fingerprint"] for entry in document]
        results = document["runs"][0]["results"]
        return [result["partialFingerprints"]["idemlintContext/v1"] for result in results]

    code = "class A:\n  def f():\n\n    client.send()\n    client.send()\n"
    before = names(code, 4)
    assert len(set(before)) == 4
    assert names(f"import os\n\n\n{code}", 7) == before
    assert names(code.replace("    client", "      client"), 4) == before
    assert not set(names(code.replace("def f", "def g"), 4)) & set(before)
    assert not set(names(code.replace("send()", "send(1)"), 4)) & set(before)


def test_fingerprints_without_a_text_are_different_for_each_finding() -> None:
    made = OutputReport([finding(), finding(range=span(1, 1, 1, 2))], ROOT)
    found = {entry["fingerprint"] for entry in json.loads(printed_in(made, "gitlab"))}
    assert len(found) == 2


def test_gitlab_follows_its_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
    document = json.loads(printed_in(report(*ALL), "gitlab"))
    jsonschema.validate(document, schema("gitlab-code-quality"))
    assert [entry["severity"] for entry in document] == ["major", "minor", "major", "minor"]
    assert document[0]["location"]["path"] == "agents/keys.py"
    assert document[0]["description"] == "IDM101: `uuid.uuid4()` is new on each run"


def test_gitlab_paths_count_from_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_PROJECT_DIR", str(ROOT.parent))
    document = json.loads(printed_in(report(FRESH_KEY), "gitlab"))
    assert document[0]["location"]["path"] == "project/agents/keys.py"


def test_rdjson_follows_its_schema() -> None:
    book = finding(path=ROOT / "book.ipynb", cell=2, related=BEFORE_PAUSE.related)
    document = json.loads(printed_in(report(*ALL, book), "rdjson"))
    jsonschema.validate(document, schema("rdjson"))
    assert [entry["severity"] for entry in document["diagnostics"]] == [
        "ERROR", "WARNING", "ERROR", "WARNING", "ERROR",
    ]  # fmt: skip
    assert [entry["message"] for entry in document["diagnostics"][2]["related_locations"]] == [
        "starts again here",
        "pauses here",
    ]
    assert document["diagnostics"][4]["location"] == {"path": str(ROOT / "book.ipynb")}


def test_rdjson_suggests_only_what_lies_in_the_file_itself() -> None:
    found = json.loads(printed_in(report(FRESH_KEY, BEFORE_PAUSE), "rdjson"))["diagnostics"]
    assert "suggestions" not in found[0]
    assert [entry["text"] for entry in found[1]["suggestions"]] == [
        "",
        "    client.send(state.text, key=key)\n",
    ]


def test_junit_counts_what_it_holds() -> None:
    root = ET.fromstring(printed_in(report(*ALL), "junit"))
    assert root.attrib == {
        "name": "idemlint", "tests": "4", "skipped": "0", "failures": "4", "errors": "0"
    }  # fmt: skip
    assert [(suite.get("name"), suite.get("tests"), len(suite)) for suite in root] == [
        (str(KEYS), "1", 1),
        (str(MAIL), "3", 3),
    ]
    cases = root.findall("testsuite/testcase")
    assert {tuple(case.attrib) for case in cases} == {("name", "classname", "line", "column")}
    assert [case.find("properties/property").attrib["value"] for case in cases] == [
        "error", "warning", "error", "warning",
    ]  # fmt: skip


def test_a_notebook_has_no_rows_of_its_file() -> None:
    book = report(finding(path=ROOT / "book.ipynb", cell=3, message="m"))
    assert printed_in(book, "concise").startswith("book.ipynb:cell 3:7:5: IDM201 m\n")
    assert printed_in(book, "grouped").startswith("book.ipynb:\n  cell 3:7:5 IDM201 m\n")
    assert printed_in(book, "pylint") == "book.ipynb:1: [IDM201] m\n"
    assert ",line=1,col=1,endLine=1,endColumn=1::book.ipynb:1:1: IDM201 m" in printed_in(
        book, "github"
    )
    assert "linenumber=1;columnnumber=1;" in printed_in(book, "azure")
    assert ">m</failure>" in printed_in(book, "junit")
    [issue] = json.loads(printed_in(book, "gitlab"))
    assert issue["location"]["positions"]["begin"] == {"line": 1, "column": 1}


def test_warnings_are_warnings() -> None:
    assert printed_in(report(NO_KEY), "github").startswith("::warning title=idemlint (IDM401),")
    assert printed_in(report(NO_KEY), "azure").startswith("##vso[task.logissue type=warning;")
    assert json.loads(printed_in(report(NO_KEY), "json"))[0]["severity"] == "warning"


_HOSTILE = "a\nb\r\n::error::%0A\x1b[31m\x00\x85\u2028]; \"'<&>\udc80"


def hostile() -> OutputReport:
    path = ROOT / f"x{_HOSTILE}.py"
    entry = replace(
        finding(),
        path=path,
        message=_HOSTILE,
        suggestion=_HOSTILE,
        reason=_HOSTILE,
        related=(Related(path, span(1, 1, 1, 2), _HOSTILE),),
        fix=Fix(_HOSTILE, Applicability.SAFE, (Edit(path, span(1, 1, 1, 1), _HOSTILE),)),
    )
    return OutputReport(
        [entry], ROOT, lambda path: SourceText(path, f"{_HOSTILE[4:]}\n" * 12), quiet=True
    )


@pytest.mark.parametrize("name", [name for name in format_names() if name in _LINES])
def test_names_and_messages_cannot_begin_a_line_or_steer_a_terminal(name: str) -> None:
    text = printed_in(hostile(), name)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\udc80]", text)
    starts = {"azure": "##vso", "github": "::error title=idemlint (IDM201),file="}
    lines = text.splitlines()
    if name in starts:
        assert len(lines) == 1
        assert lines[0].startswith(starts[name])
    else:
        assert not [line for line in lines if line.lstrip().startswith(("::error", "##"))]


def test_workflow_commands_keep_their_parts() -> None:
    github = printed_in(hostile(), "github")
    head, _, rest = github[2:].partition("::")
    properties = head.partition(" ")[2]
    assert [part.partition("=")[0] for part in properties.split(",")] == [
        "title", "file", "line", "endLine",
    ]  # fmt: skip
    assert "a%0Ab%0D%0A%3A%3Aerror%3A%3A%250A" in properties
    assert "%250A" in rest
    azure = printed_in(hostile(), "azure")
    head, _, rest = azure.partition("]")
    assert [part.partition("=")[0] for part in head.partition(" ")[2].split(";")] == [
        "type", "sourcepath", "linenumber", "columnnumber", "code", "",
    ]  # fmt: skip
    assert "%AZP250A" in rest


def test_hostile_text_leaves_every_document_whole() -> None:
    made = hostile()
    path = str(made.diagnostics[0].path)
    [entry] = json.loads(printed_in(made, "json"))
    assert (entry["filename"], entry["message"]) == (path, _HOSTILE)
    [line] = printed_in(made, "json-lines").split("\n")[:-1]
    assert json.loads(line) == entry
    ET.fromstring(printed_in(made, "junit").encode())
    for name in ("gitlab", "rdjson", "sarif"):
        json.loads(printed_in(made, name))
    jsonschema.validate(json.loads(printed_in(made, "sarif")), schema("sarif-2.1.0"))


def test_text_that_a_stream_cannot_encode_is_replaced(tmp_path: Path) -> None:
    for encoding in ("utf-8", "ascii"):
        target = tmp_path / encoding
        with target.open("w", encoding=encoding) as stream:
            entry = finding(path=ROOT / "x日.py", message="half \ud800")
            renderer("json")(report(entry), stream)
        [entry_read] = json.loads(target.read_text(encoding=encoding))
        assert entry_read["message"] == "half ?"


@pytest.mark.parametrize("start", ["::set-output name=a::b", "##[error]x", " ::error::x"])
def test_a_path_that_looks_like_a_command_is_shown_with_its_folder(start: str) -> None:
    entry = finding(path=ROOT / f"{start}.py", message="m")
    assert printed_in(report(entry), "concise").startswith(f"./{start}.py:7:5: IDM201 m\n")


def test_texts_of_the_samples_are_what_the_ranges_say() -> None:
    assert SourceText(MAIL, TEXTS[MAIL]).slice(FRESH_KEY.related[1].range) == "key"
    assert FRESH_KEY.severity is Severity.ERROR

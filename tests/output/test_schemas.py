"""Documents of a real run over the fixtures, against the schemas of those who read them."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from marked import ROOT

from idemlint.hosts import cli

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMAS = Path(__file__).parent / "schemas"
FOLDERS = (
    "IDM101", "IDM102", "IDM104", "IDM105", "IDM107", "IDM201", "IDM202", "IDM203", "IDM302",
    "IDM402", "IDM502", "IDM503",
)  # fmt: skip
FEWEST_FINDINGS, FEWEST_RULES = 20, 10
SUPPRESSED = "x = 1  # noqa: IDM101\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """What is written in a format: fixtures of several rules, a notebook and a broken file."""
    folder = tmp_path_factory.mktemp("run")
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    book = {
        "cells": [{**cell, "source": SUPPRESSED}],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    (folder / "n.ipynb").write_text(json.dumps(book))
    (folder / "broken é.py").write_text("x = = 1\n")
    for name in FOLDERS:
        # one file of each: what is written matters here, not what is found
        path = next(path for path in sorted((ROOT / "fixtures" / name).glob("*.py")))
        (folder / f"{name.lower()}.py").write_bytes(path.read_bytes())
    documents: dict[str, str] = {}

    def document(name: str) -> str:
        if name not in documents:
            out = folder / f"report.{name}"
            args = ["--isolated", "--preview", "--cache-dir", str(folder / "cache")]
            here = Path.cwd()
            os.chdir(folder)
            try:
                code = cli.run(["check", *args, "--output-format", name, "-o", str(out)])
            finally:
                os.chdir(here)
            assert code == 1
            documents[name] = out.read_text(encoding="utf-8")
        return documents[name]

    return document


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def found(written: Callable[[str], str]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(written("json"))
    rules = {entry["code"] for entry in entries if entry["code"].startswith("IDM")}
    assert len(entries) >= FEWEST_FINDINGS
    assert len(rules) >= FEWEST_RULES
    return entries


def test_sarif(written: Callable[[str], str]) -> None:
    expected = found(written)
    document = json.loads(written("sarif"))
    jsonschema.validate(document, schema("sarif-2.1.0"))
    [run] = document["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert [result["ruleId"] for result in results] == [entry["code"] for entry in expected]
    assert all(rule["help"]["markdown"].startswith("# ") for rule in rules)
    for result in results:
        if "ruleIndex" in result:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    names = [result["partialFingerprints"]["idemlintContext/v1"] for result in results]
    assert len(set(names)) == len(names)
    assert any("codeFlows" in result and "relatedLocations" in result for result in results)
    assert any("fixes" in result for result in results)
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in results]
    assert all(Path(unquote(urlsplit(place["uri"]).path)).is_file() for place in places)


def test_gitlab(written: Callable[[str], str]) -> None:
    expected = found(written)
    document = json.loads(written("gitlab"))
    jsonschema.validate(document, schema("gitlab-code-quality"))
    assert len(document) == len(expected)
    assert len({entry["fingerprint"] for entry in document}) == len(document)
    assert not any(Path(entry["location"]["path"]).is_absolute() for entry in document)


def test_rdjson(written: Callable[[str], str]) -> None:
    expected = found(written)
    document = json.loads(written("rdjson"))
    jsonschema.validate(document, schema("rdjson"))
    assert [entry["code"]["value"] for entry in document["diagnostics"]] == [
        entry["code"] for entry in expected
    ]
    assert {entry["severity"] for entry in document["diagnostics"]} == {"ERROR", "WARNING"}


def test_junit(written: Callable[[str], str]) -> None:
    xmlschema = pytest.importorskip("xmlschema", reason="xmlschema is not installed")
    expected = found(written)
    xmlschema.XMLSchema(SCHEMAS / "junit.xsd").validate(written("junit"))
    root = ET.fromstring(written("junit"))
    cases = root.findall("testsuite/testcase")
    assert len(cases) == int(root.attrib["failures"]) == len(expected)
    assert [case.attrib["name"] for case in cases] == [
        f"org.idemlint.{entry['code']}" for entry in expected
    ]


def test_junit_of_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    xmlschema = pytest.importorskip("xmlschema", reason="xmlschema is not installed")
    (tmp_path / "m.py").write_text("x = 1\n")
    shared = ["--isolated", "--no-cache", "--output-format", "junit"]
    assert cli.run(["check", *shared, str(tmp_path)]) == 0
    xmlschema.XMLSchema(SCHEMAS / "junit.xsd").validate(capfd.readouterr().out)

"""The schema and the loader take and refuse the same keys and types."""

from __future__ import annotations

import json

import jsonschema
import pytest

from idemlint.config.document import toml_data
from idemlint.config.errors import ConfigError, TomlError
from idemlint.config.options import OPTIONS, SECTIONS, Kind
from idemlint.config.reader import NoPlaces, Origin, read_layer
from idemlint.config.schema import SCHEMA_FILE, schema_text

VALUES = {
    "a boolean": True,
    "a number": 7,
    "zero": 0,
    "a fraction": 1.5,
    "a text": "x",
    "a version": ">=0.1",
    "a target": "py310",
    "a format": "json",
    "a list": ["x"],
    "a list of numbers": [1],
    "a table": {},
    "a table of lists": {"x": ["IDM101"]},
    "a table of texts": {"x": "python"},
    "an array of tables": [{"id": "x"}],
}


def is_taken(data: dict[str, object], tmp_path) -> bool:
    try:
        read_layer(data, Origin("the test", tmp_path), NoPlaces())
    except (TomlError, ConfigError):
        return False
    return True


def is_valid(data: dict[str, object]) -> bool:
    return jsonschema.Draft7Validator(json.loads(SCHEMA_FILE.read_text())).is_valid(data)


def nested(key: str, value: object) -> dict[str, object]:
    section, dot, name = key.rpartition(".")
    return {section: {name: value}} if dot else {name: value}


def test_the_file_is_up_to_date():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()


def test_the_file_is_a_schema():
    jsonschema.Draft7Validator.check_schema(json.loads(SCHEMA_FILE.read_text()))


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_both_take_the_same_values_for_an_option(option, tmp_path):
    # What a specifier of versions looks like is not for a schema to say.
    values = {
        name: value
        for name, value in VALUES.items()
        if option.kind is not Kind.VERSIONS or not isinstance(value, str) or value[0] == ">"
    }
    taken = {
        name for name, value in values.items() if is_taken(nested(option.key, value), tmp_path)
    }

    assert taken == {name for name, value in values.items() if is_valid(nested(option.key, value))}
    assert taken


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("value", [True, 7, "x", ["x"], {}])
def test_both_take_only_tables_for_a_section(section, value, tmp_path):
    assert is_taken({section: value}, tmp_path) is is_valid({section: value}) is (value == {})


@pytest.mark.parametrize("key", ["foo", "select", "lint.foo", "lint.fix", "lint.lint", "format"])
def test_both_refuse_unknown_keys(key, tmp_path):
    assert not is_taken(nested(key, []), tmp_path)
    assert not is_valid(nested(key, []))


@pytest.mark.parametrize("value", [{"id": "x"}, [{"id": "x"}], [], {}, 3, ["x"], "x"])
def test_both_take_only_tables_below_knowledge(value, tmp_path):
    data = {"knowledge": {"tool": value}}

    assert is_taken(data, tmp_path) is is_valid(data)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_both_take_the_example_of_an_option(option, tmp_path):
    data = toml_data(f"[{option.section}]\n{option.example}" if option.section else option.example)

    assert is_taken(data, tmp_path)
    assert is_valid(data)

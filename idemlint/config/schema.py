"""The JSON schema of the configuration, made from the table of options.

`python -m idemlint.config.schema` writes `schema.json`, which is shipped beside this module.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from idemlint.config.options import (
    DEFAULT_LINE_LENGTH,
    MAX_LINE_LENGTH,
    SECTIONS,
    Kind,
    Option,
    options_of,
)

__all__ = ["SCHEMA_FILE", "schema", "schema_text"]

SCHEMA_FILE = Path(__file__).with_name("schema.json")

_HOME = "https://github.com/idemlint/idemlint/blob/main/idemlint/config"
_STRINGS = {"type": "array", "items": {"type": "string"}}


def schema() -> dict[str, Any]:
    """The schema of `[tool.idemlint]` and of the bare files."""
    properties: dict[str, Any] = {option.name: _property(option) for option in options_of("")}
    for section, text in SECTIONS.items():
        properties[section] = _section(section, text)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{_HOME}/schema.json",
        "title": "idemlint",
        "description": "Settings of idemlint, in `[tool.idemlint]` or `idemlint.toml`.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def schema_text() -> str:
    """The schema as it stands in the file."""
    return json.dumps(schema(), indent=2) + "\n"


def _section(section: str, text: str) -> dict[str, Any]:
    options = options_of(section)
    if not options:
        # What may stand in the rows of knowledge is checked by their loader.
        table = {"type": "object"}
        tables = {"anyOf": [table, {"type": "array", "items": table}]}
        return {"description": text, "type": "object", "additionalProperties": tables}
    return {
        "description": text,
        "type": "object",
        "properties": {option.name: _property(option) for option in options},
        "additionalProperties": False,
    }


def _property(option: Option) -> dict[str, Any]:
    described: dict[str, Any] = {"description": option.doc, **_type(option)}
    if option.deprecated:
        described["deprecated"] = True
    return described


def _type(option: Option) -> dict[str, Any]:
    kind = option.kind
    if kind is Kind.BOOL:
        return {"type": "boolean"}
    if kind is Kind.INT:
        bounds = {"minimum": 1, "maximum": MAX_LINE_LENGTH, "default": DEFAULT_LINE_LENGTH}
        return {"type": "integer", **bounds}
    if kind in {Kind.STRINGS, Kind.SELECTORS}:
        return _STRINGS
    if kind is Kind.SELECTORS_BY_PATTERN:
        return {"type": "object", "additionalProperties": _STRINGS}
    if kind is Kind.LANGUAGE_BY_EXTENSION:
        return {"type": "object", "additionalProperties": {"enum": list(option.choices)}}
    if kind is Kind.CHOICE:
        return {"enum": list(option.choices)}
    return {"type": "string"}


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")

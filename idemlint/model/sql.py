"""Reading SQL texts: the role of a statement, its table, the columns it writes."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from idemlint.knowledge.facts import Knowledge

__all__ = ["SqlText", "read_sql", "unique_columns"]

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")
_NAME = r'["`\[]?([\w{}.$:]+)["`\]]?'
_TABLE = {
    "insert": re.compile(rf"\binto\s+{_NAME}", re.IGNORECASE),
    "update": re.compile(rf"\bupdate\s+(?:only\s+)?{_NAME}", re.IGNORECASE),
    "delete": re.compile(rf"\b(?:from|truncate(?:\s+table)?)\s+{_NAME}", re.IGNORECASE),
    "check": re.compile(rf"\bfrom\s+{_NAME}", re.IGNORECASE),
}
_COLUMNS = re.compile(r"\binto\s+[^\s(]+\s*\(([^()]*)\)\s*(?:overriding\s+\w+\s+value\s+)?values\s*\(", re.IGNORECASE)  # fmt: skip  # noqa: E501
_SET = re.compile(r"\bset\s+(.*?)(?:\bwhere\b|\breturning\b|$)", re.IGNORECASE)
_RELATIVE = re.compile(r"""["`]?(\w+)["`]?\s*=\s*(?:coalesce\(\s*)?["`]?(?:\w+\.)?(\w+)["`]?(?:\s*,[^)]*\))?\s*(?:[-+*/]|\|\|)""", re.IGNORECASE)  # fmt: skip  # noqa: E501
_CONFLICT = re.compile(r"\bon\s+conflict\s*\(([^)]*)\)", re.IGNORECASE)
_WHERE = re.compile(
    r"\bwhere\b(.*?)(?:\border\s+by\b|\blimit\b|\bgroup\s+by\b|\breturning\b|$)", re.IGNORECASE
)
_EQUAL = re.compile(r"""(?:\w+\.)?["`]?(\w+)["`]?\s*(?:=|\bis\b|\bin\b)""", re.IGNORECASE)
_CREATE = re.compile(rf"create\s+table\s+(?:if\s+not\s+exists\s+)?{_NAME}\s*\(", re.IGNORECASE)
_UNIQUE_INDEX = re.compile(
    rf"create\s+unique\s+index\s+(?:if\s+not\s+exists\s+)?[\w.\"`{{}}]*\s*on\s+{_NAME}\s*\(([^)]*)\)",
    re.IGNORECASE,
)
_GROUP = re.compile(r"(?:primary\s+key|unique(?:\s+key)?(?:\s+\w+)?)\s*\(([^)]*)\)", re.IGNORECASE)
_COLUMN_KEY = re.compile(
    r"^\s*[\"`\[]?(\w+)[\"`\]]?\s+.*\b(?:primary\s+key|unique)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SqlText:
    """A statement: `role` as in `sql.toml`, `table` in lower case, the columns of an insert.

    `relative` says that an update counts on from what is there, and does not ask if that is so still;
    `conflict` are the columns of an `ON CONFLICT (…)`; `asked` the columns that a `WHERE` compares.
    """

    role: str
    table: str
    columns: tuple[str, ...] = ()
    relative: bool = False
    conflict: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    text: str = ""


def read_sql(text: str, knowledge: Knowledge) -> SqlText | None:
    """What `text` does; `None` if it is no SQL that is known."""
    if not text or len(text) > 20_000:
        return None
    first = text.lstrip()[:1]
    if not first.isalpha() and first not in "-/(;":
        return None
    return _read(text, id(knowledge), knowledge)


@functools.lru_cache(maxsize=2048)
def _read(text: str, _owner: int, knowledge: Knowledge) -> SqlText | None:
    flat = _SPACE.sub(" ", _COMMENT.sub(" ", text)).strip(" ;")
    role = next((role for role, pattern in knowledge.sql_roles if pattern.search(flat)), None)
    if role is None:
        return None
    kind = "insert" if role in ("insert", "atomic", "upsert") else role
    found = _TABLE[kind].search(flat) if kind in _TABLE else None
    table = found[1].rpartition(".")[2].lower() if found else ""
    if kind in _TABLE and not table and role != "check":
        return None
    columns = _COLUMNS.search(flat)
    conflict = _CONFLICT.search(flat)
    changes = _SET.search(flat)
    where = _WHERE.search(flat)
    asked = tuple(name.lower() for name in _EQUAL.findall(where[1])) if where else ()
    relative = changes is not None and any(
        left.lower() == right.lower() and left.lower() not in asked
        for left, right in _RELATIVE.findall(changes[1])
    )
    return SqlText(
        role,
        table,
        _split(columns[1]) if columns else (),
        relative,
        _split(conflict[1]) if conflict else (),
        asked,
        flat,
    )


def _split(listed: str) -> tuple[str, ...]:
    return tuple(part.strip(' "`[]').lower() for part in listed.split(",") if part.strip())


def unique_columns(text: str, table: str) -> list[frozenset[str]]:
    """The sets of columns of `table` that a DDL text declares unique, primary keys included."""
    found: list[frozenset[str]] = []
    for matched in _CREATE.finditer(text):
        if matched[1].rpartition(".")[2].lower() != table:
            continue
        body = _parenthesised(text, matched.end() - 1)
        found += [frozenset(_split(group[1])) for group in _GROUP.finditer(body)]
        for part in _top_level_parts(body):
            column = _COLUMN_KEY.match(part)
            if column and column[1].lower() not in ("primary", "unique", "constraint"):
                found.append(frozenset({column[1].lower()}))
    found += [
        frozenset(_split(index[2]))
        for index in _UNIQUE_INDEX.finditer(text)
        if index[1].rpartition(".")[2].lower() == table
    ]
    return found


def _parenthesised(text: str, start: int) -> str:
    depth = 0
    for at in range(start, min(len(text), start + 8000)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                return text[start + 1 : at]
    return text[start + 1 : start + 8000]


def _top_level_parts(body: str) -> list[str]:
    parts: list[str] = []
    current: list[str] = []
    depth = 0
    for char in body:
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        if char == "," and depth == 0:
            parts.append("".join(current))
            current = []
        else:
            current.append(char)
    parts.append("".join(current))
    return parts

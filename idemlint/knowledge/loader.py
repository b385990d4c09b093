"""Reading, checking and compiling the rows of knowledge.

TOML is slow to parse, so what comes out is stored beside the package like a `.pyc` file (or in the
user's cache folder where that cannot be written), under the hash of what it was made from.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import os
import pickle
import re
import sys
import tempfile
import typing
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any

from idemlint import __version__
from idemlint.catalogue import rules_folder
from idemlint.knowledge import paths, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["KnowledgeError", "Origin", "Tables", "UserRow", "load_tables"]

_RENAMED = {"in": "within", "is": "target"}
_ROW_TABLES: dict[str, type] = {
    "provider": rows.Provider,
    "host": rows.Host,
    "http": rows.Http,
    "http_request": rows.HttpRequest,
    "http_client": rows.HttpClient,
    "type": rows.TypeName,
    "gives": rows.Gives,
    "type_argument": rows.TypeArgument,
    "decorated_type": rows.DecoratedType,
    "decorated_parameter": rows.DecoratedParameter,
    "graph": rows.Graph,
    "caller": rows.Caller,
    "store": rows.Store,
    "receiver_name": rows.ReceiverName,
    "lock": rows.Lock,
    "sql": rows.Sql,
    "tool": rows.Tool,
    "replay": rows.Replay,
    "pause": rows.Pause,
    "retry": rows.Retry,
    "guard": rows.Guard,
    "hint": rows.Hint,
    "identity": rows.Identity,
    "value": rows.NamedValue,
    "pure_method": rows.PureMethod,
    "unstable": rows.Unstable,
    "quiet": rows.Quiet,
    "verb": rows.Verb,
    "override": rows.Override,
}
_LISTS: dict[str, tuple[str, ...]] = {
    "names": ("exact", "patterns", "headers", "factories", "stems", "maybe", "described"),
    "not_names": ("exact", "patterns"),
    "fields": ("intent", "shared", "content", "receiver"),
    "replay_signs": ("words", "keys", "existing", "options"),
    "post_reads": ("ends", "verbs", "hosts", "documents"),
    "quiet_code": ("functions", "classes", "texts", "sign_in", "carriers", "handlers"),
    "factories": ("classes", "methods"),
    "turns": ("receivers", "methods"),
    "batched": ("repeated", "harmless"),
    "containers": ("methods",),
    "memory": ("containers", "decorators", "words", "looks", "told", "counters", "stores"),
    "conflicts": ("errors", "codes", "statuses", "violations"),
    "refusals": ("errors", "broad", "statuses", "words", "harmless", "doubts"),
    "sql_results": ("methods", "attributes", "ordering", "arguments"),
    "words": (
        "read", "read_nouns", "final_verbs", "adverbs", "prepositions", "vendors", "leading", "trailing",
        "nouns",
    ),
    "record_ids": ("columns", "fields", "names"),
    "savings": ("records", "all", "new"),
    "repeats": ("signs", "helpers", "counters", "names", "outcomes", "building", "stops"),
    "aws_clients": ("clients", "resources", "libraries", "creating"),
    "fifo": ("queues", "groups", "ends"),
    "constraints": ("columns", "classes"),
    "tool_schemas": ("schemas", "fields", "bases"),
    "objects": (),
}  # fmt: skip
_FREE = ("aws_token", "aws_unmarked_token")
_OPERATIONS = {f"OP-{number}" for number in range(1, 9)}
_ROLES = {
    "exec", "check", "insert", "atomic", "upsert", "update", "delete", "counter", "commit",
}  # fmt: skip
_CHOICES = {
    ("effect", "does"): {
        "create", "send", "charge", "transfer", "update", "delete", "publish", "upload",
    },
    ("effect", "repeat"): {"duplicates", "harmless", "overwrites", "refused"},
    ("tool", "kind"): {"decorator", "base", "call", "schema"},
    ("replay", "kind"): {"decorator", "base", "call", "name"},
    ("retry", "kind"): {"decorator", "iterator", "caller", "call", "policy", "kwarg", "client"},
    ("pause", "form"): {"call", "decorator", "raise", "return", "option"},
    ("effect", "operation"): _OPERATIONS,
    ("effect", "when"): {"fifo", "other"},
    ("effect", "undo"): {"refund", "delete", "cancel", "revert", "void"},
    ("effect", "automatic_key"): {"per-call", "per-object", "default-on", "opt-in", "content"},
    ("host", "when"): {"fifo", "other"},
    ("form", "role"): _ROLES,
    ("statement", "role"): _ROLES,
    ("unstable", "fix"): {"sort_keys", "sorted", "hashlib", "json"},
    ("verb", "does"): {
        "create", "send", "charge", "transfer", "update", "delete", "publish", "upload", "adjust", "run",
    },
    ("verb", "repeat"): {"duplicates", "harmless", "overwrites", "refused", "depends", "unique"},
    ("verb", "operation"): _OPERATIONS,
    ("store", "operation"): _OPERATIONS,
    ("store", "kind"): {
        "sql-text", "orm", "sql-builder", "document", "kv", "blob", "file", "vector",
    },
    ("store", "target"): {"table", "model", "receiver", "subject"},
    ("store", "atomic_form"): {
        "on-conflict", "savepoint", "get-or-create", "set-on-insert", "nx", "condition-expression",
        "create", "keyword", "exclusive-mode",
    },
    ("identity", "kind"): {"stable", "coarse", "call-id", "attempt"},
    ("value", "kind"): {"fresh", "clock", "stable", "pure"},
    ("verb", "report"): {"yes", "low", "body", "no"},
    ("sql", "role"): {
        "check", "insert", "atomic", "upsert", "update", "delete", "lock", "commit", "schema",
    },
    ("guard", "kind"): {
        "decorator", "context-manager", "call", "kwarg", "middleware", "config", "store", "policy",
        "attribute",
    },
    ("quiet", "kind"): {"logging", "telemetry", "model", "pure", "framework", "read"},
    ("override", "kind"): {"handoff", "scratch", "noun", "pure", "control", "read", "local", "once"},
}  # fmt: skip
_EXPRESSIONS = {
    ("names", "patterns"),
    ("names", "factories"),
    ("names", "described"),
    ("not_names", "patterns"),
    ("override", "pattern"),
    ("record_ids", "names"),
    ("savings", "records"),
    ("savings", "all"),
    ("savings", "new"),
    ("repeats", "helpers"),
    ("repeats", "stops"),
    ("quiet_code", "functions"),
    ("quiet_code", "classes"),
    ("quiet_code", "texts"),
    ("quiet_code", "sign_in"),
    ("quiet_code", "carriers"),
    ("quiet_code", "handlers"),
    ("turns", "receivers"),
    ("batched", "repeated"),
    ("sql", "pattern"),
}
"""Columns whose texts are regular expressions."""


_PATH = re.compile(r'[^\s"]+(?:"[^"]*"[^\s"]*)*')
"""A dotted name, with texts in it where an argument or an item belongs to it."""


class KnowledgeError(ValueError):
    """A row that is wrong: the message names the column, `origin` file and line."""

    def __init__(self, origin: Origin, message: str) -> None:
        super().__init__(message)
        self.origin = origin

    def __str__(self) -> str:
        return f"{self.origin.path}:{self.origin.line}: {self.args[0]}"


@dataclass(frozen=True, slots=True)
class Origin:
    """The file of a row and the 1-based line on which it begins."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class UserRow:
    """A row from a project's own configuration: its table, its columns, its place."""

    table: str
    columns: Mapping[str, Any]
    origin: Origin


@dataclass(slots=True)
class Tables:
    """All rows by table, and the path tables built over them; plain data."""

    rows: dict[str, list[Any]]
    lists: dict[str, dict[str, list[str]]]
    tokens: dict[str, dict[str, dict[str, str]]]
    paths: dict[str, tuple[dict[str, tuple[int, ...]], dict[str, Any]]]


def load_tables(user_rows: tuple[UserRow, ...] = ()) -> Tables:
    """The shipped rows and the user's own; raises `KnowledgeError` for a row that is wrong."""
    sources = [(path, path.read_bytes()) for path in _shipped_files()]
    digest = hashlib.blake2b(digest_size=12)
    digest.update(f"{__version__} {_schema_digest()}".encode())
    for path, data in sources:
        digest.update(path.name.encode())
        digest.update(data)
    for row in user_rows:
        digest.update(repr((row.table, row.columns)).encode())
    name = f"knowledge-{digest.hexdigest()}.{sys.implementation.cache_tag}.bin"
    for folder in _cache_folders():
        try:
            stored = pickle.loads((folder / name).read_bytes())
        except Exception:
            continue
        if isinstance(stored, Tables):
            return stored
    tables = _compile(_parse(sources), user_rows)
    _store(tables, name)
    return tables


@functools.cache
def _schema_digest() -> str:
    """Changes with the code that gives the stored form its shape."""
    parts = [Path(file).read_bytes() for file in (rows.__file__, paths.__file__, __file__)]
    return hashlib.blake2b(b"".join(parts), digest_size=6).hexdigest()


def _shipped_files() -> list[Path]:
    return sorted((rules_folder() / "knowledge").glob("*.toml"))


def _cache_folders() -> list[Path]:
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    user = Path(home) if home else Path("~/.cache").expanduser()
    return [Path(__file__).parent / "__pycache__", user / "idemlint"]


def _store(tables: Tables, name: str) -> None:
    for folder in _cache_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=folder)
            with os.fdopen(handle, "wb") as stream:
                pickle.dump(tables, stream, protocol=5)
            Path(temporary).replace(folder / name)
        except OSError:
            continue
        return


def _parse(sources: Iterable[tuple[Path, bytes]]) -> list[UserRow]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    found: list[UserRow] = []
    for path, data in sources:
        text = data.decode("utf-8")
        for table, value in tomllib.loads(text).items():
            if isinstance(value, list):
                lines = _header_lines(text, table)
                found.extend(
                    UserRow(table, columns, Origin(str(path), lines[number]))
                    for number, columns in enumerate(value)
                )
            else:
                line = next(iter(_header_lines(text, table)), 1)
                found.append(UserRow(table, value, Origin(str(path), line)))
    return found


def _header_lines(text: str, table: str) -> list[int]:
    header = re.compile(rf"^\[\[?{re.escape(table)}[\].]", re.MULTILINE)
    return [text.count("\n", 0, found.start()) + 1 for found in header.finditer(text)]


def _compile(shipped: list[UserRow], user_rows: tuple[UserRow, ...]) -> Tables:
    tables = Tables({name: [] for name in _ROW_TABLES}, {}, {name: {} for name in _FREE}, {})
    # a user's rows come first, so that they win over a shipped row that is as good
    for row in (*user_rows, *shipped):
        _add(tables, row)
    effects: list[rows.Effect] = []
    for provider in tables.rows["provider"]:
        effects.extend(provider.effects)
    tables.rows["effect"] = effects
    tables.rows["provider"] = [_without_effects(entry) for entry in tables.rows["provider"]]
    _index(tables)
    return tables


def _without_effects(provider: rows.Provider) -> rows.Provider:
    return rows.Provider(
        provider.id, provider.package, provider.imports, (), provider.checked, provider.docs
    )


def _add(tables: Tables, row: UserRow) -> None:
    if row.table in _ROW_TABLES:
        made = _build(_ROW_TABLES[row.table], row.table, row.columns, row.origin)
        tables.rows[row.table].append(made)
    elif row.table in _LISTS:
        known = _LISTS[row.table]
        lists = tables.lists.setdefault(row.table, {})
        for column, values in row.columns.items():
            if known and column not in known:
                raise _unknown_column(row.table, column, known, row.origin)
            if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
                raise KnowledgeError(row.origin, f"`{column}` in `{row.table}` is a list of texts")
            _check_expressions(row.table, column, values, row.origin)
            lists.setdefault(column, []).extend(values)
    elif row.table in _FREE:
        for service, methods in row.columns.items():
            if not isinstance(methods, dict) or not all(
                isinstance(name, str) for name in methods.values()
            ):
                raise KnowledgeError(
                    row.origin, f"`{service}` in `{row.table}` is a table of texts by method"
                )
            tables.tokens[row.table].setdefault(service, {}).update(methods)
    else:
        names = (*_ROW_TABLES, *_LISTS, *_FREE)
        raise KnowledgeError(row.origin, f"unknown table `{row.table}`{_nearest(row.table, names)}")


def _check_expressions(table: str, column: str, texts: Iterable[str], origin: Origin) -> None:
    if (table, column) not in _EXPRESSIONS:
        return
    for text in texts:
        fault = _fault_of_expression(text)
        if fault:
            raise KnowledgeError(
                origin,
                f"`{column}` in `{table}` is a regular expression, and `{text}` is none: {fault}",
            )


def _check_paths(table: str, column: str, paths: Any, origin: Origin) -> None:
    for path in paths if isinstance(paths, tuple) else (paths,):
        if not _PATH.fullmatch(path) and (table, column) != ("slot", "path"):
            raise KnowledgeError(
                origin, f"`{column}` in `{table}` is a dotted name, and `{path}` is none"
            )


def _fault_of_expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        return str(error)
    return ""


def _build(cls: type, table: str, columns: Mapping[str, Any], origin: Origin) -> Any:
    hints = _hints(cls)
    given = {_RENAMED.get(column, column): column for column in columns}
    made: dict[str, Any] = {}
    for name, column in given.items():
        if name not in hints:
            shown = [_shown(cls, field) for field in hints]
            raise _unknown_column(table, column, shown, origin)
        made[name] = _convert(hints[name], table, column, columns[column], origin)
        if name in ("path", "call"):
            _check_paths(table, column, made[name], origin)
        if isinstance(made[name], str):
            _check_expressions(table, column, (made[name],), origin)
        allowed = _CHOICES.get((table, column))
        if allowed is not None and made[name] not in allowed:
            words = ", ".join(sorted(allowed))
            raise KnowledgeError(
                origin, f"`{column}` in `{table}` is one of {words}, not `{made[name]}`"
            )
    for field in fields(cls):
        if field.name not in made and field.default is MISSING:
            raise KnowledgeError(origin, f"`{table}` needs `{_shown(cls, field.name)}`")
    if cls is rows.Provider:
        effects = tuple(_named_effect(effect, made["id"]) for effect in made["effects"])
        made["effects"] = effects
    return cls(**made)


def _shown(cls: type, field: str) -> str:
    """The column of a field: some are no names in Python."""
    if cls is rows.Store:
        return field
    return next((column for column, name in _RENAMED.items() if name == field), field)


def _named_effect(effect: rows.Effect, provider: str) -> rows.Effect:
    values = {field.name: getattr(effect, field.name) for field in fields(effect)}
    return rows.Effect(**{**values, "provider": provider})


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return {
        name: hint
        for name, hint in typing.get_type_hints(cls, vars(rows)).items()
        if name in {field.name for field in fields(cls)}
    }


def _convert(hint: Any, table: str, column: str, value: Any, origin: Origin) -> Any:
    if typing.get_origin(hint) in (UnionType, typing.Union):
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        nested = [option for option in options if option is rows.Slot]
        if nested:
            return _convert(rows.Slot, table, column, value, origin)
        if isinstance(value, tuple(options)):
            return value
        raise _wrong_type(table, column, " or ".join(o.__name__ for o in options), origin)
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        listed = value if isinstance(value, list) else [value]
        return tuple(_convert(item, table, column, entry, origin) for entry in listed)
    if hint is rows.Slot or hint in (rows.Effect, rows.Statement, rows.Form, rows.Lost):
        if not isinstance(value, dict):
            raise _wrong_type(table, column, "table", origin)
        return _build(hint, hint.__name__.lower(), value, origin)
    if hint is bool and isinstance(value, bool):
        return value
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if hint is str and isinstance(value, str):
        return value
    raise _wrong_type(table, column, hint.__name__, origin)


def _wrong_type(table: str, column: str, expected: str, origin: Origin) -> KnowledgeError:
    return KnowledgeError(origin, f"`{column}` in `{table}` is of type {expected}")


def _unknown_column(
    table: str, column: str, known: Iterable[str], origin: Origin
) -> KnowledgeError:
    listed = ", ".join(f"`{name}`" for name in known)
    return KnowledgeError(
        origin,
        f"unknown column `{column}` in `{table}`{_nearest(column, list(known))}; "
        f"expected one of {listed}",
    )


def _nearest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean `{close[0]}`?" if close else ""


_STORE_ROLES = (
    "exec",
    "check",
    "insert",
    "atomic",
    "upsert",
    "update",
    "delete",
    "counter",
    "commit",
)


def _index(tables: Tables) -> None:
    """Path tables; a store's patterns point to `(store, role)` pairs in `store_role`.

    Paths are written as the model sees them: a renamed class by the name that rows use.
    """
    renamed = {path: row.target for row in tables.rows["type"] for path in row.path}
    for table, columns in _PATH_COLUMNS.items():
        tables.rows[table] = [_with_paths(row, columns, renamed) for row in tables.rows[table]]

    def compile_paths(patterns: list[tuple[str, int]]) -> Any:
        return paths.compile_paths([(_canonical(path, renamed), row) for path, row in patterns])

    tables.paths["type"] = paths.compile_paths(
        [(path, number) for number, row in enumerate(tables.rows["type"]) for path in row.path]
    )
    for table in (
        "http", "http_request", "http_client", "lock", "tool", "replay", "pause", "retry", "guard",
        "hint", "identity", "value", "unstable", "quiet", "gives", "type_argument",
        "decorated_type", "decorated_parameter", "graph", "caller",
    ):  # fmt: skip
        patterns = [
            (path, number) for number, row in enumerate(tables.rows[table]) for path in row.path
        ]
        tables.paths[table] = compile_paths(patterns)
    tables.paths["effect"] = compile_paths(
        [(call, n) for n, row in enumerate(tables.rows["effect"]) for call in row.call]
    )
    roles: list[tuple[int, str, rows.Form | None]] = []
    calls: list[tuple[str, int]] = []
    statements: list[tuple[str, int]] = []
    violations: list[tuple[str, int]] = []
    for number, store in enumerate(tables.rows["store"]):
        for form in store.forms:
            roles.append((number, form.role, form))
            calls.append((form.call, len(roles) - 1))
        for role in _STORE_ROLES:
            listed = getattr(store, role)
            if listed:
                roles.append((number, role, None))
                calls.extend((path, len(roles) - 1) for path in listed)
        for statement in store.statements:
            roles.append((number, statement.role, None))
            statements.extend((path, len(roles) - 1) for path in statement.path)
        violations.extend((path, number) for path in store.violation)
    tables.rows["store_role"] = roles
    tables.paths["store_call"] = compile_paths(calls)
    tables.paths["statement"] = compile_paths(statements)
    tables.paths["violation"] = compile_paths(violations)


_PATH_COLUMNS = {
    "tool": ("hidden_types", "hidden_defaults"),
    "replay": ("kept_in",),
    "pause": ("swallowed_by", "raises"),
    "store": ("check_by_key", "merge"),
}
"""Columns of paths beside those by which a row is found."""


def _with_paths(row: Any, columns: Iterable[str], renamed: Mapping[str, str]) -> Any:
    """A row whose paths are written as the model sees them; those of its file are kept, too."""
    changed = {}
    for column in columns:
        listed: tuple[str, ...] = getattr(row, column)
        found = tuple(dict.fromkeys((*listed, *(_canonical(path, renamed) for path in listed))))
        if found != listed:
            changed[column] = found
    return replace(row, **changed) if changed else row


def _canonical(path: str, renamed: Mapping[str, str]) -> str:
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        target = renamed.get(".".join(parts[:length]))
        if target is not None:
            return ".".join((target, *parts[length:]))
    return path

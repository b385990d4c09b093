"""Texts that must stand in a file for a rule to have anything to say about it, taken from the rows.

A signal proves nothing. That a file has none proves that no row can fit there, so that the file
needs no further look.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, NamedTuple

from idemlint.knowledge.facts import snake_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge

__all__ = ["ANY_LIBRARY", "Meaning", "Signal", "Signals"]

ANY_LIBRARY = "**"
_WRITING = ("insert", "atomic", "upsert", "counter")
_CLOSING = {"execute", "execute_async"}
_PRESENCE = ("exists(", "is_file(", "isfile(")
_CLAIMING = (
    ("return True",),
    ("return False",),
    ("open(", ".write_text(", ".write_bytes(", ".touch("),
)
_MARKING = (".touch(",)
"""What makes a file that holds nothing: that it is there says what was done."""
_LOOPING = ("attempt", "retries", "while True", "in range(")
"""Words of loops that try again; with a provider that takes keys they are enough."""
_SQL = ("insert into", "insert ignore", "insert or ignore", "insert or replace", "insert or abort",
        "insert or fail", "insert or rollback", "replace into", "upsert into")  # fmt: skip
_COUNTING = (
    "attempt", "ATTEMPT", "tries", "sleep(", "in range(", "while True", "while not ", " += 1",
)  # fmt: skip
_GETTING = ".get("
_REMEMBERED = (" in self.", " in cls.", " in _", _GETTING)
_KEEPING = ((".add(", ".append", "] = ", "setdefault("), ("if ",))
_ACTING = {"smtplib": (), "urllib": ("urllib.request", "urlopen")}
"""Parts of the standard library that act on other machines, with what tells of their use."""
_COUNTED_DOWN = ("attempt", "tries")
_ONCE_MORE = ((" - 1", " + 1"), ("except", "status", ".ok", "is_success"))
"""Words of a function that calls itself once more: what is left of its attempts, and what failed."""
_AGAIN = (
    ("for ", "while "),
    ("except", "status", ".ok", "is_success"),
    ("return", "break", " = True", " = False"),
)


class Signal(enum.IntEnum):
    """What a text hints at."""

    LIBRARY = enum.auto()
    """The import of a library."""
    CALL = enum.auto()
    """A call that makes entries."""
    PAUSE = enum.auto()
    """A call after which the body runs again."""
    KEY = enum.auto()
    """A name of a key."""
    WRITE = enum.auto()
    """A write to a store."""
    PRESENCE = enum.auto()
    """A question whether a file is there."""
    SCHEMA = enum.auto()
    """The schema of a tool."""
    MAKER = enum.auto()
    """A decorator that makes tools, or its call."""
    HANDLER = enum.auto()
    """A function that a platform finds by its name."""
    RETRY = enum.auto()
    """Something that runs code again."""
    KEYED_RETRY = enum.auto()
    """Something that runs again what can take a key."""
    RESENDER = enum.auto()
    """A client that can send a request of any method again."""
    MEMORY = enum.auto()
    """A look into a container that lives as long as the process."""
    CONFLICT = enum.auto()
    """The conflict of a key."""
    REQUEST = enum.auto()
    """A request that such a client can send."""


class Meaning(NamedTuple):
    """What a text can mean. It needs one of `libraries`; with none it needs nothing more.

    Of each of `companions` one text has to stand beside it. `is_of_actions` says that the libraries
    are all of those that change something outside: it means the same beside calls that lead there.
    """

    signal: Signal
    libraries: frozenset[str]
    companions: tuple[tuple[str, ...], ...] = ()
    is_of_actions: bool = False


_Kind = tuple[Signal, tuple[tuple[str, ...], ...]]


class Signals:
    """The signals of one set of rows.

    `decorators` and `bases` are last names with the libraries that give them their meaning,
    `calls` the names of calls that make entries, `makers` the texts that make tools of functions.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.decorators: dict[str, set[str]] = {}
        self.bases: dict[str, set[str]] = {}
        self.makers: set[str] = set()
        self.calls: set[str] = set()
        self._found: dict[str, dict[_Kind, set[str]]] = {}
        self.is_dedup_store = knowledge.is_dedup_store
        self._looks = frozenset(_REMEMBERED).union(knowledge.memory_looks)
        self._acting = knowledge.effect_libraries | _ACTING.keys()
        self.own_packages = knowledge.own_packages
        self._effect_calls = knowledge.effect_calls
        self._add_entries(knowledge)
        for library, name in knowledge.replaying_pauses:
            self._add(f"{name}(", Signal.PAUSE, {library})
        for stem in knowledge.key_stems:
            for text in _spellings(stem):
                self._add(text, Signal.KEY)
        for header in knowledge.key_headers:
            for text in {header, header.lower(), header.upper(), header.title()}:
                self._add(text, Signal.KEY)
        for name, libraries in knowledge.slot_names.items():
            if not any(stem in snake_case(name) for stem in knowledge.key_stems):
                for text in (f"{name}=", f'"{name}"', f"'{name}'"):
                    self._add(text, Signal.KEY, libraries)
        for store in knowledge.rows("store"):
            self._add_store(store, knowledge)
        self._add_retries(knowledge)
        self._add_memory(knowledge)
        self._add_conflicts(knowledge)
        self._add_libraries(knowledge)

    @functools.cached_property
    def texts(self) -> tuple[str, ...]:
        """All texts, each once, in a fixed order."""
        return tuple(sorted(self._found))

    @functools.cached_property
    def meanings(self) -> tuple[tuple[Meaning, ...], ...]:
        """What each of `texts` can mean."""
        return tuple(
            tuple(
                Meaning(kind, frozenset(names), companions, names == self._acting)
                for (kind, companions), names in self._found[text].items()
            )
            for text in self.texts
        )

    @functools.cached_property
    def companions(self) -> dict[int, list[tuple[tuple[str, ...], ...]]]:
        """By the number of a text: what has to stand beside it in each of its meanings."""
        return {
            number: [meaning.companions for meaning in meanings]
            for number, meanings in enumerate(self.meanings)
            if all(meaning.companions for meaning in meanings)
        }

    @functools.cached_property
    def remembering(self) -> frozenset[int]:
        """The numbers of the texts that look into a container."""
        return frozenset(
            number
            for number, text in enumerate(self.texts)
            if text in self._looks
            and all(meaning.signal is Signal.MEMORY for meaning in self.meanings[number])
        )

    @functools.cached_property
    def acting(self) -> frozenset[int]:
        """The numbers of the imports of libraries that act on something outside."""
        return frozenset(
            number
            for number, meanings in enumerate(self.meanings)
            if any(m.signal is Signal.LIBRARY and m.libraries & self._acting for m in meanings)
        )

    @functools.cached_property
    def acts(self) -> dict[bytes, frozenset[int]]:
        """The names of calls that change something outside, with the numbers of their imports."""
        imports: dict[str, set[int]] = {}
        for number in self.acting:
            for meaning in self.meanings[number]:
                for library in meaning.libraries:
                    imports.setdefault(library, set()).add(number)
        return {
            name.encode(): numbers
            for name, libraries in self._effect_calls.items()
            if (numbers := frozenset(n for top in libraries for n in imports.get(top, ())))
        }

    @functools.cached_property
    def of_actions(self) -> dict[int, tuple[Signal, ...]]:
        """What texts mean beside calls that change something outside, by their numbers."""
        found = {
            number: tuple(meaning.signal for meaning in meanings if meaning.is_of_actions)
            for number, meanings in enumerate(self.meanings)
        }
        return {number: signals for number, signals in found.items() if signals}

    @functools.cached_property
    def writing(self) -> frozenset[int]:
        """The numbers of the texts that write to a store."""
        return frozenset(
            number
            for number, meanings in enumerate(self.meanings)
            if any(meaning.signal is Signal.WRITE for meaning in meanings)
        )

    def _add(
        self,
        text: str,
        kind: Signal,
        libraries: Iterable[str] = (),
        companions: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self._found.setdefault(text, {}).setdefault((kind, companions), set()).update(libraries)

    def _add_libraries(self, knowledge: Knowledge) -> None:
        libraries = {
            name for kinds in self._found.values() for names in kinds.values() for name in names
        }
        for names in (*self.decorators.values(), *self.bases.values()):
            libraries |= names
        for library in (libraries | knowledge.effect_libraries) - {ANY_LIBRARY}:
            for text in _ACTING.get(library) or (f"import {library}", f"from {library}"):
                self._add(text, Signal.LIBRARY, {library})
        if self.own_packages & libraries:
            self._add("from .", Signal.LIBRARY, self.own_packages & libraries)

    def _add_entries(self, knowledge: Knowledge) -> None:
        for row in (*knowledge.rows("tool"), *knowledge.rows("replay")):
            for path in row.path:
                library, name = _first(path), _last(path)
                if row.kind == "decorator":
                    self.decorators.setdefault(name, set()).add(library)
                    self._add(f"{name}(", Signal.CALL, {library})
                if row.kind == "base":
                    self.bases.setdefault(name, set()).add(library)
                elif row.kind == "name":
                    self._add(f"def {name}(", Signal.HANDLER)
                elif row.kind != "decorator":
                    self.calls.add(name)
                    self._add(f"{name}(", Signal.CALL, {library}, _companions(row, path))
                    if row.kind == "schema" and any(isinstance(p, int) for p in row.schema):
                        # the class of the parameters is handed over without a word for it
                        self._add(f"{name}(", Signal.SCHEMA, {library})
        for row in knowledge.rows("tool"):
            if row.kind == "decorator":
                for name in map(_last, row.path):
                    for text in (f"{name}(", f"@{name}", f".{name}\n"):
                        self._add(text, Signal.MAKER)
                        self.makers.add(text)
        for key in knowledge.tool_schemas["schemas"]:
            for text in (f'"{key}":', f"'{key}':", f"{key}="):
                self._add(text, Signal.SCHEMA, (), (("name",),))

    def _add_retries(self, knowledge: Knowledge) -> None:
        for text in knowledge.repeats["signs"]:
            self._add(text, Signal.RETRY, self._acting)
        for text in _COUNTING:
            self._add(text, Signal.RETRY, self._acting, _AGAIN)
        for text in _COUNTED_DOWN:
            self._add(text, Signal.RETRY, self._acting, _ONCE_MORE)
        for text in _LOOPING:
            self._add(text, Signal.KEYED_RETRY, knowledge.keyed_libraries)
        for row in knowledge.rows("retry"):
            for path in row.path:
                if row.kind == "decorator":
                    self._add(f"@{_last(path)}", Signal.KEYED_RETRY, {_first(path)})
                    self._add(f".{_last(path)}(", Signal.KEYED_RETRY, {_first(path)})
                if row.kind in ("decorator", "iterator", "caller", "call"):
                    self._add(_last(path), Signal.RETRY, {_first(path)})
                elif row.kind == "kwarg":
                    for text in _as_arguments(row.limit):
                        self._add(text, Signal.RETRY, {_first(path)})
                elif row.kind == "client" and "POST" in row.methods:
                    self._add(f"{_last(path)}(", Signal.RESENDER)
            for text in _as_arguments(row.methods_argument) if row.kind == "client" else ():
                self._add(text, Signal.RESENDER)
        for path, _, _ in (use for uses in knowledge.policy_uses.values() for use in uses):
            self._add(f"{_last(path)}(", Signal.RETRY, {_first(path)}, (("Retry", "retry"),))
        for name in knowledge.request_names:
            self._add(f".{name}(", Signal.REQUEST)

    def _add_memory(self, knowledge: Knowledge) -> None:
        for text in knowledge.memory_looks:
            self._add(text, Signal.MEMORY, self._acting, _KEEPING)
        for text in _REMEMBERED:
            words = (knowledge.memory_words,) if text == _GETTING else ()
            self._add(text, Signal.MEMORY, self._acting, (*_KEEPING, *words))
        for text in knowledge.memory_questions:
            self._add(text, Signal.MEMORY, self._acting)
        for path in knowledge.memory_decorators:
            self._add(f"@{_last(path)}", Signal.MEMORY, self._acting)
            self._add(f"@{'.'.join(path.split('.')[-2:])}", Signal.MEMORY, self._acting)

    def _add_conflicts(self, knowledge: Knowledge) -> None:
        lists = knowledge.conflicts
        plain = {_last(name) for name in lists["errors"]} | set(lists["codes"])
        for status in lists["statuses"]:
            plain |= {f"== {status}", f"!= {status}"}
        for text in plain | {"codes.conflict", "HTTPStatus.CONFLICT", "HTTP_409"}:
            self._add(text, Signal.CONFLICT, (), (("key", "Key", "operation"),))
        stems = tuple(text for stem in knowledge.key_stems for text in _spellings(stem))
        for store in knowledge.rows("store"):
            for path in store.violation:
                if "Exception" not in _last(path):
                    self._add(_last(path), Signal.CONFLICT, (), (stems,))

    def _add_store(self, store: rows.Store, knowledge: Knowledge) -> None:
        if store.kind == "file":
            for text in _PRESENCE:
                self._add(text, Signal.PRESENCE, (), _CLAIMING)
            for text in _MARKING:
                self._add(text, Signal.WRITE, self._acting)
        elif store.kind == "sql-text":
            for text in _SQL:
                self._add(text, Signal.WRITE)
                self._add(text.upper(), Signal.WRITE)
        else:
            libraries = _libraries(store, knowledge)
            for path in _writes(store):
                name = _method(path)
                if name:
                    self._add(f".{name}(", Signal.WRITE, libraries)
                if path.startswith("**.") and path.endswith(f".{name}"):
                    self._add(f"{path[2:]}(", Signal.WRITE, libraries)
            for statement in store.statements:
                for path in statement.path if statement.role in _WRITING else ():
                    if path.count(".") == 1 and "*" not in path:
                        self._add(f" {_last(path)}(", Signal.WRITE, libraries)
                        self._add(f"({_last(path)}(", Signal.WRITE, libraries)


def _as_arguments(names: Iterable[int | str]) -> Iterator[str]:
    """How arguments are written: by name, or in a mapping that is spread."""
    for name in names:
        if isinstance(name, str):
            yield from (f"{name}=", f'"{name}"', f"'{name}'")


def _companions(row: rows.Tool | rows.Replay, path: str) -> tuple[tuple[str, ...], ...]:
    """What has to stand beside a call: the keyword of its bodies, the class that makes it."""
    found = []
    places = (*row.body, *row.bodies)
    if places and not any(isinstance(place, int) for place in places):
        found.append(tuple(f"{place}" for place in places))
    owner = path.rpartition(".")[0].rpartition(".")[2]
    if _last(path).startswith("from_") and owner[:1].isupper():
        found.append((owner,))
    return tuple(found)


def _spellings(name: str) -> set[str]:
    """A name in snake case, and as it is written in headers, constants and other languages."""
    parts = name.split("_")
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
    kebab = "-".join(parts)
    return {
        name, name.upper(), camel, camel[:1].upper() + camel[1:], kebab, kebab.upper(), kebab.title(),
    }  # fmt: skip


def _writes(store: rows.Store) -> Iterator[str]:
    for role in _WRITING:
        yield from getattr(store, role)
    for form in store.forms:
        if form.role in _WRITING:
            yield form.call
    for statement in store.statements:
        if statement.role in _WRITING:
            yield from statement.path


def _libraries(store: rows.Store, knowledge: Knowledge) -> set[str]:
    """The libraries that a store is used through: its own column, or what leads to its paths."""
    if store.imports:
        return set(store.imports)
    tops = {_first(path) for path in _writes(store)}
    found = set(tops)
    for row in (*knowledge.rows("type"), *knowledge.rows("gives")):
        if _first(row.target) in tops:
            found.update(map(_first, row.path))
    for row in knowledge.rows("receiver_name"):
        if _first(row.target) in tops:
            found.update(row.imports)
            if not row.imports:
                return {ANY_LIBRARY}
    return {name for name in found if name.isidentifier()}


def _first(path: str) -> str:
    return path.partition(".")[0].partition("(")[0]


def _last(path: str) -> str:
    parts = path.split(".")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _method(path: str) -> str:
    """The method that does it: the last name, or the one before a closing `execute`."""
    names = [n for n in path.split(".") if not set(n) & set("*[(")]
    while len(names) > 1 and names[-1] in _CLOSING:
        names.pop()
    return names[-1] if names else ""

"""The gate: a first look at the bytes of a file, to pass over those that no rule can be about.

One scan for all texts at once, one for decorators and one for class headers; nothing is decoded.
"""

from __future__ import annotations

import bisect
import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from idemlint.source.calls import (
    calls_by_function,
    imported_words,
    later_imports,
    leading_to,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import ahocorasick_rs

__all__ = [
    "EMPTY",
    "Called",
    "CallerGate",
    "Companions",
    "FileFacts",
    "Gate",
    "Scan",
    "imported_words",
    "texts_of",
]

Companions = tuple[tuple[str, ...], ...]

_DECORATOR = re.compile(rb"@([A-Za-z_][\w.]*)")
_CLASS = re.compile(rb"\nclass (\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_DEFINITION = re.compile(rb"^(?:async )?def (\w+)", re.MULTILINE)
_FUNCTION = re.compile(rb"def (\w+)")
_IMPORTED = re.compile(rb"import[ \t]*(\([^)]*\)|[^\n]*)")
_ALIAS = re.compile(rb"\b(\w+)[ \t]+as[ \t]+(\w+)")
_DOCSTRING = re.compile(rb":[ \t]*(?:#[^\n]*)?\r?\n\s*[rRuU]?(\"\"\"|''')")
_SPLIT = re.compile(rb"^(?=\S)", re.MULTILINE)
_WORD = re.compile(r"[\w.]+")
_ASKED = re.compile(rb" in (?:self\.|cls\.)?(\w+)")
_PUT = re.compile(rb"\.(?:add|append|appendleft|setdefault)\(|\] = ")
_LAST_WORD = re.compile(rb"\w+$")
_MAX_KEY = 120
"""How long a key in brackets can be."""


class FileFacts(NamedTuple):
    """What a look at the bytes of a file tells.

    `texts` are the numbers of the texts that stand in it, `decorators` the last names of those that
    it uses, `classes` the names of its top-level classes with the last names of their bases,
    `makers` its functions that can be decorators that make tools. `defines` are the names of all its
    functions, with a space between, `aliases` the names that it gives to what it imports, each behind
    its own name, `writers` those in which a text stands that writes, with its
    number.
    """

    texts: tuple[int, ...] = ()
    decorators: tuple[str, ...] = ()
    classes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    makers: tuple[str, ...] = ()
    defines: bytes = b""
    writers: tuple[tuple[str, int], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    actors: tuple[str, ...] = ()


EMPTY = FileFacts()


class _Choices(NamedTuple):
    """Texts of which one has to stand in a file: those that it is searched for, and others."""

    listed: frozenset[int]
    others: tuple[bytes, ...]


class Gate:
    """Looks at bytes.

    `texts` are what to look for, `makers` those that make tools of functions. `companions` are by
    the number of a text: it counts only in a file where all of one group, each by one of its
    choices, stand beside it. `acts` are the names of calls that change something outside, with the
    numbers of the imports that they need.
    """

    def __init__(
        self,
        texts: Sequence[str],
        makers: Collection[str],
        companions: Mapping[int, Sequence[Companions]],
        writing: frozenset[int],
        remembering: frozenset[int] = frozenset(),
        acting: frozenset[int] = frozenset(),
        acts: Mapping[bytes, frozenset[int]] | None = None,
    ) -> None:
        self._texts = texts
        self._acts = acts or {}
        self._remembering = remembering
        self._acting = acting
        self._writing = writing
        self._companions = {
            number: [[self._choices(choices) for choices in group] for group in groups]
            for number, groups in companions.items()
        }
        self._maker_texts = {
            number: text.encode() for number, text in enumerate(texts) if text in makers
        }
        self._other_makers = [text.encode() for text in sorted(set(makers) - set(texts))]

    def _choices(self, choices: tuple[str, ...]) -> _Choices:
        listed = tuple(self._numbers[choice] for choice in choices if choice in self._numbers)
        others = tuple(choice.encode() for choice in choices if choice not in self._numbers)
        return _Choices(frozenset(listed), others)

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self._texts)}

    @functools.cached_property
    def _imports(self) -> dict[bytes, int]:
        """The texts that are imports, by the package."""
        return imports_among(self._texts)

    @functools.cached_property
    def _bytes_scan(self) -> ahocorasick_rs.BytesAhoCorasick:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # a DFA is built ten times slower than the default, in 7 ms, and scans three times as fast
        texts = [text.encode() for text in self._texts]
        return BytesAhoCorasick(texts, implementation=Implementation.DFA)

    def look(self, data: bytes) -> FileFacts:
        """What the bytes of a file tell."""
        found = self._bytes_scan.find_matches_as_indexes(data, overlapping=True)
        decorators = (
            {name.rpartition(b".")[2].decode() for name in _DECORATOR.findall(data)}
            if b"@" in data
            else ()
        )
        classes = _CLASS.findall(data) if b"\nclass " in data else ()
        defines = b" ".join(set(_FUNCTION.findall(data)))
        if not found and not decorators and not classes:
            return FileFacts(defines=defines) if defines else EMPTY
        present = {match[0] for match in found}
        present.update(self._imports[name] for name in later_imports(data) & self._imports.keys())
        aliases = aliases_in(data) if present and b" as " in data else ()
        present.update(
            self._numbers[text]
            for name, _ in aliases
            for text in texts_of(name)
            if text in self._numbers
        )
        known: dict[_Choices, bool] = {}
        numbers = {
            number
            for number in present
            if number not in self._companions or self._is_accompanied(number, present, data, known)
        }
        looks = not self._remembering.isdisjoint(numbers)
        if looks and not self._acting.isdisjoint(numbers) and not remembers(data):
            numbers -= self._remembering
        return FileFacts(
            tuple(numbers),
            tuple(decorators),
            tuple((name.decode(), _names(bases)) for name, bases in classes),
            self._makers(data, present) if self._maker_texts.keys() & numbers else (),
            defines,
            () if self._writing.isdisjoint(numbers) else self._writers(data, found),
            aliases if numbers else (),
            self._actors(data, numbers & self._acting),
        )

    def _actors(self, data: bytes, libraries: set[int]) -> tuple[str, ...]:
        """The functions that call what changes something outside through one of these libraries."""
        if not libraries:
            return ()
        calls = calls_by_function(data)
        called = {name for names in calls.values() for name in names}
        acting = {name for name in called & self._acts.keys() if self._acts[name] & libraries}
        return tuple(name.decode() for name in leading_to(acting, calls))

    def _writers(
        self, data: bytes, found: list[tuple[int, int, int]]
    ) -> tuple[tuple[str, int], ...]:
        """The functions in which a text stands that writes."""
        definitions = [(match.start(), match[1]) for match in _FUNCTION.finditer(data)]
        starts = [start for start, _ in definitions]
        known = set()
        for number, start, _ in found:
            if number in self._writing:
                place = bisect.bisect_right(starts, start)
                if not place or (place, number) in known:
                    continue
                if not _is_in_docstring(data, starts[place - 1], start):
                    known.add((place, number))
        return tuple({(definitions[place - 1][1].decode(), number) for place, number in known})

    def _is_accompanied(
        self, number: int, present: set[int], data: bytes, known: dict[_Choices, bool]
    ) -> bool:
        def stands(choices: _Choices) -> bool:
            answer = known.get(choices)
            if answer is None:
                answer = known[choices] = not choices.listed.isdisjoint(present) or any(
                    choice in data for choice in choices.others
                )
            return answer

        return any(all(map(stands, group)) for group in self._companions[number])

    def _makers(self, data: bytes, present: set[int]) -> tuple[str, ...]:
        """The functions in which a text stands that makes tools, so that they can pass it on."""
        names = []
        texts = [text for number, text in self._maker_texts.items() if number in present]
        texts += [text for text in self._other_makers if text in data]
        for part in _SPLIT.split(data):
            defined = _DEFINITION.match(part)
            if defined is not None:
                body = part[defined.end() :]
                if any(text in body for text in texts):
                    names.append(defined[1].decode())
        return tuple(names)


def aliases_in(data: bytes) -> tuple[tuple[str, str], ...]:
    """The names that a file gives to what it imports: `(tool, crew_tool)` of `import tool as crew_tool`."""
    found = set()
    for listed in _IMPORTED.findall(data):
        found.update(_ALIAS.findall(listed))
    return tuple((name.decode(), alias.decode()) for name, alias in found if name != alias)


def texts_of(name: str) -> tuple[str, ...]:
    """The texts that can stand for a name: it is called, decorates, or is handed over."""
    return (f"{name}(", f" {name}(", f"({name}(", f"@{name}", name)


def _is_in_docstring(data: bytes, definition: int, at: int) -> bool:
    """Whether a place is in the docstring of the function whose definition starts before it."""
    opening = _DOCSTRING.search(data, definition, at)
    return opening is not None and not definition < data.find(opening[1], opening.end()) < at


def remembers(data: bytes) -> bool:
    """Whether a file looks into a container and puts something into one of that name."""
    asked = set(_ASKED.findall(data))
    at = data.find(b".get(")
    while at >= 0:
        asked.add(_word_before(data, at))
        at = data.find(b".get(", at + 1)
    for found in _PUT.finditer(data):
        at = found.start()
        if data[at : at + 1] == b"]":
            at = _opening(data, at)
        if at > 0 and _word_before(data, at) in asked:
            return True
    return False


def _opening(data: bytes, closing: int) -> int:
    """Where the bracket opens that closes here, -1 when it is too far away: a key can have its own."""
    at = closing
    earliest = max(0, closing - _MAX_KEY)
    while (at := data.rfind(b"[", earliest, at)) >= 0:
        if data.count(b"[", at, closing) == data.count(b"]", at, closing) + 1:
            return at
    return -1


def _word_before(data: bytes, at: int) -> bytes:
    found = _LAST_WORD.search(data, max(0, at - 40), at)
    return found[0] if found is not None else b" "


def imports_among(texts: Sequence[str]) -> dict[bytes, int]:
    """The numbers of the texts `import …`, by the package that they import."""
    return {
        text.removeprefix("import ").encode(): number
        for number, text in enumerate(texts)
        if text.startswith("import ")
    }


class Scan:
    """Finds where texts stand."""

    def __init__(self, texts: Sequence[str]) -> None:
        from ahocorasick_rs import AhoCorasick

        self._scan = AhoCorasick(texts)

    def places(self, text: str) -> list[tuple[int, int]]:
        """The offsets, in code points and in order, with the number of the text there."""
        found = self._scan.find_matches_as_indexes(text, overlapping=True)
        return sorted((start, number) for number, start, _ in found)


class Called(NamedTuple):
    """Whether a file can call what writes to a store, and what changes anything outside."""

    writes: bool
    acts: bool


class CallerGate:
    """Looks for files that can call functions of other files.

    Both are names of functions, with those under which their files are imported: `writers` of those
    that write to a store, `actors` of those that change anything outside.
    """

    def __init__(
        self, writers: Mapping[str, Collection[str]], actors: Mapping[str, Collection[str]]
    ) -> None:
        from ahocorasick_rs import BytesAhoCorasick

        names = sorted(writers.keys() | actors.keys())
        self._numbers = {name.encode(): number for number, name in enumerate(names)}
        self._stems = [
            tuple({stem.encode() for stem in listed.get(name, ())} for listed in (writers, actors))
            for name in names
        ]
        self._scan = BytesAhoCorasick([f"{name}(".encode() for name in names])

    def calls(self, data: bytes) -> Called:
        """Whether a file imports one of the other files and names a function of it."""
        found = {match[0] for match in self._scan.find_matches_as_indexes(data, overlapping=True)}
        if b" as " in data:
            renamed = (self._numbers.get(name.encode()) for name, _ in aliases_in(data))
            found.update(number for number in renamed if number is not None)
        words = imported_words(data) if found else set()
        writes, acts = (
            any(not words.isdisjoint(self._stems[number][kind]) for number in found)
            for kind in (0, 1)
        )
        return Called(writes, acts)


def _names(bases: bytes) -> tuple[str, ...]:
    text = bases.decode("utf-8", "replace")
    return tuple(
        word.rpartition(".")[2]
        for word in _WORD.findall(text.partition("=")[0] if "metaclass" in text else text)
    )

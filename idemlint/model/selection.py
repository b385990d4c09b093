"""Which files of a project, and which places in them, a rule can be about."""

from __future__ import annotations

import bisect
import enum
import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from idemlint.knowledge.signals import ANY_LIBRARY, Signal
from idemlint.source.calls import (
    calls_by_function,
    imported_words,
    later_imports,
    leading_to,
)
from idemlint.source.gate import Scan, imports_among, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from idemlint.knowledge.signals import Meaning, Signals
    from idemlint.model.program import Function, Module
    from idemlint.source.gate import FileFacts
    from idemlint.source.index import Chunk

__all__ = ["Family", "Places", "ProjectNames", "Selection"]

_DECORATOR = re.compile(r"@[ \t]*([A-Za-z_][\w.]*)")
_CLASS = re.compile(r"class[ \t]+\w+\(([^:]*)\)[ \t]*:")
_PLAIN = {
    "main",
    "run",
    "wrapper",
    "setUp",
    "setup",
}
"""Names of functions that say nothing about what they do."""
_NAMED_PARTS = 3
"""How much of a path names a module: the file and two packages."""
_WORD = re.compile(r"\w+")


class Family(enum.IntFlag):
    """A family of questions that a place can be worth asking."""

    NONE = 0
    ENTRY = enum.auto()
    PAUSE = enum.auto()
    KEY = enum.auto()
    WRITE = enum.auto()
    FILE = enum.auto()
    SCHEMA = enum.auto()
    RETRY = enum.auto()
    MEMORY = enum.auto()
    CONFLICT = enum.auto()
    KEYED_RETRY = enum.auto()


_CODE = Family.ENTRY | Family.PAUSE
_OF_OTHERS = frozenset({Signal.WRITE, Signal.MEMORY, Signal.RETRY, Signal.KEYED_RETRY})
"""Signals of what acts through a library: a library is no store or provider to itself."""
_FAMILIES = {
    Signal.CALL: Family.ENTRY,
    Signal.HANDLER: Family.ENTRY,
    Signal.SCHEMA: Family.SCHEMA,
    Signal.PAUSE: Family.PAUSE,
    Signal.KEY: Family.KEY,
    Signal.WRITE: Family.WRITE,
    Signal.PRESENCE: Family.FILE,
    Signal.RETRY: Family.RETRY,
    Signal.REQUEST: Family.RETRY,
    Signal.MEMORY: Family.MEMORY,
    Signal.CONFLICT: Family.CONFLICT,
    Signal.KEYED_RETRY: Family.KEYED_RETRY,
}


@dataclass(frozen=True, slots=True)
class ProjectNames:
    """Names that mean something in one project.

    `decorators` and `bases` make entries, by the rows and by the project itself; `libraries` are
    those of the rows that it imports, `functions` the names of all functions that it defines,
    `writers` those of functions that can write to a store, each with the names that their files are
    imported by, `actors` those of functions that can change anything outside; `pauses` says if
    anything can pause, `resends` if a client can be told to send requests again.
    """

    decorators: frozenset[str]
    bases: frozenset[str]
    libraries: frozenset[str]
    functions: frozenset[str]
    writers: Mapping[str, frozenset[str]]
    pauses: bool
    resends: bool = False
    actors: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def none(cls) -> ProjectNames:
        """Those of a project that has nothing."""
        empty: frozenset[str] = frozenset()
        return cls(empty, empty, empty, empty, {}, pauses=False)

    def is_same_for(self, other: ProjectNames, missing: frozenset[str]) -> bool:
        """Whether answers are the same with other names; `missing` were asked for, and not there."""
        return (
            self.decorators == other.decorators
            and self.bases == other.bases
            and self.libraries == other.libraries
            and self.writers == other.writers
            and self.actors == other.actors
            and self.pauses == other.pauses
            and self.resends == other.resends
            and missing.isdisjoint(other.functions)
        )


class Selection:
    """The files of one project that are worth a look, by the facts of all its files.

    `package` is the name of the project's own package, if that is known: a library is no store or
    provider to itself.
    """

    def __init__(self, signals: Signals, facts: Mapping[str, FileFacts], package: str = "") -> None:
        self.signals = signals
        self.facts = facts
        self._package = package
        self.libraries = frozenset(
            name for found in facts.values() for name in _libraries(signals, found.texts)
        )
        self.decorators = self._decorators()
        self.bases = self._bases()
        self.resends = any(
            meaning.signal is Signal.RESENDER
            for found in facts.values()
            for number in found.texts
            for meaning in signals.meanings[number]
        )

    def names(self) -> ProjectNames:
        """The names of the project."""
        defined = b" ".join(found.defines for found in self.facts.values()).decode().split()
        pauses = any(self.families(path) & Family.PAUSE for path in self.facts)
        return ProjectNames(
            self.decorators,
            self.bases,
            self.libraries,
            frozenset(defined),
            self.writers(),
            bool(pauses),
            self.resends,
            self.actors(),
        )

    def writers(self) -> dict[str, frozenset[str]]:
        """The functions that can write to a store, with the names that their files are imported by."""

        def names(facts: FileFacts) -> Iterator[str]:
            mine = self._imported(facts) - {self._package} if facts.writers else frozenset()
            return (name for name, number in facts.writers if self._writes(number, mine))

        return self._by_name(names)

    def actors(self) -> dict[str, frozenset[str]]:
        """The functions that can change something outside, in the same form."""
        acting = {library for n in self.signals.acting for library in _libraries(self.signals, [n])}
        acting.discard(self._package)

        def names(facts: FileFacts) -> Iterable[str]:
            return facts.actors if not acting.isdisjoint(self._imported(facts)) else ()

        return self._by_name(names)

    def _by_name(self, names: Callable[[FileFacts], Iterable[str]]) -> dict[str, frozenset[str]]:
        stems: dict[str, set[str]] = {}
        for path, facts in self.facts.items():
            place = PurePath(path)
            stem = place.parent.name if place.stem == "__init__" else place.stem
            for name in names(facts):
                if _is_telling(name):
                    stems.setdefault(name, set()).add(stem)
        return {name: frozenset(found) for name, found in stems.items()}

    def wanted(self, units: Mapping[str, Family]) -> dict[str, Family]:
        """What files are worth asking beside what `units` says, where they call one of `actors`."""
        of_actions = self.signals.of_actions
        found: dict[str, Family] = {}
        for path, facts in self.facts.items():
            families = Family.NONE
            for number in of_actions.keys() & facts.texts:
                for signal in of_actions[number]:
                    families |= _FAMILIES[signal]
            families &= ~units.get(path, Family.NONE)
            if families is not Family.NONE:
                found[path] = families
        return found

    def _imported(self, facts: FileFacts) -> frozenset[str]:
        return _libraries(self.signals, facts.texts)

    def _writes(self, number: int, mine: frozenset[str]) -> bool:
        text = self.signals.texts[number]
        return any(
            meaning.signal is Signal.WRITE and self._holds(meaning, text, mine)
            for meaning in self.signals.meanings[number]
        )

    def _is_known(self, libraries: Iterable[str]) -> bool:
        return ANY_LIBRARY in libraries or not self.libraries.isdisjoint(libraries)

    def _decorators(self) -> frozenset[str]:
        known = {
            name for name, libraries in self.signals.decorators.items() if self._is_known(libraries)
        }
        used = {name for found in self.facts.values() for name in found.decorators}
        made = {name for found in self.facts.values() for name in found.makers}
        return frozenset(known | (made & used))

    def _bases(self) -> frozenset[str]:
        """The base classes that make entries, and all that derive from them."""
        names = {
            name for name, libraries in self.signals.bases.items() if self._is_known(libraries)
        }
        listed = [pair for found in self.facts.values() for pair in found.classes]
        while listed:
            derived = [pair for pair in listed if not names.isdisjoint(pair[1])]
            if not derived:
                break
            names.update(name for name, _ in derived)
            listed = [pair for pair in listed if pair[0] not in names]
        return frozenset(names)

    def _makes_entries(self, name: str) -> bool:
        return name in self.decorators or name in self.bases or name in self.signals.calls

    def families(self, path: str) -> Family:
        """What a file is worth asking."""
        facts = self.facts[path]
        if not facts.texts and not facts.decorators and not facts.classes:
            return Family.NONE
        found = Family.NONE
        if not self.decorators.isdisjoint(facts.decorators):
            found |= Family.ENTRY
        if any(self._makes_entries(name) for name, _ in facts.aliases):
            found |= Family.ENTRY
        if any(not self.bases.isdisjoint(bases) for _, bases in facts.classes):
            found |= Family.ENTRY
        if not facts.texts:
            return found
        if self._keeps_keys(path, facts):
            found |= Family.MEMORY
        mine = self._imported(facts)
        others = mine - ({self._package} - self.signals.own_packages)
        for number in facts.texts:
            text = self.signals.texts[number]
            for meaning in self.signals.meanings[number]:
                family = _FAMILIES.get(meaning.signal)
                if meaning.signal is Signal.REQUEST and not self.resends:
                    continue
                if family is not None and self._holds(
                    meaning, text, others if meaning.signal in _OF_OTHERS else mine
                ):
                    found |= family
        return found

    def _keeps_keys(self, path: str, facts: FileFacts) -> bool:
        """Whether a file is named as a store of keys, and looks into a container."""
        parts = PurePath(path).parts[-_NAMED_PARTS:]
        return self.signals.is_dedup_store("/".join(parts)) and not (
            self.signals.remembering.isdisjoint(facts.texts)
        )

    def _holds(self, meaning: Meaning, text: str, mine: frozenset[str]) -> bool:
        """A call of a plain name needs its library in the file; a telling one in the project."""
        libraries = meaning.libraries
        if not libraries or ANY_LIBRARY in libraries or not mine.isdisjoint(libraries):
            return True
        is_telling = _says_whose(text) and meaning.signal in (Signal.CALL, Signal.WRITE)
        return is_telling and self._is_known(libraries)


def _says_whose(text: str) -> bool:
    """Whether a call is of more than a plain method: `insert_one(`, `.objects.create(`."""
    return "_" in text or text.count(".") > 1


def _is_telling(name: str) -> bool:
    """Whether a function has a name of its own."""
    return len(name) > 2 and name not in _PLAIN and not name.startswith("__")


def _libraries(signals: Signals, numbers: Iterable[int]) -> frozenset[str]:
    return frozenset(
        name
        for number in numbers
        for meaning in signals.meanings[number]
        if meaning.signal is Signal.LIBRARY
        for name in meaning.libraries
    )


_Meant = tuple[tuple[Family, tuple[tuple[str, ...], ...]], ...]


class _Found(NamedTuple):
    """The texts of a module: their offsets, their numbers, what each means there, all that it has."""

    offsets: list[int]
    numbers: list[int]
    meant: dict[int, _Meant]
    present: frozenset[int]


class Places:
    """Where in the modules of a program the signals stand."""

    def __init__(self, signals: Signals, names: ProjectNames) -> None:
        self._signals = signals
        self._names = names
        self._writers = sorted(names.writers)
        texts = [*signals.texts, *(f"{name}(" for name in self._writers)]
        self._scan = Scan(texts)
        self._numbers = {text: number for number, text in reversed(list(enumerate(texts)))}
        self._import_texts = imports_among(signals.texts)
        self._found: dict[Module, _Found] = {}
        self._renamed: dict[Module, tuple[str, ...]] = {}
        self._imports: dict[Module, frozenset[str]] = {}
        self._acting_calls: dict[Module, tuple[str, ...]] = {}
        self._choices: dict[
            tuple[Module, tuple[str, ...]], tuple[tuple[str, ...], tuple[str, ...]]
        ] = {}
        self._functions: dict[Function, Family] = {}
        self._chunks: dict[Chunk, Family] = {}
        self._worthwhile: dict[Module, tuple[list[Chunk], list[tuple[Chunk, Family]]]] = {}

    def _of(self, module: Module) -> _Found:
        known = self._found.get(module)
        if known is None:
            places = self._scan.places(module.source.text)
            if module.aliases:
                places = sorted({*places, *self._renamed_places(module)})
            numbers = {number for _, number in places}
            later = later_imports(module.source.text.encode())
            numbers.update(self._import_texts[name] for name in later & self._import_texts.keys())
            mine = _libraries(self._signals, (n for n in numbers if n < len(self._signals.texts)))
            others = mine - ({module.name.partition(".")[0]} - self._signals.own_packages)
            meant = {number: self._meant(number, module, mine, others) for number in numbers}
            kept = [
                (offset, number)
                for offset, number in places
                if meant[number] and self._is_meant(module, offset, meant[number])
            ]
            known = _Found([o for o, _ in kept], [n for _, n in kept], meant, frozenset(numbers))
            self._found[module] = known
        return known

    def _renamed_places(self, module: Module) -> Iterator[tuple[int, int]]:
        """Where what is imported under another name stands, with the numbers of its own texts."""
        for alias, name in module.aliases.items():
            for text in texts_of(name):
                number = self._numbers.get(text)
                if number is not None:
                    before, _, after = map(re.escape, text.partition(name))
                    pattern = rf"{before}\b{alias}\b{after}"
                    for found in re.finditer(pattern, module.source.text):
                        yield found.start(), number

    def _is_meant(self, module: Module, offset: int, meant: _Meant) -> bool:
        """Whether a text stands there as a word of its own, and not in a docstring or comment.

        SQL and keys count in strings, too.
        """
        text = module.source.text
        if not (text[offset].isalpha() or text[offset] == "_"):
            return True
        if module.index.is_docstring(offset):
            return False
        before = text[offset - 1] if offset else " "
        if before.isalnum() or before == "_":
            return not any(family & _CODE for family, _ in meant)
        if not any(family & _CODE for family, _ in meant):
            return True
        if text.endswith("def ", 0, offset) or text.endswith("class ", 0, offset):
            return False
        return module.index.is_code(offset)

    def _meant(
        self, number: int, module: Module, mine: frozenset[str], others: frozenset[str]
    ) -> _Meant:
        """What a text means in a module that imports these libraries."""
        signals = self._signals
        known = len(signals.texts)
        if number >= known:
            stems = self._names.writers[self._writers[number - known]]
            is_called = module.name.rpartition(".")[2] in stems or not stems.isdisjoint(
                self.imported(module)
            )
            return ((Family.WRITE, ()),) if is_called else ()
        found = []
        for meaning in signals.meanings[number]:
            family = _FAMILIES.get(meaning.signal)
            if not family or (meaning.signal is Signal.REQUEST and not self._names.resends):
                continue
            known_here = others if meaning.signal in _OF_OTHERS else mine
            if self._holds(meaning, signals.texts[number], known_here):
                found.append((family, meaning.companions))
            elif meaning.is_of_actions and (calls := self._calls_of_actors(module)):
                found.append((family, (*meaning.companions, calls)))
        return tuple(found)

    def _calls_of_actors(self, module: Module) -> tuple[str, ...]:
        """The calls in a module of what changes something outside, as far as it imports that."""
        known = self._acting_calls.get(module)
        if known is None:
            calls = calls_by_function(module.source.text.encode())
            words, actors = self.imported(module), self._names.actors
            acting = {
                name
                for names in calls.values()
                for name in names
                if not words.isdisjoint(actors.get(module.own_name(name.decode()), ()))
            }
            known = self._acting_calls[module] = tuple(
                sorted(f"{name.decode()}(" for name in acting | leading_to(acting, calls))
            )
        return known

    def _holds(self, meaning: Meaning, text: str, mine: frozenset[str]) -> bool:
        """What a file writes through has to be imported there; for entries the project is enough."""
        libraries = meaning.libraries
        if not libraries or ANY_LIBRARY in libraries or not mine.isdisjoint(libraries):
            return True
        is_telling = meaning.signal is Signal.CALL or (
            _says_whose(text) and meaning.signal is Signal.WRITE
        )
        return is_telling and not self._names.libraries.isdisjoint(libraries)

    def _between(self, module: Module, start: int, end: int) -> Family:
        offsets, numbers, meant, _ = self._of(module)
        first = bisect.bisect_left(offsets, start)
        last = bisect.bisect_left(offsets, end, first)
        found = Family.NONE
        for number in set(numbers[first:last]):
            for family, companions in meant[number]:
                if not found & family and self._accompanied(companions, module, start, end):
                    found |= family
        return found

    def _accompanied(
        self, companions: tuple[tuple[str, ...], ...], module: Module, start: int, end: int
    ) -> bool:
        """Whether what belongs to a text stands beside it; a class can be imported by another name."""
        text = module.source.text
        for choices in companions:
            classes, words = self._present(choices, module)
            if not classes and not any(text.find(word, start, end) >= 0 for word in words):
                return False
        return True

    def _present(
        self, choices: tuple[str, ...], module: Module
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Those of some choices that stand anywhere in a module: names of classes, and the others."""
        key = (module, choices)
        known = self._choices.get(key)
        if known is None:
            present = self._of(module).present
            found = [
                choice
                for choice in choices
                if (
                    choice in module.source.text
                    if (number := self._numbers.get(choice)) is None
                    else number in present
                )
            ]
            known = self._choices[key] = (
                tuple(choice for choice in found if choice[0].isupper()),
                tuple(choice for choice in found if not choice[0].isupper()),
            )
        return known

    def of_chunk(self, module: Module, chunk: Chunk) -> Family:
        """What a chunk is worth asking."""
        found = self._chunks.get(chunk)
        if found is None:
            found = self._between(module, chunk.start, chunk.end)
            if not found & Family.ENTRY and self._declares(module, chunk):
                found |= Family.ENTRY
            self._chunks[chunk] = found
        return found

    def imported(self, module: Module) -> frozenset[str]:
        """The words of the import statements of a module."""
        known = self._imports.get(module)
        if known is None:
            words = imported_words(module.source.text.encode())
            known = self._imports[module] = frozenset(word.decode() for word in words)
        return known

    def _declares(self, module: Module, chunk: Chunk) -> bool:
        """Whether a decorator or a base class in a chunk makes an entry."""
        text = module.source.text
        aliases = module.aliases
        if text.find("@", chunk.start, chunk.end) >= 0:
            for found in _DECORATOR.finditer(text, chunk.start, chunk.end):
                last = found[1].rpartition(".")[2]
                if aliases.get(last, last) in self._names.decorators:
                    if module.index.is_code(found.start()):
                        return True
        if text.find("class ", chunk.start, chunk.end) >= 0:
            for bases in _CLASS.findall(text, chunk.start, chunk.end):
                if not self._names.bases.isdisjoint(
                    aliases.get(name, name) for name in _WORD.findall(bases)
                ):
                    return True
        return any(
            text.find(call, chunk.start, chunk.end) >= 0 for call in self._renamed_calls(module)
        )

    def _renamed_calls(self, module: Module) -> tuple[str, ...]:
        """How the calls that make entries begin where they were imported under another name."""
        known = self._renamed.get(module)
        if known is None:
            aliases = module.aliases.items()
            known = tuple(f"{alias}(" for alias, name in aliases if name in self._signals.calls)
            self._renamed[module] = known
        return known

    def of_function(self, function: Function) -> Family:
        """What a function, with all inside of it, is worth asking."""
        known = self._functions.get(function)
        if known is not None:
            return known
        module = function.module
        start, end = function.span
        if function.decorators:
            first = min(decorator.lineno for decorator in function.decorators)
            start = min(start, module.source.row_starts[first - 1])
        found = self._functions[function] = self._between(module, start, end)
        return found

    def chunks(self, module: Module, family: Family) -> list[Chunk]:
        """The chunks of a module that are worth asking any of these."""
        return [chunk for chunk, found in self._of_chunks(module) if found & family]

    def _of_chunks(self, module: Module) -> list[tuple[Chunk, Family]]:
        """The chunks of a module that are worth asking anything."""
        chunks = module.index.chunks
        known = self._worthwhile.get(module)
        # a module is cut anew when a part of it turns out not to parse
        if known is None or known[0] != chunks:
            listed = list(chunks)
            found = [(chunk, self.of_chunk(module, chunk)) for chunk in listed]
            worthwhile = [(chunk, families) for chunk, families in found if families]
            known = self._worthwhile[module] = listed, worthwhile
        return known[1]

"""The model: everything that rules ask, over one program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from idemlint.model.coarse_faults import CoarseFaults
from idemlint.model.conflict_faults import ConflictFaults
from idemlint.model.contract_faults import ContractFaults
from idemlint.model.dedup_faults import DedupFaults
from idemlint.model.deeds import Deed, DeedKind, Deeds
from idemlint.model.entries import Entries
from idemlint.model.functions import functions_of
from idemlint.model.guards import Guards
from idemlint.model.key_faults import KeyFaults
from idemlint.model.key_paths import KeyPaths
from idemlint.model.keys import Keys
from idemlint.model.names import Names
from idemlint.model.native_faults import NativeFaults
from idemlint.model.pause_faults import PauseFaults
from idemlint.model.producer_faults import ProducerFaults
from idemlint.model.quiet_code import QuietCode
from idemlint.model.race_faults import RaceFaults
from idemlint.model.replay_faults import ReplayFaults
from idemlint.model.retries import Retries
from idemlint.model.retry_faults import RetryFaults
from idemlint.model.runs import Runs
from idemlint.model.sql import unique_columns
from idemlint.model.swallow_faults import SwallowFaults
from idemlint.model.symbols import ClassSymbol, Instance, Place
from idemlint.model.tool_faults import ToolFaults
from idemlint.model.values import Values
from idemlint.source.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from idemlint.knowledge.facts import Knowledge
    from idemlint.model.evidence import Evidence
    from idemlint.model.program import Class, Function, Module, Program
    from idemlint.model.runs import Hop
    from idemlint.model.selection import Family, Places, ProjectNames

    class _Faults(Protocol):
        def of(self, module: Module) -> Iterator[Evidence]: ...


__all__ = ["Model"]

_MAX_SCHEMA_FILES = 60


class Model:
    """One program with one set of rows. Answers are kept as long as the model lives."""

    def __init__(
        self, program: Program, knowledge: Knowledge, names: ProjectNames, places: Places
    ) -> None:
        self.program = program
        self.resends = names.resends
        self.knowledge = knowledge
        self.places = places
        self.writers = frozenset(names.writers) | knowledge.writing_names(
            names.libraries, files=False
        )
        self.file_writers = knowledge.writing_names(names.libraries, files=True)
        self.names = Names(program, knowledge)
        self.values = Values(self.names, knowledge)
        self.deeds = Deeds(self.names, self.values, knowledge)
        self.runs = Runs(self.names, self.deeds, knowledge, names)
        self.keys = Keys(self.names, self.values, self.deeds, knowledge)
        self.guards = Guards(self.names, self.values, self.runs, self.keys, knowledge)
        self.retries = Retries(self.names, self.guards, knowledge)
        self.entries = Entries(self.names, self.values, knowledge, places)
        self.tool_names = self.deeds.reader
        self.key_paths = KeyPaths(self)
        self.quiet = QuietCode(knowledge, self.tool_names)
        self.dedup = DedupFaults(self)
        self.tools = tools = ToolFaults(self)
        self.native = NativeFaults(self, tools)
        self.retried = RetryFaults(self)
        self._faults: list[_Faults] = [
            KeyFaults(self),
            RaceFaults(self),
            tools,
            ContractFaults(self, tools),
            self.native,
            CoarseFaults(self),
            self.retried,
            self.dedup,
            ReplayFaults(self),
            ProducerFaults(self),
            ConflictFaults(self),
        ]
        if names.pauses:
            self._faults += [PauseFaults(self), SwallowFaults(self)]
        self._written: dict[Module, dict[str, set[ast.AST]]] = {}
        self._schemas: dict[tuple[object, str], list[frozenset[str]]] = {}

    def close(self) -> None:
        """Let go of all answers and parts; they hold each other, and what they were told of."""
        self.names.close()
        parts = (
            self.places, self.names, self.values, self.deeds, self.runs, self.keys, self.guards,
            self.retries, self.entries, self.tool_names, self.key_paths, self.quiet, *self._faults,
        )  # fmt: skip
        vars(self).clear()
        for part in parts:
            vars(part).clear()

    def evidence(self, module: Module) -> Iterator[Evidence]:
        """What is wrong in the bodies that this module declares, wherever it starts."""
        for faults in self._faults:
            yield from faults.of(module)

    def functions(self, module: Module, family: Family) -> Iterator[Function]:
        """The functions of a module that are worth asking something."""
        return functions_of(
            module,
            self.places.chunks(module, family),
            lambda function: self.places.of_function(function) & family,
        )

    # facts about the project

    def is_written_elsewhere(self, field: str, function: Function) -> bool:
        """Whether another function of the module hands a state field on."""
        written = self._written.get(function.module)
        if written is None:
            written = self._written[function.module] = {}
            for other in function.module.functions():
                for name in self._handed_on(other):
                    written.setdefault(name, set()).add(other.node)
        return bool(written.get(field, set()) - {function.node})

    def _handed_on(self, function: Function) -> Iterator[str]:
        """The fields that a node returns, or hands on with a command."""
        for point in self.names.flow(function).returns:
            if point.value is None:
                continue
            for node in walk(point.value):
                if isinstance(node, ast.Dict):
                    for key in node.keys:
                        if isinstance(key, ast.Constant) and isinstance(key.value, str):
                            yield key.value
            place = Place(point.value, self.names.frame(function), point.statement)
            for entry in self.values.mapping(place).entries:
                yield entry.key

    def has_unique(self, insert: Deed, check: Deed | None) -> bool:
        """Whether a unique constraint that the project shows refuses the second record.

        It has to cover columns that are given by the caller: of those that the check asks for, or
        of the insert itself.
        """
        if insert.sql is not None and insert.sql.columns:
            asked = set(check.sql.asked) if check is not None and check.sql is not None else None
            given = set(insert.sql.columns) if asked is None else asked & set(insert.sql.columns)
            if asked is None:
                given -= self._generated_columns(insert)
            for unique in self._unique_of(insert.place.frame.module, insert.sql.table):
                if unique and unique <= given:
                    return True
            return False
        if insert.store is None:
            return False
        if insert.store.kind == "document" and not insert.store.overwrites:
            return any(use.is_sound and use.origins for use in self.keys.identities(insert))
        if insert.store.kind == "orm" and check is not None:
            return self._model_is_unique(insert, check)
        return False

    def _generated_columns(self, insert: Deed) -> set[str]:
        """Columns that are new at each run."""
        found = set()
        for column, place in self.keys.columns(insert):
            if any(
                o.kind.value in ("fresh", "clock", "unknown") for o in self.values.origins(place)
            ):
                found.add(column)
        return found

    def _unique_of(self, module: Module, table: str) -> list[frozenset[str]]:
        if not table or "{" in table:
            return []
        key = (module.path.parent, table)
        known = self._schemas.get(key)
        if known is None:
            known = []
            for text in self._schema_texts(module):
                if table in text.lower():
                    known.extend(unique_columns(text, table))
            self._schemas[key] = known
        return known

    def _schema_texts(self, module: Module) -> Iterator[str]:
        yield module.source.text
        folder = module.path.parent
        inner = (place for place in sorted(folder.glob("[!._]*")) if place.is_dir())
        for place in (folder, *inner):
            # a schema that is added later changes the time of its directory
            self.program.add_edge(module, place)
        count = 0
        for pattern in ("*.sql", "*.py", "*/*.sql", "*/*.py"):
            for path in sorted(folder.glob(pattern)):
                if path == module.path or count > _MAX_SCHEMA_FILES:
                    continue
                count += 1
                self.program.add_edge(module, path)
                other = self.program.module(path) if path.suffix == ".py" else None
                if other is not None:
                    if "create table" in other.source.text.lower():
                        yield other.source.text
                elif path.suffix == ".sql":
                    try:
                        yield path.read_text(encoding="utf-8", errors="replace")
                    except OSError:
                        continue

    def neighbours(self, module: Module, word: str) -> Iterator[Module]:
        """A module, and those in its folder and one below, whose text holds a word."""
        yield module
        count = 0
        for pattern in ("*.py", "*/*.py"):
            for path in sorted(module.path.parent.glob(pattern)):
                if count > _MAX_SCHEMA_FILES:
                    return
                count += 1
                self.program.add_edge(module, path)
                other = self.program.module(path)
                if other is not None and other is not module and word in other.source.text:
                    yield other

    def _model_is_unique(self, insert: Deed, check: Deed) -> bool:
        cls = self._record_class(insert)
        if cls is None:
            return False
        asked = {
            keyword.arg
            for node in walk(check.call)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
            if keyword.arg
        }
        for expression in self.query_parts(check):
            nodes = walk(expression)
            # `select(Model.id)` says what is given, not what is asked for
            picked = {a for node in nodes if isinstance(node, ast.Call) for a in node.args}
            asked |= {
                node.attr
                for node in nodes
                if isinstance(node, ast.Attribute) and node not in picked
            }
        store = insert.store
        by_key = (
            store is not None
            and check.path in store.check_by_key
            and insert.path not in store.merge
        )
        body = [
            statement
            for base in self.names.bases(cls)
            if isinstance(base, ClassSymbol)
            for statement in base.cls.node.body
        ]
        if not asked & _columns(body):
            # all records were read: the columns that the new one is given tell them apart
            asked = self._given_columns(insert)
        for statement in body:
            names: set[str] = set()
            if isinstance(statement, ast.Assign):
                names = {t.id for t in statement.targets if isinstance(t, ast.Name)}
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                names = {statement.target.id}
            text = ast.unparse(statement)
            if by_key and "primary_key=True" in text:
                return True
            if names & asked and any(sign in text for sign in self.knowledge.unique_columns):
                return True
            if any(sign in text for sign in self.knowledge.unique_classes):
                if any(f"'{name}'" in text for name in asked if name):
                    return True
        return False

    def _given_columns(self, insert: Deed) -> set[str]:
        """The columns that the constructor of an inserted record is given."""
        found: set[str] = set()
        for value in insert.call.args:
            place = Place(value, insert.place.frame, insert.place.statement)
            for symbol in self.names.resolve(place):
                if not isinstance(symbol, Instance) or symbol.made is None:
                    continue
                call = symbol.made.node
                if isinstance(call, ast.Call):
                    found |= {keyword.arg for keyword in call.keywords if keyword.arg}
                    maker = self.names.method(symbol.cls, "__init__")
                    if maker is not None:
                        found |= set(maker.positional[1 : len(call.args) + 1])
        return found

    def query_parts(self, check: Deed) -> Iterator[ast.expr]:
        """A query, and the expressions of the variables that it is built from."""
        yield check.call
        subject = check.subject
        if subject is None:
            return
        yield subject.node
        function = subject.frame.function
        if function is not None and isinstance(subject.node, ast.Name):
            for found in self.names.flow(function).definitions_at(
                subject.statement, subject.node.id
            ):
                if isinstance(found.node, ast.expr):
                    yield found.node

    def _record_class(self, insert: Deed) -> Class | None:
        for value in insert.call.args:
            node = value.func if isinstance(value, ast.Call) else value
            place = Place(node, insert.place.frame, insert.place.statement)
            for symbol in self.names.resolve(place):
                if isinstance(symbol, ClassSymbol):
                    return symbol.cls
                cls = getattr(symbol, "cls", None)
                if cls is not None:
                    return cls  # type: ignore[no-any-return]
        return self.deeds.record_class(insert.place, insert.call)

    def runs_lock(self, call: ast.Call, hop: Hop) -> bool:
        """Whether a call into the program takes a lock that holds across processes."""
        place = Place(call, hop.frame, hop.event.statement)
        deed = self.deeds.of(place)
        for callee in deed.callees:
            frame = self.names.enter(callee, place)
            for occurrence in self.runs.occurrences(frame):
                if occurrence.deed.kind is DeedKind.LOCK:
                    lock = self.knowledge.lock(occurrence.deed.path)
                    if lock is None or lock.across_processes:
                        return True
        return False


def _columns(body: list[ast.stmt]) -> set[str]:
    """The names that the body of a class sets."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Assign):
            found |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found.add(statement.target.id)
    return found

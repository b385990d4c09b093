"""What is known about a path: the questions that the model asks the rows."""

from __future__ import annotations

import builtins
import functools
import re
import sys
from typing import TYPE_CHECKING, Any

from idemlint.knowledge.loader import load_tables
from idemlint.knowledge.paths import PathTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from idemlint.knowledge import rows as row_types
    from idemlint.knowledge.loader import UserRow

__all__ = ["Knowledge", "StoreRole", "snake_case"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CALL_WITH_ARGUMENT = re.compile(r'^(.*)\("[^"]*"\)')
_MAX_ALIASES = 4
_CHANGING = ("insert", "atomic", "upsert", "update", "delete", "counter")


def snake_case(name: str) -> str:
    """A name in lower snake case without leading underscores."""
    return _CAMEL.sub("_", name).replace("-", "_").lower().strip("_")


class ActingNames:
    """The last names of calls that can act in a project."""

    __slots__ = ("names", "starts")

    def __init__(self, names: frozenset[str], starts: tuple[str, ...]) -> None:
        self.names = names
        self.starts = starts

    def __contains__(self, name: str) -> bool:
        return name in self.names or name.startswith(self.starts)


class StoreRole:
    """A store and what a call does to it: one of the role columns of `Store`."""

    __slots__ = ("form", "role", "store")

    def __init__(self, store: row_types.Store, role: str, form: row_types.Form | None) -> None:
        self.store = store
        self.role = role
        self.form = form


class Knowledge:
    """The rows of one configuration. Made once a run; questions are answered from tables."""

    def __init__(self, user_rows: tuple[UserRow, ...] = ()) -> None:
        self._tables = load_tables(user_rows)
        self._user_rows = user_rows
        self._paths = {name: PathTable(*parts) for name, parts in self._tables.paths.items()}
        self._aliases: dict[str, str] = {}

    def rows(self, table: str) -> list[Any]:
        """All rows of a table, a user's own first."""
        return self._tables.rows[table]

    def _row(self, table: str, path: str) -> Any:
        found = self._paths[table].match(path)
        return self._tables.rows[table][found[0]] if found else None

    def _all(self, table: str, path: str) -> list[Any]:
        listed = self._tables.rows[table]
        return [listed[number] for number in self._paths[table].match(path)]

    # names and types

    @functools.cached_property
    def libraries(self) -> frozenset[str]:
        """The top names of all packages that rows speak of."""
        found: set[str] = set()
        for provider in self.rows("provider"):
            found.update(name.partition(".")[0] for name in provider.imports)
        for table in ("tool", "replay", "pause", "retry", "guard", "type", "value"):
            for row in self.rows(table):
                found.update(path.partition(".")[0] for path in row.path)
        for store in self.rows("store"):
            found.update(path.partition(".")[0] for path in (*store.check, *store.insert))
        return frozenset(name for name in found if name.isidentifier())

    @functools.cached_property
    def own_packages(self) -> frozenset[str]:
        """The top names of what only the project's own rows speak of: it may be part of the project.

        What such a row says of a function counts, whatever the function does.
        """
        found = {top for row in self._user_rows for top in _tops_in(row.columns)}
        return frozenset(found) - _shipped_libraries() if found else frozenset()

    def is_own(self, path: str) -> bool:
        """Whether a path is in a package that only the project's own rows speak of."""
        return path.partition(".")[0] in self.own_packages

    def own_result(self, path: str) -> str | None:
        """The path of what a function of the project gives, where a row of the project says so."""
        row = self._row("gives", path) if self.own_packages and self.is_own(path) else None
        return None if row is None else self.alias(row.target)

    @functools.cached_property
    def _told_by_argument(self) -> frozenset[str]:
        """Paths of calls that rows tell apart by their first argument."""
        lists = self._tables.lists["aws_clients"]
        found: set[str] = {*lists["clients"], *lists["resources"]}
        for row in self.rows("effect"):
            for call in row.call:
                matched = _CALL_WITH_ARGUMENT.match(call)
                if matched:
                    found.add(matched[1])
        return frozenset(found)

    def alias(self, path: str) -> str:
        """The path that rows use for the object of `path`."""
        known = self._aliases.get(path)
        if known is None:
            known = path
            for _ in range(_MAX_ALIASES):
                row = self._row("type", known)
                if row is None:
                    break
                known = row.target
            self._aliases[path] = known
        return known

    def given(self, path: str) -> str:
        """The path of what a call gives."""
        row = self._row("gives", path)
        return self.alias(path if row is None else row.target)

    def is_told_by_argument(self, path: str) -> bool:
        """Whether the first argument of a call belongs to the path of its result."""
        return path in self._told_by_argument

    def type_argument(self, path: str) -> int | None:
        """Which argument of its object's type an attribute is."""
        row = self._row("type_argument", path)
        return None if row is None else row.argument

    def decorated_type(self, path: str) -> str | None:
        """The type that a decorator makes of a function."""
        row = self._row("decorated_type", path)
        return None if row is None else row.target

    def decorated_parameter(self, path: str) -> row_types.DecoratedParameter | None:
        """What a decorator passes to a function."""
        return self._row("decorated_parameter", path)  # type: ignore[no-any-return]

    @functools.cached_property
    def graph_runs(self) -> dict[str, row_types.Graph]:
        """The calls that run a graph, by path."""
        return {f"{row.built}.{name}": row for row in self.rows("graph") for name in row.run}

    def caller(self, path: str) -> row_types.Caller | None:
        """How a call calls a function that it is given."""
        return self._row("caller", path)  # type: ignore[no-any-return]

    # effects

    def effect(self, path: str) -> row_types.Effect | None:
        """The effect of a provider's call."""
        return self._row("effect", path)  # type: ignore[no-any-return]

    def http(self, path: str) -> row_types.Http | None:
        """How a call sends an HTTP request."""
        return self._row("http", path)  # type: ignore[no-any-return]

    def http_request(self, path: str) -> row_types.HttpRequest | None:
        """How a call builds a request."""
        return self._row("http_request", path)  # type: ignore[no-any-return]

    def http_client(self, path: str) -> row_types.HttpClient | None:
        """Where a client's constructor holds its base address."""
        return self._row("http_client", path)  # type: ignore[no-any-return]

    def store_roles(self, path: str) -> list[StoreRole]:
        """What a call can do to a store, forms first; the caller picks by the arguments."""
        return [self._store_role(number) for number in self._paths["store_call"].match(path)]

    def statement_roles(self, path: str) -> list[StoreRole]:
        """The role of a statement object."""
        return [self._store_role(number) for number in self._paths["statement"].all_matches(path)]

    def _store_role(self, number: int) -> StoreRole:
        store, role, form = self._tables.rows["store_role"][number]
        return StoreRole(self._tables.rows["store"][store], role, form)

    def violation_stores(self, path: str) -> list[row_types.Store]:
        """The stores whose unique violation an exception can be."""
        stores = self._tables.rows["store"]
        return [stores[number] for number in self._paths["violation"].match(path)]

    @functools.cached_property
    def sql_roles(self) -> list[tuple[str, re.Pattern[str]]]:
        """The patterns of `sql.toml`, in order."""
        return [
            (row.role, re.compile(row.pattern, re.IGNORECASE | re.DOTALL))
            for row in self.rows("sql")
        ]

    def lock(self, path: str) -> row_types.Lock | None:
        """The lock that a call or a context takes."""
        return self._row("lock", path)  # type: ignore[no-any-return]

    def quiet(self, path: str) -> row_types.Quiet | None:
        """Why a call is no effect; `None` if that is not known."""
        return self._row("quiet", path)  # type: ignore[no-any-return]

    @functools.cached_property
    def quiet_names(self) -> dict[str, str]:
        """Names of objects whose calls are no effect, with the kind."""
        return {name: row.kind for row in self.rows("quiet") for name in row.names}

    @functools.cached_property
    def quiet_methods(self) -> frozenset[str]:
        """Methods that are no effect by their name, on an object of which nothing is known."""
        return frozenset(name for row in self.rows("quiet") for name in row.methods)

    @functools.cached_property
    def receiver_names(self) -> dict[str, row_types.ReceiverName]:
        """What an object of unknown type is taken for, by its name."""
        return {name: row for row in self.rows("receiver_name") for name in row.names}

    @functools.cached_property
    def _post_reads(self) -> tuple[tuple[str, ...], re.Pattern[str]]:
        lists = self._tables.lists["post_reads"]
        verbs = "|".join(lists["verbs"])
        return tuple(lists["ends"]), re.compile(rf"(?:.*[/.:])?(?:{verbs})(?![a-z])[^/.:]*")

    def only_reads(self, path: str) -> bool:
        """Whether a POST to this path only reads, by its end or by the verb in its last part."""
        ends, verbs = self._post_reads
        return path.endswith(ends) or verbs.fullmatch(path) is not None

    @functools.cached_property
    def asked_hosts(self) -> frozenset[str]:
        """Hosts that a POST only asks something."""
        return frozenset(self._tables.lists["post_reads"]["hosts"])

    @functools.cached_property
    def document_paths(self) -> tuple[str, ...]:
        """Ends of the paths to which documents of GraphQL are sent."""
        return tuple(self._tables.lists["post_reads"]["documents"])

    @functools.cached_property
    def container_methods(self) -> frozenset[str]:
        """Methods of what lives in memory, on objects of which nothing else is known."""
        return frozenset(self._tables.lists["containers"]["methods"])

    @functools.cached_property
    def _turns(self) -> tuple[re.Pattern[str], frozenset[str]]:
        lists = self._tables.lists["turns"]
        pattern = re.compile("|".join(lists["receivers"]), re.IGNORECASE)
        return pattern, frozenset(lists["methods"])

    def is_turn(self, receiver: str, method: str) -> bool:
        """Whether a method of an object of that name gives an agent or a model its turn."""
        pattern, methods = self._turns
        return method in methods and pattern.search(receiver) is not None

    @functools.cached_property
    def _repeated_requests(self) -> re.Pattern[str]:
        return re.compile("|".join(self._tables.lists["batched"]["repeated"]))

    def is_repeated_request(self, name: str) -> bool:
        """Whether a request of that name in a batch does something again when it is sent again."""
        if name in self._tables.lists["batched"]["harmless"]:
            return False
        return self._repeated_requests.match(name) is not None

    def is_factory(self, owner: str, method: str) -> bool:
        """Whether a method of a class only makes an object of it, by both names."""
        lists = self._tables.lists["factories"]
        return method in lists["methods"] and owner.endswith(tuple(lists["classes"]))

    @functools.cached_property
    def _token_paths(self) -> re.Pattern[str]:
        clients = "|".join(map(re.escape, self._tables.lists["aws_clients"]["clients"]))
        return re.compile(rf'(?:{clients})\("([^"]*)"\)\.(.*)')

    def token_call(self, path: str) -> tuple[str, str] | None:
        """The service and the method of a call by a client of AWS."""
        matched = self._token_paths.fullmatch(path)
        return None if matched is None else (matched[1], matched[2])

    @functools.cached_property
    def token_creators(self) -> tuple[str, ...]:
        """How names of methods of AWS begin that make something."""
        return tuple(self._tables.lists["aws_clients"]["creating"])

    def token(self, service: str, method: str) -> tuple[str, bool] | None:
        """The idempotency token of an AWS call, and whether botocore fills it in."""
        for table, filled in (("aws_token", True), ("aws_unmarked_token", False)):
            found = self._tables.tokens[table].get(service, {}).get(method)
            if found is not None:
                return found, filled
        return None

    def tokens(self, table: str) -> dict[str, dict[str, str]]:
        """The tokens of a table, by service and method."""
        return self._tables.tokens[table]

    @functools.cached_property
    def hosts(self) -> list[tuple[re.Pattern[str], re.Pattern[str] | None, int, row_types.Host]]:
        """Patterns of hosts and paths, with the length of the path as its weight."""
        found = []
        for row in self.rows("host"):
            for host in row.host:
                pattern = re.compile(re.escape(host).replace(r"\*", r"[^.]*"), re.IGNORECASE)
                found += [
                    (pattern, _path_pattern(path), len(path), row) for path in row.path or ("",)
                ]
        return found

    @functools.cached_property
    def _acting_names(self) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        """The last names of all calls that rows know, and starts of names, with their libraries.

        A name that a row gives for any object has no library.
        """
        found = self._by_last_name([*self._effects, *self._looks])
        names = {name: frozenset(tops) for name, tops in found.items() if not name.endswith("*")}
        starts = {
            name.rstrip("*"): frozenset(tops)
            for name, tops in found.items()
            if name.endswith("*") and name != "**"
        }
        return names, starts

    @functools.cached_property
    def effect_calls(self) -> dict[str, frozenset[str]]:
        """The last names of calls that change something outside, files left out, with their libraries."""
        found = self._by_last_name(self._effects)
        return {name: frozenset(tops) for name, tops in found.items() if name.isidentifier()}

    @property
    def _effects(self) -> Iterator[tuple[str, Iterable[str]]]:
        """The calls that can change something, with the libraries where a row names them."""
        for row in self.rows("effect"):
            yield from ((path, ()) for path in row.call)
        for row in self.rows("http"):
            yield from ((path, ()) for path in row.path if row.method != "GET")
        for store in self.rows("store"):
            if store.kind != "file":
                yield from _changes_of(store)
        for services in self._tables.tokens.values():
            for service, methods in services.items():
                for library in self._tables.lists["aws_clients"]["libraries"]:
                    yield from ((f"{library}.{service}.{method}", ()) for method in methods)

    @property
    def _looks(self) -> Iterator[tuple[str, Iterable[str]]]:
        """The other calls that rows know: reads, pauses, locks, calls of what they are handed."""
        for row in self.rows("http"):
            yield from ((path, ()) for path in row.path if row.method == "GET")
        for table in ("pause", "lock", "caller"):
            yield from ((path, ()) for row in self.rows(table) for path in row.path)
        for row in self.rows("graph"):
            yield from ((f"{row.built}.{name}", ()) for name in row.run)
        for store in self.rows("store"):
            yield from ((path, store.imports) for path in store.check)
            if store.kind == "file":
                yield from _changes_of(store)

    def _by_last_name(self, paths: Iterable[tuple[str, Iterable[str]]]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for path, imports in paths:
            top = path.partition(".")[0].partition("(")[0]
            libraries = set(imports) if "*" in top or "?" in top else {top, *self._leading_to(top)}
            found.setdefault(path.rpartition(".")[2], set()).update(libraries or {""})
        return found

    @functools.cached_property
    def _leads(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for row in (*self.rows("type"), *self.rows("gives")):
            top = row.target.partition(".")[0].partition("(")[0]
            found.setdefault(top, set()).update(
                path.partition(".")[0].partition("(")[0] for path in row.path
            )
        for row in self.rows("receiver_name"):
            top = row.target.partition(".")[0].partition("(")[0]
            found.setdefault(top, set()).update(row.imports or ("",))
        return found

    def _leading_to(self, top: str) -> set[str]:
        """The libraries whose objects are known by paths that start with `top`."""
        return self._leads.get(top, set())

    def acting_names(self, libraries: frozenset[str]) -> ActingNames:
        """The names of calls that can act in a project that imports these of the known libraries."""
        found = self._acting.get(libraries)
        if found is None:
            found = self._acting[libraries] = self._find_acting_names(libraries)
        return found

    @functools.cached_property
    def _acting(self) -> dict[frozenset[str], ActingNames]:
        return {}

    def _find_acting_names(self, libraries: frozenset[str]) -> ActingNames:
        names, starts = self._acting_names
        standard = sys.stdlib_module_names | {""}

        def is_used(tops: frozenset[str]) -> bool:
            return not (tops.isdisjoint(libraries) and tops.isdisjoint(standard))

        return ActingNames(
            frozenset(name for name, tops in names.items() if is_used(tops)),
            tuple(start for start, tops in starts.items() if is_used(tops)),
        )

    def writing_names(self, libraries: frozenset[str], *, files: bool) -> frozenset[str]:
        """The names of calls that can write to a store, of files or any other, in a project."""
        found: set[str] = set()
        for store in self.rows("store"):
            if (store.kind == "file") is files:
                listed = [*store.exec, *(form.call for form in store.forms)]
                for role in ("insert", "atomic", "upsert"):
                    listed += getattr(store, role)
                found.update(path.rpartition(".")[2] for path in listed)
        acting = self.acting_names(libraries)
        return frozenset(name for name in found if name in acting)

    @functools.cached_property
    def slot_names(self) -> dict[str, frozenset[str]]:
        """What places for keys are called, with the libraries whose calls have them."""
        found: dict[str, set[str]] = {}
        for row in self.rows("effect"):
            if row.key is not None:
                tops = {call.partition(".")[0].partition("(")[0] for call in row.call}
                named = (*row.key.argument, row.key.entry, row.key.header, row.key.field)
                for name in named:
                    if isinstance(name, str) and name:
                        found.setdefault(name.rpartition(".")[2], set()).update(tops)
        for services in self._tables.tokens.values():
            for name in {token for methods in services.values() for token in methods.values()}:
                found.setdefault(name, set()).update(self._tables.lists["aws_clients"]["libraries"])
        return {
            name: frozenset(tops.union(*(self._leading_to(top) for top in tops)))
            for name, tops in found.items()
        }

    @functools.cached_property
    def keyed_libraries(self) -> frozenset[str]:
        """The libraries whose calls take a key."""
        found = {
            call.partition(".")[0]
            for row in self.rows("effect")
            if row.key is not None
            for call in row.call
        }
        for top in list(found):
            found |= self._leading_to(top)
        return frozenset(found)

    @functools.cached_property
    def effect_libraries(self) -> frozenset[str]:
        """The libraries that names of acting calls belong to."""
        return self._acting_tops - sys.stdlib_module_names - vars(builtins).keys()

    @functools.cached_property
    def _acting_tops(self) -> frozenset[str]:
        names, starts = self._acting_names
        found = {top for tops in (*names.values(), *starts.values()) for top in tops}
        return frozenset(top for top in found if top.isidentifier())

    @functools.cached_property
    def acting_libraries(self) -> frozenset[str]:
        """The same, with those of the standard library and those that pause or run code again."""
        tables = ("pause", "retry", "replay", "tool")
        paths = (path for table in tables for row in self.rows(table) for path in row.path)
        found = {path.partition(".")[0] for path in paths}
        return self._acting_tops | {top for top in found if top.isidentifier()}

    # entries

    def tools(self, path: str) -> list[row_types.Tool]:
        """The rows by which a decorator, base class or call makes tools."""
        return self._all("tool", path)

    def replays(self, path: str) -> list[row_types.Replay]:
        """The rows by which a decorator, base class or call makes replayed bodies."""
        return self._all("replay", path)

    def pauses(self, path: str) -> list[row_types.Pause]:
        """The pauses of a call."""
        return self._all("pause", path)

    @functools.cached_property
    def replaying_pauses(self) -> frozenset[tuple[str, str]]:
        """The first and last names of the calls that make their body run again from its start."""
        return frozenset(
            (path.partition(".")[0], path.rpartition(".")[2])
            for row in self.rows("pause")
            if row.replays
            for path in row.path
        )

    def retries(self, path: str) -> list[row_types.Retry]:
        """What a call or decorator retries."""
        return self._all("retry", path)

    @functools.cached_property
    def retry_calls(self) -> frozenset[str]:
        """The last names of calls by which a body asks to be run again."""
        return frozenset(
            path.rpartition(".")[2]
            for row in self.rows("retry")
            if row.kind == "call"
            for path in row.path
        )

    @functools.cached_property
    def policy_uses(self) -> dict[str, list[tuple[str, int | str, row_types.Retry]]]:
        """Where retry policies are used: by the last name of the call its path, the argument, the row."""
        found: dict[str, list[tuple[str, int | str, row_types.Retry]]] = {}
        for row in self.rows("retry"):
            for use in row.used_at:
                path, _, place = use.partition("#")
                where = int(place) if place.isdigit() else place
                found.setdefault(path.rpartition(".")[2], []).append((path, where, row))
        return found

    @functools.cached_property
    def retrying_libraries(self) -> frozenset[str]:
        """The libraries whose objects call again what they are given."""
        return frozenset(
            path.partition(".")[0]
            for row in self.rows("retry")
            if row.kind in ("caller", "iterator")
            for path in row.path
        )

    @functools.cached_property
    def retry_options(self) -> frozenset[str]:
        """The keywords by which a call sends itself again."""
        return frozenset(
            name
            for row in self.rows("retry")
            if row.kind == "kwarg"
            for name in row.limit
            if isinstance(name, str)
        )

    @functools.cached_property
    def request_names(self) -> frozenset[str]:
        """The last names of calls that send a request which may have to be sent once only."""
        return frozenset(
            path.rpartition(".")[2]
            for row in self.rows("http")
            if row.method == "POST" or row.method_at
            for path in row.path
        )

    @functools.cached_property
    def _quiet_functions(self) -> dict[str, re.Pattern[str]]:
        lists = self._tables.lists["quiet_code"]
        return {kind: re.compile("|".join(texts), re.IGNORECASE) for kind, texts in lists.items()}

    def is_quiet_function(self, name: str) -> bool:
        """Whether the name of a function says that its requests change nothing."""
        return self._quiet_functions["functions"].search(name) is not None

    def handles(self, name: str) -> bool:
        """Whether a function is named after what happened when it is called: `on_update`."""
        return self._quiet_functions["handlers"].search(name) is not None

    def signs_in(self, name: str) -> bool:
        """Whether the name of a function says that it only fetches what lets later requests in."""
        return self._quiet_functions["sign_in"].search(name) is not None

    def is_carrier(self, name: str) -> bool:
        """Whether the name of a class or module says that it carries what others send."""
        return self._quiet_functions["carriers"].search(name) is not None

    def is_quiet_class(self, name: str) -> bool:
        """Whether the name of a class says that its requests change nothing."""
        return self._quiet_functions["classes"].search(name) is not None

    def is_quiet_text(self, text: str) -> bool:
        """Whether the code of a function says that it asks a model."""
        return self._quiet_functions["texts"].search(text) is not None

    @functools.cached_property
    def containers(self) -> frozenset[str]:
        """The calls that make containers in the memory of the process."""
        return frozenset(self._tables.lists["memory"]["containers"])

    @functools.cached_property
    def memory_decorators(self) -> frozenset[str]:
        """The decorators that keep results in the memory of the process."""
        return frozenset(self._tables.lists["memory"]["decorators"])

    @property
    def memory_words(self) -> tuple[str, ...]:
        """The words beside a look into a container that can be about what was done before."""
        return tuple(self._tables.lists["memory"]["words"])

    @property
    def memory_looks(self) -> tuple[str, ...]:
        """The texts of looks into a container by its plain name, or by the key that is looked up."""
        return tuple(self._tables.lists["memory"]["looks"])

    @property
    def memory_questions(self) -> tuple[str, ...]:
        """The texts of calls that ask whether something was done before."""
        return tuple(self._tables.lists["memory"]["told"])

    @functools.cached_property
    def _memory_names(self) -> dict[str, re.Pattern[str]]:
        lists = self._tables.lists["memory"]
        return {
            kind: re.compile("|".join(lists[kind]), re.IGNORECASE)
            for kind in ("counters", "stores")
        }

    def is_counter(self, name: str) -> bool:
        """Whether the name of a container or its class says that it counts or limits."""
        return self._memory_names["counters"].search(name) is not None

    def is_dedup_store(self, name: str) -> bool:
        """Whether the name of a class or module says that it keeps keys of operations."""
        return self._memory_names["stores"].search(name) is not None

    @property
    def conflicts(self) -> dict[str, list[str]]:
        """The lists of `conflicts`: what says that a key was used before."""
        return self._tables.lists["conflicts"]

    @property
    def refusals(self) -> dict[str, list[str]]:
        """The lists of `refusals`: what proves that nothing happened."""
        return self._tables.lists["refusals"]

    def guards(self, path: str) -> list[row_types.Guard]:
        """What a call or decorator guards; nothing where the first row says that it only looks so."""
        found = self._all("guard", path)
        return [row for row in found if row.guards] if found and found[0].guards else []

    def hints(self, path: str) -> list[row_types.Hint]:
        """The spelling of the hints given to a call."""
        return self._all("hint", path)

    # values

    def value(self, path: str) -> row_types.NamedValue | None:
        """What a call gives."""
        return self._row("value", path)  # type: ignore[no-any-return]

    def identity(self, path: str) -> row_types.Identity | None:
        """The id that a path stands for."""
        return self._row("identity", path)  # type: ignore[no-any-return]

    @functools.cached_property
    def identity_parameters(self) -> dict[str, row_types.Identity]:
        """Ids by the usual name of their parameter."""
        return {name: row for row in self.rows("identity") for name in row.parameter}

    def unstable(self, path: str) -> row_types.Unstable | None:
        """Why a call gives another value in another process."""
        return self._row("unstable", path)  # type: ignore[no-any-return]

    @functools.cached_property
    def pure_methods(self) -> frozenset[str]:
        """Methods whose result is what their object and arguments are."""
        return frozenset(name for row in self.rows("pure_method") for name in row.name)

    @functools.cached_property
    def result_names(self) -> frozenset[str]:
        """Methods and attributes that read the result of the statement that an object ran last."""
        return frozenset(
            name
            for kind, names in self._tables.lists["sql_results"].items()
            if kind != "ordering"
            for name in names
        )

    @functools.cached_property
    def ordering_names(self) -> frozenset[str]:
        """Methods by which a query says which one of several records it wants."""
        return frozenset(self._tables.lists["sql_results"]["ordering"])

    @functools.cached_property
    def statement_arguments(self) -> tuple[int | str, ...]:
        """Where a call is given the statement that it runs."""
        return (0, *self._tables.lists["sql_results"]["arguments"])

    @functools.cached_property
    def unique_columns(self) -> tuple[str, ...]:
        """What says of a column that no two records share its value."""
        return tuple(self._tables.lists["constraints"]["columns"])

    @functools.cached_property
    def unique_classes(self) -> tuple[str, ...]:
        """What says in a class which of its columns no two records share."""
        return tuple(self._tables.lists["constraints"]["classes"])

    @functools.cached_property
    def record_columns(self) -> frozenset[str]:
        """The columns whose value is the identity of a record."""
        return frozenset(self._tables.lists["record_ids"]["columns"])

    @functools.cached_property
    def record_fields(self) -> tuple[str, ...]:
        """The fields of what is sent whose value is the identity of a record."""
        return tuple(self._tables.lists["record_ids"]["fields"])

    @functools.cached_property
    def _record_names(self) -> re.Pattern[str]:
        return re.compile("|".join(self._tables.lists["record_ids"]["names"]))

    def is_record_name(self, name: str) -> bool:
        """Whether the name of a value says that it identifies a record: no session, no trace."""
        return self._record_names.fullmatch(name) is not None and name not in self._no_key_names[0]

    @functools.cached_property
    def _savings(self) -> dict[str, re.Pattern[str]]:
        lists = self._tables.lists["savings"]
        return {name: re.compile("|".join(texts)) for name, texts in lists.items()}

    def is_save(self, name: str) -> bool:
        """Whether a call of this name keeps a record that it is made on or handed."""
        return self._savings["records"].search(name) is not None

    def is_commit(self, name: str) -> bool:
        """Whether a call of this name keeps all that was changed before."""
        return self._savings["all"].search(name) is not None

    def is_new(self, name: str) -> bool:
        """Whether a call of this name gives a record that was not there before."""
        return self._savings["new"].search(name) is not None

    # what runs again

    @functools.cached_property
    def _repeating(self) -> re.Pattern[str]:
        return re.compile("|".join(self._tables.lists["repeats"]["helpers"]), re.IGNORECASE)

    def is_repeating(self, name: str) -> bool:
        """Whether the name of a helper says that it can run again what it is given."""
        return self._repeating.search(name) is not None

    @functools.cached_property
    def _stops(self) -> re.Pattern[str]:
        return re.compile("|".join(self._tables.lists["repeats"]["stops"]), re.IGNORECASE)

    def is_stop(self, name: str) -> bool:
        """Whether a name tells a service that goes round for ever to leave its loop."""
        return self._stops.search(name) is not None

    @property
    def repeats(self) -> dict[str, list[str]]:
        """The lists of `repeats`: the words of loops and helpers that try again."""
        return self._tables.lists["repeats"]

    @functools.cached_property
    def counters(self) -> frozenset[str]:
        """The calls over whose result a loop counts its rounds."""
        return frozenset(self.repeats["counters"])

    @functools.cached_property
    def rounds(self) -> frozenset[str]:
        """The last names of the calls over whose result a loop tries again."""
        iterators = {
            path for row in self.rows("retry") if row.kind == "iterator" for path in row.path
        }
        return frozenset(path.rpartition(".")[2] for path in iterators | self.counters)

    @functools.cached_property
    def outcomes(self) -> frozenset[str]:
        """The attributes by which an answer tells whether the request has failed."""
        return frozenset(self.repeats["outcomes"])

    # names of keys

    @functools.cached_property
    def _key_names(self) -> tuple[frozenset[str], list[re.Pattern[str]]]:
        lists = self._tables.lists["names"]
        return frozenset(lists["exact"]), [re.compile(text) for text in lists["patterns"]]

    @functools.cached_property
    def _no_key_names(self) -> tuple[frozenset[str], list[re.Pattern[str]]]:
        lists = self._tables.lists["not_names"]
        return frozenset(lists["exact"]), [re.compile(text) for text in lists["patterns"]]

    @functools.cached_property
    def key_headers(self) -> frozenset[str]:
        """The headers that carry a key, as rows spell them."""
        found = set(self._tables.lists["names"]["headers"])
        for row in (*self.rows("effect"), *self.rows("host")):
            if row.key is not None and row.key.header:
                found.add(row.key.header)
        return frozenset(name for name in found if name.lower() != "x-request-id")

    @functools.cached_property
    def _folded_headers(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.key_headers)

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - lives as long as the run
    def is_key_name(self, name: str) -> bool:
        """Whether a name alone makes a key position."""
        snake = snake_case(name)
        exact, patterns = self._no_key_names
        if snake in exact or any(pattern.fullmatch(snake) for pattern in patterns):
            return False
        exact, patterns = self._key_names
        return snake in exact or any(pattern.fullmatch(snake) for pattern in patterns)

    @functools.cached_property
    def _described_keys(self) -> tuple[frozenset[str], re.Pattern[str]]:
        lists = self._tables.lists["names"]
        return frozenset(lists["maybe"]), re.compile("|".join(lists["described"]), re.IGNORECASE)

    def is_described_key(self, name: str, description: str) -> bool:
        """Whether a name can be that of a key, and its description says so."""
        names, texts = self._described_keys
        return snake_case(name) in names and texts.search(description) is not None

    @property
    def key_stems(self) -> list[str]:
        """Parts of names, one of which stands in every name of a key."""
        return self._tables.lists["names"]["stems"]

    def is_key_header(self, name: str) -> bool:
        """Whether an HTTP header carries a key."""
        return name.lower() in self._folded_headers

    @functools.cached_property
    def _factories(self) -> list[re.Pattern[str]]:
        return [re.compile(text) for text in self._tables.lists["names"]["factories"]]

    def is_key_factory(self, name: str) -> bool:
        """Whether the name of a function says that it makes a key."""
        return any(pattern.fullmatch(name) for pattern in self._factories)

    @functools.cached_property
    def _field_words(self) -> dict[str, frozenset[str]]:
        return {kind: frozenset(words) for kind, words in self._tables.lists["fields"].items()}

    def field_kinds(self, name: str) -> set[str]:
        """What the name of a parameter or field says of its value: intent, shared, content, receiver."""
        words = set(snake_case(name).split("_"))
        return {kind for kind, known in self._field_words.items() if words & known}

    def tells_replay(self, text: str) -> bool:
        """Whether a key or text of a result says that the result is not new."""
        signs = self._tables.lists["replay_signs"]
        lowered = text.lower()
        return lowered in signs["keys"] or any(word in lowered for word in signs["words"])

    def tells_existing(self, text: str) -> bool:
        """Whether a text says that what was to be made can be there already."""
        lowered = text.lower()
        return any(words in lowered for words in self._tables.lists["replay_signs"]["existing"])

    @functools.cached_property
    def existing_options(self) -> frozenset[str]:
        """Keywords by which a call is told what to do if what it makes is there already."""
        return frozenset(self._tables.lists["replay_signs"]["options"])

    # names of tools

    @functools.cached_property
    def model_bases(self) -> frozenset[str]:
        """The classes whose fields are the parameters of a tool that takes an object of theirs."""
        return frozenset(self._tables.lists["tool_schemas"]["bases"])

    @property
    def tool_schemas(self) -> dict[str, list[str]]:
        """The lists of `tool_schemas`: the words of schemas, and of those who call by name."""
        return self._tables.lists["tool_schemas"]

    @property
    def fifo(self) -> dict[str, list[str]]:
        """The lists of `fifo`: how queues are given that keep an order."""
        return self._tables.lists["fifo"]

    @property
    def name_lists(self) -> dict[str, dict[str, list[str]]]:
        """The word lists of `verbs.toml`: `words` and `objects`."""
        return self._tables.lists


@functools.cache
def _shipped_libraries() -> frozenset[str]:
    return Knowledge().libraries


def _tops_in(value: object) -> Iterator[str]:
    """The first names of the dotted paths in the columns of a row."""
    if isinstance(value, str):
        top, dot, _ = value.partition(".")
        if dot and top.isidentifier():
            yield top
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _tops_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _tops_in(inner)


def _changes_of(store: row_types.Store) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The calls that can change a store, with the libraries that have to be imported for them."""
    listed = [form.call for form in store.forms]
    for role in ("exec", *_CHANGING):
        listed += getattr(store, role)
    return ((path, store.imports) for path in listed)


def _path_pattern(path: str) -> re.Pattern[str] | None:
    if not path:
        return None
    parts = []
    for segment in path.strip("/").split("/"):
        if segment == "**":
            parts.append(r"(?:/.*)?")
        else:
            parts.append("/" + re.escape(segment).replace(r"\*", "[^/]*"))
    return re.compile("".join(parts) + "/?")

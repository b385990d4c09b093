"""The rows of `rules/knowledge`, one class a table.

The fields of a class are the columns of its table, in the same words; a field without a default is
a column that must be there. A `Place` is where an argument stands: a position (from 0), a keyword.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Caller",
    "DecoratedParameter",
    "DecoratedType",
    "Effect",
    "Form",
    "Gives",
    "Graph",
    "Guard",
    "Hint",
    "Host",
    "Http",
    "HttpClient",
    "HttpRequest",
    "Identity",
    "Lock",
    "Lost",
    "NamedValue",
    "Override",
    "Pause",
    "Place",
    "Provider",
    "PureMethod",
    "Quiet",
    "ReceiverName",
    "Replay",
    "Retry",
    "Slot",
    "Sql",
    "Statement",
    "Store",
    "Tool",
    "TypeArgument",
    "TypeName",
    "Unstable",
    "Verb",
]

Place = int | str


class _Row:
    """Makes rows cheap to store: a row is its class and the values of its fields."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        cls = type(self)
        names: tuple[str, ...] = cls.__slots__
        return cls, tuple(getattr(self, name) for name in names)


@dataclass(frozen=True, slots=True)
class Slot(_Row):
    """Where a value stands in a call: one of the first fields, `within` the argument around it.

    `receiver` are the arguments of the call that gave the object whose method is called.
    """

    argument: tuple[Place, ...] = ()
    entry: str = ""
    header: str = ""
    field: str = ""
    query: str = ""
    path: str = ""
    attribute: str = ""
    setting: str = ""
    context: str = ""
    directive: str = ""
    condition: str = ""
    receiver: tuple[Place, ...] = ()
    value: str | bool | int | None = None
    within: tuple[Place, ...] = ()

    @property
    def name(self) -> str:
        """What the slot is called, for messages."""
        for text in (self.entry, self.header, self.field, self.query, self.attribute, self.setting):
            if text:
                return text
        places = (*self.argument, *self.receiver)
        named = next((place for place in places if isinstance(place, str)), "")
        return named or self.context or self.directive or self.path


@dataclass(frozen=True, slots=True)
class Effect(_Row):
    """A call of a provider that changes something outside the process."""

    call: tuple[str, ...]
    does: str
    repeat: str
    own: bool = False
    key: Slot | None = None
    identity: Slot | None = None
    condition: Slot | None = None
    named_at: tuple[Place, ...] = ()
    requests: Slot | None = None
    serves: tuple[str, ...] = ()
    when: str = ""
    undo: str = ""
    operation: str = ""
    automatic_key: str = ""
    automatic_since: str = ""
    window: str = ""
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Provider(_Row):
    """A service and its Python package."""

    id: str
    package: str
    imports: tuple[str, ...]
    effects: tuple[Effect, ...]
    checked: str = ""
    docs: str = ""


@dataclass(frozen=True, slots=True)
class Host(_Row):
    """What an HTTP host takes as a key, for requests without an SDK."""

    host: tuple[str, ...]
    provider: str
    methods: tuple[str, ...]
    path: tuple[str, ...] = ()
    key: Slot | None = None
    identity: Slot | None = None
    creates: tuple[str, ...] = ()
    when: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Http(_Row):
    """A call that sends an HTTP request."""

    path: tuple[str, ...]
    method: str = ""
    method_at: tuple[Place, ...] = ()
    method_by_body: bool = False
    url_at: tuple[Place, ...] = ()
    body_at: tuple[Place, ...] = ()
    request_at: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class HttpRequest(_Row):
    """A call that builds a request which another call sends."""

    path: tuple[str, ...]
    url_at: tuple[Place, ...]
    method_at: tuple[Place, ...]
    body_at: tuple[Place, ...] = ()
    method_by_body: bool = False


@dataclass(frozen=True, slots=True)
class HttpClient(_Row):
    """A client whose constructor holds a base address and headers of its own."""

    path: tuple[str, ...]
    base_at: tuple[Place, ...] = ()
    default_headers_at: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeName(_Row):
    """Paths that stand for an object of another path."""

    path: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class Gives(_Row):
    """Calls that give an object of another path."""

    path: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class TypeArgument(_Row):
    """An attribute whose type is an argument of its object's generic type."""

    path: tuple[str, ...]
    argument: int


@dataclass(frozen=True, slots=True)
class DecoratedType(_Row):
    """What a decorator makes of a function."""

    path: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class DecoratedParameter(_Row):
    """What a decorator passes to the function as one of its parameters."""

    path: tuple[str, ...]
    parameter: int
    target: str
    option: str = ""


@dataclass(frozen=True, slots=True)
class Graph(_Row):
    """A graph that is built from nodes: calls that add one, and calls that run it."""

    path: tuple[str, ...]
    add: str
    body: tuple[Place, ...]
    built: str
    run: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Caller(_Row):
    """A call that calls a function it is given, now or `later`."""

    path: tuple[str, ...]
    calls: int
    later: bool = False


@dataclass(frozen=True, slots=True)
class Form(_Row):
    """A role that a call has when an argument is there, and has `value` if one is given."""

    role: str
    call: str
    argument: tuple[Place, ...]
    value: str | bool | int | None = None


@dataclass(frozen=True, slots=True)
class Statement(_Row):
    """The role of a statement object, by the calls that built it."""

    role: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lost(_Row):
    """How the result of an atomic write, `{}`, tells that another run was first.

    It counts for calls of one of the names, through one of the libraries; for all where none is given.
    """

    test: str
    call: tuple[str, ...] = ()
    library: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Store(_Row):
    """A store that the project owns, and what its calls do."""

    id: str
    title: str
    kind: str
    operation: str
    target: str
    imports: tuple[str, ...] = ()
    exec: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    insert: tuple[str, ...] = ()
    atomic: tuple[str, ...] = ()
    upsert: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    counter: tuple[str, ...] = ()
    relative: tuple[str, ...] = ()
    commit: tuple[str, ...] = ()
    check_by_key: tuple[str, ...] = ()
    merge: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    forms: tuple[Form, ...] = ()
    subject: tuple[Place, ...] = ()
    identity: Slot | None = None
    violation: tuple[str, ...] = ()
    constraint: str = ""
    overwrites: bool = False
    raises: bool = False
    caches: bool = False
    by_name: bool = False
    atomic_form: str = ""
    atomic_argument: str = ""
    lost: tuple[Lost, ...] = ()
    ignores: tuple[str, ...] = ()
    checked: str = ""


@dataclass(frozen=True, slots=True)
class ReceiverName(_Row):
    """The usual name of an object whose type is not known."""

    names: tuple[str, ...]
    target: str
    imports: tuple[str, ...] = ()
    through: bool = False


@dataclass(frozen=True, slots=True)
class Lock(_Row):
    """Something that keeps two runs apart."""

    path: tuple[str, ...]
    across_processes: bool


@dataclass(frozen=True, slots=True)
class Sql(_Row):
    """What a SQL text does."""

    role: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Tool(_Row):
    """How a function becomes a tool."""

    id: str
    framework: str
    kind: str
    path: tuple[str, ...]
    body: tuple[Place, ...] = ()
    bodies: tuple[Place, ...] = ()
    methods: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    name: tuple[Place, ...] = ()
    schema: tuple[Place, ...] = ()
    hints: tuple[Place, ...] = ()
    entries: tuple[str, ...] = ()
    hidden_types: tuple[str, ...] = ()
    hidden_names: tuple[str, ...] = ()
    hidden_defaults: tuple[str, ...] = ()
    hidden_metadata: tuple[str, ...] = ()
    hidden_by: tuple[str, ...] = ()
    hidden_first: bool = False
    preset_by: tuple[str, ...] = ()
    describe: tuple[str, ...] = ()
    describe_breaks: tuple[str, ...] = ()
    one_argument: bool = False
    over_mcp: bool = False
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Replay(_Row):
    """A body that a framework can run more than once, besides tools."""

    id: str
    framework: str
    kind: str
    path: tuple[str, ...]
    on: tuple[str, ...]
    by_default: bool
    body: tuple[Place, ...] = ()
    bodies: tuple[Place, ...] = ()
    methods: tuple[str, ...] = ()
    retried: bool = False
    only_with: tuple[str, ...] = ()
    off_with: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    node: bool = False
    orchestrates: bool = False
    kept_in: tuple[str, ...] = ()
    hidden_names: tuple[str, ...] = ()
    because: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Pause(_Row):
    """A call that waits for a person or an event."""

    id: str
    framework: str
    path: tuple[str, ...]
    form: str
    replays: bool
    scope: tuple[str, ...]
    swallowed_by: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Retry(_Row):
    """What runs a function, a block or a request again."""

    id: str
    framework: str
    kind: str
    path: tuple[str, ...]
    attempts: int
    limit: tuple[Place, ...] = ()
    filter: tuple[Place, ...] = ()
    methods: tuple[str, ...] = ()
    methods_argument: tuple[str, ...] = ()
    off_with: tuple[str, ...] = ()
    used_at: tuple[str, ...] = ()
    mounted_by: tuple[str, ...] = ()
    body: tuple[Place, ...] = ()
    covers: tuple[Place, ...] = ()
    covers_own: bool = False
    only: tuple[Place, ...] = ()
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Guard(_Row):
    """What makes a replay harmless, or only looks so (`guards` false)."""

    id: str
    framework: str
    kind: str
    path: tuple[str, ...]
    guards: bool
    key: tuple[str, ...] = ()
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Hint(_Row):
    """The spelling of a tool's hints."""

    id: str
    framework: str
    path: tuple[str, ...]
    read_only: tuple[str, ...]
    idempotent: tuple[str, ...]
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Identity(_Row):
    """An id that a framework hands to a body.

    In the bodies of `within` (ids of replays) a fix writes it as the expressions of `written`, each
    with `{}` for the name that `imports` has there; that is the type of a parameter `taken_as`
    where the framework hands it over.
    """

    kind: str
    path: tuple[str, ...] = ()
    parameter: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    imports: str = ""
    written: tuple[str, ...] = ()
    taken_as: tuple[str, ...] = ()
    renewed: str = ""
    gives: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True)
class NamedValue(_Row):
    """What a call gives."""

    path: tuple[str, ...]
    kind: str
    gives: str
    fewer_arguments_than: int = 0


@dataclass(frozen=True, slots=True)
class PureMethod(_Row):
    """Methods whose result is what their object and arguments are."""

    name: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unstable(_Row):
    """A call that gives another value in another process for the same arguments.

    `of_entries` says that it does so only where entries of mappings are among them.
    """

    path: tuple[str, ...]
    because: str
    unless: str = ""
    shows: str = ""
    of_entries: bool = False
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Quiet(_Row):
    """Calls that are no effect."""

    kind: str
    path: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verb(_Row):
    """What a verb in a tool's name says about its effect."""

    verbs: tuple[str, ...]
    does: str
    repeat: str
    report: str
    first_only: bool = False
    objects: tuple[str, ...] = ()
    operation: str = ""


@dataclass(frozen=True, slots=True)
class Override(_Row):
    """Names of tools that have no effect though a verb says so."""

    pattern: str
    kind: str
    whole: bool = False

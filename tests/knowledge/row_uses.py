"""Further programs in which a row makes a difference: they are run with the row and without it.

What counts is that something else is reported without the row, so that no control is needed.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from row_programs import (
    CHARGE,
    CLAIMS,
    FRESH,
    INSERT,
    POST,
    Use,
    acting_tool,
    arguments,
    module,
    retried,
    tool,
    use,
)

if sys.version_info >= (3, 11):
    import re._parser as _parser
else:
    import sre_parse as _parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge

__all__ = ["PROGRAMS", "programs", "programs_for_fixes", "programs_for_inventory"]

_MAX_STEPS = 5
CONNECTION = 'sqlite3.connect("orders.db")'


def read_only_tool(top: tuple[str, ...], lines: list[str]) -> str:
    """A tool that says that it only reads."""
    made = ("from fastmcp import FastMCP", 'mcp = FastMCP("shop")')
    head = ['@mcp.tool(annotations={"readOnlyHint": True})',
            "def terminal(order: str, unknown):", '    """Do the work."""']  # fmt: skip
    return module([*made, *top], [*head, *(f"    {line}" for line in lines)])


# providers


def effect(row: rows.Effect, knowledge: Knowledge) -> Iterator[str]:
    """A call that overwrites is no mere read; one that is told apart has advice of its own."""
    for path in row.call:
        reached = use(path)
        yield read_only_tool(reached.top, [f"{reached.name}(order)"])
        yield retried(reached.top, [f"{reached.name}(order)"])
        yield acting_tool(reached.top, [f"{reached.name}(order)"])
        if row.condition is not None:
            given = arguments(row.condition, repr(row.condition.value or "*"))
            yield tool(reached.top, [f"{reached.name}({given})"])


def host(row: rows.Host, knowledge: Knowledge) -> Iterator[str]:
    """A request that overwrites is no mere read."""
    for path in row.path:
        url = f"https://{row.host[0]}{path}".replace("**", "x").replace("*", "x")
        call = f'requests.{row.methods[0].lower()}("{url}", json={{"order": order}})'
        yield read_only_tool(("import requests",), [call])
        yield tool(("import requests",), [call], "update_order")
        if row.key is not None and row.key.field:
            filled = arguments(row.key, FRESH)
            yield tool(
                ("import requests", "import uuid"),
                [f'requests.{row.methods[0].lower()}("{url}", {filled})'],
            )


# stores


def store(row: rows.Store, knowledge: Knowledge) -> Iterator[str]:
    """A record whose identity is another at each run."""
    given = arguments(row.identity, FRESH) if row.identity is not None else None
    if given is not None:
        for path in (*row.insert, *row.atomic, *row.upsert):
            reached = use(path)
            yield tool(("import uuid", *reached.top), [f"{reached.name}({given})"])


# SQL


def sql(row: rows.Sql, knowledge: Knowledge) -> Iterator[str]:
    """A text whose beginning or clause a pattern takes, in each place of a check and its record."""
    for text in SQL_TEXTS:
        yield tool(("import sqlite3",), [f"db = {CONNECTION}", f'db.execute("{text}", (order,))'])
        yield read_only_tool(
            ("import sqlite3",), [f"db = {CONNECTION}", f'db.execute("{text}", (order,))']
        )
        yield acting_tool(
            ("import sqlite3",), [f"db = {CONNECTION}", f'db.execute("{text}", (order,))']
        )
        select = '"SELECT 1 FROM orders WHERE item = ?", (order,)'
        yield module(
            ("import sqlite3",),
            ["def book(order):", f"    db = {CONNECTION}", f'    db.execute("{text}")',
             f"    if db.execute({select}).fetchone() is None:",
             f"        db.execute({INSERT})"],
        )  # fmt: skip
        yield module(
            ("import sqlite3",),
            ["def book(order):", f"    db = {CONNECTION}",
             f'    if db.execute("{text}", (order,)).fetchone() is None:',
             f"        db.execute({INSERT})"],
        )  # fmt: skip


SQL_TEXTS = (
    "BEGIN IMMEDIATE",
    "SELECT pg_advisory_xact_lock(1)",
    "SELECT GET_LOCK('orders', 10)",
    "LOCK TABLE orders",
    "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "COMMIT",
    "INSERT INTO orders (item) VALUES (?) ON CONFLICT (item) DO NOTHING",
    "INSERT INTO orders (item) VALUES (?) ON CONFLICT (item) DO UPDATE SET n = 1",
    "INSERT INTO orders (item) VALUES (?) ON CONFLICT DO UPDATE SET n = 1",
    "INSERT OR IGNORE INTO orders (item) VALUES (?)",
    "INSERT OR REPLACE INTO orders (item) VALUES (?)",
    "INSERT IGNORE INTO orders (item) VALUES (?)",
    "INSERT INTO orders (item) VALUES (?) ON DUPLICATE KEY UPDATE n = 1",
    "MERGE INTO orders USING (VALUES (?)) AS new ON orders.item = new.item",
    "INSERT INTO orders (item) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM orders)",
    "INSERT INTO orders (item) VALUES (?)",
    "UPDATE orders SET n = 1 WHERE item = ?",
    "UPDATE orders SET n = n + 1 WHERE item = ?",
    "DELETE FROM orders WHERE item = ?",
    "CREATE TABLE orders (item TEXT)",
    "SELECT 1 FROM orders WHERE item = ?",
)


# names of tools


def override(row: rows.Override, knowledge: Knowledge) -> Iterator[str]:
    """A tool that is called by a name that only looks like an effect."""
    for name in _matching(row.pattern, row.whole):
        for call in ("unknown.deal(order)", POST):
            yield tool(("import requests",), [call], name)
            yield module(
                ("import requests", "from langchain_core.tools import BaseTool"),
                ["class Terminal(BaseTool):", f'    name = "{name}"', "",
                 "    def _run(self, order: str):", f"        {call}"],
            )  # fmt: skip
        parameters = '{"type": "object", "properties": {"order": {"type": "string"}}}'
        yield module(
            (),
            [f'TOOLS = [{{"name": "{name}", "description": "x", "input_schema": {parameters}}}]'],
        )


def _matching(pattern: str, whole: bool) -> Iterator[str]:
    """Names that a pattern takes: one for each choice in it, with a filler for any text."""
    parsed = _parser.parse(pattern)
    seen = set()
    for text in itertools.islice(_texts(parsed), 4000):
        name = text.strip("_")
        if name not in seen and re.fullmatch(pattern, name):
            seen.add(name)
            yield name
            if len(seen) >= 60:
                return


def _texts(parsed: Any) -> Iterator[str]:
    parts = [list(itertools.islice(_part(kind, value), 14)) for kind, value in parsed]
    # the first choices of all parts, then one after the other
    longest = max(map(len, parts), default=0)
    for number in range(longest):
        yield "".join(p[min(number, len(p) - 1)] for p in parts)
    yield from map("".join, itertools.product(*parts))


def _part(kind: Any, value: Any) -> Iterator[str]:
    name = str(kind)
    if name == "LITERAL":
        yield chr(value)
    elif name in ("ANY", "NOT_LITERAL", "IN"):
        yield "x"
    elif name == "SUBPATTERN":
        yield from _texts(value[3])
    elif name == "BRANCH":
        for branch in value[1]:
            yield from _texts(branch)
    elif name == "MAX_REPEAT":
        low, high, inner = value
        if low == 0:
            yield ""
        if str(inner[0][0]) == "ANY" and high > 1:
            yield "thingummy"
            yield ""
        else:
            yield from _texts(inner)
    else:
        yield ""


# what names stand for


def standing_for(
    row: rows.TypeName | rows.Gives, knowledge: Knowledge, *, call: bool
) -> Iterator[str]:
    """The object that a path stands for, in each program that shows what another row says of it."""
    for path in row.path:
        reached = use(path, "start")
        if call:
            reached = Use(reached.top, f"{reached.name}()")
        yield from _of_object(reached, row.target, knowledge)
        if not call and path.rpartition(".")[2][:1].isupper():
            # by the type of a parameter
            yield from _of_object(Use(reached.top, "given"), row.target, knowledge, reached.name)


def _of_object(reached: Use, target: str, knowledge: Knowledge, given: str = "") -> Iterator[str]:
    parameters = f"order: str, given: {given}" if given else "order: str"
    for rest in _acting_rests(target, knowledge):
        name = f"{reached.name}{rest}"
        lines = [f"{name}(order, Body=order)"]
        yield tool(reached.top, lines, parameters=parameters)
        yield acting_tool(reached.top, [f"{name}(order)"])
        yield retried(reached.top, lines, parameters)


@functools.cache
def _acting_rests(target: str, knowledge: Knowledge) -> tuple[str, ...]:
    """What has to be called on an object to act: `.client("sqs").send_message`."""
    found: list[str] = []
    seen = {target}
    reached = [(target, "")]
    for _ in range(_MAX_STEPS):
        following = []
        for path, steps in reached:
            found += [
                steps + known[len(path) :]
                for known in _acting(knowledge)
                if known.startswith((f"{path}.", f"{path}(")) and "*" not in known
            ]
            for table in ("gives", "type"):
                for row in knowledge.rows(table):
                    for known in row.path:
                        if known.startswith(f"{path}.") and row.target not in seen:
                            seen.add(row.target)
                            made = "()" if table == "gives" else ""
                            following.append((row.target, f"{steps}{known[len(path) :]}{made}"))
        reached = following
    return tuple(found[:12])


@functools.cache
def _acting(knowledge: Knowledge) -> tuple[str, ...]:
    found = [call for row in knowledge.rows("effect") for call in row.call]
    for row in knowledge.rows("store"):
        for role in ("exec", "insert", "counter", "atomic", "upsert", "update", "delete", "commit"):
            found += getattr(row, role)
    found += [path for row in knowledge.rows("http") for path in row.path]
    return tuple(found)


def type_(row: rows.TypeName, knowledge: Knowledge) -> Iterator[str]:
    """Other names of objects, classes, decorators and functions."""
    yield from standing_for(row, knowledge, call=False)
    yield from of_renamed(row.path, row.target, knowledge)
    yield from own_attribute(row, knowledge)
    if row.target in knowledge.model_bases:
        yield from schema_class(row)


def own_attribute(row: rows.TypeName, knowledge: Knowledge) -> Iterator[str]:
    """A class gives the object another name than the one that its base class has for it."""
    owner, _, attribute = row.target.rpartition(".")
    methods = [call for call in _acting(knowledge) if call.startswith(f"**.{attribute}.")]
    for path, call in itertools.product(row.path, methods):
        base, made = use(owner), use(path, "made")
        top = [*base.top, *made.top, f"class Record({base.name}):\n    own = {made.name}()"]
        yield tool(top, [f"Record.own.{_joined(call)}(item=order)"])


def _joined(call: str) -> str:
    return ".".join(name for name in call.split(".")[2:] if name != "**")


def schema_class(row: rows.TypeName) -> Iterator[str]:
    """The fields of a class are the parameters of a tool."""
    for path in row.path:
        base = use(path)
        fields_of = [f"class Order({base.name}):\n    idempotency_key: str"]
        top = ("import stripe", *base.top, *fields_of)
        yield tool(top, [f"{CHARGE}(amount=1)"], parameters="order: Order")


def gives(row: rows.Gives, knowledge: Knowledge) -> Iterator[str]:
    """What calls give."""
    yield from standing_for(row, knowledge, call=True)
    yield from of_renamed([f"{path}()" for path in row.path], row.target, knowledge)
    for graph in knowledge.rows("graph"):
        if graph.built == row.target:
            yield from (claim.code for claim in CLAIMS["graph"](graph, knowledge))


def programs_for_fixes(table: str, row: Any) -> Iterator[str]:
    """A fix asks a cursor how many rows were written, and of other objects what the call gave."""
    for path in row.path if table == "gives" else ():
        reached = use(path, "start")
        made = f'    it = {reached.name}("SELECT 1 FROM orders WHERE item = ?", (order,))'
        lines = ["def book(order):", made, "    if it.fetchone() is None:",
                 f"        it.execute({INSERT})", f"        {CHARGE}(amount=1)"]  # fmt: skip
        yield module(("import stripe", *reached.top), lines)


def of_renamed(paths: Iterable[str], target: str, knowledge: Knowledge) -> Iterator[str]:
    """The programs of all rows that name the target, with the other name of it."""
    for path, table in itertools.product(paths, CLAIMS):
        for row in knowledge.rows(table):
            other = _renamed(row, target, path)
            if other is not None:
                yield from (claim.code for claim in CLAIMS[table](other, knowledge))
                yield from (
                    programs(table, other, knowledge) if table not in ("type", "gives") else ()
                )


def _renamed(row: Any, target: str, path: str) -> Any:
    """A row with another path in place of one; `None` where the row does not name that."""
    changed = {}
    for field in fields(row):
        value = getattr(row, field.name)
        if isinstance(value, tuple) and any(isinstance(text, str) for text in value):
            listed = tuple(_rename(text, target, path) for text in value)
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            listed = tuple(_renamed(part, target, path) or part for part in value)
        elif field.name == "call" and isinstance(value, str):
            listed = _rename(value, target, path)
        else:
            continue
        if listed != value:
            changed[field.name] = listed
    return replace(row, **changed) if changed else None


def _rename(text: Any, target: str, path: str) -> Any:
    if isinstance(text, str) and (
        text == target or text.startswith(tuple(f"{target}{mark}" for mark in ".(#"))
    ):
        return path + text[len(target) :]
    return text


# tools


def schema_tool(row: rows.Tool, knowledge: Knowledge) -> Iterator[str]:
    """A tool that is declared by a schema, and the branch that is run for it."""
    parameters = '{"type": "object", "properties": {"order": {"type": "string"}}}'
    branch = ["", "", "def handle(name, arguments):", '    if name == "terminal":',
              f"        {CHARGE}(amount=1)"]  # fmt: skip
    if row.kind == "base" and not row.methods:
        # the constructor of the base class is what takes the methods
        base = use(row.path[0])
        lines = [f"class Work({base.name}):", "    def __init__(self):",
                 "        super().__init__(tools=[self.terminal])", "",
                 "    def terminal(self, order: str):", f"        {CHARGE}(amount=1)"]  # fmt: skip
        yield module(["import stripe", *base.top], lines)
    if row.kind != "schema":
        return
    if row.entries:
        inner: dict[str, Any] = {}
        for entry in row.entries:
            key, _, value = entry.partition(":")
            at = inner
            *outer, last = key.split(".")
            for name in outer:
                at = at.setdefault(name, {})
            at[last] = value or ("terminal" if last == "name" else "PARAMETERS")
        text = repr(inner).replace("'PARAMETERS'", parameters)
        yield module(["import stripe"], [f"TOOLS = [{text}]", *branch])
    for path in row.path:
        reached = use(path)
        name = next((p for p in row.name if isinstance(p, str)), "")
        for schema in row.schema:
            if isinstance(schema, str) and name.isidentifier():
                call = f'{reached.name}({name}="terminal", {schema}={parameters})'
                yield module(["import stripe", *reached.top], [f"TOOLS = [{call}]", *branch])
        if 0 in row.schema or "source_code" in row.body:
            head = ["class Terminal(BaseModel):", "    order: str", "", ""]
            top = ["import stripe", "from pydantic import BaseModel", *reached.top]
            for given in ("Terminal", 'Terminal, name="terminal"'):
                yield module(top, [*head, f"TOOLS = [{reached.name}({given})]", *branch])


# pauses


def pause(row: rows.Pause, knowledge: Knowledge) -> Iterator[str]:
    """A question to a person is no effect, even for a caller that reads."""
    for path in row.path:
        reached = use(path)
        yield acting_tool(reached.top, [f"{reached.name}(order)"])
        yield acting_tool(
            (reached.top[0],), ["given." + reached.name.partition(".")[2] + "(order)"]
        ).replace("order: str, unknown", f"order: str, given: {path.split('.')[-2]}")
        yield tool(reached.top, [f"{reached.name}(order)", f"{CHARGE}(amount=1)"])


# retries


def retry(row: rows.Retry, knowledge: Knowledge) -> Iterator[str]:
    """Policies where they are used, and clients that send again."""
    for path in row.path:
        reached = use(path, "policy_of")
        limit = next((place for place in row.limit if isinstance(place, str)), "")
        policy = f"{reached.name}({limit}=3)" if limit and "." not in limit else f"{reached.name}()"
        offs = [f"{reached.name}({off})" for off in row.off_with]
        for used, made in itertools.product(row.used_at, (policy, *offs)):
            yield from _policy_at(used, reached.top, made)
        if row.mounted_by:
            yield module(
                ("import requests", "import urllib3", *reached.top),
                ["def work(order):", "    client = requests.Session()",
                 "    policy = urllib3.Retry(allowed_methods=['POST'])",
                 f"    client.mount('https://', {reached.name}(max_retries=policy))",
                 '    client.post("https://x.example/y", json={"order": order})'],
            )  # fmt: skip
        if row.kind == "client":
            yield from _resending(row, path, reached)
        if row.kind == "call":
            name = path.rpartition(".")[2]
            yield module(
                ("import requests", f"from celery import {'shared_task'}"),
                ["@shared_task(bind=True)", "def work(self, order):", "    try:", f"        {POST}",
                 "    except OSError as error:", f"        raise self.{name}(exc=error)"],
            )  # fmt: skip
        if row.kind == "kwarg" and limit:
            for given in (f"({limit}=3)", f"({limit}=0)", ""):
                yield module(
                    ("import requests", *use(path).top),
                    [f"@{use(path).name}{given}", "def work(order):", f"    {POST}"],
                )


def _policy_at(used: str, top: tuple[str, ...], policy: str) -> Iterator[str]:
    path, _, place = used.partition("#")
    reached = use(path)
    option = f"{place}={policy}" if not place.isdigit() else policy
    body = ["def work(order):", f"    {POST}"]
    every = ("import requests", *top, *reached.top)
    yield module(every, [f"@{reached.name}({option})", *body])
    yield module(every, [*body, "", "", f'{reached.name}("work", work, {option})'])
    yield module(every, [*body, "", "", f"{reached.name}(work, {option})"])
    yield module(
        (*every, "from langchain_core.tools import tool"),
        ["@tool", *body, "", "", f"{reached.name}(tools=[work], {place}=[{policy}])"],
    )
    yield module(
        (*every, "from temporalio import activity, workflow"),
        ["@activity.defn", *body, "", "", "async def start(order):",
         f"    await {reached.name}(work, order, {option})"],
    )  # fmt: skip
    owner = path.rpartition(".")[0]
    made = use(owner, "server")
    if place.isdigit():
        yield module(
            ("import requests", *top, *made.top, f"server = {made.name}('shop')",
             f"server.{path.rpartition('.')[2]}({policy})"),
            ["@server.tool()", *body],
        )  # fmt: skip


def _resending(row: rows.Retry, path: str, reached: Use) -> Iterator[str]:
    call = 'client.post("https://x.example/y", json={"order": order})'
    allowed = [f"{reached.name}({name}=['POST'])" for name in row.methods_argument]
    for policy in (*allowed, f"{reached.name}()", f"{reached.name}({row.limit[0]}=3)"):
        for client in (
            f"httpx.Client(transport={policy})",
            f"httpx.Client(transport=httpx_retries.RetryTransport(retry={policy}))",
            f"aiohttp_retry.RetryClient(retry_options={policy})",
            f"urllib3.PoolManager(retries={policy})",
            policy,
        ):
            sent = call.replace("post(", 'request("POST", ') if "PoolManager" in client else call
            libraries = [
                f"import {name}"
                for name in ("httpx", "httpx_retries", "aiohttp_retry", "urllib3")
                if f"{name}." in client
            ]
            yield module(
                (*libraries, *reached.top),
                ["def work(order):", f"    client = {client}", f"    {sent}"],
            )
            yield module(
                (*libraries, *reached.top, f"client = {client}"),
                ["def work(order):", f"    {sent}"],
            )
        top = ("import requests", "from requests.adapters import HTTPAdapter", *reached.top)
        adapter = policy if "HTTPAdapter" in path else f"HTTPAdapter(max_retries={policy})"
        yield module(
            (*top, "client = requests.Session()", f"client.mount('https://', {adapter})"),
            ["def work(order):", f"    {call}"],
        )


# guards


def guard(row: rows.Guard, knowledge: Knowledge) -> Iterator[str]:
    """The option of a call of a queue that names the job."""
    for path, key in itertools.product(row.path, row.key or ("key",)):
        if not key.isidentifier():
            continue
        reached = use(path)
        top = ("import stripe", *reached.top)
        yield tool(reached.top, [f"{reached.name}('work', order, {key}=order)"])
        yield retried(reached.top, [f"{reached.name}('work', order, {key}=order)"])
        yield retried(top, [f"with {reached.name}({key}=order):", f"    {CHARGE}(amount=1)"])
        head = ["def charge(order):", f"    {CHARGE}(amount=1)", "", "", "@tool",
                "def terminal(order: str):"]  # fmt: skip
        more = ("from langchain_core.tools import tool", *top)
        yield module(more, [*head, f"    {reached.name}(charge, order, {key}=order)"])
        yield module(more, [f"@{reached.name}({key}='order')", *head, "    charge(order)"])


# ids


def identity(row: rows.Identity, knowledge: Knowledge) -> Iterator[str]:
    """Beside an id that is the same in a second run, a clock makes another record."""
    owner = next(e for e in knowledge.rows("effect") if e.identity and e.identity.argument)
    acting = use(owner.call[0], "db")
    for path in row.path:
        for reached in (use(path), *_by_module(path)):
            for text in (reached.name, f"{reached.name}()"):
                made = f'f"{{{text}}}-{{int(time.time())}}"'.replace('["', "['").replace('"]', "']")
                given = arguments(owner.identity, made)
                top = ("import time", *acting.top, *reached.top)
                yield tool(top, [f"{acting.name}({given})"])


def _by_module(path: str) -> Iterator[Use]:
    names = path.split(".")
    for number in range(1, len(names)):
        for last in range(number + 1, len(names) + 1):
            module_name = ".".join(names[:number])
            called = ".".join(names[number:last])
            rest = "".join(f".{name}" for name in names[last:])
            yield Use((f"from {module_name} import {names[number]}",), f"{called}(){rest}")


# no effect


def quiet(row: rows.Quiet, knowledge: Knowledge) -> Iterator[str]:
    """Methods that are no effect on any object, in a tool whose name says that it acts."""
    for name in row.methods:
        yield acting_tool((), [f"unknown.{name}(order)"])


def programs_for_inventory(table: str, row: Any) -> Iterator[str]:
    """The same in any tool: the inventory has no such method among the calls that are not known."""
    for name in row.methods if table == "quiet" else ():
        yield tool((), [f"unknown.{name}(order)"])


def lock(row: rows.Lock, knowledge: Knowledge) -> Iterator[str]:
    """A lock is no effect."""
    for path in row.path:
        reached = use(path, "lock")
        yield acting_tool((*reached.top, f"lock = {reached.name}()"), ["lock.acquire(order)"])
        yield acting_tool(reached.top, [f"with {reached.name}(order):", "    print(order)"])


def replay(row: rows.Replay, knowledge: Knowledge) -> Iterator[str]:
    """A body that its framework runs again; a result that it keeps."""
    if row.kind != "decorator":
        return
    for path, keeper in itertools.product(row.path, row.kept_in or ("",)):
        reached = use(path)
        work = [f"@{reached.name}()", "def work(order):", f"    {CHARGE}(amount=1)", "", ""]
        yield module(("import stripe", *reached.top), work)
        if keeper:
            outer = use(keeper, "keeper")
            made = [f"@{reached.name}()", "def new_key():", f"    return {FRESH}", "", ""]
            yield module(
                ("import stripe", "import uuid", *reached.top, *outer.top),
                [*made, f"@{outer.name}()", "def start(order):",
                 f"    {CHARGE}(amount=1, idempotency_key=new_key())"],
            )  # fmt: skip
            outer = use(keeper, "keeper")
            yield module(
                ("import stripe", *reached.top, *outer.top),
                [*work, f"@{outer.name}()", "def start(order):", "    work(order)"],
            )


def decorated_type(row: rows.DecoratedType, knowledge: Knowledge) -> Iterator[str]:
    """What a decorator makes of a function: its methods send a task."""
    for path in row.path:
        reached = use(path)
        for rest in (".delay", ".apply_async", ".retry"):
            body = [f"@{reached.name}", "def job(order):", "    print(order)", "", ""]
            top = ("from langchain_core.tools import tool", *reached.top)
            yield module(
                top, [*body, "@tool", "def send_order(order: str):", f"    job{rest}(order)"]
            )
            yield module(
                top,
                [
                    *body,
                    "@tool",
                    "def send_order(order: str):",
                    f"    job{rest}(order, task_id=order)",
                ],
            )


PROGRAMS: dict[str, Callable[[Any, Knowledge], Iterator[str]]] = {
    "effect": effect,
    "host": host,
    "store": store,
    "sql": sql,
    "override": override,
    "type": type_,
    "gives": gives,
    "tool": schema_tool,
    "pause": pause,
    "retry": retry,
    "guard": guard,
    "identity": identity,
    "quiet": quiet,
    "lock": lock,
    "replay": replay,
    "decorated_type": decorated_type,
}


def programs(table: str, row: Any, knowledge: Knowledge) -> Iterator[str]:
    """Programs about a row of a table."""
    if table in PROGRAMS:
        yield from PROGRAMS[table](row, knowledge)

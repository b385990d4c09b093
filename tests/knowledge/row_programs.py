"""Small programs in which one fact of a row of knowledge makes the whole difference.

For each fact there are two programs: one that uses what the row speaks of, and its control, in which
an invented name stands in its place, or the fact is not used. A rule reports in one of them only.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from idemlint.knowledge.facts import snake_case
from idemlint.model.tool_names import ToolNames

if TYPE_CHECKING:
    from idemlint.knowledge import rows
    from idemlint.knowledge.facts import Knowledge

__all__ = ["Claim", "claims"]

Texts = Iterable[str]
INVENTED = "acme"
FRESH = "str(uuid.uuid4())"
PAYLOAD = "order: dict"
CHARGE = "stripe.PaymentIntent.create"
POST = 'requests.post("https://hooks.acme.example/orders", json={"order": order})'
_TOLD_BY_ARGUMENT = re.compile(r'^([\w.]+)\("([^"]*)"\)(?:\.(.*))?$')


@dataclass(frozen=True)
class Claim:
    """`rule` reports in `code` if `reports`, and the other way round in `control`.

    With several calls of one kind in the code, `times` says how often.
    """

    fact: str
    rule: str
    code: str
    control: str
    reports: bool = True
    times: int = 1


# names


@dataclass(frozen=True)
class Use:
    """How an object or call of a path is reached: what stands above, and what it is called then."""

    top: tuple[str, ...]
    name: str


def use(path: str, variable: str = "it") -> Use:
    """How the object of a path is reached, as people do: import the class, make an object."""
    if ")." in path.replace('")', "") and "()." in path:
        maker, _, rest = path.partition("().")
        made = use(maker, f"{variable}_maker")
        return Use((*made.top, f"{variable} = {made.name}()"), _joined(variable, _filled(rest)))
    told = _TOLD_BY_ARGUMENT.match(path)
    if told is not None:
        package = told[1].rpartition(".")[0]
        top = (f"import {package}", f'{variable} = {told[1]}("{told[2]}")')
        return Use(top, _joined(variable, _filled(told[3])) if told[3] else variable)
    names = _filled(path)
    if path.startswith(("**.objects.", "**.things.")):
        top = ("from django.db import models", "class Record(models.Model):\n    id: str")
        return Use(top, _joined("Record", names[1:]))
    if path.startswith("**."):
        if names[1][:1].isupper():
            return Use((f"from {INVENTED}.base import {names[1]}",), names[1])
        return Use((), _joined("unknown", names[1:]))
    if len(names) == 1:
        return Use((), names[0])
    classes = [number for number, name in enumerate(names) if number and name[:1].isupper()]
    if not classes:
        return Use((f"import {names[0]}",), _joined(names[0], names[1:]))
    first = classes[0]
    imported = f"from {'.'.join(names[:first])} import {names[first]}"
    cls = names[first]
    if variable != "it":
        # the class of another object may have the same name
        cls = f"{variable.capitalize()}{cls}"
        imported = f"{imported} as {cls}"
    if first == len(names) - 1:
        return Use((imported,), cls)
    return Use((imported, f"{variable} = {cls}()"), _joined(variable, names[first + 1 :]))


def use_of_class(path: str) -> Use:
    """The same, but a class stands for its objects."""
    reached = use(path)
    if len(reached.top) == 2 and reached.top[1].startswith("it = ") and path.count("(") == 0:
        imported, made = reached.top
        return Use((imported,), made[5:-2] + reached.name[2:])
    return reached


def invented(path: str) -> str:
    """A path like another one, of which nothing is known."""
    if path.startswith("**.objects."):
        return path.replace("objects", "things", 1)
    if path.startswith("**."):
        return f"{path}_{INVENTED}"
    return f"{INVENTED}_{path}" if "." in path else f"{INVENTED}.{path}"


def _filled(path: str) -> list[str]:
    names = []
    for segment in path.split("."):
        name = {"**": "part", "*": "piece"}.get(segment, segment)
        names.append(name.replace("*", "piece"))
    return names


def _joined(first: str, names: Texts) -> str:
    text = first
    for name in names:
        inner = name[1:-1]
        text += f'["{inner or "piece"}"]' if name.startswith("[") else f".{name}"
    return text


def says_nothing(path: str, knowledge: Knowledge) -> bool:
    """Whether a call is silent whatever is known of it: it is named as a read, or makes an object."""
    last = _filled(path)[-1]
    return (
        last[:1].isupper()
        or last in knowledge.container_methods
        or _names(knowledge).read(last).reads
        or (
            not _names(knowledge).read(last).verb
            and "execute" not in last
            and _is_read_noun(last, knowledge)
        )
    )


@functools.cache
def _names(knowledge: Knowledge) -> ToolNames:
    return ToolNames(knowledge)


def _is_read_noun(name: str, knowledge: Knowledge) -> bool:
    return snake_case(name).split("_")[-1] in knowledge.name_lists["words"]["read_nouns"]


# surroundings


def module(top: Texts, lines: Texts) -> str:
    """A module: its imports, what follows them, its body."""
    top = list(dict.fromkeys(top))
    imports = [line for line in top if line.startswith(("import ", "from "))]
    others = [line for line in top if line not in imports]
    return "\n".join([*imports, "", *others, "", "", *lines, ""])


def indented(lines: Texts) -> list[str]:
    """The lines of a block."""
    return [f"    {line}" for line in lines]


def tool(
    top: Texts, lines: Texts, name: str = "terminal", parameters: str = "order: str, unknown"
) -> str:
    """A tool with a body; nothing in its usual name says that it acts."""
    made = "from langchain_core.tools import tool"
    head = ["@tool", f"def {name}({parameters}):"]
    return module([made, *top], [*head, '    """Do the work."""', *indented(lines)])


def acting_tool(top: Texts, lines: Texts) -> str:
    """A tool whose name says that it acts: reported if it calls what is not known."""
    return tool(top, lines, "send_message")


def retried(top: Texts, lines: Texts, parameters: str = "order: str, unknown") -> str:
    """A function that is run again when it fails."""
    head = ["@retry", f"def work({parameters}):"]
    return module(["from tenacity import retry", *top], [*head, *indented(lines)])


def checked(top: Texts, check: str, insert: Texts) -> str:
    """A record is looked up, and made if it is not there."""
    lines = ["def book(order: str, unknown):", f"    if {check}:", "        return False",
             *indented(insert), "    return True"]  # fmt: skip
    return module(top, lines)


# a call with a value in a slot


def arguments(slot: rows.Slot, value: str) -> str | None:
    """The arguments of a call that hold a value in a slot; `None` where it stands elsewhere."""
    if slot.argument:
        return _argument(slot.argument, value)
    within = slot.within or (("headers",) if slot.header else ("json",))
    if slot.entry or slot.header:
        held = f'{{"{slot.entry or slot.header}": {value}}}'
    elif slot.field:
        held = value
        for name in reversed(slot.field.split(".")):
            held = f'{{"{name}": {held}}}'
    else:
        return None
    if any(isinstance(place, str) and not place.isidentifier() for place in within):
        return held
    return _argument(within, held)


def _argument(places: Iterable[int | str], value: str) -> str:
    listed = list(places)
    name = next((place for place in listed if isinstance(place, str)), None)
    if name is not None:
        return f"{name}={value}"
    assert isinstance(listed[0], int)
    return ", ".join([*(f'"{number}"' for number in range(listed[0])), value])


# providers


def effect(row: rows.Effect, knowledge: Knowledge) -> Iterator[Claim]:
    """The calls of a provider: what repeats is reported, what is harmless is not."""
    for path in row.call:
        if row.repeat == "duplicates" or not says_nothing(path, knowledge):
            yield effect_of(row, path)
    yield from _key(row, row.call[0])
    if row.identity is not None:
        named = f"make_{row.serves[0]}" if row.serves else "terminal"
        yield from _in_slot(
            "IDM103", row.identity, row.call[0], functools.partial(tool, name=named)
        )
    if row.condition is not None and row.repeat == "duplicates" and row.condition.argument:
        reached = use(row.call[0])
        value = repr(row.condition.value) if row.condition.value is not None else '"*"'
        filled = tool(reached.top, [f"{reached.name}({_argument(row.condition.argument, value)})"])
        yield Claim("condition", "IDM401", filled, tool(reached.top, [f"{reached.name}()"]), False)


def effect_of(row: rows.Effect, path: str) -> Claim:
    """One call of a provider."""
    duplicates = row.repeat == "duplicates"
    name = f"make_{row.serves[0]}" if row.serves else "terminal"
    texts = []
    for which in (path, invented(path)):
        reached = use(which) if duplicates else use_of_class(which)
        line = f"{reached.name}(order)"
        if row.requests is not None:
            # bundled requests are handed to the call before the one that sends them
            bundled = arguments(row.requests, '[{"insertText": {"text": order}}]')
            line = f"{reached.name[: -len('.execute')]}({bundled}).execute()"
        texts.append(
            tool(reached.top, [line], name) if duplicates else acting_tool(reached.top, [line])
        )
    return Claim(path, "IDM401", *texts, reports=duplicates)


def _key(row: rows.Effect, path: str) -> Iterator[Claim]:
    slot = row.key
    if slot is None:
        return
    if (
        row.repeat == "duplicates"
        and not row.when
        and (slot.argument or slot.entry or slot.header or slot.field)
    ):
        reached, other = use(path), use(invented(path))
        yield Claim(
            "without key",
            "IDM501",
            retried(reached.top, [f"{reached.name}()"]),
            retried(other.top, [f"{other.name}()"]),
        )
    yield from _in_slot("IDM101", slot, path, retried)


def _in_slot(
    rule: str, slot: rows.Slot, path: str, around: Callable[[Texts, Texts], str]
) -> Iterator[Claim]:
    """A fresh value in a slot is reported, in another argument it is not."""
    filled = arguments(slot, FRESH)
    if filled is None:
        return
    reached = use(path)
    top = ("import uuid", *reached.top)
    # a request of Google's client is built by one call, and sent by the next
    name, sent = (
        (reached.name[: -len(".execute")], ".execute()")
        if path.startswith("googleapi")
        else (reached.name, "")
    )
    texts = [around(top, [f"{name}({given}){sent}"]) for given in (filled, f"note={FRESH}")]
    yield Claim(f"{path} {slot.name}", rule, *texts)


def tokens(
    table: dict[str, dict[str, str]], creating: tuple[str, ...]
) -> Iterator[tuple[str, Claim]]:
    """The calls of a service of AWS that take a token."""
    for service, methods in table.items():
        for creates in (True, False):
            listed = [name for name in methods if name.startswith(creating) is creates]
            if not listed:
                continue
            texts = []
            for is_shown in (True, False):
                lines: list[str] = []
                for name in listed:
                    lines += ["@retry", f"def work_{name}(order: str):"]
                    token = methods[name] if is_shown else "Note"
                    given = "Order=order" if creates else f"{token}={FRESH}"
                    lines += [f"    it.{name}({given})", "", ""]
                known = service if is_shown or not creates else f"{INVENTED}{service}"
                top = ["from tenacity import retry", "import uuid", "import boto3"]
                texts.append(module([*top, f'it = boto3.client("{known}")'], lines))
            rule = "IDM501" if creates else "IDM101"
            yield service, Claim(f"{service} {', '.join(listed)}", rule, *texts, times=len(listed))


def host(row: rows.Host, knowledge: Knowledge) -> Iterator[Claim]:
    """Requests to a host of which it is known whether it takes a key."""
    for name in row.host:
        yield _request(row, name, row.path[0] if row.path else "/anything")
    for path in row.path[1:]:
        yield _request(row, row.host[0], path)
    if row.identity is not None:
        url = f'"https://{row.host[0]}{row.path[0] if row.path else "/x"}"'.replace("*", "x")
        filled = arguments(row.identity, FRESH)
        lines = [f"requests.post({url}, {filled})"]
        plain = [f"requests.post({url}, json={{'note': {FRESH}}})"]
        top = ("import requests", "import uuid")
        yield Claim("identity", "IDM103", tool(top, lines), tool(top, plain))


def _request(row: rows.Host, name: str, path: str) -> Claim:
    method = "POST" if "POST" in row.methods else row.methods[0]
    creates = method == "POST" or method in row.creates
    address = f"{name}{path}".replace("**", "x").replace("*", "x")
    texts = []
    for where in (address, f"pay.{INVENTED}.example/orders"):
        url = f'"https://{where}"'
        call = f"requests.{method.lower()}({url}, json={{'order': order}})"
        if row.key is None or (row.when and creates):
            # a tool that is called after what it is: a request to a host without row may be harmless
            texts.append(
                module(
                    ["import requests", "from langchain_core.tools import BaseTool"],
                    ["class Terminal(BaseTool):", '    name = "terminal"', "",
                     "    def _run(self, order: str):", f"        {call}"],
                )
            )  # fmt: skip
        elif creates:
            texts.append(retried(["import requests"], [call]))
        else:
            filled = arguments(row.key, FRESH)
            call = f"requests.{method.lower()}({url}, {filled})"
            texts.append(retried(["import requests", "import uuid"], [call]))
    rule = "IDM401" if row.key is None or row.when else "IDM501" if creates else "IDM101"
    return Claim(f"{name}{path}", rule, *texts)


# HTTP


def http(row: rows.Http, knowledge: Knowledge) -> Iterator[Claim]:
    """Calls that send a request: a `POST` repeats, what reads or overwrites does not."""
    for path in row.path:
        yield http_of(row, path)


def http_of(row: rows.Http, path: str) -> Claim:
    """One call that sends a request."""
    places: dict[int | str, str] = {}
    for listed, value in ((row.method_at, '"POST"'), (row.url_at, '"https://x.example/y"')):
        if listed:
            places[listed[0]] = value
    if row.method_by_body and row.body_at:
        places[row.body_at[0]] = "b'order'"
    by_number = [places[n] for n in sorted(p for p in places if isinstance(p, int))]
    by_name = [f"{name}={value}" for name, value in places.items() if isinstance(name, str)]
    given = ", ".join([*by_number, *by_name, "timeout=order"])
    acts = row.method in ("", "POST")
    texts = []
    for which in (path, invented(path)):
        reached = use(which) if acts else use_of_class(which)
        lines = [f"{reached.name}({given})"]
        if row.method == "GET":
            # where the request is known, an unknown call has to be named as an effect
            lines.append("unknown.deal(order)")
        texts.append((tool if acts else acting_tool)(reached.top, lines))
    return Claim(path, "IDM401", *texts, reports=acts)


def http_request(row: rows.HttpRequest, knowledge: Knowledge) -> Iterator[Claim]:
    """Calls that build what another call of the same library sends."""
    for path in row.path:
        top_name = path.partition(".")[0]
        sender = next(
            sender
            for other in knowledge.rows("http")
            if other.request_at
            for sender in other.path
            if sender.startswith(top_name)
        )
        texts = []
        for method in ("POST", "GET"):
            built, sent = use(path), use(sender, "sender")
            given = {row.url_at[0]: '"https://x.example/y"', row.method_at[0]: f'"{method}"'}
            text = ", ".join(
                [given[n] for n in sorted(p for p in given if isinstance(p, int))]
                + [f"{n}={v}" for n, v in given.items() if isinstance(n, str)]
            )
            lines = [f"request = {built.name}({text})", f"{sent.name}(request)"]
            texts.append(tool([*built.top, *sent.top], lines))
        yield Claim(path, "IDM401", *texts)


def http_client(row: rows.HttpClient, knowledge: Knowledge) -> Iterator[Claim]:
    """Clients that know the address of their host."""
    for path in row.path:
        reached = use(path)
        texts = []
        for address in ("api.stripe.com", "pay.acme.example"):
            given = _argument(row.base_at, f'"https://{address}/v1"')
            top = (*reached.top, f"client = {reached.name}({given})")
            texts.append(retried(top, ['client.post("/charges", json={"order": order})']))
        yield Claim(path, "IDM501", *texts)
        if row.default_headers_at:
            texts = []
            for header in ("Idempotency-Key", "Note"):
                given = _argument(row.default_headers_at, f'{{"{header}": {FRESH}}}')
                lines = [f"client = {reached.name}({given})", 'client.post("https://x.example/y")']
                texts.append(retried(("import uuid", *reached.top), lines))
            yield Claim(f"{path} headers", "IDM101", *texts)


# what names stand for


def type_(row: rows.TypeName, knowledge: Knowledge) -> Iterator[Claim]:
    """Other paths of an object."""
    for path in row.path:
        yield from _standing_for(path, row.target, knowledge)


def gives(row: rows.Gives, knowledge: Knowledge) -> Iterator[Claim]:
    """What calls give."""
    for path in row.path:
        yield from _standing_for(f"{path}()", row.target, knowledge)


def _standing_for(path: str, target: str, knowledge: Knowledge) -> Iterator[Claim]:
    """The first claim of another row about the object, with the other name of it."""
    for known, make in known_by(knowledge):
        rest = known[len(target) :]
        if known.startswith(target) and (not rest or rest[0] == ".") and (rest or "()" not in path):
            claim = make(path + rest)
            if claim is not None:
                yield Claim(path, claim.rule, claim.code, claim.control, claim.reports, claim.times)
                return
    if path.count("()") < 3:
        for row in (*knowledge.rows("gives"), *knowledge.rows("type")):
            made = "()" if row in knowledge.rows("gives") else ""
            for known in row.path:
                if known.startswith(f"{target}.") and row.target != target and "**" not in known:
                    for claim in _standing_for(
                        f"{path}{known[len(target) :]}{made}", row.target, knowledge
                    ):
                        if claim.code:
                            yield Claim(path, claim.rule, claim.code, claim.control, claim.reports)
                            return


def type_argument(row: rows.TypeArgument, knowledge: Knowledge) -> Iterator[Claim]:
    """Attributes whose type is an argument of the generic type of their object."""
    for path in row.path:
        owner, _, attribute = path.rpartition(".")
        texts = []
        for which in (owner, invented(owner)):
            reached = use(which)
            given = ", ".join([*("None" for _ in range(row.argument)), "Deps", "None"])
            name = reached.name.partition(".")[0]
            steps = reached.name[len(name) :]
            lines = ["@dataclass", "class Deps:", "    client: StripeClient", "", "", "@tool",
                     f"def terminal(context: {name}[{given}], cents: int):",
                     f"    context{steps}.{attribute}.client.payment_intents.create({{}})"]  # fmt: skip
            top = ("from dataclasses import dataclass", "from stripe import StripeClient",
                   "from langchain_core.tools import tool", reached.top[0])  # fmt: skip
            texts.append(module(top, lines))
        yield Claim(path, "IDM401", *texts)


def decorated_type(row: rows.DecoratedType, knowledge: Knowledge) -> Iterator[Claim]:
    """What a decorator makes of a function."""
    methods = [
        call[len(row.target) + 1 :]
        for known in knowledge.rows("effect")
        if known.repeat == "duplicates"
        for call in known.call
        if call.startswith(f"{row.target}.")
    ]
    for path in row.path if methods else ():
        method = methods[0]
        texts = []
        for which in (path, invented(path)):
            reached = use(which)
            lines = [f"@{reached.name}", "def job(order):", "    print(order)", "", "", "@tool",
                     "def terminal(order: str):", f"    job.{method}(order)"]  # fmt: skip
            texts.append(module(["from langchain_core.tools import tool", *reached.top], lines))
        yield Claim(path, "IDM401", *texts)


def decorated_parameter(row: rows.DecoratedParameter, knowledge: Knowledge) -> Iterator[Claim]:
    """What a decorator passes to a function: here the task, whose id is renewed at each retry."""
    for path in row.path:
        reached = use(path)
        texts = []
        for value in ("True", "False"):
            given = f"{row.option}={value}, max_retries=3"
            lines = [f"@{reached.name}({given})", "def job(self, order):",
                     f'    {CHARGE}(idempotency_key=f"{{order}}-{{self.request.retries}}")']  # fmt: skip
            texts.append(module(["import stripe", *reached.top], lines))
        yield Claim(path, "IDM101", *texts)


def caller(row: rows.Caller, knowledge: Knowledge) -> Iterator[Claim]:
    """Calls that call what they are given."""
    for path in row.path:
        texts = []
        for which in (path, invented(path)):
            if path.startswith("**."):
                reached = Use(("import asyncio",), f"asyncio.get_running_loop().{which[3:]}")
            else:
                reached = use(which)
            given = ", ".join([*("None" for _ in range(row.calls)), "charge"])
            call = f"{reached.name}({given})" + ("()" if row.later else "")
            lines = ["def charge(cents=1):", f"    {CHARGE}(amount=cents)", "", "", "@tool",
                     "def terminal(order: str):", f"    {call}"]  # fmt: skip
            top = ("import stripe", "from langchain_core.tools import tool", *reached.top)
            texts.append(module(top, lines))
        yield Claim(path, "IDM401", *texts)


def graph(row: rows.Graph, knowledge: Knowledge) -> Iterator[Claim]:
    """A tool that runs a graph does what the nodes of the graph do."""
    for path, run in itertools.product(row.path, row.run):
        texts = []
        for which in (path, invented(path)):
            reached = use(which)
            lines = ["def charge(state):", f"    {CHARGE}(amount=1)", "", "",
                     f"graph = {reached.name}(dict)", f'graph.{row.add}("charge", charge)',
                     "built = graph.compile()", "", "", "@tool", "def terminal(order: str):",
                     f"    built.{run}({{}})"]  # fmt: skip
            top = ("import stripe", "from langchain_core.tools import tool", *reached.top)
            texts.append(module(top, lines))
        yield Claim(f"{path} {run}", "IDM401", *texts)


def receiver_name(row: rows.ReceiverName, knowledge: Knowledge) -> Iterator[Claim]:
    """Objects by their usual name, in a module that uses their library."""
    for name in row.names:
        for known, make in known_by(knowledge):
            if known.startswith(f"{row.target}."):
                claim = make(known)
                if claim is None or "it" not in claim.code:
                    continue
                imports = f"import {row.imports[0]}\n"
                code = claim.code
                kept = [line for line in code.splitlines() if not line.startswith("it = ")]
                shown = re.sub(r"\bit\.", f"{name}.", "\n".join(kept)).replace("unknown", name)
                other = re.sub(rf"\b{name}\b", f"{INVENTED}_thing", shown)
                yield Claim(name, claim.rule, imports + shown, imports + other, claim.reports)
                break


# stores


def store(row: rows.Store, knowledge: Knowledge) -> Iterator[Claim]:
    """The calls of a store, by their roles."""
    for path, make in _store_facts(row):
        claim = make(path)
        if claim is not None and (
            claim.rule != "IDM401" or claim.reports or not says_nothing(path, knowledge)
        ):
            yield claim


StoreFact = tuple[str, "functools.partial[Claim | None]"]


def _store_facts(row: rows.Store) -> Iterator[StoreFact]:
    inserts = _inserts(row)
    for path in row.check:
        if inserts:
            yield path, functools.partial(_race, row, insert=_nearest(inserts, path))
    for path in inserts:
        if row.check and path not in row.merge:
            yield path, functools.partial(_race_by_insert, row)
    for path in (*row.counter, *(row.insert if not row.overwrites else ())):
        yield path, functools.partial(_repeats, row)
    for path in (*row.atomic, *row.upsert, *row.update, *row.delete, *row.commit):
        yield path, functools.partial(_is_harmless, row)
    for path in row.exec:
        yield path, functools.partial(_executes, row)
    for form in row.forms:
        yield form.call, functools.partial(_form, row, form)
    for statement in row.statements:
        for path in statement.path:
            yield path, functools.partial(_statement, row, statement.role)
    for error in row.violation:
        if (row.check and row.insert) or row.exec:
            yield error, functools.partial(_refused, row)


def _nearest(paths: Iterable[str], path: str) -> str:
    """The call of the same object, else of the same library."""

    def likeness(other: str) -> tuple[bool, int]:
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(other, path, strict=False))
        return "**" not in other, len(list(same))

    return max(paths, key=likeness)


def _inserts(row: rows.Store) -> list[str]:
    return [path for path in row.insert if path not in row.merge] or [
        form.call for form in row.forms if form.role == "insert"
    ]


def _subject(row: rows.Store) -> str:
    if row.target == "model":
        return "Record"
    decides = {place for form in row.forms for place in form.argument}
    if not row.subject or not decides.isdisjoint(row.subject):
        return "order"
    return _argument(row.subject, "order")


def _top(row: rows.Store, *uses: Use) -> list[str]:
    libraries = [f"import {name}" for name in row.imports[:1]]
    top = [line for reached in uses for line in reached.top]
    if row.target == "model" and not any("class Record" in line for line in top):
        top.append("class Record:\n    id: str")
    return [*libraries, *top]


def _inserting(row: rows.Store, path: str, name: str) -> str:
    form = next((f for f in row.forms if f.call == path and f.role == "insert"), None)
    given = "Record()" if row.target == "model" else _subject(row)
    if form is not None:
        given += f", {_argument(form.argument, repr(form.value))}"
        if row.kind == "file":
            given = (
                f"order, {form.value!r}"
                if not name.endswith(".open") or "aiofiles" in path
                else f"{form.value!r}"
            )
    return f"{name}({given})"


def _race(row: rows.Store, path: str, insert: str) -> Claim:
    texts = []
    for which in (path, invented(path)):
        check = use(which, "it")
        created = use(insert, "it" if which == path else "other")
        if row.kind == "file":
            on_path = ".Path." in path or (
                path.rpartition(".")[0][:1] != "o" and "aiofiles" not in path
            )
            if on_path:
                check = Use((check.top[0],), check.name.replace("it.", "Path(order)."))
            created = Use((), "Path(order).write_text") if on_path else Use((), "open")
            insert = "pathlib.Path.write_text" if on_path else "open"
        line = _inserting(row, insert, created.name)
        texts.append(checked(_top(row, check, created), f"{check.name}({_subject(row)})", [line]))
    return Claim(f"check {path}", "IDM301", *texts)


def _race_by_insert(row: rows.Store, path: str) -> Claim:
    texts = []
    for which in (path, invented(path)):
        created = use(which, "it")
        check = use(_nearest(row.check, path), "it" if which == path else "other")
        if row.kind == "file" and "Path" in path:
            created = Use((created.top[0],), created.name.replace("it.", "Path(order)."))
            check = Use((), "Path(order).exists")
        line = _inserting(row, path, created.name)
        texts.append(checked(_top(row, check, created), f"{check.name}({_subject(row)})", [line]))
    return Claim(f"insert {path}", "IDM301", *texts)


def _repeats(row: rows.Store, path: str) -> Claim:
    texts = []
    for which in (path, invented(path)):
        reached = use(which)
        texts.append(tool(_top(row, reached), [_inserting(row, path, reached.name)]))
    return Claim(f"repeats {path}", "IDM401", *texts)


def _is_harmless(row: rows.Store, path: str) -> Claim:
    texts = []
    for which in (path, invented(path)):
        reached = use_of_class(which)
        line = f"{reached.name}({_subject(row)})"
        texts.append(acting_tool(_top(row, reached), [line]))
    return Claim(f"harmless {path}", "IDM401", *texts, reports=False)


def _statement(row: rows.Store, role: str, path: str) -> Claim | None:
    """A statement object that is run: what it does is known by the calls that built it."""
    run = use(next(p for p in row.exec if p.endswith("Session.execute")), "session")
    if path.startswith("**"):
        if role not in ("atomic", "upsert"):
            return None
        last = _filled(path)[1]
        texts = []
        for name in (last, f"{last}_{INVENTED}"):
            built = ["from sqlalchemy.dialects.postgresql import insert"]
            lines = [
                f"statement = insert(Record).values(id=order).{name}()",
                f"{run.name}(statement)",
            ]
            texts.append(tool(_top(row, run, Use(tuple(built), "")), lines))
        return Claim(f"statement {path}", "IDM401", *texts, reports=False)
    texts = []
    for which in (path, invented(path)):
        reached = use(which)
        made = f"{reached.name}(Record)"
        if role == "check":
            lines = [
                "def book(order: str):",
                f"    if not {run.name}({made}).first():",
                "        session.add(Record())",
            ]
            texts.append(module(_top(row, run, reached), lines))
        elif role == "insert":
            texts.append(tool(_top(row, run, reached), [f"{run.name}({made})"]))
        else:
            texts.append(acting_tool(_top(row, run, reached), [f"{run.name}({made})"]))
    rule = "IDM301" if role == "check" else "IDM401"
    return Claim(f"statement {path}", rule, *texts, reports=role in ("check", "insert"))


INSERT = '"INSERT INTO orders (item) VALUES (?)", (order,)'


def _executes(row: rows.Store, path: str) -> Claim:
    texts = []
    for which in (path, invented(path)):
        reached = use(which)
        texts.append(tool(_top(row, reached), [f"{reached.name}({INSERT})"]))
    return Claim(f"runs {path}", "IDM401", *texts)


def _form(row: rows.Store, form: rows.Form, path: str) -> Claim | None:
    reached = use(path)
    value = repr(form.value) if form.value is not None else "order"
    filled = f"{_subject(row)}, {_argument(form.argument, value)}"
    if form.role == "insert" and not row.check and row.kind != "file":
        # nothing is looked up there: that it writes is told by itself
        texts = [
            tool(_top(row, reached), [f"{reached.name}({given})"])
            for given in (filled, _subject(row))
        ]
        return Claim(f"form {path}", "IDM401", *texts)
    check = use(_nearest(row.check, path) if row.kind != "file" else "os.path.exists")
    if row.kind == "file":
        if form.role == "insert":
            return None
        plain, filled = "order, 'w'", f"order, {value}"
        if path.startswith("pathlib"):
            plain, filled = "'w'", value
            check = use("pathlib.Path.exists")
    elif form.call in row.update:
        lines = [f"{CHARGE}(amount=1)"]
        top = ("import stripe", *_top(row, reached))
        texts = [
            tool(top, [f"{reached.name}({given})", *lines]) for given in (filled, _subject(row))
        ]
        return (
            Claim(f"form {path}", "IDM401", *texts, reports=False)
            if form.role == "atomic"
            else None
        )
    elif form.role == "insert":
        plain, filled = filled, _subject(row)
    else:
        plain = _subject(row)
    texts = [
        checked(
            _top(row, check, reached),
            f"{check.name}({_subject(row)})",
            [f"{reached.name}({given})"],
        )
        for given in (filled, plain)
    ]
    return Claim(f"form {path} {form.argument[0]}={form.value}", "IDM301", *texts, reports=False)


def _refused(row: rows.Store, error: str) -> Claim:
    texts = []
    for which in (error, f"{INVENTED}_errors.OtherError"):
        caught = use(which)
        if row.check and _inserts(row):
            insert = use(_inserts(row)[0])
            check = use(_nearest(row.check, _inserts(row)[0]))
            line = _inserting(row, _inserts(row)[0], insert.name)
            question = f"{check.name}({_subject(row)})"
        else:
            path = next(p for p in row.exec if not p.startswith("**"))
            check = insert = use(path)
            line, question = (
                f"{insert.name}({INSERT})",
                f'{insert.name}("SELECT 1 FROM orders WHERE item = ?", (order,)).fetchone()',
            )
        lines = ["try:", f"    {line}", f"except {caught.name}:", "    return"]
        texts.append(checked(_top(row, check, insert, caught), question, lines))
    return Claim(f"refused by {error}", "IDM301", *texts, reports=False)


def lock(row: rows.Lock, knowledge: Knowledge) -> Iterator[Claim]:
    """What keeps two runs apart."""
    for path in row.path if row.across_processes else ():
        texts = []
        for which in (path, invented(path)):
            reached = use(which)
            lines = ["def book(db: sqlite3.Connection, email: str):",
                     f"    with {reached.name}(email):",
                     '        asked = db.execute("SELECT 1 FROM users WHERE email = ?", (email,))',
                     "        if asked.fetchone() is None:",
                     '            db.execute("INSERT INTO users (email) VALUES (?)", [email])']  # fmt: skip
            texts.append(module(["import sqlite3", *reached.top], lines))
        yield Claim(path, "IDM301", *texts, reports=False)


# tools


def tool_row(row: rows.Tool, knowledge: Knowledge) -> Iterator[Claim]:
    """How a function becomes a tool."""
    for path in row.path:
        claim = tool_of(row, path)
        if claim is not None:
            yield claim
    if row.kind in ("decorator", "call") and (row.body or row.bodies or row.kind == "decorator"):
        for hidden in row.hidden_types:
            yield _hidden(row, "idempotency_key: {}", hidden)
        for hidden in row.hidden_defaults:
            yield _hidden(row, "idempotency_key: str = {}()", hidden)
        for hidden in row.hidden_metadata:
            yield _hidden(row, "idempotency_key: Annotated[str, {}()]", hidden)


def tool_of(row: rows.Tool, path: str) -> Claim | None:
    """One name by which a function becomes a tool."""
    texts = [_made_tool(row, which) for which in (path, invented(path))]
    if None in texts:
        return None
    return Claim(path, "IDM401", *texts)  # type: ignore[arg-type]


def _made_tool(
    row: rows.Tool, path: str, parameters: str = "order: str", top: Texts = ()
) -> str | None:
    reached = use(path)
    every = ["import stripe", *top, *reached.top]
    if row.hidden_first:
        parameters = f"context, {parameters}"
    body = [f"    {CHARGE}(amount=1)"]
    if row.kind == "decorator":
        places = dict.fromkeys(row.name[:1], '"terminal"')
        if isinstance(next(iter(places), None), int):
            given = '("terminal")'
        else:
            given = "()" if "." in reached.name or row.name else ""
        if row.framework == "claude-agent-sdk":
            given = '("terminal", "Do it", {"order": str})'
        return module(
            every,
            [f"@{reached.name}{given}", f"def terminal({parameters}):", '    """Do it."""', *body],
        )
    if row.kind == "base" and row.methods:
        members = [f'    {name} = "terminal"' for name in row.needs]
        lines = [
            f"class Terminal({reached.name}):",
            *members,
            f"    def {row.methods[0]}(self, {parameters}):",
            f"        {CHARGE}(amount=1)",
        ]
        return module(every, lines)
    function = [f"def terminal({parameters}):", '    """Do it."""', *body, "", ""]
    if row.kind == "call" and row.body:
        return module(every, [*function, f"{reached.name}({_argument(row.body, 'terminal')})"])
    if path.endswith(".__init__"):
        owner = use(path.rpartition(".")[0])
        lines = [f"class Work({owner.name}):", "    def __init__(self):",
                 "        super().__init__(tools=[self.terminal])", "",
                 f"    def terminal(self, {parameters}):", f"    {body[0]}"]  # fmt: skip
        return module(["import stripe", *owner.top], lines)
    if row.kind == "call":
        return module(every, [*function, f"{reached.name}({_argument(row.bodies, '[terminal]')})"])
    return None


def _hidden(row: rows.Tool, parameter: str, hidden: str) -> Claim:
    """A key that the framework fills in is none that the model passes."""
    texts = []
    for which in (hidden, f"{invented(hidden)}{INVENTED}"):
        reached = use(which)
        text = _made_tool(
            row,
            row.path[0],
            parameter.format(reached.name),
            ["from typing import Annotated", *reached.top],
        )
        assert text is not None
        texts.append(text)
    return Claim(f"hidden {hidden}", "IDM401", *texts)


def pause(row: rows.Pause, knowledge: Knowledge) -> Iterator[Claim]:
    """What waits for a person: what was done before is done again, or not."""
    for path in row.path:
        if row.replays or not says_nothing(path, knowledge):
            yield pause_of(row, path)


def pause_of(row: rows.Pause, path: str) -> Claim:
    """One call that waits."""
    texts = []
    for which in (path, invented(path)):
        if row.replays:
            reached = use(which)
            act = {"raise": "raise", "return": "return"}.get(row.form, "answer =")
            lines = [f"{CHARGE}(amount=1, idempotency_key=None)", f"{act} {reached.name}(order)"]
            texts.append(tool(("import stripe", *reached.top), lines))
        else:
            reached = use_of_class(which)
            texts.append(acting_tool(reached.top, [f"{reached.name}(order)"]))
    return Claim(path, "IDM201" if row.replays else "IDM401", *texts, reports=row.replays)


def replay(row: rows.Replay, knowledge: Knowledge) -> Iterator[Claim]:
    """What a framework can run again: its effects need the key."""
    for path in row.path:
        yield replay_of(row, path)


def replay_of(row: rows.Replay, path: str) -> Claim:
    """One name by which a body can be run again."""
    texts = []
    option = f"{row.only_with[0]}=3" if row.only_with and not row.by_default else ""
    for which in (path, invented(path)):
        reached = use(which)
        body = [f"    {CHARGE}(amount=1)"]
        top = ("import stripe", *reached.top)
        if row.kind == "decorator":
            given = f"({option})" if option or "." in reached.name else ""
            lines = [f"@{reached.name}{given}", "def work(order):", *body]
        elif row.kind == "base":
            lines = [
                f"class Work({reached.name}):",
                f"    def {row.methods[0]}(self, order):",
                *indented(body),
            ]
        elif row.kind == "name":
            which.rpartition(".")[2]
            top = ("import stripe",)
            lines = [f"def {path if which == path else 'acme_' + path}(event, context):", *body]
        elif row.bodies:
            lines = [
                "def work(order):",
                *body,
                "",
                "",
                f"{reached.name}({_argument(row.bodies, '[work]')})",
            ]
        else:
            given = _argument(row.body or (0,), "work")
            lines = ["def work(order):", *body, "", "", f"{reached.name}({given})"]
        texts.append(module(top, lines))
    return Claim(path, "IDM501", *texts)


def retry(row: rows.Retry, knowledge: Knowledge) -> Iterator[Claim]:
    """What runs a function, a block or a request again."""
    for path in row.path:
        claim = retry_of(row, path)
        if claim is not None:
            yield claim


def retry_of(row: rows.Retry, path: str) -> Claim | None:
    """One name of what runs something again."""
    texts = []
    for which in (path, invented(path)):
        reached = use(which)
        top = ("import requests", *reached.top)
        if row.kind == "decorator":
            given = "()" if row.limit else ""
            lines = [f"@{reached.name}{given}", "def work(order):", f"    {POST}"]
        elif row.kind == "iterator":
            lines = [
                "def work(order):",
                f"    for attempt in {reached.name}():",
                "        with attempt:",
                f"            return {POST}",
            ]
        elif row.kind == "caller":
            given = ", ".join([*('"name"' for _ in range(int(row.body[0]))), "work"])
            made = (
                f"{reached.name}()"
                if row.body[0] != 0 and reached.name[:1].isupper()
                else reached.name
            )
            lines = [
                "def work(order):",
                f"    {POST}",
                "",
                "",
                "def start(order):",
                f"    {made}({given})",
            ]
        elif row.kind == "kwarg" and path.endswith(".execute"):
            option = row.limit[0] if which == path else INVENTED
            lines = ['service = googleapiclient.discovery.build("calendar")', "", "", "def work(order):",
                     f"    service.events().insert(body=order).execute({option}=3)"]  # fmt: skip
            top = ("import googleapiclient.discovery",)
        elif row.kind == "kwarg":
            lines = [f"@{reached.name}({row.limit[0]}=3)", "def work(order):", f"    {POST}"]
        else:
            return None
        texts.append(module(top, lines))
    return Claim(path, "IDM204", *texts)


def guard(row: rows.Guard, knowledge: Knowledge) -> Iterator[Claim]:
    """What makes a repeat harmless."""
    for path in row.path if row.guards else ():
        texts = []
        for which in (path, invented(path)):
            reached = use(which)
            top = ("import stripe", *reached.top)
            if row.kind == "context-manager":
                lines = [f"with {reached.name}(order):", f"    {CHARGE}(amount=1)"]
                texts.append(tool(top, lines))
                continue
            if row.kind == "kwarg" and row.framework != "inngest":
                continue
            option = f"({row.key[0]}=order_key)" if row.kind == "kwarg" else ""
            lines = ["order_key = 'order'", "", "", f"@{reached.name}{option}", "def charge(order):",
                     f"    {CHARGE}(amount=1)", "", "", "@tool", "def terminal(order: str):",
                     "    charge(order)"]  # fmt: skip
            texts.append(module(["from langchain_core.tools import tool", *top], lines))
        if texts:
            yield Claim(path, "IDM401", *texts, reports=False)


def hint(row: rows.Hint, knowledge: Knowledge) -> Iterator[Claim]:
    """How a tool tells that it only reads."""
    for path, name in itertools.product(row.path, (*row.read_only, *row.idempotent)):
        texts = []
        for which in (name, f"{INVENTED}_{name}"):
            owner = next(
                t for t in knowledge.rows("tool") if t.hints and t.kind == "decorator"
                and t.framework == row.framework and "add" not in t.id
            )  # fmt: skip
            made = use(owner.path[0])
            hints = next(place for place in owner.hints if isinstance(place, str))
            if path in owner.path:
                value, top = f'{{"{which}": True}}', list(made.top)
            else:
                reached = use(path, "hints_of")
                value, top = f"{reached.name}({which}=True)", [*made.top, *reached.top]
            given = f"{hints}={value}"
            if owner.framework == "claude-agent-sdk":
                given = f'"terminal", "Do it", {{"order": str}}, {given}'
            lines = [
                f"@{made.name}({given})",
                "def terminal(order: str):",
                '    """Do it."""',
                f"    {CHARGE}(amount=1)",
            ]
            texts.append(module(["import stripe", *top], lines))
        yield Claim(f"{path} {name}", "IDM404", *texts)


# values


def keyed(top: Texts, value: str, parameters: str = "order: str, unknown") -> str:
    """A tool that takes money, with a value as its key."""
    lines = [f"key = {value}", f"{CHARGE}(amount=1, idempotency_key=key)"]
    return tool(["import stripe", *top], lines, parameters=parameters)


def value(row: rows.NamedValue, knowledge: Knowledge) -> Iterator[Claim]:
    """What calls give."""
    rule = "IDM102" if row.kind == "clock" else "IDM101"
    for path in row.path:
        given = FRESH if row.kind == "pure" else ""
        if row.fewer_arguments_than > 1:
            given = '"%s"'
        texts = []
        for which in (path, f"{invented(path)}_{INVENTED}"):
            reached = use(which)
            texts.append(keyed(("import uuid", *reached.top), f"{reached.name}({given})"))
        yield Claim(path, rule, *texts)
        if row.fewer_arguments_than:
            reached = use(path)
            full = ", ".join(["order"] * row.fewer_arguments_than)
            with_all = keyed(reached.top, f"{reached.name}({full})")
            yield Claim(f"{path} of arguments", rule, with_all, texts[0], reports=False)


def pure_method(row: rows.PureMethod, knowledge: Knowledge) -> Iterator[Claim]:
    """Methods whose result is what their object is."""
    for name in row.name:
        shown = keyed(("import uuid",), f"uuid.uuid4().{name}()")
        yield Claim(
            name, "IDM101", shown, keyed(("import uuid",), f"uuid.uuid4().{INVENTED}_{name}()")
        )


def unstable(row: rows.Unstable, knowledge: Knowledge) -> Iterator[Claim]:
    """Calls that give another value in another process."""
    for path in row.path:
        texts = []
        for which in (path, invented(path)):
            reached = use(which)
            lines: list[str] = []
            inner = f"{reached.name}(order)"
            if row.shows:
                lines = ["class Order:", "    pass", "", ""]
                inner = f"{reached.name}(Order())"
            if row.fix == "sorted":
                inner = f"list({inner})"
            texts.append("\n".join(lines) + keyed(reached.top, f"str({inner})", PAYLOAD))
        yield Claim(path, "IDM104", *texts)
        if row.unless:
            reached = use(path)
            off = keyed(reached.top, f"str({reached.name}(order, {row.unless}=True))", PAYLOAD)
            yield Claim(f"{path} {row.unless}", "IDM104", off, texts[0], reports=False)


def identity(row: rows.Identity, knowledge: Knowledge) -> Iterator[Claim]:
    """Ids that a framework hands to a body."""
    rule = {"call-id": "IDM105", "attempt": "IDM101", "coarse": "IDM106"}.get(row.kind, "stable")
    for name in row.parameter:
        texts = [keyed((), which, f"{which}: str") for which in (name, f"{INVENTED}_thing")]
        yield Claim(name, rule, *texts)
    for path in row.path if rule != "stable" else ():
        texts = []
        for which in (path, invented(path)):
            names = _filled(which)
            at = next((n for n, part in enumerate(names) if n and part[:1].isupper()), None)
            if at is None:
                reached = use(which)
                texts.append(keyed(reached.top, reached.name))
            else:
                top = f"from {'.'.join(names[:at])} import {names[at]}"
                steps = [{"create": "create()", "[]": "[0]"}.get(n, n) for n in names[at + 1 :]]
                text = _joined("context", steps).replace('["0"]', "[0]")
                typed = f"context: {names[at]}, order: str"
                if not steps:
                    top_annotated, typed = (
                        "from typing import Annotated",
                        f"context: Annotated[str, {names[at]}()]",
                    )
                    texts.append(keyed((top, top_annotated), text, typed))
                    continue
                texts.append(keyed((top,), text, typed))
        yield Claim(path, rule, *texts)


# no effect


def quiet(row: rows.Quiet, knowledge: Knowledge) -> Iterator[Claim]:
    """Calls that are no effect, though the name of the tool says that it acts."""
    for path in row.path:
        if says_nothing(path, knowledge):
            continue
        texts = []
        for which in (path, invented(path)):
            reached = use_of_class(which)
            texts.append(acting_tool(reached.top, [f"{reached.name}(order)"]))
        yield Claim(path, "IDM401", *texts, reports=False)
    for name in row.names:
        texts = [
            tool((), [f"{which}.publish(order)"], "send_message", f"order: str, {which}")
            for which in (name, f"{INVENTED}_thing")
        ]
        yield Claim(f"name {name}", "IDM401", *texts, reports=False)


def verb(row: rows.Verb, knowledge: Knowledge) -> Iterator[Claim]:
    """What the name of a tool says."""
    verbs = {name for other in knowledge.rows("verb") for name in other.verbs}
    free = [word for word in row.objects if word not in verbs]
    rest = free[0] if free else "thingummy"
    for name in row.verbs:
        if row.report == "yes":
            around = functools.partial(_named_tool, "unknown.deal(order)")
        elif row.report == "no":
            around = functools.partial(_named_tool, POST)
        else:
            around = _named_class
        # the name of a vendor at the start is dropped
        alone = name in knowledge.name_lists["words"]["vendors"]
        shown = name if alone else f"{name}_{rest}"
        texts = [around(which) for which in (shown, f"{INVENTED}_deal_{rest}")]
        yield Claim(name, "IDM401", *texts, reports=row.report != "no")


def _named_tool(call: str, name: str) -> str:
    return tool(["import requests"], [call], name)


def _named_class(name: str) -> str:
    """A class is named by what it is, unless there is a verb in its name."""
    lines = ["class Terminal(BaseTool):", f'    name = "{name}"', "",
             "    def _run(self, order: str):", f"        {POST}"]  # fmt: skip
    return module(["import requests", "from langchain_core.tools import BaseTool"], lines)


# lists of names


def names(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """What a key is called: a tool that takes one is silent."""
    for name in lists["exact"]:
        texts = [
            tool(["import requests"], [POST], parameters=f"order: str, {which}: str")
            for which in (name, f"{INVENTED}_thing")
        ]
        yield Claim(f"exact {name}", "IDM401", *texts, reports=False)
    for name in lists["headers"]:
        texts = []
        for which in (name, f"x-{INVENTED}"):
            call = f'requests.post("https://x.example/y", headers={{"{which}": {FRESH}}})'
            texts.append(tool(["import requests", "import uuid"], [call]))
        yield Claim(f"header {name}", "IDM101", *texts)


def conflicts(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """What says that a key was used before."""
    for name in lists["errors"]:
        texts = []
        for which in (name, f"{INVENTED}.OtherError"):
            reached = use(which) if "." in which else Use((f"from errors import {which}",), which)
            lines = ["def pay(order):", "    try:",
                     f"        done = {CHARGE}(amount=1, idempotency_key=order)",
                     f"    except {reached.name}:",
                     f'        done = {CHARGE}(amount=1, idempotency_key=f"{{order}}b")',
                     "    return done.id"]  # fmt: skip
            texts.append(module(["import stripe", *reached.top], lines))
        yield Claim(f"error {name}", "IDM502", *texts)


def refusals(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """What proves that nothing happened: sending again is no repeat."""
    for name in lists["errors"]:
        texts = []
        for which in (name, f"{INVENTED}.OtherError"):
            reached = use(which) if "." in which else Use((f"from errors import {which}",), which)
            lines = ["def work(order):", "    for attempt in range(3):", "        try:",
                     f"            return {POST}", f"        except {reached.name}:",
                     "            continue"]  # fmt: skip
            texts.append(module(["import requests", *reached.top], lines))
        yield Claim(f"error {name}", "IDM204", *texts, reports=False)


def post_reads(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """Requests by `POST` that only read."""
    addresses = [f"x.example{end if end[0] == '/' else '/' + end}" for end in lists["ends"]]
    addresses += [f"x.example/{way}" for v in lists["verbs"] for way in (f"{v}Orders", f"of/{v}")]
    for address in (*addresses, *(f"{host}/anything" for host in lists["hosts"])):
        texts = [
            tool(
                ["import requests"], [f'requests.post("https://{which}", json={{"order": order}})']
            )
            for which in (address, "x.example/orders")
        ]
        yield Claim(address, "IDM401", *texts, reports=False)


def memory(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """What lives as long as the process."""
    for path in lists["containers"]:
        texts = []
        for which in (path, invented(path)):
            reached = use(which)
            lines = [f"sent = {reached.name}()", "", "", "@tool",
                     "def report(order: str, idempotency_key: str):", '    """Report it."""',
                     "    if idempotency_key in sent:", "        return", f"    {POST}",
                     "    sent[idempotency_key] = True"]  # fmt: skip
            top = ("import requests", "from langchain_core.tools import tool", *reached.top)
            texts.append(module(top, lines))
        yield Claim(f"container {path}", "IDM302", *texts)


def sql_results(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """What reads the result of the statement that an object ran last."""
    for name in lists["methods"]:
        texts = []
        for which in (name, f"{INVENTED}_result"):
            lines = ['cursor = sqlite3.connect("sent.db").cursor()',
                     'cursor.execute("SELECT 1 FROM sent WHERE key = ?", (idempotency_key,))',
                     f"if not cursor.{which}():", f"    {POST}",
                     '    cursor.execute("INSERT INTO sent VALUES (?)", (idempotency_key,))']  # fmt: skip
            top = ("import sqlite3", "import requests")
            texts.append(tool(top, lines, parameters="order: str, idempotency_key: str"))
        yield Claim(f"method {name}", "IDM303", *texts)


def words(lists: dict[str, list[str]]) -> Iterator[Claim]:
    """What names of tools are made of."""
    for name in lists["read"]:
        texts = [
            tool((), ["unknown.deal(order)"], f"{which}_thingummy_send")
            for which in (name, INVENTED)
        ]
        yield Claim(f"read {name}", "IDM401", *texts, reports=False)


LISTS: dict[str, Callable[[dict[str, list[str]]], Iterator[Claim]]] = {
    "names": names,
    "conflicts": conflicts,
    "refusals": refusals,
    "post_reads": post_reads,
    "memory": memory,
    "sql_results": sql_results,
    "words": words,
}


KNOWN_BY: dict[str, Callable[[Any, str], Claim | None]] = {
    "effect": effect_of,
    "http": http_of,
    "tool": tool_of,
    "replay": replay_of,
    "pause": pause_of,
    "retry": retry_of,
}


def known_by(knowledge: Knowledge) -> list[tuple[str, Callable[[str], Claim | None]]]:
    """All that other rows say of paths: the path, and what makes a claim of another name of it."""
    found: list[tuple[str, Callable[[str], Claim | None]]] = []
    for table, make in KNOWN_BY.items():
        for row in knowledge.rows(table):
            paths = row.call if table == "effect" else row.path
            found.extend((path, functools.partial(make, row)) for path in paths)
    single = (_repeats, _is_harmless)
    for row in knowledge.rows("store"):
        found.extend(fact for fact in _store_facts(row) if fact[1].func in single)
    return found


CLAIMS: dict[str, Callable[[Any, Knowledge], Iterator[Claim]]] = {
    "effect": effect,
    "host": host,
    "http": http,
    "http_request": http_request,
    "http_client": http_client,
    "type": type_,
    "gives": gives,
    "type_argument": type_argument,
    "decorated_type": decorated_type,
    "decorated_parameter": decorated_parameter,
    "caller": caller,
    "graph": graph,
    "receiver_name": receiver_name,
    "store": store,
    "lock": lock,
    "tool": tool_row,
    "pause": pause,
    "replay": replay,
    "retry": retry,
    "guard": guard,
    "hint": hint,
    "value": value,
    "pure_method": pure_method,
    "unstable": unstable,
    "identity": identity,
    "quiet": quiet,
    "verb": verb,
}


def claims(table: str, knowledge: Knowledge) -> Iterator[tuple[str, list[Claim]]]:
    """All claims of a table, by row."""
    if table in LISTS:
        yield table, list(LISTS[table](knowledge.name_lists[table]))
    elif table.startswith("aws"):
        by_service: dict[str, list[Claim]] = {}
        for service, claim in tokens(knowledge.tokens(table), knowledge.token_creators):
            by_service.setdefault(service, []).append(claim)
        yield from by_service.items()
    else:
        for number, row in enumerate(knowledge.rows(table)):
            name = getattr(row, "id", "") or getattr(row, "provider", "")
            yield f"{number} {name}".strip(), list(CLAIMS[table](row, knowledge))


TABLES = (*CLAIMS, *LISTS, "aws_token", "aws_unmarked_token")

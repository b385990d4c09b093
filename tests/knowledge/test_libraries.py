"""Rows against the installed libraries, so that a name that is renamed there is noticed.

What is not installed is skipped: `pip install -e '.[test,knowledge]'` brings most of it.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from library_names import FOUND, MISSING
from marked import ROOT
from packaging.requirements import Requirement

from idemlint.knowledge.facts import Knowledge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.libraries

HERE = Path(__file__).parent
OTHER_NAMES = {
    name
    for names in tomllib.loads((HERE / "other_names.toml").read_text("utf-8")).values()
    for name in names
}
"""Names of rows that another version or package has, or none: the file says which."""
WANTED = {
    requirement.name.lower().replace("_", "-"): requirement
    for text in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]["knowledge"]
    for requirement in [Requirement(text)]
}
"""The versions that the rows were written for, by package; some are too large for the extra."""
WANTED |= {
    requirement.name: requirement
    for requirement in map(Requirement, ("ag2>=0.9", "google-adk>=2", "letta-client>=0.1,<1"))
}
OF_EACH_PATH = {"effect", "aws_token", "aws_unmarked_token", "store"}
"""Tables whose arguments are those of each path of a row; elsewhere one path has to take them."""


class Fact(NamedTuple):
    """What a row says of a library: a dotted path, and the places of one of its arguments."""

    row: str
    path: str
    places: tuple[int | str, ...] = ()


FEW = 12
"""So few facts can all be about what a library does not tell."""
UNTYPED = {"googleapiclient", "twilio"}
"""Libraries that make their objects in ways that cannot be read."""


def facts(knowledge: Knowledge) -> Iterator[Fact]:
    """All that rows say of names that are imported."""
    for table in TABLES:
        for number, row in enumerate(knowledge.rows(table)):
            name = getattr(row, "id", "") or getattr(row, "provider", "") or f"{number}"
            for path, places in TABLES[table](row):
                yield Fact(f"{table} {name}", path, tuple(places))
    for table in ("aws_token", "aws_unmarked_token"):
        for service, methods in knowledge.tokens(table).items():
            for method, token in methods.items():
                path = f'boto3.client("{service}").{method}'
                yield Fact(f"{table} {service}", path, (token,))


Said = "Iterator[tuple[str, Iterable[int | str]]]"


def _effect(row: Any) -> Said:
    for path in row.call:
        yield path, ()
        for slot in (row.key, row.identity):
            if slot is not None and slot.argument:
                yield path, slot.argument


def _places(*columns: str) -> Any:
    """The paths of a row, each with the places of these columns."""

    def said(row: Any) -> Said:
        for path in row.path:
            yield path, ()
            for column in columns:
                if getattr(row, column):
                    yield path, getattr(row, column)

    return said


def _tool(row: Any) -> Said:
    if row.kind == "schema":
        return
    for path in row.path:
        yield path, ()
        if row.kind == "call":
            for places in (row.body, row.bodies):
                if places:
                    yield path, places
        if row.kind == "base":
            for method in row.methods:
                # a class of the project may be asked for a method that its base does not have
                yield f"{path}.{method}", ()
    for column in ("hidden_types", "hidden_defaults", "hidden_metadata"):
        for path in getattr(row, column):
            yield path, ()


def _replay(row: Any) -> Said:
    if row.kind == "name":
        return
    for path in row.path:
        yield path, ()
        if row.kind == "call":
            for places in (row.body, row.bodies):
                if places:
                    yield path, places
        if row.kind in ("decorator", "call"):
            for option in (*row.only_with, *row.off_with):
                yield path, (option.partition("=")[0].partition(".")[0],)
    for path in row.within:
        yield path, ()


def _retry(row: Any) -> Said:
    for path in row.path:
        yield path, ()
        if row.kind in ("decorator", "iterator", "policy", "client"):
            for column in ("limit", "filter", "methods_argument"):
                places = [place for place in getattr(row, column) if "." not in f"{place}"]
                if places and row.kind != "client":
                    yield path, places
            for option in row.off_with:
                yield path, (option.partition("=")[0],)
    for use in row.used_at:
        path, _, place = use.partition("#")
        yield path, (int(place) if place.isdigit() else place,)


def _pause(row: Any) -> Said:
    for path in (*row.path, *row.swallowed_by, *row.raises):
        if path != "bare-except":
            yield path, ()


def _guard(row: Any) -> Said:
    for path in row.path:
        yield path, ()
        if row.kind in ("kwarg", "decorator", "call") and row.guards:
            names = [name for name in row.key if name.isidentifier()]
            if names:
                yield path, names


def _store(row: Any) -> Said:
    for column in ("exec", "check", "insert", "atomic", "upsert", "update", "delete", "counter",
                   "commit", "violation", "check_by_key", "merge"):  # fmt: skip
        for path in getattr(row, column):
            yield path, ()
    for form in row.forms:
        yield form.call, form.argument
    for statement in row.statements:
        for path in statement.path:
            yield path, ()


def _renaming(row: Any) -> Said:
    for path in (*row.path, row.target):
        yield path, ()


def _graph(row: Any) -> Said:
    for path in row.path:
        yield path, ()
        yield f"{path}.{row.add}", row.body
    for name in row.run:
        yield f"{row.built}.{name}", ()


TABLES: dict[str, Any] = {
    "effect": _effect,
    "http": _places("method_at", "url_at", "body_at", "request_at"),
    "http_request": _places("method_at", "url_at", "body_at"),
    "http_client": _places("base_at", "default_headers_at"),
    "type": _renaming,
    "gives": _renaming,
    "type_argument": _places(),
    "decorated_type": _renaming,
    "decorated_parameter": _renaming,
    "graph": _graph,
    "caller": _places(),
    "store": _store,
    "lock": _places(),
    "tool": _tool,
    "replay": _replay,
    "pause": _pause,
    "retry": _retry,
    "guard": _guard,
    "hint": _places(),
    "identity": _places(),
    "value": _places(),
    "unstable": _places(),
    "quiet": _places(),
}


def by_library() -> dict[str, list[Fact]]:
    """The facts, by the package that is imported; those of the language itself are one group."""
    found: dict[str, list[Fact]] = {}
    for fact in dict.fromkeys(facts(Knowledge())):
        top = re.split(r"[.(]", fact.path, maxsplit=1)[0]
        if top.isidentifier() and top not in dir(__builtins__):
            found.setdefault("stdlib" if top in sys.stdlib_module_names else top, []).append(fact)
    return found


FACTS = by_library()


def answers(listed: Iterable[Fact]) -> list[tuple[str, str]]:
    """What the installed libraries say to facts, asked in a process of its own."""
    asked = json.dumps([{"path": fact.path, "places": fact.places} for fact in listed])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "library_names.py")],
        input=asked, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(state, reason) for state, reason in json.loads(done.stdout)]


def is_other(path: str) -> bool:
    """Whether a path, or what it begins with, is a name that the library need not have."""
    names = path.split(".")
    return any(".".join(names[:length]) in OTHER_NAMES for length in range(2, len(names) + 1))


@functools.cache
def distributions() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())


def older(top: str) -> Requirement | None:
    """The requirement of the extra that an installed library does not meet."""
    for name in distributions().get(top, ()):
        requirement = WANTED.get(name.lower().replace("_", "-"))
        if requirement is not None:
            if not requirement.specifier.contains(
                importlib.metadata.version(name), prereleases=True
            ):
                return requirement
    return None


def is_installed(top: str) -> bool:
    return top == "stdlib" or importlib.util.find_spec(top) is not None


@pytest.mark.parametrize("top", sorted(FACTS))
def test_what_rows_say_is_in_the_library(top: str) -> None:
    if not is_installed(top):
        pytest.skip(f"{top} is not installed")
    if (too_old := older(top)) is not None:
        pytest.skip(f"the rows are about {too_old}")
    failed = []
    states: Counter[str] = Counter()
    told = list(zip(FACTS[top], answers(FACTS[top]), strict=True))
    taken = {
        (fact.row, fact.places)
        for fact, (state, _) in told
        if state != MISSING and fact.places and fact.row.partition(" ")[0] not in OF_EACH_PATH
    }
    for fact, (state, reason) in told:
        states[state] += 1
        if state == MISSING and not is_other(fact.path) and (fact.row, fact.places) not in taken:
            failed.append(f"{fact.row}: {fact.path}: {reason}")
    assert not failed, "\n".join(failed)
    assert states[FOUND] or states.total() < FEW or top in UNTYPED

"""Looks names up in installed libraries; run as a program of its own, because libraries are heavy.

It reads facts from its input as JSON, each a dotted path as rows write it and the places of arguments
that the row speaks of, and writes for each what it found. Nothing is called and nothing is made: a
library is imported, and then its classes, annotations and sources are read.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import io
import json
import re
import sys
import textwrap
import typing
import warnings
from types import ModuleType
from typing import Any, NamedTuple

__all__ = ["FOUND", "MISSING", "UNTOLD"]

FOUND, MISSING, UNTOLD = "found", "missing", "untold"
_INJECTED = ("upload_file", "upload_fileobj", "copy", "download_file", "download_fileobj")
"""Methods that boto3 puts into the clients of a service when it makes them."""
_TOLD_BY_ARGUMENT = re.compile(r'^([\w.]+)\("([^"]*)"\)(?:\.(.*))?$')


class Answer(NamedTuple):
    """What became of a path: `FOUND` with the object, `MISSING` or `UNTOLD` with the reason."""

    state: str
    reason: str = ""
    found: Any = None
    is_instance: bool = False


def look(path: str) -> Answer:
    """What a dotted path stands for."""
    told = _TOLD_BY_ARGUMENT.match(path)
    if told is not None:
        return _told_by_argument(told[1], told[2], told[3] or "")
    if "(" in path or "?" in path or path.startswith("*"):
        return Answer(UNTOLD, "not a dotted name")
    names = path.split(".")
    found = _module(names)
    if isinstance(found, Answer):
        return found
    module, rest = found
    return _follow(Answer(FOUND, found=module), rest)


def _module(names: list[str]) -> tuple[ModuleType, list[str]] | Answer:
    """The module that a path begins with, as few names as give it, and the names behind it."""
    try:
        module = _imported(names[0])
    except ImportError as error:
        return Answer(UNTOLD, f"not imported: {error}")
    at = 1
    while at < len(names) and names[at].isidentifier():
        if names[at] in vars(module):
            inner = vars(module)[names[at]]
            if not isinstance(inner, ModuleType):
                break
        else:
            name = f"{module.__name__}.{names[at]}"
            try:
                inner = _imported(name)
            except ModuleNotFoundError as error:
                if error.name != name and error.name is not None:
                    return Answer(UNTOLD, f"needs {error.name}")
                break
            except ImportError as error:
                return Answer(UNTOLD, f"not imported: {error}")
        module = inner
        at += 1
    return module, names[at:]


@functools.cache
def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise
    except BaseException as error:  # what a library does when it is imported is its own affair
        raise ImportError(f"{type(error).__name__}: {error}") from error


def _follow(start: Answer, names: list[str]) -> Answer:
    at = start
    for number, name in enumerate(names):
        if name == "**" or name.startswith("["):
            return Answer(UNTOLD, "any name")
        if "*" in name:
            return _any_of(at, name, names[number + 1 :])
        at = _attribute(at, name)
        if at.state != FOUND:
            return at
    return at


def _any_of(owner: Answer, pattern: str, rest: list[str]) -> Answer:
    holder = _holder(owner)
    if holder is None:
        return Answer(UNTOLD, "result of a call")
    start = pattern.rstrip("*")
    names = [name for name in dir(holder) if name.startswith(start) and not name.startswith("_")]
    answers = [_follow(_attribute(owner, name), rest) for name in names]
    states = [answer.state for answer in answers]
    if FOUND in states:
        return answers[states.index(FOUND)]
    if UNTOLD in states or _is_dynamic(holder):
        return Answer(UNTOLD, "any name")
    return Answer(MISSING, f"nothing in `{_shown(holder)}` fits `{'.'.join([pattern, *rest])}`")


def _holder(owner: Answer) -> Any:
    """What has the attributes of an object, or of what a call gives; `None` if that is not told."""
    found = owner.found
    if inspect.isroutine(found) or isinstance(found, functools.partial):
        return None
    return found


def _attribute(owner: Answer, name: str) -> Answer:
    if owner.state != FOUND:
        return owner
    holder = owner.found
    if inspect.isroutine(holder) or inspect.iscoroutinefunction(holder):
        made = _type_of(_hints(holder).get("return"), None)
        if made is None:
            return Answer(UNTOLD, f"what `{_shown(holder)}` gives is not annotated")
        return _attribute(Answer(FOUND, found=made, is_instance=True), name)
    if isinstance(holder, ModuleType):
        try:
            return Answer(FOUND, found=getattr(holder, name))
        except AttributeError:
            if getattr(holder, "__file__", None) is None and name.islower():
                return Answer(UNTOLD, f"another package may bring `{holder.__name__}.{name}`")
            return Answer(MISSING, f"`{holder.__name__}` has no `{name}`")
        except Exception as error:  # what is imported late may need more than is installed
            return Answer(UNTOLD, f"not imported: {error}")
    if not inspect.isclass(holder):
        holder = type(holder)
    return _member(holder, name)


def _member(cls: type, name: str) -> Answer:
    try:
        found = inspect.getattr_static(cls, name)
    except AttributeError:
        return _set_in_body(cls, name)
    if isinstance(found, (staticmethod, classmethod)):
        return Answer(FOUND, found=found.__func__)
    if isinstance(found, property | functools.cached_property):
        function = found.fget if isinstance(found, property) else found.func
        made = _type_of(_hints(function).get("return"), cls)
        return _instance(made, f"`{name}` of `{_shown(cls)}` is not annotated")
    if inspect.isroutine(found) or inspect.isclass(found):
        return Answer(FOUND, found=found)
    made = _type_of(_hints(cls).get(name), cls)
    if made is None and hasattr(type(found), "__get__"):
        wrapped = getattr(found, "func", None) or getattr(found, "fget", None)
        made = _type_of(_hints(wrapped).get("return"), cls) if wrapped is not None else None
        return _instance(made, f"`{name}` of `{_shown(cls)}` is a descriptor")
    return _instance(made, "", found)


def _instance(made: Any, reason: str, found: Any = None) -> Answer:
    """An object of a type; where that is not known it is there, and leads nowhere."""
    if made is not None:
        return Answer(FOUND, found=made, is_instance=True)
    return Answer(FOUND, reason, found if found is not None else _Anything())


class _Anything:
    """An object of which nothing is known."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _set_in_body(cls: type, name: str) -> Answer:
    """An attribute that no class has by itself: an annotation, or what a method sets."""
    hint = _hints(cls).get(name)
    if hint is not None:
        return _instance(_type_of(hint, cls), "")
    for base in cls.__mro__:
        if base is object:
            continue
        if name in getattr(base, "__annotations__", ()):
            return _instance(None, "")
        found = _assigned(base).get(name)
        if found is not None:
            return _instance(_type_of_code(found, base), "")
    if _is_dynamic(cls):
        return Answer(UNTOLD, f"`{_shown(cls)}` answers any name")
    return Answer(MISSING, f"`{_shown(cls)}` has no `{name}`")


def _is_dynamic(holder: Any) -> bool:
    if isinstance(holder, ModuleType):
        return "__getattr__" in vars(holder)
    cls = holder if inspect.isclass(holder) else type(holder)
    named = ("__getattr__", "__getattribute__")
    bases = [base for base in cls.__mro__ if base is not object]
    return (
        cls is _Anything
        or any(name in vars(base) for base in bases for name in named)
        or any(sign in _source(base) for base in bases for sign in ("setattr(self", "__dict__["))
    )


@functools.cache
def _source(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        return ""


@functools.cache
def _assigned(cls: type) -> dict[str, ast.expr | None]:
    """What the methods of a class assign to `self.…`: the annotation, or else the value."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, ast.expr | None] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign):
            targets, value = [node.target], node.annotation
        for target in targets:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                if target.value.id == "self" and value is not None:
                    found.setdefault(target.attr, value)
    return found


def _type_of_code(node: ast.expr | None, cls: type) -> Any:
    """The class that a constructor call or an annotation in the body of a class names."""
    if isinstance(node, ast.Call):
        node = node.func
    if node is None:
        return None
    names = vars(sys.modules.get(cls.__module__, object))
    value: Any = None
    if isinstance(node, ast.Name):
        value = names.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        value = getattr(names.get(node.value.id), node.attr, None)
    return value if inspect.isclass(value) else None


def _hints(found: Any) -> dict[str, Any]:
    if found is None:
        return {}
    with contextlib.suppress(Exception):
        return typing.get_type_hints(inspect.unwrap(found) if callable(found) else found)
    written = getattr(found, "__annotations__", None)
    if not isinstance(written, dict):
        return {}
    names = getattr(inspect.unwrap(found), "__globals__", None) or vars(
        sys.modules.get(getattr(found, "__module__", ""), object)
    )
    hints: dict[str, Any] = {}
    for name, hint in written.items():
        if isinstance(hint, str):
            first = re.findall(r"[A-Za-z_][\w.]*", hint.strip("\"'"))
            hints[name] = names.get(first[0]) if len(first) == 1 else None
        else:
            hints[name] = hint
    return {name: hint for name, hint in hints.items() if hint is not None}


def _type_of(hint: Any, owner: type | None) -> Any:
    """The one class that an annotation speaks of; `None` where it speaks of none or of several."""
    if hint is None:
        return None
    if hint is typing.Any or isinstance(hint, typing.TypeVar | str):
        return None
    if getattr(hint, "__name__", "") == "Self":
        return owner
    origin = typing.get_origin(hint)
    if origin is None:
        return hint if inspect.isclass(hint) and hint.__module__ != "builtins" else None
    arguments = [entry for entry in typing.get_args(hint) if entry is not type(None)]
    if origin is typing.Annotated:
        return _type_of(arguments[0], owner)
    if getattr(origin, "__name__", "") in ("Coroutine", "Awaitable"):
        return _type_of(arguments[-1], owner)
    if inspect.isclass(origin) and origin.__module__ not in ("builtins", "types", "typing"):
        return origin if not origin.__module__.startswith("collections") else None
    found = [_type_of(entry, owner) for entry in arguments]
    return found[0] if len(found) == 1 else None


# arguments


def fits(answer: Answer, places: list[int | str]) -> Answer:
    """Whether a call takes one of some arguments, as far as its signature tells."""
    found = answer.found
    if isinstance(found, _Anything) or (answer.is_instance and inspect.isclass(found)):
        return Answer(UNTOLD, "an object is called")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            signature = inspect.signature(found)
    except (TypeError, ValueError):
        return Answer(UNTOLD, "no signature")
    named: set[str] = set()
    positions = 0
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            listed = _unpacked(found, parameter.name)
            if listed is None:
                return Answer(UNTOLD, "takes any keyword")
            named |= listed
        elif parameter.kind is parameter.VAR_POSITIONAL:
            positions = 100
        else:
            named.add(parameter.name)
            if parameter.kind is not parameter.KEYWORD_ONLY:
                positions += 1
    if not named and positions in (0, 100):
        return Answer(UNTOLD, "hidden by a decorator")
    missing = [
        place
        for place in places
        if (place not in named if isinstance(place, str) else place >= positions)
    ]
    if len(missing) == len(places):
        return Answer(MISSING, f"takes none of {places}: {', '.join(sorted(named))}")
    return Answer(FOUND)


def _unpacked(found: Any, name: str) -> set[str] | None:
    """The keywords of `**name: Unpack[TypedDict]`."""
    hint = _hints(found.__init__ if inspect.isclass(found) else found).get(name)
    arguments = typing.get_args(hint)
    keys = getattr(arguments[0], "__annotations__", None) if len(arguments) == 1 else None
    if not keys or not typing.is_typeddict(arguments[0]):
        return None
    return set(typing.get_type_hints(arguments[0])) if keys else None


# clients that are made of descriptions


def _told_by_argument(maker: str, told: str, rest: str) -> Answer:
    if maker != "boto3.client" or not rest:
        return Answer(UNTOLD, "told by an argument")
    service = _service(told)
    if service is None:
        return Answer(MISSING, f"there is no service `{told}`")
    method = rest.split(".")[0]
    if "*" in rest:
        start = method.rstrip("*")
        return Answer(FOUND if any(name.startswith(start) for name in service) else MISSING)
    if method not in service and (method in vars(_client_class()) or method in _INJECTED):
        return Answer(FOUND, found=_Anything())
    if method not in service:
        return Answer(
            UNTOLD if len(rest.split(".")) > 1 else MISSING, f"`{told}` has no `{method}`"
        )
    members = service[method]
    names = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in members]

    def call() -> None: ...

    call.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    return Answer(FOUND, found=call)


@functools.cache
def _service(name: str) -> dict[str, list[str]] | None:
    """The methods of a service, with the names that they take; `None` if there is none."""
    from botocore import xform_name
    from botocore.exceptions import UnknownServiceError

    try:
        model = _loader().load_service_model(name, "service-2")
    except UnknownServiceError:
        return None
    return {
        xform_name(operation): list(model["shapes"][shape["shape"]].get("members", ()))
        if (shape := described.get("input"))
        else []
        for operation, described in model["operations"].items()
    }


@functools.cache
def _loader() -> Any:
    import botocore.loaders

    return botocore.loaders.create_loader()


def _client_class() -> type:
    from botocore.client import BaseClient

    return BaseClient  # type: ignore[no-any-return]


def _shown(holder: Any) -> str:
    module = getattr(holder, "__module__", None)
    name = getattr(holder, "__qualname__", None) or getattr(holder, "__name__", repr(holder))
    return f"{module}.{name}" if module else name


def main() -> None:
    """Answer the facts of the input."""
    facts = json.load(sys.stdin)
    answers = []
    shown = sys.stdout
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for fact in facts:
            answer = look(fact["path"])
            if answer.state == FOUND and fact["places"]:
                answer = fits(answer, fact["places"])
            answers.append([answer.state, answer.reason])
    json.dump(answers, shown)


if __name__ == "__main__":
    main()

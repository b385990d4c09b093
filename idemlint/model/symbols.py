"""What an expression can denote.

A `Frame` is one way to run a function: which arguments it got, from where. A `Place` is an
expression in a frame. Answers are tuples of symbols, one for each possibility; an empty tuple says
that nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast

    from idemlint.model.program import Class, Function, Module

__all__ = [
    "ClassSymbol",
    "Constant",
    "External",
    "Frame",
    "FunctionSymbol",
    "Instance",
    "Literal",
    "ModuleSymbol",
    "Parameter",
    "Place",
    "Symbol",
]


@dataclass(eq=False, slots=True)
class Frame:
    """A run of `function`, or of the top of `module` if that is `None`.

    `arguments` are the expressions that parameters got, `attributes` those that attributes of
    parameters are known to be (`params.name`), `receiver` the object of a method, `closure`
    the frame of the function around it, `call` the place of the call that made this frame.
    """

    module: Module
    function: Function | None = None
    arguments: dict[str, Place] = field(default_factory=dict)
    receiver: Symbol | None = None
    closure: Frame | None = None
    call: Place | None = None
    depth: int = 0
    attributes: dict[str, Place] = field(default_factory=dict)
    resolved: dict[ast.AST, tuple[Symbol, ...] | None] = field(default_factory=dict)
    memo: dict[Any, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)  # made by the hundred thousand, and three times as fast as frozen
class Place:
    """An expression in a frame; `statement` is the one it stands in, `None` at the top."""

    node: ast.expr
    frame: Frame
    statement: ast.stmt | None = None


@dataclass(frozen=True, slots=True)
class External:
    """Something outside of the program, by its path; `of` are the arguments of a generic type.

    `made` is the call that gave it, where there was one, `preset` that of a `partial` around it.
    """

    path: str
    of: tuple[Symbol, ...] = ()
    made: Place | None = field(default=None, compare=False)
    preset: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ModuleSymbol:
    """A module of the program."""

    module: Module


@dataclass(frozen=True, slots=True)
class ClassSymbol:
    """A class of the program."""

    cls: Class


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the program; `made` is the call of its constructor."""

    cls: Class
    made: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FunctionSymbol:
    """A function of the program, bound to `receiver` if it is a method.

    `closure` is the frame it was defined in, `preset` the place of a `partial` call around it.
    """

    function: Function
    receiver: Symbol | None = None
    closure: Frame | None = field(default=None, compare=False)
    preset: Place | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the code."""

    value: object


@dataclass(frozen=True, slots=True)
class Literal:
    """A dictionary, list, tuple, set or f-string that is written down at `place`."""

    place: Place = field(compare=False)
    node: ast.expr


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of which nothing is known: the entry's caller chooses it."""

    function: Function
    name: str


Symbol = (
    External
    | ModuleSymbol
    | ClassSymbol
    | Instance
    | FunctionSymbol
    | Constant
    | Literal
    | Parameter
)

"""Reports in the formats that other tools read; one module a format, found by its name."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from idemlint.output.report import OutputReport

__all__ = ["format_names", "renderer"]

_PREFIX = "format_"


def format_names() -> tuple[str, ...]:
    """The names of all formats (`json-lines`), sorted; no format is imported for this."""
    modules = Path(__file__).parent.glob(f"{_PREFIX}*.py")
    return tuple(sorted(module.stem[len(_PREFIX) :].replace("_", "-") for module in modules))


def renderer(name: str) -> Callable[[OutputReport, TextIO], None]:
    """The function that writes a report in the format of that name.

    Raises `ModuleNotFoundError` where `name` is none of `format_names()`.
    """
    module = importlib.import_module(f"{__name__}.{_PREFIX}{name.replace('-', '_')}")
    render: Callable[[OutputReport, TextIO], None] = module.render
    return render

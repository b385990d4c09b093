"""Reports in the formats that other tools read; one module a format, found by its name."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from idemlint.output.inventory_report import InventoryReport
    from idemlint.output.report import OutputReport

__all__ = ["format_names", "inventory_format_names", "inventory_renderer", "renderer"]

_PREFIX = "format_"
_INVENTORY_PREFIX = "inventory_"
_NO_FORMAT = "report"


def format_names() -> tuple[str, ...]:
    """The names of all formats (`json-lines`), sorted; no format is imported for this."""
    return _names(_PREFIX)


def inventory_format_names() -> tuple[str, ...]:
    """The names of the formats of the inventory, sorted; none is imported for this."""
    return tuple(name for name in _names(_INVENTORY_PREFIX) if name != _NO_FORMAT)


def _names(prefix: str) -> tuple[str, ...]:
    modules = Path(__file__).parent.glob(f"{prefix}*.py")
    return tuple(sorted(module.stem[len(prefix) :].replace("_", "-") for module in modules))


def renderer(name: str) -> Callable[[OutputReport, TextIO], None]:
    """The function that writes a report in the format of that name.

    Raises `ModuleNotFoundError` where `name` is none of `format_names()`.
    """
    module = importlib.import_module(f"{__name__}.{_PREFIX}{name.replace('-', '_')}")
    render: Callable[[OutputReport, TextIO], None] = module.render
    return render


def inventory_renderer(name: str) -> Callable[[InventoryReport, TextIO], None]:
    """The function that writes an inventory in the format of that name."""
    module = importlib.import_module(f"{__name__}.{_INVENTORY_PREFIX}{name.replace('-', '_')}")
    render: Callable[[InventoryReport, TextIO], None] = module.render
    return render

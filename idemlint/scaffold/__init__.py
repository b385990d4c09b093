"""Modules that idemlint writes into a project: the operations that need code of their own.

Their public names are stable, because fixes and pages refer to them. They are read as text from
`templates/`; nothing of that folder is ever imported here.
"""

from __future__ import annotations

__all__ = ["CALLS", "MARK", "OPERATIONS", "STORES"]

CALLS = {"OP-2": "run_once", "OP-5": "run_once", "OP-7": "run_once", "OP-8": "checkpoint"}
"""By operation what its module is called through; both take `(key, args, …)`."""

MARK = "# Written by `idemlint scaffold "
"""How each module begins, followed by its operation."""

OPERATIONS = tuple(CALLS)
STORES = ("sqlite", "postgres", "redis")

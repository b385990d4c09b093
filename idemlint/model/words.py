"""Short texts for messages, in the words of the linted code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from idemlint.model.deeds import Deed

__all__ = ["deed_phrase", "shown", "title_of"]

_MAX = 48
_VERBS = {
    "send": "sends a message",
    "charge": "moves money",
    "transfer": "moves money",
    "create": "creates a record",
    "publish": "publishes a message",
    "upload": "writes an object",
    "update": "changes a record",
    "delete": "deletes a record",
}


def shown(node: ast.AST) -> str:
    """The code of a node on one line, cut where it gets long; calls without their arguments."""
    if isinstance(node, ast.Call):
        inner = ast.unparse(node.func)
        if len(inner) > _MAX:
            inner = "…" + inner[-_MAX:]
        return f"{inner}()" if not (node.args or node.keywords) else f"{inner}(…)"
    if isinstance(node, ast.arg):
        return node.arg
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _MAX else text[: _MAX - 1] + "…"


def title_of(deed: Deed) -> str:
    """Who receives an effect."""
    named = deed.title or deed.path.partition(".")[0]
    return named if named and named != "?" else "the receiver"


def deed_phrase(deed: Deed) -> str:
    """What an effect does, as a predicate: `sends a message through Slack`."""
    verb = _VERBS.get(deed.does, "changes something")
    preposition = "through" if deed.does in ("send", "charge", "transfer", "publish") else "in"
    if deed.method:
        target = title_of(deed)
        return f"sends a {deed.method if deed.method != '?' else 'request'} to {target}"
    return f"{verb} {preposition} {title_of(deed)}"

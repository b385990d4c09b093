"""Cures for effects that are sent again (IDM204): one key for all attempts, or a claim."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.editors import Editors
from idemlint.fixes.placing import place_key
from idemlint.fixes.taking import KEY, add_key, hand_down
from idemlint.scaffold import CALLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from idemlint.diagnostic import Fix
    from idemlint.model.evidence import Evidence
    from idemlint.model.model import Model
    from idemlint.model.retry_faults import Again
    from idemlint.model.runs import Hop

__all__ = ["claim_shown", "retried_fix", "scaffold_of"]


def retried_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Pass the key that is in scope; without one, show how to take it, or the claim to make."""
    occurrence, again = evidence.subject
    hops: list[Hop] = list(occurrence.hops)
    deed = occurrence.deed
    if deed.is_effect and deed.key is not None:
        for start, hop in enumerate(hops):
            function = hop.frame.function
            name = next(
                (
                    arg.arg
                    for arg in (function.parameters if function is not None else ())
                    if model.knowledge.is_key_name(arg.arg)
                ),
                "",
            )
            if name:
                fix = _passed(hops[start:], name, deed, model, Applicability.UNSAFE)
                if fix is not None:
                    return fix
        start = next((n for n, hop in enumerate(hops) if hop is again.hop), 0)
        fix = _taken(hops[start:], deed, again, model)
        if fix is not None:
            return fix
    return claim_shown(again.hop, evidence)


def _passed(
    hops: Sequence[Hop], name: str, deed: object, model: Model, applicability: Applicability
) -> Fix | None:
    from idemlint.model.deeds import Deed

    assert isinstance(deed, Deed)
    editors = Editors()
    handed = hand_down([hop.frame for hop in hops], name, model, editors)
    if handed is None:
        return None
    written, is_required = handed
    if not place_key(deed, written, model, editors, optional=not is_required):
        return None
    return editors.fix(f"Send `{name}` with all attempts", applicability)


def _taken(hops: Sequence[Hop], deed: object, again: Again, model: Model) -> Fix | None:
    """The retried function takes a key from its callers, which have to pass one."""
    from idemlint.model.deeds import Deed

    assert isinstance(deed, Deed)
    function = hops[0].frame.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    editors = Editors()
    if not add_key(function, model, editors):
        return None
    handed = hand_down([hop.frame for hop in hops], KEY, model, editors)
    if handed is None:
        return None
    if not place_key(deed, handed[0], model, editors, optional=not handed[1]):
        return None
    once_more = again.retrying.node
    if once_more is model.retries.recursions.of(again.hop.event, again.hop.frame):
        assert isinstance(once_more, ast.Call)
        editors.of(again.module).add_keyword(once_more, KEY, KEY)
    return editors.fix(
        f"Take an `{KEY}` from the caller and send it with all attempts", Applicability.DISPLAY
    )


def scaffold_of(evidence: Evidence) -> str:
    """The operation whose module `idemlint scaffold` writes for a finding."""
    return evidence.operation if evidence.operation in CALLS else next(iter(CALLS))


def claim_shown(hop: Hop, evidence: Evidence) -> Fix | None:
    """Show where the claim has to stand: a comment before the statement, to be written out."""
    statement: ast.stmt | None = hop.event.loops[0] if hop.event.loops else hop.event.statement
    editors = Editors()
    editor = editors.of(hop.frame.module)
    if statement is None or not editor.text[editor.line_start(statement) :].strip():
        return None
    editor.insert_before(
        statement,
        f"# first claim the {KEY} in a table (INSERT ... ON CONFLICT DO NOTHING):",
        "# go on only if the row is new, else return what was stored",
        f"# (`idemlint scaffold {scaffold_of(evidence)}` writes a module that does this)",
    )
    return editors.fix("Claim the key before the effect", Applicability.DISPLAY)

"""Code actions: fixes, comments that silence, and the modules of operations."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from idemlint.diagnostic import Applicability
from idemlint.server.diagnostics import SOURCE, place_of, to_client
from idemlint.server.documents import Document
from idemlint.server.edits import created_file, workspace_edit
from idemlint.server.fixing import Fixing
from idemlint.source.suppressions import Suppressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from idemlint.diagnostic import Diagnostic, Edit
    from idemlint.server.checks import Checked
    from idemlint.server.client import Client, Locator
    from idemlint.server.settings import EditorSettings
    from idemlint.session import Session

__all__ = ["FIX_ALL", "FIX_ALL_TITLE", "KINDS", "NOTEBOOK_FIX_ALL", "Actions"]

FIX_ALL = "source.fixAll.idemlint"
NOTEBOOK_FIX_ALL = "notebook.source.fixAll.idemlint"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL, NOTEBOOK_FIX_ALL)
FIX_ALL_TITLE = "idemlint: Fix all auto-fixable problems"

_ALL, _RULE, _SCAFFOLD = "all", "rule", "scaffold"
_DEFINITION = re.compile(r"([ \t]*)(async[ \t]+)?def[ \t]")


@dataclass
class Actions:
    """The actions for one result; raises `SupersededError` soon after `is_stale`.

    All of this runs on the worker.
    """

    session: Session
    checked: Checked
    editor: EditorSettings
    client: Client
    locator: Locator
    is_stale: Callable[[], bool] = lambda: False

    def offered(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What is offered at a range, of the kinds that the client wants."""
        only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
        found: list[types.CodeAction] = []
        if _is_wanted("quickfix", only):
            found += self._quick_fixes(params)
        if self.editor.fix_all:
            kind = FIX_ALL if isinstance(self.checked.item, Document) else NOTEBOOK_FIX_ALL
            # Without a wish it is offered as well, as Ruff does.
            if _is_wanted(kind, only):
                action = self._lazily(FIX_ALL_TITLE, kind, {"do": _ALL})
                if action is not None:
                    found.append(action)
        return found

    def resolved(self, data: dict[str, Any]) -> types.WorkspaceEdit | None:
        """The edit of an action that was offered without."""
        fixing = Fixing(self.session, self.checked, self.is_stale)
        if data.get("do") == _ALL:
            return self._edit(fixing.all_fixes())
        if data.get("do") == _RULE:
            return self._edit(fixing.fixes_of(str(data.get("code"))))
        if data.get("do") == _SCAFFOLD:
            return self._scaffold(str(data.get("operation")), is_async=bool(data.get("async")))
        return None

    def _edit(self, edits: Sequence[Edit], review: str = "") -> types.WorkspaceEdit | None:
        return workspace_edit(edits, self.client, self.locator, review=review)

    def _lazily(self, title: str, kind: str, data: dict[str, Any]) -> types.CodeAction | None:
        """An action whose edit is made when it is chosen, if the client asks then."""
        data = {**data, "uri": self.checked.item.uri}
        action = types.CodeAction(title, kind=kind)
        if self.client.resolves_edits:
            action.data = data
            return action
        action.edit = self.resolved(data)
        return action if action.edit is not None else None

    # for single findings

    def _quick_fixes(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        chosen = self._chosen(params)
        fixed: list[Diagnostic] = []
        if self.editor.fix_violation:
            fixed = Fixing(self.session, self.checked, self.is_stale).with_fixes(chosen)
        found = [action for entry in fixed for action in self._fix(entry)]
        if self.editor.disable_comment:
            found += [action for entry in chosen for action in self._disable(entry)]
        if self.editor.fix_violation:
            found += self._of_rules(fixed)
            found += self._modules(chosen)
        return found

    def _chosen(self, params: types.CodeActionParams) -> list[Diagnostic]:
        """The findings that the client speaks of; if it names none of ours, those in its range."""
        named = {
            (entry.code, _corners(entry.range))
            for entry in params.context.diagnostics
            if entry.source == SOURCE
        }
        by_name, by_range = [], []
        for diagnostic in self.checked.diagnostics:
            place = place_of(self.checked.item, diagnostic)
            if place is None or not diagnostic.code.startswith("IDM"):
                continue
            uri, span = place
            if (diagnostic.code, _corners(span)) in named:
                by_name.append(diagnostic)
            is_here = uri == params.text_document.uri or isinstance(self.checked.item, Document)
            if is_here and _overlap(span, params.range):
                by_range.append(diagnostic)
        return by_name if named else by_range

    def _title(self, diagnostic: Diagnostic, text: str) -> str:
        return f"{SOURCE} ({diagnostic.code}): {text}"

    def _shown(self, diagnostic: Diagnostic) -> list[types.Diagnostic]:
        place = place_of(self.checked.item, diagnostic)
        if place is None:
            return []
        return [to_client(diagnostic, place[1], self.client, self.locator)]

    def _fix(self, diagnostic: Diagnostic) -> Iterator[types.CodeAction]:
        fix = diagnostic.fix
        if fix is None:
            return
        is_display = fix.applicability is Applicability.DISPLAY
        edit = self._edit(fix.edits, fix.message if is_display else "")
        if edit is None:
            return
        operation = f" ({diagnostic.operation})" if diagnostic.operation else ""
        suffix = " (suggestion)" if is_display else ""
        yield types.CodeAction(
            self._title(diagnostic, f"{fix.message}{operation}{suffix}"),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=self._shown(diagnostic),
            is_preferred=fix.applicability is Applicability.SAFE,
            edit=edit,
        )

    def _disable(self, diagnostic: Diagnostic) -> Iterator[types.CodeAction]:
        if diagnostic.code in {"IDM001", "IDM002"}:
            return
        suppressions = Suppressions.of(self.checked.item.source)
        row = suppressions.noqa_row(diagnostic.range.start)
        edits = suppressions.noqa_edits([replace(diagnostic, noqa_row=row)])
        edit = self._edit(edits)
        if edit is not None:
            yield types.CodeAction(
                self._title(diagnostic, "Disable for this line"),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=self._shown(diagnostic),
                is_preferred=False,
                edit=edit,
            )

    # for several

    def _of_rules(self, fixed: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """All findings of a rule, where the file has more than one."""
        least = Applicability.UNSAFE
        codes = [e.code for e in fixed if e.fix is not None and e.fix.applicability >= least]
        for code in dict.fromkeys(codes):
            entries = [entry for entry in self.checked.diagnostics if entry.code == code]
            if len(entries) > 1:
                title = self._title(entries[0], f"Fix all {len(entries)} in this file")
                data = {"do": _RULE, "code": code}
                action = self._lazily(title, types.CodeActionKind.QuickFix, data)
                if action is not None:
                    action.is_preferred = False
                    yield action

    def _modules(self, chosen: Sequence[Diagnostic]) -> Iterator[types.CodeAction]:
        """The module of an operation, where a finding wants one and it is not there yet."""
        from idemlint.scaffold import OPERATIONS

        if not self.client.creates_files or not self.checked.item.is_file:
            return
        for entry in {entry.operation: entry for entry in reversed(chosen)}.values():
            operation = entry.operation
            if operation not in OPERATIONS or self._module_path(operation).exists():
                continue
            data = {"do": _SCAFFOLD, "operation": operation, "async": self._is_async(entry)}
            title = f"{SOURCE}: Write the {operation} module {self._module_path(operation).name}"
            action = self._lazily(title, types.CodeActionKind.QuickFix, data)
            if action is not None:
                action.is_preferred = False
                yield action

    def _module_path(self, operation: str) -> Path:
        return self.checked.item.path.with_name(f"{operation.lower().replace('-', '')}.py")

    def _scaffold(self, operation: str, *, is_async: bool) -> types.WorkspaceEdit | None:
        from idemlint.scaffold import OPERATIONS, STORES
        from idemlint.scaffold.compose import module_text

        if operation not in OPERATIONS or not self.client.creates_files:
            return None
        text = module_text(operation, STORES[0], is_async=is_async)
        return created_file(self._module_path(operation), text)

    def _is_async(self, diagnostic: Diagnostic) -> bool:
        """Whether the function around a finding is a coroutine."""
        source = self.checked.item.source
        row = diagnostic.range.start.row
        text = source.row(row)
        indent = len(text) - len(text.lstrip())
        for number in range(row, 0, -1):
            found = _DEFINITION.match(source.row(number))
            if found is not None and (number == row or len(found[1]) < indent):
                return found[2] is not None
        return False


def _is_wanted(kind: str, only: Sequence[str]) -> bool:
    return not only or any(kind == wish or kind.startswith(f"{wish}.") for wish in only)


def _corners(span: types.Range) -> tuple[int, int, int, int]:
    return span.start.line, span.start.character, span.end.line, span.end.character


def _overlap(one: types.Range, other: types.Range) -> bool:
    first, second = _corners(one), _corners(other)
    return first[:2] <= second[2:] and second[:2] <= first[2:]

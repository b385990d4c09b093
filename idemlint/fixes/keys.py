"""Cures for keys and identities that differ on a replay (IDM101 to 105)."""

from __future__ import annotations

import ast
import copy
import itertools
from typing import TYPE_CHECKING

from idemlint.diagnostic import Applicability
from idemlint.fixes.callers import is_called_only_by, mentions, pass_on
from idemlint.fixes.deriving import derived_key
from idemlint.fixes.editing import last_line_start
from idemlint.fixes.editors import Editors
from idemlint.fixes.layout import fitted, width
from idemlint.fixes.taking import KEY, add_key, hand_down, make_required, take_key
from idemlint.knowledge.rows import Unstable
from idemlint.model.entries import Entry, EntryKind, ToolParameter
from idemlint.model.flow import last_name
from idemlint.model.symbols import Place
from idemlint.model.values import ValueKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from idemlint.diagnostic import Fix
    from idemlint.fixes.editing import Editor
    from idemlint.model.evidence import Evidence
    from idemlint.model.keys import KeyUse
    from idemlint.model.model import Model
    from idemlint.model.program import Function
    from idemlint.model.retries import Retrying
    from idemlint.model.runs import Occurrence
    from idemlint.model.symbols import Frame
    from idemlint.model.values import Origin

__all__ = ["call_id_fix", "clock_fix", "fresh_fix", "identity_fix", "kept_fix", "unstable_fix"]

_WRAPPERS = {"str", "repr", "int", "float", "round", "abs"}
_TEXT_ATTRIBUTES = {"hex", "urn", "int", "hexdigest"}
_BYTES = ("urandom", "token_bytes", "randbytes", ".bytes")
_HEADERS = "key_headers"
"""What headers are called that are made once for all attempts."""
_SEPARATORS = "-_:./|#"
_SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_FOLDS = {"join", "dumps", "hash", "repr", "str", "sorted"}


class Cure:
    """What the cures of one finding about a value share."""

    def __init__(self, evidence: Evidence, model: Model) -> None:
        self.use: KeyUse
        self.origin: Origin
        self.occurrence: Occurrence
        self.retrying: Retrying | None
        self.use, self.origin, self.occurrence, self.retrying = evidence.subject
        self.entry = evidence.entry
        self.model = model
        self.editors = Editors()
        self.node = self.origin.node
        self.frame = self.origin.frame

    @property
    def editor(self) -> Editor:
        """The editor of the module in which the value is made."""
        return self.editors.of(self.frame.module)

    @property
    def function(self) -> Function | None:
        """The function in which the value is made."""
        return self.frame.function

    def climb(self) -> None:
        """Take the call of a function that does nothing but make the value for its maker.

        One that is called elsewhere, too, makes it there still: such a fix is shown.
        """
        while self.entry is None or self.function is not self.entry.function:
            call, function = self.frame.call, self.function
            if call is None or function is None or not self._is_maker(function):
                return
            if not isinstance(call.node, ast.Call) or not is_called_only_by(
                call.node, function, self.model
            ):
                self.editors.show_only()
            self.node, self.frame = call.node, call.frame

    def _is_maker(self, function: Function) -> bool:
        """Whether a function only returns the value, or a text in which it is a part.

        One that returns it beside others, in headers or options, makes more than the value.
        """
        if any(hop.frame.function is function for hop in self.occurrence.hops):
            return False  # what it returns is the answer of the effect
        body = [s for n, s in enumerate(function.body) if n or not _is_text(s)]
        if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
            return False
        if any(isinstance(node, ast.Await | ast.Yield) for s in body for node in ast.walk(s)):
            return False
        made = set()
        for statement in body[:-1]:
            if not isinstance(statement, ast.Assign):
                return False
            target = statement.targets[0]
            if not isinstance(target, ast.Name):
                return False
            if self.node in ast.walk(statement):
                if not _is_all_of(self.node, statement.value):
                    return False
                made.add(target.id)
        root = body[-1].value
        return any(
            part is self.node or (isinstance(part, ast.Name) and part.id in made)
            for part in ast.walk(root)
            if _is_all_of(part, root)
        )

    def parents(self) -> list[ast.AST]:
        """The nodes around the call that makes the value, the nearest first."""
        function = self.function
        root = function.node if function is not None else None
        return _parents(self.node, root)

    def statement(self) -> ast.stmt | None:
        """The statement in which the value is made."""
        return next((node for node in self.parents() if isinstance(node, ast.stmt)), None)

    def whole(self) -> ast.expr:
        """The call that makes the value, with what only turns it into a text or number."""
        node = self.node
        assert isinstance(node, ast.expr)
        for parent in self.parents():
            if (
                isinstance(parent, ast.Await)
                or (
                    isinstance(parent, ast.Call)
                    and (
                        (
                            isinstance(parent.func, ast.Name)
                            and parent.func.id in _WRAPPERS
                            and node in parent.args
                        )
                        or (
                            parent.func is node
                            and isinstance(node, ast.Attribute)
                            and node.attr in _TEXT_ATTRIBUTES
                        )
                    )
                )
                or (isinstance(parent, ast.Attribute) and parent.attr in _TEXT_ATTRIBUTES)
            ):
                node = parent
            elif self._is_of_clock(parent, node):
                assert isinstance(parent, ast.expr)
                node = parent
            elif isinstance(parent, ast.FormattedValue) and parent.conversion == -1:
                outer = _parent_of(parent, self.parents())
                if isinstance(outer, ast.JoinedStr) and len(outer.values) == 1:
                    node = outer
            else:
                break
        return node

    def _is_of_clock(self, parent: ast.AST, node: ast.expr) -> bool:
        """Whether a node gives the time that `node` is in another form, or as another number."""
        if self.origin.kind is not ValueKind.CLOCK:
            return False
        if isinstance(parent, ast.BinOp):
            other = parent.left if parent.right is node else parent.right
            return isinstance(other, ast.Constant) and isinstance(other.value, int | float)
        return isinstance(parent, ast.Attribute) or (
            isinstance(parent, ast.Call) and parent.func is node
        )

    def _replace_formatted(self, whole: ast.expr, content: str) -> None:
        """Replace a value in an f-string together with its format, which is not one of texts."""
        around = _parent_of(whole, self.parents())
        if not isinstance(around, ast.FormattedValue) or around.format_spec is None:
            self.editor.replace_node(whole, content)
            return
        start, end = self.editor.span(whole)
        closing = self.editor.text.index("}", end)
        self.editor.replace(start, closing, content)

    def seen_from(self, frame: Frame, call: ast.AST) -> Cure:
        """The same cure, as if the call of a function on the way made the value."""
        other = copy.copy(self)
        other.node, other.frame = call, frame
        return other

    def replace_by_handed(self, frames: list[Frame], expression: str) -> bool:
        """Make the key in the first frame, and hand it down to where the value is made."""
        call = frames[1].call
        first = self.seen_from(frames[0], call.node) if call is not None else self
        name = first.named(expression)
        handed = hand_down(frames, name, self.model, self.editors, required=True)
        if handed is None:
            return False
        if not handed[1]:
            self.editors.show_only()
        self.replace_value(handed[0])
        return True

    def named(self, expression: str) -> str:
        """Give an expression a name ahead of the statement, where that can be; how to write it."""
        statement, function = self.statement(), self.function
        if (
            expression.isidentifier()
            or statement is None
            or function is None
            or isinstance(statement, ast.While | ast.For | ast.AsyncFor)
            or any(isinstance(p, _SCOPES) for p in self.parents_in(statement))
            or not self.editor.stands_alone(statement)
        ):
            return expression
        editor, name = self.editor, _free_name(KEY, function)
        indent = editor.indent(statement)
        row = fitted(f"{name} = {expression}", indent, editor.step, editor.limit)
        editor.insert(editor.line_start(statement), f"{indent}{row}\n")
        return name

    def parents_in(self, statement: ast.stmt) -> list[ast.AST]:
        """The nodes around the value inside of a statement."""
        return list(itertools.takewhile(lambda parent: parent is not statement, self.parents()))

    def replace_value(self, content: str) -> None:
        """Put an expression in the place of the value; a statement that then says `x = x` goes."""
        statement = self.statement()
        use = self._only_use_of_clock(statement)
        if use is not None and statement is not None:
            self.seen_from(self.frame, use).replace_value(content)
            self.editor.delete_statement(statement)
            return
        whole = self.whole()
        if any(name in self.editor.code(whole) for name in _BYTES):
            content = f"{content}.encode()"
        if statement is not None and self._stands_apart(content, statement):
            # quotes inside of an f-string need Python 3.12
            assert self.function is not None
            name = _free_name(KEY, self.function)
            editor = self.editor
            row = fitted(f"{name} = {content}", editor.indent(statement), editor.step, editor.limit)
            editor.insert(editor.line_start(statement), f"{editor.indent(statement)}{row}\n")
            content = name
        if (
            isinstance(statement, ast.Assign)
            and statement.value is whole
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and statement.targets[0].id == content
            and self.editor.stands_alone(statement)
            and _has_company(statement, self.parents())
        ):
            self.editor.delete_statement(statement)
        else:
            if isinstance(statement, ast.Assign) and statement.value is whole:
                row = self.editor.code(statement)
                ahead = len(row) - len(self.editor.code(whole))
                content = fitted(
                    content,
                    self.editor.indent(statement),
                    self.editor.step,
                    self.editor.limit - ahead if self.editor.limit else 0,
                )
            self._replace_formatted(whole, content)

    def _only_use_of_clock(self, statement: ast.stmt | None) -> ast.Name | None:
        """Where a time is used that gets a name for that alone: a key has no parts and no format."""
        if (
            self.origin.kind is not ValueKind.CLOCK
            or self.function is None
            or not isinstance(statement, ast.Assign)
            or statement.value is not self.whole()
            or not _has_company(statement, self.parents())
            or not self.editor.stands_alone(statement)
        ):
            return None
        uses = _uses_of(statement, self.function)
        return uses[0] if len(uses) == 1 else None

    def _stands_apart(self, content: str, statement: ast.stmt) -> bool:
        """Whether an expression gets a row and a name of its own: in a text, or in a long row."""
        if ("'" in content or '"' in content) and self._in_text():
            return True
        start, end = self.editor.span(self.whole())
        text = self.editor.text
        row, _, _ = text[last_line_start(text, start) :].partition("\n")
        is_named = any(isinstance(p, ast.comprehension | ast.Lambda) for p in self.parents())
        return (
            "(" in content
            and self.editor.limit > 0
            and width(row) - (end - start) + len(content) > self.editor.limit >= width(row)
            and not (isinstance(statement, ast.Assign) and statement.value is self.whole())
            and not is_named
            and not isinstance(statement, ast.While | ast.FunctionDef | ast.AsyncFunctionDef)
            and not any(
                isinstance(p, ast.ListComp | ast.SetComp | ast.DictComp) for p in self.parents()
            )
            and self.editor.stands_alone(statement)
        )

    def _in_text(self) -> bool:
        """Whether the value stands inside of an f-string."""
        return any(
            isinstance(parent, ast.JoinedStr) and parent is not self.whole()
            for parent in self.parents()
        )

    def frames_from_entry(self) -> list[Frame] | None:
        """The frames from the entry to where the value is made; `None` if they do not join."""
        if self.entry is None:
            return None
        found = [self.frame]
        while found[0].function is not self.entry.function:
            call = found[0].call
            if call is None or len(found) > 5:
                return None
            found.insert(0, call.frame)
        return found

    def key_in_scope(self) -> str | None:
        """How the entry's key is written where the value is made; parameters are added for it.

        `None` also where a function on the way has other callers, which have no key.
        """
        if self.entry is None:
            return None
        frames = self.frames_from_entry()
        if frames is None:
            return None
        key = take_key(self.entry, self.model, self.editors)
        handed = None if key is None else hand_down(frames, key, self.model, self.editors)
        return handed[0] if handed is not None and handed[1] else None


# a key that is made anew (IDM101)


def fresh_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Take the key from the caller or from what is stable, or make it before the retries."""
    if isinstance(evidence.subject, ToolParameter):
        return _required_field(evidence.subject)
    cure = Cure(evidence, model)
    if cure.origin.kind is ValueKind.ATTEMPT:
        return clock_fix(evidence, model)
    if cure.origin.once:
        return _required_argument(cure)
    if cure.retrying is not None:
        return _first(evidence, model, _hoisted, _taken_by_function)
    if cure.entry is None:
        return None
    return _first(
        evidence, model, _derived, _without_fallback, _without_salt, _taken, _shown_parameter
    )


def _first(evidence: Evidence, model: Model, *ways: Callable[[Cure], Fix | None]) -> Fix | None:
    """The fix of the first way that there is; what one way has begun is no part of the next."""
    return next(filter(None, (way(Cure(evidence, model)) for way in ways)), None)


def _without_salt(cure: Cure) -> Fix | None:
    """A fresh part beside the key that the tool takes: drop it."""
    entry = cure.entry
    if entry is None or not _holds_key(cure, entry) or not _dropped(cure):
        return None
    return cure.editors.fix(f"Drop `{_short(cure)}` from the key", Applicability.UNSAFE)


def _holds_key(cure: Cure, entry: Entry) -> bool:
    """Whether the tool's own key is a part of the value."""
    keys = {parameter.name for parameter in cure.model.entries.key_parameters(entry)}
    return any(o.kind is ValueKind.PARAMETER and o.name in keys for o in cure.use.origins)


def _required_field(parameter: ToolParameter) -> Fix | None:
    editors = Editors()
    make_required(parameter, editors)
    return editors.fix(f"Make `{parameter.name}` required", Applicability.UNSAFE)


def _required_argument(cure: Cure) -> Fix | None:
    assert cure.entry is not None
    for parameter in cure.entry.parameters:
        default = parameter.default
        if default is not None and cure.origin.node in ast.walk(default.node):
            make_required(parameter, cure.editors)
            return cure.editors.fix(f"Make `{parameter.name}` required", Applicability.UNSAFE)
    return None


def _hoisted(cure: Cure) -> Fix | None:
    """Make the key above the loop that sends again."""
    retrying = cure.retrying
    assert retrying is not None
    loop, statement, function = retrying.statement, cure.statement(), cure.function
    if loop is None or statement is None or function is None:
        return None
    if loop not in cure.parents() or not cure.editor.stands_alone(loop):
        return _hoisted_call(cure, loop)
    names = {n.id for n in ast.walk(cure.whole()) if isinstance(n, ast.Name)}
    if not names.isdisjoint(_bound_in(loop)):
        return None
    whole = cure.whole()
    message = f"Make `{cure.use.name}` before the loop"
    if (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and cure.editor.stands_alone(statement)
        and _has_company(statement, cure.parents())
        and _is_only_binding(statement.targets[0].id, statement, function)
        and {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}.isdisjoint(
            _bound_in(loop)
        )
        and _is_about(cure, statement.value)
    ):
        cure.editor.insert_before(loop, cure.editor.code(statement))
        cure.editor.delete_statement(statement)
        return cure.editors.fix(message, Applicability.SAFE)
    name = _free_name(KEY, function)
    cure.editor.insert_before(loop, f"{name} = {cure.editor.code(whole)}")
    cure.editor.replace_node(whole, name)
    return cure.editors.fix(message, Applicability.SAFE)


def _is_about(cure: Cure, value: ast.expr) -> bool:
    """Whether an expression is the key alone: moved, nothing else moves with it."""
    whole = cure.whole()
    if value is whole:
        return True
    return isinstance(value, ast.JoinedStr | ast.BinOp) and not any(
        isinstance(node, ast.Call) and node not in ast.walk(whole) for node in ast.walk(value)
    )


def _hoisted_call(cure: Cure, loop: ast.stmt) -> Fix | None:
    """The key is made in a helper that the loop calls: call it before the loop."""
    frame: Frame | None = cure.frame
    top = cure.occurrence.top
    while frame is not None and frame.call is not None:
        call = frame.call
        function = call.frame.function
        if function is not None and loop in _parents(call.node, function.node):
            if top.frame.function is not function:
                return None
            names = {n.id for n in ast.walk(call.node) if isinstance(n, ast.Name)}
            editor = cure.editors.of(call.frame.module)
            if not names.isdisjoint(_bound_in(loop)) or not editor.stands_alone(loop):
                return None
            if not _gives_key(cure, call.node):
                return None
            node = _awaited(call.node, function)
            # what comes with the key, a date that is signed with it, moves as well
            is_mapping = any(step.node in (call.node, node) for step in cure.use.steps)
            level = Applicability.UNSAFE if is_mapping else Applicability.SAFE
            message = f"Make `{cure.use.name}` before the loop"
            statement = _lone_setting(node, function, loop)
            if statement is not None and editor.stands_alone(statement):
                editor.insert_before(loop, editor.code(statement))
                editor.delete_statement(statement)
                return cure.editors.fix(message, level)
            name = _free_name(_HEADERS if is_mapping else KEY, function)
            editor.insert_before(loop, f"{name} = {editor.code(node)}")
            editor.replace_node(node, name)
            return cure.editors.fix(message, level)
        frame = call.frame
    return None


def _lone_setting(node: ast.expr, function: Function, loop: ast.stmt) -> ast.stmt | None:
    """The statement of a loop that sets a name to a value, if nothing else sets that name."""
    around = _parents(node, function.node)
    statement = around[0] if around else None
    if (
        isinstance(statement, ast.Assign)
        and statement is not loop
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and _has_company(statement, around)
        and _is_only_binding(statement.targets[0].id, statement, function)
    ):
        return statement
    return None


def _gives_key(cure: Cure, call: ast.expr) -> bool:
    """Whether a call gives the key itself, not the answer of the effect."""
    return call is not cure.occurrence.top.event.node


def _taken_by_function(cure: Cure) -> Fix | None:
    """A function that a decorator repeats takes the key from its callers."""
    function = cure.function
    retrying = cure.retrying
    if function is None or retrying is None or retrying.statement is not None:
        return None
    if isinstance(function.node, ast.Lambda) or function.parameter(KEY) is not None:
        return None
    code = cure.editor.code(cure.whole())
    if not add_key(function, cure.model, cure.editors):
        return None
    cure.replace_value(KEY)
    for mention in mentions(function, cure.model):
        if mention.call is None or mention.gives(KEY):
            continue
        if mention.module is not function.module:
            # what makes the key is not at hand there
            cure.editors.show_only()
        cure.editors.of(mention.module).add_keyword(mention.call, KEY, code)
    top = cure.occurrence.top
    once_more = cure.model.retries.recursions.of(top.event, top.frame)
    if once_more is not None and once_more is retrying.node:
        cure.editor.add_keyword(once_more, KEY, KEY)
    entry = cure.entry
    if entry is not None and entry.function is function and not entry.is_tool:
        cure.editors.show_only()
    return cure.editors.fix(
        f"Take `{KEY}` as a parameter of `{function.name}`", Applicability.UNSAFE
    )


def _without_fallback(cure: Cure) -> Fix | None:
    """`key or uuid4()` where the tool has a key: insist on the key."""
    entry = cure.entry
    known = cure.model.entries.key_parameters(entry) if entry is not None else ()
    if entry is None or not known or known[0].source == "schema" or entry.function is None:
        return None
    statement = cure.statement()
    if not known[0].required and not (
        entry.is_tool and pass_on(entry.function, known[0].name, cure.model, cure.editors)
    ):
        cure.editors.show_only()
    for parent, child in _pairs(cure):
        if (
            isinstance(parent, ast.BoolOp)
            and isinstance(parent.op, ast.Or)
            and child in parent.values[1:]
        ):
            rest = [cure.editor.code(value) for value in parent.values if value is not child]
            make_required(known[0], cure.editors)
            cure.editor.replace_node(parent, " or ".join(rest))
            return cure.editors.fix(f"Insist on `{known[0].name}`", Applicability.UNSAFE)
        if isinstance(parent, ast.IfExp) and child in (parent.body, parent.orelse):
            other = parent.body if child is parent.orelse else parent.orelse
            make_required(known[0], cure.editors)
            cure.editor.replace_node(parent, cure.editor.code(other))
            return cure.editors.fix(f"Insist on `{known[0].name}`", Applicability.UNSAFE)
    if isinstance(statement, ast.Assign) and cure.function is entry.function:
        block = _parent_of(statement, cure.parents())
        if (
            isinstance(block, ast.If)
            and statement in block.body
            and any(o.kind is ValueKind.PARAMETER for o in cure.use.origins)
            and cure.editor.stands_alone(statement)
        ):
            make_required(known[0], cure.editors)
            cure.editor.replace_node(
                statement, f'raise ValueError("{known[0].name} must not be empty")'
            )
            return cure.editors.fix(f"Insist on `{known[0].name}`", Applicability.UNSAFE)
    return None


def _taken(cure: Cure) -> Fix | None:
    """A tool or task takes the key from its caller."""
    entry = cure.entry
    if entry is None or entry.kind is EntryKind.NODE:
        return None
    cure.climb()
    frames = cure.frames_from_entry()
    key = take_key(entry, cure.model, cure.editors) if frames is not None else None
    if frames is None or key is None:
        return None
    if len(frames) == 1:
        cure.replace_value(key)
    elif not cure.replace_by_handed(frames, key):
        return None
    return cure.editors.fix(f"Take `{key}` as a parameter of `{entry.name}`", Applicability.UNSAFE)


def _derived(cure: Cure) -> Fix | None:
    """A node or task computes the key from what its framework keeps."""
    entry = cure.entry
    function = entry.function if entry is not None else None
    if entry is None or function is None or entry.is_tool or isinstance(function.node, ast.Lambda):
        return None
    cure.climb()
    frames = cure.frames_from_entry()
    if frames is None:
        return None
    if len(frames) > 1:
        call = frames[1].call
        assert call is not None
        expression = derived_key(cure.seen_from(frames[0], call.node), entry)
        if expression is None or not cure.replace_by_handed(frames, expression):
            return None
    else:
        expression = derived_key(cure, entry)
        if expression is None:
            return None
        cure.replace_value(expression)
    return cure.editors.fix(
        "Compute the key from what is the same on a replay", Applicability.UNSAFE
    )


# a key that a node makes where its state has none (IDM202)


def kept_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Compute the key in the place of making it and hoping that the state keeps it."""
    cure = Cure(evidence, model)
    entry = cure.entry
    if entry is None or entry.kind is not EntryKind.NODE:
        return None
    return _derived(cure)


# a clock in a key (IDM102)


def clock_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Drop the clock from the key; a key that is nothing but the clock is taken from the caller."""
    if isinstance(evidence.subject, ToolParameter):
        return _required_field(evidence.subject)
    cure = Cure(evidence, model)
    if _dropped(cure):
        return cure.editors.fix(f"Drop `{_short(cure)}` from the key", Applicability.UNSAFE)
    return _first(evidence, model, _derived, _without_fallback, _taken, _shown_parameter)


def _shown_parameter(cure: Cure) -> Fix | None:
    """Show the key as a parameter of a function of which it is not known who calls it."""
    function = cure.function
    if function is None or isinstance(function.node, ast.Lambda):
        return None
    if function.parameter(KEY) is not None or function.node.args.kwarg is not None:
        return None
    if not add_key(function, cure.model, cure.editors):
        return None
    cure.replace_value(KEY)
    cure.editors.show_only()
    return cure.editors.fix(f"Take `{KEY}` from the caller", Applicability.DISPLAY)


def _short(cure: Cure) -> str:
    return " ".join(cure.editor.code(cure.node).split())[:40]


def _dropped(cure: Cure) -> bool:
    """Take a part out of an f-string, a sum or a joined list, with the separator beside it."""
    chain = [cure.node, *cure.parents()]
    for child, parent in itertools.pairwise(chain):
        if isinstance(parent, ast.stmt):
            return _dropped_by_name(cure, parent)
        if isinstance(parent, ast.JoinedStr) and isinstance(child, ast.FormattedValue):
            return _drop_formatted(cure, parent, child)
        if isinstance(parent, ast.List | ast.Tuple) and len(parent.elts) > 1:
            return _drop_element(cure, parent, child)
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
            return _drop_operand(cure, parent, child)
    return False


def _drop_operand(cure: Cure, whole: ast.BinOp, part: ast.AST) -> bool:
    """`salt + key` as `key`; of two texts between which a separator stands, that stays."""
    other = whole.right if part is whole.left else whole.left
    if not _tells_intent(cure, other):
        return False
    cure.editor.replace_node(whole, cure.editor.code(other))
    return True


def _dropped_by_name(cure: Cure, statement: ast.stmt) -> bool:
    """`stamp = int(time.time())`, used in one f-string: drop it there, and the variable."""
    function = cure.function
    if function is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not cure.editor.stands_alone(statement):
        return False
    uses = _uses_of(statement, function)
    if len(uses) != 1:
        return False
    around = _parents(uses[0], function.node)
    chain = [uses[0], *around]
    for child, parent in itertools.pairwise(chain):
        if isinstance(parent, ast.stmt):
            return False
        is_dropped = False
        if isinstance(parent, ast.JoinedStr) and isinstance(child, ast.FormattedValue):
            is_dropped = _drop_formatted(cure, parent, child)
        elif isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
            is_dropped = _drop_operand(cure, parent, child)
        elif isinstance(parent, ast.List | ast.Tuple) and len(parent.elts) > 1:
            is_dropped = _drop_element(cure, parent, child)
        else:
            continue
        if is_dropped and _has_company(statement, cure.parents()):
            cure.editor.delete_statement(statement)
        return is_dropped
    return False


def _tells_intent(cure: Cure, part: ast.expr) -> bool:
    """Whether a part of a key is more than a constant: two intents would have one key.

    Beside a clock, which told one use of a receiver from the next, it is what names an intent.
    """
    if isinstance(part, ast.Constant):
        return False
    place = Place(part, cure.frame, cure.statement())
    origins = cure.model.values.origins(place)
    if cure.origin.kind is not ValueKind.CLOCK:
        return not origins or any(origin.kind is not ValueKind.CONSTANT for origin in origins)
    names = [origin.key or origin.name for origin in origins if origin.kind is ValueKind.PARAMETER]
    names += [node.id for node in ast.walk(part) if isinstance(node, ast.Name)]
    names += [node.attr for node in ast.walk(part) if isinstance(node, ast.Attribute)]
    knowledge = cure.model.knowledge
    return any(
        knowledge.is_key_name(name) or "intent" in knowledge.field_kinds(name) for name in names
    ) or any(origin.kind is ValueKind.STABLE for origin in origins)


def _uses_of(statement: ast.Assign, function: Function) -> list[ast.Name]:
    """Where the name is read that a statement binds."""
    target = statement.targets[0]
    return [
        node
        for node in ast.walk(function.node)
        if isinstance(target, ast.Name)
        and len(statement.targets) == 1
        and isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Load)
    ]


def _drop_formatted(cure: Cure, whole: ast.JoinedStr, part: ast.FormattedValue) -> bool:
    stable = [
        value
        for value in whole.values
        if isinstance(value, ast.FormattedValue) and value is not part
    ]
    if not any(_tells_intent(cure, value.value) for value in stable):
        return False
    start, end = cure.editor.span(whole)
    inner_start, inner_end = cure.editor.span(part.value)
    text = cure.editor.text
    opening = text.rfind("{", start, inner_start)
    closing = text.find("}", inner_end, end)
    if opening < 0 or closing < 0:
        return False
    closing += 1
    if text[opening - 1] in _SEPARATORS:
        opening -= 1
    elif text[closing : closing + 1] and text[closing] in _SEPARATORS:
        closing += 1
    cure.editor.replace(opening, closing, "")
    return True


def _drop_element(cure: Cure, whole: ast.List | ast.Tuple, part: ast.AST) -> bool:
    """Take an element out of what is joined or hashed; a tuple of one keeps its comma."""
    if part not in whole.elts or not _is_of_parts(cure, whole):
        return False
    if not any(_tells_intent(cure, other) for other in whole.elts if other is not part):
        return False
    is_pair = isinstance(whole, ast.Tuple) and len(whole.elts) == 2
    index = whole.elts.index(part)
    if index:
        start = cure.editor.span(whole.elts[index - 1])[1]
        cure.editor.replace(start, cure.editor.span(part)[1], "," if is_pair else "")
    else:
        start, end = cure.editor.span(whole.elts[1])
        cure.editor.replace(cure.editor.span(part)[0], start, "")
        if is_pair:
            cure.editor.insert(end, ",")
    return True


def _is_of_parts(cure: Cure, sequence: ast.List | ast.Tuple) -> bool:
    """Whether the length of a sequence means nothing: it is joined or hashed, not passed on."""
    function = cure.function
    if function is None:
        return False
    parents = _parents(sequence, function.node)
    around = parents[0] if parents else None
    if isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Name):
        name = around.targets[0].id
        uses = [
            node
            for node in ast.walk(function.node)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        return all(_is_folded(next(iter(_parents(use, function.node)), None)) for use in uses)
    return _is_folded(around)


def _is_folded(call: ast.AST | None) -> bool:
    if not isinstance(call, ast.Call):
        return False
    name = last_name(call.func)
    return name in _FOLDS


# an identity that is made anew (IDM103)


def identity_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Derive the identity from the key."""
    cure = Cure(evidence, model)
    entry = cure.entry
    if entry is None:
        return None
    whole = cure.whole()
    hexed = isinstance(whole, ast.Attribute) and whole.attr == "hex"
    is_uuid = "uuid" in cure.editor.code(cure.origin.node)
    if cure.function is entry.function and not entry.is_tool:
        expression = derived_key(cure, entry)
        if expression is not None:
            cure.replace_value(expression)
            return cure.editors.fix(
                "Compute the identity from what is the same on a replay", Applicability.UNSAFE
            )
    if entry.kind is EntryKind.NODE:
        return None
    key = cure.key_in_scope()
    if key is None:
        return None
    namespace = cure.editor.add_import("uuid", "NAMESPACE_URL")
    uuid5 = cure.editor.add_import("uuid", "uuid5")
    made = f"{uuid5}({namespace}, {key})"
    if is_uuid:
        cure.editor.replace_node(cure.origin.node, made)
    else:
        cure.editor.replace_node(
            whole, f"{made}.hex" if hexed or _gives_hex(cure) else f"str({made})"
        )
    return cure.editors.fix(f"Derive the identity from `{key}`", Applicability.UNSAFE)


def _gives_hex(cure: Cure) -> bool:
    return "hex" in cure.editor.code(cure.origin.node)


# a key that depends on the process (IDM104)


def unstable_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Compute the key from a canonical form."""
    cure = Cure(evidence, model)
    node = cure.origin.node
    if isinstance(node, ast.Set | ast.SetComp):
        cure.editor.replace_node(node, f"sorted({cure.editor.code(node)})")
        return cure.editors.fix("Sort the set", Applicability.SAFE)
    if not isinstance(node, ast.Call):
        return None
    name = last_name(node.func)
    row = cure.origin.row
    if isinstance(row, Unstable) and row.fix == "sort_keys":
        for keyword in node.keywords:
            if keyword.arg == "sort_keys":
                cure.editor.replace_node(keyword.value, "True")
                break
        else:
            cure.editor.add_keyword(node, "sort_keys", "True")
        return cure.editors.fix("Sort the keys", Applicability.SAFE)
    if name == "hash" and len(node.args) == 1:
        sha256 = cure.editor.add_import("hashlib", "sha256")
        argument = cure.editor.code(node.args[0])
        cure.editor.replace_node(node, f"{sha256}(repr({argument}).encode()).hexdigest()")
        return cure.editors.fix("Hash the written form with sha256", Applicability.UNSAFE)
    if name in ("set", "frozenset"):
        cure.editor.replace_node(node, f"sorted({cure.editor.code(node)})")
        return cure.editors.fix("Sort the set", Applicability.SAFE)
    return None


# a key that is the id of a call (IDM105)


def call_id_fix(evidence: Evidence, model: Model) -> Fix | None:
    """Use the tool's own key in the place of the call's id."""
    cure = Cure(evidence, model)
    entry = cure.entry
    if (entry is None or _holds_key(cure, entry)) and _dropped(cure):
        return cure.editors.fix(f"Drop `{_short(cure)}` from the key", Applicability.UNSAFE)
    node = cure.use.place.node
    if entry is None or cure.use.place.frame.function is not entry.function:
        return None
    if entry.function is not None and cure.function is not entry.function:
        return None
    key = take_key(entry, model, cure.editors)
    if key is None:
        return None
    cure.editors.of(cure.use.place.frame.module).replace_node(node, key)
    return cure.editors.fix(f"Take `{key}` as a parameter of `{entry.name}`", Applicability.UNSAFE)


# looking around


def _is_all_of(part: ast.AST, whole: ast.AST) -> bool:
    """Whether a value is another one, or a text, number or digest that is made of it."""
    chain = [part, *_parents(part, whole)]
    if chain[-1] is not whole:
        return False
    return all(
        _is_made_of(parent, child, around)
        for child, parent, around in zip(chain, chain[1:], [*chain[2:], None], strict=False)
    )


def _is_made_of(whole: ast.AST, part: ast.AST, around: ast.AST | None) -> bool:
    if isinstance(whole, ast.List | ast.Tuple | ast.Dict):
        return _is_folded(around)
    if isinstance(whole, ast.Call):
        name = whole.func.attr if isinstance(whole.func, ast.Attribute) else ""
        name = name or getattr(whole.func, "id", "")
        return part is whole.func or (part in whole.args and not name[:1].isupper())
    return isinstance(
        whole,
        ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.BoolOp | ast.IfExp | ast.Attribute,
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _parents(node: ast.AST, root: ast.AST | None) -> list[ast.AST]:
    """The nodes around `node` up to `root`, the nearest first; empty if it does not lie there."""
    if root is None:
        return []
    pending: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(root, ())]
    while pending:
        current, around = pending.pop()
        if current is node:
            return list(around)
        inner = (current, *around)
        pending.extend((child, inner) for child in ast.iter_child_nodes(current))
    return []


def _parent_of(node: ast.AST, parents: list[ast.AST]) -> ast.AST | None:
    if node in parents:
        number = parents.index(node) + 1
        return parents[number] if number < len(parents) else None
    return parents[0] if parents else None


def _pairs(cure: Cure) -> list[tuple[ast.AST, ast.AST]]:
    """Each node around the value with the part of it that holds the value, up to the statement."""
    chain = [cure.node, *cure.parents()]
    found = []
    for child, parent in itertools.pairwise(chain):
        if isinstance(parent, ast.stmt):
            break
        found.append((parent, child))
    return found


def _has_company(statement: ast.stmt, parents: list[ast.AST]) -> bool:
    """Whether a block is not left empty without a statement."""
    block = _parent_of(statement, parents)
    for name in ("body", "orelse", "finalbody"):
        statements = getattr(block, name, None)
        if isinstance(statements, list) and statement in statements:
            return len(statements) > 1
    return False


def _bound_in(loop: ast.stmt) -> set[str]:
    """The names that a loop binds."""
    return {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _is_only_binding(name: str, statement: ast.stmt, function: Function) -> bool:
    """Whether a name is bound in one place of a function, not counting the statement that moves."""
    moved = {id(node) for node in ast.walk(statement)}
    return (
        not any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
            and id(node) not in moved
            for node in ast.walk(function.node)
        )
        and function.parameter(name) is None
    )


def _free_name(name: str, function: Function) -> str:
    """`name`, or with a number where the function uses it."""
    used = {node.id for node in ast.walk(function.node) if isinstance(node, ast.Name)}
    used |= {arg.arg for arg in function.parameters}
    free = name
    number = 2
    while free in used:
        free, number = f"{name}_{number}", number + 1
    return free


def _awaited(call: ast.expr, function: Function) -> ast.expr:
    parents = _parents(call, function.node)
    return parents[0] if parents and isinstance(parents[0], ast.Await) else call

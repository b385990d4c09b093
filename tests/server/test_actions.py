"""Code actions and commands: what they are called, and what they make of the text."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

import pytest
from conftest import RETRY, TOOL
from lsp_client import DEFAULT, ServerError, applied, edits_of, span, uri
from marked import ROOT

from idemlint.config.discovery import Resolver
from idemlint.linter import Target
from idemlint.server.checks import Checked
from idemlint.server.documents import Document
from idemlint.server.fixing import Fixing
from idemlint.server.positions import Encoding
from idemlint.session import Session, SupersededError

if TYPE_CHECKING:
    from pathlib import Path

CLEAN = "value = 1\n"


def row_of(text: str, part: str) -> int:
    return next(number for number, row in enumerate(text.split("\n")) if part in row)


def codes(diagnostics: list[dict]) -> list[str]:
    return [entry["code"] for entry in diagnostics]


def opened(client, path: Path, text: str) -> tuple[str, list[dict]]:
    address = client.open(path, text)
    return address, client.published(address, 1)


def test_unsafe_fix_is_offered_and_cures_its_finding(launch, project: Path) -> None:
    client = launch()
    address, found = opened(client, project / "tool.py", TOOL)
    actions = client.actions(address, found[0]["range"], found)
    fix = actions[0]
    assert fix["title"] == (
        "idemlint (IDM101): Take `idempotency_key` as a parameter of `charge` (OP-1)"
    )
    assert fix["kind"] == "quickfix"
    assert fix["isPreferred"] is False
    assert codes(fix["diagnostics"]) == ["IDM101"]
    change = fix["edit"]["documentChanges"][0]
    assert change["textDocument"] == {"uri": address, "version": 1}
    text = applied(TOOL, change["edits"])
    ast.parse(text)
    client.change(address, 2, {"text": text})
    assert client.published(address, 2) == []


def test_safe_fix_is_preferred(launch, project: Path) -> None:
    client = launch()
    address, found = opened(client, project / "retry.py", RETRY)
    fix = client.actions(address, found[0]["range"], found)[0]
    assert fix["isPreferred"] is True
    text = applied(RETRY, edits_of(fix["edit"])[address])
    assert text.index("uuid4()") < text.index("for _ in range")


def test_client_without_versions_gets_plain_changes(launch, project: Path) -> None:
    client = launch(capabilities={})
    address, found = opened(client, project / "retry.py", RETRY)
    fix = client.actions(address, found[0]["range"], found)[0]
    assert list(fix["edit"]) == ["changes"]
    assert list(fix["edit"]["changes"]) == [address]


def test_actions_without_named_findings_are_those_of_the_range(launch, project: Path) -> None:
    client = launch()
    address, found = opened(client, project / "tool.py", TOOL)
    row = found[0]["range"]["start"]["line"]
    titles = [action["title"] for action in client.actions(address, span(row, 0, 40))]
    assert any("Take `idempotency_key`" in title for title in titles)
    only_all = [action["title"] for action in client.actions(address, span(0, 0, 1))]
    assert only_all == ["idemlint: Fix all auto-fixable problems"]


def test_kinds_are_matched_by_their_beginning(launch, project: Path) -> None:
    client = launch()
    address, found = opened(client, project / "retry.py", RETRY)

    def kinds(*only: str) -> set[str]:
        return {a["kind"] for a in client.actions(address, found[0]["range"], found, list(only))}

    assert kinds("source") == {"source.fixAll.idemlint"}
    assert kinds("source.fixAll") == {"source.fixAll.idemlint"}
    assert kinds("source.fixAll.idemlint") == {"source.fixAll.idemlint"}
    assert kinds("source.fixAll.ruff") == set()
    assert kinds("quickfix") == {"quickfix"}
    assert kinds("refactor") == set()


def test_line_can_be_silenced(launch, project: Path) -> None:
    client = launch()
    address, found = opened(client, project / "tool.py", TOOL)
    action = next(
        a
        for a in client.actions(address, found[0]["range"], found)
        if a["title"] == "idemlint (IDM101): Disable for this line"
    )
    text = applied(TOOL, edits_of(action["edit"])[address])
    assert "    key = str(uuid.uuid4())  # noqa: IDM101\n" in text
    client.change(address, 2, {"text": text})
    assert client.published(address, 2) == []


def test_silencing_adds_to_a_comment_that_is_there(launch, project: Path) -> None:
    text = TOOL.replace("uuid4())", "uuid4())  # noqa: F401 because")
    client = launch()
    address, found = opened(client, project / "tool.py", text)
    action = next(
        a
        for a in client.actions(address, found[0]["range"], found)
        if a["title"].endswith("Disable for this line")
    )
    text = applied(text, edits_of(action["edit"])[address])
    assert "uuid4())  # noqa: F401, IDM101 because\n" in text


def test_all_safe_fixes_are_made_when_the_action_is_resolved(launch, project: Path) -> None:
    client = launch()
    text = RETRY + "\n\ndef other() -> None:\n    pass  # noqa: IDM101\n"
    address, found = opened(client, project / "retry.py", text)
    assert sorted(codes(found)) == ["IDM001", "IDM101"]
    (action,) = client.actions(address, span(0, 0, 0), only=["source.fixAll"])
    assert "edit" not in action
    resolved = client.request("codeAction/resolve", action)
    fixed = applied(text, edits_of(resolved["edit"])[address])
    client.change(address, 2, {"text": fixed})
    assert client.published(address, 2) == []


def test_all_fixes_leave_unsafe_ones_alone(launch, project: Path) -> None:
    client = launch()
    address, _ = opened(client, project / "tool.py", TOOL)
    (action,) = client.actions(address, span(0, 0, 0), only=["source.fixAll"])
    assert client.request("codeAction/resolve", action).get("edit") is None


def test_configuration_can_make_unsafe_fixes_count(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.idemlint]\nunsafe-fixes = true\n")
    client = launch()
    address, _ = opened(client, project / "tool.py", TOOL)
    (action,) = client.actions(address, span(0, 0, 0), only=["source.fixAll"])
    resolved = client.request("codeAction/resolve", action)
    text = applied(TOOL, edits_of(resolved["edit"])[address])
    assert "idempotency_key: str" in text


def test_unfixable_rule_is_silenced_only(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.idemlint.lint]\nunfixable = ["IDM101"]\n')
    client = launch()
    address, found = opened(client, project / "retry.py", RETRY)
    titles = [a["title"] for a in client.actions(address, found[0]["range"], found)]
    assert titles[0] == "idemlint (IDM101): Disable for this line"


def test_whole_rule_can_be_fixed_in_the_file(launch, project: Path) -> None:
    second = RETRY.replace("def send", "def resend").replace("import uuid\n\nimport requests\n", "")
    text = RETRY + second
    client = launch()
    address, found = opened(client, project / "retry.py", text)
    assert codes(found) == ["IDM101", "IDM101"]
    action = next(
        a
        for a in client.actions(address, found[0]["range"], found[:1])
        if a["title"] == "idemlint (IDM101): Fix all 2 in this file"
    )
    resolved = client.request("codeAction/resolve", action)
    text = applied(text, edits_of(resolved["edit"])[address])
    client.change(address, 2, {"text": text})
    assert client.published(address, 2) == []


def test_newlines_of_the_text_are_kept(launch, project: Path) -> None:
    text = RETRY.replace("\n", "\r\n")
    client = launch()
    address, _ = opened(client, project / "retry.py", text)
    (action,) = client.actions(address, span(0, 0, 0), only=["source.fixAll"])
    resolved = client.request("codeAction/resolve", action)
    fixed = applied(text, edits_of(resolved["edit"])[address])
    assert fixed.count("\n") == fixed.count("\r\n")


def test_command_applies_the_fixes(launch, project: Path) -> None:
    client = launch()
    address, _ = opened(client, project / "retry.py", RETRY)
    arguments = [{"uri": address, "version": 1}]
    client.request(
        "workspace/executeCommand",
        {"command": "idemlint.applyAutofix", "arguments": arguments},
    )
    (asked,) = [r for r in client.requests if r["method"] == "workspace/applyEdit"]
    assert asked["params"]["label"] == "idemlint: Fix all auto-fixable problems"
    assert applied(RETRY, edits_of(asked["params"]["edit"])[address]) != RETRY


def test_command_for_an_old_version_does_nothing(launch, project: Path) -> None:
    client = launch()
    address, _ = opened(client, project / "retry.py", RETRY)
    arguments = [{"uri": address, "version": 0}]
    client.request(
        "workspace/executeCommand",
        {"command": "idemlint.applyAutofix", "arguments": arguments},
    )
    assert not [r for r in client.requests if r["method"] == "workspace/applyEdit"]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [("idemlint.nothing", []), ("idemlint.applyAutofix", []), ("idemlint.applyAutofix", [7])],
)
def test_wrong_commands_are_refused(launch, command: str, arguments: list) -> None:
    client = launch()
    with pytest.raises(ServerError) as refused:
        client.request("workspace/executeCommand", {"command": command, "arguments": arguments})
    assert refused.value.code == -32602


def test_debug_information_names_the_configuration(launch, project: Path) -> None:
    (project / "idemlint.toml").write_text("preview = true\n")
    client = launch()
    address, _ = opened(client, project / "retry.py", RETRY)
    text = client.request(
        "workspace/executeCommand",
        {
            "command": "idemlint.printDebugInformation",
            "arguments": [{"textDocument": {"uri": address}}],
        },
    )
    assert f"configuration = {project / 'idemlint.toml'}" in text
    assert "IDM106" in text


HELPER = """import requests


def send(order: str) -> None:
    requests.post("https://api.example.com/ship", json={"order": order})
"""


def test_fix_in_several_files_is_one_change(launch, project: Path) -> None:
    """The key that a helper makes is taken by the tool and handed on to the helper."""
    helper = (
        "import uuid\n\nimport stripe\n\n\ndef pay(order):\n"
        "    return stripe.PaymentIntent.create(amount=1, currency='usd',"
        " idempotency_key=str(uuid.uuid4()))\n"
    )
    tool = (
        "from langchain_core.tools import tool\n\nfrom helper import pay\n\n\n@tool\n"
        'def charge(order: str) -> str:\n    """Charge."""\n    return pay(order).id\n'
    )
    (project / "helper.py").write_text(helper)
    client = launch()
    address, _ = opened(client, project / "caller.py", tool)
    path, found = opened(client, project / "helper.py", helper)
    if not found:
        found = client.published(path, 1)
    fix = client.actions(path, found[0]["range"], found)[0]
    changes = edits_of(fix["edit"])
    assert set(changes) == {path, address}
    texts = {path: applied(helper, changes[path]), address: applied(tool, changes[address])}
    for text in texts.values():
        ast.parse(text)
    client.change(path, 2, {"text": texts[path]})
    client.change(address, 2, {"text": texts[address]})
    client.settle()
    left = {}
    for note in client.notes:
        if note["method"] == "textDocument/publishDiagnostics":
            left[note["params"]["uri"]] = note["params"]["diagnostics"]
    assert left == {path: [], address: []}


def test_fix_for_review_asks_first(launch, project: Path) -> None:
    """A display fix is never applied unseen: it has an annotation that asks, and a suffix."""
    from idemlint.diagnostic import Applicability, Edit, Position, Range
    from idemlint.server.client import Client, Locator
    from idemlint.server.documents import Documents
    from idemlint.server.edits import workspace_edit

    assert Applicability.DISPLAY < Applicability.UNSAFE
    path = project / "tool.py"
    edit = Edit(path, Range(Position(1, 1), Position(1, 1)), "x")
    client = Client(has_versioned_edits=True, has_annotations=True)
    made = workspace_edit([edit], client, Locator(Documents(), client.encoding), review="Split")
    assert made.change_annotations["review"].needs_confirmation is True
    assert made.document_changes[0].edits[0].annotation_id == "review"
    plain = workspace_edit(
        [edit], Client(has_versioned_edits=True), Locator(Documents(), client.encoding), review="x"
    )
    assert plain.change_annotations is None


def test_fix_for_review_is_offered_as_one(launch, project: Path) -> None:
    text = (ROOT / "examples" / "refund_desk" / "desk.py").read_text()
    client = launch()
    address, found = opened(client, project / "desk.py", text)
    finding = next(entry for entry in found if entry["code"] == "IDM501")
    fix = client.actions(address, finding["range"], [finding])[0]
    assert fix["title"] == (
        "idemlint (IDM501): Pass a key that is the same on a replay (OP-1) (suggestion)"
    )
    assert fix["isPreferred"] is False
    edits = fix["edit"]["documentChanges"][0]["edits"]
    assert {edit["annotationId"] for edit in edits} == {"review"}
    annotation = fix["edit"]["changeAnnotations"]["review"]
    assert annotation == {
        "label": "Pass a key that is the same on a replay",
        "needsConfirmation": True,
    }


STOCK = '''import sqlite3
from langchain_core.tools import tool


@tool
{kind}def ship(order: str) -> str:
    """Ship an order."""
    with sqlite3.connect("shop.db") as db:
        db.execute("INSERT INTO orders (name) VALUES (?)", (order,))
        db.execute("UPDATE stock SET count = count - 1 WHERE name = ?", (order,))
    return "done"
'''


@pytest.mark.parametrize("kind", ["", "async "])
def test_module_of_an_operation_can_be_written(launch, project: Path, kind: str) -> None:
    client = launch()
    address, found = opened(client, project / "ship.py", STOCK.format(kind=kind))
    (finding,) = [entry for entry in found if entry["code"] == "IDM401"]
    assert finding["data"]["operation"] == "OP-2"
    title = "idemlint: Write the OP-2 module op2.py"
    actions = client.actions(address, finding["range"], [finding])
    action = next(entry for entry in actions if entry["title"] == title)
    resolved = client.request("codeAction/resolve", action)
    created, filled = resolved["edit"]["documentChanges"]
    assert created == {
        "kind": "create",
        "uri": uri(project / "op2.py"),
        "options": {"ignoreIfExists": True},
    }
    module = filled["edits"][0]["newText"]
    ast.parse(module)
    assert ("async def" in module) is bool(kind)
    # it is there now: nothing more is offered
    (project / "op2.py").write_text(module)
    actions = client.actions(address, finding["range"], [finding])
    assert title not in [entry["title"] for entry in actions]


def test_fixes_for_a_text_that_was_changed_are_given_up(project: Path) -> None:
    path = project / "retry.py"
    item = Document(uri(path), path, 1, "python", RETRY, Encoding.UTF16)
    target = Target(str(path), Resolver(project).root, item.contents)
    session = Session()
    report = [found for found in session.check([target]) if found][-1]
    checked = Checked(item, target, report.diagnostics, (target,))
    assert Fixing(session, checked).fixes_of("IDM101")
    for work in ("all_fixes", "fixes_of"):
        fixing = Fixing(session, checked, lambda: True)
        with pytest.raises(SupersededError):
            getattr(fixing, work)(*(["IDM101"] if work == "fixes_of" else []))
    assert Fixing(session, checked).fixes_of("IDM101")


def test_answers_are_for_the_newest_text_or_refused(launch, project: Path) -> None:
    more = RETRY.partition("\n\n\n")[2]
    text = RETRY + "".join(more.replace("def send", f"def send_{n}") for n in range(40))
    client = launch()
    address, found = opened(client, project / "retry.py", text)
    assert len(found) == 41
    action = {"title": "", "data": {"do": "rule", "code": "IDM101", "uri": address}}
    for version in range(2, 6):
        number = client.ask("codeAction/resolve", action)
        client.change(address, version, {"range": span(0, 0, 0), "text": "\n"})
        try:
            edit = client.answer(number)["edit"]
        except ServerError as refused:
            assert refused.code == -32801
        else:
            assert edit["documentChanges"][0]["textDocument"]["version"] == version
        assert len(client.published(address, version)) == 41
    assert client.request("codeAction/resolve", action)["edit"]


def test_settings_switch_actions_off(launch, project: Path) -> None:
    client = launch(
        options={
            "settings": {
                "fixAll": False,
                "codeAction": {
                    "fixViolation": {"enable": False},
                    "disableRuleComment": {"enable": False},
                },
            }
        }
    )
    address, found = opened(client, project / "tool.py", TOOL)
    assert client.actions(address, found[0]["range"], found) == []


def test_action_is_whole_for_a_client_that_does_not_resolve(launch, project: Path) -> None:
    capabilities = copy.deepcopy(DEFAULT)
    del capabilities["textDocument"]["codeAction"]["resolveSupport"]
    client = launch(capabilities=capabilities)
    address, _ = opened(client, project / "retry.py", RETRY)
    (action,) = client.actions(address, span(0, 0, 0), only=["source.fixAll"])
    assert edits_of(action["edit"])[address]
    clean, _ = opened(client, project / "clean.py", CLEAN)
    assert client.actions(clean, span(0, 0, 0), only=["source.fixAll"]) == []

"""The settings of an editor: Ruff's names and shapes, what they do, and what is wrong with some."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import RETRY, TOOL
from lsp_client import uri

from idemlint.linter import Target
from idemlint.server.settings import Preference, Run, SettingsError, read_settings
from idemlint.server.workspace import Workspace
from idemlint.session import Session

if TYPE_CHECKING:
    from lsp_client import LspClient


def codes(client: LspClient, path: Path, text: str | None = None) -> list[str]:
    found = client.published(client.open(path, text), 1)
    return [entry["code"] for entry in found]


# shapes


def test_settings_of_ruff_server_are_read() -> None:
    given = {
        "settings": {
            "configuration": "~/idemlint.toml",
            "configurationPreference": "filesystemFirst",
            "lint": {
                "enable": False,
                "select": ["IDM1"],
                "extendSelect": ["IDM2"],
                "ignore": ["IDM101"],
                "preview": True,
                "run": "onSave",
                "args": ["--preview"],
            },
            "exclude": ["**/third_party"],
            "codeAction": {
                "fixViolation": {"enable": False},
                "disableRuleComment": {"enable": False},
            },
            "fixAll": False,
            "showSyntaxErrors": False,
            "logLevel": "warning",
            "logFile": "x.log",
            "lineLength": 80,
            "organizeImports": True,
            "format": {"args": []},
        }
    }
    found = read_settings(given)
    general = found.general
    assert found.unknown == ()
    assert general.configuration == "~/idemlint.toml"
    assert general.preference is Preference.FILES_FIRST
    assert not general.enable
    assert general.select == ("IDM1",)
    assert general.extend_select == ("IDM2",)
    assert general.ignore == ("IDM101",)
    assert general.preview is True
    assert general.run is Run.ON_SAVE
    assert general.args == ("--preview",)
    assert general.exclude == ("**/third_party",)
    assert not general.fix_violation
    assert not general.disable_comment
    assert not general.fix_all
    assert not general.show_syntax_errors
    assert general.log_level == "warn"
    assert general.log_file == "x.log"


def test_settings_of_ruff_lsp_are_read() -> None:
    given = {
        "settings": [
            {
                "workspace": "file:///work",
                "workspacePath": "/work",
                "cwd": "/work",
                "enable": True,
                "args": ["--select=IDM1"],
                "lint": {"enable": True, "args": ["--preview"], "run": "onSave"},
                "format": {"args": [], "preview": False},
                "run": "onType",
                "path": ["idemlint"],
                "interpreter": ["python"],
                "importStrategy": "fromEnvironment",
                "codeAction": {
                    "fixViolation": {"enable": True},
                    "disableRuleComment": {"enable": False},
                },
                "fixAll": True,
                "organizeImports": False,
                "ignoreStandardLibrary": True,
                "logLevel": "error",
                "showNotifications": "off",
                "nativeServer": "auto",
                "codeLens": {"enable": True},
            }
        ]
    }
    found = read_settings(given)
    assert found.unknown == ()
    settings = found.of(Path("/work"))
    assert settings.args
    assert not settings.disable_comment
    assert settings.code_lens
    assert settings.log_level == "error"


def test_dotted_names_mean_the_same_as_nested_ones() -> None:
    nested = read_settings({"settings": {"lint": {"select": ["IDM1"]}}})
    assert read_settings({"settings": {"lint.select": ["IDM1"]}}) == nested


def test_list_is_by_workspace_and_the_rest_is_global() -> None:
    found = read_settings(
        {
            "settings": [
                {"workspace": "file:///a%20b", "lint": {"select": ["IDM1"]}, "cwd": "/a b"},
                {"lint": {"select": ["IDM9"]}},
                7,
            ],
            "globalSettings": {"lint": {"select": ["IDM2"]}},
        }
    )
    assert found.of(Path("/a b")).select == ("IDM1",)
    assert found.of(Path("/other")).select == ("IDM2",)
    assert found.of(None).select == ("IDM2",)


@pytest.mark.parametrize("given", [None, 7, [], {}, {"lint": {"select": ["IDM1"]}}])
def test_what_is_not_wrapped_is_not_read(given: object) -> None:
    assert read_settings(given).general.select is None


def test_unknown_names_are_listed_once() -> None:
    table = {"nonsense": 1, "lint": {"other": {"deep": 2}}, "importStrategy": "useBundled"}
    found = read_settings({"settings": [{"workspace": "file:///a", **table}, table]})
    assert found.unknown == ("nonsense", "lint.other.deep")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"lint": {"select": "IDM1"}}, "`lint.select` has to be a list of strings"),
        ({"lint": {"enable": "yes"}}, "`lint.enable` has to be a boolean"),
        ({"configurationPreference": "mine"}, "`editorFirst`, `filesystemFirst`, `editorOnly`"),
        ({"configuration": 7}, "a path or a table"),
        ({"logLevel": "loud"}, "`logLevel` has to be one of"),
        ({"run": 1}, "one of `onType`, `onSave`"),
    ],
)
def test_wrong_types_are_named(table: dict, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings({"settings": table})
    assert said in str(refused.value)


# what they do


def test_rules_are_chosen(launch, project: Path) -> None:
    client = launch(options={"settings": {"lint": {"ignore": ["IDM101"]}}})
    assert codes(client, project / "tool.py") == []


def test_editor_wins_over_files_unless_told_otherwise(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.idemlint.lint]\nselect = ["IDM4"]\n')
    select = {"lint": {"select": ["IDM1"]}}
    assert codes(launch(options={"settings": select}), project / "tool.py") == ["IDM101"]
    first = {**select, "configurationPreference": "filesystemFirst"}
    assert codes(launch(options={"settings": first}), project / "tool.py") == []


def test_files_can_be_left_out_altogether(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.idemlint.lint]\nselect = ["IDM4"]\n')
    only = {"configurationPreference": "editorOnly"}
    assert codes(launch(options={"settings": only}), project / "tool.py") == ["IDM101"]


def test_configuration_is_a_file_or_a_table(launch, project: Path) -> None:
    table = {"configuration": {"lint": {"per-file-ignores": {"tool.py": ["IDM101"]}}}}
    assert codes(launch(options={"settings": table}), project / "tool.py") == []
    (project / "other.toml").write_text("[lint]\nselect = []\n")
    file = {"configuration": "other.toml"}
    assert codes(launch(options={"settings": file}), project / "tool.py") == []


def test_named_settings_win_over_the_configuration(launch, project: Path) -> None:
    both = {"configuration": {"lint": {"select": []}}, "lint": {"select": ["IDM1"]}}
    assert codes(launch(options={"settings": both}), project / "tool.py") == ["IDM101"]


@pytest.mark.parametrize(
    "settings",
    [
        {"lint": {"select": ["NOPE"]}},
        {"configuration": "missing.toml"},
        {"configuration": {"nonsense": 1}},
        {"lint": {"args": ["--nonsense"]}},
    ],
)
def test_wrong_settings_are_told_and_left_out(launch, project: Path, settings: dict) -> None:
    client = launch(options={"settings": settings})
    assert codes(client, project / "tool.py") == ["IDM101"]
    assert client.note("window/showMessage")["type"] == 1


def test_settings_of_a_wrong_type_are_all_dropped(launch, project: Path) -> None:
    client = launch(options={"settings": {"lint": {"select": [], "enable": "no"}}})
    told = client.note("window/showMessage")["message"]
    assert "received invalid client settings" in told
    assert codes(client, project / "tool.py") == ["IDM101"]


def test_unknown_settings_are_said_in_the_log(launch, project: Path) -> None:
    client = launch(options={"settings": {"nonsense": True}})
    assert codes(client, project / "tool.py") == ["IDM101"]
    client.stop()
    assert sum("`nonsense`" in line for line in client.log) == 1
    assert not [note for note in client.notes if note["method"] == "window/showMessage"]


def test_arguments_of_the_command_line_count_as_in_ruff_lsp(launch, project: Path) -> None:
    client = launch(options={"settings": {"args": ["--select=IDM4"]}})
    assert codes(client, project / "tool.py") == []


def test_linting_can_be_switched_off(launch, project: Path) -> None:
    client = launch(options={"settings": {"lint": {"enable": False}}})
    assert codes(client, project / "tool.py") == []


def test_excluded_by_the_editor(launch, project: Path) -> None:
    client = launch(options={"settings": {"exclude": ["tool.py"]}})
    assert codes(client, project / "tool.py") == []
    assert codes(client, project / "retry.py", RETRY) == ["IDM101"]


def test_preview_rules_by_setting_and_by_flag(launch, project: Path) -> None:
    address = uri(project / "tool.py")
    debug = {
        "command": "idemlint.printDebugInformation",
        "arguments": [{"textDocument": {"uri": address}}],
    }
    for client in (launch(options={"settings": {"lint": {"preview": True}}}), launch("--preview")):
        codes(client, project / "tool.py")
        assert "IDM106" in client.request("workspace/executeCommand", debug)


def test_syntax_errors_can_be_hidden(launch, project: Path) -> None:
    client = launch(options={"settings": {"showSyntaxErrors": False}})
    assert codes(client, project / "broken.py", "def a(:\n") == []


def test_checked_on_save_only(launch, project: Path) -> None:
    client = launch(options={"settings": {"run": "onSave"}})
    address = client.open(project / "tool.py")
    client.published(address, 1)
    client.change(address, 2, {"text": "x = 1\n"})
    client.settle()
    assert not [n for n in client.notes if n["method"] == "textDocument/publishDiagnostics"]
    client.notify("textDocument/didSave", {"textDocument": {"uri": address}})
    assert client.published(address, 2) == []


def test_log_goes_to_a_file(launch, project: Path) -> None:
    path = project / "logs" / "server.log"
    client = launch(options={"settings": {"logFile": str(path), "logLevel": "info"}})
    codes(client, project / "tool.py")
    client.stop()
    assert "positions in utf-16" in path.read_text()
    assert not any("positions in" in line for line in client.log)


# folders


def test_each_folder_has_its_settings(launch, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tool.py").write_text(TOOL)
    client = launch(
        folders=[project, other],
        options={
            "settings": [{"workspace": uri(other), "lint": {"select": []}}],
            "globalSettings": {"lint": {"select": ["IDM1"]}},
        },
    )
    assert codes(client, project / "tool.py") == ["IDM101"]
    assert codes(client, other / "tool.py") == []


def test_folders_come_and_go(launch, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tool.py").write_text(TOOL)
    client = launch(
        options={
            "settings": [{"workspace": uri(other), "lint": {"select": []}}],
        },
    )
    address = client.open(other / "tool.py")
    assert len(client.published(address, 1)) == 1
    folder = {"uri": uri(other), "name": "other"}
    for added, removed, count in (([folder], [], 0), ([], [folder], 1)):
        event = {"event": {"added": added, "removed": removed}}
        client.notify("workspace/didChangeWorkspaceFolders", event)
        assert len(client.published(address, 1)) == count


def test_changed_configuration_counts_at_once(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    assert len(client.published(address, 1)) == 1
    watched = [
        watcher["globPattern"]
        for request in client.requests
        if request["method"] == "client/registerCapability"
        for registration in request["params"]["registrations"]
        for watcher in registration["registerOptions"]["watchers"]
    ]
    assert {"**/pyproject.toml", "**/idemlint.toml", "**/.idemlint.toml"} <= set(watched)
    (project / "idemlint.toml").write_text('[lint]\nignore = ["IDM101"]\n')
    changes = {"changes": [{"uri": uri(project / "idemlint.toml"), "type": 1}]}
    client.notify("workspace/didChangeWatchedFiles", changes)
    assert client.published(address, 1) == []


def test_changed_configuration_counts_on_save_without_watching(launch, project: Path) -> None:
    client = launch(capabilities={})
    address = client.open(project / "tool.py")
    assert len(client.published(address, 1)) == 1
    (project / "idemlint.toml").write_text('[lint]\nignore = ["IDM101"]\n')
    client.notify("textDocument/didSave", {"textDocument": {"uri": address}})
    assert client.published(address, 1) == []


ROW = """[[tool.idemlint.knowledge.provider]]
id = "acmepay"
package = "acmepay"
imports = ["acmepay"]
docs = "https://acme.example.com/api"
checked = "1.0.0"
effects = [
  { call = ["acmepay.pay"], does = "charge", key = { argument = "idempotency_key" }, \
repeat = "duplicates", operation = "OP-1" },
]
"""


def test_new_row_of_knowledge_counts_at_once(launch, project: Path) -> None:
    text = """import acmepay
from langchain_core.tools import tool


@tool
def relay(order: str) -> str:
    \"\"\"Relay an order.\"\"\"
    return acmepay.pay(order)
"""
    client = launch()
    address = client.open(project / "settle.py", text)
    assert client.published(address, 1) == []
    (project / "pyproject.toml").write_text(ROW.replace("\\\n", ""))
    changes = {"changes": [{"uri": uri(project / "pyproject.toml"), "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", changes)
    assert [entry["code"] for entry in client.published(address, 1)] == ["IDM401"]


def test_files_of_a_project_outside_of_all_folders_share_their_settings(tmp_path: Path) -> None:
    package = tmp_path / "package"
    inner = package / "inner"
    inner.mkdir(parents=True)
    for folder in (package, inner):
        (folder / "__init__.py").write_text("")
    places = Workspace(print)
    one = places.settings_for(package / "one.py")
    assert one is not None
    assert one is places.settings_for(inner / "other.py")
    session = Session()
    targets = [Target(str(path), one) for path in (package / "one.py", inner / "other.py")]
    assert session.groups(targets) == [targets]

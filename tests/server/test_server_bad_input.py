"""Whatever a client sends, the server answers, says in its log what was wrong, and lives on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from conftest import RETRY, TOOL
from lsp_client import LspClient, ServerError, span, uri

if TYPE_CHECKING:
    from pathlib import Path


def is_alive(client: LspClient, project: Path) -> bool:
    """Whether the server still finds what is wrong."""
    address = client.open(project / "tool.py", version=99)
    found = client.published(address, 99)
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    return [entry["code"] for entry in found] == ["IDM101"]


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_messages_that_are_none_are_refused(launch, project: Path) -> None:
    client = launch()
    client.send_raw(framed(b"{not json"))
    client.wait_until(lambda: any(n.get("error", {}).get("code") == -32700 for n in client.notes))
    for body in (b"[]", b"7", b'"text"', b"null", b"{}", b'{"jsonrpc": "1.0", "id": 3}'):
        client.send_raw(framed(body))
    client.send_raw(framed(b"\xff\xfe"))
    client.send_raw(b"\r\nnonsense\r\nContent-Type: x\r\n\r\n")
    client.send_raw(framed(("[" * 100_000).encode()))
    client.send({"id": [1], "method": "shutdown"})
    client.send({"id": None, "method": "textDocument/hover"})
    assert is_alive(client, project)
    assert any("no JSON" in line for line in client.log)
    assert not any("Traceback" in line for line in client.log)


def test_headers_may_be_written_otherwise(launch, project: Path) -> None:
    client = launch()
    body = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "nothing/here"}).encode()
    header = "content-length:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"
    client.send_raw((header % len(body)).encode() + body)
    client.wait_until(lambda: "a" in client.answers)
    assert client.answers.pop("a")["error"]["code"] == -32601
    assert is_alive(client, project)


def test_unknown_methods_and_wrong_parameters(launch, project: Path) -> None:
    client = launch()
    client.notify("$/unknown", {"a": 1})
    client.notify("textDocument/unknown")
    client.notify("textDocument/didChange", {"textDocument": {}})
    client.notify("textDocument/didOpen", [1, 2])
    client.notify("textDocument/didOpen")
    for method, params, code in [
        ("textDocument/unknown", {}, -32601),
        ("textDocument/hover", {"position": 7}, -32602),
        ("textDocument/codeAction", None, -32602),
        ("initialize", {"capabilities": {}}, -32600),
    ]:
        with pytest.raises(ServerError) as refused:
            client.request(method, params)
        assert refused.value.code == code
    assert is_alive(client, project)


def test_nothing_works_before_initialize_or_after_shutdown(project: Path) -> None:
    client = LspClient(project)
    try:
        with pytest.raises(ServerError) as refused:
            client.request("textDocument/hover", {})
        assert refused.value.code == -32002
        client.open(project / "tool.py")
        client.start([project])
        assert client.request("shutdown") is None
        with pytest.raises(ServerError) as refused:
            client.request("shutdown")
        assert refused.value.code == -32600
        client.notify("exit")
        assert client.process.wait(20) == 0
    finally:
        client.kill()


def test_exit_without_shutdown_is_an_error(launch) -> None:
    client = launch()
    client.notify("exit")
    assert client.process.wait(20) == 1


def test_documents_that_are_not_open(launch, project: Path) -> None:
    client = launch()
    gone = {"textDocument": {"uri": uri(project / "gone.py")}}
    client.notify("textDocument/didClose", gone)
    client.notify("textDocument/didSave", gone)
    client.change(gone["textDocument"]["uri"], 2, {"text": "x"})
    place = {"position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", {**gone, **place}) is None
    assert client.actions(gone["textDocument"]["uri"], span(0, 0, 0)) == []
    assert is_alive(client, project)


def test_ranges_outside_and_versions_that_jump(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py", version=7)
    client.published(address, 7)
    client.change(address, 900, {"range": span(5000, 3, 9, 6000), "text": "\n# end\n"})
    assert len(client.published(address, 900)) == 1
    client.change(address, 3, {"range": span(0, 9999, 0, 0), "text": ""})
    client.published(address, 3)
    place = {"textDocument": {"uri": address}, "position": {"line": 10**6, "character": 10**6}}
    assert client.request("textDocument/hover", place) is None
    assert client.actions(address, span(10**6, 0, 5)) != []
    client.change(address, 4, {"range": span(-1, -5, 0, 0), "text": ""})
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    assert is_alive(client, project)


def test_half_a_surrogate_in_the_text(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "odd.py", TOOL + 'mark = "\ud83d"\n')
    assert [entry["code"] for entry in client.published(address, 1)] == ["IDM101"]


def test_deleted_folder_and_missing_file(launch, project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "short-lived"
    folder.mkdir()
    client = launch(folders=[project, folder])
    address = client.open(folder / "tool.py", TOOL)
    client.published(address, 1)
    shutil.rmtree(folder)
    client.change(address, 2, {"range": span(0, 0, 0), "text": "\n"})
    assert [entry["code"] for entry in client.published(address, 2)] == ["IDM101"]
    assert is_alive(client, project)


def test_huge_text_is_answered(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "huge.py", "x = 1\n" * 300_000)
    assert client.published(address, 1) == []
    deep = client.open(project / "deep.py", "x = " + "(" * 5000 + ")" * 5000 + "\n")
    client.published(deep, 1)
    assert is_alive(client, project)


def test_text_behind_pairs_of_surrogates_is_found(launch, project: Path) -> None:
    """A column in the middle of a sign outside the first plane is that of the sign."""
    text = TOOL.replace("    key =", "    mark = '😀😀'\n    key =")
    client = launch()
    address = client.open(project / "tool.py", text)
    row = next(n for n, line in enumerate(text.split("\n")) if "mark" in line)
    client.published(address, 1)
    client.change(address, 2, {"range": span(row, 13, 15), "text": "x"})
    assert [entry["code"] for entry in client.published(address, 2)] == ["IDM101"]
    client.change(address, 3, {"range": span(row, 0, 4), "text": "    # \udc00 "})
    assert [entry["code"] for entry in client.published(address, 3)] == ["IDM101"]


@pytest.mark.parametrize(
    "address",
    [
        "untitled:Untitled-1",
        "untitled:/with/a path%20and ünï.py",
        "git:/project/tool.py?%7B%7D",
        "vscode-remote://host/project/tool.py",
        "inmemory://model/1",
        "no scheme at all",
        "",
        "file:",
        "file:///",
        "file:relative.py",
        "file://[broken/tool.py",
        "file:///nul%00.py",
        "file:///%ff%fe.py",
        "file://host/share/tool.py",
        "file:///" + "a" * 5000 + ".py",
        "file:///" + "a/" * 3000 + "tool.py",
    ],
)
def test_addresses_of_any_kind(launch, project: Path, address: str) -> None:
    client = launch()
    client.open(address, RETRY)
    place = {"textDocument": {"uri": address}, "position": {"line": 0, "character": 0}}
    client.request("textDocument/hover", place)
    client.request("textDocument/codeLens", {"textDocument": {"uri": address}})
    client.actions(address, span(0, 0, 0, 100))
    client.change(address, 2, {"text": "x = 1\n"})
    client.notify("textDocument/didSave", {"textDocument": {"uri": address}})
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    assert is_alive(client, project)
    assert not any("Traceback" in line for line in client.log)


def test_same_file_by_addresses_that_are_quoted_otherwise(launch, project: Path) -> None:
    path = project / "ünï & co.py"
    client = launch()
    address = client.open(path, TOOL)
    assert len(client.published(address, 1)) == 1
    other = "file://" + str(path)
    client.change(other, 2, {"text": "x = 1\n"})
    assert client.published(address, 2) == []


def test_file_that_was_never_written_or_is_a_folder(launch, project: Path) -> None:
    client = launch()
    (project / "folder.py").mkdir()
    for name in ("never.py", "folder.py", "no/such/folder/tool.py"):
        address = client.open(project / name, TOOL)
        assert [entry["code"] for entry in client.published(address, 1)] == ["IDM101"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    assert is_alive(client, project)


def test_file_that_cannot_be_read_beside(launch, project: Path) -> None:
    (project / "bytes.py").write_bytes(b"x = '\xff\xfe'\n@tool\n")
    (project / "loop.py").symlink_to(project / "loop.py")
    (project / "gone.py").symlink_to(project / "nowhere.py")
    assert is_alive(launch(), project)


def test_watched_files_of_any_kind(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    client.published(address, 1)
    addresses = ["untitled:x", "file:///gone/deep/x.py", "", uri(project), "file:///%00"]
    changes = [{"uri": entry, "type": 1 + n % 3} for n, entry in enumerate(addresses)]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    folder = {"uri": "file:///not/there", "name": "x"}
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [folder, {"uri": "untitled:y", "name": "y"}], "removed": [folder]}},
    )
    assert is_alive(client, project)
    assert not any("Traceback" in line for line in client.log)


def test_every_request_on_what_is_not_open(launch, project: Path) -> None:
    client = launch()
    document = {"textDocument": {"uri": "file:///not/open.py"}}
    assert client.request("textDocument/codeLens", document) == []
    assert client.request("textDocument/diagnostic", document)["items"] == []
    action = {"title": "x", "data": {"uri": "file:///not/open.py", "do": "all"}}
    assert "edit" not in client.request("codeAction/resolve", action)
    for data in (None, 7, [], {"uri": 7}, {"do": {}}):
        resolved = client.request("codeAction/resolve", {"title": "x", "data": data})
        assert "edit" not in resolved
        lens = {"range": span(0, 0, 0), "data": data}
        assert client.request("codeLens/resolve", lens)["command"]["title"] == ""
    assert is_alive(client, project)


@pytest.mark.parametrize("seconds", [0.05, 0.3, 0.8])
def test_text_that_is_closed_while_nothing_is_done(launch, project: Path, seconds: float) -> None:
    """Its rest waits for a pause then, and is gone when that is over."""
    client = launch()
    address = client.open(project / "odd.py", TOOL + "\n\ndef half(:\n    pass\n")
    client.published(address, 1)
    client.settle(seconds)
    client.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    client.settle(1)
    assert is_alive(client, project)
    assert not any("Traceback" in line for line in client.log)


def test_client_that_vanishes_while_it_is_served(launch, project: Path) -> None:
    """Its pipes are closed in the middle of a check and of a message."""
    client = launch()
    client.open(project / "huge.py", RETRY + "x = 1\n" * 100_000)
    client.send_raw(b"Content-Length: 5000\r\n\r\n{")
    # to close what a thread reads from would wait for that thread, and so for the server
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, client.process.stdout.fileno())
    os.close(nowhere)
    client.process.stdin.close()
    client.process.wait(20)
    assert not any("Traceback" in line for line in client.log)


def test_broken_configuration_is_told_and_does_not_stop_anything(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.idemlint]\nnonsense = 1\n")
    client = launch()
    assert is_alive(client, project)
    told = client.note("window/showMessage")
    assert told["type"] == 1
    assert "nonsense" in told["message"]
    (project / "pyproject.toml").write_text("[tool.idemlint.lint]\nselect = []\n")
    changes = {"changes": [{"uri": uri(project / "pyproject.toml"), "type": 2}]}
    client.notify("workspace/didChangeWatchedFiles", changes)
    address = client.open(project / "tool.py")
    assert client.published(address, 1) == []


def test_wrong_rows_are_told(launch, project: Path) -> None:
    (project / "pyproject.toml").write_text("[[tool.idemlint.knowledge.provider]]\nnonsense = 1\n")
    client = launch()
    address = client.open(project / "tool.py")
    assert client.published(address, 1) == []
    assert "nonsense" in client.note("window/showMessage")["message"]


def answer_or_code(client: LspClient, number: int) -> str | int:
    try:
        return client.answer(number)["kind"]
    except ServerError as error:
        return error.code


def test_cancelled_requests_are_answered(launch, project: Path) -> None:
    client = launch()
    address = client.open(project / "tool.py")
    numbers = [
        client.ask("textDocument/diagnostic", {"textDocument": {"uri": address}}) for _ in range(20)
    ]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    client.notify("$/cancelRequest", {"id": 12345})
    assert {answer_or_code(client, number) for number in numbers} <= {"full", -32800}
    assert is_alive(client, project)


@pytest.mark.parametrize("answer", [None, 7, {}, {"applied": "yes"}])
def test_wrong_answers_of_the_client_leave_nobody_waiting(
    launch, project: Path, answer: object
) -> None:
    client = launch()
    client.replies["workspace/applyEdit"] = answer
    address = client.open(project / "retry.py", RETRY)
    client.published(address, 1)
    asked = {"command": "idemlint.applyAutofix", "arguments": [{"uri": address, "version": 1}]}
    assert client.request("workspace/executeCommand", asked, timeout=20) is None
    client.send({"id": "nobody asked", "result": 7})
    assert is_alive(client, project)


def test_server_ends_when_its_input_ends(launch, project: Path) -> None:
    client = launch()
    client.open(project / "tool.py")
    client.process.stdin.close()
    client.process.wait(20)


@pytest.mark.skipif(os.name == "nt", reason="there the end of the input has to do")
def test_server_ends_when_the_process_of_its_client_ends(launch, project: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        client = launch(process=parent.pid)
        assert is_alive(client, project)
    finally:
        parent.kill()
        parent.wait()
    client.process.wait(20)


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_server_ends_on_a_signal(launch) -> None:
    client = launch()
    client.process.send_signal(signal.SIGTERM)
    client.process.wait(20)
    time.sleep(0)

"""The capabilities that known editors announce, by pytest-lsp: each gets what it understands."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from conftest import TOOL

pytest_lsp = pytest.importorskip("pytest_lsp", reason="pytest-lsp is not installed")
types = pytest.importorskip("lsprotocol.types")

COMMAND = [sys.executable, "-m", "idemlint", "server"]
CONFIG = pytest_lsp.ClientServerConfig(server_command=COMMAND)


@pytest_lsp.fixture(config=CONFIG, params=["visual_studio_code", "neovim", "emacs"])
async def client(request, lsp_client: pytest_lsp.LanguageClient, tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "tool.py").write_text(TOOL)
    lsp_client.folder = tmp_path
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=pytest_lsp.client_capabilities(request.param), root_uri=tmp_path.as_uri()
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_known_clients_see_the_finding_and_its_fix(client: Any) -> None:
    path = client.folder / "tool.py"
    document = types.TextDocumentItem(path.as_uri(), "python", 1, TOOL)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier(path.as_uri()))
    )
    (found,) = report.items
    assert found.code == "IDM101"
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(path.as_uri()),
            found.range,
            types.CodeActionContext(diagnostics=[found]),
        )
    )
    assert actions[0].title.startswith("idemlint (IDM101): Take `idempotency_key`")
    assert actions[0].edit is not None

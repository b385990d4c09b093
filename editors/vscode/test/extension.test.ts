// The bundle that is shipped, in a stand-in for the editor, with the real server.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { activate, deactivate, serverId, settings } from "./harness";
import { NO_PYTHON, PYTHON } from "./python";
import * as vscode from "./vscode";
import type { Diagnostic } from "./vscode";

const { commands, editor, Position, Range, Uri, window, workspace } = vscode;

const TOOL = `import uuid

import stripe
from langchain_core.tools import tool


@tool
def charge(order: str, amount: int) -> str:
    """Charge an order."""
    key = str(uuid.uuid4())
    return stripe.PaymentIntent.create(
        amount=amount, currency="usd", idempotency_key=key
    ).id
`;
const HARMLESS = "import uuid\n\nprint(uuid.uuid4())\n";
const options = { skip: !PYTHON && NO_PYTHON, timeout: 120_000 };

type Document = ReturnType<typeof editor.open>;

let project: string;

function pathOf(name: string): vscode.Uri {
  return Uri.file(join(project, name));
}

async function until<T>(what: string, probe: () => T | undefined | false): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const found = probe();
    if (found) {
      return found;
    }
    assert.ok(Date.now() < end, `${what}\n${editor.log.join("\n")}`);
    await wait(20);
  }
}

/** The codes that are shown for a text, once they are these. */
async function shows(document: Document, ...codes: string[]): Promise<Diagnostic[]> {
  const shown = () => editor.diagnostics(document).map(({ code }) => code?.value);
  await until(`${codes} in ${document.uri}`, () => String(shown()) === String(codes));
  return editor.diagnostics(document);
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

before(async () => {
  project = await mkdtemp(join(tmpdir(), "idemlint vscode ä "));
  await writeFile(join(project, "pyproject.toml"), '[project]\nname = "shop"\n');
});

after(() => rm(project, { recursive: true }));

afterEach(async () => {
  await deactivate();
  assert.deepEqual([...editor.commands.keys()], [], "commands stay behind");
  assert.equal(editor.collections.size, 0, "findings stay behind");
  workspace.textDocuments.length = 0;
  workspace.notebookDocuments.length = 0;
  workspace.workspaceFolders.length = 0;
  window.tabGroups.all[0]!.tabs.length = 0;
  window.activeNotebookEditor = undefined;
  editor.settings = settings();
  editor.messages.length = editor.log.length = 0;
});

test(
  "a fault is shown, its fix applied, and all is gone when the text is closed",
  options,
  async () => {
    editor.openFolder(project);
    await activate();
    const document = editor.open(pathOf("tool.py"), TOOL);
    const [fault] = await shows(document, "IDM101");
    assert.equal(fault!.source, "idemlint");
    assert.equal(
      fault!.range.start.line,
      TOOL.split("\n").findIndex((row) => row.includes("uuid4")),
    );
    assert.ok(fault!.relatedInformation!.length >= 2);

    const fix = await action(document, fault!, /Take `idempotency_key`/);
    await workspace.applyEdit(fix.edit!);
    assert.match(document.getText(), /idempotency_key: str/);
    await shows(document);

    editor.edit(document, [new vscode.TextEdit(new Range(0, 0, 99, 0), TOOL)]);
    await shows(document, "IDM101");
    editor.close(document);
    await shows(document);
  },
);

async function action(document: Document, fault: Diagnostic, title: RegExp) {
  const [provider] = editor.actions;
  const token = new vscode.CancellationTokenSource().token;
  const context = { diagnostics: [fault], triggerKind: vscode.CodeActionTriggerKind.Invoke };
  const offered = (await provider!["provideCodeActions"]!(
    document,
    fault.range,
    context,
    token,
  )) as vscode.CodeAction[];
  const chosen = offered.find((one) => title.test(one.title));
  assert.ok(chosen, offered.map((one) => one.title).join("\n"));
  // as the editor does: an edit that is there already is not asked for
  const resolve = provider!["resolveCodeAction"]!;
  return chosen.edit ? chosen : ((await resolve(chosen, token)) as vscode.CodeAction);
}

test("hover over a finding tells of its rule", options, async () => {
  await activate();
  const document = editor.open(pathOf("tool.py"), TOOL);
  const [fault] = await shows(document, "IDM101");
  const [provider] = editor.hovers;
  const { start } = fault!.range;
  const at = new Position(start.line, start.character + 1);
  const token = new vscode.CancellationTokenSource().token;
  const hover = await provider!["provideHover"]!(document, at, token);
  assert.match(JSON.stringify(hover), /fresh-key \(IDM101\)/);
});

test("a lens tells of a tool, if that is set", options, async () => {
  editor.settings[""]!["idemlint.codeLens.enable"] = true;
  await activate();
  const document = editor.open(pathOf("tool.py"), TOOL);
  await shows(document, "IDM101");
  const [provider] = editor.lenses;
  const token = new vscode.CancellationTokenSource().token;
  const found = await provider!["provideCodeLenses"]!(document, token);
  const [lens, ...others] = found as vscode.CodeLens[];
  assert.deepEqual(others, []);
  const resolved = await provider!["resolveCodeLens"]!(lens, token);
  assert.match((resolved as vscode.CodeLens).command!.title, /stripe/i);
});

test("texts without a file and outside of all folders are checked", options, async () => {
  await activate();
  await shows(editor.open(Uri.parse("untitled:Untitled-1"), TOOL), "IDM101");
  await shows(editor.open(pathOf("outside.py"), TOOL), "IDM101");
});

test("a finding in a notebook is shown in its cell, once", options, async () => {
  editor.openFolder(project);
  await activate();
  const [imports, body] = TOOL.split("\n\n\n");
  const notebook = editor.openNotebook(pathOf("tool.ipynb"), [imports!, body!]);
  const [first, second] = notebook.cells.map((cell) => cell.document);
  await shows(second!, "IDM101");
  await wait(1000);
  await shows(second!, "IDM101");
  await shows(first!);

  await commands.executeCommand("idemlint.debugInformation");
  assert.match(window.shown!.getText(), /findings = 1/);
});

test("the commands act on the text that is edited", options, async () => {
  await activate();
  const document = editor.open(pathOf("tool.py"), `${HARMLESS}x = 1  # noqa: IDM101\n`);
  await shows(document, "IDM001");
  await commands.executeCommand("idemlint.executeAutofix");
  await until("the fix", () => !document.getText().includes("noqa"));
  await shows(document);

  await commands.executeCommand("idemlint.debugInformation");
  assert.match(window.shown!.getText(), /uri = file:.*tool\.py/);
  await commands.executeCommand("idemlint.showLogs");
  await commands.executeCommand("idemlint.showServerLogs");
  assert.deepEqual(editor.messages, ["shown: idemlint", "shown: idemlint Language Server"]);
});

test("settings count at once, and for their folder", options, async () => {
  const other = join(project, "other");
  await mkdir(other);
  editor.openFolder(other);
  await activate();
  const inside = editor.open(pathOf("other/tool.py"), TOOL);
  const outside = editor.open(pathOf("tool.py"), TOOL);
  await shows(inside, "IDM101");
  const before = serverId();

  editor.set("idemlint.lint.select", ["IDM4"], other);
  await shows(inside);
  await shows(outside, "IDM101");
  assert.notEqual(serverId(), before);
  await until("the end of the old server", () => !isAlive(before));
});

test(
  "a folder that is added without settings of its own needs no new server",
  options,
  async () => {
    await activate();
    const before = serverId();
    editor.openFolder(project);
    await shows(editor.open(pathOf("tool.py"), TOOL), "IDM101");
    assert.equal(serverId(), before);
  },
);

test("checked on save only, if that is set", options, async () => {
  editor.settings[""]!["idemlint.lint.run"] = "onSave";
  await activate();
  const document = editor.open(pathOf("tool.py"), TOOL);
  await shows(document, "IDM101");
  editor.edit(document, [new vscode.TextEdit(new Range(0, 0, 99, 0), HARMLESS)]);
  await wait(1000);
  await shows(document, "IDM101");
  editor.save(document);
  await shows(document);
});

test("restarted by the command, switched off and on by the setting", options, async () => {
  await activate();
  const document = editor.open(pathOf("tool.py"), TOOL);
  await shows(document, "IDM101");
  const before = serverId();
  await commands.executeCommand("idemlint.restart");
  assert.notEqual(serverId(), before);
  await shows(document, "IDM101");

  editor.set("idemlint.enable", false);
  await shows(document);
  await until("the end of the server", () => !isAlive(serverId()));
  await commands.executeCommand("idemlint.executeAutofix");
  assert.deepEqual(editor.messages, ["idemlint: the server does not run."]);

  editor.set("idemlint.enable", true);
  await shows(document, "IDM101");
});

test("the interpreter that is selected in the Python extension counts", options, async () => {
  const changed = new vscode.EventEmitter<void>();
  let selected = "/nowhere/python";
  const environments = {
    getActiveEnvironmentPath: () => ({ path: selected }),
    resolveEnvironment: async () => ({ executable: { uri: Uri.file(selected) } }),
    onDidChangeActiveEnvironmentPath: changed.event,
  };
  editor.extensions["ms-python.python"] = { isActive: true, exports: { environments } };
  editor.settings = { "": { "idemlint.path": [] } };
  const path = process.env["PATH"];
  try {
    process.env["PATH"] = "";
    await activate();
    assert.match(editor.messages[0]!, /not found in the environment of \/nowhere\/python nor on/);
    assert.match(editor.messages[0]!, /`\/nowhere\/python -m pip install "idemlint\[server\]"`/);
    assert.equal(editor.status.severity, vscode.LanguageStatusSeverity.Error);
    changed.fire();
    editor.set("idemlint.logLevel", "debug");

    editor.answer = "Copy Command";
    await commands.executeCommand("idemlint.restart");
    assert.equal(editor.clipboard, '/nowhere/python -m pip install "idemlint[server]"');
    assert.equal(editor.messages.length, 2, "told again only if it is asked again");

    process.env["PATH"] = path;
    selected = PYTHON!;
    changed.fire();
    await shows(editor.open(pathOf("tool.py"), TOOL), "IDM101");
    assert.equal(editor.status.severity, vscode.LanguageStatusSeverity.Information);
  } finally {
    process.env["PATH"] = path;
    editor.answer = undefined;
    delete editor.extensions["ms-python.python"];
  }
});

test("a server that does not start says why", { timeout: 60_000 }, async () => {
  const broken = join(project, "broken");
  await writeFile(broken, "#!/bin/sh\necho 'needs the package pygls' >&2\nexit 2\n", {
    mode: 0o755,
  });
  editor.settings = { "": { "idemlint.path": [broken] } };
  await activate();
  assert.deepEqual(editor.messages, [
    "idemlint: the server did not start: needs the package pygls",
  ]);
  assert.equal(editor.status.detail, "needs the package pygls");
});

test("the server ends with the editor, even one that is killed", options, async () => {
  const host = fork(join(__dirname, "host.js"), { silent: true });
  const [id] = (await once(host, "message")) as [number];
  assert.ok(isAlive(id));
  host.kill("SIGKILL");
  await until("the end of the server", () => !isAlive(id));
});

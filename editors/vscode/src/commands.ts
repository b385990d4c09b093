import { EventEmitter, Uri, ViewColumn, window, workspace } from "vscode";
import type { TextDocumentContentProvider } from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import type { LanguageClient } from "vscode-languageclient/node";
import { showError } from "./messages";

/** Gives the client whose server runs. */
export type Running = () => LanguageClient | undefined;

/** Apply all safe fixes to the text or the notebook that is being edited. */
export async function executeAutofix(running: Running): Promise<void> {
  const document = activeDocument();
  if (document !== undefined) {
    const { uri, version } = document;
    await execute(running, "idemlint.applyAutofix", { uri: uri.toString(), version });
  }
}

/** Shows, without a file, what the server knows of itself and of the text that is being edited. */
export class DebugInformation implements TextDocumentContentProvider {
  static readonly scheme = "idemlint-debug";
  private readonly uri = Uri.parse(`${DebugInformation.scheme}:idemlint.txt`);
  private readonly changed = new EventEmitter<Uri>();
  private text = "";
  readonly onDidChange = this.changed.event;

  constructor(private readonly running: Running) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  async show(): Promise<void> {
    const document = activeDocument();
    const told = await execute(
      this.running,
      "idemlint.printDebugInformation",
      document === undefined ? {} : { textDocument: { uri: document.uri.toString() } },
    );
    if (typeof told === "string") {
      this.text = told;
      this.changed.fire(this.uri);
      const shown = await workspace.openTextDocument(this.uri);
      await window.showTextDocument(shown, { viewColumn: ViewColumn.Beside, preserveFocus: true });
    }
  }
}

/** A cell is a text of its own, but what is fixed is its notebook. */
function activeDocument() {
  return window.activeNotebookEditor?.notebook ?? window.activeTextEditor?.document;
}

async function execute(running: Running, command: string, argument: object): Promise<unknown> {
  const client = running();
  if (client === undefined) {
    showError("the server does not run.");
    return undefined;
  }
  try {
    return await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
  } catch (error) {
    showError(`\`${command}\` failed: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

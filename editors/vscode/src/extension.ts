import { commands, window, workspace } from "vscode";
import type { ExtensionContext } from "vscode";
import { DebugInformation, executeAutofix } from "./commands";
import { Python } from "./python";
import { Session } from "./session";

let session: Session | undefined;

export async function activate({ subscriptions }: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel("idemlint", { log: true });
  const serverLog = window.createOutputChannel("idemlint Language Server", { log: true });
  const python = await Python.load((text) => log.info(text));
  const current = (session = new Session(python, log, serverLog));
  const running = () => current.running;
  const debugInformation = new DebugInformation(running);
  subscriptions.push(
    log,
    serverLog,
    current,
    commands.registerCommand("idemlint.restart", () => current.restart()),
    commands.registerCommand("idemlint.executeAutofix", () => executeAutofix(running)),
    commands.registerCommand("idemlint.debugInformation", () => debugInformation.show()),
    commands.registerCommand("idemlint.showLogs", () => log.show()),
    commands.registerCommand("idemlint.showServerLogs", () => serverLog.show()),
    workspace.registerTextDocumentContentProvider(DebugInformation.scheme, debugInformation),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("idemlint")) {
        void current.refresh();
      }
    }),
    workspace.onDidChangeWorkspaceFolders(() => void current.refresh()),
    python.onDidChange(() => void current.refresh()),
  );
  await current.refresh();
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}

// Runs the bundle that is shipped in the stand-in for the editor.

import Module from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PYTHON } from "./python";
import * as vscode from "./vscode";

const root = join(__dirname, "..");
const { editor } = vscode;
const subscriptions: { dispose(): void }[] = [];
const extension = loaded();

function loaded(): typeof import("../src/extension") {
  const load = Module.prototype.require;
  Module.prototype.require = function (this: unknown, name: string) {
    return name === "vscode" ? { ...vscode } : load.call(this, name);
  } as typeof load;
  return load.call(module, join(root, "dist", "extension.js"));
}

/** The settings of the user in these tests: where the real server is. */
export function settings() {
  return { "": { "idemlint.interpreter": [PYTHON] } as Record<string, unknown> };
}

/** Start the extension as the editor does, with the defaults of its manifest. */
export async function activate(): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const properties: Record<string, { default: unknown }> =
    manifest.contributes.configuration.properties;
  for (const [name, { default: value }] of Object.entries(properties)) {
    editor.defaults[name] = value;
  }
  await extension.activate({ subscriptions } as never);
}

export async function deactivate(): Promise<void> {
  await extension.deactivate();
  subscriptions.splice(0).forEach((one) => one.dispose());
}

/** The process of the server that was started last. */
export function serverId(): number {
  const lines = editor.log.filter((line) => line.includes("runs as process"));
  return Number(/\d+$/.exec(lines.at(-1) ?? "")?.[0]);
}

editor.settings = settings();

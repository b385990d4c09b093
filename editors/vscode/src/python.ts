import { PythonExtension } from "@vscode/python-extension";
import type { Disposable, Uri } from "vscode";

/** The interpreters that are selected in the Python extension; none where that is not installed. */
export class Python {
  private constructor(private readonly api: PythonExtension | undefined) {}

  static async load(log: (text: string) => void): Promise<Python> {
    try {
      return new Python(await PythonExtension.api());
    } catch (error) {
      log(`No interpreter is known: ${error instanceof Error ? error.message : error}`);
      return new Python(undefined);
    }
  }

  /** The interpreter that is selected for a folder, or for the window. */
  async interpreterOf(folder: Uri | undefined): Promise<string | undefined> {
    if (this.api === undefined) {
      return undefined;
    }
    const { environments } = this.api;
    const selected = environments.getActiveEnvironmentPath(folder);
    const environment = await environments.resolveEnvironment(selected);
    return environment?.executable.uri?.fsPath;
  }

  onDidChange(listener: () => void): Disposable {
    return (
      this.api?.environments.onDidChangeActiveEnvironmentPath(listener) ?? { dispose: () => {} }
    );
  }
}

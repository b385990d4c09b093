import type { WorkspaceConfiguration } from "vscode";

/**
 * The settings that the server reads, by their names below `idemlint.`. Of two that mean the same
 * the one that counts comes last.
 */
export const SERVER_SETTINGS = [
  "args",
  "run",
  "configuration",
  "configurationPreference",
  "exclude",
  "lint.enable",
  "lint.run",
  "lint.select",
  "lint.extendSelect",
  "lint.ignore",
  "lint.preview",
  "lint.args",
  "fixAll",
  "codeAction.fixViolation",
  "codeAction.disableRuleComment",
  "codeLens.enable",
  "showSyntaxErrors",
  "logLevel",
  "logFile",
] as const;

/** The settings of the editor for one folder, or for what lies outside of all. */
export type Source = Pick<WorkspaceConfiguration, "get" | "inspect">;

export interface Folder {
  name: string;
  path: string;
  uri: string;
}

export type Table = Record<string, unknown>;

/** What the server gets when it starts: the settings in the shape that `ruff server` takes. */
export interface InitializationOptions {
  settings: Table[];
  globalSettings: Table;
}

/**
 * The options of the server. Only what someone has set is in them, and only folders that differ
 * from the rest: a default is the server's business, and what stays equal needs no restart.
 */
export function initializationOptions(
  everywhere: Source,
  folders: readonly { folder: Folder; source: Source }[],
): InitializationOptions {
  const all = folders.map(({ folder }) => folder);
  const globalSettings = settingsIn(everywhere, new Variables(all));
  const settings = folders
    .map(({ folder, source }) => ({
      folder,
      found: settingsIn(source, new Variables(all, folder)),
    }))
    .filter(({ found }) => JSON.stringify(found) !== JSON.stringify(globalSettings))
    .map(({ folder, found }) => ({ workspace: folder.uri, ...found }));
  return { settings, globalSettings };
}

/** Whether a text is checked only when it is saved, as its server reads the two names of this. */
export function isCheckedOnSave(source: Source): boolean {
  return source.get(isSet(source, "lint.run") ? "lint.run" : "run") === "onSave";
}

function settingsIn(source: Source, variables: Variables): Table {
  const found: Table = {};
  for (const name of SERVER_SETTINGS) {
    if (isSet(source, name)) {
      const value = variables.expand(source.get(name));
      if (value !== undefined) {
        found[name] = value;
      }
    }
  }
  return found;
}

function isSet(source: Source, name: string): boolean {
  const { globalValue, workspaceValue, workspaceFolderValue } = source.inspect(name) ?? {};
  return [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
}

/** The variables of the editor, as they are written in settings: `${workspaceFolder}` and such. */
export class Variables {
  constructor(
    private readonly folders: readonly Folder[],
    private readonly folder?: Folder,
    private readonly environment: NodeJS.ProcessEnv = process.env,
  ) {}

  /**
   * A value with the variables in its strings replaced. What names a folder that is not open
   * cannot be used: such a string is left out of a list, and alone it gives `undefined`.
   */
  expand<T>(value: T): T | undefined {
    if (typeof value === "string") {
      return this.expandText(value) as T | undefined;
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.expand(item)).filter((item) => item !== undefined) as T;
    }
    return value;
  }

  private expandText(text: string): string | undefined {
    let isKnown = true;
    const expanded = text.replace(/\$\{([^}:]+)(?::([^}]*))?\}/g, (whole, name, argument) => {
      const value = this.valueOf(name, argument);
      isKnown &&= value !== undefined || name !== "workspaceFolder";
      return value ?? whole;
    });
    return isKnown ? expanded : undefined;
  }

  private valueOf(name: string, argument: string | undefined): string | undefined {
    switch (name) {
      case "workspaceFolder":
        return argument === undefined
          ? this.folder?.path
          : this.folders.find((folder) => folder.name === argument)?.path;
      case "userHome":
        return this.environment["HOME"] ?? this.environment["USERPROFILE"];
      case "env":
        return this.environment[argument ?? ""] ?? "";
      default:
        return undefined;
    }
  }
}

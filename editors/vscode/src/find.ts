import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** What the settings and the Python extension say about where the server is. */
export interface Wanted {
  /** Executables; the first one that exists is taken. */
  paths: readonly string[];
  importStrategy: "fromEnvironment" | "fromPath";
  /** An interpreter with its arguments, from the settings; empty if none is set. */
  interpreter: readonly string[];
  /** The interpreter that is selected in the Python extension. */
  selected: string | undefined;
}

export type Log = (text: string) => void;

/** No server was found; the message says where it was looked for, `install` is what helps. */
export class NotFoundError extends Error {
  constructor(
    message: string,
    readonly install: string,
  ) {
    super(message);
  }
}

const NAME = process.platform === "win32" ? "idemlint.exe" : "idemlint";
const PACKAGE = '"idemlint[server]"';

// The folders of an environment's scripts, and of the user's. Isolated, so that nothing of the
// workspace is imported; an older Python, which idemlint does not run in, prints the first alone.
const SCRIPTS = `
import json, sysconfig
found = [sysconfig.get_path("scripts")]
if hasattr(sysconfig, "get_preferred_scheme"):
    found.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
print(json.dumps(found))
`;

/**
 * The executable of the server: from `paths`, from the environment of the interpreter, from PATH,
 * in this order. The script of an environment is run, not `python -m idemlint`, which would import
 * modules from the folder that it is started in. Throws `NotFoundError`.
 */
export async function findServer(wanted: Wanted, log: Log, path = process.env["PATH"]) {
  for (const file of wanted.paths) {
    if (await isExecutable(file)) {
      log(`The setting \`path\` names ${file}`);
      return file;
    }
    log(`${file}, from the setting \`path\`, cannot be run`);
  }
  const looked: string[] = [];
  let install = `pipx install ${PACKAGE}`;
  if (wanted.importStrategy === "fromEnvironment") {
    for (const [python, ...args] of interpreters(wanted)) {
      const scripts = await scriptFolders(python, args, log);
      const file = await firstIn(scripts, log);
      if (file !== undefined) {
        return file;
      }
      looked.push(`in the environment of ${python}`);
      install = `${quoted(python)} -m pip install ${PACKAGE}`;
    }
  }
  const file = await firstIn((path ?? "").split(delimiter), log);
  if (file !== undefined) {
    return file;
  }
  looked.push("on PATH");
  throw new NotFoundError(`idemlint was not found ${looked.join(" nor ")}.`, install);
}

function interpreters({ interpreter, selected }: Wanted): [string, ...string[]][] {
  const [python, ...args] = interpreter;
  if (python !== undefined) {
    return [[python, ...args]];
  }
  return selected === undefined ? [] : [[selected]];
}

async function scriptFolders(python: string, args: readonly string[], log: Log) {
  try {
    const command = [...args, "-I", "-c", SCRIPTS];
    const { stdout } = await promisify(execFile)(python, command, { timeout: 20_000 });
    return JSON.parse(stdout) as string[];
  } catch (error) {
    log(
      `The interpreter ${python} cannot be run: ${error instanceof Error ? error.message : error}`,
    );
    return [];
  }
}

async function firstIn(folders: readonly string[], log: Log): Promise<string | undefined> {
  for (const folder of folders.filter((folder) => folder !== "")) {
    const file = join(folder, NAME);
    if (await isExecutable(file)) {
      log(`Found ${file}`);
      return file;
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function quoted(file: string): string {
  return file.includes(" ") ? `"${file}"` : file;
}

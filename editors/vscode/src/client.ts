import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { workspace } from "vscode";
import type { LogOutputChannel } from "vscode";
import {
  CloseAction,
  DiagnosticPullMode,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import type { ErrorHandler, LanguageClientOptions } from "vscode-languageclient/node";
import { isCheckedOnSave } from "./settings";
import type { InitializationOptions } from "./settings";

export const ID = "idemlint";
export const SELECTOR = ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({
  scheme,
  language: "python",
}));

const BEHAVIOUR: LanguageClientOptions = {
  documentSelector: SELECTOR,
  revealOutputChannelOn: RevealOutputChannelOn.Never,
  initializationFailedHandler: () => false,
  diagnosticPullOptions: {
    onChange: true,
    onSave: true,
    filter: (document, mode) =>
      mode === DiagnosticPullMode.onType &&
      isCheckedOnSave(workspace.getConfiguration(ID, document.uri)),
  },
};

/** The client of one server. Of a start that fails it says nothing: `lastWords` has the reason. */
export class ServerClient extends LanguageClient {
  private readonly output: Output;

  constructor(command: string, options: InitializationOptions, log: LogOutputChannel) {
    const output = new Output(log);
    const errors = new Errors();
    super(
      ID,
      "idemlint Language Server",
      { command, args: ["server"] },
      {
        ...BEHAVIOUR,
        initializationOptions: options,
        outputChannel: log,
        stdioOptions: { stdout: () => {}, stderr: (stream) => output.follow(stream) },
        errorHandler: errors,
      },
    );
    errors.client = this;
    this.output = output;
  }

  override error(message: string, data?: unknown, shown: boolean | "force" = true): void {
    super.error(message, data, hasStarted(this) && shown);
  }

  /** The last line that the server wrote before it ended. */
  lastWords(): Promise<string | undefined> {
    return this.output.lastLine();
  }
}

function hasStarted(client: LanguageClient | undefined): boolean {
  return client?.initializeResult !== undefined;
}

/** A server that has run is started again when it breaks, a few times; one that has not is left. */
class Errors implements ErrorHandler {
  private usual: ErrorHandler | undefined;
  private current: LanguageClient | undefined;

  set client(client: LanguageClient) {
    this.current = client;
    this.usual = client.createDefaultErrorHandler();
  }

  error(...failed: Parameters<ErrorHandler["error"]>) {
    return this.usual!.error(...failed);
  }

  closed() {
    return hasStarted(this.current)
      ? this.usual!.closed()
      : { action: CloseAction.DoNotRestart, handled: true };
  }
}

/** What the server writes to standard error: its log, and the reason why it ends. */
class Output {
  private last: string | undefined;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly log: LogOutputChannel) {}

  follow(stream: Readable): void {
    const lines = createInterface({ input: stream });
    this.ended = once(lines, "close");
    lines.on("line", (line) => {
      this.last = line;
      // time and level are in the line
      this.log.appendLine(line);
    });
  }

  async lastLine(): Promise<string | undefined> {
    await Promise.race([this.ended, wait(1000)]);
    return this.last;
  }
}

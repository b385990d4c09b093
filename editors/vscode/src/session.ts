import { LanguageStatusSeverity, languages, workspace } from "vscode";
import type { Disposable, LanguageStatusItem, LogOutputChannel } from "vscode";
import { ID, SELECTOR, ServerClient } from "./client";
import { findServer, NotFoundError } from "./find";
import { showError, showNotFound } from "./messages";
import type { Python } from "./python";
import { initializationOptions, Variables } from "./settings";
import type { Folder, InitializationOptions, Source } from "./settings";

/** What decides how the server runs: with another plan it is started anew. */
interface Plan {
  command: string;
  options: InitializationOptions;
}

/** The one server of a window: started, restarted when what it depends on has changed, stopped. */
export class Session implements Disposable {
  private client: ServerClient | undefined;
  private plan: string | undefined;
  private told: string | undefined;
  private turn: Promise<void> = Promise.resolve();
  private readonly status: LanguageStatusItem;

  constructor(
    private readonly python: Python,
    private readonly log: LogOutputChannel,
    private readonly serverLog: LogOutputChannel,
  ) {
    this.status = languages.createLanguageStatusItem(ID, SELECTOR);
    this.status.name = ID;
    this.status.command = { title: "Show Logs", command: "idemlint.showLogs" };
  }

  /** The client, while its server runs. */
  get running(): ServerClient | undefined {
    return this.client?.isRunning() ? this.client : undefined;
  }

  /** Start the server, or start it anew if settings, folders or interpreter ask for another one. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      const plan = await this.planned();
      if (JSON.stringify(plan) !== this.plan) {
        await this.end();
        await this.begin(plan);
      }
    });
  }

  /** Start the server anew, whatever has changed. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      this.told = undefined;
      await this.end();
      await this.begin(await this.planned());
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  dispose(): void {
    this.status.dispose();
  }

  /** One after the other: a server that is about to start cannot be stopped. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      this.log.error(error instanceof Error ? error : String(error));
    });
    return this.turn;
  }

  private async planned(): Promise<Plan | undefined> {
    const everywhere = workspace.getConfiguration(ID, null);
    if (!everywhere.get("enable", true)) {
      this.show("off", "Switched off by the setting `idemlint.enable`");
      return undefined;
    }
    try {
      return { command: await this.found(everywhere), options: options(everywhere) };
    } catch (error) {
      if (!(error instanceof NotFoundError)) {
        throw error;
      }
      this.log.error(`${error.message} Install it with: ${error.install}`);
      this.show("not found", error.message, LanguageStatusSeverity.Error);
      if (error.message !== this.told) {
        this.told = error.message;
        showNotFound(error);
      }
      return undefined;
    }
  }

  /** The server of the first folder that has one; without folders, that of the window. */
  private async found(everywhere: Source): Promise<string> {
    const folders = openFolders();
    const places = folders.length > 0 ? folders : [undefined];
    let trouble: unknown;
    for (const place of places) {
      const source = place?.source ?? everywhere;
      const variables = new Variables(
        folders.map(({ folder }) => folder),
        place?.folder,
      );
      const texts = (name: string) => variables.expand(source.get<string[]>(name)) ?? [];
      try {
        return await findServer(
          {
            paths: texts("path"),
            interpreter: texts("interpreter"),
            importStrategy: source.get("importStrategy") ?? "fromEnvironment",
            selected: await this.python.interpreterOf(place?.uri),
          },
          (text) => this.log.info(text),
        );
      } catch (error) {
        trouble ??= error;
      }
    }
    throw trouble;
  }

  private async begin(plan: Plan | undefined): Promise<void> {
    this.plan = JSON.stringify(plan);
    if (plan === undefined) {
      return;
    }
    this.log.info(`Starting ${plan.command} with ${JSON.stringify(plan.options)}`);
    const client = new ServerClient(plan.command, plan.options, this.serverLog);
    this.client = client;
    this.show("starting", plan.command);
    try {
      await client.start();
      const version = client.initializeResult?.serverInfo?.version ?? "";
      this.log.info(`idemlint ${version} runs as process ${client.serverProcess?.pid}`);
      this.show(version, plan.command);
    } catch (error) {
      const reason = (await client.lastWords()) ?? String(error);
      this.log.error(`The server did not start: ${reason}`);
      this.show("not started", reason, LanguageStatusSeverity.Error);
      showError(`the server did not start: ${reason}`);
      await this.end();
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.plan = undefined;
    await client?.dispose().catch((error: unknown) => {
      // it had ended by itself, or had to be killed
      this.log.debug(`While stopping: ${error}`);
    });
  }

  private show(text: string, detail: string, severity = LanguageStatusSeverity.Information): void {
    this.status.text = `idemlint ${text}`;
    this.status.detail = detail;
    this.status.severity = severity;
  }
}

function openFolders() {
  return (workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    uri,
    folder: { name, path: uri.fsPath, uri: uri.toString() } satisfies Folder,
    source: workspace.getConfiguration(ID, uri),
  }));
}

function options(everywhere: Source): InitializationOptions {
  return initializationOptions(everywhere, openFolders());
}

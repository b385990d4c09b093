// A stand-in for the module `vscode`: as much of an editor as the extension and its language client
// reach. What they show and register is kept in `editor`, where tests look at it and type.

import { readFile } from "node:fs/promises";
import { TextDocument as Text } from "vscode-languageserver-textdocument";
import { URI } from "vscode-uri";

export const Uri = URI;
export type Uri = URI;
export const version = "1.91.0";

// events and cancellation

export class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...all: { dispose(): void }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();

  readonly event = (listener: (value: T) => void, self?: unknown, all?: Disposable[]) => {
    const bound = listener.bind(self);
    this.listeners.add(bound);
    const end = new Disposable(() => this.listeners.delete(bound));
    all?.push(end);
    return end;
  };

  fire(value: T): void {
    [...this.listeners].forEach((listener) => listener(value));
  }

  dispose(): void {
    this.listeners.clear();
  }
}

const never = new EventEmitter<never>().event;

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter<void>();
  readonly token = {
    isCancellationRequested: false,
    onCancellationRequested: this.cancelled.event,
  };

  cancel(): void {
    this.token.isCancellationRequested = true;
    this.cancelled.fire();
  }

  dispose(): void {}
}

export class CancellationError extends Error {}

// places and what is shown at them

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...[a, b, c, d]: [Position, Position] | [number, number, number, number]) {
    this.start = typeof a === "number" ? new Position(a, b as number) : a;
    this.end = typeof a === "number" ? new Position(c!, d!) : (b as Position);
  }
}

export class Location {
  constructor(
    readonly uri: Uri,
    readonly range: Range,
  ) {}
}

export class Diagnostic {
  source?: string;
  code?: { value: string; target: Uri };
  relatedInformation?: DiagnosticRelatedInformation[];

  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: DiagnosticSeverity,
  ) {}
}

export class DiagnosticRelatedInformation {
  constructor(
    readonly location: Location,
    readonly message: string,
  ) {}
}

export class MarkdownString {
  constructor(public value = "") {}

  appendCodeblock(text: string): void {
    this.value += text;
  }
}

export class Hover {
  constructor(
    readonly contents: MarkdownString,
    readonly range?: Range,
  ) {}
}

export class CodeActionKind {
  static readonly Empty = new CodeActionKind("");
  static readonly QuickFix = new CodeActionKind("quickfix");
  static readonly Refactor = new CodeActionKind("refactor");
  static readonly RefactorExtract = new CodeActionKind("refactor.extract");
  static readonly RefactorInline = new CodeActionKind("refactor.inline");
  static readonly RefactorRewrite = new CodeActionKind("refactor.rewrite");
  static readonly Source = new CodeActionKind("source");
  static readonly SourceOrganizeImports = new CodeActionKind("source.organizeImports");

  constructor(readonly value: string) {}

  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

export class CodeAction {
  edit?: WorkspaceEdit;
  isPreferred?: boolean;

  constructor(
    readonly title: string,
    readonly kind?: CodeActionKind,
  ) {}
}

export class TextEdit {
  constructor(
    readonly range: Range,
    readonly newText: string,
  ) {}
}

export class CodeLens {
  command?: { title: string };

  constructor(readonly range: Range) {}
}

type Edits = readonly (TextEdit | [TextEdit, unknown])[];

export class WorkspaceEdit {
  readonly texts = new Map<string, TextEdit[]>();

  set(uri: Uri, edits: Edits): void {
    const plain = edits.map((edit) => (Array.isArray(edit) ? edit[0] : edit));
    this.texts.set(uri.toString(), [...(this.texts.get(uri.toString()) ?? []), ...plain]);
  }
}

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export class TabInputNotebook {
  constructor(readonly uri: Uri) {}
}

// names that the language client wants to be there, for servers that do more
export class CallHierarchyItem {}
export class CompletionItem {}
export class DocumentLink {}
export class InlayHint {}
export class SymbolInformation {}
export class TabInputCustom {}
export class TabInputTextDiff {}
export class TypeHierarchyItem {}

export enum DiagnosticSeverity {
  Error,
  Warning,
  Information,
  Hint,
}
export enum DiagnosticTag {
  Unnecessary = 1,
  Deprecated,
}
export enum CodeActionTriggerKind {
  Invoke = 1,
  Automatic,
}
export enum LanguageStatusSeverity {
  Information,
  Warning,
  Error,
}
export enum LogLevel {
  Off,
  Trace,
  Debug,
  Info,
}
export enum NotebookCellKind {
  Markup = 1,
  Code,
}
export enum ViewColumn {
  Beside = -2,
}
export const CompletionItemKind = { Text: 0 };
export const CompletionItemTag = { Deprecated: 1 };
export const DocumentHighlightKind = {};
export const FoldingRangeKind = {};
export const SymbolKind = {};
export const SymbolTag = { Deprecated: 1 };

// texts and notebooks

class Document {
  constructor(
    readonly uri: Uri,
    private text: Text,
    readonly notebook?: Notebook,
  ) {}

  get languageId(): string {
    return this.text.languageId;
  }

  get version(): number {
    return this.text.version;
  }

  get isClosed(): boolean {
    return !workspace.textDocuments.includes(this as never);
  }

  getText(): string {
    return this.text.getText();
  }

  /** What the editor tells of a change: each part against the text before all of them. */
  change(edits: readonly TextEdit[]) {
    const before = this.text;
    const contentChanges = [...edits]
      .sort((a, b) => before.offsetAt(b.range.start) - before.offsetAt(a.range.start))
      .map(({ range, newText: text }) => ({
        range,
        rangeOffset: before.offsetAt(range.start),
        rangeLength: before.offsetAt(range.end) - before.offsetAt(range.start),
        text,
      }));
    const copy = Text.create(before.uri, before.languageId, before.version, before.getText());
    this.text = Text.update(copy, contentChanges, before.version + 1);
    return { document: this, contentChanges, reason: undefined };
  }
}

class Notebook {
  readonly notebookType = "jupyter-notebook";
  readonly metadata = {};
  readonly version = 1;
  readonly cells: {
    kind: NotebookCellKind;
    document: Document;
    metadata: object;
    notebook: Notebook;
  }[];

  constructor(
    readonly uri: Uri,
    texts: readonly string[],
  ) {
    this.cells = texts.map((text, index) => {
      const cell = uri.with({ scheme: "vscode-notebook-cell", fragment: `c${index}` });
      const document = new Document(cell, Text.create(cell.toString(), "python", 1, text), this);
      return { kind: NotebookCellKind.Code, document, metadata: {}, notebook: this };
    });
  }

  getCells() {
    return this.cells;
  }
}

// the editor, as tests see it

interface Inputs {
  open: Document;
  change: ReturnType<Document["change"]>;
  settings: { affectsConfiguration(section: string): boolean };
  folders: { added: readonly Folder[]; removed: readonly Folder[] };
}
type Folder = { uri: Uri; name: string; index: number };
type Provider = Record<string, (...args: unknown[]) => unknown>;

const on = {
  open: new EventEmitter<Inputs["open"]>(),
  close: new EventEmitter<Document>(),
  save: new EventEmitter<Document>(),
  change: new EventEmitter<Inputs["change"]>(),
  openNotebook: new EventEmitter<Notebook>(),
  tabs: new EventEmitter<{ opened: unknown[]; closed: unknown[]; changed: unknown[] }>(),
  settings: new EventEmitter<Inputs["settings"]>(),
  folders: new EventEmitter<Inputs["folders"]>(),
};

/** What is on the screen, and the hands of the user. */
export const editor = {
  /** By the folder's path the values that are set there; by "" those of the user. */
  settings: {} as Record<string, Record<string, unknown>>,
  defaults: {} as Record<string, unknown>,
  extensions: {} as Record<string, { isActive: boolean; exports: unknown }>,
  collections: new Set<Map<string, readonly Diagnostic[]>>(),
  actions: new Set<Provider>(),
  hovers: new Set<Provider>(),
  lenses: new Set<Provider>(),
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  contents: new Map<string, Provider>(),
  /** Messages, logs and status lines, oldest first. */
  messages: [] as string[],
  log: [] as string[],
  status: {} as { text?: string; detail?: string; severity?: LanguageStatusSeverity },
  clipboard: "",
  /** The button of the next message that is pressed. */
  answer: undefined as string | undefined,

  open(uri: Uri, text: string): Document {
    const document = new Document(uri, Text.create(uri.toString(), "python", 1, text));
    workspace.textDocuments.push(document);
    window.activeTextEditor = { document };
    show(new TabInputText(uri));
    on.open.fire(document);
    return document;
  },

  openNotebook(uri: Uri, texts: readonly string[]): Notebook {
    const notebook = new Notebook(uri, texts);
    workspace.notebookDocuments.push(notebook);
    workspace.textDocuments.push(...notebook.cells.map((cell) => cell.document));
    window.activeNotebookEditor = { notebook };
    show(new TabInputNotebook(uri));
    notebook.cells.forEach((cell) => on.open.fire(cell.document));
    on.openNotebook.fire(notebook);
    return notebook;
  },

  edit(document: Document, edits: readonly TextEdit[]): void {
    on.change.fire(document.change(edits));
  },

  save(document: Document): void {
    on.save.fire(document);
  },

  close(document: Document): void {
    workspace.textDocuments.splice(workspace.textDocuments.indexOf(document), 1);
    const tabs = window.tabGroups.all[0]!.tabs;
    tabs.splice(
      tabs.findIndex(({ input }) => input.uri === document.uri),
      1,
    );
    on.close.fire(document);
    on.tabs.fire({ opened: [], closed: [{}], changed: [] });
  },

  set(name: string, value: unknown, folder = ""): void {
    (this.settings[folder] ??= {})[name] = value;
    on.settings.fire({ affectsConfiguration: (section) => section === "idemlint" });
  },

  openFolder(path: string): void {
    const { workspaceFolders: folders } = workspace;
    const added = { uri: Uri.file(path), name: path.split("/").at(-1)!, index: folders.length };
    folders.push(added);
    on.folders.fire({ added: [added], removed: [] });
  },

  /** All that is shown for a text; twice what is shown twice. */
  diagnostics(document: Document): Diagnostic[] {
    const uri = document.uri.toString();
    return [...this.collections].flatMap((collection) => collection.get(uri) ?? []);
  },
};

function show(input: TabInputText | TabInputNotebook): void {
  window.tabGroups.all[0]!.tabs.push({ input });
  on.tabs.fire({ opened: [{ input }], closed: [], changed: [] });
}

function registered<T>(all: Set<T>, one: T): Disposable {
  all.add(one);
  return new Disposable(() => all.delete(one));
}

function told(message: string, ...buttons: string[]): Promise<string | undefined> {
  editor.messages.push(message);
  return Promise.resolve(buttons.find((button) => button === editor.answer));
}

// the namespaces of the module

export const workspace = {
  textDocuments: [] as Document[],
  notebookDocuments: [] as Notebook[],
  workspaceFolders: [] as Folder[],
  onDidOpenTextDocument: on.open.event,
  onDidCloseTextDocument: on.close.event,
  onDidSaveTextDocument: on.save.event,
  onWillSaveTextDocument: never,
  onDidChangeTextDocument: on.change.event,
  onDidOpenNotebookDocument: on.openNotebook.event,
  onDidChangeNotebookDocument: never,
  onDidSaveNotebookDocument: never,
  onDidCloseNotebookDocument: never,
  onDidChangeConfiguration: on.settings.event,
  onDidChangeWorkspaceFolders: on.folders.event,

  getConfiguration(section: string | undefined, scope?: Uri | null) {
    const path = scope?.fsPath ?? "";
    const { defaults, settings } = editor;
    const folder = Object.keys(settings).find((one) => one !== "" && path.startsWith(one));
    const values = (name: string) => {
      const key = [section, name].filter(Boolean).join(".");
      return {
        defaultValue: defaults[key],
        globalValue: settings[""]?.[key],
        workspaceFolderValue: settings[folder ?? "-"]?.[key],
      };
    };
    return {
      inspect: values,
      get: (name: string, otherwise?: unknown) => {
        const { defaultValue, globalValue, workspaceFolderValue } = values(name);
        return workspaceFolderValue ?? globalValue ?? defaultValue ?? otherwise;
      },
    };
  },

  getWorkspaceFolder: (uri: Uri) =>
    workspace.workspaceFolders.find((folder) => uri.path.startsWith(`${folder.uri.path}/`)),

  createFileSystemWatcher: () => ({
    onDidCreate: never,
    onDidChange: never,
    onDidDelete: never,
    dispose() {},
  }),

  registerTextDocumentContentProvider(scheme: string, provider: Provider): Disposable {
    editor.contents.set(scheme, provider);
    return new Disposable(() => editor.contents.delete(scheme));
  },

  async openTextDocument(uri: Uri): Promise<Document> {
    const provider = editor.contents.get(uri.scheme);
    const text = provider
      ? String(provider["provideTextDocumentContent"]!(uri))
      : await readFile(uri.fsPath, "utf8");
    return new Document(uri, Text.create(uri.toString(), "plaintext", 1, text));
  },

  applyEdit(edit: WorkspaceEdit): Promise<boolean> {
    for (const [uri, edits] of edit.texts) {
      const document = workspace.textDocuments.find((one) => one.uri.toString() === uri);
      editor.edit(document!, edits);
    }
    return Promise.resolve(true);
  },
};

export const window = {
  activeTextEditor: undefined as { document: Document } | undefined,
  activeNotebookEditor: undefined as { notebook: Notebook } | undefined,
  visibleTextEditors: [],
  tabGroups: {
    all: [{ tabs: [] as { input: TabInputText | TabInputNotebook }[] }],
    onDidChangeTabs: on.tabs.event,
  },
  onDidChangeActiveTextEditor: never,
  onDidChangeVisibleTextEditors: never,
  showInformationMessage: told,
  showWarningMessage: told,
  showErrorMessage: told,
  shown: undefined as Document | undefined,

  showTextDocument(document: Document): void {
    window.shown = document;
  },

  createOutputChannel(name: string) {
    const write = (text: unknown) => void editor.log.push(`${name}: ${String(text)}`);
    return {
      name,
      logLevel: LogLevel.Info,
      onDidChangeLogLevel: never,
      ...{ trace: write, debug: write, info: write, warn: write, error: write },
      ...{ append: write, appendLine: write },
      show: () => void editor.messages.push(`shown: ${name}`),
      dispose() {},
    };
  },
};

export const languages = {
  match(selector: string | object | readonly object[], document: Document): number {
    const filters = [selector].flat() as Record<string, unknown>[];
    const isMet = ({ language, scheme, notebookType }: Record<string, unknown>) =>
      [undefined, "*", document.languageId].includes(language as string) &&
      [undefined, "*", document.uri.scheme].includes(scheme as string) &&
      (notebookType === undefined || document.notebook !== undefined);
    return filters.some(isMet) ? 10 : 0;
  },

  createDiagnosticCollection() {
    const shown = new Map<string, readonly Diagnostic[]>();
    const end = registered(editor.collections, shown);
    return {
      set: (uri: Uri, found: readonly Diagnostic[]) => void shown.set(uri.toString(), found),
      delete: (uri: Uri) => shown.delete(uri.toString()),
      clear: () => shown.clear(),
      has: (uri: Uri) => shown.has(uri.toString()),
      dispose: end.dispose,
    };
  },

  createLanguageStatusItem: () => Object.assign(editor.status, { dispose() {} }),
  registerCodeActionsProvider: (_: unknown, one: Provider) => registered(editor.actions, one),
  registerCodeLensProvider: (_: unknown, one: Provider) => registered(editor.lenses, one),
  registerHoverProvider: (_: unknown, one: Provider) => registered(editor.hovers, one),
};

export const commands = {
  registerCommand(name: string, run: (...args: unknown[]) => unknown): Disposable {
    if (editor.commands.has(name)) {
      throw new Error(`The command ${name} is there already`);
    }
    editor.commands.set(name, run);
    return new Disposable(() => editor.commands.delete(name));
  },

  executeCommand: async (name: string, ...args: unknown[]) => editor.commands.get(name)!(...args),
};

export const extensions = { getExtension: (name: string) => editor.extensions[name] };

export const env = {
  appName: "stand-in",
  language: "en",
  clipboard: { writeText: async (text: string) => void (editor.clipboard = text) },
};

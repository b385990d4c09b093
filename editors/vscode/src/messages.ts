import { commands, env, window } from "vscode";
import type { NotFoundError } from "./find";

const SHOW_LOGS = "Show Logs";

/** Say that there is no server, and what to type. */
export function showNotFound({ message, install }: NotFoundError): void {
  const copy = "Copy Command";
  const text = `${message} Install it with \`${install}\`, then run “idemlint: Restart Server”.`;
  void window.showWarningMessage(text, copy, SHOW_LOGS).then((chosen) => {
    if (chosen === copy) {
      void env.clipboard.writeText(install);
    } else {
      showLogsIf(chosen);
    }
  });
}

/** Say why something did not work. */
export function showError(text: string): void {
  void window.showErrorMessage(`idemlint: ${text}`, SHOW_LOGS).then(showLogsIf);
}

function showLogsIf(chosen: string | undefined): void {
  if (chosen === SHOW_LOGS) {
    void commands.executeCommand("idemlint.showServerLogs");
  }
}

import { runInteractive, splitCommand } from "./run-interactive.ts";
import type { Viewer } from "./show-changes.ts";

/** Opens files in the user's editor until it exits. False if it could not be started. */
export async function editFiles({ io, env }: Viewer, paths: readonly string[]): Promise<boolean> {
  const editor = splitCommand(env["VISUAL"] ?? env["EDITOR"] ?? "vi");
  const opened = (await runInteractive({ argv: [...editor, ...paths], env })) !== null;
  if (!opened) io.out(`The editor ${editor.join(" ")} could not be started; set EDITOR to yours.`);
  return opened;
}

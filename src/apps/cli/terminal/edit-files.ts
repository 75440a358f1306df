import { runInteractive, splitCommand } from "./run-interactive.ts";
import type { Viewer } from "./show-changes.ts";

/** Opens files in the person's own editor until they leave it. False where none could be started. */
export async function editFiles({ io, env }: Viewer, paths: readonly string[]): Promise<boolean> {
  const editor = splitCommand(env["VISUAL"] ?? env["EDITOR"] ?? "vi");
  const opened = (await runInteractive({ argv: [...editor, ...paths], env })) !== null;
  if (!opened) io.out(`The editor ${editor.join(" ")} could not be started; set EDITOR to yours.`);
  return opened;
}

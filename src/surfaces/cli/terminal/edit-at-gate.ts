import { join } from "node:path";
import type { OpenWait } from "../../../app/drive/drive-run.ts";
import { currentPhase } from "../../../core/run.ts";
import type { PhaseOutput } from "../../../schema/facts.ts";
import { plainLine } from "../../../views/plain-text.ts";
import type { Viewer } from "./show-changes.ts";
import { isBookkeeping } from "../../../core/items/item-meta.ts";
import { runInteractive, splitCommand } from "./run-interactive.ts";

/**
 * Opens files in the user's editor. Always null: the gate stays open, and Continue shows the edits before accepting
 * them.
 */
export async function editAtGate(viewer: Viewer, context: OpenWait): Promise<null> {
  const paths = editable(currentPhase(context.run)?.made ?? null);
  if (paths.length === 0) viewer.io.out("There is no file to edit.");
  const chosen = paths.length === 0 ? null : await askFiles(paths, context.signal);
  if (chosen === null) return null;
  const files = chosen.map((path) => join(context.engine.root, path));
  if (await editFiles(viewer, files)) viewer.io.out("Edited. Continue shows your changes before it accepts them.");
  return null;
}

/** Documents first, then the other files changed by the phase, except deleted ones. */
function editable(made: PhaseOutput | null): string[] {
  const changed = (made?.changed ?? []).filter(({ change }) => change !== "deleted").map(({ path }) => path);
  return [...new Set([...(made?.artifacts ?? []), ...changed])].filter((path) => !isBookkeeping(path));
}

/** A single file is opened at once; of several, the user chooses. Null if the user cancels. */
async function askFiles(paths: readonly string[], signal: AbortSignal): Promise<readonly string[] | null> {
  if (paths.length === 1) return paths;
  const { isCancel, select } = await import("@clack/prompts");
  const options = [
    ...paths.slice(0, MAX_FILES).map((path) => ({ value: path, label: plainLine(path) })),
    { value: ALL_FILES, label: `All ${paths.length} files` },
  ];
  const chosen = await select({ message: "Which file?", options, signal, maxItems: 12 });
  return isCancel(chosen) ? null : chosen === ALL_FILES ? paths : [chosen];
}

const ALL_FILES = "";
const MAX_FILES = 200;

/** Opens files in the user's editor until it exits. False if it could not be started. */
export async function editFiles({ io, env }: Viewer, paths: readonly string[]): Promise<boolean> {
  const editor = splitCommand(env["VISUAL"] ?? env["EDITOR"] ?? "vi");
  const opened = (await runInteractive({ argv: [...editor, ...paths], env })) !== null;
  if (!opened) io.out(`The editor ${editor.join(" ")} could not be started; set EDITOR to yours.`);
  return opened;
}

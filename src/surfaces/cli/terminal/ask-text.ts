import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LEAVE_PASTES, MARK_PASTES, onOneLine, openPasteInput, readTyped, type TypedText } from "./paste-input.ts";
import type { Viewer } from "./show-changes.ts";
import { editFiles } from "./edit-at-gate.ts";

export type TextQuestion = { readonly message: string; readonly signal: AbortSignal; readonly placeholder?: string };

/** Asks for a text: typed, pasted with all its lines, or written in the user's editor. Null if the user cancels. */
export async function askText(viewer: Viewer, question: TextQuestion): Promise<string | null> {
  for (let draft = ""; ;) {
    const typed = await askLine(question, draft);
    if (typed === null || !typed.wantsEditor) return typed?.text ?? null;
    draft = (await writeInEditor(viewer, typed.text)) ?? typed.text;
  }
}

const HINT = "Esc goes back, Ctrl-G opens your editor";

async function askLine(
  { message, signal, placeholder = HINT }: TextQuestion,
  draft: string,
): Promise<TypedText | null> {
  const { isCancel, text } = await import("@clack/prompts");
  const { input, close } = openPasteInput(process.stdin);
  process.stdout.write(MARK_PASTES);
  try {
    const said = await text({ message, placeholder, initialValue: onOneLine(draft), signal, input });
    return isCancel(said) ? null : readTyped(orEmpty(said));
  } finally {
    process.stdout.write(LEAVE_PASTES);
    close();
  }
}

/** The prompt returns undefined for an empty line. */
const orEmpty = (said: string | undefined): string => said ?? "";

/** Null if no editor could be started. */
async function writeInEditor(viewer: Viewer, text: string): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-"));
  const file = join(folder, "guidance.md");
  try {
    writeFileSync(file, `${text.trimEnd()}\n`);
    return (await editFiles(viewer, [file])) ? readFileSync(file, "utf8").trim() : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import pc from "picocolors";
import type { Invocation } from "../invocation/verb.ts";
import { terminalMarkdown } from "../../../views/terminal-markdown.ts";
import type { Io } from "../invocation/io.ts";
import { homedir } from "node:os";
import { runInteractive, splitCommand } from "./run-interactive.ts";
import { globalGitSetting } from "../../../adapters/git/read/repository-settings.ts";

export type Viewer = Pick<Invocation, "io" | "env">;

/** Shows text that contains patches in color, in the user's pager if there is one. */
export async function showChanges({ io, env }: Viewer, text: string): Promise<void> {
  const shown = colored(text, pc.createColors(io.color));
  if (!(await showInPager(shown, env))) io.out(shown);
}

const PAINTS: readonly [RegExp, "bold" | "cyan" | "green" | "red"][] = [
  [/^(?:diff |index |--- |\+\+\+ )/, "bold"],
  [/^@@/, "cyan"],
  [/^\+/, "green"],
  [/^-/, "red"],
];

function colored(patch: string, colors: ReturnType<typeof pc.createColors>): string {
  const paint = (line: string): string => {
    const found = PAINTS.find(([pattern]) => pattern.test(line));
    return found === undefined ? line : colors[found[1]](line);
  };
  return patch.split("\n").map(paint).join("\n");
}

/** Formats a document for a user at a terminal; returns it unchanged for a file or a program. */
export function documentText({ interactive, color, columns }: Io, markdown: string): string {
  return interactive ? `${terminalMarkdown(markdown, { columns, paint: pc.createColors(color) })}\n` : markdown;
}

/** Stays open for short texts: otherwise the key that closes it would answer the next question. */
const FALLBACK = ["less", "-R", "-+F", "-+X"];

/**
 * Shows text in the user's pager: from `GIT_PAGER`, the user's git settings or `PAGER`, otherwise delta or less.
 * Repository settings are never read. False if the user wants no pager, or none could be started.
 */
async function showInPager(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const named = env["GIT_PAGER"] ?? (await pagerOfGit(env)) ?? env["PAGER"];
  const wanted = named === undefined ? ["delta", "--paging=always"] : splitCommand(named);
  if (wanted.length === 0) return false;
  for (const argv of [wanted, FALLBACK]) if ((await runInteractive({ argv, env, input: text })) !== null) return true;
  return false;
}

/** Ignores a setting that needs a shell, as no shell is started. */
async function pagerOfGit(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = await globalGitSetting("core.pager", { home: env["HOME"] ?? homedir(), env });
  return named === null || /[|;&$<>`"'\\(){}*?]/.test(named) ? undefined : named;
}

import { homedir } from "node:os";
import { globalGitSetting } from "../../../adapters/git/read/global-setting.ts";
import { runInteractive, splitCommand } from "./run-interactive.ts";

/** Stays open for short texts: otherwise the key that closes it would answer the next question. */
const FALLBACK = ["less", "-R", "-+F", "-+X"];

/**
 * Shows text in the user's pager: from `GIT_PAGER`, the user's git settings or `PAGER`, otherwise delta or less.
 * Repository settings are never read. False if the user wants no pager, or none could be started.
 */
export async function showInPager(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
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

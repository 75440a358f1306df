import { homedir } from "node:os";
import { globalGitSetting } from "../../../adapters/git/read/global-setting.ts";
import { runInteractive, splitCommand } from "./run-interactive.ts";

/** Stays open however short the text is: a key that closes it must not reach the question behind it. */
const FALLBACK = ["less", "-R", "-+F", "-+X"];

/**
 * Shows text in the pager of the person: the one of their own git settings, of their environment, delta, else less. What
 * a repository configures is never asked. False where they want none, or none can be started.
 */
export async function showInPager(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const named = env["GIT_PAGER"] ?? (await pagerOfGit(env)) ?? env["PAGER"];
  const wanted = named === undefined ? ["delta", "--paging=always"] : splitCommand(named);
  if (wanted.length === 0) return false;
  for (const argv of [wanted, FALLBACK]) if ((await runInteractive({ argv, env, input: text })) !== null) return true;
  return false;
}

/** What only a shell could read is left out, as none is started here. */
async function pagerOfGit(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = await globalGitSetting("core.pager", { home: env["HOME"] ?? homedir(), env });
  return named === null || /[|;&$<>`"'\\(){}*?]/.test(named) ? undefined : named;
}

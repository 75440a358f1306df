import { findProgram } from "../../../adapters/process/find-program.ts";
import { type EndedRun, chosenFinish } from "../../../core/run.ts";
import { BODY_FILE, pullRequestCommands } from "../../../views/pull-request.ts";
import { shellWord } from "../../../core/shell-word.ts";
import { ask } from "./ask.ts";
import { runInteractive } from "./run-interactive.ts";
import type { LocalProject } from "../../../compose/project.ts";
import type { Invocation } from "../grammar/verb.ts";

/**
 * Offers to push the branch and open a pull request with the user's tool, if the user chose to finish with one. Pushes
 * only after a yes at this terminal; otherwise the closing report lists the commands.
 */
export async function openPullRequest(
  { io, env }: Pick<Invocation, "io" | "env">,
  { root, projections }: LocalProject,
  ended: EndedRun,
): Promise<readonly string[]> {
  const tool = (["gh", "glab"] as const).find((name) => findProgram(name, env).ok);
  const body = projections.readArtifact(BODY_FILE) ?? "";
  const commands = pullRequestCommands(ended, tool ?? "gh", body);
  if (chosenFinish(ended) !== "pr" || commands === null || tool === undefined || !io.interactive) return [];
  const wordOf = (word: string): string => (word === body ? `"$(cat ${BODY_FILE})"` : shellWord(word));
  const shown = commands.map((argv) => `  ${argv.map(wordOf).join(" ")}`);
  if (!(await ask(io, { question: "Run these now?", about: shown, enter: "n" }))) return [];
  for (const argv of commands)
    if ((await runInteractive({ argv, env, cwd: root })) !== 0)
      return [`${argv[0]} failed; run the commands above yourself.`];
  return [];
}

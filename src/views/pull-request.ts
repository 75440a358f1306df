import type { EndedRun } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";

export type RequestTool = "gh" | "glab";

/** The commands that publish a branch and propose it, as argument lists; null where there is no branch to propose. */
export function pullRequestCommands({ run }: Pick<EndedRun, "run">, tool: RequestTool): readonly string[][] | null {
  const { branch = null, base = null } = run.git ?? {};
  if (branch === null) return null;
  const [title, body] = [plainLine(run.title, 200), bodyOf(run)];
  const push = ["git", "push", "-u", "origin", branch];
  const target = base ?? "main";
  return tool === "gh"
    ? [push, ["gh", "pr", "create", "--base", target, "--head", branch, "--title", title, "--body", body]]
    : [
        push,
        [
          "glab",
          "mr",
          "create",
          "--target-branch",
          target,
          "--source-branch",
          branch,
          "--title",
          title,
          "--description",
          body,
          "--yes",
        ],
      ];
}

/** Only what readers of the request have too: git ignores everything of our own folder. */
const bodyOf = ({ item, title }: EndedRun["run"]): string =>
  item.startsWith(".isdlc/")
    ? `What was asked for: ${plainLine(title, 500)}`
    : `What was asked for and decided: ${item}`;

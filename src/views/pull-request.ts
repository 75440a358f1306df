import { OWN, ownPath } from "../core/own-folder.ts";
import type { EndedRun } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";

export type RequestTool = "gh" | "glab";

/** File with the text of the pull request. `BODY_FILE` is its path, relative to the working tree. */
export const REQUEST_BODY = "pull-request.md";
export const BODY_FILE = ownPath(OWN.reviews, REQUEST_BODY);

/**
 * Returns the commands to push a branch and open a pull request, as argument lists, or null without a branch. `body`:
 * the text itself, for `glab`, which reads no file.
 */
export function pullRequestCommands(
  { run }: Pick<EndedRun, "run">,
  tool: RequestTool,
  body = "",
): readonly string[][] | null {
  const { branch = null, base = null } = run.git ?? {};
  if (branch === null) return null;
  const title = plainLine(run.title, 200);
  const push = ["git", "push", "-u", "origin", branch];
  const target = base ?? "main";
  return tool === "gh"
    ? [push, ["gh", "pr", "create", "--base", target, "--head", branch, "--title", title, "--body-file", BODY_FILE]]
    : [push, [...MERGE_REQUEST, target, "--source-branch", branch, "--title", title, "--description", body, "--yes"]];
}

const MERGE_REQUEST = ["glab", "mr", "create", "--target-branch"];

import { OWN, ownPath } from "../core/own-folder.ts";
import type { EndedRun } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";

export type RequestTool = "gh" | "glab";

/** Where the text of the request is, relative to the working tree. */
export const REQUEST_BODY = "pull-request.md";
export const BODY_FILE = ownPath(OWN.reviews, REQUEST_BODY);

/**
 * The commands that publish a branch and propose it, as argument lists; null where there is no branch to propose.
 * `body`: the text itself, for the program that takes no file.
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

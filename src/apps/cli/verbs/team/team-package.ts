import { createRequire } from "node:module";
import { join } from "node:path";
import { packageRoot } from "../../../../adapters/definitions/package-root.ts";
import { openProject } from "../../../../compose/project.ts";
import { version } from "../../../../compose/version.ts";
import { ProblemError } from "../../../../core/problem.ts";
import type { Invocation, Result, Run } from "../../grammar/verb.ts";
import { identifyStarter } from "../../main/caller.ts";

/** What `isdlc-team` has for us; its form is checked by its version, which must be ours. */
type TeamPackage = {
  readonly version: string;
  readonly server: (invocation: Invocation, root: string) => Promise<Result>;
  readonly worker: (invocation: Invocation, root: string) => Promise<Result>;
};

/** `server` and `worker`: in a package of its own, for few need it and it is larger than all of this. */
export const teamPackage: Run = async (invocation) => {
  const { verb, cwd, env } = invocation;
  await identifyStarter(invocation, openProject(cwd, env)); // no agent makes tokens, or work for others
  const root = packageRoot();
  const found = load(root);
  if (found?.version !== version)
    throw new ProblemError({ code: "TEAM_NOT_INSTALLED", verb: verb.name, version, found: found?.version ?? null });
  return verb.name === "server" ? found.server(invocation, root) : found.worker(invocation, root);
};

/** Null where it is not installed beside us. */
function load(root: string): TeamPackage | null {
  const requireFrom = createRequire(join(root, "package.json"));
  try {
    requireFrom.resolve("isdlc-team");
  } catch {
    return null; // which is told
  }
  return requireFrom("isdlc-team") as TeamPackage; // its version is compared before it is used
}

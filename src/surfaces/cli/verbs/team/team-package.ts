import { createRequire } from "node:module";
import { join } from "node:path";
import { packageRoot } from "../../../../adapters/project-files/package-root.ts";
import { openProject } from "../../../../compose/project.ts";
import { version } from "../../../../compose/version.ts";
import { ProblemError } from "../../../../core/problem.ts";
import type { Invocation, Result, Run } from "../../invocation/verb.ts";
import { identifyStarter } from "../../invocation/caller.ts";

/** Exports of `isdlc-team`. Only the version is checked, which must be that of this package. */
type TeamPackage = {
  readonly version: string;
  readonly server: (invocation: Invocation, root: string) => Promise<Result>;
  readonly worker: (invocation: Invocation, root: string) => Promise<Result>;
};

/** Runs `server` and `worker` from a separate package, because few users need it and it is larger than this one. */
export const teamPackage: Run = async (invocation) => {
  const { verb, cwd, env } = invocation;
  await identifyStarter(invocation, openProject(cwd, env)); // an agent may create neither tokens nor work for others
  const root = packageRoot();
  const found = load(root);
  if (found?.version !== version)
    throw new ProblemError({ code: "TEAM_NOT_INSTALLED", verb: verb.name, version, found: found?.version ?? null });
  return verb.name === "server" ? found.server(invocation, root) : found.worker(invocation, root);
};

/** Null if the package is not installed next to this one. */
function load(root: string): TeamPackage | null {
  const requireFrom = createRequire(join(root, "package.json"));
  try {
    requireFrom.resolve("isdlc-team");
  } catch {
    return null; // the caller reports it
  }
  return requireFrom("isdlc-team") as TeamPackage; // the caller compares the version before use
}

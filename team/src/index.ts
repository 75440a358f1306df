import { usePackageRoot } from "../../src/adapters/project-files/package-root.ts";
import type { Invocation, Result, Run } from "../../src/surfaces/cli/invocation/verb.ts";
import { problemResult } from "../../src/surfaces/cli/main/run-cli.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { server as runServer } from "./server/server-verb.ts";
import { worker as runWorker } from "./worker/worker-verb.ts";

export { version } from "../../src/compose/version.ts";

type TeamVerb = (invocation: Invocation, root: string) => Promise<Result>;

/**
 * Reports problems here, as it is bundled separately. `root`: folder of the isdlc package, for its workflows and
 * personas.
 */
const verb =
  (run: Run): TeamVerb =>
  async (invocation, root) => {
    usePackageRoot(root);
    try {
      return await run(invocation);
    } catch (error) {
      if (error instanceof ProblemError) return problemResult(error.problem);
      throw error;
    }
  };

export const server = verb(runServer);
export const worker = verb(runWorker);

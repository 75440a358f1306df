import { text, type Values } from "../../../src/surfaces/cli/invocation/verb.ts";
import type { PlacedProject } from "../../../src/compose/project.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { RunAgents } from "../../../src/schema/run-agents.ts";

type StartedRun = { readonly run: ActiveRun; readonly agents: RunAgents };

/**
 * Adapts a run brought from a user's machine. The recorded programs of that machine and a missing sandbox are not
 * trusted here. The run gets the sandbox that this worker would use for its own runs, and never loses an existing one.
 */
export function asBegunHere(
  { values }: { readonly values: Values },
  { agents: known }: Pick<PlacedProject, "agents">,
  { run, agents }: StartedRun,
): ActiveRun {
  if (run.run.tree === undefined) return run;
  const { programs: _programs, ...facts } = run.run;
  const { sandbox } = known.planSandbox(agents, text(values, "sandbox"));
  return { ...run, run: { ...facts, sandbox: facts.sandbox === true || sandbox } };
}

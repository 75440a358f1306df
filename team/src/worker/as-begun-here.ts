import { text, type Values } from "../../../src/apps/cli/grammar/verb.ts";
import type { PlacedProject } from "../../../src/compose/project.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { RunAgents } from "../../../src/schema/run-agents.ts";

type StartedRun = { readonly run: ActiveRun; readonly agents: RunAgents };

/**
 * A run that came from a person's machine was begun with the programs there, and perhaps without a sandbox: neither
 * is believed here. It gets the sandbox that a run begun by this worker would have, and never loses one that it had.
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

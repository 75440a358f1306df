import { askedAgents } from "../../../src/surfaces/cli/grammar/agents.ts";
import { chooseAgents } from "../../../src/app/agents/choose-agents.ts";
import { shippedPhases } from "../../../src/app/agents/agent-choice.ts";
import { agentsOfRun } from "../../../src/app/drive/agents-of-run.ts";
import type { PlacedProject } from "../../../src/compose/project.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { Worker } from "./drive-run.ts";

/**
 * Returns the agents of this worker's options. @throws ProblemError AGENT_UNKNOWN if the run was started with others
 */
export async function agentsFor(worker: Pick<Worker, "values">, project: PlacedProject, run: ActiveRun) {
  const known = shippedPhases(project.workflows);
  const phases = run.phases.map(({ rule }) => rule.key);
  const { settings } = project.settings.read();
  const chosen = chooseAgents(askedAgents(worker.values), settings, { agents: project.agents, phases, known });
  const other = (): never => {
    throw new ProblemError({ code: "AGENT_UNKNOWN", agent: run.run.agent.name });
  };
  const { agents } = await agentsOfRun(project, run, {
    rename: () => chosen.agents,
    by: () => Promise.resolve().then(other),
  });
  return agents;
}

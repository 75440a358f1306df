import { nodeFiles } from "../../../src/adapters/files/file-system.ts";
import { readUserSettings } from "../../../src/adapters/files/user-settings.ts";
import { userFolders } from "../../../src/adapters/files/user-folders.ts";
import { askedAgents } from "../../../src/surfaces/cli/grammar/agents.ts";
import { chooseAgents } from "../../../src/app/agents/choose-agents.ts";
import { allAgents, shippedPhases } from "../../../src/app/agents/agent-choice.ts";
import { agentsOfRun } from "../../../src/app/drive/agents-of-run.ts";
import { createBackend } from "../../../src/compose/create-backend.ts";
import { detectAgent, noAgent } from "../../../src/compose/known-agents.ts";
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

/** Looks for the programs of the worker's agents again. @throws ProblemError AGENT_MISSING, NO_AGENT */
export async function probeAgents({ values, env }: Pick<Worker, "values" | "env">): Promise<void> {
  const { settings } = readUserSettings(userFolders(env).config, nodeFiles);
  const port = { detect: () => detectAgent(env), noAgent };
  const { agents } = chooseAgents(askedAgents(values), settings, { agents: port, phases: [], known: [] });
  for (const agent of allAgents(agents)) {
    const found = await createBackend(agent, env).probe();
    if ("code" in found) throw new ProblemError(found);
  }
}

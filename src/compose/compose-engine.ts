import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readConstitution } from "../adapters/project-files/constitution-file.ts";
import { createItemRecords } from "../adapters/project-files/create-item-records.ts";
import { createFeatureRecords } from "../adapters/project-files/create-feature-records.ts";
import { createProcesses } from "../adapters/process/create-processes.ts";
import { toldUsage } from "../adapters/process/told-usage.ts";
import { openTranscript } from "../adapters/process/transcript.ts";
import { createSessions } from "../adapters/identity/create-sessions.ts";
import type { EngineOptions } from "../app/project/project.ts";
import { OWN } from "../core/own-folder.ts";
import { createRedactor, listSecrets } from "../core/redact.ts";
import type { ActiveRun } from "../core/run.ts";
import { SESSION_AGENT } from "../core/next.ts";
import type { Engine } from "../engine/engine.ts";
import type { AgentBackend } from "../ports/agent-backend.ts";
import type { RememberedAgent, RunAgents } from "../schema/run-agents.ts";
import { createChecks } from "./checks-of.ts";
import { agentKey, allAgents, phaseAgent, reviewAgent } from "../app/agents/agent-choice.ts";
import { createBackend } from "./create-backend.ts";
import { createTraces, noTraces } from "./create-traces.ts";
import type { PlacedProject } from "./project.ts";
import { personaSource } from "./workflows.ts";
import { requireSamePrograms } from "./programs.ts";
import { createAgentSandbox } from "./sandbox.ts";
import { createGitPrograms, noGitPrograms } from "./trusted-git-programs.ts";

const TRANSCRIPT_LIMIT = 5 * 1024 * 1024;

/** Creates the engine of a run. */
export function composeEngine(
  project: PlacedProject,
  run: ActiveRun,
  { agents, progress, warn }: EngineOptions,
): Engine {
  const { root, own, env, files } = project;
  requireSamePrograms(project, run, agents);
  const redact = createRedactor(listSecrets(env));
  const id = run.run.run;
  const git = run.run.git === null ? null : project.vcsWrite;
  const workspace = project.workspace(run);
  const backend = createBackends(project, run, agents);
  const transcriptOf = (execution: string): string => join(own, OWN.runs, id, `${execution}.log`);
  const constitution = readConstitution(root, files); // read once: changes by agents apply to the next run
  return {
    run: id,
    root,
    journal: project.journal,
    agents: {
      phase: (key) => backend(phaseAgent(agents, key)),
      reviewer: (key) => backend(reviewAgent(agents, key)),
    },
    workspace,
    vcs: run.run.scope === "tree" ? git : null,
    head: () => git?.head() ?? Promise.resolve(null),
    items: createItemRecords(root, project.folders.state, warn),
    features: createFeatureRecords(root, warn),
    recordsIn: (folder) => ({
      items: createItemRecords(folder, project.folders.state, warn),
      features: createFeatureRecords(folder, warn),
    }),
    checks: createChecks(project, run, { workspace, redact }),
    gitPrograms: run.run.git === null ? noGitPrograms : createGitPrograms(project, id),
    traces: run.run.git === null ? noTraces : createTraces(project, id, workspace),
    processes: createProcesses(),
    projections: project.projections,
    sessions: createSessions(own, files),
    isSessionWork: (key) => phaseAgent(agents, key).name === SESSION_AGENT,
    persona: personaSource(project),
    constitution: () => constitution,
    hash: project.hash,
    newNonce: () => randomBytes(16).toString("hex"),
    pause: project.pause,
    redact,
    transcript: (execution) => openTranscript(transcriptOf(execution), { limit: TRANSCRIPT_LIMIT, redact }),
    toldUsage: (execution) => toldUsage(files, transcriptOf(execution)),
    show: (shown) => progress.show(shown),
  };
}

/** Creates the backends of all agents at once, to report an agent that cannot be sandboxed before anything runs. */
function createBackends(
  project: PlacedProject,
  { run }: ActiveRun,
  agents: RunAgents,
): (agent: RememberedAgent) => AgentBackend {
  const variables = project.settings.readForRun(run.run).settings["agent-variables"] ?? [];
  const bounds = { documents: run.item, network: run.network ?? "shared", variables };
  const sandbox = (agent: RememberedAgent) =>
    run.sandbox === true ? createAgentSandbox(project, agent, bounds) : undefined;
  const made = new Map(
    allAgents(agents).map((agent) => [
      agentKey(agent),
      createBackend(agent, project.env, { sandbox: sandbox(agent), variables }),
    ]),
  );
  return (agent) => made.get(agentKey(agent)) as AgentBackend; // every agent of the run is in the map
}

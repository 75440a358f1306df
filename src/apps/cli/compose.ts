import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readConstitution } from "../../adapters/constitution/constitution-file.ts";
import { createGitWrite } from "../../adapters/git/write/git-write.ts";
import { createItemRecords } from "../../adapters/items/create-item-records.ts";
import { createFeatureRecords } from "../../adapters/spec/create-feature-records.ts";
import { createProcesses } from "../../adapters/process/create-processes.ts";
import { openTranscript } from "../../adapters/process/transcript.ts";
import type { RememberedAgent } from "../../adapters/user-files/trust-store.ts";
import { createRedactor, secretsOf } from "../../core/redact.ts";
import type { ActiveRun } from "../../core/run.ts";
import type { Engine, Progress } from "../../engine/engine.ts";
import type { AgentBackend } from "../../ports/agent-backend.ts";
import { keyOf } from "./agent-choice.ts";
import { checksOf, workspaceOf } from "./checks-of.ts";
import { allAgents, type ChosenAgents, createBackend, phaseAgent, reviewAgent } from "./agents.ts";
import { type Project, systemClock } from "./project.ts";
import { personaSource } from "./resolve-workflow.ts";
import { sandboxOf } from "./sandbox.ts";
import { projectionsOf } from "./projections-of.ts";

const TRANSCRIPT_LIMIT = 5 * 1024 * 1024;

/** Puts a run, a working tree and agents together. */
export function composeEngine(
  project: Project,
  run: ActiveRun,
  rest: { agents: ChosenAgents; show: (progress: Progress) => void; warn: (warning: string) => void },
): Engine {
  const { root, own, env, files, journal } = project;
  const redact = createRedactor(secretsOf(env));
  const id = run.run.run;
  const git = run.run.git === null ? null : createGitWrite(root);
  const workspace = workspaceOf(project, run);
  const backend = backendsOf(project, run, rest.agents);
  const constitution = readConstitution(root, files); // once: what agents do to it meanwhile is for the next run
  return {
    run: id,
    root,
    journal,
    agents: {
      phase: (key) => backend(phaseAgent(rest.agents, key)),
      reviewer: (key) => backend(reviewAgent(rest.agents, key)),
    },
    workspace,
    vcs: run.run.scope === "tree" ? git : null,
    head: () => git?.head() ?? Promise.resolve(null),
    items: createItemRecords(root, project.folders.state, rest.warn),
    features: createFeatureRecords(root, rest.warn),
    checks: checksOf(project, run, { workspace, redact }),
    processes: createProcesses(),
    projections: projectionsOf(project),
    clock: systemClock,
    persona: personaSource(project),
    constitution: () => constitution,
    hash: sha256,
    newNonce: () => randomBytes(16).toString("hex"),
    pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined), // told to stop
    redact,
    transcript: (execution) =>
      openTranscript(join(own, "runs", id, `${execution}.log`), { limit: TRANSCRIPT_LIMIT, redact }),
    show: rest.show,
  };
}

/** One backend for each agent of the run, all made at once: one that cannot be sandboxed is told before anything runs. */
function backendsOf(
  project: Project,
  { run }: ActiveRun,
  agents: ChosenAgents,
): (agent: RememberedAgent) => AgentBackend {
  const sandbox = (agent: RememberedAgent) => (run.sandbox === true ? sandboxOf(project, agent, run.item) : undefined);
  const made = new Map(
    allAgents(agents).map((agent) => [keyOf(agent), createBackend(agent, project.env, sandbox(agent))]),
  );
  return (agent) => made.get(keyOf(agent)) as AgentBackend; // one of the run's
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

import { homedir } from "node:os";
import { createCheckRunner } from "../adapters/checks/create-check-runner.ts";
import { createGitWorkspace } from "../adapters/git/snapshot/git-workspace.ts";
import { createPlainWorkspace } from "../adapters/plain-workspace/create-plain-workspace.ts";
import { latestTree } from "../core/last-reviewed-tree.ts";
import type { ActiveRun } from "../core/run.ts";
import type { CheckRunner } from "../ports/check-runner.ts";
import type { Workspace } from "../ports/workspace.ts";
import { digestMemory } from "./digest-memory.ts";
import type { PlacedProject } from "./project.ts";
import { resultMemory } from "./result-memory.ts";
import { createSandboxForTests } from "./sandbox.ts";
import { parseTestNeeds } from "./test-needs.ts";

export function createWorkspace({ root, env }: Pick<PlacedProject, "root" | "env">, run: ActiveRun): Workspace {
  if (run.run.git === null) return createPlainWorkspace(root);
  const trust = { since: Date.parse(run.run.startedAt) - CLOCKS_APART, tree: latestTree(run) };
  return createGitWorkspace(root, { run: run.run.run, env, trust });
}

/** Allowed difference between the clock of a file system and the local clock, in milliseconds. */
const CLOCKS_APART = 60_000;

/** Creates the check runner of a run. Tests run in a sandbox if the run was started with one. */
export function createChecks(
  project: PlacedProject,
  run: ActiveRun,
  { workspace, redact }: { workspace: Workspace; redact: (text: string) => string },
): CheckRunner {
  const { root, env } = project;
  const words = project.trust.testNeeds();
  const needs = parseTestNeeds(words, env["HOME"] ?? homedir());
  const sandbox = run.run.sandbox === true ? createSandboxForTests(project, needs) : null;
  const memory = digestMemory(project, run.run.run, "ignored");
  const results = resultMemory(project);
  return createCheckRunner(root, { env, redact, workspace, sandbox, memory, results, variables: needs.variables });
}

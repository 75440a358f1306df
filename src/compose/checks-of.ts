import { homedir } from "node:os";
import { createCheckRunner } from "../adapters/checks/create-check-runner.ts";
import { createGitWorkspace } from "../adapters/git/git-workspace.ts";
import { createPlainWorkspace } from "../adapters/files/create-plain-workspace.ts";
import { latestTree } from "../core/changes/last-reviewed-tree.ts";
import type { ActiveRun } from "../core/run.ts";
import type { CheckRunner } from "../ports/check-runner.ts";
import type { Workspace } from "../ports/workspace.ts";
import { digestMemory } from "./digest-memory.ts";
import type { PlacedProject } from "./project.ts";
import { createSandboxForTests, parseTestNeeds } from "./sandbox.ts";
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { readSmall, replaceFile } from "../adapters/files/file-system.ts";
import { CheckResult } from "../schema/facts.ts";
import type { ProjectLocation } from "./project-location.ts";

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

/** Earlier test results, by a key that covers everything they depend on. */
type ResultMemory = {
  read(key: string): CheckResult | null;
  write(key: string, result: CheckResult): void;
};

const Kept = z.array(z.strictObject({ key: z.string(), result: CheckResult }));
/** Maximum number of saved results. */
const MAX_KEPT_RESULTS = 8;
const MAX_RESULT_FILE_BYTES = 1024 * 1024;

/** Stores results in the user's state folder, outside of the reach of sandboxed agents. */
function resultMemory({ root, folders, files }: ProjectLocation): ResultMemory {
  const tree = createHash("sha256").update(root).digest("hex").slice(0, 24);
  const path = join(folders.state, `tests-${tree}.json`);
  const read = () => {
    const found = z.safeParse(Kept, parsed(readSmall(files, path, MAX_RESULT_FILE_BYTES)));
    return found.success ? found.data : [];
  };
  return {
    read: (key) => read().find((kept) => kept.key === key)?.result ?? null,
    write(key, result) {
      const others = read().filter((kept) => kept.key !== key);
      const kept = [{ key, result }, ...others].slice(0, MAX_KEPT_RESULTS);
      replaceFile(files, path, Buffer.from(JSON.stringify(kept)));
    },
  };
}

function parsed(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "null");
  } catch {
    return null; // counts as not recorded
  }
}

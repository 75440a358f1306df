import { homedir } from "node:os";
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { createCheckRunner, type SurroundingsMemory } from "../adapters/checks/create-check-runner.ts";
import { readSmall, replaceFile } from "../adapters/file-system/file-system.ts";
import { createGitWorkspace } from "../adapters/git/snapshot/git-workspace.ts";
import { createPlainWorkspace } from "../adapters/plain-workspace/create-plain-workspace.ts";
import { latestTree } from "../core/last-reviewed-tree.ts";
import type { ActiveRun } from "../core/run.ts";
import type { CheckRunner } from "../ports/check-runner.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { LocalProject } from "./project.ts";
import { testSandboxOf } from "./sandbox.ts";
import { parseTestNeeds } from "./test-needs.ts";

/** The working tree of a run. */
export function workspaceOf({ root }: Pick<LocalProject, "root">, run: ActiveRun): Workspace {
  if (run.run.git === null) return createPlainWorkspace(root);
  const trust = { since: Date.parse(run.run.startedAt) - CLOCKS_APART, tree: latestTree(run) };
  return createGitWorkspace(root, run.run.run, trust);
}

/** Milliseconds by which a file system's clock may differ from ours. */
const CLOCKS_APART = 60_000;

/** What checks the work of a run: its tests run in a sandbox where the run was begun with one. */
export function checksOf(
  project: LocalProject,
  run: ActiveRun,
  { workspace, redact }: { workspace: Workspace; redact: (text: string) => string },
): CheckRunner {
  const { root, env } = project;
  const words = project.trust.testNeeds();
  const needs = parseTestNeeds(words, env["HOME"] ?? homedir());
  const sandbox = run.run.sandbox === true ? testSandboxOf(project, needs) : null;
  const memory = surroundingsMemory(project, run.run.run);
  return createCheckRunner(root, { env, redact, workspace, sandbox, memory, variables: needs.variables });
}

const Digests = z.record(z.string(), z.string());
const SIZE_LIMIT = 16 * 1024 * 1024;

/** Beside the other things of the person, where no agent in a sandbox writes. */
function surroundingsMemory({ root, folders, files }: LocalProject, run: string): SurroundingsMemory {
  const tree = createHash("sha256").update(root).digest("hex").slice(0, 24);
  const path = join(folders.state, `ignored-${tree}.json`);
  return {
    read() {
      const found = z.safeParse(Kept, parsed(readSmall(files, path, SIZE_LIMIT)));
      return found.success && found.data.run === run ? found.data.digests : null;
    },
    write: (digests) => replaceFile(files, path, Buffer.from(JSON.stringify({ run, digests }))),
  };
}

const Kept = z.object({ run: z.string(), digests: Digests });

function parsed(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "null");
  } catch {
    return null; // counts as not remembered
  }
}

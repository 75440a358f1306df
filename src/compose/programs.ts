import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { workingTrees } from "../adapters/git/process/working-trees.ts";
import { findProgram } from "../adapters/process/find-program.ts";
import { ProblemError } from "../core/problem.ts";
import type { ActiveRun } from "../core/run.ts";
import type { Project } from "../app/project/project.ts";
import type { RunAgents } from "../schema/run-agents.ts";
import type { ProgramUsers } from "../ports/agents.ts";
import { findAgentProgram } from "./create-backend.ts";
import type { ProjectLocation } from "./project-location.ts";
import { allAgents } from "../app/agents/agent-choice.ts";

/** Real paths by name. */
type Programs = Record<string, string>;

/**
 * Returns the real paths of the programs used by a run.
 * @throws ProblemError PROGRAM_UNSAFE if git, the sandbox or Node itself would be loaded from a working tree.
 */
export function createPrograms(
  { root, env }: Pick<ProjectLocation, "root" | "env">,
  { agents, sandbox, tests }: ProgramUsers,
): Programs {
  const own = ["git", ...(sandbox ? ["bwrap"] : [])];
  const ofAgents = allAgents(agents).map((agent) => findAgentProgram(agent, env)[0] ?? "");
  const ofTests = (tests?.argv ?? []).slice(0, 1).filter((name) => !name.includes("/")); // ./gradlew is part of the project
  const programs: Programs = { node: realpathSync(process.execPath) };
  for (const name of [...own, ...ofAgents, ...ofTests]) {
    const program = name === "" ? null : findProgram(name, env);
    if (program?.ok === true) programs[name] = realpathSync(program.path);
  }
  const trees = workingTrees(root);
  for (const name of ["node", ...own]) {
    const path = programs[name];
    const tree = trees.find((folder) => path?.startsWith(`${folder}/`) === true);
    if (path !== undefined && tree !== undefined) throw new ProblemError({ code: "PROGRAM_UNSAFE", name, path, tree });
  }
  return programs;
}

/**
 * @throws ProblemError PROGRAM_CHANGED if a program's path differs from the one at the start of the run, and the user
 * did not trust the new one.
 */
export function requireSamePrograms(
  project: Pick<Project, "trust"> & Pick<ProjectLocation, "root" | "env">,
  { run, tests }: ActiveRun,
  agents: RunAgents,
): void {
  const { programs = {} } = run;
  const now = createPrograms(project, { agents, sandbox: run.sandbox === true, tests });
  const changed = Object.keys(now).filter((name) => programs[name] !== undefined && programs[name] !== now[name]);
  const [name] = changed;
  if (name === undefined || project.trust.trusts(programsDigest(now))) return;
  throw new ProblemError({ code: "PROGRAM_CHANGED", name, before: programs[name] ?? "", now: now[name] ?? "" });
}

/** Returns the digest that a user trusts to accept other programs. */
export const programsDigest = (programs: Programs): string =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(programs).toSorted(([one], [other]) => (one < other ? -1 : 1))))
    .digest("hex");

import { createGitRead } from "../../../adapters/git/read/git-read.ts";
import { ProblemError } from "../../../core/problem.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { initiatorOf } from "../main/caller.ts";
import { ask } from "../terminal/ask.ts";
import { ChoiceNeeded } from "../grammar/choice.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject } from "../../../compose/project.ts";
import { cleanUpFeature } from "../spec/clean-up.ts";
import { type PlacedFeature, requireFeature } from "../spec/find-feature.ts";
import { done, flag, type Invocation, type Run } from "../grammar/verb.ts";
import { recover } from "./begin.ts";
import { workOn } from "./spec.ts";

/** Judges the whole feature against its specification, then asks how it ends. */
export const finish: Run = async (invocation) => {
  const here = openProject(invocation.cwd, invocation.env);
  await initiatorOf(invocation, here);
  if ((await currentRun(here)).state.is === "active") return recover(invocation, here);
  const found = await requireFeature(invocation, here, invocation.words.join(" ").trim());
  if (found.feature.meta.status !== "active") {
    const lines = await cleanUpFeature(invocation, found.project, found.feature.folder);
    if (lines.length > 0) return done(lines);
  }
  await refuseDirt(found);
  await confirmOpenTasks(invocation, found);
  return workOn(invocation, found, "finish");
};

const MOST_NAMED = 10;

/** @throws ProblemError TREE_DIRTY: what is not committed is no part of what is merged. */
async function refuseDirt({ project }: PlacedFeature): Promise<void> {
  const dirty = await createGitRead(project.root).dirty([".isdlc"]);
  if (dirty.length === 0) return;
  const files = dirty.slice(0, MOST_NAMED).map(({ path }) => plainLine(path));
  const more = dirty.length > MOST_NAMED ? [`… and ${dirty.length - MOST_NAMED} more`] : [];
  throw new ProblemError({ code: "TREE_DIRTY", files: [...files, ...more] });
}

async function confirmOpenTasks({ io, values }: Invocation, { project, feature }: PlacedFeature): Promise<void> {
  const tasks = project.projections.readArtifact(`${FEATURES_ROOT}/${feature.folder}/tasks.md`) ?? "";
  const open = tasks.split("\n").filter((line) => /^\s*[-*] \[ \]/.test(line));
  if (open.length === 0) return;
  const shown = open.slice(0, MOST_NAMED).map((line) => `  ${plainLine(line, 100)}`);
  const about = [`warning: ${open.length} of the tasks are not ticked off:`, ...shown];
  if (flag(values, "yes")) return about.forEach((line) => io.err(line));
  if (await ask(io, "Finish all the same?", about)) return;
  throw new ChoiceNeeded({ kind: "confirm", options: ["yes"], flag: "--yes", about });
}

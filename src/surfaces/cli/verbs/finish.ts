import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { ProblemError } from "../../../core/problem.ts";
import { featureDocuments, FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { identifyStarter } from "../invocation/caller.ts";
import type { Choice } from "../../../app/choice.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject } from "../../../compose/project.ts";
import { cleanUp } from "../../../app/drive/clean-up.ts";
import { cleaningBy } from "../terminal/continue-run.ts";
import { featureToFinish, type PlacedFeature, requireFeature } from "../terminal/find-feature.ts";
import { done, flag, type Invocation, type Run } from "../invocation/verb.ts";
import { recover } from "./begin.ts";
import { workOn } from "./spec.ts";
import { confirmChoice } from "../terminal/ask-choice.ts";

/** Reviews the whole feature against its specification, then asks how to end it. */
export const finish: Run = async (invocation) => {
  const here = openProject(invocation.cwd, invocation.env);
  const by = await identifyStarter(invocation, here);
  if ((await currentRun(here)).state.is === "active") return recover(invocation, here);
  const found = await requireFeature(invocation, here, invocation.words.join(" ").trim(), featureToFinish);
  if (found.feature.meta.status !== "active") {
    const lines = await cleanUpFeature(invocation, found);
    if (lines.length > 0) return done(lines);
  }
  await refuseDirt(found);
  return workOn(invocation, found, { target: "finish", by, choices: await openTasks(invocation, found) });
};

/** Repeats the cleanup if it was stopped when the feature ended, for example by files that the user wanted to keep. */
async function cleanUpFeature(invocation: Invocation, { project, feature }: PlacedFeature): Promise<readonly string[]> {
  const { state } = await currentRun(project);
  if (state.is !== "ended" || state.run.item !== `${FEATURES_ROOT}/${feature.folder}`) return [];
  return cleanUp(project, state, cleaningBy(invocation));
}

const MAX_LISTED_NAMES = 10;

/**
 * @throws ProblemError TREE_DIRTY for uncommitted files, which the merge would miss. The engine commits its own files.
 */
async function refuseDirt({ project, feature }: PlacedFeature): Promise<void> {
  const dirty = await project.vcs.dirty([OWN_FOLDER, ...featureDocuments(`${FEATURES_ROOT}/${feature.folder}`)]);
  if (dirty.length === 0) return;
  const files = dirty.slice(0, MAX_LISTED_NAMES).map(({ path }) => plainLine(path));
  const more = dirty.length > MAX_LISTED_NAMES ? [`… and ${dirty.length - MAX_LISTED_NAMES} more`] : [];
  throw new ProblemError({ code: "TREE_DIRTY", files: [...files, ...more] });
}

async function openTasks(invocation: Invocation, { project, feature }: PlacedFeature): Promise<readonly Choice[]> {
  const tasks = project.projections.readArtifact(`${FEATURES_ROOT}/${feature.folder}/tasks.md`) ?? "";
  const open = tasks.split("\n").filter((line) => /^\s*[-*] \[ \]/.test(line));
  if (open.length === 0) return [];
  const shown = open.slice(0, MAX_LISTED_NAMES).map((line) => `  ${plainLine(line, 100)}`);
  const about = [`warning: ${open.length} of the tasks are not ticked off:`, ...shown];
  if (flag(invocation.values, "yes")) for (const line of about) invocation.io.err(line);
  return confirmChoice(invocation, { id: "tasks", kind: "confirm", options: ["yes"], about });
}

import { isInWorktree } from "../../../adapters/project-files/features.ts";
import { isWorktreeName, findMainTree } from "../../../adapters/git/worktree/worktree-location.ts";
import { ProblemError } from "../../../core/problem.ts";
import { next, claimedSession } from "../../../core/next.ts";
import { type ActiveRun, currentPhase } from "../../../core/run.ts";
import type { SpecMeta } from "../../../core/spec/spec-meta.ts";
import {
  type SessionFeature,
  type SessionRun,
  sessionContext,
  sessionStartOutput,
} from "../../../views/spec/session-context.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { recoveryBanner } from "../../../views/gate-banner.ts";
import { featureAtHand } from "../terminal/find-feature.ts";
import { done, flag, type Run } from "../invocation/verb.ts";

/**
 * Prints the context of a new agent session: the state of the work and the next command. An unreadable run never fails
 * a session.
 */
export const hook: Run = async ({ words, cwd, env, values, verb }) => {
  if (words[0] !== "session-start")
    throw new ProblemError({ code: "USAGE", detail: "The only event is session-start.", usage: verb.usage });
  const project = openProject(cwd, env);
  const context = sessionContext({
    feature: await findSessionFeature(project, cwd),
    run: await findSessionRun(project),
  });
  return flag(values, "json") ? { code: 0, lines: [], json: sessionStartOutput(context) } : done([context]);
};

async function findSessionRun(project: LocalProject): Promise<SessionRun | null> {
  const state = await readState(project);
  if (state === null) return null;
  const { run, workflow } = state.run;
  const phase = currentPhase(state)?.rule.key ?? null;
  return { id: run, workflow, phase, next: nextVerb(state, project.driver.holder()), recovery: recoveryBanner(state) };
}

/** Null if no run is open, or if its journal is unreadable: `isdlc doctor` reports the reason. */
async function readState(project: LocalProject): Promise<ActiveRun | null> {
  try {
    const { state } = await currentRun(project);
    return state.is === "active" ? state : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

function nextVerb(run: ActiveRun, driver: number | null): string {
  if (next(run).is === "wait") return "the person answers (see isdlc gate); notify them, and write nothing";
  if (driver !== null) return "another process works on it: isdlc status";
  const session = claimedSession(run);
  return session === null ? "isdlc begin (the tool begin)" : `isdlc begin, if you are the session ${session.id}`;
}

/** Reports no free text of `.meta.json`, as anyone could have written it: the name comes from the folder. */
async function findSessionFeature(project: LocalProject, cwd: string): Promise<SessionFeature | null> {
  const feature = (await featureAtHand(project))?.feature;
  if (feature?.meta.status !== "active") return null;
  const { folder, meta, files } = feature;
  const worktree = findWorktree(meta);
  const main = findMainTree(project.root) ?? project.root;
  return {
    id: /^[0-9]*/.exec(folder)?.[0] ?? "",
    name: folder.replace(/^[0-9]+-/, ""),
    mode: meta.mode,
    worktree,
    isElsewhere: worktree !== null && !isInWorktree(main, worktree, cwd),
    currentPhase: meta.currentPhase,
    files,
  };
}

const findWorktree = ({ worktree }: SpecMeta): string | null =>
  worktree?.startsWith("../") === true && isWorktreeName(worktree.slice("../".length)) ? worktree : null;

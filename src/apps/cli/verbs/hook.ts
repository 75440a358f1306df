import { activeFeature, isInWorktree } from "../../../adapters/spec/features.ts";
import { otherTrees } from "../../../adapters/git/other-trees.ts";
import { mainTreeOf } from "../../../adapters/git/worktree-place.ts";
import { ProblemError } from "../../../core/problem.ts";
import { next } from "../../../core/next.ts";
import { type ActiveRun, currentPhase } from "../../../core/run.ts";
import {
  type SessionFeature,
  type SessionRun,
  sessionContext,
  sessionStartOutput,
} from "../../../views/spec/session-context.ts";
import { currentRun, openProject, type Project } from "../project.ts";
import { featuresIn } from "../spec/find-feature.ts";
import { done, flag, type Run } from "../verb.ts";

/** What a new agent session is told: where the work stands and what comes next. Never fails a session. */
export const hook: Run = ({ words, cwd, env, values, verb }) => {
  if (words[0] !== "session-start")
    throw new ProblemError({ code: "USAGE", detail: "The only event is session-start.", usage: verb.usage });
  const project = openProject(cwd, env);
  const context = sessionContext({ feature: featureOf(project, cwd), run: runOf(project) });
  if (!flag(values, "json")) return Promise.resolve(done([context]));
  return Promise.resolve({ code: 0, lines: [], json: sessionStartOutput(context) });
};

function runOf(project: Project): SessionRun | null {
  const state = stateOf(project);
  if (state === null) return null;
  const { run, workflow } = state.run;
  return { id: run, workflow, phase: currentPhase(state)?.rule.key ?? null, next: nextVerb(state) };
}

/** A session is told of what can be read; the rest is for `isdlc doctor`. */
function stateOf(project: Project): ActiveRun | null {
  try {
    const { state } = currentRun(project, undefined);
    return state.is === "active" ? state : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

const nextVerb = (run: ActiveRun): string =>
  next(run).is === "wait" ? "a person answers: isdlc gate" : "isdlc resume";

function featureOf({ root }: Project, cwd: string): SessionFeature | null {
  const trees = [root, ...otherTrees(root)];
  const found = trees.map((tree) => activeFeature(featuresIn(tree))).find((feature) => feature !== null);
  if (found === undefined) return null;
  const { folder, meta, files } = found;
  const main = mainTreeOf(root) ?? root;
  return {
    id: meta.id,
    name: folder.replace(/^[0-9]+-/, ""),
    mode: meta.mode,
    worktree: meta.worktree,
    isElsewhere: meta.worktree !== null && !isInWorktree(main, meta.worktree, cwd),
    files,
    isImplemented: (meta.phases["implement"]?.completed ?? null) !== null,
  };
}

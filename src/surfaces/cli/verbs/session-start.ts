import { readHead } from "../../../adapters/git/read/git-head.ts";
import { findMainTree, isWorktreeName } from "../../../adapters/git/worktree/worktree-location.ts";
import { type Feature, featureAt, isInWorktree } from "../../../adapters/project-files/features.ts";
import type { SeenProject } from "../../../compose/see-project.ts";
import { claimedSession, next } from "../../../core/next.ts";
import { type ActiveRun, currentPhase, type RunState } from "../../../core/run.ts";
import type { SpecMeta } from "../../../core/spec/spec-meta.ts";
import { recoveryBanner } from "../../../views/gate-banner.ts";
import {
  type SessionFeature,
  type SessionRun,
  sessionContext,
  sessionStartOutput,
} from "../../../views/spec/session-context.ts";
import { done, type Result } from "../invocation/verb.ts";
import { featuresIn, lastActiveFeature } from "../terminal/active-feature.ts";

type SessionStart = {
  /** Folder of the session. */
  readonly cwd: string;
  readonly json: boolean;
};

/** Prints the context of a new agent session: the state of the work and the next command. Seldom starts git. */
export async function showSessionStart(
  project: SeenProject,
  state: RunState,
  { cwd, json }: SessionStart,
): Promise<Result> {
  const feature = await findSessionFeature(project, cwd);
  const context = sessionContext({ feature, run: state.is === "active" ? describeRun(project, state) : null });
  return json ? { code: 0, lines: [], json: sessionStartOutput(context) } : done([context]);
}

function describeRun({ driver }: SeenProject, state: ActiveRun): SessionRun {
  const { run, workflow } = state.run;
  const phase = currentPhase(state)?.rule.key ?? null;
  return { id: run, workflow, phase, next: findNextCommand(state, driver.holder()), recovery: recoveryBanner(state) };
}

function findNextCommand(run: ActiveRun, driver: number | null): string {
  if (next(run).is === "wait") return "the person answers (see isdlc gate); notify them, and write nothing";
  if (driver !== null) return "another process works on it: isdlc status";
  const session = claimedSession(run);
  return session === null ? "isdlc begin (the tool begin)" : `isdlc begin, if you are the session ${session.id}`;
}

/** Reports no free text of `.meta.json`, as anyone could have written it: the name comes from the folder. */
async function findSessionFeature(project: SeenProject, cwd: string): Promise<SessionFeature | null> {
  const { root } = project;
  const own = featureOfBranch(root);
  const found = own ?? (await lastActiveFeature(project));
  if (found === null) return null;
  const { folder, meta, files } = found.feature;
  const worktree = findWorktree(meta);
  return {
    id: /^[0-9]*/.exec(folder)?.[0] ?? "",
    name: folder.replace(/^[0-9]+-/, ""),
    mode: meta.mode,
    worktree,
    isElsewhere: worktree !== null && !isInWorktree(findMainTree(found.tree) ?? found.tree, worktree, cwd),
    currentPhase: meta.currentPhase,
    files,
  };
}

const BRANCH = "feature/";

/** Returns the active feature of the branch that is checked out. */
function featureOfBranch(root: string): { readonly tree: string; readonly feature: Feature } | null {
  const branch = readHead(root)?.branch ?? "";
  const feature = branch.startsWith(BRANCH) ? featureAt(featuresIn(root), branch.slice(BRANCH.length)) : null;
  return feature?.meta.status === "active" ? { tree: root, feature } : null;
}

const findWorktree = ({ worktree }: SpecMeta): string | null =>
  worktree?.startsWith("../") === true && isWorktreeName(worktree.slice("../".length)) ? worktree : null;

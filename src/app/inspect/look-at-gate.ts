import { next } from "../../core/next.ts";
import type { ActiveRun, RunState } from "../../core/run.ts";
import { shownChanges, type ShownSince } from "../../engine/shown-changes.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { OpenWait, ShownDiff, StatusView } from "../../schema/api-status.ts";
import type { RunEvent } from "../../schema/event.ts";
import { openGate } from "../../views/page/open-gate.ts";
import { type ReviewedFile, reviewPatch } from "../../views/review-patch.ts";
import { waitObject, type Liveness, statusObject } from "../../views/status.ts";
import { summaryText } from "../../views/summary.ts";
import { shownDigest } from "../answer/answer.ts";
import type { Project } from "../project/project.ts";
import type { ShownChanges } from "../../views/changes-text.ts";
import { reapOrphans } from "../answer/left-in-tree.ts";

export type GateLook = {
  readonly view: OpenWait;
  /** Changes that an answer would accept; null if no wait is open, or the trees are unavailable. */
  readonly changes: ShownChanges | null;
};

/** Changes to return. Default: everything that Continue would accept. */
export type GateQuery = {
  readonly events: readonly RunEvent[];
  readonly isDiffWanted: boolean;
  readonly since?: ShownSince;
};

/** Ports to compare a run's trees. */
export type TreeComparator = {
  readonly workspace: (run: ActiveRun) => Pick<Workspace, "background" | "diff" | "patch" | "texts">;
  readonly vcsWrite: Pick<Project["vcsWrite"], "forkPoint">;
};

/**
 * Returns the open wait with everything shown to the user; patches only on request. Without `project`, the changes are
 * omitted.
 */
export async function lookAtGate(
  project: TreeComparator | null,
  run: ActiveRun,
  { events, isDiffWanted, since = "accepted" }: GateQuery,
): Promise<GateLook> {
  const now = next(run);
  if (now.is !== "wait") return { view: { waiting: null }, changes: null };
  const changes = project === null ? null : await readShownChanges(project, run, { isDiffWanted, since });
  const gate = openGate(run, events);
  const atGate = gate === null ? {} : { shown: shownDigest(run), summary: summaryText(run), gate };
  const diff = isDiffWanted && changes !== null ? diffObject(changes) : {};
  return { view: { waiting: waitObject(run, now.wait), ...atGate, ...diff }, changes };
}

async function readShownChanges(
  { workspace, vcsWrite }: TreeComparator,
  run: ActiveRun,
  { isDiffWanted, since }: Omit<GateQuery, "events">,
): Promise<ShownChanges> {
  const looking = { workspace: workspace(run), vcs: run.run.git === null ? null : vcsWrite, hasMarks: isDiffWanted };
  return (await shownChanges(looking, run, since)) ?? { base: "since the run started", parts: [] };
}

const diffObject = ({ base, parts }: ShownChanges): ShownDiff => ({
  base,
  files: parts.flatMap(({ patch, facts }) => reviewPatch(patch, facts)).map(shownFile),
  patch: parts.map(({ title, patch }) => (title === null || patch === "" ? patch : `${title}:\n${patch}`)).join(""),
});

function shownFile({ file, group, reason }: ReviewedFile): ShownDiff["files"][number] {
  const { path, was, change, kind, added, removed, isBinary } = file;
  return { path, was, change, kind, added, removed, isBinary, group, reason };
}

type RunLook = {
  /** Null if no run was ever started. */
  readonly view: StatusView | null;
  readonly liveness: Liveness;
};

type DriverSources = { readonly driver: Pick<Project["driver"], "holder"> } & Pick<Project, "endAll">;

/** Returns the status of a run, and if it is driven. Ends orphaned agents of a killed driver. */
export async function lookAtRun(project: DriverSources, state: RunState): Promise<RunLook> {
  const isAtWork = state.is === "active" && state.wait === null;
  const liveness = { driven: isAtWork && project.driver.holder() !== null };
  if (state.is === "active" && !liveness.driven) await reapOrphans(project, state);
  return { view: statusObject(state, liveness), liveness };
}

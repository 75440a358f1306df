import { currentRun } from "../../src/app/project/current-run.ts";
import type { LocalProject } from "../../src/compose/project.ts";
import { type ActiveRun, currentPhase } from "../../src/core/run.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { shownChanges } from "../../src/engine/shown-changes.ts";
import { findAuthor, type MarkedTree, findMarks } from "./marking-agent.ts";

/** Moves of a user at a gate. `restart`: lets the next agent fail, and restarts its phase. */
export const MOVES = [
  "continue",
  "redo",
  "skip",
  "edit",
  "restart",
  "update",
  "back keep",
  "back restore",
  "fresh",
] as const;
export type Move = (typeof MOVES)[number] | "back from the end";
/** A run with a wandering user, and what the user has seen of it. */
export type World = MarkedTree & {
  readonly transitions: Set<string>;
  due: string[];
  last: Move | "start";
  committedMarks: number;
  /** Number of user lines removed by an agent before they were accepted. */
  lostEdits: number;
  /** Marks in the diff at the user's last Continue, and in the tree it showed. */
  shown: ReadonlySet<string>;
  inTree: ReadonlySet<string>;
  /** Marks shown at the gate that accepted the current phase; null if the engine accepted it. */
  acceptedWith: ReadonlySet<string> | null;
  /** Committed marks of phases without a gate, until the next gate accepts them. */
  readonly ungated: Set<string>;
  /** Number of checked events, and the phase of the last one. */
  events: number;
  key: string;
};

export const PHASES = [
  "00-quick-scan",
  "02-impact-analysis",
  "03-architecture",
  "06-implementation",
  "16-quality-loop",
];

/**
 * Reads a gate, and expects its diff to contain all lines of the phase in the tree, including those from before a
 * return.
 */
export async function readGate(engine: Engine, run: ActiveRun, world: World): Promise<void> {
  const phase = currentPhase(run);
  const { parts = [] } = (await shownChanges(engine, run)) ?? {};
  world.shown = new Set(findMarks(parts.map(({ patch }) => added(patch)).join("\n")));
  world.inTree = new Set(findMarks(grep(world, phase?.made?.tree ?? "")));
  for (const mark of world.inTree)
    if (findAuthor(mark) === phase?.rule.key && !world.shown.has(mark))
      fail(world, `${mark} is not in the diff of its gate`);
}

/**
 * Expects each accepted line in the diff of the gate that accepted it, and no line committed under an earlier phase.
 */
export async function checkCommits(project: LocalProject, world: World): Promise<void> {
  const { run } = await currentRun(project);
  if (run === null) return;
  const events = project.journal.events(run);
  for (const event of events.slice(world.events)) {
    if (event.type === "attempt.started") world.key = event.phase;
    if (event.type === "phase.accepted") acceptedBy(world, event.by === "engine" ? null : world.shown);
    if (event.type === "phase.committed" && event.commit !== null) checkCommit(world, event.commit);
  }
  world.events = events.length;
}

/** Lines of phases without a gate are accepted at the next gate. */
function acceptedBy(world: World, shown: ReadonlySet<string> | null): void {
  world.acceptedWith = shown;
  if (shown === null) return;
  for (const mark of world.ungated)
    if (world.inTree.has(mark) && !shown.has(mark))
      fail(world, `${mark} of a phase without a gate was accepted unseen`);
  world.ungated.clear();
}

function checkCommit(world: World, commit: string): void {
  const marksIn = (...paths: string[]): string[] =>
    findMarks(added(world.git("show", "--format=", "--no-color", "-p", commit, "--", ...paths)));
  // Lines next to a user edit cannot be separated from it: they are shown and committed with it.
  for (const mark of marksIn(".", ...[...world.edited].map((path) => `:(exclude)${path}`)))
    if (PHASES.indexOf(findAuthor(mark)) > PHASES.indexOf(world.key))
      fail(world, `${mark} is committed under ${world.key}`);
  const marks = marksIn(".");
  for (const mark of marks) {
    if (world.acceptedWith === null) world.ungated.add(mark);
    else if (!world.acceptedWith.has(mark)) fail(world, `${mark} was accepted at ${world.key} unseen`);
  }
  world.committedMarks += marks.length;
}

/** Expects the menu to offer no revert of a file written by another phase. */
export function checkOptions(run: ActiveRun, world: World): void {
  const phase = currentPhase(run);
  if (run.wait?.kind !== "gate" || phase?.rule.writes !== "item") return;
  for (const path of phase.made?.unexpected ?? [])
    if (path.startsWith("src/by-") && !world.edited.has(path)) fail(world, `${phase.rule.key} would revert ${path}`);
}

/** Expects the gate to name each user edit missing from the tree. */
export function checkNotices(run: ActiveRun, world: World): void {
  const { made = null, rule } = currentPhase(run) ?? {};
  if (run.wait?.kind !== "gate" || made === null) return;
  const marks = new Set(findMarks(grep(world, made.tree ?? "")));
  for (const { mark, path } of world.pendingEdits.filter(({ isTold, phase }) => isTold && phase >= (rule?.key ?? ""))) {
    if (marks.has(mark)) continue;
    world.lostEdits++;
    const isNamed = (made.notices ?? []).some((notice) => notice.includes(`Your edit of ${path} is lost`));
    if (!isNamed) fail(world, `${rule?.key} does not show that ${mark} is lost from ${path}`);
  }
}

const added = (patch: string): string =>
  patch
    .split("\n")
    .filter((line) => /^\+(?!\+\+ )/.test(line))
    .join("\n");

function grep({ git }: World, tree: string): string {
  try {
    return git("grep", "-h", "mark-", tree, "--");
  } catch {
    return ""; // git found none
  }
}

function fail(world: World, what: string): void {
  world.violations.push(`${what}, after ${world.did.join(", ")}`);
}

import type { Brief } from "../../schema/event.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { EventOf, Handlers } from "./evolve.ts";
import type { ActiveRun, PhaseRecord } from "../run.ts";
import { keptSizing } from "./after-phase.ts";
import { dropUserEdits, enter, patch } from "./changes.ts";

type BackEventType = "phase.restarted" | "run.wentBack" | "run.rewound";

export const backHandlers: Handlers<BackEventType> = {
  "phase.restarted": (run, event) => {
    const unproven = patch(run, { status: "in_progress", completedAt: null, redoing: false, made: null });
    return enter(unproven, event, {
      is: "entering",
      brief: { why: "retry", text: "A person restarted the phase." },
    });
  },
  "run.wentBack": (run, event) => {
    const index = run.phases.findIndex(({ rule }) => rule.key === event.to);
    const sizing = keptSizing(run, index);
    const refined = run.refined && !run.phases.slice(index).some(({ rule }) => rule.after.includes("refinement"));
    const phases = run.phases.map((phase, at) => (at < index ? phase : forgotten(run, at, { index, sizing, event })));
    const brief = backBrief(event);
    const returned: ActiveRun = { ...run, phases, index, sizing, refined };
    return event.tree === "restore"
      ? enter(dropUserEdits(returned, index), event, { is: "rewinding", to: event.to, brief })
      : enter(returned, event, { is: "entering", brief });
  },
  "run.rewound": (run, event) => {
    const brief = run.stage.is === "rewinding" ? run.stage.brief : { why: "back" as const, text: "" };
    return enter({ ...run, tip: event.commit ?? run.tip }, event, { is: "entering", brief });
  },
};

/** Guidance reaches the agent as in a redo. Without guidance, the brief mentions later work that stays in the tree. */
function backBrief({ guidance, tree }: EventOf<"run.wentBack">): Brief {
  if (guidance !== undefined) return { why: "redo", text: guidance };
  return { why: "back", text: tree === "keep" ? "Later work is still in the working tree." : "" };
}

type Return = {
  /** Index of the target phase. */
  readonly index: number;
  readonly sizing: ActiveRun["sizing"];
  readonly event: EventOf<"run.wentBack">;
};

/**
 * Resets the target phase and all later ones. Results are removed; counts, guidance and cost stay. The target keeps
 * its first tree but gets another first commit: commits made since stay, and the return may make one itself.
 */
function forgotten(run: ActiveRun, at: number, { index, sizing, event }: Return): PhaseRecord {
  const phase = run.phases[at] as PhaseRecord; // `at` is an index of the run's phases
  const { guidance, tree } = event;
  const first = at === index;
  return {
    ...phase,
    status: "pending",
    dropped: sizing === null ? false : phase.dropped,
    redoing: false,
    completedAt: null,
    made: null,
    commit: null,
    guidance: first && guidance !== undefined ? [...phase.guidance, guidance] : phase.guidance,
    leftTree: null,
    seenTree: null,
    acceptedTree: null,
    ...treesAtReturn(phase, first, tree === "keep" ? earlierWork(run, at) : null),
    firstCommit: null,
    firstStanding: null,
    // The current phase committed nothing since an earlier return to it.
    returnTree: tree === "keep" && at === run.index ? phase.returnTree : null,
  };
}

type ReturnTrees = Pick<PhaseRecord, "firstTree" | "bases" | "earlierWork">;

/** `work` is null if the files are restored. */
function treesAtReturn(phase: PhaseRecord, first: boolean, work: PhaseRecord["earlierWork"]): ReturnTrees {
  const { bases, firstTree, earlierWork: earlier } = phase;
  if (!first) return { firstTree: null, bases: null, earlierWork: work };
  if (work !== null) return { firstTree, bases, earlierWork: work };
  return { firstTree: bases?.start ?? firstTree ?? earlier?.start ?? null, bases: null, earlierWork: null };
}

/** Returns the work of a phase that stays in the working tree, if any. */
function earlierWork(run: ActiveRun, at: number): PhaseRecord["earlierWork"] {
  const phase = run.phases[at];
  if (phase === undefined) return null;
  const { firstTree: from, bases, earlierWork: earlier } = phase;
  if (from === null || earlier !== null) return earlier; // not entered since an earlier return
  return { from, to: treeAfter(run, at), start: bases?.start ?? from, returnedAt: null };
}

/** Returns the tree that a phase left; null for the current phase. */
function treeAfter(run: ActiveRun, at: number): TreeId | null {
  const phase = run.phases[at];
  return at === run.index || phase === undefined ? null : (phase.made?.tree ?? phase.leftTree);
}

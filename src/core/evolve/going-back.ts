import type { Brief } from "../../schema/event.ts";
import type { EventOf, Handlers } from "../evolve.ts";
import type { ActiveRun, PhaseRecord } from "../run.ts";
import { keptSizing } from "./after-phase.ts";
import { enter, patch } from "./changes.ts";

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
    const phases = run.phases.map((phase, at) =>
      at < index ? phase : forgotten(phase, { first: at === index, sizing, guidance: event.guidance }),
    );
    const brief = backBrief(event);
    const returned: ActiveRun = { ...run, phases, index, sizing, refined };
    return event.tree === "restore"
      ? enter(returned, event, { is: "rewinding", to: event.to, brief })
      : enter(returned, event, { is: "entering", brief });
  },
  "run.rewound": (run, event) => {
    const brief = run.stage.is === "rewinding" ? run.stage.brief : { why: "back" as const, text: "" };
    return enter({ ...run, tip: event.commit ?? run.tip }, event, { is: "entering", brief });
  },
};

/** Guidance reaches the agent as that of a redo does; without any it is told what became of the later work. */
function backBrief({ guidance, tree }: EventOf<"run.wentBack">): Brief {
  if (guidance !== undefined) return { why: "redo", text: guidance };
  return { why: "back", text: tree === "keep" ? "What came after it is still in the working tree." : "" };
}

type Kept = {
  readonly first: boolean;
  readonly sizing: ActiveRun["sizing"];
  readonly guidance: string | undefined;
};

/**
 * What was proven is gone; counts, guidance and cost are not. The phase gone back to keeps the tree it began with. It
 * begins at another commit: those made since stay, and going back may have made one itself.
 */
function forgotten(phase: PhaseRecord, { first, sizing, guidance }: Kept): PhaseRecord {
  return {
    ...phase,
    status: "pending",
    dropped: sizing === null ? false : phase.dropped,
    redoing: false,
    completedAt: null,
    made: null,
    commit: null,
    guidance: first && guidance !== undefined ? [...phase.guidance, guidance] : phase.guidance,
    seenTree: null,
    firstTree: first ? phase.firstTree : null,
    firstCommit: null,
    firstStanding: null,
    returnTree: null,
  };
}

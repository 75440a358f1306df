import { type ActiveRun, currentPhase, isRedoing } from "../../core/run.ts";

export type SupervisedReview = {
  readonly phase: string;
  readonly status: "gate_presented" | "reviewing" | "redo_pending" | "completed";
  readonly paused_at: string | null;
  readonly resumed_at: string | null;
  readonly redo_count: number;
  readonly redo_guidance_history: readonly string[];
};

/** The review under way; null when there is none. */
export function supervisedReview(run: ActiveRun): SupervisedReview | null {
  const phase = currentPhase(run);
  const moment = momentOf(run);
  if (phase === undefined || moment === null) return null;
  return { phase: phase.rule.key, ...moment, redo_count: phase.redos, redo_guidance_history: phase.guidance };
}

type Moment = Pick<SupervisedReview, "status" | "paused_at" | "resumed_at">;

function momentOf(run: ActiveRun): Moment | null {
  const { stage, wait } = run;
  if (isRedoing(run)) return { status: "redo_pending", paused_at: null, resumed_at: null };
  if (stage.is === "produced" && wait?.kind === "gate") {
    return {
      status: stage.pausedAt === null ? "gate_presented" : "reviewing",
      paused_at: stage.pausedAt,
      resumed_at: null,
    };
  }
  if ((stage.is === "rechecking" || stage.is === "accepting") && stage.pausedAt !== null) {
    return { status: "completed", paused_at: stage.pausedAt, resumed_at: stage.resumedAt };
  }
  return null;
}

import type { EventDraft } from "../../schema/event.ts";
import type { Sizing } from "../../schema/facts.ts";
import type { Execution } from "../command.ts";
import { type ActiveRun, isExecuting, type Stage } from "../run.ts";

export function done({ execution, usage, session }: Execution): EventDraft {
  return { type: "execution.ended", execution, how: "done", reason: null, usage, session };
}

type Failure = { readonly reason: string; readonly detail: string };

export function failed({ execution, usage, session }: Execution, { reason: code, detail }: Failure): EventDraft {
  return { type: "execution.ended", execution, how: "failed", reason: `${code}: ${detail}`, code, usage, session };
}

/** A claimed execution whose step failed around it has ended too. */
export function abandoned({ stage }: ActiveRun, reason: string): EventDraft[] {
  const execution = claimedBy(stage);
  return execution === null
    ? []
    : [{ type: "execution.ended", execution, how: "failed", reason, usage: null, session: null }];
}

export const claimedBy = (stage: Stage): string | null =>
  isExecuting(stage) ? (stage.claim?.execution ?? null) : null;

/** Epic work is done in standard steps for now; that it is epic stays on record. */
export const effectiveOf = ({ recommended }: Sizing): "light" | "standard" =>
  recommended === "light" ? "light" : "standard";

import type { Usage } from "../schema/agent.ts";

/** What a person watching sees of work in progress. */
export type Progress = {
  readonly at: "started" | "says" | "ended";
  readonly step: string;
  readonly attempt: string | null;
  readonly text: string;
  readonly usage: Usage | null;
};

/** Where progress goes: a terminal, a page, nowhere. Nothing depends on it having arrived. */
export interface ProgressSink {
  show(progress: Progress): void;
}

export const noProgress: ProgressSink = { show: () => undefined };

import type { Usage } from "../schema/agent.ts";

/** Progress of a step, displayed to a user. */
export type Progress = {
  readonly at: "started" | "says" | "ended";
  readonly step: string;
  readonly attempt: string | null;
  readonly text: string;
  readonly usage: Usage | null;
};

/** Output for progress: a terminal, the web UI, or none. No decision depends on its delivery. */
export interface ProgressSink {
  show(progress: Progress): void;
}

export const noProgress: ProgressSink = { show: () => undefined };

import type { Usage } from "../schema/agent.ts";
import type { WaitNotice } from "../schema/api-notifications.ts";

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

/** Notifies users elsewhere that a run waits. Errors are returned as a warning and do not delay the run. */
export interface Notifier {
  tell(notice: WaitNotice): Promise<string | null>;
}

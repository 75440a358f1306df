import type { WaitNotice } from "../schema/wait-notice.ts";

/** Notifies users elsewhere that a run waits. Errors are returned as a warning and do not delay the run. */
export interface Notifier {
  tell(notice: WaitNotice): Promise<string | null>;
}

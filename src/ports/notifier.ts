import type { WaitNotice } from "../schema/wait-notice.ts";

/** Tells people elsewhere that a run waits. What goes wrong comes back as a warning; the run is not held up by it. */
export interface Notifier {
  tell(notice: WaitNotice): Promise<string | null>;
}

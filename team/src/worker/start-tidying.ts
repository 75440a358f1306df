import { EndedAnswer, MAX_ASKED } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Worker } from "./drive-run.ts";

const EVERY = 60 * 60_000; // milliseconds

/** Tidies the mirrors of this worker at the start and every hour, each while no drive uses it. */
export function startTidying({ ask, mirrors, log }: Pick<Worker, "ask" | "mirrors" | "log">): void {
  const endedAmong = async (runs: readonly RunId[]): Promise<readonly RunId[]> => {
    const ended: RunId[] = [];
    for (let at = 0; at < runs.length; at += MAX_ASKED) {
      const body = { runs: runs.slice(at, at + MAX_ASKED) };
      ended.push(...(await ask({ method: "POST", path: "/api/worker/ended", body, answer: EndedAnswer })).ended);
    }
    return ended;
  };
  const tidy = async (): Promise<void> => {
    for (const folder of mirrors.folders())
      await mirrors
        .tidy(folder, endedAmong)
        .catch((error: unknown) => log.warn({ folder, error }, "a mirror could not be tidied"));
  };
  void tidy();
  setInterval(() => void tidy(), EVERY).unref();
}

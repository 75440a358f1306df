import { version } from "../../../src/compose/version.ts";
import { BeatAnswer } from "../../../src/schema/api-team.ts";
import { GENERATION } from "../server/drive-queue.ts";
import type { Worker } from "./drive-run.ts";

/**
 * Tells the server that this worker lives, and its drives whether they still hold their runs. The answer counts for the
 * drives that were at hand when it was asked for: one that took the same run since has a lease that it knows nothing of.
 * Agents go on while the server is away: without it nobody else can take their run either.
 */
export async function beat(
  { ask, driving, log }: Pick<Worker, "ask" | "driving" | "log">,
  instance: string,
): Promise<void> {
  const asked = [...driving];
  try {
    const body = { instance, runs: asked.map(([run]) => run), generation: GENERATION, version };
    const { held } = await ask({ method: "POST", path: "/api/worker/beat", body, answer: BeatAnswer });
    for (const [run, { epoch, journal }] of asked) {
      const mine = held.find((one) => one.run === run && one.epoch === epoch);
      journal.hear(mine?.seq ?? null);
    }
  } catch (error) {
    log.warn({ error }, "no heartbeat");
  }
}

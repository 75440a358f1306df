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
  { ask, driving, health, log }: Pick<Worker, "ask" | "driving" | "log" | "health">,
  instance: string,
): Promise<void> {
  const asked = [...driving];
  try {
    const process = {
      instance,
      replaces: null,
      generation: GENERATION,
      version,
      fault: health.fault()?.slice(0, 500) ?? null,
    };
    const body = { ...process, runs: asked.map(([run]) => run) };
    const { held } = await ask({ method: "POST", path: "/api/worker/beat", body, answer: BeatAnswer });
    for (const [run, { epoch, journal }] of asked) {
      const mine = held.find((one) => one.run === run && one.epoch === epoch);
      journal.hear(mine?.seq ?? null);
    }
  } catch (error) {
    log.warn({ error }, "no heartbeat");
  }
}

/** How long a worker that starts waits for its server. */
const SERVER_TIMEOUT_MS = 60_000;

/**
 * Sends the first heartbeat. The runs of the process that used the data folder before are free from here on.
 * @throws ProblemError if the server refuses it: too many processes use the token
 */
export async function announce({ ask }: Pick<Worker, "ask">, instance: string, replaces: string | null): Promise<void> {
  const body = { instance, replaces, runs: [], generation: GENERATION, version };
  await ask({ method: "POST", path: "/api/worker/beat", body, answer: BeatAnswer, patience: SERVER_TIMEOUT_MS });
}

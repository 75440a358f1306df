import { version } from "../../../src/compose/version.ts";
import { BeatAnswer } from "../../../src/schema/api-team.ts";
import { GENERATION } from "../server/drive-queue.ts";
import type { Worker } from "./drive-run.ts";

/**
 * Sends a heartbeat, and updates each drive if it still holds its run. The answer covers only the drives in the
 * request: a newer drive of the same run has a lease unknown to it. Agents continue while the server is unavailable,
 * because no other worker can take their run without it.
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
    const waiting = asked.flatMap(([run, { epoch, hostError: error }]) =>
      error === null ? [] : [{ run, epoch, error: error.slice(0, 500) }],
    );
    const body = { ...process, runs: asked.map(([run]) => run), ...(waiting.length > 0 && { waiting }) };
    const { held } = await ask({ method: "POST", path: "/api/worker/beat", body, answer: BeatAnswer });
    for (const [run, { epoch, journal }] of asked) {
      const mine = held.find((one) => one.run === run && one.epoch === epoch);
      journal.hear(mine?.seq ?? null);
    }
  } catch (error) {
    log.warn({ error }, "no heartbeat");
  }
}

/** Time that a starting worker waits for its server. */
const HEARTBEAT_TIMEOUT_MS = 60_000;

/**
 * Sends the first heartbeat, which frees the runs of the previous process in the data folder. @throws ProblemError if
 * the server refuses it: too many processes use the token
 */
export async function announce({ ask }: Pick<Worker, "ask">, instance: string, replaces: string | null): Promise<void> {
  const body = { instance, replaces, runs: [], generation: GENERATION, version };
  await ask({ method: "POST", path: "/api/worker/beat", body, answer: BeatAnswer, patience: HEARTBEAT_TIMEOUT_MS });
}

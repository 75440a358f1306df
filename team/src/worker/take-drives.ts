import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerClient } from "../../../src/adapters/remote/server-client.ts";
import { ClaimAnswer, type Lease } from "../../../src/schema/api-team.ts";
import { GENERATION } from "../server/drive-queue.ts";
import type { WorkerHealth } from "./worker-health.ts";
import type { Log } from "../structured-log.ts";

export type TakingOptions = {
  readonly ask: ServerClient;
  /** Random id of this process. */
  readonly instance: string;
  readonly labels: readonly string[];
  /** Drives a run until it waits or ends. Does not throw. */
  readonly drive: (lease: Lease) => Promise<void>;
  readonly health: Pick<WorkerHealth, "fault" | "recheck">;
  readonly log: Log;
};

export type TakingDrives = {
  /** Takes no more runs, and waits for the current drives at most this long. */
  stop(milliseconds: number): Promise<void>;
};

const RETRY_PAUSE_MS = 500;

/** Claims runs from the server and drives as many concurrently as the server allows. */
export function takeDrives({ ask, instance, labels, drive, health, log }: TakingOptions): TakingDrives {
  const stopping = new AbortController();
  const { signal } = stopping;
  const driving = new Set<Promise<void>>();
  let drives = 1;
  let claim = randomUUID();
  const pause = (milliseconds: number): Promise<unknown> =>
    delay(milliseconds, null, { signal }).catch(() => undefined);
  const take = async (): Promise<void> => {
    const body = { instance, claim, labels, generation: GENERATION };
    // The same claim is repeated until it is answered: the reply that granted a lease may have got lost.
    const answer = await ask({ method: "POST", path: "/api/worker/claim", body, answer: ClaimAnswer });
    ({ drives } = answer);
    if (answer.lease === null) return void (await pause(answer.pollAfter));
    claim = randomUUID();
    const driven = drive(answer.lease).finally(() => driving.delete(driven));
    driving.add(driven);
  };
  const taking = (async () => {
    while (!signal.aborted) {
      await health.recheck();
      if (driving.size >= drives || health.fault() !== null) {
        await Promise.race([...driving, pause(RETRY_PAUSE_MS)]);
        continue;
      }
      try {
        await take();
      } catch (error) {
        log.warn({ error }, "no work from the server");
        await pause(RETRY_PAUSE_MS);
      }
    }
  })();
  return {
    async stop(milliseconds) {
      stopping.abort();
      await taking;
      await Promise.race([Promise.all(driving), delay(milliseconds, null, { ref: false })]);
    },
  };
}

import type { ClientBase } from "pg";
import type { RunId } from "../../../src/schema/ids.ts";

/** Increase if older workers cannot read data written by the server. */
export const GENERATION = 3;

/** Longest pause before a run is driven again. */
export const MAX_PAUSE_SECONDS = 300;

const POLL_INTERVAL_PER_WORKER_MS = 10;
const MIN_POLL_INTERVAL_MS = 100;
const MIN_IDLE_POLL_INTERVAL_MS = 250;
const MAX_POLL_INTERVAL_MS = 1000;

export const isLabel = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,30}$/.test(text);

/** `isBusy`: a run is driven or due. */
export type TeamLoad = { readonly workers: number; readonly isBusy: boolean };

/** Returns the poll interval of each worker in milliseconds. It grows with the number of workers. */
export const pollInterval = ({ workers, isBusy }: TeamLoad): number =>
  Math.min(
    Math.max(isBusy ? MIN_POLL_INTERVAL_MS : MIN_IDLE_POLL_INTERVAL_MS, workers * POLL_INTERVAL_PER_WORKER_MS),
    MAX_POLL_INTERVAL_MS,
  );

/** Queues a run, in the transaction of the decision that requires a drive. */
export async function queueRun(client: Pick<ClientBase, "query">, run: RunId): Promise<void> {
  await client.query("update isdlc.run set asked_at = now(), due_at = now(), asked_generation = $2 where run = $1", [
    run,
    GENERATION,
  ]);
}

import { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { ClientBase, Pool } from "pg";

export const WORKFLOW = "drive";
export const APPLICATION = "isdlc";
/** Goes up when a worker of before could not read what a server writes now. */
export const GENERATION = 2;

/** All workers together look into a queue at most once in so many milliseconds. */
const APART = 10;
const SOONEST = 100; // milliseconds
const SOONEST_WHEN_IDLE = 250; // milliseconds
const LATEST = 1000; // milliseconds
/** Every repository's first run comes before anybody's second; beyond so many it makes no difference any more. */
const LOWEST_PRIORITY = 1000;

/**
 * One flat queue for all runs, and one more for each label: what keeps two workers off one run is lease and epoch, not
 * the queue. A worker takes what has no label, or what has one of its own.
 */
export const queueFor = (label: string | null): string => (label === null ? "isdlc-drives" : `isdlc-drives.${label}`);

export const isLabel = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,30}$/.test(text);

/** `isBusy`: some run is being driven, or due. */
export type TeamLoad = { readonly workers: number; readonly isBusy: boolean };

/** How often each worker looks for work, in milliseconds: the more there are, the sooner one of them looks. */
export const pollsEvery = ({ workers, isBusy }: TeamLoad): number =>
  Math.min(Math.max(isBusy ? SOONEST : SOONEST_WHEN_IDLE, workers * APART), LATEST);

export type DriveQueue = {
  /** Asks for one drive of a run, in the transaction of what made it necessary. The id names that moment: asked twice, it is asked once. */
  ask(client: ClientBase, run: string, asked: Asked): Promise<void>;
  /** Takes a drive back that nobody may carry out any more. */
  cancel(workflow: string): Promise<void>;
  /** True while a drive waits for a worker to take it. */
  isWaiting(workflow: string): Promise<boolean>;
  /** Tells the workers how often to look. */
  pace(load: TeamLoad): Promise<void>;
  /** Forgets drives that ended before that time. Gives how many. */
  forget(endedBefore: Date): Promise<number>;
  close(): Promise<void>;
};

export type Asked = { readonly id: string; readonly delaySeconds?: number };

type AskedRow = { readonly label: string | null; readonly ahead: number };

/** Fairness between repositories: a drive comes after as many as its repository has under way. */
const NOTE_ASKED = `update isdlc.run r set workflow = $2, asked_at = now(), asked_generation = $3 where run = $1
  returning (select label from isdlc.repository where name = r.repository) as label,
    (select count(*)::int from isdlc.run o
     where o.rests = 'action' and o.repository = r.repository and o.run <> r.run) as ahead`;

/** The server's end of the queue: it asks, and never carries out. */
export async function openDriveQueue(pool: Pool, url: string, drivesPerWorker: number): Promise<DriveQueue> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: APPLICATION,
    logger: QUIET,
  });
  const { register, pace } = queueRegister(client, drivesPerWorker);
  await register(null);
  return {
    async ask(transaction, run, { id, delaySeconds }) {
      const { rows } = await transaction.query<AskedRow>(NOTE_ASKED, [run, id, GENERATION]);
      const { label, ahead } = rows[0] ?? { label: null, ahead: 0 };
      await register(label);
      const delay = delaySeconds === undefined || delaySeconds === 0 ? {} : { delaySeconds };
      const drive = {
        queueName: queueFor(label),
        workflowName: WORKFLOW,
        workflowID: id,
        appVersion: String(GENERATION),
        priority: Math.min(1 + ahead, LOWEST_PRIORITY),
      };
      await client.enqueueInTransaction<(run: string) => Promise<string>>(transaction, { ...drive, ...delay }, run);
    },
    cancel: (workflow) => client.cancelWorkflows([workflow]),
    async isWaiting(workflow) {
      const status = (await client.getWorkflow(workflow))?.status;
      return status === "ENQUEUED" || status === "DELAYED";
    },
    pace,
    forget: (endedBefore) => forgetEnded(client, endedBefore),
    close: () => client.destroy(),
  };
}

const nothing = (): void => undefined;
/** What goes wrong is thrown; the rest would be in the way of our own output. */
const QUIET = { info: nothing, debug: nothing, warn: nothing, error: nothing };

type Register = Pick<DriveQueue, "pace"> & { readonly register: (label: string | null) => Promise<void> };

/** Makes the queue of a label known where it is not yet, and says how often all of them are looked into. */
function queueRegister(client: DBOSClient, workerConcurrency: number): Register {
  const known = new Set<string>();
  let every = SOONEST_WHEN_IDLE;
  const write = async (name: string, minPollingIntervalMs: number): Promise<void> => {
    await client.registerQueue(name, { workerConcurrency, minPollingIntervalMs });
  };
  return {
    async register(label) {
      const name = queueFor(label);
      if (known.has(name)) return;
      await write(name, every);
      known.add(name);
    },
    async pace(load) {
      const wanted = pollsEvery(load);
      if (wanted === every) return;
      for (const name of known) await write(name, wanted);
      every = wanted;
    },
  };
}

const FORGETS_AT_ONCE = 500;

async function forgetEnded(client: DBOSClient, endedBefore: Date): Promise<number> {
  for (let forgotten = 0; ;) {
    const ended = await client.listWorkflows({
      status: ["SUCCESS", "ERROR", "CANCELLED"],
      completedBefore: endedBefore.toISOString(),
      limit: FORGETS_AT_ONCE,
      loadInput: false,
      loadOutput: false,
    });
    if (ended.length === 0) return forgotten;
    await client.deleteWorkflows(ended.map(({ workflowID }) => workflowID));
    forgotten += ended.length;
  }
}

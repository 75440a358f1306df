import { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { ClientBase, Pool } from "pg";

/** One flat queue: what keeps two workers off one run is lease and epoch, not the queue. */
export const QUEUE = "isdlc-drives";
export const WORKFLOW = "drive";
export const APPLICATION = "isdlc";
/** Goes up when a worker of before could not read what a server writes now. */
export const APPLICATION_VERSION = "1";

const POLLS_EVERY = 250; // milliseconds

export type DriveQueue = {
  /** Asks for one drive of a run, in the transaction of what made it necessary. The id names that moment: asked twice, it is asked once. */
  ask(client: ClientBase, run: string, asked: Asked): Promise<void>;
  /** Takes a drive back that nobody may carry out any more. */
  cancel(workflow: string): Promise<void>;
  /** True while a drive waits for a worker to take it. */
  isWaiting(workflow: string): Promise<boolean>;
  close(): Promise<void>;
};

export type Asked = { readonly id: string; readonly delaySeconds?: number };

/** The server's end of the queue: it asks, and never carries out. */
export async function openDriveQueue(pool: Pool, url: string, drivesPerWorker: number): Promise<DriveQueue> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: APPLICATION,
  });
  await client.registerQueue(QUEUE, { workerConcurrency: drivesPerWorker, minPollingIntervalMs: POLLS_EVERY });
  return {
    async ask(transaction, run, { id, delaySeconds }) {
      const delay = delaySeconds === undefined || delaySeconds === 0 ? {} : { delaySeconds };
      const drive = { queueName: QUEUE, workflowName: WORKFLOW, workflowID: id, appVersion: APPLICATION_VERSION };
      await client.enqueueInTransaction<(run: string) => Promise<string>>(transaction, { ...drive, ...delay }, run);
      await transaction.query("update isdlc.run set workflow = $2, asked_at = now() where run = $1", [run, id]);
    },
    cancel: (workflow) => client.cancelWorkflows([workflow]),
    async isWaiting(workflow) {
      const status = (await client.getWorkflow(workflow))?.status;
      return status === "ENQUEUED" || status === "DELAYED";
    },
    close: () => client.destroy(),
  };
}

import { DBOS } from "@dbos-inc/dbos-sdk";
import { openPool } from "../journal-postgres/open-pool.ts";
import { APPLICATION, GENERATION, queueFor, WORKFLOW } from "../server/drive-queue.ts";

export type Taking = {
  readonly database: string;
  /** Different for every process: DBOS takes up again what it thinks one of the same name had left. */
  readonly executor: string;
  readonly labels: readonly string[];
  /** Carries a drive out, and says how it ended. */
  readonly drive: (run: string, workflow: string) => Promise<string>;
};

export type TakingDrives = {
  /** Takes no more, and waits so long for those at hand. */
  stop(milliseconds: number): Promise<void>;
};

const QUEUE_CONNECTIONS = 3;
/** After which the database gives up a transaction of a machine that sleeps, and with it what it had locked. */
const IDLE_MILLISECONDS = 60_000;

/** Takes drives from the queue. Each is one step: one that is cut off is not repeated by DBOS, but asked for again by the server. */
export async function takeDrives({ database, executor, labels, drive }: Taking): Promise<TakingDrives> {
  const driveOnce = (run: string): Promise<string> => {
    const workflow = DBOS.workflowID ?? "";
    return DBOS.runStep(() => drive(run, workflow), { name: WORKFLOW });
  };
  const pool = openPool(database, QUEUE_CONNECTIONS, { idle_in_transaction_session_timeout: IDLE_MILLISECONDS });
  DBOS.registerWorkflow(driveOnce, { name: WORKFLOW });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: database,
    systemDatabasePool: pool,
    useListenNotify: false,
    runAdminServer: false,
    runMigrations: false,
    executorID: executor,
    applicationVersion: String(GENERATION),
    listenQueues: [null, ...labels].map(queueFor),
    logLevel: "error",
  });
  await DBOS.launch();
  const stop = async (milliseconds: number): Promise<void> => {
    await DBOS.shutdown({ workflowCompletionTimeoutMS: milliseconds });
    await pool.end();
  };
  return { stop };
}

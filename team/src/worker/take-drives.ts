import { setTimeout as delay } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { ProblemError } from "../../../src/core/problem.ts";
import { openPool } from "../journal-postgres/open-pool.ts";
import { APPLICATION, GENERATION, queueFor, WORKFLOW } from "../server/drive-queue.ts";

export type Taking = {
  readonly database: string;
  /** Different for every process: DBOS takes up again what it thinks one of the same name had left. */
  readonly executor: string;
  readonly labels: readonly string[];
  /** Carries a drive out, and says how it ended. */
  readonly drive: (run: string, workflow: string) => Promise<string>;
  /** Told why the queue cannot be reached. True: it is tried again. */
  readonly isWaitedFor: (error: unknown) => boolean;
};

export type TakingDrives = {
  /** Takes no more, and waits so long for those at hand. */
  stop(milliseconds: number): Promise<void>;
};

const QUEUE_CONNECTIONS = 3;
/** After which the database gives up a transaction of a machine that sleeps, and with it what it had locked. */
const IDLE_MILLISECONDS = 60_000;
const PAUSE = 500; // milliseconds

/**
 * Takes drives from the queue. Each is one step: one that is cut off is not repeated by DBOS, but asked for again by the
 * server.
 * @throws ProblemError DATABASE_UNAVAILABLE
 */
export async function takeDrives(taking: Taking): Promise<TakingDrives> {
  const { database, executor, labels, drive } = taking;
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
  try {
    await launch(taking);
  } catch (error) {
    await pool.end();
    throw unavailable(error);
  }
  const stop = async (milliseconds: number): Promise<void> => {
    await DBOS.shutdown({ workflowCompletionTimeoutMS: milliseconds });
    await pool.end();
  };
  return { stop };
}

async function launch({ isWaitedFor }: Taking): Promise<void> {
  for (;;) {
    try {
      return await DBOS.launch();
    } catch (error) {
      await DBOS.shutdown(); // its timers would keep a worker alive that takes nothing
      if (!isWaitedFor(error)) throw error;
      await delay(PAUSE);
    }
  }
}

const unavailable = (error: unknown): ProblemError =>
  new ProblemError({
    code: "DATABASE_UNAVAILABLE",
    detail: error instanceof Error ? error.message : String(error),
    fix: "Give the worker the address of the server's database with ISDLC_DATABASE_URL",
  });

import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { systemClock } from "../../../src/compose/project-location.ts";
import { version } from "../../../src/compose/version.ts";
import { decide } from "../../../src/core/decide.ts";
import { createPostgresJournal } from "../journal-postgres/create-postgres-journal.ts";
import { migrateDatabase } from "../journal-postgres/migrate-database.ts";
import { openPool } from "../journal-postgres/open-pool.ts";
import { createTeamSeal } from "../seal/team-seal.ts";
import { createTeamApp } from "./create-team-app.ts";
import { openDriveQueue } from "./drive-queue.ts";
import { loadServerKey } from "./server-key.ts";
import { startWatchdog } from "./watchdog.ts";

export type ServerOptions = {
  readonly database: string;
  readonly host: string;
  readonly port: number;
  readonly keyFile: string;
  /** Milliseconds that a worker may be silent. */
  readonly lease: number;
  readonly drivesPerWorker: number;
  readonly log: (line: string) => void;
};

export type RunningServer = { readonly port: number; close(): Promise<void> };

const CONNECTIONS = 10;
const REQUEST_WITHIN = 60_000; // milliseconds

/** Decides, signs, keeps leases and watches over workers; it drives nothing. Any number may run on one database. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { database, host, port, lease, log } = options;
  const pool = openPool(database, CONNECTIONS);
  await migrateDatabase(pool);
  await DBOS.migrate(database);
  const { privateKey, publicPem } = loadServerKey(options.keyFile);
  const queue = await openDriveQueue(pool, database, options.drivesPerWorker);
  const journal = createPostgresJournal({
    pool,
    seal: createTeamSeal(privateKey),
    clock: systemClock,
    decide,
    place: "server",
    sender: "server",
  });
  const keeper = { pool, queue, journal };
  const app = createTeamApp({ ...keeper, version, keys: [publicPem], log });
  const answer = getRequestListener(app.fetch);
  const http = createServer({ requestTimeout: REQUEST_WITHIN }, (request, response) => void answer(request, response));
  const watchdog = startWatchdog(keeper, { lease, log });
  const taken = await listening(http, host, port);
  return {
    port: taken,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await watchdog.stop();
      await queue.close();
      await pool.end();
    },
  };
}

function listening(http: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { emptyCursor } from "../src/adapters/journal/fold.ts";
import { createReaderSeal, parsePublicKeys } from "../src/adapters/remote/reader-seal.ts";
import { createServerClient, type ServerClient, readLines } from "../src/adapters/remote/server-client.ts";
import { shownDigest } from "../src/app/answer/answer.ts";
import type { RunState } from "../src/core/run.ts";
import { JournalLines, TeamStarted, TeamView } from "../src/schema/api-team.ts";
import { startOwnDatabase } from "../team/src/database/own-database.ts";
import { openPool, type Pool } from "../team/src/journal-postgres/open-pool.ts";
import { createToken, SIGN_IN } from "../team/src/people/principals.ts";
import { newResolver } from "../team/src/notifications/hook-address.ts";
import { startServer } from "../team/src/server/start-server.ts";
import type { Settings } from "./benches.ts";
import { toEnd } from "./ending.ts";
import type { Seal } from "../src/ports/journal.ts";

/** A server with its own PostgreSQL database, a user, and tokens for workers. */
export type TeamPlace = {
  readonly database: string;
  readonly url: string;
  readonly pool: Pool;
  readonly seal: Seal;
  /** The server's public keys, in PEM format. */
  readonly keys: readonly string[];
  readonly person: ServerClient;
  readonly keyFile: string;
  worker(name: string): Promise<{ readonly token: string; readonly ask: ServerClient }>;
  begin(repository: string): Promise<string>;
  /** Reads the state of the run from its journal lines. */
  look(run: string): Promise<RunState>;
  /** Answers the open wait to continue the run. Calls `sending` directly before the answer is sent. */
  answer(run: string, sending: () => void): Promise<void>;
  close(): Promise<void>;
};

const DRIVES = 16;
/** Application name that separates the bench's own connections from the measured ones. */
export const MEASURING = "bench";

export async function openTeamPlace({ root, scratch }: Settings): Promise<TeamPlace> {
  chmodSync(scratch, 0o711); // PostgreSQL runs as another user if this process is root
  const folder = mkdtempSync(join(tmpdir(), "isdlc-bench-postgres-"));
  const remove = toEnd(() => rmSync(folder, { recursive: true, force: true }));
  const starting = startOwnDatabase({ folder, root, path: process.env["PATH"] ?? "" });
  const stop = toEnd(async () => (await starting).stop("immediate"));
  const own = await starting;
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const keyFile = join(scratch, "server-key.pem");
  const server = await startServer({
    database: own.url,
    host: "127.0.0.1",
    port: 0,
    sharedAddresses: [],
    metricsPort: null,
    keyFile,
    lease: 15_000,
    drivesPerWorker: DRIVES,
    instances: 10,
    keepDays: 30,
    origin: null,
    provider: null,
    maxCopyBytes: 1e9,
    copies: join(scratch, "copies"),
    notifications: { hooks: { allowed: [], resolver: newResolver() }, mailer: null },
    env: {},
    log,
  });
  const pool = openPool(`${own.url}?application_name=${MEASURING}`, 4);
  const disconnect = toEnd(async () => {
    await pool.end();
    await server.close();
  });
  const url = `http://127.0.0.1:${server.port}`;
  const tokenOf = (id: string, kind: "person" | "worker"): Promise<string> =>
    createToken(pool, { id, kind }, { name: SIGN_IN, days: null });
  const person = createServerClient({ url, token: await tokenOf("ada", "person") });
  const { keys } = await person({ method: "GET", path: "/api/team", answer: TeamView });
  const seal = createReaderSeal(parsePublicKeys(keys));
  const look = async (run: string): Promise<RunState> => {
    const { lines } = await person({ method: "GET", path: `/api/runs/${run}/lines`, answer: JournalLines });
    return readLines(emptyCursor(run), lines, seal).cursor.state;
  };
  let begun = 0;
  return {
    database: own.url,
    url,
    pool,
    seal,
    keys,
    person,
    keyFile,
    look,
    async worker(name) {
      const token = await tokenOf(name, "worker");
      return { token, ask: createServerClient({ url, token }) };
    },
    async begin(repository) {
      const choices = [{ flag: "--tests", option: "without" }];
      const start = {
        what: "run",
        workflow: "change",
        title: `Show the hours ${++begun}`,
        isSupervised: true,
        choices,
      };
      const body = { repository, start };
      return (await person({ method: "POST", path: "/api/runs", body, answer: TeamStarted })).run;
    },
    async answer(run, sending) {
      const state = await look(run);
      if (state.is !== "active" || state.wait === null) return;
      const { id, kind } = state.wait;
      const option = kind === "finish" ? "keep" : "continue";
      const body = { wait: id, shown: shownDigest(state), option };
      if (kind !== "gate" && kind !== "finish") throw new Error(`a run stands still: ${JSON.stringify(state.wait)}`);
      sending();
      await person({ method: "POST", path: `/api/runs/${run}/answer`, body, answer: z.looseObject({}) });
    },
    async close() {
      await disconnect();
      await stop();
      await remove();
    },
  };
}

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type OwnDatabase, startOwnDatabase } from "../../../../team/src/database/own-database.ts";
import { openPool } from "../../../../team/src/journal-postgres/open-pool.ts";
import { createTeam, type Team } from "./team.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

/** A team on a separate PostgreSQL that can be stopped. */
export type OwnTeam = {
  readonly team: Team;
  /** Ends the database like a power cut. */
  readonly stopDatabase: () => Promise<void>;
  readonly startDatabase: () => Promise<void>;
};

const ending: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const end of ending) await end();
});

export async function createOwnTeam(): Promise<OwnTeam> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-own-database-"));
  const start = (): Promise<OwnDatabase> =>
    startOwnDatabase({ folder, root: import.meta.dirname, path: process.env["PATH"] ?? "" });
  let database = await start();
  const pool = openPool(database.url, 4);
  ending.push(async () => {
    await pool.end();
    await database.stop("immediate");
    removeTemporary(folder);
  });
  return {
    team: await createTeam({ database: { url: database.url, pool } }),
    stopDatabase: () => database.stop("immediate"),
    startDatabase: async () => void (database = await start()),
  };
}

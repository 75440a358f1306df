import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { openPool } from "../../../team/src/journal-postgres/open-pool.ts";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { begin, installTeamPackage, said, type StartedProgram } from "./support/team.ts";

const SERVERS = 3;
const ROUNDS = 2;

describe.runIf(hasPostgres)("servers that start simultaneously on a new database", () => {
  test("create the tables once and all listen", async () => {
    installTeamPackage(await builtProgram());
    const sandbox = await createSandbox();
    const key = join(sandbox.base, "server-key.pem");
    for (let round = 0; round < ROUNDS; round++) {
      const env = { ISDLC_DATABASE_URL: await createEmptyDatabase() };
      const start = (): StartedProgram => begin(sandbox, ["server", "--port", "0", "--key", key], env);
      const servers = Array.from({ length: SERVERS }, start);
      for (const server of servers) await said(server, /Listening at/);
      for (const { child, ended } of servers) {
        child.kill("SIGTERM");
        expect((await ended).code).toBe(143);
      }
    }
  });
});

async function createEmptyDatabase(): Promise<string> {
  const name = `isdlc_${randomBytes(6).toString("hex")}`;
  const admin = openPool(`${inject("postgres")}/postgres`, 1);
  await admin.query(`create database ${name}`);
  await admin.end();
  return `${inject("postgres")}/${name}`;
}

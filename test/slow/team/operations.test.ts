import { createPrivateKey } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { decide } from "../../../src/core/decide/decide.ts";
import { createPostgresJournal } from "../../../team/src/journal-postgres/create-postgres-journal.ts";
import type { Pool } from "../../../team/src/journal-postgres/open-pool.ts";
import { createTeamSeal } from "../../../team/src/seal/team-seal.ts";
import { parsed } from "../../support/cli.ts";
import { begin as beginning, mark } from "../../journal-file/sample-commands.ts";
import { hasPostgres, freshDatabase } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { beginRun } from "./support/team-runs.ts";

const RUNS = 12;
const DECISIONS = 4;

const runNumber = (number: number): string => `20261116-${String(100_000_000 + number)}-abcd`;

/** Records runs like the server, with its key. */
async function recordRuns({ ada, database }: Team): Promise<void> {
  const seal = createTeamSeal(createPrivateKey(readFileSync(join(ada.state, "server-key.pem"))));
  const clock = { now: () => new Date().toISOString() };
  for (let number = 0; number < RUNS; number++) {
    const run = runNumber(number);
    const journal = createPostgresJournal({ pool: database.pool, seal, clock, decide, place: run, sender: "ada" });
    await journal.create(run, beginning(run));
    for (let decision = 1; decision < DECISIONS; decision++) await journal.submit(run, mark(`d${decision}`));
  }
}

const linesIn = async (pool: Pool): Promise<unknown> =>
  (await pool.query("select run, seq, hash, line, request from isdlc.decision order by run, seq")).rows;

describe.runIf(hasPostgres)("operation of a team's server", () => {
  let team: Team;
  let file: string;
  let asked: string;
  beforeAll(async () => {
    team = await createTeam();
    await recordRuns(team);
    asked = await beginRun(team);
    file = join(team.ada.base, "backup.gz");
    expect(await team.administer("backup", file)).toMatchObject({
      rows: { run: RUNS + 1, decision: RUNS * DECISIONS },
    });
  });
  const on = async (database: string, ...args: string[]) =>
    team.ada.start(["server", ...args, "--json"], { ISDLC_DATABASE_URL: database }).ended;

  test("restores every journal line from a backup and requests open runs again", async () => {
    const { url, pool } = await freshDatabase();
    const restored = parsed(await on(url, "restore", file));
    expect(restored).toMatchObject({ ok: true, rows: { run: RUNS + 1, decision: RUNS * DECISIONS } });
    expect(restored.asked).toContain(asked);
    expect(await linesIn(pool)).toEqual(await linesIn(team.database.pool));
    const doctor = parsed(await on(url, "doctor"));
    expect(doctor.findings).toContainEqual({
      what: "journals",
      isFine: true,
      detail: `${RUNS + 1} runs with ${RUNS * DECISIONS} decisions hold`,
    });
    const { rows } = await pool.query("select epoch, worker, due_at <= now() as due from isdlc.run where run = $1", [
      asked,
    ]);
    expect(rows[0].epoch).toBeGreaterThan(1000); // fences every earlier holder
    expect(rows[0]).toMatchObject({ worker: null, due: true });
    const { rows: next } = await pool.query(
      "insert into isdlc.run (run, place, title, begun_by, head_hash, rests) values ('x', 'x', '', '', '', 'ended') returning number::int",
    );
    expect(next[0].number).toBe(RUNS + 2);
    expect(readFileSync(file).toString("latin1")).not.toContain("PRIVATE KEY");
  });

  test.for<[string, (whole: string) => string, string]>([
    ["truncated", (whole) => whole.split("\n").slice(0, -2).join("\n"), "not whole"],
    ["changed", (whole) => whole.replace('"d1"', '"d9"').replaceAll("ada", "eve"), "not whole"],
    ["from a later version", (whole) => whole.replace(/"migrations":\d+/, '"migrations":999'), "made by"],
    ["a different kind of file", () => '{"some":"file"}\n', "not a backup"],
  ])("rejects a backup that is %s and imports nothing", async ([name, change, why]) => {
    const bad = join(team.ada.base, `${name.replaceAll(" ", "-")}.gz`);
    writeFileSync(bad, gzipSync(change(gunzipSync(readFileSync(file)).toString("utf8"))));
    const { url, pool } = await freshDatabase();
    const refused = await on(url, "restore", bad);
    expect(refused.code).toBe(1);
    expect(parsed(refused).problem).toMatchObject({ code: "BACKUP_UNUSABLE", what: expect.stringContaining(why) });
    expect((await pool.query("select count(*)::int as n from isdlc.run")).rows).toEqual([{ n: 0 }]);
  });

  test("refuses to restore over existing data, and leaves no partial backup", async () => {
    expect(parsed(await on(team.database.url, "restore", file)).problem).toMatchObject({ code: "BACKUP_UNUSABLE" });
    const nowhere = join(team.ada.base, "no", "folder", "backup.gz");
    expect((await on(team.database.url, "backup", nowhere)).code).not.toBe(0);
    expect(existsSync(nowhere)).toBe(false);
  });

  test("reports a changed decision, a silent worker and an old schema in doctor", async () => {
    const { url, pool } = await freshDatabase();
    await on(url, "restore", file);
    expect((await on(url, "doctor")).code).toBe(0);
    await pool.query("alter table isdlc.decision disable trigger all");
    await pool.query("update isdlc.decision set line = replace(line, 'd1', 'd9') where run = $1", [runNumber(3)]);
    await pool.query(`insert into isdlc.principal (id, kind) values ('w9', 'worker')`);
    await pool.query("insert into isdlc.worker (id, instance, beat_at) values ('w9', 'i', now() - interval '1 hour')");
    await pool.query("update isdlc.run set worker = 'w9', instance = 'i' where run = $1", [asked]);
    const ill = await on(url, "doctor");
    expect(ill.code).toBe(1);
    const told = parsed(ill).findings.filter(({ isFine }: { isFine: boolean }) => !isFine);
    expect(told.map(({ what }: { what: string }) => what)).toEqual(["journals", "workers"]);
    expect(told[0].detail).toContain(`${runNumber(3)}: JOURNAL_CORRUPT`);
    expect(told[1].detail).toContain("w9 is silent for");
    const held = async (...change: [string, unknown[]?]): Promise<string> => {
      await pool.query(...change);
      const { findings } = parsed(await on(url, "doctor"));
      return findings.find(({ what }: { what: string }) => what === "workers").detail;
    };
    expect(await held("update isdlc.principal set labels = '{gpu}' where id = 'w9'")).toContain(
      `run ${asked} is held by w9, whose token is not for its repository`,
    );
    expect(await held("update isdlc.run set instance = 'other' where run = $1", [asked])).toContain(
      `run ${asked} is held by an unknown process of w9`,
    );
    await pool.query(
      "delete from public.isdlc_migration where number = (select max(number) from public.isdlc_migration)",
    );
    expect(parsed(await on(url, "doctor")).findings[0]).toMatchObject({ what: "database", isFine: false });
  });
});

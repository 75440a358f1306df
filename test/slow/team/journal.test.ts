import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeFiles } from "../../../src/adapters/files/file-system.ts";
import { checkBySchema } from "../../../src/adapters/journal/schema-check.ts";
import { createJournalReader } from "../../../src/adapters/journal/create-journal-reader.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { createPostgresJournal } from "../../../team/src/journal-postgres/create-postgres-journal.ts";
import { FencedError } from "../../../team/src/journal-postgres/submit-decision.ts";
import { migrateDatabase } from "../../../team/src/journal-postgres/migrate-database.ts";
import { createTeamSeal } from "../../../team/src/seal/team-seal.ts";
import { begin, mark, marksIn, prepared, RUN } from "../../journal-file/sample-commands.ts";
import { openJournal, teamSeal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

const MANY = 40;
const EACH = 5;

describe.runIf(hasPostgres)("journal in a database", () => {
  test("records 5 decisions of each of 40 writers once, without a gap", async () => {
    const { pool } = await freshDatabase(20);
    const journals = Array.from({ length: 8 }, () => openJournal(pool));
    await journals[0]!.create(RUN, begin(RUN));
    const names = Array.from({ length: MANY }, (_, writer) =>
      Array.from({ length: EACH }, (_, number) => `w${writer}.${number}`),
    );
    await Promise.all(
      names.map(async (own, writer) => {
        for (const name of own) await journals[writer % journals.length]!.submit(RUN, mark(name));
      }),
    );
    const events = await openJournal(pool).events(RUN);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: MANY * EACH + 1 }, (_, index) => index + 1));
    const marks = marksIn(events);
    expect(marks.toSorted()).toEqual(names.flat().toSorted());
    for (const own of names) expect(marks.filter((name) => own.includes(name))).toEqual(own);
  });

  test("stores the same lines as a journal file", async () => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    await journal.create(RUN, begin(RUN));
    const { state, head } = await journal.submit(RUN, mark("a"));
    const directory = mkdtempSync(join(tmpdir(), "isdlc-lines-"));
    try {
      const file = join(directory, `${RUN}.jsonl`);
      writeFileSync(file, (await journal.lines(RUN, 0)).lines.map((line) => `${line}\n`).join(""));
      const reader = createJournalReader({
        directory,
        seal: teamSeal,
        check: checkBySchema,
        anchors: { tree: directory, read: () => null, openRun: () => null, write: () => undefined },
        clock: { now: () => "" },
        files: nodeFiles,
      });
      expect(reader.load(RUN)).toEqual({ state, head });
      expect(readFileSync(file, "utf8")).toContain('"m":"');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test("records a repeated request once and returns the first result", async () => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    await journal.create(RUN, begin(RUN));
    const how = { by: { kind: "person", id: "ada" }, request: "r1" } as const;
    const first = await journal.submitAs(RUN, mark("a"), how);
    await journal.submitAs(RUN, mark("b"), { ...how, request: "r2" });
    const again = await openJournal(pool).submitAs(RUN, mark("a"), how);
    expect(first.ok && again.ok && again.events).toEqual(first.ok && first.events);
    expect(marksIn(await journal.events(RUN))).toEqual(["a", "b"]);
  });

  test("returns the first result for a request that was already recorded", async () => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    const { state } = await journal.create(RUN, begin(RUN));
    const how = { by: { kind: "person", id: "ada" }, request: "r1" } as const;
    const first = await journal.submitAs(RUN, prepared(state), how);
    expect(await openJournal(pool).submitAs(RUN, prepared(state), how)).toEqual(first);
    expect(await journal.submitAs(RUN, prepared(state), { ...how, request: "r2" })).toMatchObject({ ok: false });
  });

  test("accepts a worker's decisions only with the newest epoch", async () => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    await journal.create(RUN, begin(RUN));
    const sentBy = (id: string, epoch: number) => ({ by: { kind: "worker", id, epoch } }) as const;
    await expect(journal.submitAs(RUN, mark("nobody's"), sentBy("w1", 0))).rejects.toThrow(FencedError);
    await pool.query("update isdlc.run set worker = 'w1', epoch = 1");
    expect(await journal.submitAs(RUN, mark("held"), sentBy("w1", 1))).toMatchObject({ ok: true });
    await pool.query("update isdlc.run set worker = 'w2', epoch = 2");
    await expect(journal.submitAs(RUN, mark("late"), sentBy("w1", 1))).rejects.toThrow(FencedError);
    await pool.query("update isdlc.run set worker = 'w1', epoch = 3");
    await expect(journal.submitAs(RUN, mark("back again"), sentBy("w1", 1))).rejects.toThrow(FencedError);
    expect(marksIn(await journal.events(RUN))).toEqual(["held"]);
  });

  test("reports fencing to a replaced worker before the rules reject its report", async () => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    const { state } = await journal.create(RUN, begin(RUN));
    const sentBy = (id: string, epoch: number) => ({ by: { kind: "worker", id, epoch } }) as const;
    await pool.query("update isdlc.run set worker = 'w2', epoch = 2");
    expect(await journal.submitAs(RUN, prepared(state), sentBy("w2", 2))).toMatchObject({ ok: true });
    await expect(journal.submitAs(RUN, prepared(state), sentBy("w1", 1))).rejects.toThrow(FencedError);
    expect(await journal.submitAs(RUN, prepared(state), sentBy("w2", 2))).toMatchObject({ ok: false });
  });

  test("commits a decision together with its dependent writes", async () => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    await journal.create(RUN, begin(RUN));
    await pool.query("create table follows (seq int)");
    const by = { kind: "person", id: "ada" } as const;
    await journal.submitAs(RUN, mark("a"), {
      by,
      also: async (client, _before, { head }) =>
        void (await client.query("insert into follows values ($1)", [head.seq])),
    });
    await expect(journal.submitAs(RUN, mark("b"), { by, also: () => Promise.reject(new Error("no")) })).rejects.toThrow(
      "no",
    );
    expect((await pool.query("select seq from follows")).rows).toEqual([{ seq: 2 }]);
    expect((await journal.load(RUN)).head.seq).toBe(2);
    expect(await journal.submit(RUN, mark("c"))).toMatchObject({ ok: true, head: { seq: 3 } });
  });

  test.for<[string, string]>([
    ["changed", "update isdlc.decision set line = line"],
    ["deleted", "delete from isdlc.decision"],
    ["truncated", "truncate isdlc.decision"],
  ])("prevents decisions from being %s", async ([, statement]) => {
    const { pool } = await freshDatabase();
    await openJournal(pool).create(RUN, begin(RUN));
    await expect(pool.query(statement)).rejects.toThrow("never changed or deleted");
  });

  test("rejects a second decision after the same one", async () => {
    const { pool } = await freshDatabase();
    await openJournal(pool).create(RUN, begin(RUN));
    const fork = `insert into isdlc.decision (run, seq, events, previous, hash, line, sender_kind, sender)
      select run, 2, 1, previous, 'other', 'other', 'person', 'eve' from isdlc.decision`;
    await expect(pool.query(fork)).rejects.toThrow("decision_run_previous_key");
  });

  test.for<[string, string, string]>([
    [
      "a changed byte",
      "update isdlc.decision set line = replace(line, '\"a\"', '\"b\"') where seq = 2",
      "JOURNAL_CORRUPT",
    ],
    ["a missing last line", "delete from isdlc.decision where seq = 3", "JOURNAL_MISSING"],
    ["a missing line in the middle", "delete from isdlc.decision where seq = 2", "JOURNAL_CORRUPT"],
  ])("detects %s", async ([, statement, code]) => {
    const { pool } = await freshDatabase();
    const journal = openJournal(pool);
    await journal.create(RUN, begin(RUN));
    for (const name of ["a", "b"]) await journal.submit(RUN, mark(name));
    await pool.query("alter table isdlc.decision disable trigger all");
    await pool.query(statement);
    await expect((async () => openJournal(pool).load(RUN))()).rejects.toMatchObject({ problem: { code } });
  });

  test("detects a line sealed with another key", async () => {
    const { pool } = await freshDatabase();
    const seal = createTeamSeal(generateKeyPairSync("ed25519").privateKey);
    const clock = { now: () => "2026-11-15T10:15:00.123Z" };
    const other = createPostgresJournal({ pool, seal, clock, decide, place: "here", sender: "eve" });
    await other.create(RUN, begin(RUN));
    await expect((async () => openJournal(pool).load(RUN))()).rejects.toMatchObject({
      problem: { code: "JOURNAL_FORGED" },
    });
  });

  test("runs each migration once for simultaneous calls", async () => {
    const { pool } = await freshDatabase();
    expect(await Promise.all([migrateDatabase(pool), migrateDatabase(pool)])).toEqual([0, 0]);
  });
});

import { beforeAll, describe, expect, test, vi } from "vitest";
import { genesis } from "../../../src/adapters/journal/record.ts";
import { FencedError } from "../../../team/src/journal-postgres/submit-decision.ts";
import { expectAccessible } from "../browser/page-browser.ts";
import { begin as start } from "../../journal-file/sample-commands.ts";
import { openJournal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";
import { askPage, pageHeaders, signedIn } from "./support/team-page.ts";
import { beginRun, claimRun, PATIENCE, untilRests } from "./support/team-runs.ts";
import { begin, createTeam, said, type Team } from "./support/team.ts";
import { cancelAsked } from "../../../team/src/server/answer-run.ts";

const CANCEL = { wait: null, shown: "", option: "cancel", text: "not wanted" };
const cancelledBy = (name: string) => ({
  rests: "ended",
  head_seq: 0,
  worker: null,
  workflow: null,
  cancelled_by: name,
  refused: `${name} cancelled it before a worker started it: not wanted`,
});

describe.runIf(hasPostgres)("cancelling a run before a worker starts it", () => {
  let team: Team;
  let bobs: string;
  let vics: string;

  beforeAll(async () => {
    team = await createTeam();
    bobs = await team.token("person", "bob");
    vics = await team.token("person", "vic");
    await team.administer("role", "sample", "bob", "reviewer");
    await team.administer("role", "sample", "vic", "viewer");
  });

  const answer = (token: string, run: string, body: unknown = CANCEL) =>
    team.ask(token, `/api/runs/${run}/answer`, body);

  test("requires a reason at the terminal, works once and notifies followers", async () => {
    const following = begin(team.ada, ["add a greeting", "--team", "--supervised"], {
      ISDLC_OPERATOR_TOKEN: team.adas,
    });
    const [, run = ""] = await said(following, /Asked for: (\S+)\./);
    expect((await team.as(team.adas, "status")).stdout).toContain("waiting for a worker");
    expect(await team.as(team.adas, "cancel")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Cancelling a run needs a reason."),
    });
    expect(await team.row(run)).toMatchObject({ rests: "action", cancelled_by: null });
    const done = await team.as(team.adas, "cancel", "--reason", "not wanted");
    expect(done, done.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("not wanted") });
    expect(await team.row(run)).toMatchObject(cancelledBy("ada"));
    expect(await following.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("ada cancelled it") });
    expect((await team.as(team.adas, "status", "--run", run)).stdout).toContain("cancelled: ada cancelled it");
    const again = await team.as(team.adas, "cancel", "--reason", "not wanted", "--run", run);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("The run is cancelled.") });
  });

  test("allows reviewers only, and rejects viewers, workers and strangers [S6]", async () => {
    const run = await beginRun(team);
    const others = [vics, await team.token("worker", "w9"), await team.token("person", "otto")];
    const said = await Promise.all(others.map((token) => answer(token, run)));
    expect(said.map(({ status }) => status)).toEqual([403, 403, 404]);
    expect(await team.row(run)).toMatchObject({ rests: "action", cancelled_by: null });
    expect(await answer(bobs, run)).toMatchObject({ status: 200, body: { lines: [] } });
    expect(await team.row(run)).toMatchObject(cancelledBy("bob"));
  });

  test("rejects tokens if the policy requires passkeys", async () => {
    const run = await beginRun(team);
    await team.administer("policy", "sample", "--passkeys", "on");
    const refused = await answer(bobs, run);
    await team.administer("policy", "sample", "--passkeys", "off");
    expect(refused).toMatchObject({ status: 403, body: { problem: { code: "PASSKEY_NEEDED" } } });
    expect(await team.row(run)).toMatchObject({ rests: "action", cancelled_by: null });
    expect(await answer(bobs, run)).toMatchObject({ status: 200 });
  });

  test("accepts one of two simultaneous cancellations and rejects the other", async () => {
    const run = await beginRun(team);
    const said = await Promise.all([team.adas, bobs].map((token) => answer(token, run)));
    expect(said.map(({ status }) => String(status)).toSorted()).toEqual(["200", "409"]);
    expect(said.find(({ status }) => status === 409)?.body.problem).toMatchObject({ code: "COMMAND_REFUSED" });
  });

  test("fences a worker that already claimed the run", async () => {
    const run = await beginRun(team);
    const workers = await team.token("worker", "w8");
    const { epoch } = await claimRun(team, workers, run);
    expect(await answer(bobs, run)).toMatchObject({ status: 200 });
    const report = { epoch, request: "r1", after: 0, left: null, command: { ...start(run) } };
    expect(await team.ask(workers, `/api/worker/runs/${run}/commands`, report)).toMatchObject({
      status: 409,
      body: { problem: { code: "FENCED" } },
    });
    const back = { epoch, why: "broken", detail: "fenced off" };
    expect(await team.ask(workers, `/api/worker/runs/${run}/give-back`, back)).toMatchObject({ status: 200 });
    expect(await claimRun(team, workers, run)).toBeNull();
    expect(await team.row(run)).toMatchObject(cancelledBy("bob"));
  });

  test("cancels in the web UI, which offers no other answer", async () => {
    const run = await beginRun(team, { title: "a run for the page" });
    const bob = await pageHeaders(team, bobs);
    const other = await askPage(team, `/runs/${run}/answer`, { headers: bob, body: { ...CANCEL, option: "skip" } });
    expect(other.status).toBe(404);
    const { page, context, troubles } = await signedIn(team, bobs);
    await page.getByRole("link", { name: /a run for the page/ }).click();
    await page.getByText("The next free worker starts it.").waitFor();
    await page.getByRole("button", { name: "More about this run" }).click();
    await page.getByRole("menuitem", { name: /Cancel/ }).click();
    await page.getByLabel("Why?").fill("not wanted");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("Not started: bob cancelled it before a worker started it: not wanted").waitFor();
    await expectAccessible(page);
    expect(await page.getByRole("button", { name: "More about this run" }).count()).toBe(0);
    expect(await team.row(run)).toMatchObject(cancelledBy("bob"));
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("hides the cancelled run from workers that start later", async () => {
    const runs = await Promise.all(["one", "two", "three"].map((title) => beginRun(team, { title })));
    const [kept = "", ...cancelled] = runs;
    for (const run of cancelled) expect(await answer(bobs, run)).toMatchObject({ status: 200 });
    await team.worker("w1");
    expect(await untilRests(team, kept)).toBe("wait");
    for (const run of cancelled) expect(await team.row(run)).toMatchObject(cancelledBy("bob"));
  });

  test("ends the run even if a worker starts it at the same time", async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => beginRun(team)));
    await Promise.all(
      runs.map(async (run) => {
        await vi.waitFor(async () => expect((await team.row(run)).worker).not.toBeNull(), PATIENCE);
        expect(await answer(bobs, run)).toMatchObject({ status: 200 });
      }),
    );
    for (const run of runs) {
      const { head_seq, rests, worker, cancelled_by } = await team.row(run);
      expect({ rests, worker, by: cancelled_by }).toEqual({
        rests: "ended",
        worker: null,
        by: head_seq === 0 ? "bob" : null,
      });
    }
  });
});

describe.runIf(hasPostgres)("race between starting and cancelling a run", () => {
  const queue = { cancel: () => Promise.resolve() };

  test("prints the reason as one line of plain text [S7]", async () => {
    const { pool } = await freshDatabase();
    const run = "20261115-101500000-k3f9";
    await pool.query(
      `insert into isdlc.run (run, place, title, begun_by, head_hash, rests) values ($1, $1, 'a run', 'ada', $2, 'action')`,
      [run, genesis(run)],
    );
    const reason = `\u001B]52;c;cm0=\u0007\u202Eno\r\nBcc: all@example.org${"x".repeat(20_000)}`;
    expect(await cancelAsked({ pool, queue } as never, run, { person: "ada", reason })).toBe(true);
    const { rows } = await pool.query<{ refused: string }>("select refused from isdlc.run where run = $1", [run]);
    const refused = rows[0]?.refused ?? "";
    expect(refused).toContain("all@example.org");
    expect(refused.length).toBeLessThan(600);
    for (const mark of ["\u001B", "\u0007", "\u202E", "\r", "\n"]) expect(refused).not.toContain(mark);
  });

  test("either starts or cancels the run, never both", async () => {
    const { pool } = await freshDatabase(20);
    const journal = openJournal(pool);
    await pool.query("insert into isdlc.principal (id, kind) values ('w1', 'worker')");
    const race = async (number: number, first: "worker" | "person" | "both") => {
      const run = `20261115-1015${String(number).padStart(5, "0")}-k3f9`;
      await pool.query(
        `insert into isdlc.run (run, place, title, begun_by, head_hash, rests, epoch, worker)
         values ($1, $1, 'a run', 'ada', $2, 'action', 1, 'w1')`,
        [run, genesis(run)],
      );
      const by = { kind: "worker", id: "w1", epoch: 1 } as const;
      const begins = () =>
        journal.submitAs(run, start(run), { by }).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(FencedError);
            return false;
          },
        );
      const cancels = () => cancelAsked({ pool, queue } as never, run, { person: "ada", reason: "not wanted" });
      let begun: boolean;
      let cancelled: boolean;
      if (first === "both") [begun, cancelled] = await Promise.all([begins(), cancels()]);
      else if (first === "worker") [begun, cancelled] = [await begins(), await cancels()];
      else {
        cancelled = await cancels();
        begun = await begins();
      }
      expect(begun).not.toBe(cancelled);
      const { rows } = await pool.query("select head_seq, rests, cancelled_by from isdlc.run where run = $1", [run]);
      expect(rows[0]).toMatchObject(
        begun ? { cancelled_by: null } : { head_seq: 0, rests: "ended", cancelled_by: "ada" },
      );
      return begun;
    };
    expect(await race(0, "worker")).toBe(true);
    expect(await race(1, "person")).toBe(false);
    await Promise.all(Array.from({ length: 40 }, (_, index) => race(index + 2, "both")));
  });
});

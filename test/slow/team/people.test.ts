import { beforeAll, describe, expect, test } from "vitest";
import { emptyCursor } from "../../../src/adapters/journal/fold.ts";
import { createReaderSeal, parsePublicKeys } from "../../../src/adapters/remote/reader-seal.ts";
import { shownDigest } from "../../../src/app/answer/answer.ts";
import type { RunState } from "../../../src/core/run.ts";
import { type Json, parsed } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { untilWaits } from "./support/team-runs.ts";
import { readLines } from "../../../src/adapters/remote/server-client.ts";

const NOT_ALLOWED = { status: 403, body: { problem: { code: "NOT_ALLOWED" } } };
const START = { what: "run", workflow: "change", title: "add a greeting", isSupervised: true };

describe.runIf(hasPostgres)("users of a team at a gate", () => {
  let team: Team;
  let run: string;
  let bobs: string;
  let keys: readonly string[];

  /** Ada has started a run. It waits at its first gate. */
  beforeAll(async () => {
    team = await createTeam();
    await team.worker("w1");
    bobs = (await team.administer("token", "person", "bob")).token as string;
    await team.administer("role", "sample", "bob", "reviewer");
    keys = (await team.ask(bobs, "/api/team")).body.keys as string[];
    const asked = await team.as(team.adas, "request", "add a greeting", "--supervised", "--tests", "without", "--json");
    run = parsed(asked).run as string;
    await rests(0);
  });

  const rests = (seq: number): Promise<void> => untilWaits(team, run, seq);

  async function state(): Promise<RunState> {
    const { lines } = (await team.ask(team.adas, `/api/runs/${run}/lines`)).body as { lines: string[] };
    return readLines(emptyCursor(run), lines, createReaderSeal(parsePublicKeys(keys))).cursor.state;
  }

  async function answer(token: string, option: string, more: Json = {}): Promise<{ status: number; body: Json }> {
    const now = await state();
    if (now.is !== "active") throw new Error("the run is not open");
    const body = { wait: now.wait?.id ?? null, shown: shownDigest(now), option, ...more };
    return team.ask(token, `/api/runs/${run}/answer`, body);
  }

  test("rejects a worker's token", async () => {
    expect(await answer(await team.token("worker", "w9"), "continue")).toMatchObject(NOT_ALLOWED);
  });

  test("lets a viewer read, but not answer or start runs", async () => {
    const vics = await team.token("person", "vic");
    await team.administer("role", "sample", "vic", "viewer");
    expect((await team.ask(vics, `/api/runs/${run}/lines`)).body.lines).not.toEqual([]);
    for (const option of ["continue", "redo", "cancel"])
      expect(await answer(vics, option, { text: "no" })).toMatchObject(NOT_ALLOWED);
    expect(await team.ask(vics, "/api/runs", { repository: "sample", start: START })).toMatchObject(NOT_ALLOWED);
  });

  test("hides the run from a user of another repository", async () => {
    const outs = await team.token("person", "otto");
    await team.administer("repository", "other", "https://git.example.org/other.git");
    await team.administer("role", "other", "otto", "admin");
    expect((await team.ask(outs, "/api/team")).body.repositories).toMatchObject([{ name: "other", role: "admin" }]);
    expect((await team.ask(outs, "/api/runs")).body.runs).toEqual([]);
    expect((await team.ask(outs, "/api/runs?repository=sample")).body.runs).toEqual([]);
    const nothing = { status: 404, body: { problem: { code: "NO_RUN" } } };
    expect(await team.ask(outs, `/api/runs/${run}/lines`)).toMatchObject(nothing);
    expect(await answer(outs, "continue")).toMatchObject(nothing);
    expect((await team.ask(outs, "/api/runs", { repository: "sample", start: START })).status).toBe(400);
  });

  test("rejects an expired token", async () => {
    const eves = await team.token("person", "eve");
    await team.administer("role", "sample", "eve", "reviewer");
    await team.database.pool.query("update isdlc.token set expires_at = now() where owner = 'eve'");
    expect(await answer(eves, "continue")).toMatchObject({ status: 401, body: { problem: { code: "TOKEN_REFUSED" } } });
  });

  test("lets a personal token answer, but not create tokens, and rejects it once revoked", async () => {
    const made = await team.ask(bobs, "/api/tokens", { name: "nightly", days: 7 });
    const script = made.body.token as string;
    expect((await team.ask(script, "/api/runs")).body.runs).toHaveLength(1);
    expect(await team.ask(script, "/api/tokens", { name: "more", days: 7 })).toMatchObject(NOT_ALLOWED);
    const mine = { person: "bob", role: "admin" };
    expect(await team.ask(script, "/api/repositories/sample/members", mine)).toMatchObject(NOT_ALLOWED);
    const headers = { authorization: `Bearer ${bobs}` };
    const revoked = await fetch(new URL("/api/tokens/nightly", team.url), { method: "DELETE", headers });
    expect(await revoked.json()).toEqual({ isRevoked: true });
    expect((await team.ask(script, "/api/runs")).status).toBe(401);
    expect((await team.ask(bobs, "/api/runs")).status).toBe(200);
  });

  test("manages tokens and roles with isdlc team", async () => {
    const made = parsed(await team.as(bobs, "team", "token", "weekly", "--days", "7", "--json"));
    expect((await team.ask(made.token as string, "/api/runs")).status).toBe(200);
    expect((await team.as(bobs, "team", "tokens")).stdout).toContain("weekly: good until");
    expect(await team.as(bobs, "team", "revoke", "weekly")).toMatchObject({ code: 0 });
    expect((await team.ask(made.token as string, "/api/runs")).status).toBe(401);
    const refused = await team.as(bobs, "team", "role", "sample", "bob", "admin");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("NOT_ALLOWED") });
    expect((await team.as(team.adas, "team", "members", "sample")).stdout).toContain("bob: reviewer");
  });

  test("lets only admins of the repository give roles, and records every change", async () => {
    await team.token("person", "new");
    const change = { person: "new", role: "reviewer" };
    expect(await team.ask(bobs, "/api/repositories/sample/members", change)).toMatchObject(NOT_ALLOWED);
    const given = await team.ask(team.adas, "/api/repositories/sample/members", change);
    expect(given.body.members).toContainEqual(change);
    const { rows } = await team.database.pool.query("select changed_by, change from isdlc.account_change");
    expect(rows).toContainEqual({ changed_by: "ada", change: { what: "role", repository: "sample", ...change } });
    await expect(team.database.pool.query("delete from isdlc.account_change")).rejects.toThrow("never changed");
  });

  test("rejects acceptance by the author under four eyes, and allows redo", async () => {
    await team.administer("policy", "sample", "--four-eyes", "on");
    for (const option of ["continue", "skip", "loosen", "keep", "merge"])
      expect(await answer(team.adas, option), option).toMatchObject(NOT_ALLOWED);
    const { head_seq } = await team.row(run);
    expect(await answer(team.adas, "redo", { text: "Name the file greeting.js" })).toMatchObject({ status: 200 });
    await rests(head_seq as number);
    expect(await answer(team.adas, "continue")).toMatchObject(NOT_ALLOWED);
  });

  test("rejects acceptance by anyone except the named reviewers", async () => {
    const now = await state();
    const phase = now.is === "active" ? (now.phases[now.index]?.rule.key ?? "") : "";
    await team.token("person", "nina");
    await team.administer("role", "sample", "nina", "reviewer");
    await team.administer("reviewers", "sample", phase, "nina");
    const refused = await answer(bobs, "continue");
    expect(refused).toMatchObject(NOT_ALLOWED);
    expect(refused.body.problem.what).toContain("nina");
    await team.administer("reviewers", "sample", phase);
  });

  test("accepts one of two simultaneous answers and signs the name of its user", async () => {
    const carls = await team.token("person", "carl");
    await team.administer("role", "sample", "carl", "reviewer");
    const both = await Promise.all([answer(bobs, "continue"), answer(carls, "continue")]);
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]));
    expect(both.find(({ status }) => status === 409)?.body.problem.code).toBe("COMMAND_REFUSED");
    const winner = both[0].status === 200 ? "bob" : "carl";
    const { lines } = (await team.ask(team.adas, `/api/runs/${run}/lines`)).body as { lines: string[] };
    const read = readLines(emptyCursor(run), lines, createReaderSeal(parsePublicKeys(keys)));
    const answers = read.events.filter(({ type }) => type === "gate.answered");
    expect(answers.at(-1)).toMatchObject({ by: { name: winner, channel: "token" } });
    const forged = lines.map((line) => line.replaceAll(`"name":"${winner}"`, '"name":"nina"'));
    const reading = (): unknown => readLines(emptyCursor(run), forged, createReaderSeal(parsePublicKeys(keys)));
    expect(reading).toThrow(expect.objectContaining({ problem: expect.objectContaining({ code: "JOURNAL_CORRUPT" }) }));
  });
});

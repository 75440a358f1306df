import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Outcome } from "../../support/cli.ts";
import { createInterruptingProxy } from "./support/interrupting-proxy.ts";
import { createHome, type Home, journalIn } from "./support/second-home.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";

const linesAtTeam = async ({ database }: Team, run: string): Promise<string> => {
  const text = "select line from isdlc.decision where run = $1 order by seq";
  const { rows } = await database.pool.query<{ line: string }>(text, [run]);
  return rows.map(({ line }) => `${line}\n`).join("");
};

/** The user who brought the run, according to the server's event after the brought lines. */
function broughtBy(atTeam: string, brought: string): string[] {
  expect(atTeam.startsWith(brought)).toBe(true);
  const lines = atTeam.slice(brought.length).split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    const { events } = JSON.parse(line) as { events: { type: string; by: string }[] };
    return events.map(({ type, by }) => (type === "run.broughtIn" ? by : type));
  });
}

const ok = (outcome: Outcome): void => expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ code: 0 });

const refused = (outcome: Outcome, why: string): void =>
  expect(outcome, outcome.stdout).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining(why) });

/** All places that could continue the run. */
async function owners(team: Team, homes: readonly Home[], run: string): Promise<readonly string[]> {
  const row = await team.row(run);
  const isTheTeams = row !== undefined && row.moved_place === null && row.rests !== "ended";
  return [...(isTheTeams ? ["team"] : []), ...homes.filter((home) => home.openRun() === run).map(({ root }) => root)];
}

describe.runIf(hasPostgres)("moved run", () => {
  test("moves from home to team, to another home and back with the same journal", async () => {
    const team = await createTeam();
    const [ada, bob] = [await createHome(team, "carol"), await createHome(team, "bob")];
    writeFileSync(join(ada.root, "README.md"), "# Sample\n\nA line of my own.\n");
    const run = await ada.begin("--allow-dirty");
    const atHome = journalIn(ada.root, run);

    const pushed = await ada.says("push-run");
    ok(pushed);
    expect(pushed.stdout).toContain("README.md");
    const brought = await linesAtTeam(team, run);
    expect(broughtBy(brought, atHome)).toEqual(["carol"]);
    expect(await owners(team, [ada, bob], run)).toEqual(["team"]);
    expect((await ada.says("status")).stdout).toContain(run);

    await team.worker("w1");
    expect(await ada.says("redo", "Say hello")).toMatchObject({ code: 3 });
    const atTeam = await linesAtTeam(team, run);
    expect(atTeam.startsWith(brought)).toBe(true);
    expect(atTeam.length).toBeGreaterThan(atHome.length);

    ok(await bob.says("pull-run"));
    expect(journalIn(bob.root, run)).toBe(atTeam);
    expect(await owners(team, [ada, bob], run)).toEqual([bob.root]);
    ok(await bob.decides("verify-journal"));
    refused(await ada.says("continue", "--run", run), "RUN_AWAY");
    expect((await ada.says("status", "--run", run)).stdout).toContain("gone to bob's");
    expect(await bob.decides("redo", "And louder", ...team.ada.agent)).toMatchObject({ code: 3 });
    const atBobs = journalIn(bob.root, run);
    expect(atBobs.startsWith(atTeam)).toBe(true);

    ok(await bob.says("push-run"));
    const atEnd = await linesAtTeam(team, run);
    expect(broughtBy(atEnd, atBobs)).toEqual(["bob"]);
    ok(await ada.says("pull-run"));
    expect(journalIn(ada.root, run)).toBe(atEnd);
    ok(await ada.decides("verify-journal"));
    expect(await ada.decides("redo", "Once more", ...team.ada.agent)).toMatchObject({ code: 3 });
  });

  test("can be taken back by an admin if its machine is lost", async () => {
    const team = await createTeam();
    const bob = await createHome(team, "bob");
    const run = await bob.begin();
    ok(await bob.says("push-run"));
    refused(await team.as(team.adas, "team", "take-back", run), "RUN_NOT_MOVABLE");
    const atTeam = await linesAtTeam(team, run);
    ok(await bob.says("pull-run"));
    expect(await bob.decides("redo", "And louder", ...team.ada.agent)).toMatchObject({ code: 3 });
    refused(await bob.says("team", "take-back", run), "NOT_ALLOWED");
    ok(await team.as(team.adas, "team", "take-back", run));
    expect(await linesAtTeam(team, run)).toBe(atTeam);
    expect(await team.row(run)).toMatchObject({ rests: "wait", moved_place: null, wait_kind: "gate" });
    const { rows } = await team.database.pool.query("select changed_by, change from isdlc.account_change");
    const change = expect.objectContaining({ what: "take-back", run, from: expect.stringContaining("bob's") });
    expect(rows).toContainEqual({ changed_by: "ada", change });
    refused(await bob.says("push-run"), "RUN_AWAY");
    expect(await linesAtTeam(team, run)).toBe(atTeam);
    await team.worker("w1");
    expect(await team.as(team.adas, "redo", "Say hello", "--run", run)).toMatchObject({ code: 3 });
  });

  test.for(["before", "after"] as const)(
    "arrives once if the command is killed %s the server receives it",
    async (when) => {
      const team = await createTeam();
      const proxy = await createInterruptingProxy(team.url);
      const bob = await createHome(team, "bob", proxy.url);
      const run = await bob.begin();
      const lines = journalIn(bob.root, run);

      const pushing = bob.start(["push-run"], { ISDLC_OPERATOR_TOKEN: bob.token });
      proxy.interrupt(/take-in/, when, () => pushing.child.kill("SIGKILL"));
      expect(await pushing.ended).toMatchObject({ code: null });
      expect((await owners(team, [bob], run)).length).toBeLessThanOrEqual(1);
      expect(bob.openRun()).toBeNull();
      expect((await bob.decides("doctor")).stdout).toContain(`${run} is being moved to the team`);
      ok(await bob.says("push-run"));
      expect(await owners(team, [bob], run)).toEqual(["team"]);
      const brought = await linesAtTeam(team, run);
      expect(broughtBy(brought, lines)).toEqual(["bob"]);

      const pulling = bob.start(["pull-run"], { ISDLC_OPERATOR_TOKEN: bob.token });
      proxy.interrupt(/let-go/, when, () => pulling.child.kill("SIGKILL"));
      expect(await pulling.ended).toMatchObject({ code: null });
      expect(await owners(team, [bob], run)).toEqual(when === "before" ? ["team"] : []);
      if (when === "after") {
        refused(await team.as(team.adas, "pull-run", "--run", run), "RUN_AWAY");
        writeFileSync(join(bob.root, "mine.txt"), "not to be lost\n");
      }
      const pulled = await bob.says("pull-run");
      ok(pulled);
      expect(await owners(team, [bob], run)).toEqual([bob.root]);
      expect(journalIn(bob.root, run)).toBe(brought);
      const kept = /refs\/isdlc\/\S+before-arrival\S+/.exec(pulled.stdout)?.[0];
      if (when === "after") expect(bob.git("show", `${kept}:mine.txt`)).toBe("not to be lost");
      ok(await bob.decides("verify-journal"));
    },
  );
});

describe.runIf(hasPostgres)("refused move of a run", () => {
  test("rejects users without rights, worker tokens and agents", async () => {
    const team = await createTeam();
    const bob = await createHome(team, "bob");
    const run = await bob.begin();
    await team.administer("role", "sample", "bob", "viewer");
    refused(await bob.says("push-run"), "NOT_ALLOWED");
    expect(bob.openRun()).toBe(run);
    ok(await bob.decides("verify-journal"));
    const worker = await team.token("worker", "w1");
    const body = { repository: "sample", place: "0".repeat(32), lines: ["{}"], left: LEFT };
    expect(await team.ask(worker, `/api/runs/${run}/take-in`, body)).toMatchObject({ status: 403 });
    expect(await team.ask(worker, `/api/runs/${run}/let-go`, { place: "0".repeat(32), to: "here" })).toMatchObject({
      status: 403,
    });
    const agent = await bob.start(["push-run"], { ISDLC_OPERATOR_TOKEN: bob.token, ISDLC_AGENT: "1" }).ended;
    expect(agent.code).not.toBe(0);
    expect(bob.openRun()).toBe(run);

    await team.administer("role", "sample", "bob", "reviewer");
    const forged = journalIn(bob.root, run).split("\n").slice(0, -1);
    const changed = forged.map((line, index) => (index === 1 ? line.replace('"seq":', '"seq": ') : line));
    const sent = { ...body, lines: changed };
    expect(await team.ask(bob.token, `/api/runs/${run}/take-in`, sent)).toMatchObject({ status: 409 });
    expect(await team.row(run)).toBeUndefined();
  });

  test("rejects a move while an agent works, on either side", async () => {
    const team = await createTeam();
    const bob = await createHome(team, "bob");
    const run = await bob.begin();
    const turns = team.ada.log().length;
    team.ada.plan({ always: { hangs: true } });
    const working = bob.start(["redo", "again", ...team.ada.agent], { ISDLC_OPERATOR_TOKEN: bob.own });
    await vi.waitFor(() => expect(team.ada.log().length).toBeGreaterThan(turns), { timeout: 30_000 });
    refused(await bob.says("push-run"), "drives it now");
    expect(bob.openRun()).toBe(run);
    working.child.kill("SIGKILL");
    await working.ended;
    ok(await bob.says("push-run"));

    await team.worker("w1");
    await vi.waitFor(async () => expect((await team.row(run)).worker).toBe("w1"), { timeout: 30_000 });
    refused(await bob.says("pull-run"), "w1 works on it now");
    expect(await owners(team, [bob], run)).toEqual(["team"]);
  });

  test("rejects foreign answers under four eyes, and a dirty working tree", async () => {
    const team = await createTeam();
    const bob = await createHome(team, "bob");
    const run = await bob.begin();
    expect(await bob.decides("continue", ...team.ada.agent)).toMatchObject({ code: 3 });
    await team.administer("policy", "sample", "--four-eyes", "on");
    refused(await bob.says("push-run"), "accepted elsewhere");
    expect(bob.openRun()).toBe(run);
    ok(await bob.decides("verify-journal"));
    await team.administer("policy", "sample", "--four-eyes", "off");
    ok(await bob.says("push-run"));

    writeFileSync(join(bob.root, "README.md"), "# Mine\n");
    refused(await bob.says("pull-run"), "TREE_DIRTY");
    expect(await owners(team, [bob], run)).toEqual(["team"]);
  });
});

const LEFT = { snapshot: "0".repeat(40), head: "0".repeat(40), branch: "a", names: {} };

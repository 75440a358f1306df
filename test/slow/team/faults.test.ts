import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { AgentLogEntry } from "../../support/cli.ts";
import { createLineProxy } from "./support/line-proxy.ts";
import { hasPostgres } from "./support/team-database.ts";
import { findProblems } from "./support/run-problems.ts";
import { createTeam, LEASE_SECONDS, type StartedProgram, type Team } from "./support/team.ts";
import { answerOpen, beginRun, PATIENCE, untilEnded, untilRests } from "./support/team-runs.ts";

const MADE = { writes: { "src/made.js": "export const made = 1;\n" } };
/** Milliseconds that an agent works before a fault. */
const LONG = 2 ** 30;
const TRIALS = Number(process.env["ISDLC_TEAM_TRIALS"] ?? 20);
/** Agents that a run loses before one may finish. Starting a run costs more than a takeover. */
const TRIALS_OF_RUN = Math.min(10, TRIALS);
const RUNS = Math.ceil(TRIALS / TRIALS_OF_RUN);
/** Milliseconds allowed in addition to the lease on an idle machine. On a busy one they are only printed. */
const ALLOWED = 1500;
const SLACK = process.env["ISDLC_TEAM_TRIALS"] === undefined ? 15_000 : 0;

const working = (team: Team): readonly AgentLogEntry[] => team.ada.log().filter(({ key }) => key === "implement");
const untilAgents = (team: Team, count: number): Promise<void> =>
  vi.waitFor(() => expect(working(team)).toHaveLength(count), { ...PATIENCE, interval: 10 });
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** A run whose agent works on "implement" and does not end by itself. */
async function atWork(team: Team): Promise<string> {
  const run = await beginRun(team);
  await untilRests(team, run);
  const before = working(team).length;
  await answerOpen(team, run);
  await untilAgents(team, before + 1);
  return run;
}

describe.runIf(hasPostgres)("worker", () => {
  test("is replaced after its lease if it is killed, from the last pushed tree", async () => {
    const team = await createTeam();
    const hit = Array.from({ length: TRIALS_OF_RUN }, () => ({ ...MADE, delay: LONG }));
    team.ada.plan({ turns: { implement: Array.from({ length: RUNS }, () => [...hit, MADE]).flat() } });
    const workers = new Map<string, StartedProgram>();
    for (const name of ["w1", "w2", "w3"]) workers.set(name, await team.worker(name));
    const took: number[] = [];
    for (let number = 0; number < RUNS; number++) {
      const run = await atWork(team);
      const recovering: Promise<void>[] = [];
      for (let trial = 0; trial < TRIALS_OF_RUN; trial++) {
        const [orphan] = working(team).slice(-1);
        const { worker } = await team.row(run);
        const killed = performance.now();
        workers.get(worker)!.child.kill("SIGKILL");
        await untilAgents(team, working(team).length + 1);
        took.push(performance.now() - killed - LEASE_SECONDS * 1000);
        recovering.push(replaced(worker, orphan!));
      }
      await Promise.all(recovering);
      await untilEnded(team, run);
      expect(await findProblems(team, run)).toEqual([]);
    }
    console.log(`another agent worked so long after the lease (ms): ${took.map(Math.round).join(", ")}`);
    expect(took.length).toBeGreaterThanOrEqual(TRIALS);
    for (const late of took) expect(late).toBeLessThan(ALLOWED + SLACK);

    /** The next worker with the same folder ends the orphaned processes, while the next fault is under way. */
    async function replaced(worker: string, orphan: AgentLogEntry): Promise<void> {
      workers.set(worker, await team.worker(worker));
      await vi.waitFor(() => expect(isAlive(orphan.pid)).toBe(false), PATIENCE);
    }
  });

  test("returns its run at once on SIGTERM, and finishes its agent with --drain", async () => {
    const team = await createTeam();
    team.ada.plan({ turns: { implement: [{ ...MADE, delay: LONG }, { ...MADE, delay: 3000 }, MADE] } });
    const first = await team.worker("w1");
    const run = await atWork(team);
    const second = await team.worker("w2", "--drain", "60");
    const told = performance.now();
    first.child.kill("SIGTERM");
    await untilAgents(team, 2);
    const handedOver = performance.now() - told;
    console.log(`after SIGTERM another agent worked after ${Math.round(handedOver)} ms`);
    expect(handedOver).toBeLessThan(2000 + SLACK);
    expect((await first.ended).code).toBe(143);
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(143);
    expect(await team.row(run)).toMatchObject({ worker: null, rests: "action" });
    await team.worker("w3");
    await untilEnded(team, run);
    expect(working(team)).toHaveLength(2); // the drained work was not repeated
    expect(await findProblems(team, run)).toEqual([]);
  });

  test("is fenced after a sleep longer than its lease; a ref saves its work", async () => {
    const team = await createTeam();
    const first = { writes: { "src/made.js": "export const made = 'asleep';\n" }, delay: LONG };
    team.ada.plan({ turns: { implement: [first, MADE] } });
    const sleeper = await team.worker("w1");
    const run = await atWork(team);
    const [lost] = working(team);
    sleeper.child.kill("SIGSTOP");
    await team.worker("w2");
    await untilAgents(team, 2);
    const { epoch } = await team.row(run);
    sleeper.child.kill("SIGCONT");
    await vi.waitFor(() => expect(isAlive(lost!.pid)).toBe(false), PATIENCE);
    const kept = await vi.waitFor(async () => {
      const { rows } = await team.database.pool.query("select * from isdlc.kept_work");
      expect(rows, sleeper.said()).toHaveLength(1);
      return rows[0] as { run: string; epoch: number; ref: string; worker: string };
    }, PATIENCE);
    expect(kept).toMatchObject({ run, worker: "w1" });
    expect(kept.epoch).toBeLessThan(epoch);
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: team.remote, encoding: "utf8" });
    expect(git("show", `${kept.ref}:src/made.js`)).toContain("asleep");
    const status = await team.ada.script("status", "--run", run);
    expect(status.stdout).toContain(`git fetch origin ${kept.ref}`);
    await untilEnded(team, run);
    expect(await findProblems(team, run)).toEqual([]);
    const { left_tree: left } = await team.row(run);
    expect(git("show", `${left.branch}:src/made.js`)).toContain("made = 1");
  });

  test("is fenced if it loses the server, without losing or doubling pushed work", async () => {
    const team = await createTeam();
    team.ada.plan({ turns: { implement: [{ ...MADE, delay: 2000 * LEASE_SECONDS }, MADE] } });
    const line = await createLineProxy(team.url);
    afterAll(() => line.close());
    const cutOff = await team.workerAt(line.url, "w1");
    const run = await atWork(team);
    line.cut();
    await team.worker("w2");
    await untilAgents(team, 2);
    await untilRests(team, run);
    await delay(1000 * LEASE_SECONDS); // the agent without a connection ends in the meantime
    line.restore();
    await vi.waitFor(() => expect(cutOff.said()).toContain('"end":"fenced"'), PATIENCE);
    await untilEnded(team, run);
    expect(await findProblems(team, run)).toEqual([]);
  });
});

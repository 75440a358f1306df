import { describe, expect, test, vi } from "vitest";
import { startGitHost } from "./support/git-host.ts";
import { findProblems } from "./support/run-problems.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { answerOpen, beginRun, look, PATIENCE, untilEnded, untilRests } from "./support/team-runs.ts";

const MADE = { writes: { "src/made.js": "export const made = 1;\n" } };

const OUTAGE_MS = 17_000;

/** Waits until the run was returned this often because of the git host. */
const untilHostFailed = (team: Team, run: string, times: number): Promise<void> =>
  vi.waitFor(async () => expect((await team.row(run)).host_failures).toBeGreaterThanOrEqual(times), PATIENCE);

const escalations = async (team: Team, run: string): Promise<number> =>
  (await look(team, run)).events.filter(({ type }) => type === "step.escalated").length;

describe.runIf(hasPostgres)("git host", () => {
  test("is waited for without an escalation while it is unreachable", async () => {
    const team = await createTeam();
    team.ada.plan({ turns: { implement: [MADE] } });
    const host = await startGitHost(team.remote);
    await team.administer("repository", "sample", host.url);
    host.cut();
    await team.worker("w1");
    const run = await beginRun(team);
    await untilHostFailed(team, run, 4);
    const { body } = await team.ask(team.adas, "/api/runs");
    expect(body.runs[0]).toMatchObject({ run, rests: "action", hostSince: expect.stringMatching(/^\d{4}-.*Z$/) });
    const status = await team.ada.script("status", "--run", run);
    expect(status.stdout).toContain("waiting for the git host since");
    host.restore();
    expect(await untilRests(team, run)).toBe("wait");
    expect(await team.row(run)).toMatchObject({ host_since: null, host_failures: 0, failures: 0 });
    await untilEnded(team, run);
    expect(await escalations(team, run)).toBe(0);
    expect(await findProblems(team, run)).toEqual([]);
  });

  test("is waited for with the finished work while it is read-only", async () => {
    const team = await createTeam();
    team.ada.plan({ turns: { implement: [{ ...MADE, delay: 1000 }] } });
    const host = await startGitHost(team.remote);
    await team.administer("repository", "sample", host.url);
    await team.worker("w1");
    const run = await beginRun(team);
    expect(await untilRests(team, run)).toBe("wait");
    await answerOpen(team, run);
    const worked = (): number => team.ada.log().filter(({ key }) => key === "implement").length;
    await vi.waitFor(() => expect(worked()).toBe(1), PATIENCE);
    host.setReadOnly(true);
    const { epoch } = await team.row(run);
    const waited = await vi.waitFor(async () => {
      const { body } = await team.ask(team.adas, "/api/runs");
      expect(body.runs[0].hostSince).not.toBeNull();
      return performance.now();
    }, PATIENCE);
    // Longer than the pauses of a push that does not wait.
    await vi.waitFor(() => expect(performance.now() - waited).toBeGreaterThan(OUTAGE_MS), PATIENCE);
    expect(await team.row(run)).toMatchObject({ epoch, worker: "w1", host_failures: 0 });
    host.setReadOnly(false);
    expect(await untilRests(team, run)).toBe("wait");
    expect(await team.row(run)).toMatchObject({ host_since: null, wait_kind: "gate" });
    expect(worked()).toBe(1);
    await untilEnded(team, run);
    expect(await escalations(team, run)).toBe(0);
    expect(await findProblems(team, run)).toEqual([]);
  });
});

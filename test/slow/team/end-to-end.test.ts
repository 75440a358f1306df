import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parsed } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";

const RUN_TIMEOUT = { timeout: 120_000, interval: 100 };

/** Waits until a run is driven and then waits or ends, in the given way. */
async function rests(team: Team, run: string, how: string): Promise<void> {
  await vi.waitFor(async () => expect((await team.row(run)).rests).not.toBe("action"), RUN_TIMEOUT);
  expect(await team.row(run)).toMatchObject({ rests: how, refused: null });
}

const listChildren = (pid: number | undefined): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((child) => child !== "");

describe.runIf(hasPostgres)("server with two workers", () => {
  test("drives a run from request to end, even if one worker is killed", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    ada.plan({ turns: { implement: [{ hangs: true }, { writes: { "src/made.js": "export const made = 1;\n" } }] } });
    const workers = new Map([
      ["w1", await team.worker("w1")],
      ["w2", await team.worker("w2")],
    ]);
    const asked = parsed(
      await team.as(adas, "request", "add a greeting", "--supervised", "--tests", "without", "--json"),
    );
    const run = asked.run as string;

    await rests(team, run, "wait");
    for (const worker of workers.values()) expect(worker.said()).not.toContain("Warning");
    const status = await ada.script("status", "--run", run);
    expect(status.stdout + status.stderr).toContain("waiting for a person");
    const gate = parsed(await ada.script("gate", "--json"));
    expect(gate.waiting).toMatchObject({ kind: "gate" });
    const nobody = await ada.script("continue");
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining("NEEDS_PERSON") });
    expect(nobody.stderr).toContain("take a token of your own at http://127.0.0.1:");
    const twice = await Promise.all([
      team.as(adas, "continue", "--record-only"),
      team.as(adas, "continue", "--record-only"),
    ]);
    expect(twice.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(twice.map(({ stderr }) => stderr).join("")).toContain("COMMAND_REFUSED");

    await vi.waitFor(() => expect(ada.log().filter(({ key }) => key === "implement")).toHaveLength(1), RUN_TIMEOUT);
    const { worker: victim, epoch } = await team.row(run);
    workers.get(victim)!.child.kill("SIGKILL");
    await rests(team, run, "wait");
    const after = await team.row(run);
    expect(after.epoch).toBeGreaterThan(epoch);
    expect(ada.log().filter(({ key }) => key === "implement")).toHaveLength(2);

    for (let kind = "gate"; kind !== "finish";) {
      kind = (await team.row(run)).wait_kind as string;
      const answered = await team.as(adas, "answer", kind === "finish" ? "keep" : "continue", "--record-only");
      expect(answered, answered.stderr).toMatchObject({ code: 0 });
      await vi.waitFor(async () => expect((await team.row(run)).rests).not.toBe("action"), RUN_TIMEOUT);
    }
    expect(await team.row(run)).toMatchObject({ rests: "ended", refused: null });
    workers.delete(victim);
    for (const { child } of workers.values())
      await vi.waitFor(
        () => expect(listChildren(child.pid), "processes that outlive their drives").toEqual([]),
        RUN_TIMEOUT,
      );
    const branch = (await team.row(run)).left_tree.branch as string;
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: remote, encoding: "utf8" });
    expect(git("show", `${branch}:src/made.js`)).toContain("made = 1");
    const attempts = git("log", "--format=%(trailers:key=Isdlc-Attempt,valueonly)", `main..${branch}`)
      .trim()
      .split(/\s+/);
    expect(new Set(attempts).size).toBe(attempts.length);
    expect(git("rev-parse", "main").trim()).toBe(ada.git("rev-parse", "main"));

    const mirrors = join(ada.base, "workers", victim, "mirrors");
    const [mirror = ""] = readdirSync(mirrors);
    const snapshots = (cwd: string): string =>
      execFileSync("git", ["for-each-ref", `refs/isdlc/${run}`], { cwd, encoding: "utf8" });
    expect(snapshots(join(mirrors, mirror))).not.toBe("");
    await team.worker(victim);
    await vi.waitFor(() => expect(snapshots(join(mirrors, mirror))).toBe(""), RUN_TIMEOUT);
    expect(snapshots(remote)).not.toBe("");
  });
});

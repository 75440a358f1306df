import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parsed } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { begin, createTeam, said } from "./support/team.ts";

describe.runIf(hasPostgres)("commands on a run of a team", () => {
  test("work the same from any clone, and exit with 3 if the run waits", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    await team.worker("w1");
    const clone = join(ada.base, "another-clone");
    execFileSync("git", ["clone", "--quiet", remote, clone], { env: ada.env });
    const says = (...args: string[]) => team.as(adas, "-C", clone, ...args);

    const begun = await says("add a greeting", "--team", "--supervised", "--tests", "without", "--json");
    expect(begun, begun.stderr).toMatchObject({ code: 3 });
    const { run: state, team: which } = parsed(begun);
    expect(state).toMatchObject({ waiting: { kind: "gate" } });
    const run = which.run as string;

    expect((await says("status")).stdout).toContain(run);
    expect((await says("items")).stdout).toContain(`${run}  add a greeting`);
    expect((await says("history")).stdout).toContain("change started by ada (token)");
    expect((await says("history", "--reviews")).code).toBe(0);
    const logs = await vi.waitFor(
      async () => {
        const { executions } = parsed(await says("logs", "--json"));
        expect(executions).not.toEqual([]);
        return executions;
      },
      { timeout: 30_000 },
    );
    expect(logs).toMatchObject([{ execution: expect.stringContaining("#1"), lines: expect.any(Array) }]);
    expect(logs[0].lines).not.toEqual([]);
    expect(await says("logs", "nobody")).toMatchObject({ code: 2 });

    const shown = parsed(await says("gate", "--json")).shown as string;
    expect(await says("continue", "--shown", "other")).toMatchObject({ code: 1 });
    expect(await says("redo", "Name the file greeting.js", "--shown", shown)).toMatchObject({ code: 3 });
    expect((await says("history")).stdout).toContain("redo by ada (token): Name the file greeting.js");
    const continued = await says("continue");
    expect(continued).toMatchObject({ code: 3, stderr: expect.not.stringContaining("interrupted") });
    const following = begin(ada, ["-C", clone, "logs", "-f"], { ISDLC_OPERATOR_TOKEN: adas });
    await said(following, /Waiting for you/);
    expect(await says("cancel", "--reason", "not wanted")).toMatchObject({ code: 0 });
    expect(await following.ended).toMatchObject({ code: 0 });
    expect(await team.row(run)).toMatchObject({ rests: "ended" });
    expect(await says("continue", "--run", run)).toMatchObject({ code: 1, stderr: expect.stringContaining("NO_RUN") });
  });

  test("report refusals of the server with the usual code, text and exit code", async () => {
    const team = await createTeam();
    const vics = await team.token("person", "vic");
    await team.administer("role", "sample", "vic", "viewer");
    const asked = ["request", "add a greeting"];
    expect(await team.as(vics, ...asked)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^NOT_ALLOWED: In sample you are viewer; .*\n {2}An admin of sample can change it/),
    });
    expect(await team.as(team.adas, ...asked, "--repository", "nothing")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^USAGE: There is no repository "nothing" here\.\n {2}Usage: /),
    });
    expect(await team.as(team.adas, "request", "x".repeat(501))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^USAGE: The title is longer than 500 characters\.\n {2}Usage: /),
    });
    expect((await team.ask(team.adas, "/api/runs")).body.runs).toEqual([]);
    const told = parsed(await team.as(team.adas, ...asked, "--repository", "nothing", "--json"));
    expect(told).toMatchObject({ ok: false, problem: { code: "USAGE", server: team.url, usage: expect.any(String) } });
    await team.administer("revoke", "vic");
    expect(await team.as(vics, ...asked)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^TOKEN_REFUSED: /) });
  });

  test.for(["--dry-run", "--worktree", "--light"])("reject %s instead of ignoring it", async (option) => {
    const team = await createTeam();
    const begun = await team.as(team.adas, "add a greeting", "--team", option);
    expect(begun).toMatchObject({ code: 2, stderr: expect.stringContaining(option) });
    expect((await team.ask(team.adas, "/api/runs")).body.runs).toEqual([]);
  });

  test("report the reason if no worker can start the run", async () => {
    const team = await createTeam();
    await team.worker("w1");
    const begun = await team.as(team.adas, "run", "nothing-like-it", "add a greeting", "--team");
    expect(begun).toMatchObject({ code: 1, stderr: expect.stringContaining("TEAM_RUN_REFUSED") });
  });
});

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { shownDigest } from "../../../src/app/answer/answer.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { answerOpen, beginRun, look, PATIENCE, untilRests } from "./support/team-runs.ts";

describe.runIf(hasPostgres)("server", () => {
  test("merges onto the base that was shown, and asks again if it moved", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    ada.plan({ turns: { implement: [{ writes: { "src/made.js": "export const made = 1;\n" } }] } });
    await team.worker("w1");
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: remote, encoding: "utf8", env: ada.env }).trim();

    const begun = await team.as(adas, "add a greeting", "--team", "--tests", "without");
    expect(begun, begun.stderr).toMatchObject({ code: 3 });
    expect(git("log", "--format=%s", "main")).not.toContain("Merge");
    expect(await team.as(adas, "continue")).toMatchObject({ code: 3 });
    pushElsewhere(team);
    const moved = git("rev-parse", "main");

    const first = await team.as(adas, "answer", "merge");
    expect(first, first.stderr).toMatchObject({ code: 3 });
    expect(first.stdout).toContain("main moved");
    expect(git("rev-parse", "main")).toBe(moved);
    const second = await team.as(adas, "answer", "merge");
    expect(second, second.stderr).toMatchObject({ code: 0 });
    expect(git("show", "main:src/made.js")).toContain("made = 1");
    expect(git("show", "main:elsewhere.txt")).toBe("theirs");
    expect(git("rev-list", "--merges", "--count", "main")).toBe("1");
    expect(git("log", "-1", "--format=%an, %cn", "main")).toBe("ada, isdlc server");
    const worker = git("log", "-1", "--format=%H", "main^2");
    expect(git("rev-parse", `refs/isdlc/${(await team.ask(adas, "/api/runs")).body.runs[0].run}/merged`)).toBe(
      git("rev-parse", "main"),
    );
    expect(worker).not.toBe("");
  });

  test("finds its own merge under a later push after a crash between push and record", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    ada.plan({ turns: { implement: [{ writes: { "src/made.js": "export const made = 1;\n" } }] } });
    await team.worker("w1");
    const run = await beginRun(team);
    await untilRests(team, run);
    while ((await team.row(run)).wait_kind !== "finish") {
      await answerOpen(team, run);
      await untilRests(team, run);
    }
    const [arrived, letGo] = [join(ada.base, "arrived"), join(ada.base, "let-go")];
    const untilLetGo = `[ -e '${arrived}' ] && exit 0; touch '${arrived}'; until [ -e '${letGo}' ]; do sleep 0.05; done`;
    const hook = `#!/bin/sh\nif grep -q refs/heads/main; then ${untilLetGo}; fi\n`;
    writeFileSync(join(remote, "hooks", "post-receive"), hook, { mode: 0o755 });

    const { state } = await look(team, run);
    const wait = state.is === "active" && state.wait !== null ? state.wait.id : "";
    const shown = state.is === "active" ? shownDigest(state) : null;
    const answered = await team.ask(adas, `/api/runs/${run}/answer`, { wait, shown, option: "merge" });
    expect(answered.status, JSON.stringify(answered.body)).toBe(200);
    await vi.waitFor(() => expect(existsSync(arrived)).toBe(true), PATIENCE);
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: remote, encoding: "utf8" }).trim();
    const merged = git("rev-parse", "main");
    team.first.child.kill("SIGKILL");
    await team.first.ended;
    pushElsewhere(team);
    writeFileSync(letGo, "");
    const second = await team.server();
    await team.workerAt(second.url, "w2");
    expect(await untilRests(team, run)).toBe("ended");

    const { rows } = await team.database.pool.query("select line, sender_kind from isdlc.decision where run = $1", [
      run,
    ]);
    const last = rows.find(({ line }) => line.includes('"run.finished"'));
    expect(last).toMatchObject({ sender_kind: "server", line: expect.stringContaining(`"merged":"${merged}"`) });
    expect(git("rev-list", "--merges", "--count", "main")).toBe("1");
    expect(git("rev-parse", "main^")).toBe(merged);
    expect(git("show", "main:elsewhere.txt")).toBe("theirs");
  });
});

function pushElsewhere({ ada, remote }: Team): void {
  const clone = mkdtempSync(join(ada.base, "theirs-"));
  const inClone = (...args: string[]): unknown => execFileSync("git", args, { cwd: clone, env: ada.env });
  inClone("clone", "--quiet", remote, ".");
  writeFileSync(join(clone, "elsewhere.txt"), "theirs\n");
  inClone("add", "elsewhere.txt");
  inClone("-c", "user.name=bob", "-c", "user.email=bob@example.org", "commit", "--quiet", "-m", "Theirs");
  inClone("push", "--quiet", "origin", "HEAD:main");
}

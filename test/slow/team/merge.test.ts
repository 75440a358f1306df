import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { shownOf } from "../../../src/app/answer/answer.ts";
import { createLineProxy } from "./support/line-proxy.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam } from "./support/team.ts";
import { answerOpen, beginRun, look, PATIENCE, untilRests } from "./support/team-runs.ts";

describe.runIf(hasPostgres)("a worker merges", () => {
  test("onto the base that was shown; where it moved, it asks again and merges once", async () => {
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
    pushElsewhere();
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

    function pushElsewhere(): void {
      const clone = mkdtempSync(join(ada.base, "theirs-"));
      const inClone = (...args: string[]): unknown => execFileSync("git", args, { cwd: clone, env: ada.env });
      inClone("clone", "--quiet", remote, ".");
      writeFileSync(join(clone, "elsewhere.txt"), "theirs\n");
      inClone("add", "elsewhere.txt");
      inClone("-c", "user.name=bob", "-c", "user.email=bob@example.org", "commit", "--quiet", "-m", "Theirs");
      inClone("push", "--quiet", "origin", "HEAD:main");
    }
  });

  test("once, where it was cut off between its push and its report: whoever takes over finds the merge", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    ada.plan({ turns: { implement: [{ writes: { "src/made.js": "export const made = 1;\n" } }] } });
    const line = await createLineProxy(team.url);
    afterAll(() => line.close());
    const cutOff = await team.workerAt(line.url, "w1");
    const run = await beginRun(team);
    await untilRests(team, run);
    while ((await team.row(run)).wait_kind !== "finish") {
      await answerOpen(team, run);
      await untilRests(team, run);
    }
    const [arrived, letGo] = [join(ada.base, "arrived"), join(ada.base, "let-go")];
    const untilLetGo = `touch '${arrived}'; until [ -e '${letGo}' ]; do sleep 0.05; done`;
    const hook = `#!/bin/sh\nif grep -q refs/heads/main; then ${untilLetGo}; fi\n`;
    writeFileSync(join(remote, "hooks", "post-receive"), hook, { mode: 0o755 });

    const { state } = await look(team, run);
    const wait = state.is === "active" && state.wait !== null ? state.wait.id : "";
    const shown = state.is === "active" ? shownOf(state) : null;
    const answered = await team.ask(adas, `/api/runs/${run}/answer`, { wait, shown, option: "merge" });
    expect(answered.status, JSON.stringify(answered.body)).toBe(200);
    await vi.waitFor(() => expect(existsSync(arrived)).toBe(true), PATIENCE);
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: remote, encoding: "utf8" }).trim();
    const merged = git("rev-parse", "main");
    line.cut();
    writeFileSync(letGo, "");
    await team.worker("w2");
    expect(await untilRests(team, run)).toBe("ended");
    line.restore();
    await vi.waitFor(() => expect(cutOff.said()).toContain('"end":"fenced"'), PATIENCE);

    const { events } = await look(team, run);
    expect(events.at(-1)).toMatchObject({ type: "run.finished", merged });
    expect(git("rev-parse", "main")).toBe(merged);
    expect(git("rev-list", "--merges", "--count", "main")).toBe("1");
    const senders = "select sender from isdlc.decision where run = $1 order by seq desc limit 1";
    expect((await team.database.pool.query(senders, [run])).rows).toEqual([{ sender: "w2" }]);
  });
});

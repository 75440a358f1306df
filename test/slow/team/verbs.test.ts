import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parsed } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam } from "./support/team.ts";
import { PATIENCE } from "./support/team-runs.ts";

describe.runIf(hasPostgres)("commands on a team's run from any clone", () => {
  test("show changes and patch at a gate without leaving a ref in the clone", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    ada.plan({
      turns: {
        plan: [{ writes: { "{item}/plan.md": "# Plan\n\nIn one line.\n" } }],
        implement: [{ writes: { "src/made.js": "export const made = 1;\n" } }],
      },
    });
    await team.worker("w1");
    const clone = join(ada.base, "another-clone");
    execFileSync("git", ["clone", "--quiet", remote, clone], { env: ada.env });
    const nowhere = join(ada.base, "nowhere");
    mkdirSync(nowhere);
    const says = (...args: string[]) => team.as(adas, "-C", clone, ...args);
    const git = (cwd: string, ...args: string[]): string =>
      execFileSync("git", args, { cwd, encoding: "utf8", env: ada.env }).trim();

    const begun = await says("add a greeting", "--team", "--supervised", "--tests", "without", "--json");
    expect(begun, begun.stderr).toMatchObject({ code: 3 });
    const run = parsed(begun).team.run as string;
    const plain = await says("gate");
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(plain.stdout).toContain("plan.md");
    expect(plain.stdout).not.toContain("+In one line.");
    expect((await says("gate", "--diff")).stdout).toContain("+In one line.");
    const elsewhere = await team.as(adas, "-C", nowhere, "gate", "--run", run);
    expect(elsewhere).toMatchObject({ code: 0, stderr: expect.stringContaining("could not show the changes") });
    expect(await team.as(adas, "-C", nowhere, "gate", "--diff", "--run", run)).toMatchObject({ code: 1 });

    expect(await says("continue")).toMatchObject({ code: 3 });
    const { base, files, patch } = parsed(await says("gate", "--diff", "--json"));
    expect(base).toMatch(/^since you accepted /);
    expect(files).toContainEqual(expect.objectContaining({ path: "src/made.js", change: "added", added: 1 }));
    expect(patch).toContain("+export const made = 1;");
    expect(await says("continue")).toMatchObject({ code: 3 });
    expect(await says("continue")).toMatchObject({ code: 3 });
    const end = parsed(await says("gate", "--diff", "--json"));
    expect(end).toMatchObject({ waiting: { kind: "finish" }, base: expect.stringMatching(/^against main /) });
    expect(end.patch).toContain("+export const made = 1;");
    expect(git(clone, "for-each-ref", "refs/isdlc")).toBe("");

    expect(await says("answer", "discard")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Valid: merge, squash, pr, keep."),
    });
  });

  test("confirm discard, delete the branch at the remote and save it under a ref", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    await team.worker("w1");
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: remote, encoding: "utf8", env: ada.env }).trim();
    const wanted = ["run", "spec", "add a greeting", "--team", "--mode", "hotfix", "--tests", "without", "--json"];
    let at = await team.as(adas, ...wanted);
    const run = parsed(at).team.run as string;
    while (parsed(at).run.waiting.kind !== "finish") {
      at = await team.as(adas, "continue", "--json");
      expect(at, at.stderr + at.stdout).toMatchObject({ code: 3 });
    }
    const branch = (await team.row(run)).left_tree.branch as string;
    const tip = git("rev-parse", branch);
    const main = git("rev-parse", "main");
    const unsure = await team.as(adas, "answer", "discard");
    expect(unsure).toMatchObject({ code: 3, stdout: expect.stringContaining("Run it again with --yes.") });
    const { waiting } = parsed(await team.as(adas, "gate", "--json"));
    const sent = { wait: waiting.id, shown: waiting.id, option: "discard" };
    expect(await team.ask(adas, `/api/runs/${run}/answer`, sent)).toMatchObject({ status: 400 });
    expect(git("rev-parse", branch)).toBe(tip);
    const done = await team.as(adas, "answer", "discard", "--yes");
    expect(done, done.stderr).toMatchObject({ code: 0 });
    const kept = `refs/isdlc/${run}/discarded`;
    expect(done.stdout).toContain(`keeps it on ${kept}`);
    await vi.waitFor(() => expect(git("branch", "--list", branch)).toBe(""), PATIENCE);
    expect(git("merge-base", tip, kept)).toBe(tip);
    expect(git("rev-parse", "main")).toBe(main);
  });
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam } from "./support/team.ts";

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
});

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parsed } from "../../support/cli.ts";
import { createPageClient } from "./support/page-client.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { look, PATIENCE } from "./support/team-runs.ts";

/**
 * A hook that delays the first branch deletion until the file `go` exists, then exits with the status. Files report
 * its progress.
 */
const holding = (status: number): string => `#!/bin/sh
while read -r old new ref; do
  case "$new $ref" in
    *[!0]*" refs/heads/"*) ;;
    *" refs/heads/"*)
      if [ ! -e reached ]; then
        : > reached
        while [ ! -e go ]; do sleep 0.1; done
        exit ${status}
      fi ;;
  esac
done
`;

/** A run at the finish question. */
async function atItsEnd(team: Team): Promise<{ run: string; branch: string }> {
  const wanted = ["run", "spec", "add a greeting", "--team", "--mode", "hotfix", "--tests", "without", "--json"];
  let at = await team.as(team.adas, ...wanted);
  const run = parsed(at).team.run as string;
  while (parsed(at).run.waiting.kind !== "finish") {
    at = await team.as(team.adas, "continue", "--json");
    expect(at, at.stderr + at.stdout).toMatchObject({ code: 3 });
  }
  return { run, branch: (await team.row(run)).left_tree.branch as string };
}

describe.runIf(hasPostgres)("discard by a worker that is killed", () => {
  test.for([
    ["before the branch is deleted", "pre-receive", 1],
    ["after the branch is deleted", "post-receive", 0],
  ] as const)("is finished once by another worker if the first is killed %s", async ([, hook, status]) => {
    const team = await createTeam();
    const { adas, remote } = team;
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: remote, encoding: "utf8", env: team.ada.env }).trim();
    const first = await team.worker("w1");
    const { run, branch } = await atItsEnd(team);
    writeFileSync(join(remote, "hooks", hook), holding(status), { mode: 0o755 });
    expect(await team.as(adas, "answer", "discard", "--yes", "--record-only")).toMatchObject({ code: 0 });
    await vi.waitFor(() => expect(existsSync(join(remote, "reached")), first.said()).toBe(true), PATIENCE);
    first.child.kill("SIGKILL");
    await first.ended;
    writeFileSync(join(remote, "go"), "");
    expect(await team.row(run)).toMatchObject({ rests: "action" });
    const second = await team.worker("w2");
    await vi.waitFor(
      async () => expect(await team.row(run), second.said()).toMatchObject({ rests: "ended" }),
      PATIENCE,
    );
    expect(git("branch", "--list", branch)).toBe("");
    expect(git("show", "--stat", `refs/isdlc/${run}/discarded`)).toContain("Isdlc-Attempt");
    const { events } = await look(team, run);
    expect(events.filter(({ type }) => type === "run.finished")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "step.escalated")).toEqual([]);
    expect(second.said()).not.toContain("could not be deleted");
  });

  test("keeps a branch with pushes of someone else and reports it", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: remote, encoding: "utf8", env: ada.env }).trim();
    const worker = await team.worker("w1");
    const { run, branch } = await atItsEnd(team);
    const hook = `#!/bin/sh\nread -r old new ref\n[ "$ref" = refs/isdlc/${run}/discarded ] && git update-ref refs/heads/${branch} main\nexit 0\n`;
    writeFileSync(join(remote, "hooks", "post-receive"), hook, { mode: 0o755 });
    const done = await team.as(adas, "answer", "discard", "--yes");
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(done.stdout).toContain(`The branch ${branch} was not deleted at the remote: another user pushed to it`);
    expect(done.stdout).toContain(`If it is no longer needed: git push origin --delete ${branch}`);
    expect(git("rev-parse", branch)).toBe(git("rev-parse", "main"));
    await vi.waitFor(() => expect(worker.said()).toContain("could not be deleted at the remote"), PATIENCE);
  });
});

describe.runIf(hasPostgres)("discarded branch that the remote refuses to delete", () => {
  test("is reported in status and history with the command that deletes it", async () => {
    const team = await createTeam();
    const { ada, adas, remote } = team;
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: remote, encoding: "utf8", env: ada.env }).trim();
    await team.worker("w1");
    const { run, branch } = await atItsEnd(team);
    const hook = `#!/bin/sh\nread -r old new ref\ncase "$new" in *[!0]*) exit 0 ;; esac\necho "protected; ask \\033[31mops" >&2\necho x >> refused\nexit 1\n`;
    writeFileSync(join(remote, "hooks", "pre-receive"), hook, { mode: 0o755 });
    const done = await team.as(adas, "answer", "discard", "--yes", "--json");
    expect(done, done.stderr).toMatchObject({ code: 0 });
    const tip = git("rev-parse", branch);
    expect(parsed(done).team).toMatchObject({ run, leftBranch: { branch, tip } });
    expect(readFileSync(join(remote, "refused"), "utf8")).toBe("x\nx\nx\n"); // it was retried
    const fix = `git push --force-with-lease=${branch}:${tip} origin :${branch}`;
    for (const verb of ["status", "history"]) {
      const { stdout } = await team.as(adas, verb, "--run", run);
      expect(stdout).toContain(`The branch ${branch} was not deleted at the remote: `);
      expect(stdout).toContain("remote: protected; ask ops");
      expect(stdout).toContain(fix);
    }
    const page = createPageClient(team.url);
    await page.signIn(adas);
    expect((await page.get(`/runs/${run}`)).body.warnings).toEqual([expect.stringContaining(fix)]);

    rmSync(join(remote, "hooks", "pre-receive"));
    execFileSync("git", fix.split(" ").slice(1), { cwd: ada.root, env: ada.env });
    expect(git("branch", "--list", branch)).toBe("");
    expect(git("merge-base", tip, `refs/isdlc/${run}/discarded`)).toBe(tip);
  });
});

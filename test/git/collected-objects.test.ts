import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** A git that deletes all unreachable objects before the given command, up to `times` times. */
function collectingGit(command: string, times: number): NodeJS.ProcessEnv {
  const folder = join(fixture.base, "programs");
  const count = join(folder, "count");
  mkdirSync(folder);
  writeFileSync(count, "");
  const program = `#!/bin/sh
for argument in "$@"; do
  if [ "$argument" = ${command} ] && [ "$(wc -c < ${count})" -lt ${times} ]; then
    printf x >> ${count}
    ${realGit} -C ${fixture.repo} prune --expire=now
  fi
done
exec ${realGit} "$@"
`;
  writeFileSync(join(folder, "git"), program);
  chmodSync(join(folder, "git"), 0o755);
  return { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
}

function workspaceWith(command: string, times: number) {
  fixture.write("a", "1\n");
  fixture.commitAll("one");
  fixture.write("a", "2\n");
  fixture.write("folder/new", "1\n");
  return createGitWorkspace(fixture.repo, { run: "run", env: collectingGit(command, times) });
}

describe("objects that git deletes during a snapshot", () => {
  test.each([
    ["mktree", 1],
    ["mktree", 2],
    ["commit", 1],
    ["update-ref", 1],
    ["update-ref", 2],
  ])("are written again: before %s, %d times", async (command, times) => {
    const taken = (await workspaceWith(command, times).snapshot("taken", [])) ?? "";
    expect(fixture.git("ls-tree", "-r", "--name-only", taken).split("\n")).toEqual(["a", "folder/new"]);
    expect(fixture.git("show", `${taken}:a`).trim()).toBe("2");
    fixture.git("fsck", "--connectivity-only");
  });

  test("cause a problem if they are deleted each time", async () => {
    await expect(workspaceWith("mktree", 100).snapshot("taken", [])).rejects.toMatchObject({
      problem: { code: "GIT_FAILED", command: "mktree" },
    });
  });
});

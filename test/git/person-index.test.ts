import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { countGits } from "./count-gits.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

describe("changed user index", () => {
  test("causes no further git for files that were scanned and then committed", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const gits = countGits(fixture.base);
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    fixture.write("a", "2\n");
    fixture.write("new", "1\n");
    const asked = async () => {
      const before = gits();
      await workspace.now([]);
      return gits() - before;
    };
    while ((await asked()) > 0); // Recently written files are left to git.
    fixture.commitAll("two");
    expect(await asked()).toBe(0);
  });

  const changes: readonly (readonly [what: string, change: () => void])[] = [
    ["an ignored file is added", () => fixture.git("add", "--force", "new.log")],
    ["an ignored file is removed", () => fixture.git("rm", "--cached", "--quiet", "known.log")],
    [
      "an entry has unconverted line endings",
      () => {
        writeFileSync(join(fixture.base, "returns"), "1\r\n2\n");
        const id = fixture.git("hash-object", "-w", "--no-filters", join(fixture.base, "returns"));
        fixture.git("update-index", "--cacheinfo", `100644,${id},text`);
        fixture.write("text", "1\r\n3\r\n");
      },
    ],
  ];
  test.each(changes)("causes a full scan if %s", async (_, change) => {
    fixture.write(".gitattributes", "text text=auto\n");
    fixture.write(".gitignore", "*.log\n");
    fixture.write("known.log", "1\n");
    fixture.write("text", "1\n2\n");
    fixture.git("add", "--force", "known.log");
    fixture.commitAll("one");
    fixture.write("new.log", "1\n");
    const following = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const first = await following.now([]);
    change();
    const found = await following.now([]);
    expect(found).toBe(await createGitWorkspace(fixture.repo, { run: "fresh", env: process.env }).now([]));
    expect(found).not.toBe(first);
  });
});

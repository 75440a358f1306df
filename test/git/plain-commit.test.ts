import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { countGits } from "./count-gits.ts";
import { agreeing, useRepository } from "./repository-fixture.ts";
import { commitRequest } from "./write-requests.ts";

const fixture = useRepository();

/** Commits `a` with the message and returns the message as stored. */
async function committed(message: string): Promise<string> {
  fixture.write("a", `${Math.random()}\n`);
  const request = await commitRequest(fixture, ["a"]);
  expect((await createGitWrite(fixture.repo, agreeing).commit({ ...request, message })).is).toBe("done");
  return fixture.git("cat-file", "commit", "HEAD").split("\n\n").slice(1).join("\n\n");
}

const MESSAGES = ["one\n\ntwo", "\n\n one \t\n\n\n\n# two  \r\n\t\nthree\n\n", "ä \u{1F600}", "one\n \n \n \ntwo"];

describe("commit without hooks", () => {
  test.each(MESSAGES)("stores the message %j like git", async (message) => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const plain = await committed(message);
    fixture.hook("post-commit", "true"); // With a hook, git itself commits.
    expect(await committed(message)).toBe(plain);
    expect(plain).toContain("Isdlc-Attempt: run/01-x#1");
  });

  test.each([
    ["default settings", {}],
    ["a name of several words", { "user.name": "Ännä van \u{1F600}" }],
    ["a separate author", { "author.name": "Other", "author.email": "o@example.org" }],
    ["a name shortened by git", { "user.name": " .Per<son>, " }],
  ])("stores the same author and committer as git: %s", async (_, settings: Record<string, string>) => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    for (const [key, value] of Object.entries(settings)) fixture.git("config", key, value);
    const people = (): string => fixture.git("log", "-1", "--format=%an <%ae> %cn <%ce> %ad", "--date=format:%z");
    await committed("two");
    const here = people();
    fixture.hook("post-commit", "true"); // With a hook, git itself commits.
    await committed("three");
    expect(people()).toBe(here);
  });

  test("needs no other process while git is running", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const write = createGitWrite(fixture.repo, agreeing);
    const commit = async (): Promise<void> => {
      fixture.write("a", `${Math.random()}\n`);
      expect((await write.commit(await commitRequest(fixture, ["a"]))).is).toBe("done");
    };
    await commit();
    fixture.write("a", `${Math.random()}\n`);
    const request = await commitRequest(fixture, ["a"]);
    const gits = countGits(fixture.base);
    expect((await write.commit(request)).is).toBe("done");
    expect(gits()).toBe(1); // The user's index follows.
  });

  test("has the user as author and an entry in both reflogs", async () => {
    fixture.write("a", "1\n");
    const first = fixture.commitAll("one");
    await committed("two");
    expect(fixture.git("log", "-1", "--format=%an %ae %cn %P")).toBe(`Person person@example.org Person ${first}`);
    expect(fixture.git("reflog", "-1", "--format=%gs")).toBe("commit (isdlc)");
    expect(fixture.git("reflog", "-1", "--format=%gs", "main")).toBe("commit (isdlc)");
  });

  test("is not used if a hook configured by the user would run", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const folder = join(fixture.base, "hooks");
    const mark = join(fixture.base, "ran");
    mkdirSync(folder);
    fixture.hook("../../../hooks/commit-msg", `: > "${mark}"`);
    fixture.git("config", "--global", "core.hooksPath", folder);
    await committed("two");
    expect(existsSync(mark)).toBe(true);
  });

  test("refuses a parent that is not HEAD anymore", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    fixture.write("a", "2\n");
    const request = await commitRequest(fixture, ["a"]);
    const other = fixture.commitAll("other");
    expect(await createGitWrite(fixture.repo, agreeing).commit(request)).toEqual({ is: "moved" });
    expect(fixture.git("rev-parse", "HEAD")).toBe(other);
  });
});

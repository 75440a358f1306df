import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWrite } from "../../src/adapters/git/write/git-write.ts";
import { countGits } from "./count-gits.ts";
import { agreeing, useRepository } from "./repository-fixture.ts";
import { commitOf } from "./write-requests.ts";

const fixture = useRepository();

/** Commits `a` with the message; gives the message as the repository has it. */
async function committed(message: string): Promise<string> {
  fixture.write("a", `${Math.random()}\n`);
  const request = await commitOf(fixture, ["a"]);
  expect((await createGitWrite(fixture.repo, agreeing).commit({ ...request, message })).is).toBe("done");
  return fixture.git("cat-file", "commit", "HEAD").split("\n\n").slice(1).join("\n\n");
}

const MESSAGES = ["one\n\ntwo", "\n\n one \t\n\n\n\n# two  \r\n\t\nthree\n\n", "ä \u{1F600}", "one\n \n \n \ntwo"];

describe("a commit without hooks", () => {
  test.each(MESSAGES)("is what git itself makes of the message %j", async (message) => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const plain = await committed(message);
    fixture.hook("post-commit", "true"); // now git itself makes it
    expect(await committed(message)).toBe(plain);
    expect(plain).toContain("Isdlc-Attempt: run/01-x#1");
  });

  test.each([
    ["plain", {}],
    ["with a name of more than one word", { "user.name": "Ännä van \u{1F600}" }],
    ["with an author of its own", { "author.name": "Other", "author.email": "o@example.org" }],
    ["with a name that git shortens", { "user.name": " .Per<son>, " }],
  ])("names the same people as git does: %s", async (_, settings: Record<string, string>) => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    for (const [key, value] of Object.entries(settings)) fixture.git("config", key, value);
    const people = (): string => fixture.git("log", "-1", "--format=%an <%ae> %cn <%ce> %ad", "--date=format:%z");
    await committed("two");
    const here = people();
    fixture.hook("post-commit", "true"); // now git itself makes it
    await committed("three");
    expect(people()).toBe(here);
  });

  test("needs no process of its own once git is at work", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const write = createGitWrite(fixture.repo, agreeing);
    const commit = async (): Promise<void> => {
      fixture.write("a", `${Math.random()}\n`);
      expect((await write.commit(await commitOf(fixture, ["a"]))).is).toBe("done");
    };
    await commit();
    fixture.write("a", `${Math.random()}\n`);
    const request = await commitOf(fixture, ["a"]);
    const gits = countGits(fixture.base);
    expect((await write.commit(request)).is).toBe("done");
    expect(gits()).toBe(1); // the person's index follows
  });

  test("is the person's, in the history of HEAD and of its branch", async () => {
    fixture.write("a", "1\n");
    const first = fixture.commitAll("one");
    await committed("two");
    expect(fixture.git("log", "-1", "--format=%an %ae %cn %P")).toBe(`Person person@example.org Person ${first}`);
    expect(fixture.git("reflog", "-1", "--format=%gs")).toBe("commit (isdlc)");
    expect(fixture.git("reflog", "-1", "--format=%gs", "main")).toBe("commit (isdlc)");
  });

  test("is not made that way where a hook in a place of the person's would run", async () => {
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

  test("follows only its parent: one that was made meanwhile stays", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    fixture.write("a", "2\n");
    const request = await commitOf(fixture, ["a"]);
    const other = fixture.commitAll("other");
    expect(await createGitWrite(fixture.repo, agreeing).commit(request)).toEqual({ is: "moved" });
    expect(fixture.git("rev-parse", "HEAD")).toBe(other);
  });
});

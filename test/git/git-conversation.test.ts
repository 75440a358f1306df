import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { releaseRepository } from "../../src/adapters/git/snapshot/repository-store.ts";
import { startGit } from "../../src/adapters/git/process/git.ts";
import { createConversation, type TalkingGit } from "../../src/adapters/git/process/git-conversation.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

/** A conversation about objects, and each git started for it. */
function conversation(idleMilliseconds?: number) {
  const started: TalkingGit[] = [];
  const start = (): TalkingGit => {
    const git = startGit({ top: fixture.repo, env: process.env }, ["cat-file", "--batch-check"]);
    started.push(git);
    return git;
  };
  const talk = createConversation("cat-file", start, idleMilliseconds);
  const ask = (id: string): Promise<string> => talk.ask(Buffer.from(`${id}\n`), (answers) => answers.line());
  return { started, ask };
}

const NONE = "0".repeat(40);

describe("git process of a conversation", () => {
  test("answers many requests in order", async () => {
    const { started, ask } = conversation();
    const ids = ["1", "2", "3"].map((digit) => digit.repeat(40));
    expect(await Promise.all(ids.map(ask))).toEqual(ids.map((id) => `${id} missing`));
    expect(started).toHaveLength(1);
  });

  test("exits when idle and is replaced for the next request", async () => {
    const { started, ask } = conversation(1);
    await ask(NONE);
    const [first] = started;
    if (first?.exitCode === null && first.signalCode === null) await once(first, "exit");
    expect(await ask(NONE)).toBe(`${NONE} missing`);
    expect(started).toHaveLength(2);
  });

  test("exits before its working tree is removed and is replaced for a later request", async () => {
    const { started, ask } = conversation();
    await ask(NONE);
    const [first] = started;
    releaseRepository(fixture.repo);
    if (first?.exitCode === null && first.signalCode === null) await once(first, "exit");
    expect(first?.signalCode).toBe("SIGKILL");
    expect(await ask(NONE)).toBe(`${NONE} missing`);
    expect(started).toHaveLength(2);
    releaseRepository(fixture.repo);
  });

  test("is replaced after it was killed", async () => {
    const { started, ask } = conversation();
    await ask(NONE);
    const [first] = started;
    first?.kill("SIGKILL");
    expect(await ask(NONE)).toBe(`${NONE} missing`);
    expect(started).toHaveLength(2);
  });
});

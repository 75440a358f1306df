import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/cli.ts";

const implementer = (sandbox: Sandbox) => sandbox.log().filter(({ key }) => key === "implement");

test.concurrent("returns a phase without code changes to its agent once, then escalates", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: {} }] } });
  const started = await sandbox.script("say hello", ...sandbox.agent);
  expect(started).toMatchObject({ code: 3, stdout: expect.stringContaining("has to change code") });
  expect(implementer(sandbox).map(({ prompt }) => prompt.includes("no file of this repository was changed"))).toEqual([
    false,
    true,
  ]);
  expect(await sandbox.status()).toMatchObject({
    current: "implement",
    waiting: { kind: "escalation", reason: "no_change", options: ["retry", "skip", "cancel"] },
  });
  sandbox.plan({ turns: { implement: [{ writes: { "hello.txt": "hello\n" } }] } });
  await sandbox.person("retry");
  expect(await sandbox.status()).toMatchObject({ current: "final-review", waiting: { kind: "gate" } });
});

test.concurrent("ignores changes inside a submodule and notifies the agent", async () => {
  const sandbox = await createSandbox();
  const other = join(sandbox.base, "other");
  mkdirSync(other);
  writeFileSync(join(other, "lib.txt"), "1\n");
  const inOther = (...args: string[]) => execFileSync("git", args, { cwd: other, env: sandbox.env });
  const who = ["-c", "user.name=P", "-c", "user.email=p@example.org"];
  inOther("init", "--quiet", "--initial-branch=main");
  inOther("add", "--all");
  inOther(...who, "commit", "--quiet", "--message", "Other");
  sandbox.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "vendor/lib");
  sandbox.git("commit", "--quiet", "--message", "With a submodule");
  sandbox.plan({ turns: { implement: [{ writes: { "vendor/lib/lib.txt": "2\n" } }] } });
  await sandbox.script("say hello", ...sandbox.agent);
  expect(implementer(sandbox)).toHaveLength(2);
  expect(implementer(sandbox)[1]?.prompt).toContain("A change inside vendor/lib does not count");
  expect(await sandbox.status()).toMatchObject({ waiting: { reason: "no_change" } });
});

test.concurrent("does not merge a branch equal to its base, and does not claim it", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: {} }] } });
  const base = sandbox.git("rev-parse", "main");
  await sandbox.script("say hello", ...sandbox.agent);
  await sandbox.person("skip");
  await sandbox.person("continue");
  expect((await sandbox.script("gate")).stdout).toContain("there is nothing to merge");
  const ended = await sandbox.person("answer", "merge");
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was merged: change/say-hello") });
  expect(ended.stdout).not.toContain("Merged");
  expect((await sandbox.events()).at(-1)).toMatchObject({ type: "run.finished", how: "merge", merged: null });
  expect(sandbox.git("rev-parse", "main")).toBe(base);
  expect(sandbox.git("branch", "--show-current")).toBe("main");
});

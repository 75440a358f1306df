import { cpSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

async function atGate(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  const started = await sandbox.script(
    "add a greeting",
    "--supervised",
    "--tests",
    "without",
    "--json",
    ...sandbox.agent,
  );
  expect(parsed(started).run.waiting.kind).toBe("gate");
  return sandbox;
}

const problemOf = async (sandbox: Sandbox, ...args: string[]): Promise<string | undefined> =>
  parsed(await sandbox.person(...args, "--json")).problem?.code;

test.concurrent("continues a moved working tree after doctor --fix", async () => {
  const sandbox = await atGate();
  const moved = join(sandbox.base, "moved");
  renameSync(sandbox.root, moved);
  mkdirSync(sandbox.root);
  expect(await problemOf(sandbox, "-C", moved, "continue")).toBe("JOURNAL_ELSEWHERE");
  expect(parsed(await sandbox.script("-C", moved, "verify-journal", "--json")).ok).toBe(false);
  const fixed = await sandbox.person("-C", moved, "doctor", "--fix");
  expect(fixed.stdout).toContain("was started elsewhere and continues here now");
  expect(parsed(await sandbox.script("-C", moved, "status", "--json")).run.waiting.kind).toBe("gate");
});

test.concurrent("never replaces a run by one of another working tree", async () => {
  const sandbox = await atGate();
  const other = join(sandbox.base, "other");
  cpSync(sandbox.root, other, { recursive: true });
  expect(await problemOf(sandbox, "-C", other, "continue")).toBe("JOURNAL_ELSEWHERE");
  await sandbox.person("cancel", "--reason", "another one");
  await sandbox.script("add another", "--supervised", "--tests", "without", ...sandbox.agent);
  const mine = (await sandbox.status()).id;
  const journal = join(sandbox.root, ".isdlc/journal");
  const [foreign = ""] = readdirSync(join(other, ".isdlc/journal")).filter((name) => name.endsWith(".jsonl"));
  const renamed = foreign.replace(/^\d{8}/, "29990101");
  cpSync(join(other, ".isdlc/journal", foreign), join(journal, renamed));
  expect(await problemOf(sandbox, "continue")).toMatch(/^JOURNAL_/);
  await sandbox.person("doctor", "--fix");
  expect((await sandbox.status()).id).toBe(mine);
});

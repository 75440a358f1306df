import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const reserved = (sandbox: Sandbox): string[] =>
  sandbox.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/isdlc/ids").split("\n");

test.concurrent("reserves a number once over all worktrees, even without commits", async () => {
  const sandbox = await createSandbox();
  sandbox.git("worktree", "add", "--quiet", "-b", "other", "../second");
  const there = join(sandbox.base, "second");
  const start = (title: string, ...at: string[]) =>
    sandbox.script(...at, "feature", title, "--review", "00", "--json", ...sandbox.agent);
  const runs = await Promise.all([start("one"), start("two", "-C", there)]);
  const items = runs
    .map((ended) => parsed(ended).run.item as string)
    .map((item) => item.slice("docs/requirements/".length))
    .toSorted();
  expect(items.map((item) => item.slice(0, 8))).toEqual(["REQ-0001", "REQ-0002"]);
  expect(reserved(sandbox)).toEqual(["REQ-0001", "REQ-0002"]);
});

test.concurrent("skips numbers used by folders of another worktree", async () => {
  const sandbox = await createSandbox();
  sandbox.git("worktree", "add", "--quiet", "-b", "other", "../second");
  mkdirSync(join(sandbox.base, "second/docs/features/007-cart"), { recursive: true });
  const { run } = parsed(
    await sandbox.script("brainstorm", "Checkout", "--review", "brainstorm", "--json", ...sandbox.agent),
  );
  expect(run.item).toBe("docs/features/008-checkout");
});

test.concurrent("never reuses a number after discard [SPEC-R5.3]", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("brainstorm", "Checkout", ...sandbox.agent);
  await sandbox.script("finish", "--yes", ...sandbox.agent);
  expect(await sandbox.person("answer", "discard", "--yes")).toMatchObject({ code: 0 });
  expect(sandbox.git("branch", "--list", "feature/*")).toBe("");
  const { run } = parsed(
    await sandbox.script("brainstorm", "Other", "--review", "brainstorm", "--json", ...sandbox.agent),
  );
  expect(run.item).toBe("docs/features/002-other");
});

test.concurrent("reserves no number while choices are open", async () => {
  const sandbox = await createSandbox();
  sandbox.write("README.md", "changed\n");
  const asked = await sandbox.script("feature", "one", "--json", ...sandbox.agent);
  expect(parsed(asked).choice).toMatchObject({ kind: "dirty" });
  expect(sandbox.git("for-each-ref", "refs/isdlc/ids")).toBe("");
});

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { turns } from "../../../items-cli/prepared-item.ts";
import { createSandbox } from "../../../support/cli.ts";

const beside = (root: string, name: string): string => join(dirname(root), `${basename(root)}-${name}`);

test.concurrent("runs a feature and a change in separate worktrees with --worktree", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({});
  const options = ["--worktree", "--tests", "without", ...sandbox.agent];
  const feature = await sandbox.script("feature", "Log in", "--supervised", ...options);
  expect(feature.code).toBe(3);
  const change = await sandbox.script("Say hello", ...options);
  expect(change.code).toBe(3);
  const trees = [beside(sandbox.root, "REQ-0001-log-in"), beside(sandbox.root, "say-hello")];
  for (const tree of trees) expect(existsSync(join(tree, ".git"))).toBe(true);
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  expect(sandbox.git("status", "--porcelain")).toBe("");
  expect(await sandbox.status()).toBeNull();
  const all = await sandbox.script("status", "--all");
  for (const tree of trees) expect(all.stdout).toContain(tree);
  expect(existsSync(join(trees[0] ?? "", "docs/requirements/REQ-0001-log-in/quick-scan.md"))).toBe(true);
});

test.concurrent("merges a --worktree run into its base, then deletes worktree and branch", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "src/hello.js": "hello" } }] } });
  await sandbox.script("Say hello", "--worktree", "--tests", "without", ...sandbox.agent);
  const tree = beside(sandbox.root, "say-hello");
  await sandbox.person("-C", tree, "continue");
  const merged = await sandbox.person("-C", tree, "answer", "merge");
  expect(merged).toMatchObject({ code: 0, stdout: expect.stringContaining("Merged into main") });
  expect(sandbox.read("src/hello.js")).toBe("hello");
  expect(existsSync(tree)).toBe(false);
  expect(sandbox.git("branch", "--list")).toBe("* main");
  expect((await sandbox.script("history", "--all")).stdout).toContain("Say hello");
});

test.concurrent("refuses --worktree if the folder already exists, and starts nothing", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({});
  const { mkdirSync } = await import("node:fs");
  mkdirSync(beside(sandbox.root, "say-hello"));
  const refused = await sandbox.script("Say hello", "--worktree", "--tests", "without", ...sandbox.agent);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("WORKTREE_REFUSED") });
  expect(sandbox.git("branch", "--list")).toBe("* main");
});

test.concurrent("creates no worktree or branch if --worktree is refused or asks a question", async () => {
  const sandbox = await createSandbox({ files: { "package.json": '{ "scripts": { "test": "node --test" } }\n' } });
  const asked = await sandbox.script("Say hello", "--worktree", ...sandbox.agent);
  expect(asked).toMatchObject({ code: 3, stdout: expect.stringContaining("--tests") });
  const missing = await sandbox.script("specify", "Say hello", "--worktree", "--agent", "claude");
  expect(missing.code).toBe(1);
  expect(sandbox.git("branch", "--list")).toBe("* main");
  expect(sandbox.git("worktree", "list").split("\n")).toHaveLength(1);
});

test.concurrent("refuses --worktree while the item's analysis is uncommitted", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  expect((await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent)).code).toBe(0);
  const build = ["build", "login-page", "--worktree", "--yes", "--tests", "without", ...sandbox.agent];
  const refused = await sandbox.script(...build);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("TREE_DIRTY") });
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "Analysis");
  expect((await sandbox.script(...build)).code).toBe(0);
  const tree = beside(sandbox.root, "login-page");
  expect(existsSync(join(tree, "docs/requirements/login-page/module-design.md"))).toBe(true);
});

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { rewindTree } from "../../src/engine/steps/going-back.ts";
import { activeRun, advance, ada, accepted, startRun } from "../support/run-builder.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "going-back-"));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, env });
  git("init", "--quiet");
  writeFileSync(join(root, "first.txt"), "first\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=first");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test("saves all later work if a return is repeated after a kill", async () => {
  const player = advance(startRun({ options: { ...startRunOptions(), commits: "none" } }), "produce");
  accepted(player, { do: "back", to: "01-requirements", tree: "restore", by: ada });
  const before = activeRun(player);
  const workspace = createGitWorkspace(root, { run: before.run.run, env: process.env });
  const firstTree = await workspace.snapshot("start", []);
  const phases = before.phases.map((phase, index) => (index === 0 ? { ...phase, firstTree } : phase));
  const run = { ...before, phases };
  const engine = { workspace, vcs: null } as unknown as Engine; // All fields that this step reads.
  const task = { run, step: "rewind", ticket: "" } as const;
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(root, name), `${name}\n`);
  await workspace.snapshot(`back-${run.since}`, []); // The state saved by a killed return,
  rmSync(join(root, "a.txt")); // which also deleted a file already.
  const outcome = await rewindTree(engine, task);
  expect(outcome).toMatchObject({ of: "rewind", restored: ["a.txt", "b.txt"] });
  expect(existsSync(join(root, "b.txt"))).toBe(false);
  await workspace.restore((await workspace.kept(`back-${run.since}`)) ?? "", ["a.txt", "b.txt"]);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a.txt\n");
});

const startRunOptions = () => activeRun(startRun()).run.options;

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";
import { moveOn, prepareItem, turns } from "./prepared-item.ts";

test.concurrent("applies supervised_mode to an analysis and prints its summary path at the gate [SM-AC-01a, SM-AC-01d]", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: { enabled: true } }));
  const started = await sandbox.script("analyze", "Login page", "--json", ...sandbox.agent);
  expect(started.stderr).toContain("Supervised mode: ENABLED (review gates after every phase)");
  const { waiting } = parsed(started).run;
  expect(waiting).toMatchObject({ kind: "gate", id: expect.stringMatching(/^00-quick-scan/) });
  expect(waiting.summary).toBe(".isdlc/items/login-page/reviews/phase-00-summary.md");
  const summary = sandbox.read(waiting.summary);
  const links = [...summary.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? "");
  expect(links).toHaveLength(1);
  for (const link of links) expect(existsSync(join(sandbox.root, dirname(waiting.summary), link))).toBe(true);
  const { stdout } = await sandbox.script("gate", "--item", "login-page");
  expect(stdout).toContain(`Summary: ${waiting.summary}`);
});

test.concurrent("writes analyze --supervised to the project's settings [SM-AC-01a]", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("analyze", "Login page", "--supervised", ...sandbox.agent);
  expect(sandbox.json(".isdlc/state.json").supervised_mode).toEqual({
    enabled: true,
    review_phases: "all",
    parallel_summary: true,
    auto_advance_timeout: null,
  });
  expect(sandbox.json(".isdlc/items/login-page/state.json").supervised_mode).toBeUndefined();
  const { run } = parsed(await sandbox.script("add a greeting", "--json", ...sandbox.agent));
  expect(run.waiting.id).toMatch(/^plan#1\/gate/);
});

test.concurrent("applies supervised mode from the next phase if enabled during an analysis [SM-AC-01d]", async () => {
  const sandbox = await createSandbox();
  const asks = { status: "needs_input", questions: [{ id: "q1", text: "Which?" }] };
  sandbox.plan({ turns: { "01-requirements": [{ result: asks }, {}] } });
  await sandbox.script("analyze", "Login page", ...sandbox.agent);
  await sandbox.person("config", "set", "supervised_mode.enabled", "true");
  const { run } = parsed(await sandbox.person("answer", "answer", "--text", "x", "--item", "login-page", "--json"));
  expect(run.waiting.id).toMatch(/^01-requirements#1\/gate/);
});

test.concurrent("lists each phase once after a rescan, and sets the hash at its acceptance [BUILD-AC-004-05]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  const item = prepareItem(sandbox);
  const old = sandbox.json(`${item}/meta.json`).codebase_hash;
  moveOn(sandbox, 1);
  const flags = ["--on-stale", "rescan", "--yes", "--supervised"];
  const built = await sandbox.script("build", "login", ...flags, ...sandbox.agent);
  const banner = built.stderr.slice(built.stderr.indexOf("BUILD SUMMARY"), built.stderr.indexOf("Phase 08"));
  expect(banner.match(/Phase 00: Quick Scan/g)).toHaveLength(1);
  expect(banner).toMatch(/Build will execute:\n {2}Phase 00: Quick Scan\n {2}Phase 05/);
  expect(await sandbox.status()).toMatchObject({ current: "00-quick-scan", waiting: { kind: "gate" } });
  expect(sandbox.json(`${item}/meta.json`).codebase_hash).toBe(old);
  await sandbox.person("continue", "--no-run");
  await sandbox.script("resume");
  expect(sandbox.json(`${item}/meta.json`).codebase_hash).toBe(sandbox.git("rev-parse", "main"));
});

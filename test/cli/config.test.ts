import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const rowOf = async (sandbox: Sandbox, key: string): Promise<string> => {
  const { stdout } = await sandbox.script("config");
  return (stdout.split("\n").find((line) => line.startsWith(`${key} `)) ?? "").replaceAll(/ {2,}/g, " | ");
};

const fileOf = ({ config }: Sandbox) => JSON.parse(readFileSync(join(config, "config.json"), "utf8")) as unknown;

test.concurrent("prints each setting with its value and its source", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: { enabled: true } }));
  await sandbox.person("config", "set", "max-usd", "1234.5");
  await sandbox.person("config", "set", "redo.limit", "5", "--project");
  await sandbox.person("config", "set", "webhook-secret", "hidden");
  expect(await rowOf(sandbox, "supervised-mode.enabled")).toBe("supervised-mode.enabled | true | (.isdlc/state.json)");
  expect(await rowOf(sandbox, "max-usd")).toBe("max-usd | $1,234.50 | (yours)");
  expect(await rowOf(sandbox, "redo.limit")).toBe("redo.limit | 5 | (yours, for this project)");
  expect(await rowOf(sandbox, "sandbox")).toBe("sandbox | auto | (default)");
  expect(await rowOf(sandbox, "webhook-secret")).toBe("webhook-secret | (set) | (yours)");
  const { settings, effective } = parsed(await sandbox.script("config", "--json"));
  expect(settings).toMatchObject({ "max-usd": 1234.5, "redo.limit": 5, agent: null });
  expect(effective).toMatchObject({
    "max-usd": { from: "user" },
    "redo.limit": { from: "here" },
    notify: { text: "on" },
  });
});

test.concurrent("restores the previous value of a setting with unset", async () => {
  const sandbox = await createSandbox();
  await sandbox.person("config", "set", "supervised-mode.review-phases", "03,06");
  await sandbox.person("config", "set", "agent", "claude");
  await sandbox.person("config", "set", "agent", "codex", "--project");
  expect((await sandbox.person("config", "unset", "agent", "--project")).stdout).toMatch(/claude +\(yours\)/);
  await sandbox.person("config", "unset", "agent");
  expect(fileOf(sandbox)).toEqual({});
  const unset = await sandbox.person("config", "unset", "supervised-mode.review-phases");
  expect(unset.stdout).toMatch(/all +\(default\)/);
  expect(sandbox.json(".isdlc/state.json").supervised_mode).toEqual({});
});

test.concurrent("limits a project setting to the worktrees of the project", async () => {
  const sandbox = await createSandbox();
  await sandbox.person("config", "set", "max-tokens", "9000", "--project");
  expect(fileOf(sandbox)).toEqual({ projects: { [realpathSync(sandbox.root)]: { "max-tokens": 9000 } } });
  const other = await createSandbox();
  const seenBy = async (root: string): Promise<unknown> =>
    parsed(await sandbox.script("-C", root, "config", "--json")).settings["max-tokens"];
  sandbox.git("worktree", "add", "--quiet", join(sandbox.base, "beside"));
  expect(await seenBy(join(sandbox.base, "beside"))).toBe(9000);
  expect(await seenBy(other.root)).toBeNull();
});

test.concurrent("refuses a project setting for approvals", async () => {
  const sandbox = await createSandbox();
  const refused = await sandbox.person("config", "set", "approvals", "terminal", "--project");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("approvals cannot be set for one project alone");
});

test.concurrent("accepts the names used in state.json", async () => {
  const sandbox = await createSandbox();
  const set = parsed(await sandbox.person("config", "set", "supervised_mode.parallel_summary", "false", "--json"));
  expect(set.settings).toEqual({ "supervised_mode.parallel_summary": false });
  expect(sandbox.json(".isdlc/state.json").supervised_mode).toEqual({ parallel_summary: false });
  expect(await rowOf(sandbox, "supervised-mode.parallel-summary")).toContain("| false |");
});

test.concurrent("limits redos of the next run", async () => {
  const sandbox = await createSandbox();
  await sandbox.person("config", "set", "redo.limit", "1");
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  await sandbox.person("redo", "more");
  const status = await sandbox.status();
  expect(status.waiting.options).not.toContain("redo");
});

test.concurrent.each(["101", "1.5", "many"])("rejects a limit of %s redos", async (limit) => {
  const sandbox = await createSandbox();
  const refused = await sandbox.person("config", "set", "redo.limit", limit);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain(`Invalid value "${limit}" for redo.limit (expected`);
});

test.concurrent("keeps --supervised for later runs, and skips it once with --no-supervised", async () => {
  const sandbox = await createSandbox();
  const first = await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  expect(first.stderr).toContain("To undo: isdlc config set supervised-mode.enabled false");
  await sandbox.person("cancel", "--reason", "x");
  const refused = await sandbox.script("add another greeting", "--no-supervised", ...sandbox.agent);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("NEEDS_PERSON") });
  const without = await sandbox.person(
    "fix",
    "another greeting",
    "--no-supervised",
    "--tests",
    "without",
    ...sandbox.agent,
  );
  expect(without.stderr).toContain("Supervised mode is off for this run; the project's settings stay on.");
  expect(without.code).toBe(0);
  expect(sandbox.json(".isdlc/state.json").supervised_mode.enabled).toBe(true);
  const again = await sandbox.script("a third greeting", ...sandbox.agent);
  expect(again.stderr).toContain("It is enabled in .isdlc/state.json.");
  expect(again.code).toBe(3);
});

test.concurrent("rejects --no-supervised with --supervised or --review", async () => {
  const sandbox = await createSandbox();
  for (const other of [["--supervised"], ["--review", "plan"]]) {
    const refused = await sandbox.person("add a greeting", "--no-supervised", ...other, ...sandbox.agent);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("contradict each other") });
  }
});

test.concurrent("applies tightened settings during a run, even after --no-supervised", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: { enabled: true, review_phases: ["plan"] } }));
  sandbox.plan({
    turns: { plan: [{ result: { status: "needs_input", questions: [{ id: "q", text: "Which?" }] } }, {}] },
  });
  await sandbox.person("add a greeting", "--no-supervised", ...sandbox.agent);
  sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: { enabled: true, review_phases: "all" } }));
  await sandbox.person("answer", "--text", "this");
  expect((await sandbox.status()).waiting.id).toMatch(/^plan#1\/gate/);
});

test.concurrent("requires a terminal for edit", async () => {
  const sandbox = await createSandbox();
  expect((await sandbox.person("config", "edit")).stderr).toContain("NEEDS_PERSON");
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

const TITLE = "add a greeting";
const withTests = (script: string) => JSON.stringify({ name: "sample", scripts: { test: script } });

const start = (sandbox: Sandbox, ...more: string[]) => sandbox.script(TITLE, "--json", ...more, ...sandbox.agent);

test.concurrent("asks about uncommitted changes before it writes, and never commits them", async () => {
  const sandbox = await createSandbox({ files: { "src/a.txt": "a\n" } });
  sandbox.write("src/a.txt", "edited by the person\n");
  sandbox.write("notes.txt", "the person's own\n");
  sandbox.write("docs/requirements/REQ-0009-old/notes.md", "never in the way\n");
  const asked = await start(sandbox);
  expect(asked.code).toBe(3);
  const { choice } = parsed(asked);
  expect(choice).toMatchObject({ kind: "dirty", options: ["allow-dirty"], flag: "--allow-dirty" });
  expect(choice.about.join("\n")).toContain("src/a.txt");
  expect(choice.about.join("\n")).not.toContain("REQ-0009");
  expect((await sandbox.script("status")).stdout).toContain("No run is open");

  sandbox.plan({ turns: { implement: [{ writes: { "src/b.txt": "by the agent\n" } }] } });
  expect((await start(sandbox, "--allow-dirty")).code).toBe(3);
  await sandbox.person("continue");
  expect(await sandbox.person("answer", "keep")).toMatchObject({ code: 0 });
  expect(sandbox.git("branch", "--show-current")).toBe("change/add-a-greeting");
  expect(sandbox.git("show", "--name-only", "--format=", "HEAD")).toBe("src/b.txt");
  expect(sandbox.git("show", "HEAD:src/a.txt")).toBe("a");
  expect(sandbox.read("src/a.txt")).toBe("edited by the person\n");
  expect(sandbox.git("status", "--porcelain", "--", "notes.txt", "src")).toBe("M src/a.txt\n?? notes.txt");
});

test.concurrent("runs a test command only after the user trusts it", async () => {
  const sandbox = await createSandbox({ files: { "package.json": withTests("node -e 0") } });
  const asked = await start(sandbox);
  expect(asked.code).toBe(3);
  expect(parsed(asked).choice).toMatchObject({ kind: "trust", options: ["trust", "without"], flag: "--tests" });
  const started = await start(sandbox, "--yes");
  expect(parsed(started).run.waiting.id).toMatch(/^final-review/);
  const passed = (await sandbox.events()).filter((event) => event.type === "checks.passed");
  expect(passed).toMatchObject([{}, { results: [{ name: "artifacts" }, { name: "tests", ok: true }] }, {}]);
  await sandbox.person("cancel", "--reason", "enough");
  sandbox.git("switch", "--quiet", "main");
  expect((await start(sandbox)).code).toBe(3);
  expect((await sandbox.status()).waiting.id).toMatch(/^final-review/);
});

test.concurrent("records tests as not run, instead of passed, with --tests without", async () => {
  const sandbox = await createSandbox({ files: { "package.json": withTests("node -e 'process.exit(1)'") } });
  await start(sandbox, "--tests", "without", "--supervised");
  const { run } = parsed(await sandbox.person("continue", "--json"));
  expect(run.waiting).toMatchObject({ kind: "gate", id: expect.stringMatching(/^implement/) });
  const passed = (await sandbox.events()).filter((event) => event.type === "checks.passed");
  expect(passed[1]).toMatchObject({ results: [{ name: "artifacts" }, { name: "tests", ok: null }] });
  expect((await sandbox.script("gate")).stdout).toContain("tests not run");
});

test.concurrent("returns a failing test to the agent to fix", async () => {
  const files = {
    "package.json": withTests("node check.js"),
    "check.js":
      "const { existsSync } = require('fs');\nprocess.exit(existsSync('bad') && !existsSync('good') ? 1 : 0)\n",
  };
  const sandbox = await createSandbox({ files });
  sandbox.plan({ turns: { implement: [{ writes: { bad: "x" } }, { writes: { good: "x" } }] } });
  const { run } = parsed(await start(sandbox, "--tests", "trust"));
  expect(run.waiting.id).toMatch(/^final-review/);
  const turns = sandbox.log().filter(({ key }) => key === "implement");
  expect(turns).toHaveLength(2);
  expect(turns[1]?.prompt).toContain("These checks failed on your work");
  expect(turns[1]?.prompt).toContain("tests");
  expect(turns.map(({ attempt }) => attempt)).toEqual(["implement#1", "implement#1"]);
});

test.concurrent("escalates after three identical failures and offers retry, skip and cancel", async () => {
  const script = "node -e 'process.exit(fs.existsSync(\"bad\") ? 1 : 0)'";
  const sandbox = await createSandbox({ files: { "package.json": withTests(script) } });
  sandbox.plan({ turns: { implement: [{ writes: { bad: "x" } }] } });
  const { run } = parsed(await start(sandbox, "--tests", "trust"));
  expect(run.waiting).toMatchObject({
    kind: "escalation",
    reason: "circuit_breaker",
    step: "check",
    options: ["retry", "skip", "cancel"],
  });
  expect(sandbox.log().filter(({ key }) => key === "implement")).toHaveLength(3);
  expect((await sandbox.script("gate")).stdout).toContain("isdlc retry");
  const retried = parsed(await sandbox.person("retry", "--json")).run;
  expect(retried.waiting).toMatchObject({ kind: "escalation", reason: "circuit_breaker" });
  expect(retried.phases[1].attempt).toBe(2);
  const skipped = parsed(await sandbox.person("skip", "--json")).run;
  expect(skipped.phases[1].status).toBe("skipped");
  expect(skipped.waiting.id).toMatch(/^final-review/);
  const cancelled = await sandbox.person("answer", "cancel", "--text", "not worth it", "--json");
  expect([cancelled.code, parsed(cancelled).run]).toMatchObject([0, { status: "cancelled", reason: "not worth it" }]);
});

test.concurrent("asks for approval before it runs a changed test command", async () => {
  const sandbox = await createSandbox({ files: { "package.json": withTests("node -e 0") } });
  sandbox.plan({ turns: { implement: [{ writes: { "package.json": withTests("touch ran && echo passed") } }] } });
  await start(sandbox, "--tests", "trust", "--supervised");
  const { run } = parsed(await sandbox.person("continue", "--json"));
  expect(run.waiting).toMatchObject({ kind: "escalation", reason: "tests_changed" });
  expect(existsSync(join(sandbox.root, "ran"))).toBe(false);
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain("no longer runs the tests as it did when they were trusted");
  expect(stdout).toContain("scripts.test:\n    touch ran && echo passed\n");
  sandbox.write("package.json", withTests("touch other"));
  const shownOther = parsed(await sandbox.person("answer", "accept", "--json")).run;
  expect(shownOther.waiting).toMatchObject({ reason: "tests_changed", detail: expect.stringContaining("touch other") });
  expect(["ran", "other"].some((name) => existsSync(join(sandbox.root, name)))).toBe(false);
  const accepted = parsed(await sandbox.person("answer", "accept", "--json")).run;
  expect(accepted.waiting).toMatchObject({ kind: "gate", id: expect.stringMatching(/^implement/) });
  expect(existsSync(join(sandbox.root, "other"))).toBe(true);
});

test.concurrent("escalates a changed test command in an autonomous run", async () => {
  const sandbox = await createSandbox({ files: { "package.json": withTests("node -e 0") } });
  sandbox.plan({ turns: { implement: [{ writes: { "package.json": withTests("echo passed") } }] } });
  const { run } = parsed(await start(sandbox, "--tests", "trust"));
  expect(run.waiting).toMatchObject({
    kind: "escalation",
    reason: "tests_changed",
    options: ["retry", "skip", "accept", "cancel"],
    detail: expect.stringContaining(
      "\nTrusted: npm test (package.json: node -e 0)\nTests would be run with: npm test (package.json: echo passed)",
    ),
  });
  const accepted = parsed(await sandbox.person("answer", "accept", "--json")).run;
  expect(accepted.waiting.id).toMatch(/^final-review/);
});

test.concurrent("runs without git after confirmation, in place and without a diff", async () => {
  const sandbox = await createSandbox({ git: false });
  const asked = await start(sandbox);
  expect([asked.code, parsed(asked).choice]).toMatchObject([3, { kind: "confirm", flag: "--no-git" }]);
  const started = await start(sandbox, "--no-git", "--supervised");
  expect(parsed(started).run).toMatchObject({ branch: null, waiting: { kind: "gate" } });
  expect((await sandbox.script("gate")).stdout).toContain("Git diff unavailable.");
  await sandbox.person("continue");
  await sandbox.person("continue");
  const ended = await sandbox.person("continue", "--json");
  expect([ended.code, parsed(ended).run]).toMatchObject([0, { status: "completed", finish: "keep" }]);
});

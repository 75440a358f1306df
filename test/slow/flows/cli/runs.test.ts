import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

const start = (sandbox: Sandbox, ...more: string[]) =>
  sandbox.script("add a greeting", "--json", ...more, ...sandbox.agent);
const subjects = (sandbox: Sandbox, range: string) =>
  sandbox
    .git("log", "--first-parent", "--format=%s", range)
    .split("\n")
    .filter((line) => line !== "");
const WORK = { turns: { implement: [{ writes: { "greeting.txt": "hello\n" } }] } };

test.concurrent("requires an answer to every question and passes the answers to the agent", async () => {
  const sandbox = await createSandbox();
  const questions = [
    { id: "tone", text: "Which tone?", choices: ["warm", "cool"] },
    { id: "size", text: "How long?" },
  ];
  sandbox.plan({ turns: { plan: [{ artifacts: false, result: { status: "needs_input", questions } }, {}] } });
  const asked = await start(sandbox);
  expect([asked.code, parsed(asked).run.waiting]).toMatchObject([
    3,
    { kind: "questions", options: ["answer"], questions: [{ id: "tone" }, { id: "size" }] },
  ]);
  expect((await sandbox.script("gate")).stdout).toContain("tone: Which tone?");
  const half = await sandbox.person("answer", "--reply", "tone=warm", "--json");
  expect([half.code, parsed(half).problem.refusal]).toEqual([1, { why: "unanswered" }]);
  const whole = await sandbox.person("answer", "--reply", "tone=warm\nsize=", "--json");
  expect(parsed(whole).run.waiting.id).toMatch(/^final-review/);
  expect(sandbox.log()[1]?.prompt).toContain("Which tone?\n  warm");
  expect(sandbox.log()[1]?.prompt).toContain("How long?\n  (the person leaves this to you)");
});

test.concurrent("restarts an agent without a result once, then escalates", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({
    turns: { plan: [{ exit: 7 }, { silent: true }, { result: { status: "failed", summary: "cannot" } }, {}] },
  });
  const broken = parsed(await start(sandbox)).run.waiting;
  expect(broken).toMatchObject({ kind: "escalation", step: "produce", reason: "no_result" });
  expect(sandbox.log()).toHaveLength(2);
  const failed = parsed(await sandbox.person("retry", "--json")).run.waiting;
  expect(failed).toMatchObject({ kind: "escalation", reason: "agent_failed", detail: "cannot" });
  expect(parsed(await sandbox.person("answer", "retry", "--json")).run.waiting.id).toMatch(/^final-review/);
});

test.concurrent("fails the checks if the phase's artifact is missing", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({
    turns: { plan: [{ artifacts: false }, { artifacts: false, result: { artifacts: ["../outside.md"] } }, {}] },
  });
  expect(parsed(await start(sandbox)).run.waiting.id).toMatch(/^final-review/);
  const failed = (await sandbox.events()).filter(({ type }) => type === "checks.failed");
  expect(failed).toHaveLength(2);
  expect(sandbox.log()[1]?.prompt).toContain("plan.md");
});

test.concurrent("commits each phase with changes and merges them with one merge commit", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(WORK);
  await start(sandbox);
  const asked = parsed(await sandbox.person("continue", "--json")).run.waiting;
  expect(asked).toMatchObject({ kind: "finish", options: ["merge", "squash", "pr", "keep"] });
  const merged = await sandbox.person("answer", "merge");
  expect(merged.stdout).toContain("Merged into main as ");
  expect(subjects(sandbox, "main")).toEqual(["Merge change/add-a-greeting: add a greeting", "First"]);
  expect(merged.stdout).toContain("Deleted change/add-a-greeting, which is merged.");
  expect(sandbox.git("branch", "--format=%(refname:short)")).toBe("main");
  expect(subjects(sandbox, "main^2")).toEqual(["Implementation: add a greeting", "First"]);
  expect(sandbox.git("log", "-1", "--format=%B", "main^2")).toContain("Isdlc-Attempt: ");
  expect(sandbox.read("greeting.txt")).toBe("hello\n");
  expect(readdirSync(join(sandbox.root, ".isdlc"))).not.toContain("active");
  expect(parsed(await sandbox.script("status", "--json"))).toEqual({ ok: true, run: null });
  expect(parsed(await sandbox.script("verify-journal", "--json")).ok).toBe(true);
});

test.concurrent('prints push and pull request commands for "pr" without pushing', async () => {
  const sandbox = await createSandbox();
  sandbox.plan(WORK);
  await start(sandbox);
  await sandbox.person("continue");
  const ended = await sandbox.person("answer", "pr");
  expect(ended.stdout).toContain("git push -u origin change/add-a-greeting");
  expect(ended.stdout).toContain("gh pr create --base main --head change/add-a-greeting");
  expect(subjects(sandbox, "main")).toEqual(["First"]);
});

test.concurrent("makes one commit with --commits end, and none with --commits none", async () => {
  const once = await createSandbox();
  once.plan(WORK);
  await start(once, "--commits", "end");
  await once.person("continue");
  expect(subjects(once, "change/add-a-greeting")).toEqual(["First"]);
  await once.person("answer", "merge");
  expect(subjects(once, "main^2")).toEqual(["add a greeting", "First"]);
  expect(subjects(once, "main")).toHaveLength(2);

  const never = await createSandbox();
  never.plan(WORK);
  await start(never, "--commits", "none");
  const ended = await never.person("continue", "--json");
  expect([ended.code, parsed(ended).run]).toMatchObject([0, { status: "completed", finish: "keep" }]);
  expect(subjects(never, "HEAD")).toEqual(["First"]);
  expect(never.read("greeting.txt")).toBe("hello\n");
});

test.concurrent("merges an autonomous run with --merge", async () => {
  const sandbox = await createSandbox();
  const ended = await sandbox.script(
    "fix",
    "wrong greeting",
    "--merge",
    "--mode",
    "hotfix",
    "--json",
    ...sandbox.agent,
  );
  expect([ended.code, parsed(ended).run]).toMatchObject([0, { status: "completed", finish: "merge" }]);
  expect(subjects(sandbox, "main")[0]).toBe("Merge bugfix/BUG-0001-wrong-greeting: wrong greeting");
  expect(readdirSync(join(sandbox.root, "docs/requirements/BUG-0001-wrong-greeting"))).toContain("trace-analysis.md");
});

test.concurrent("shows a moved base before it merges, and changes nothing after a conflict", async () => {
  const sandbox = await createSandbox({ files: { "greeting.txt": "old\n" } });
  sandbox.plan(WORK);
  await start(sandbox);
  await sandbox.person("continue");
  sandbox.git("switch", "--quiet", "main");
  sandbox.write("greeting.txt", "other\n");
  sandbox.git("commit", "--quiet", "--all", "--message", "Other");
  sandbox.git("switch", "--quiet", "change/add-a-greeting");
  const moved = parsed(await sandbox.person("answer", "merge", "--json")).run.waiting;
  expect(moved).toMatchObject({
    kind: "finish",
    moved: [
      expect.stringMatching(/^main moved from/),
      expect.stringMatching(/Other$/),
      expect.stringContaining("greeting.txt"),
    ],
  });
  const asked = parsed(await sandbox.person("answer", "merge", "--json")).run.waiting;
  expect(asked).toMatchObject({ kind: "escalation", reason: "merge_conflict", step: "finish" });
  expect(subjects(sandbox, "main")).toEqual(["Other", "First"]);
  const kept = await sandbox.person("skip", "--json");
  expect([kept.code, parsed(kept).run]).toMatchObject([0, { status: "completed", finish: "keep" }]);
});

test.concurrent.each([
  { where: "detached", go: ["--detach"], told: /: it is detached at [0-9a-f]{12}$/ },
  { where: "on another branch", go: ["--create", "elsewhere"], told: /: it is on the branch elsewhere$/ },
])("warns once, before a merge, if HEAD is $where", async ({ go, told }) => {
  const sandbox = await createSandbox();
  sandbox.plan(WORK);
  await start(sandbox);
  await sandbox.person("continue");
  const main = sandbox.git("rev-parse", "main");
  sandbox.git("switch", "--quiet", ...go);
  const asked = parsed(await sandbox.person("answer", "merge", "--json")).run.waiting;
  expect(asked).toMatchObject({ kind: "finish", moved: [expect.stringMatching(told)] });
  expect(sandbox.git("rev-parse", "main")).toBe(main);
  expect((await sandbox.script("gate")).stdout).toContain("HEAD is no longer on change/add-a-greeting: it is");
  expect(await sandbox.person("answer", "merge")).toMatchObject({ code: 0 });
  expect(sandbox.git("rev-parse", "main^1")).toBe(main);
});

test.concurrent("asks for the agent command if it is not remembered [AGENT_UNKNOWN]", async () => {
  const sandbox = await createSandbox();
  await start(sandbox, "--supervised");
  await sandbox.person("continue", "--no-run");
  for (const name of readdirSync(sandbox.state).filter((file) => file.startsWith("tree-")))
    rmSync(join(sandbox.state, name));
  const lost = await sandbox.script("resume", "--json");
  expect([lost.code, parsed(lost).problem.code]).toEqual([1, "AGENT_UNKNOWN"]);
  expect(parsed(lost).problem.fix).toContain("--agent-command");
  expect(parsed(await sandbox.script("resume", "--json", ...sandbox.agent)).run.waiting.id).toMatch(/^implement/);
});

test.concurrent("passes neither the token nor other variables of the user to an agent", async () => {
  const sandbox = await createSandbox();
  const ran = await sandbox.start(["add a greeting", "--supervised", "--json", ...sandbox.agent], {
    ISDLC_OPERATOR_TOKEN: sandbox.token,
    MY_OWN: "not for agents",
  }).ended;
  expect(ran.code).toBe(3);
  const env = sandbox.log()[0]?.env;
  expect(env).not.toContain("MY_OWN");
  expect(env).not.toContain("ISDLC_OPERATOR_TOKEN");
  expect(env).toContain("ISDLC_NONCE");
});

import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";

const NOTE = "[INFO] gate-blocker: supervised review in progress for phase 'plan'. Gate check unaffected.";

test.concurrent("notes a review in progress and does not change the decision [SM-AC-06a]", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const before = parsed(await sandbox.script("check", "--json"));
  expect(before).toMatchObject({ ok: true, gate: { decision: "allow", notes: [] } });
  await sandbox.person("review");
  const paused = await sandbox.script("check");
  expect(paused).toMatchObject({ code: 0 });
  expect(paused.stdout.split("\n")).toContain(NOTE);
  expect(parsed(await sandbox.script("check", "--json")).gate).toEqual({ decision: "allow", notes: [NOTE] });
});

test.concurrent("blocks for a missing artifact during a review [SM-AC-06a, SM-ERR-601]", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  await sandbox.person("review");
  const { artifacts } = sandbox.json(".isdlc/state.json").phases.plan;
  for (const path of artifacts) sandbox.write(path, "");
  const checked = await sandbox.script("check");
  expect(checked).toMatchObject({ code: 1 });
  expect(checked.stderr).toContain(NOTE);
  expect(checked.stderr).toContain("The phase cannot be left: Missing artifacts: plan.md.");
});

test.concurrent("blocks for open findings and open questions [SM-AC-06a]", async () => {
  const sandbox = await createSandbox();
  const blocker = { approved: false, issues: [{ severity: "blocker", description: "no greeting" }], summary: "no" };
  const asks = { status: "needs_input", questions: [{ id: "q1", text: "Which greeting?" }] };
  sandbox.plan({ turns: { plan: [{ result: asks }, {}], "implement reviewer": [{ verdict: blocker }] } });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  expect((await sandbox.script("check")).stderr).toContain("Questions of the phase are not answered.");
  await sandbox.person("answer", "answer", "--text", "hello");
  await sandbox.person("continue");
  const checked = await sandbox.script("check");
  expect(checked).toMatchObject({ code: 1 });
  expect(checked.stderr).toContain("The phase cannot be left: Findings of the reviewer are open.");
});

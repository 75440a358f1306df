import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const SUMMARY = ".isdlc/reviews/phase-plan-summary.md";

const startSupervised = (sandbox: Sandbox) => sandbox.script("add a greeting", "--supervised", ...sandbox.agent);

const review = (sandbox: Sandbox) => sandbox.json(".isdlc/state.json").active_workflow.supervised_review;

test.concurrent("opens a gate with summary and menu [SM-AC-01g, SM-AC-02a, SM-AC-02c, SM-AC-03a, SM-AC-05a]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ writes: { "{item}/plan.md": "# Plan\n" } }] } });
  expect(existsSync(join(sandbox.root, ".isdlc/reviews"))).toBe(false);
  const started = await startSupervised(sandbox);
  expect(started).toMatchObject({ code: 3 });
  expect(started.stderr).toContain("Supervised mode: ENABLED (review gates after every phase)");
  const summary = sandbox.read(SUMMARY);
  for (const part of [
    "# Phase Summary: Plan",
    "**Status**: Completed",
    "**Duration**: ",
    "**Artifacts**: 1 files",
    "## Key Decisions\n- plan decided",
    "## Artifacts Created/Modified",
    "/plan.md",
    "## File Changes (git diff)",
    "## Links",
  ])
    expect(summary).toContain(part);
  const { stdout } = await sandbox.script("gate");
  expect(stdout.startsWith(summary)).toBe(true);
  const menu = stdout.slice(summary.length);
  expect(menu).not.toContain("Your choice");
  expect(menu).toMatch(/\[C\] Continue.*\n\[R\] Review.*\n\[D\] Redo -- re-run this phase with additional guidance/);
  expect(review(sandbox)).toMatchObject({ phase: "plan", status: "gate_presented", redo_count: 0 });
});

test.concurrent("waits after every phase and before the merge, and keeps the history [SM-AC-02b, SM-AC-03b, SM-AC-03g, SM-AC-07d, SM-AC-08a, SM-AC-08b, SM-ERR-702]", async () => {
  const sandbox = await createSandbox();
  const writes = { "greeting.js": "1\n" };
  sandbox.plan({ turns: { implement: [{ writes, result: { artifacts: ["README.md"] } }] } });
  await startSupervised(sandbox);
  expect(sandbox.log().map(({ key }) => key)).toEqual(["plan"]);

  expect(parsed(await sandbox.person("continue", "--json")).run.waiting).toMatchObject({
    kind: "gate",
    id: expect.stringMatching(/^implement#1/),
  });
  expect(sandbox.log().map(({ key }) => key)).toEqual(["plan", "implement", "implement reviewer"]);
  const summary = sandbox.read(".isdlc/reviews/phase-implement-summary.md");
  expect(summary).toMatch(/\n## File Changes \(git diff\)\n[^]*greeting\.js[^]*\n## /);
  expect(summary).toMatch(/\| `?README\.md`? \|/);

  expect(parsed(await sandbox.person("continue", "--json")).run.waiting).toMatchObject({
    kind: "gate",
    id: expect.stringMatching(/^final-review#1/),
  });
  expect(sandbox.git("branch", "--show-current")).toBe("change/add-a-greeting");
  expect(sandbox.read(".isdlc/reviews/phase-final-review-summary.md")).toMatch(
    /\n## File Changes \(git diff\)\n```text\nA\t\.isdlc\/work\/[^\n/]+\/final-review\.md\n```\n/,
  );

  const last = parsed(await sandbox.person("continue", "--json", "--as", "ada"));
  expect(last.run.waiting).toMatchObject({ kind: "finish", options: ["merge", "squash", "pr", "keep"] });
  expect(sandbox.log()).toHaveLength(4);
  const open = sandbox.json(".isdlc/state.json").active_workflow;
  expect(open.review_history.map(({ phase, action }: { phase: string; action: string }) => [phase, action])).toEqual([
    ["plan", "continue"],
    ["implement", "continue"],
    ["final-review", "continue"],
  ]);

  expect(await sandbox.person("answer", "merge")).toMatchObject({ code: 0 });
  const { active_workflow, workflow_history } = sandbox.json(".isdlc/state.json");
  expect(active_workflow).toBeNull();
  expect(workflow_history).toHaveLength(1);
  expect(workflow_history[0]).toMatchObject({
    status: "completed",
    supervised_mode_enabled: true,
    review_history: open.review_history,
  });
  expect(workflow_history[0]).not.toHaveProperty("supervised_review");
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  const answered = (await sandbox.events()).filter(({ type }) => type === "gate.answered");
  expect(answered).toMatchObject([
    { by: { name: "operator", channel: "token" } },
    { by: { name: "operator" } },
    { by: { name: "ada", channel: "token" } },
  ]);
});

test.concurrent("pauses for Review and gives the next phase the user's edits [SM-AC-03c, SM-AC-04a, SM-AC-04b, SM-AC-04c, SM-AC-04d, SM-AC-04e]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ reads: ["{item}/plan.md"] }] } });
  await startSupervised(sandbox);
  const paused = await sandbox.person("review");
  expect(paused.code).toBe(3);
  expect(paused.stdout.startsWith(sandbox.read(SUMMARY))).toBe(true);
  expect(paused.stdout).toContain("Edit any files as needed.\nWhen ready, say 'continue' to advance");
  expect(paused.stdout).toContain("isdlc continue");
  expect(review(sandbox)).toMatchObject({ phase: "plan", status: "reviewing", resumed_at: null });
  const pausedAt = review(sandbox).paused_at;
  expect(Date.parse(pausedAt)).not.toBeNaN();
  expect(sandbox.json(".isdlc/state.json").active_workflow.review_history).toMatchObject([
    { phase: "plan", action: "review", paused_at: pausedAt, resumed_at: null },
  ]);
  const again = await sandbox.person("review", "--json");
  expect(again.code).toBe(1);
  expect(parsed(again).problem).toMatchObject({ code: "COMMAND_REFUSED", refusal: { why: "alreadyPaused" } });

  const { item } = await sandbox.status();
  sandbox.write(`${item}/plan.md`, "# Plan\n\nedited by the person\n");
  expect(await sandbox.person("continue", "--no-run")).toMatchObject({ code: 0 });
  expect(review(sandbox)).toMatchObject({ status: "completed", paused_at: pausedAt });
  expect(Date.parse(review(sandbox).resumed_at)).toBeGreaterThanOrEqual(Date.parse(pausedAt));
  expect((await sandbox.status()).current).toBe("plan");

  const listed = parsed(await sandbox.script("resume", "--json")).run;
  expect(listed).toMatchObject({ current: "plan", waiting: { kind: "gate", failures: [{ name: "shown as it is" }] } });
  expect(listed.waiting.failures[0].detail).toContain(`${item}/plan.md (modified)`);
  expect((await sandbox.script("gate", "--diff")).stdout).toContain("+edited by the person");

  const resumed = parsed(await sandbox.person("continue", "--json"));
  expect(resumed.run).toMatchObject({ current: "implement", waiting: { kind: "gate" } });
  const [implement] = sandbox.log().filter(({ key }) => key === "implement");
  expect(Object.values(implement?.reads ?? {})).toEqual(["# Plan\n\nedited by the person\n"]);
  const [entry, ...more] = sandbox.json(".isdlc/state.json").active_workflow.review_history;
  expect(entry).toMatchObject({ action: "review", paused_at: pausedAt, resumed_at: expect.any(String) });
  expect(more).toMatchObject([{ action: "continue" }]);
  const rechecked = (await sandbox.events()).filter(({ type }) => type === "phase.rechecked");
  expect(rechecked).toMatchObject([{ edited: [{ path: `${item}/plan.md`, change: "modified" }] }, { edited: [] }]);
});

test.concurrent("allows three redos with guidance and refuses a fourth [SM-AC-02d, SM-AC-03d, SM-AC-05a, SM-AC-05b, SM-AC-05c, SM-AC-05d, SM-AC-05e, SM-AC-05f]", async () => {
  const sandbox = await createSandbox();
  await startSupervised(sandbox);
  const first = sandbox.read(SUMMARY);
  const gates = [(await sandbox.status()).waiting.id];

  expect(parsed(await sandbox.person("redo", "--json")).run.waiting.kind).toBe("gate");
  expect(sandbox.log().at(-1)).toMatchObject({ attempt: "plan#2", prompt: expect.stringMatching(/REDO GUIDANCE: $/) });

  expect(await sandbox.person("redo", "name every file", "--no-run")).toMatchObject({ code: 0 });
  const during = sandbox.json(".isdlc/state.json");
  expect(during.phases.plan.status).toBe("in_progress");
  expect(during.active_workflow.supervised_review).toMatchObject({
    status: "redo_pending",
    redo_count: 2,
    redo_guidance_history: ["", "name every file"],
  });
  expect(during.active_workflow.current_phase_index).toBe(0);
  await sandbox.script("resume");
  const original = sandbox.log()[0]?.prompt ?? "";
  expect(sandbox.log().at(-1)?.prompt).toContain(original);
  expect(sandbox.log().at(-1)?.prompt).toContain("REDO GUIDANCE: name every file");
  expect(sandbox.json(".isdlc/state.json").phases.plan.status).toBe("completed");
  expect(review(sandbox)).toMatchObject({ status: "gate_presented", redo_count: 2 });
  expect(sandbox.read(SUMMARY)).not.toBe(first);
  expect(sandbox.read(SUMMARY)).toContain("Since you last looked");
  gates.push((await sandbox.status()).waiting.id);

  const third = parsed(await sandbox.person("redo", "shorter", "--json"));
  gates.push(third.run.waiting.id);
  expect(new Set(gates).size).toBe(3);
  expect(third.run.waiting.options).toEqual(["continue", "review"]);
  expect(sandbox.log().at(-1)?.prompt).toContain("name every file");
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain("[C] Continue");
  expect(stdout).toContain("[R] Review");
  expect(stdout).not.toContain("[D] Redo");
  const fourth = await sandbox.person("redo", "once more", "--json");
  expect(fourth.code).toBe(1);
  expect(parsed(fourth).problem).toMatchObject({ code: "COMMAND_REFUSED", refusal: { why: "redosSpent", limit: 3 } });
  expect((await sandbox.status()).phases[0]).toMatchObject({ redos: 3, attempt: 4, status: "completed" });
  expect(sandbox.log()).toHaveLength(4);
});

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";

const startSupervised = (sandbox: Sandbox, ...more: string[]) =>
  sandbox.script("add a greeting", "--supervised", ...more, ...sandbox.agent);
const SUMMARY = ".isdlc/reviews/phase-plan-summary.md";

test.concurrent("shows the gate with a warning if the summary cannot be written [SM-ERR-300]", async () => {
  const sandbox = await createSandbox({ files: { ".isdlc/reviews": "in the way" } });
  const started = await startSupervised(sandbox, "--json");
  expect(started.code).toBe(3);
  expect(parsed(started).warnings).toEqual([expect.stringContaining("The summary could not be written")]);
  expect(started.stderr).toContain("warning: The summary could not be written");
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain("# Phase Summary: Plan");
  expect(stdout).toContain("[C] Continue");
});

test.concurrent("renders a deleted summary again [SM-ERR-301, SM-ERR-502]", async () => {
  const sandbox = await createSandbox();
  await startSupervised(sandbox);
  const summary = sandbox.read(SUMMARY);
  rmSync(join(sandbox.root, ".isdlc/reviews"), { recursive: true });
  expect((await sandbox.script("gate")).stdout.startsWith(summary)).toBe(true);
  const recovery = await sandbox.script();
  expect(recovery.code).toBe(3);
  expect(recovery.stdout).toContain("A review was in progress for Plan.");
  const paused = await sandbox.person("review");
  expect(paused.stdout.startsWith(summary)).toBe(true);
  expect(sandbox.read(SUMMARY)).toBe(summary);
});

test.concurrent("records the answer and warns if state.json cannot be written [SM-ERR-302]", async () => {
  const sandbox = await createSandbox();
  await startSupervised(sandbox);
  rmSync(join(sandbox.root, ".isdlc/state.json"));
  mkdirSync(join(sandbox.root, ".isdlc/state.json"));
  const answered = await sandbox.person("continue", "--no-run", "--json");
  expect(answered.code).toBe(0);
  expect(answered.stderr).toContain("warning: state.json could not be written");
  expect(parsed(answered).warnings).toEqual([expect.stringContaining("state.json could not be written")]);
  expect((await sandbox.events()).at(-1)).toMatchObject({ type: "gate.answered", choice: "continue" });
});

test.concurrent("rejects an unavailable choice, lists the valid ones and keeps the gate open [SM-ERR-303]", async () => {
  const sandbox = await createSandbox();
  await startSupervised(sandbox);
  const before = (await sandbox.status()).waiting;
  for (const [args, why] of [
    [["answer", "approve"], "notOffered"],
    [["answer", "constructor"], "notOffered"],
    [["answer"], "notOffered"],
    [["retry"], "notOffered"],
    [["answer", "merge"], "notOpen"],
    [["answer", "loosen"], "nothingLoosened"],
    [["continue", "--wait", "plan#1/gate-999"], "notOpen"],
    [["answer", "cancel"], "reasonMissing"],
  ] as const) {
    const refused = await sandbox.person(...args, "--json");
    expect(refused.code, args.join(" ")).toBe(1);
    const { problem } = parsed(refused);
    expect(problem, args.join(" ")).toMatchObject({ code: "COMMAND_REFUSED", refusal: { why } });
    if (why === "notOffered") expect(problem.fix).toContain("continue, review, redo");
  }
  expect((await sandbox.status()).waiting).toEqual(before);
  const exact = await sandbox.person("continue", "--wait", before.id, "--no-run", "--json");
  expect(exact.code).toBe(0);
});

type Spoil = (state: Json) => void;

const spoiled: [string, Spoil][] = [
  ["SM-ERR-304: a review of another phase", (s) => (s.active_workflow.supervised_review.phase = "final-review")],
  ["SM-ERR-401: a redo count that is no number", (s) => (s.active_workflow.supervised_review.redo_count = null)],
  ["SM-ERR-401: a negative redo count", (s) => (s.active_workflow.supervised_review.redo_count = -7)],
  ["SM-ERR-401: a redo count above the limit", (s) => (s.active_workflow.supervised_review.redo_count = 99)],
  ["SM-ERR-404: guidance that is no list", (s) => (s.active_workflow.supervised_review.redo_guidance_history = "x")],
  ["SM-ERR-500: a phase nobody knows", (s) => (s.active_workflow.supervised_review.phase = "99-nothing")],
  ["SM-ERR-501: a status nobody knows", (s) => (s.active_workflow.supervised_review.status = "approved")],
  ["SM-ERR-501: a review called completed", (s) => (s.active_workflow.supervised_review.status = "completed")],
  ["SM-ERR-700: a history that is no list", (s) => (s.active_workflow.review_history = { 0: "continue" })],
  ["a run that is gone", (s) => (s.active_workflow = null)],
  ["a phase called passed", (s) => (s.active_workflow.current_phase_index = 2)],
];

test.concurrent("ignores and repairs edits of a run in state.json [SM-ERR-304, SM-ERR-401, SM-ERR-404, SM-ERR-500, SM-ERR-501, SM-ERR-700]", async () => {
  const sandbox = await createSandbox();
  await startSupervised(sandbox);
  await sandbox.person("redo", "shorter");
  const right = sandbox.json(".isdlc/state.json");
  const before = await sandbox.status();
  expect(before.waiting.options).toEqual(["continue", "review", "redo"]);
  for (const [name, spoil] of spoiled) {
    const state = structuredClone(right);
    spoil(state);
    sandbox.write(".isdlc/state.json", JSON.stringify(state));
    const resumed = await sandbox.script("resume", "--json");
    expect(resumed.code, name).toBe(3);
    expect(parsed(resumed).run, name).toEqual(before);
    expect(parsed(resumed).warnings, name).toEqual([expect.stringContaining("changed by another program")]);
    expect({ ...sandbox.json(".isdlc/state.json"), state_version: 0 }, name).toEqual({ ...right, state_version: 0 });
  }
  expect(sandbox.log()).toHaveLength(2);
  expect((await sandbox.events()).filter(({ type }) => type === "gate.answered")).toHaveLength(1);
});

test.concurrent("saves a copy of an invalid state.json and writes a new one", async () => {
  const sandbox = await createSandbox();
  await startSupervised(sandbox);
  const right = sandbox.json(".isdlc/state.json");
  sandbox.write(".isdlc/state.json", '{"active_workflow": nu');
  expect((await sandbox.script("resume")).code).toBe(3);
  expect(sandbox.json(".isdlc/state.json").active_workflow).toEqual(right.active_workflow);
  expect(readdirSync(join(sandbox.root, ".isdlc")).filter((name) => name.includes("corrupt"))).toHaveLength(1);
});

test.concurrent("keeps supervision that an agent relaxed until the user accepts it", async () => {
  const sandbox = await createSandbox();
  const loosened = JSON.stringify({ supervised_mode: { enabled: false } });
  sandbox.plan({ turns: { plan: [{ writes: { ".isdlc/state.json": loosened } }] } });
  const started = await startSupervised(sandbox, "--json");
  expect(parsed(started).run.waiting).toMatchObject({
    kind: "gate",
    options: ["continue", "review", "redo", "loosen"],
    loosened: { enabled: false },
  });
  expect((await sandbox.script("gate")).stdout).toContain(
    "Supervision was loosened: the settings now say no review gates",
  );
  const next = parsed(await sandbox.person("continue", "--json")).run;
  expect(next.waiting).toMatchObject({ kind: "gate", id: expect.stringMatching(/^implement/) });
  const agreed = parsed(await sandbox.person("answer", "loosen", "--json")).run;
  expect(agreed).toMatchObject({ supervised: false, waiting: { kind: "gate", id: next.waiting.id } });
  expect((await sandbox.events()).filter(({ type }) => type === "supervision.loosened")).toHaveLength(1);
  expect(existsSync(join(sandbox.root, ".isdlc/active"))).toBe(true);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, parsed } from "../../../support/cli.ts";
import {
  FAULTS,
  FEATURE,
  readMeta,
  prepareFeature,
  refuses,
  refusesEveryTime,
  spec,
  started,
} from "./prepared-feature.ts";

/** Summary shown at the gate. */
const SUMMARY = ".isdlc/reviews/phase-specify-summary.md";

describe.concurrent("reviewer that does not approve", () => {
  test.for([
    ["standard", 3],
    ["full", 5],
  ] as const)(
    "ends %s after %i verdicts with open findings and without approval [SPEC-AC3, SPEC-AC9, SPEC-R2.4, SPEC-R2.5]",
    async ([mode, limit]) => {
      const sandbox = await createSandbox();
      prepareFeature(sandbox, "brainstorm", { mode });
      sandbox.plan({ turns: { "specify reviewer": refusesEveryTime } });
      const { code, stdout, stderr } = await spec(sandbox, "specify");
      expect(code).toBe(0);
      const rounds = Array.from({ length: limit }, () => ["specify", "specify reviewer"]);
      expect(started(sandbox)).toEqual(rounds.flat());
      const last = FAULTS.at(-1) ?? "";
      expect(stderr).toMatch(/Phase complete\. Reviewer concerns: F[0-9]+: /);
      expect(stderr).not.toMatch(/Phase complete \(/);
      expect(stdout).toContain(`Specify: F${FAULTS.length}: ${last}`);
      const { specify } = readMeta(sandbox).phases;
      expect(specify).toMatchObject({ completed: expect.any(String), iterations: limit, verified: false });
      expect(specify.reviewerNotes).toHaveLength(FAULTS.length + 1 - limit);
      expect(specify.reviewerNotes.at(-1)).toBe(`F${FAULTS.length}: ${last}`);
      const made = (await sandbox.events()).find(({ type }) => type === "phase.completed");
      expect(made).toMatchObject({ made: { approved: false, concerns: specify.reviewerNotes } });
    },
  );

  test("shows open findings at the gate and in the review history [SPEC-AC9, SPEC-R2.5, SPEC-R6.1, SPEC-R6.2, SPEC-R6.4]", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm", { mode: "quick" });
    sandbox.plan({ turns: { "specify reviewer": refusesEveryTime } });
    expect((await spec(sandbox, "specify", "--supervised")).code).toBe(3);
    expect(started(sandbox)).toEqual(["specify", "specify reviewer", "specify", "specify reviewer"]);
    const gate = await sandbox.script("gate");
    expect(gate.stdout).toContain(FAULTS[1]);
    expect(gate.stdout).not.toMatch(/\bapproved\b(?! within)/i);
    const history = sandbox.read(`${FEATURE}/.review-history.md`);
    for (const [at, fault] of FAULTS.slice(0, 2).entries())
      expect(history).toMatch(new RegExp(`### Iteration ${at + 1} - [^]*- \\[blocker\\] ${fault.slice(0, 20)}`));
    expect(history).toContain("Did specify; turn 1");
    const told = await sandbox.script("history", "--reviews");
    expect(told.stdout).toMatch(/^Specify\n {2}1\. not approved, 6 findings: not yet\n {2}2\. not approved/);
    for (const fault of FAULTS.slice(0, 2)) expect(told.stdout).toContain(fault);
    const { reviews } = parsed(await sandbox.script("history", "--reviews", "--json"));
    expect(reviews.map(({ iteration, approved }: Record<string, unknown>) => [iteration, approved])).toEqual([
      [1, false],
      [2, false],
    ]);
  });

  test.for([
    [
      "SPEC-AC17",
      "specify",
      "brainstorm",
      "The design needs the token lifetime.",
      "brainstorm.md",
      "acceptance criteria",
    ],
    ["SPEC-AC18, SPEC-AC4", "design", "specify", "Requirement R3 is not covered.", "spec.md", "components"],
  ] as const)(
    "%s: passes numbered findings of %s to its next execution [SPEC-R2.2, SPEC-R2.4]",
    async ([, verb, last, fault, previous, needs]) => {
      const sandbox = await createSandbox();
      prepareFeature(sandbox, last);
      sandbox.plan({ turns: { [`${verb} reviewer`]: [refuses(fault, "line 3"), {}] } });
      const { code, stderr } = await spec(sandbox, verb);
      expect([code, stderr.includes("warning:")]).toEqual([0, false]);
      const [first, judged, second] = sandbox.log();
      expect(started(sandbox)).toEqual([verb, `${verb} reviewer`, verb, `${verb} reviewer`]);
      expect(first?.prompt).not.toContain(fault);
      expect(second?.prompt).toContain(`F1: ${fault}`);
      expect(judged?.prompt).toContain(`${FEATURE}/${previous}`);
      expect(judged?.prompt.toLowerCase()).toContain(needs);
      expect(judged?.cwd).not.toBe(sandbox.root);
      expect(readMeta(sandbox).phases[verb]).toMatchObject({ iterations: 2, reviewerNotes: [] });
    },
  );

  test("ends the loop early if two revisions resolve no blocker", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm", { mode: "full" });
    sandbox.plan({ turns: { "specify reviewer": [refuses(FAULTS[0] ?? "", "spec.md:1")] } });
    const { stdout } = await spec(sandbox, "specify");
    expect(started(sandbox).filter((key) => key === "specify reviewer")).toHaveLength(3);
    const why = "Two revisions in a row resolved no blocker: F1 stayed open.";
    expect(stdout).toContain(why);
    expect(readMeta(sandbox).phases.specify.reviewerNotes).toEqual([expect.stringContaining("F1: "), why]);
    expect((await sandbox.script("history", "--reviews")).stdout).toContain(`Stopped: ${why}`);
  });
});

describe.concurrent("unreadable verdict", () => {
  test.for([
    ["invalid JSON", { raw: "approved: true\n" }],
    ["a verdict of the wrong shape", { verdict: { approved: "yes", issues: "none" } }],
    ["a phase result", { raw: '{"type":"result","status":"done","summary":"approved"}\n' }],
  ] as const)("asks again after %s, then records no verdict and no approval", async ([, turn]) => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    sandbox.plan({ turns: { "specify reviewer": [turn] } });
    expect((await spec(sandbox, "specify", "--supervised")).code).toBe(3);
    expect(started(sandbox)).toEqual(["specify", "specify reviewer", "specify reviewer"]);
    expect(sandbox.read(SUMMARY)).toContain("No verdict: two answers of the reviewer could not be read");
    const events = await sandbox.events();
    expect(events.findLast(({ type }) => type === "verdict.given")).toMatchObject({ approved: false });
    expect(readMeta(sandbox).phases.specify).toMatchObject({ completed: null, verified: false });
  });

  test("accepts a valid verdict on the second request", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    sandbox.plan({ turns: { "specify reviewer": [{ raw: "well\n" }, {}] } });
    expect(await spec(sandbox, "specify")).toMatchObject({ stderr: expect.stringContaining("(1 iteration)") });
  });
});

describe.concurrent("start of a reviewer", () => {
  test("starts the reviewer only after the checks pass", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    const empty = { artifacts: false, writes: { "{item}/spec.md": "" } };
    sandbox.plan({ turns: { specify: [empty, {}, empty, {}], "specify reviewer": [refuses(FAULTS[0] ?? ""), {}] } });
    expect((await spec(sandbox, "specify")).code).toBe(0);
    const [made, judged] = ["specify", "specify reviewer"];
    expect(started(sandbox)).toEqual([made, made, judged, made, made, judged]);
    const types = (await sandbox.events()).map(({ type }) => type);
    for (const [at, type] of types.entries())
      if (type === "verdict.given")
        expect(types.slice(0, at).findLast((one) => one.startsWith("checks."))).toBe("checks.passed");
  });

  test("reviews with the command of --reviewer-command", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    const log = join(sandbox.base, "reviewer.jsonl");
    const plan = join(sandbox.base, "reviewer.json");
    writeFileSync(plan, JSON.stringify({ log, always: { verdict: { summary: "seen by another" } } }));
    const command = (sandbox.agent[1] ?? "").replace(/\S+$/, plan);
    expect((await spec(sandbox, "specify", "--reviewer-command", command)).code).toBe(0);
    expect(started(sandbox)).toEqual(["specify"]);
    expect((await sandbox.script("history", "--reviews")).stdout).toContain("approved: seen by another");
  });

  test("opens the gate without a reviewer if a prerequisite was emptied", async () => {
    const sandbox = await createSandbox();
    sandbox.plan({ turns: { specify: [{ writes: { "{item}/brainstorm.md": " \n" } }] } });
    const stopped = await spec(sandbox, "run", "spec", "Login page", "--mode", "quick", "--review", "specify");
    expect(stopped.code).toBe(3);
    expect(started(sandbox)).toEqual(["brainstorm", "specify", "specify"]);
    expect((await sandbox.script("gate")).stdout).toContain(`${FEATURE}/brainstorm.md is missing or empty`);
  });
});

test.concurrent("keeps a warning of an approving verdict in reviewerNotes", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm");
  const issues = [{ severity: "warning", description: "Browsers are not named.", location: "spec.md:3" }];
  sandbox.plan({ turns: { "specify reviewer": [{ verdict: { approved: true, summary: "fine", issues } }] } });
  const { code, stdout } = await spec(sandbox, "specify");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Specify completed and approved by the reviewer")]);
  const { specify } = sandbox.json(`${FEATURE}/.meta.json`).phases;
  expect(specify.reviewerNotes).toEqual(["warning: Browsers are not named. (spec.md:3)"]);
});

import { describe, expect, test } from "vitest";
import type { PersonCommand, Refusal } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import type { Step } from "../../src/schema/event.ts";
import { brokenByGoingBack } from "../support/back-rules.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  everyPhase,
  failed,
  measured,
  openWait,
  phaseAt,
  phaseRule,
  type Player,
  produced,
  redo,
  refined,
  report,
  runOptions,
  startRun,
} from "../support/run-builder.ts";
import { asks, claim } from "../support/run-scripts.ts";

const KEYS = ["01-requirements", "02-impact-analysis", "03-architecture", "04-design", "06-implementation"];
const plan = KEYS.map((key) =>
  phaseRule({
    key,
    whenLight: key === "03-architecture" ? "drop" : "keep",
    after: key === "02-impact-analysis" ? ["sizing"] : key === "04-design" ? ["refinement"] : [],
  }),
);
const supervised = { plan, supervision: everyPhase };
const back = (to: string, tree: "restore" | "keep" = "keep"): PersonCommand => ({ do: "back", by: ada, to, tree });
const refusalOf = (player: Player, command: PersonCommand): Refusal | null => {
  const decision = decide(player.state, command);
  return decision.ok ? null : decision.refusal;
};

/** In the last phase. Every earlier phase was accepted, in the given size. */
function inLastPhase(choice: "light" | "standard"): Player {
  const player = startRun({ ...supervised, options: runOptions({ light: choice === "light" }) });
  report(advance(player, "measure"), measured(choice));
  if (activeRun(player).wait?.kind === "sizing")
    accepted(player, { do: "size", by: ada, wait: openWait(player).id, choice });
  report(advance(player, "refine"), refined());
  return advance(player, "check");
}

describe("return to an earlier phase", () => {
  test.for<[string, number, boolean, boolean]>([
    ["01-requirements", 0, false, false],
    ["02-impact-analysis", 1, false, false],
    ["04-design", 3, true, false],
    ["06-implementation", 4, true, true],
  ])("returns to %s in a light run", ([to, index, keepsSizing, keepsTasks]) => {
    const player = inLastPhase("light");
    const before = activeRun(player);
    accepted(player, back(to));
    const run = activeRun(player);
    expect(run).toMatchObject({ index, stage: { is: "entering", brief: { why: "back" } }, wait: null });
    expect(run.sizing === null).toBe(!keepsSizing);
    expect(run.refined).toBe(keepsTasks);
    expect(run.phases.map((phase) => phase.dropped)).toEqual(KEYS.map((_, at) => keepsSizing && at === 2));
    expect(run.phases.map((phase) => phase.status)).toEqual(
      before.phases.map((phase, at) => (at < index ? phase.status : "pending")),
    );
    expect(brokenByGoingBack(before, run, { type: "run.wentBack", to, by: ada, tree: "keep" })).toEqual([]);
  });

  test("resets results from that phase on, but keeps attempts, redos, guidance and cost", () => {
    const player = advance(startRun(supervised), "gate");
    accepted(player, redo(player, "shorter"));
    report(advance(player, "produce"), { ...produced, usage: { input: 9, output: 1, usd: 0.5 } } as typeof produced);
    accepted(advance(player, "measure"), back("01-requirements"));
    expect(phaseAt(player, 0)).toMatchObject({
      status: "pending",
      made: null,
      commit: null,
      completedAt: null,
      seenTree: null,
      attempts: 2,
      redos: 1,
      guidance: ["shorter"],
      usage: { input: 9, output: 1, usd: 0.5 },
      firstTree: "tree-0",
    });
    expect(phaseAt(player, 1)).toMatchObject({ status: "pending", attempts: 1, firstTree: null, firstCommit: null });
    const entered = { of: "enter", commit: "b0b", tree: "tree-9" } as const;
    report(advance(player, "enter"), entered);
    expect(phaseAt(player, 0)).toMatchObject({ attempts: 3, firstTree: "tree-0", firstCommit: "b0b" });
  });

  test("keeps the limit of redos", () => {
    const player = advance(startRun(supervised), "gate");
    for (let redos = 0; redos < 3; redos += 1) {
      accepted(player, redo(player, "again"));
      advance(player, "gate");
    }
    accepted(player, back("01-requirements"));
    advance(player, "gate");
    expect(refusalOf(player, redo(player, "again"))).toEqual({ why: "redosSpent", limit: 3 });
  });

  test("repeats sizing and refinement", () => {
    const player = inLastPhase("light");
    accepted(player, back("02-impact-analysis"));
    report(advance(player, "measure"), measured("standard"));
    report(advance(player, "refine"), refined());
    advance(player, "done");
    const times = (type: string): number => player.events.filter((event) => event.type === type).length;
    expect([times("sizing.decided"), times("tasks.refined")]).toEqual([2, 2]);
  });

  test("drops phases only while the light size is selected", () => {
    const player = startRun(supervised);
    const dropped = (): string[] =>
      activeRun(player)
        .phases.filter((phase) => phase.dropped)
        .map(({ rule }) => rule.key);
    for (const choice of ["light", "standard", "light", "light"] as const) {
      report(advance(player, "measure"), measured("epic"));
      accepted(player, { do: "size", by: ada, wait: openWait(player).id, choice });
      expect(dropped()).toEqual(choice === "light" ? ["03-architecture"] : []);
      accepted(advance(player, "produce"), back(choice === "light" ? "02-impact-analysis" : "01-requirements"));
      expect(dropped()).toEqual([]);
    }
  });

  test.for(["keep", "restore"] as const)("passes guidance to the agent like a redo (%s)", (tree) => {
    const player = advance(startRun(supervised), "check");
    accepted(player, { do: "back", by: ada, to: "01-requirements", tree, guidance: "Use a helper named total" });
    if (tree === "restore") report(player, { of: "rewind", kept: null, restored: [], commit: null });
    const { stage } = activeRun(player);
    expect(stage).toEqual({ is: "entering", brief: { why: "redo", text: "Use a helper named total" } });
    expect(phaseAt(player, 0)).toMatchObject({ guidance: ["Use a helper named total"], redos: 0 });
  });

  test("ignores blank guidance", () => {
    const player = advance(startRun(supervised), "check");
    accepted(player, { do: "back", by: ada, to: "01-requirements", tree: "keep", guidance: " " });
    expect(activeRun(player).stage).toMatchObject({ is: "entering", brief: { why: "back" } });
  });

  test("restores the working tree before any other step", () => {
    const player = advance(startRun(supervised), "check");
    expect(accepted(player, back("01-requirements", "restore"))).toEqual(["run.wentBack"]);
    expect(activeRun(player).stage).toEqual({
      is: "rewinding",
      to: "01-requirements",
      brief: { why: "back", text: "" },
    });
    report(player, failed("rewind"));
    expect(openWait(player)).toMatchObject({ from: "rewind", offered: ["retry", "skip"] });
    accepted(player, { do: "skip", by: ada, wait: openWait(player).id });
    expect(player.events.at(-1)).toMatchObject({
      type: "run.rewound",
      kept: expect.stringContaining("/back-") as string,
      restored: [],
    });
    expect(activeRun(player).stage).toMatchObject({ is: "entering", brief: { why: "back" } });
  });

  test("ends the running execution and closes the open wait", () => {
    const player = advance(startRun(supervised), "produce");
    report(player, claim("x1"));
    expect(accepted(player, back("01-requirements"))).toEqual(["execution.ended", "run.wentBack"]);
    report(advance(player, "produce"), asks);
    accepted(player, back("01-requirements"));
    expect(activeRun(player)).toMatchObject({ wait: null, stage: { is: "entering" } });
  });

  test("is possible at the end of the last phase", () => {
    const player = startRun({ ...supervised, options: runOptions({ finish: "ask", sizing: "accept" }) });
    accepted(advance(player, "finish"), back("06-implementation"));
    expect(activeRun(player)).toMatchObject({ index: 4, wait: null, stage: { is: "entering" } });
  });

  test.for<[string, () => Player, string, string[]]>([
    ["a phase not reached yet", () => advance(startRun(supervised), "check"), "03-architecture", ["01-requirements"]],
    ["an unknown phase", () => advance(startRun(supervised), "check"), "99-nowhere", ["01-requirements"]],
    ["a phase about to be entered", () => advance(startRun(supervised), "enter"), "01-requirements", []],
    [
      "a dropped phase",
      () => inLastPhase("light"),
      "03-architecture",
      ["01-requirements", "02-impact-analysis", "04-design", "06-implementation"],
    ],
    ["any phase while preparing", () => startRun(supervised), "01-requirements", []],
    [
      "any phase while rewinding",
      () => {
        const player = advance(startRun(supervised), "check");
        accepted(player, back("01-requirements", "restore"));
        return player;
      },
      "01-requirements",
      [],
    ],
  ])("refuses %s and lists the valid phases", ([, reach, to, valid]) => {
    expect(refusalOf(reach(), back(to))).toEqual({ why: "notEarlier", valid });
  });

  test("reaches a phase that was skipped before its first attempt", () => {
    const player = advance(startRun(supervised), "enter");
    accepted(player, { do: "skip", wait: null, by: ada });
    advance(player, "check");
    accepted(player, back("01-requirements"));
    expect(activeRun(player)).toMatchObject({ index: 0, stage: { is: "entering" } });
  });
});

test("refuses a return after a way to finish was chosen", () => {
  const player = startRun({ ...supervised, options: runOptions({ finish: "ask", sizing: "accept" }) });
  advance(player, "finish");
  const { id } = openWait(player);
  expect(refusalOf(player, back("04-design"))).toBeNull();
  accepted(player, { do: "finish", by: ada, wait: id, how: "keep" });
  expect(refusalOf(player, back("04-design"))).toEqual({ why: "notEarlier", valid: [] });
});

test("refuses a return in a sealed run, even at a reopened finish", () => {
  const player = startRun({ ...supervised, options: runOptions({ finish: "ask", sizing: "accept" }) });
  advance(player, "finish");
  accepted(player, { do: "finish", by: ada, wait: openWait(player).id, how: "pr" });
  const standing = { at: "refs/heads/elsewhere", tip: null, base: null, settings: {} };
  report(player, { of: "finish", moved: ["HEAD is elsewhere"], standing });
  expect(openWait(player).kind).toBe("finish");
  expect(refusalOf(player, back("04-design"))).toEqual({ why: "sealed" });
});

describe("restart and skip", () => {
  const supervisedRun = (): Player => startRun(supervised);
  const within: readonly Step[] = ["enter", "produce", "check", "review", "complete", "recheck"];

  test.for(within)("are accepted at %s", (stage) => {
    const player = advance(supervisedRun(), stage);
    const attempts = phaseAt(player, 0).attempts;
    expect(accepted(player, { do: "retry", wait: null, by: ada })).toEqual(["phase.restarted"]);
    expect(activeRun(player)).toMatchObject({
      index: 0,
      wait: null,
      stage: { is: "entering", brief: { why: "retry" } },
    });
    expect(phaseAt(player, 0)).toMatchObject({ status: "in_progress", made: null, completedAt: null, redos: 0 });
    advance(player, "produce");
    expect(phaseAt(player, 0).attempts).toBe(attempts + 1);

    const other = advance(supervisedRun(), stage);
    expect(accepted(other, { do: "skip", wait: null, by: ada })).toEqual(["phase.skipped"]);
    expect(phaseAt(other, 0)).toMatchObject({ status: "skipped", made: null });
    expect(activeRun(advance(other, "enter")).index).toBe(1);
  });

  test("accept skip but not retry at a gate", () => {
    const player = advance(supervisedRun(), "gate");
    const valid = expect.arrayContaining(["continue", "review", "redo"]);
    expect(refusalOf(player, { do: "retry", wait: null, by: ada })).toEqual({ why: "notOffered", valid });
    expect(accepted(player, { do: "skip", wait: null, by: ada })).toEqual(["phase.skipped"]);
  });

  test.for<Step>(["produce", "check", "review", "complete", "recheck"])("answer an escalation from %s", (step) => {
    const player = advance(supervisedRun(), step);
    report(player, failed(step));
    accepted(player, { do: "retry", wait: null, by: ada });
    expect(activeRun(player)).toMatchObject({ wait: null, stage: { is: "entering" } });
  });

  test.for<PersonCommand>([
    { do: "retry", wait: null, by: ada },
    { do: "skip", wait: null, by: ada },
  ])("refuse a late result after $do ends a running agent", (command) => {
    const player = advance(supervisedRun(), "review");
    report(player, claim("x1"));
    const { since } = activeRun(player);
    expect(accepted(player, command)[0]).toBe("execution.ended");
    const late = decide(player.state, { do: "report", ticket: `01-requirements#1@${since}`, outcome: produced });
    expect(late).toMatchObject({ ok: false, refusal: { why: "lateOutcome" } });
  });

  test.for<Step | "sizing" | "rewind">(["prepare", "commit", "measure", "sizing", "refine", "finish", "rewind"])(
    "are refused at %s",
    (step) => {
      const options = runOptions({ sizing: step === "sizing" ? "ask" : "accept" });
      const player = startRun({ ...supervised, options });
      if (step === "rewind") accepted(advance(player, "check"), back("01-requirements", "restore"));
      advance(player, step);
      expect(refusalOf(player, { do: "retry", wait: null, by: ada })).toEqual({ why: "notInPhase" });
      expect(refusalOf(player, { do: "skip", wait: null, by: ada })).toEqual({ why: "notInPhase" });
    },
  );
});

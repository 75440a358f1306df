import { describe, expect, test } from "vitest";
import type { Command, Outcome, PersonCommand, Refusal } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide.ts";
import type { Step } from "../../src/schema/event.ts";
import type { PhaseRule } from "../../src/schema/plan.ts";
import {
  absent,
  activeRun,
  ada,
  advance,
  accepted,
  autonomous,
  checked,
  completed,
  createPlayer,
  everyPhase,
  execution,
  failed,
  good,
  goodAnswer,
  keeps,
  openWait,
  phaseAt,
  phaseRule,
  type Player,
  produced,
  rechecked,
  redo,
  report,
  result,
  robot,
  start,
  startRun,
  ticketAtHand,
  verdict,
} from "../support/run-builder.ts";
import { asks, claim } from "../support/run-scripts.ts";

const named = { by: ada, wait: "w" };
const back = (to: string): PersonCommand => ({ do: "back", by: ada, to, tree: "restore" });
/** Decisions that answer no wait. */
const unasked: readonly PersonCommand[] = [
  { by: ada, do: "restart" },
  { by: ada, do: "pass" },
  { by: ada, do: "back", to: "01-requirements", tree: "keep" },
  { by: ada, do: "cancel", reason: "enough" },
];
const everyDecision: readonly PersonCommand[] = [
  { ...named, do: "continue", shown: "" },
  { ...named, do: "review", shown: "" },
  { ...named, do: "redo", shown: "", guidance: "" },
  { ...named, do: "loosen" },
  { ...named, do: "reply", replies: [] },
  { ...named, do: "retry" },
  { ...named, do: "skip" },
  { ...named, do: "acceptTests", tests: null },
  { ...named, do: "finish", how: "keep" },
  { ...named, do: "size", choice: "accept" },
  ...unasked,
];

const supervised = { supervision: everyPhase };
const atGate = (): Player => advance(startRun(supervised), "gate");
const atStep = (step: Step): Player => advance(startRun(supervised), step);
const why = (player: Player, command: Command): Refusal["why"] | "accepted" => {
  const decision = decide(player.state, command);
  return decision.ok ? "accepted" : decision.refusal.why;
};

describe("a person's command", () => {
  test.for(everyDecision)("$do is refused for an agent, in every state", (command) => {
    for (const player of [createPlayer(), startRun(), atGate(), advance(startRun(), "done")])
      expect(why(player, { ...command, by: robot })).toBe("notAPerson");
  });

  test.for(everyDecision)("$do is refused without a run and after its end", (command) => {
    expect(why(createPlayer(), command)).toBe("noRun");
    expect(decide(advance(startRun(), "done").state, command)).toEqual({
      ok: false,
      refusal: { why: "runEnded", how: "finished" },
    });
  });

  test.for(everyDecision.filter((command) => !unasked.includes(command)))("$do must name the open wait", (command) => {
    const player = atGate();
    expect(decide(player.state, command)).toEqual({
      ok: false,
      refusal: { why: "notOpen", open: openWait(player).id },
    });
    expect(decide(startRun().state, command)).toEqual({ ok: false, refusal: { why: "notOpen", open: null } });
  });

  test("cancel needs a reason, and nothing else", () => {
    expect(why(startRun(), { by: ada, do: "cancel", reason: " \n" })).toBe("reasonMissing");
    expect(accepted(startRun(), { by: ada, do: "cancel", reason: "not needed" })).toEqual(["run.cancelled"]);
  });

  test("a second start is refused while a run is open", () => {
    expect(decide(startRun().state, start())).toEqual({
      ok: false,
      refusal: { why: "runActive", run: start().facts.run },
    });
    expect(why(createPlayer(), start())).toBe("accepted");
  });
});

describe("an answer to an escalation", () => {
  const escalated = (step: Step): Player => {
    const player = atStep(step);
    report(player, failed(step));
    return player;
  };
  const skip = (player: Player): Command => ({ do: "skip", by: ada, wait: openWait(player).id });

  test.for<[Step, string[]]>([
    ["enter", ["step.skipped", "phase.skipped"]],
    ["produce", ["step.skipped", "phase.skipped"]],
    ["check", ["step.skipped", "phase.skipped"]],
    ["review", ["step.skipped", "phase.skipped"]],
    ["commit", ["step.skipped", "phase.committed", "phase.left"]],
    ["finish", ["step.skipped", "run.finished"]],
  ])("skip after %s records %j", ([step, events]) => {
    const player = escalated(step);
    expect(accepted(player, skip(player))).toEqual(events);
  });

  test.for<Step>(["prepare", "complete", "recheck"])("%s cannot be skipped, only retried or cancelled", (step) => {
    const player = escalated(step);
    expect(decide(player.state, skip(player))).toEqual({
      ok: false,
      refusal: { why: "notOffered", valid: ["retry", "cancel"] },
    });
    expect(accepted(player, goodAnswer(openWait(player)))).toEqual(["step.retried"]);
  });

  test("tests are accepted only where that was offered", () => {
    const player = escalated("check");
    expect(why(player, { do: "acceptTests", by: ada, wait: openWait(player).id, tests: null })).toBe("notOffered");
  });

  test("a changed way of running tests is accepted by a person, then checked again", () => {
    const player = advance(startRun({ supervision: autonomous }), "check");
    const changed: Outcome = { of: "check", results: [], digest: "", testsChanged: "npm test is another script" };
    expect(report(player, changed)).toEqual(["step.escalated"]);
    expect(openWait(player)).toMatchObject({ reason: "tests_changed", offered: ["accept", "retry", "skip"] });
    const tests = { argv: ["npm", "test"], source: "package.json", digest: "sha256:new" };
    accepted(player, { do: "acceptTests", by: ada, wait: openWait(player).id, tests });
    expect(activeRun(player)).toMatchObject({ tests, wait: null, stage: { is: "checking" } });
  });

  test("where a gate will come, a changed way of running tests is shown there instead", () => {
    const player = atStep("check");
    expect(report(player, { of: "check", results: [], digest: "", testsChanged: "other" })).toEqual(["checks.passed"]);
    advance(player, "gate");
    expect(phaseAt(player, 0).made?.testsChanged).toBe("other");
  });
});

describe("an answer to questions", () => {
  const asked = (): Player => {
    const player = advance(startRun(), "produce");
    expect(report(player, asks)).toEqual(["execution.ended", "questions.asked"]);
    return player;
  };

  test("is refused while a question is neither answered nor dismissed", () => {
    const player = asked();
    const replies = [{ id: "q1", text: "a" }];
    expect(why(player, { do: "reply", by: ada, wait: openWait(player).id, replies })).toBe("unanswered");
  });

  test("counts a dismissed question, and drops replies to questions nobody asked", () => {
    const player = asked();
    const replies = [
      { id: "q1", text: "a" },
      { id: "q2", text: null },
      { id: "q9", text: "unasked" },
    ];
    accepted(player, { do: "reply", by: ada, wait: openWait(player).id, replies });
    expect(player.events.at(-1)).toMatchObject({ type: "questions.answered", replies: replies.slice(0, 2) });
    expect(activeRun(player).stage).toMatchObject({
      is: "producing",
      brief: { why: "answers" },
      work: {
        replies: [
          { id: "q1", reply: "a" },
          { id: "q2", reply: null },
        ],
      },
    });
  });
});

describe("an outcome", () => {
  const steps: readonly Step[] = [
    "prepare",
    "enter",
    "produce",
    "check",
    "review",
    "complete",
    "recheck",
    "commit",
    "measure",
    "refine",
    "rewind",
    "finish",
  ];
  const atStep = (step: Step): Player => {
    const after: PhaseRule["after"] = ["sizing", "refinement"];
    const player = startRun({ ...supervised, plan: [phaseRule({ after })] });
    if (step === "rewind") accepted(advance(player, "check"), back("03-architecture"));
    return advance(player, step);
  };

  test.for(steps.flatMap((at) => steps.filter((other) => other !== at).map((other) => [at, other] as const)))(
    "at %s refuses that of %s, good or failed",
    ([at, other]) => {
      const player = atStep(at);
      const ticket = ticketAtHand(player);
      expect(why(player, { do: "report", ticket, outcome: good(other) })).toBe("lateOutcome");
      expect(why(player, { do: "report", ticket, outcome: failed(other) })).toBe("lateOutcome");
    },
  );

  test.for(steps)("of %s that failed is an escalation, never a refusal", (step) => {
    const player = atStep(step);
    expect(report(player, failed(step))).toEqual(["step.escalated"]);
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: step, reason: "impossible" });
  });

  test("of an earlier turn of the same attempt is refused: the ticket is the turn's", () => {
    const player = atStep("produce");
    const late: Command = { do: "report", ticket: ticketAtHand(player), outcome: produced };
    accepted(player, late);
    report(player, checked(result("tests", false)));
    expect(activeRun(player).stage.is).toBe("producing");
    expect(decide(player.state, late)).toEqual({
      ok: false,
      refusal: { why: "lateOutcome", expected: ticketAtHand(player) },
    });
  });

  test("is refused while a person is asked", () => {
    const player = atStep("complete");
    const ticket = ticketAtHand(player);
    report(player, completed(absent));
    expect(decide(player.state, { do: "report", ticket, outcome: completed(absent) })).toEqual({
      ok: false,
      refusal: { why: "lateOutcome", expected: null },
    });
  });
});

describe("an execution", () => {
  test("is claimed once; a second driver is told which one runs", () => {
    const player = atStep("produce");
    expect(report(player, claim("x1"))).toEqual(["execution.started"]);
    const again: Command = { do: "report", ticket: ticketAtHand(player), outcome: claim("x2") };
    expect(decide(player.state, again)).toEqual({ ok: false, refusal: { why: "claimed", execution: "x1" } });
  });

  test("that is lost leaves the step to be claimed again; another's loss is late", () => {
    const player = atStep("review");
    report(player, claim("x1"));
    const ticket = ticketAtHand(player);
    expect(why(player, { do: "report", ticket, outcome: { of: "lost", execution: "x0" } })).toBe("lateOutcome");
    expect(report(player, { of: "lost", execution: "x1" })).toEqual(["execution.ended"]);
    expect(report(player, claim("x2"))).toEqual(["execution.started"]);
  });

  test.for<[string, boolean, string[]]>([
    ["may be tried again", true, ["execution.ended"]],
    ["may not be tried again", false, ["execution.ended", "step.escalated"]],
  ])("that broke and %s records %j", ([, again, events]) => {
    const player = atStep("produce");
    const broken: Outcome = { of: "broken", reason: "crashed", detail: "exit 1", again, ...execution };
    expect(report(player, broken)).toEqual(events);
  });

  test("that breaks twice in a row is shown to a person", () => {
    const player = atStep("produce");
    const broken: Outcome = { of: "broken", reason: "crashed", detail: "exit 1", again: true, ...execution };
    report(player, broken);
    expect(report(player, broken)).toEqual(["execution.ended", "step.escalated"]);
  });

  test.for<["failed" | "needs_input", string]>([
    ["failed", "no idea"],
    ["needs_input", "It needs input but asked nothing. no idea"],
  ])("whose agent says %s escalates with what it said", ([status, detail]) => {
    const player = atStep("produce");
    const said = { status, summary: "no idea", decisions: [], artifacts: [], questions: [] };
    report(player, { of: "produce", result: said, ...execution });
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "produce", reason: "agent_failed", detail });
  });
});

describe("checks", () => {
  const tried = (rule: { limit: number; breaker: number }, names: readonly string[]): Player => {
    const player = startRun({ plan: [phaseRule({ checks: rule })] });
    for (const name of names) {
      advance(player, "check");
      report(player, checked(result(name, false)));
    }
    return player;
  };

  test.for<[string, { limit: number; breaker: number }, string[], string | null]>([
    ["one short of the limit", { limit: 3, breaker: 9 }, ["a", "b"], null],
    ["at the limit", { limit: 3, breaker: 9 }, ["a", "b", "c"], "max_iterations"],
    ["two alike, breaker three", { limit: 9, breaker: 3 }, ["a", "a"], null],
    ["three alike", { limit: 9, breaker: 3 }, ["a", "a", "a"], "circuit_breaker"],
    ["three alike, not in a row", { limit: 9, breaker: 3 }, ["a", "a", "b", "a"], null],
  ])("that fail %s", ([, rule, names, reason]) => {
    const { wait, stage } = activeRun(tried(rule, names));
    expect(wait?.kind === "escalation" ? wait.reason : null).toBe(reason);
    expect(stage).toMatchObject({ is: "producing", brief: { why: "checks" }, work: { failures: names.length } });
  });

  test("not measured is neither passed off as failed nor counted", () => {
    const player = atStep("check");
    expect(report(player, checked(result("tests", null)))).toEqual(["checks.passed"]);
  });
});

describe("a verdict", () => {
  const reviewed = (verdicts: number, ...given: Outcome[]): Player => {
    const player = startRun({ plan: [phaseRule({ verdicts })] });
    for (const outcome of given) {
      advance(player, "review");
      report(player, outcome);
    }
    return player;
  };

  test.for<[string, Player, string, object]>([
    ["approving", reviewed(2, verdict(true)), "completing", { draft: { approved: true, concerns: [] } }],
    [
      "with a blocker",
      reviewed(2, verdict(false, "leaks")),
      "producing",
      { brief: { why: "findings", text: "F1: leaks" } },
    ],
    ["approving with a blocker", reviewed(2, verdict(true, "leaks")), "producing", { brief: { why: "findings" } }],
    [
      "with a blocker at the limit",
      reviewed(2, verdict(false, "leaks"), verdict(false, "still leaks")),
      "completing",
      { draft: { approved: false, concerns: [expect.stringMatching(/^F[12]: still leaks$/)] } },
    ],
    [
      "without any reason",
      reviewed(1, verdict(false)),
      "completing",
      { draft: { approved: false, concerns: ["not yet"] } },
    ],
  ])("%s", ([, player, is, rest]) => {
    expect(activeRun(player).stage).toMatchObject({ is, ...rest });
  });

  test("is not asked for in a phase without a reviewer", () => {
    const player = advance(startRun({ plan: [phaseRule({ verdicts: 0 })] }), "check");
    report(player, good("check"));
    expect(activeRun(player).stage).toMatchObject({ is: "completing", draft: { approved: false } });
  });
});

describe("at a gate", () => {
  test("a redo is refused after the third", () => {
    const player = atGate();
    for (let redos = 0; redos < 3; redos += 1) {
      accepted(player, redo(player, "again"));
      advance(player, "gate");
    }
    expect(decide(player.state, redo(player, "again"))).toEqual({
      ok: false,
      refusal: { why: "redosSpent", limit: 3 },
    });
  });

  test("a re-check that fails opens the gate again with what failed", () => {
    const player = atStep("recheck");
    expect(report(player, rechecked(result("tests", false)))).toEqual(["phase.rechecked", "gate.opened"]);
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [result("tests", false)] });
  });

  test("loosening is refused where the settings were not loosened", () => {
    const player = advance(startRun(supervised), "complete");
    report(player, completed(keeps));
    expect(why(player, { do: "loosen", by: ada, wait: openWait(player).id })).toBe("nothingLoosened");
  });
});

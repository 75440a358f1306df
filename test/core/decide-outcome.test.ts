import { describe, expect, test } from "vitest";
import type { Command, Outcome } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { Step } from "../../src/schema/event.ts";
import type { PhaseRule } from "../../src/schema/plan.ts";
import {
  absent,
  activeRun,
  ada,
  advance,
  accepted,
  checked,
  completed,
  execution,
  failed,
  good,
  openWait,
  phaseRule,
  type Player,
  produced,
  report,
  result,
  runOptions,
  startRun,
  ticketAtHand,
  verdict,
} from "../support/run-builder.ts";
import { claim } from "../support/run-scripts.ts";
import { atStep, supervised, why } from "./supervised-run.ts";
import { whatFailed } from "../../src/views/trouble-lines.ts";

describe("outcome of a step", () => {
  const steps = Step.options;
  const reaching = (step: Step): Player => {
    const after: PhaseRule["after"] = ["sizing", "refinement"];
    const tests = { argv: ["npm", "test"], source: "package.json", digest: "trusted" };
    const player = startRun({ ...supervised, tests, plan: [phaseRule({ after, tests: true, writes: "tests" })] });
    if (step === "rewind")
      accepted(advance(player, "check"), { do: "back", by: ada, to: "03-architecture", tree: "restore" });
    return advance(player, step);
  };

  test.for(steps.flatMap((at) => steps.filter((other) => other !== at).map((other) => [at, other] as const)))(
    "is refused at %s if it belongs to %s",
    ([at, other]) => {
      const player = reaching(at);
      const ticket = ticketAtHand(player);
      expect(why(player, { do: "report", ticket, outcome: good(other) })).toBe("lateOutcome");
      expect(why(player, { do: "report", ticket, outcome: failed(other) })).toBe("lateOutcome");
    },
  );

  test.for(steps)("escalates if %s failed", (step) => {
    const player = reaching(step);
    expect(report(player, failed(step))).toEqual(["step.escalated"]);
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: step, reason: "impossible" });
  });

  test("is refused if its ticket is of an earlier turn of the attempt", () => {
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

  test("is refused if it asked about a budget that was raised in the meantime", () => {
    const options = runOptions({ budget: { usd: 1, tokens: null } });
    const player = advance(startRun({ ...supervised, options }), "produce");
    const usage = { input: 1, output: 1, usd: 2 };
    report(player, claim("x1"));
    report(player, { of: "lost", execution: "x1", usage });
    const asking: Command = { do: "report", ticket: ticketAtHand(player), outcome: claim("x2") };
    expect(accepted(player, asking)).toEqual(["budget.spent"]);
    accepted(player, { do: "raise", by: ada, wait: openWait(player).id, budget: { usd: 9, tokens: null } });
    expect(why(player, asking)).toBe("lateOutcome");
    expect(report(player, claim("x3"))).toEqual(["execution.started"]);
  });

  test("is refused while the run waits for the user", () => {
    const player = atStep("complete");
    const ticket = ticketAtHand(player);
    report(player, completed(absent));
    expect(decide(player.state, { do: "report", ticket, outcome: completed(absent) })).toEqual({
      ok: false,
      refusal: { why: "lateOutcome", expected: null },
    });
  });
});

describe("execution", () => {
  test("is claimed once, and a second claim is refused with its id", () => {
    const player = atStep("produce");
    expect(report(player, claim("x1"))).toEqual(["execution.started"]);
    const again: Command = { do: "report", ticket: ticketAtHand(player), outcome: claim("x2") };
    expect(decide(player.state, again)).toEqual({ ok: false, refusal: { why: "claimed", execution: "x1" } });
  });

  test("frees the step when lost, but ignores the loss of another execution", () => {
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
  ])("records events if it broke and %s: %j", ([, again, events]) => {
    const player = atStep("produce");
    const broken: Outcome = { of: "broken", reason: "crashed", detail: "exit 1", again, ...execution };
    expect(report(player, broken)).toEqual(events);
  });

  test("escalates if it breaks twice in a row", () => {
    const player = atStep("produce");
    const broken: Outcome = { of: "broken", reason: "crashed", detail: "exit 1", again: true, ...execution };
    report(player, broken);
    expect(report(player, broken)).toEqual(["execution.ended", "step.escalated"]);
  });

  test.for<["failed" | "needs_input", string]>([
    ["failed", "no idea"],
    ["needs_input", "It needs input but asked nothing. no idea"],
  ])("escalates with the agent's detail if the status is %s", ([status, detail]) => {
    const player = atStep("produce");
    const said = { status, summary: "no idea", decisions: [], artifacts: [], questions: [] };
    report(player, { of: "produce", result: said, ...execution });
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "produce", reason: "agent_failed", detail });
  });
});

describe("failing checks", () => {
  const tried = (rule: { limit: number; breaker: number }, names: readonly string[]): Player => {
    const player = startRun({ plan: [phaseRule({ checks: rule })] });
    for (const name of names) {
      advance(player, "check");
      report(player, checked(result(name, false)));
    }
    return player;
  };

  test.for<[string, { limit: number; breaker: number }, string[], string | null]>([
    ["return to the agent one failure before the limit", { limit: 3, breaker: 9 }, ["a", "b"], null],
    ["escalate at the limit", { limit: 3, breaker: 9 }, ["a", "b", "c"], "max_iterations"],
    [
      "return to the agent after two equal failures with a breaker of three",
      { limit: 9, breaker: 3 },
      ["a", "a"],
      null,
    ],
    ["escalate after three equal failures", { limit: 9, breaker: 3 }, ["a", "a", "a"], "circuit_breaker"],
    [
      "return to the agent after three equal failures with another between them",
      { limit: 9, breaker: 3 },
      ["a", "a", "b", "a"],
      null,
    ],
  ])("%s", ([, rule, names, reason]) => {
    const { wait, stage } = activeRun(tried(rule, names));
    expect(wait?.kind === "escalation" ? wait.reason : null).toBe(reason);
    expect(stage).toMatchObject({ is: "producing", brief: { why: "checks" }, work: { failures: names.length } });
  });

  test.for<[string[], string]>([
    [["tests"], "tests still fail after 1 attempt; stopped"],
    [["artifacts", "tests"], "checks still fail after 1 attempt; stopped"],
  ])("record the names of %j, regardless of their output", ([names, said]) => {
    const player = advance(startRun({ plan: [phaseRule({ checks: { limit: 1, breaker: 9 } })] }), "check");
    report(player, checked(...names.map((name) => ({ name, ok: false, detail: "1 failed\nlint: tests: no" }))));
    const { wait } = activeRun(player);
    if (wait?.kind !== "escalation") throw new Error("nobody is asked");
    expect(wait.checks).toEqual(names);
    expect(whatFailed(wait)).toBe(said);
  });

  test("exclude checks that were not run", () => {
    const player = atStep("check");
    expect(report(player, checked(result("tests", null)))).toEqual(["checks.passed"]);
  });
});

describe("verdict", () => {
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
  ])("leads to the next stage: %s", ([, player, is, rest]) => {
    expect(activeRun(player).stage).toMatchObject({ is, ...rest });
  });

  test("is skipped in a phase without a reviewer", () => {
    const player = advance(startRun({ plan: [phaseRule({ verdicts: 0 })] }), "check");
    report(player, good("check"));
    expect(activeRun(player).stage).toMatchObject({ is: "completing", draft: { approved: false } });
  });
});

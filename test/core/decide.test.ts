import { describe, expect, test } from "vitest";
import type { Command, Outcome, PersonCommand } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import type { Step } from "../../src/schema/event.ts";
import {
  activeRun,
  ada,
  advance,
  accepted,
  autonomous,
  completed,
  createPlayer,
  failed,
  goodAnswer,
  keeps,
  openWait,
  phaseAt,
  type Player,
  rechecked,
  redo,
  report,
  result,
  robot,
  shownAt,
  start,
  startRun,
} from "../support/run-builder.ts";
import { asks } from "../support/run-scripts.ts";
import { atGate, atStep, supervised, why } from "./supervised-run.ts";

const named = { by: ada, wait: "w" };
const someAgent = { name: "other", digest: "0" };
/** One of each kind. The compiler reports a new kind of decision that is missing here. */
const decisions: { readonly [D in PersonCommand["do"]]: Extract<PersonCommand, { do: D }> } = {
  continue: { ...named, do: "continue", shown: "" },
  review: { ...named, do: "review", shown: "" },
  redo: { ...named, do: "redo", shown: "", guidance: "" },
  loosen: { ...named, do: "loosen" },
  reply: { ...named, do: "reply", replies: [] },
  retry: { ...named, do: "retry" },
  skip: { ...named, do: "skip" },
  accept: { ...named, do: "accept" },
  size: { ...named, do: "size", choice: "accept" },
  back: { by: ada, do: "back", to: "01-requirements", tree: "keep" },
  changeAgents: { by: ada, do: "changeAgents", agent: someAgent, reviewer: someAgent },
  raise: { ...named, do: "raise", budget: { usd: 1, tokens: null } },
  revert: { ...named, do: "revert", paths: [], kept: null, tree: null },
  finish: { ...named, do: "finish", how: "keep" },
  cancel: { by: ada, do: "cancel", reason: "enough" },
  removePasskey: { by: ada, do: "removePasskey", passkey: "key", reason: "lost" },
};
const everyDecision: readonly PersonCommand[] = [
  ...Object.values(decisions),
  { by: ada, do: "retry", wait: null },
  { by: ada, do: "skip", wait: null },
];

describe("command of a person", () => {
  test.for(everyDecision)("refuses $do by an agent in every state", (command) => {
    for (const player of [createPlayer(), startRun(), atGate(), advance(startRun(), "done")])
      expect(why(player, { ...command, by: robot })).toBe("notAPerson");
  });

  test.for(everyDecision)("refuses $do without a run and after its end", (command) => {
    expect(why(createPlayer(), command)).toBe("noRun");
    expect(decide(advance(startRun(), "done").state, command)).toEqual({
      ok: false,
      refusal: { why: "runEnded", how: "finished" },
    });
  });

  test.for(everyDecision.filter((command) => "wait" in command && command.wait !== null))(
    "refuses $do for a wait that is not open",
    (command) => {
      const player = atGate();
      expect(decide(player.state, command)).toEqual({
        ok: false,
        refusal: { why: "notOpen", open: openWait(player).id },
      });
      expect(decide(startRun().state, command)).toEqual({ ok: false, refusal: { why: "notOpen", open: null } });
    },
  );

  test("requires a reason for cancel", () => {
    expect(why(startRun(), { by: ada, do: "cancel", reason: " \n" })).toBe("reasonMissing");
    expect(accepted(startRun(), { by: ada, do: "cancel", reason: "not needed" })).toEqual(["run.cancelled"]);
  });

  test("refuses to start a run while another is open", () => {
    expect(decide(startRun().state, start())).toEqual({
      ok: false,
      refusal: { why: "runActive", run: start().facts.run },
    });
    expect(why(createPlayer(), start())).toBe("accepted");
  });
});

describe("answer to an escalation", () => {
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
  ])("records events of a skip after %s: %j", ([step, events]) => {
    const player = escalated(step);
    expect(accepted(player, skip(player))).toEqual(events);
  });

  test.for<Step>(["prepare", "complete", "recheck"])("refuses to skip %s, and accepts a retry", (step) => {
    const player = escalated(step);
    expect(decide(player.state, skip(player))).toEqual({
      ok: false,
      refusal: { why: "notOffered", valid: ["retry", "cancel"] },
    });
    expect(accepted(player, goodAnswer(openWait(player)))).toEqual(["step.retried"]);
  });

  test("refuses to accept tests if this was not offered", () => {
    const player = escalated("check");
    expect(why(player, { do: "accept", by: ada, wait: openWait(player).id, tests: null })).toBe("notOffered");
  });

  test("accepts a changed test command and checks again", () => {
    const player = advance(startRun({ supervision: autonomous }), "check");
    const changed: Outcome = { of: "check", results: [], digest: "", testsChanged: "npm test is another script" };
    expect(report(player, changed)).toEqual(["step.escalated"]);
    expect(openWait(player)).toMatchObject({ reason: "tests_changed", offered: ["retry", "skip", "accept"] });
    const tests = { argv: ["npm", "test"], source: "package.json", digest: "sha256:new" };
    accepted(player, { do: "accept", by: ada, wait: openWait(player).id, tests });
    expect(activeRun(player)).toMatchObject({ tests, wait: null, stage: { is: "checking" } });
  });

  test("shows a changed test command at the gate if there is one", () => {
    const player = atStep("check");
    expect(report(player, { of: "check", results: [], digest: "", testsChanged: "other" })).toEqual(["checks.passed"]);
    advance(player, "gate");
    expect(phaseAt(player, 0).made?.testsChanged).toBe("other");
  });
});

describe("answer to questions", () => {
  const asked = (): Player => {
    const player = advance(startRun(), "produce");
    expect(report(player, asks)).toEqual(["execution.ended", "questions.asked"]);
    return player;
  };

  test("is refused while a question is open", () => {
    const player = asked();
    const replies = [{ id: "q1", text: "a" }];
    expect(why(player, { do: "reply", by: ada, wait: openWait(player).id, replies })).toBe("unanswered");
  });

  test("accepts dismissed questions and drops replies to unknown ones", () => {
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

describe("answer at a gate", () => {
  test.for(["continue", "review", "redo"] as const)(
    "is refused if %s names a different summary than displayed",
    (way) => {
      const player = atGate();
      const wait = openWait(player);
      const answer = { ...decisions[way], wait: wait.id };
      expect(decide(player.state, { ...answer, shown: "another summary" })).toEqual({
        ok: false,
        refusal: { why: "notAsShown", wait: wait.id },
      });
      expect(accepted(player, { ...answer, shown: shownAt(wait) })).toEqual(["gate.answered"]);
    },
  );

  test("is refused if files were reverted after the summary was displayed", () => {
    const player = advance(startRun(supervised), "complete");
    const outcome = completed(keeps);
    report(player, { ...outcome, made: { ...outcome.made, unexpected: ["src/x.ts"] } });
    const before = shownAt(openWait(player));
    const taken = { paths: ["src/x.ts"], kept: "refs/kept", tree: "tree-2" };
    accepted(player, { ...decisions.revert, wait: openWait(player).id, ...taken });
    const answer = { ...decisions.continue, wait: openWait(player).id };
    expect(why(player, { ...answer, shown: before })).toBe("notAsShown");
    expect(accepted(player, { ...answer, shown: shownAt(openWait(player)) })).toEqual(["gate.answered"]);
  });

  test("refuses a fourth redo", () => {
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

  test("reopens the gate if the recheck fails", () => {
    const player = atStep("recheck");
    expect(report(player, rechecked(result("tests", false)))).toEqual(["phase.rechecked", "gate.opened"]);
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [result("tests", false)] });
  });

  test("refuses to relax settings that were not relaxed in a file", () => {
    const player = advance(startRun(supervised), "complete");
    report(player, completed(keeps));
    expect(why(player, { do: "loosen", by: ada, wait: openWait(player).id })).toBe("nothingLoosened");
  });
});

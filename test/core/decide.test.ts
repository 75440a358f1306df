import { describe, expect, test } from "vitest";
import type { Command, Outcome, PersonCommand } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide.ts";
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
/** One of each: a decision that is new in the type is missed here by the compiler. */
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

  test.for(everyDecision.filter((command) => "wait" in command && command.wait !== null))(
    "$do must name the open wait",
    (command) => {
      const player = atGate();
      expect(decide(player.state, command)).toEqual({
        ok: false,
        refusal: { why: "notOpen", open: openWait(player).id },
      });
      expect(decide(startRun().state, command)).toEqual({ ok: false, refusal: { why: "notOpen", open: null } });
    },
  );

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
    expect(why(player, { do: "accept", by: ada, wait: openWait(player).id, tests: null })).toBe("notOffered");
  });

  test("a changed way of running tests is accepted by a person, then checked again", () => {
    const player = advance(startRun({ supervision: autonomous }), "check");
    const changed: Outcome = { of: "check", results: [], digest: "", testsChanged: "npm test is another script" };
    expect(report(player, changed)).toEqual(["step.escalated"]);
    expect(openWait(player)).toMatchObject({ reason: "tests_changed", offered: ["retry", "skip", "accept"] });
    const tests = { argv: ["npm", "test"], source: "package.json", digest: "sha256:new" };
    accepted(player, { do: "accept", by: ada, wait: openWait(player).id, tests });
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

describe("at a gate", () => {
  test.for(["continue", "review", "redo"] as const)("%s is refused for something else than is shown", (way) => {
    const player = atGate();
    const wait = openWait(player);
    const answer = { ...decisions[way], wait: wait.id };
    expect(decide(player.state, { ...answer, shown: "another summary" })).toEqual({
      ok: false,
      refusal: { why: "notAsShown", wait: wait.id },
    });
    expect(accepted(player, { ...answer, shown: shownAt(wait) })).toEqual(["gate.answered"]);
  });

  test("what is put back is no longer shown: an answer to how it was before is refused", () => {
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

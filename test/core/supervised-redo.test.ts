import { describe, expect, test } from "vitest";
import type { PersonCommand } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide.ts";
import { replay } from "../../src/core/evolve.ts";
import { next } from "../../src/core/next.ts";
import type { RunEvent } from "../../src/schema/event.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  completed,
  everyPhase,
  failed,
  keeps,
  openWait,
  phaseAt,
  type Player,
  produced,
  redo,
  report,
  startRun,
} from "../support/run-builder.ts";
import { gateAnswer } from "../support/run-scripts.ts";

const toGate = (player: Player): Player => {
  report(advance(player, "complete"), completed(keeps));
  return player;
};
const atGate = (): Player => toGate(startRun({ supervision: everyPhase }));

/** Redoes the current phase with each text, up to the gate after the last one. */
function redone(...texts: string[]): Player {
  const player = atGate();
  for (const text of texts) {
    accepted(player, redo(player, text));
    toGate(player);
  }
  return player;
}

describe("a redo", () => {
  test("SM-AC-05b: tells the agent what the person wrote", () => {
    const player = atGate();
    accepted(player, redo(player, "Use one database."));
    advance(player, "produce");
    expect(activeRun(player).stage).toMatchObject({ brief: { why: "redo", text: "Use one database." } });
  });

  test("SM-AC-05d, SM-ERR-400: is not offered after the third; Continue and Review are", () => {
    expect(
      [0, 1, 2, 3].map((redos) => next(redone(...Array.from({ length: redos }, () => "again")).state)),
    ).toMatchObject([
      { options: ["continue", "review", "redo"] },
      { options: ["continue", "review", "redo"] },
      { options: ["continue", "review", "redo"] },
      { options: ["continue", "review"] },
    ]);
  });

  test("SM-AC-05e: takes the phase from completed to in_progress and back to completed", () => {
    const player = atGate();
    const seen = [phaseAt(player, 0).status];
    accepted(player, redo(player, "again"));
    seen.push(phaseAt(player, 0).status);
    toGate(player);
    seen.push(phaseAt(player, 0).status);
    expect(seen).toEqual(["completed", "in_progress", "completed"]);
  });

  test("SM-AC-05f: is counted, in the phase and in the answer", () => {
    const player = redone("one", "two");
    expect(phaseAt(player, 0).redos).toBe(2);
    expect(activeRun(player).answers.map((answer) => answer.redo)).toEqual([1, 2]);
  });

  test("makes everything proven about the phase unproven", () => {
    const player = atGate();
    accepted(player, redo(player, "again"));
    expect(phaseAt(player, 0)).toMatchObject({ made: null, completedAt: null, status: "in_progress" });
    advance(player, "produce");
    expect(activeRun(player).stage).toMatchObject({ work: { verdicts: 0, failures: 0, turns: 0 } });
  });

  test("is allowed while the gate is paused", () => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "review"));
    accepted(player, redo(player, "after reading it"));
    expect(next(player.state)).toMatchObject({ step: "enter", attempt: "01-requirements#2" });
  });

  test("SM-NFR-05: is counted over crashes, failures and retries: three is the most", () => {
    const player = redone("one", "two");
    accepted(player, redo(player, "three"));
    player.reload();
    report(advance(player, "produce"), failed("produce"));
    player.reload();
    accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
    toGate(player);
    expect(phaseAt(player, 0)).toMatchObject({ redos: 3, attempts: 5 });
    expect(decide(player.state, redo(player, "four"))).toEqual({ ok: false, refusal: { why: "redosSpent", limit: 3 } });
  });

  test("of one phase leaves the redos of the next alone", () => {
    const player = redone("one", "two", "three");
    accepted(player, gateAnswer(openWait(player), "continue"));
    toGate(player);
    expect(next(player.state)).toMatchObject({ options: ["continue", "review", "redo"] });
  });

  test("SM-ERR-402: that fails shows the escalation, with the phase in progress and no gate over it", () => {
    const player = atGate();
    accepted(player, redo(player, "again"));
    report(advance(player, "produce"), failed("produce"));
    expect(next(player.state)).toMatchObject({ wait: { kind: "escalation" }, options: ["retry", "skip", "cancel"] });
    expect(phaseAt(player, 0)).toMatchObject({ status: "in_progress", made: null });
  });

  test.for(["", "  \n"])("SM-ERR-403: is accepted without guidance: %j", (text) => {
    const player = atGate();
    expect(accepted(player, redo(player, text))).toEqual(["gate.answered"]);
    expect(phaseAt(player, 0).guidance).toEqual([text]);
  });

  test("late work of the attempt before it is refused", () => {
    const player = startRun({ supervision: everyPhase });
    advance(player, "produce");
    const [ticket] = [next(player.state)].map((now) => (now.is === "action" ? now.ticket : ""));
    toGate(player);
    accepted(player, redo(player, "again"));
    advance(player, "produce");
    expect(decide(player.state, { do: "report", ticket: ticket ?? "", outcome: produced })).toMatchObject({
      refusal: { why: "lateOutcome" },
    });
  });
});

describe("the journal is the only memory", () => {
  const saved = (player: Player): RunEvent[] => JSON.parse(JSON.stringify(player.events)) as RunEvent[];

  test("SM-ERR-401: the count of redos comes from it: the third redo is still the last after each reload", () => {
    const player = redone("one", "two", "three");
    expect(replay(saved(player))).toMatchObject({ phases: [{ redos: 3 }, { redos: 0 }, { redos: 0 }] });
    expect(next(replay(saved(player)))).toMatchObject({ options: ["continue", "review"] });
  });

  test("SM-ERR-404: the guidance of all redos comes from it, oldest first", () => {
    expect(replay(saved(redone("one", "", "three")))).toMatchObject({
      phases: [{ guidance: ["one", "", "three"] }, {}, {}],
    });
  });

  test("SM-ERR-304, SM-ERR-500: an answer to the gate of another phase or of no phase is refused", () => {
    const player = atGate();
    const stale = openWait(player);
    accepted(player, gateAnswer(stale, "continue"));
    toGate(player);
    const open = openWait(player).id;
    for (const id of [stale.id, "99-unknown#1/gate-3", ""])
      for (const choice of ["continue", "review", "redo"] as const)
        expect(decide(player.state, gateAnswer({ ...stale, id }, choice))).toEqual({
          ok: false,
          refusal: { why: "notOpen", open },
        });
  });

  test.for<[string, (player: Player) => void, object]>([
    ["presented", () => undefined, { is: "wait", options: ["continue", "review", "redo"] }],
    [
      "paused",
      (player) => accepted(player, gateAnswer(openWait(player), "review")),
      { is: "wait", options: ["continue", "redo"] },
    ],
    ["redo pending", (player) => accepted(player, redo(player, "x")), { step: "enter", attempt: "01-requirements#2" }],
    ["left", (player) => accepted(player, gateAnswer(openWait(player), "continue")), { step: "recheck" }],
  ])(
    "SM-ERR-501: a gate that is %s is found so after a crash, and there is no other status",
    ([, happen, expected]) => {
      const player = atGate();
      happen(player);
      const now = next(player.state);
      player.reload();
      expect(next(player.state)).toEqual(now);
      expect(now).toMatchObject(expected);
    },
  );
});

describe("what was answered", () => {
  test("SM-AC-08a: every choice is recorded before it takes effect", () => {
    const player = atGate();
    const choices = ["review", "redo", "continue"] as const;
    for (const choice of choices) {
      if (next(player.state).is !== "wait") toGate(player);
      expect(accepted(player, gateAnswer(openWait(player), choice))).toEqual(["gate.answered"]);
      expect(activeRun(player).answers.at(-1)).toMatchObject({ phase: "01-requirements", choice, by: ada });
    }
    expect(activeRun(player).answers.map((answer) => answer.choice)).toEqual(choices);
  });

  test("SM-ERR-702: is kept to the end, however the run ends", () => {
    const finished = redone("one");
    accepted(finished, gateAnswer(openWait(finished), "continue"));
    advance(finished, "done");
    const cancelled = redone("one");
    accepted(cancelled, { do: "cancel", by: ada, reason: "enough" });
    const choices = [finished, cancelled].map(({ state }) =>
      state.is === "ended" ? state.answers.map((a) => a.choice) : [],
    );
    expect(choices).toEqual([["redo", "continue", "continue", "continue"], ["redo"]]);
  });

  test("SM-ERR-303: a choice that is not on offer is refused, and the same menu stays", () => {
    const player = atGate();
    const before = next(player.state);
    const { id } = openWait(player);
    const wrong: readonly PersonCommand[] = [
      { do: "skip", by: ada, wait: id },
      { do: "retry", by: ada, wait: id },
      { do: "finish", by: ada, wait: id, how: "keep" },
      { do: "loosen", by: ada, wait: id },
    ];
    for (const command of wrong) expect(player.submit(command).ok).toBe(false);
    expect(next(player.state)).toEqual(before);
  });
});

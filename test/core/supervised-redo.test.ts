import { describe, expect, test } from "vitest";
import type { PersonCommand } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { replay } from "../../src/core/evolve/evolve.ts";
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

describe("redo", () => {
  test("passes the guidance to the agent [SM-AC-05b]", () => {
    const player = atGate();
    accepted(player, redo(player, "Use one database."));
    advance(player, "produce");
    expect(activeRun(player).stage).toMatchObject({ brief: { why: "redo", text: "Use one database." } });
  });

  test("is not offered after the third, unlike Continue and Review [SM-AC-05d, SM-ERR-400]", () => {
    expect(
      [0, 1, 2, 3].map((redos) => next(redone(...Array.from({ length: redos }, () => "again")).state)),
    ).toMatchObject([
      { options: ["continue", "review", "redo"] },
      { options: ["continue", "review", "redo"] },
      { options: ["continue", "review", "redo"] },
      { options: ["continue", "review"] },
    ]);
  });

  test("changes the phase from completed to in_progress and back [SM-AC-05e]", () => {
    const player = atGate();
    const seen = [phaseAt(player, 0).status];
    accepted(player, redo(player, "again"));
    seen.push(phaseAt(player, 0).status);
    toGate(player);
    seen.push(phaseAt(player, 0).status);
    expect(seen).toEqual(["completed", "in_progress", "completed"]);
  });

  test("is counted in the phase and in the answer [SM-AC-05f]", () => {
    const player = redone("one", "two");
    expect(phaseAt(player, 0).redos).toBe(2);
    expect(activeRun(player).answers.map((answer) => answer.redo)).toEqual([1, 2]);
  });

  test("resets the results of the phase", () => {
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

  test("counts across crashes, failures and retries, up to three [SM-NFR-05]", () => {
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

  test("does not count for the next phase", () => {
    const player = redone("one", "two", "three");
    accepted(player, gateAnswer(openWait(player), "continue"));
    toGate(player);
    expect(next(player.state)).toMatchObject({ options: ["continue", "review", "redo"] });
  });

  test("escalates if it fails, with the phase in progress and no gate [SM-ERR-402]", () => {
    const player = atGate();
    accepted(player, redo(player, "again"));
    report(advance(player, "produce"), failed("produce"));
    expect(next(player.state)).toMatchObject({ wait: { kind: "escalation" }, options: ["retry", "skip", "cancel"] });
    expect(phaseAt(player, 0)).toMatchObject({ status: "in_progress", made: null });
  });

  test.for(["", "  \n"])("is accepted with blank guidance: %j [SM-ERR-403]", (text) => {
    const player = atGate();
    expect(accepted(player, redo(player, text))).toEqual(["gate.answered"]);
    expect(phaseAt(player, 0).guidance).toEqual([text]);
  });

  test("refuses late work of the previous attempt", () => {
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

describe("journal as the only memory", () => {
  const saved = (player: Player): RunEvent[] => JSON.parse(JSON.stringify(player.events)) as RunEvent[];

  test("keeps the number of redos over reloads [SM-ERR-401]", () => {
    const player = redone("one", "two", "three");
    expect(replay(saved(player))).toMatchObject({ phases: [{ redos: 3 }, { redos: 0 }, { redos: 0 }] });
    expect(next(replay(saved(player)))).toMatchObject({ options: ["continue", "review"] });
  });

  test("keeps the guidance of all redos, oldest first [SM-ERR-404]", () => {
    expect(replay(saved(redone("one", "", "three")))).toMatchObject({
      phases: [{ guidance: ["one", "", "three"] }, {}, {}],
    });
  });

  test("refuses an answer to the gate of another or unknown phase [SM-ERR-304, SM-ERR-500]", () => {
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
    [
      "waiting for a redo",
      (player) => accepted(player, redo(player, "x")),
      { step: "enter", attempt: "01-requirements#2" },
    ],
    ["continued", (player) => accepted(player, gateAnswer(openWait(player), "continue")), { step: "recheck" }],
  ])("restores a gate that is %s after a crash [SM-ERR-501]", ([, happen, expected]) => {
    const player = atGate();
    happen(player);
    const now = next(player.state);
    player.reload();
    expect(next(player.state)).toEqual(now);
    expect(now).toMatchObject(expected);
  });
});

describe("recorded answers", () => {
  test("contain each choice before it takes effect [SM-AC-08a]", () => {
    const player = atGate();
    const choices = ["review", "redo", "continue"] as const;
    for (const choice of choices) {
      if (next(player.state).is !== "wait") toGate(player);
      expect(accepted(player, gateAnswer(openWait(player), choice))).toEqual(["gate.answered"]);
      expect(activeRun(player).answers.at(-1)).toMatchObject({ phase: "01-requirements", choice, by: ada });
    }
    expect(activeRun(player).answers.map((answer) => answer.choice)).toEqual(choices);
  });

  test("remain until the run ends, finished or cancelled [SM-ERR-702]", () => {
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

  test("exclude choices that are not offered, and the menu stays open [SM-ERR-303]", () => {
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

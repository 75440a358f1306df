import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide.ts";
import { next } from "../../src/core/next.ts";
import { readSettings } from "../../src/core/supervision.ts";
import type { SettingsReading } from "../../src/schema/facts.ts";
import type { Supervision } from "../../src/schema/plan.ts";
import {
  absent,
  accepted,
  activeRun,
  ada,
  advance,
  autonomous,
  completed,
  everyPhase,
  good,
  keeps,
  openWait,
  phaseRule,
  type Player,
  report,
  startRun,
  threePhases,
} from "../support/run-builder.ts";
import { gateAnswer } from "../support/run-scripts.ts";

/** The phases at whose end a person was asked, when the settings file says `reading` at each of them. */
function gatesOf(supervision: Supervision, reading: SettingsReading = absent): string[] {
  const player = startRun({ supervision });
  const gates: string[] = [];
  for (let index = 0; index < threePhases.length; index += 1) {
    report(advance(player, "complete"), completed(reading));
    if (next(player.state).is === "wait") gates.push(openWait(player).id.split("#", 1).join());
    advance(player, "commit");
    report(player, good("commit"));
  }
  advance(player, "done");
  return gates;
}

const keys = threePhases.map((rule) => rule.key);

describe("which phases have a gate", () => {
  test.for<[string, Supervision, string[]]>([
    ["SM-AC-01a: enabled: the chosen phases have gates", { enabled: true, phases: ["03", "06"] }, keys.slice(1)],
    ["SM-AC-01b: disabled: none", { enabled: false, phases: ["03"] }, []],
    ["SM-AC-01d: all: after every phase", everyPhase, keys],
    ["SM-AC-01e: a list: only after those", { enabled: true, phases: ["03"] }, ["03-architecture"]],
    [
      "SM-AC-03e, SM-AC-07c: a phase that is not selected has none",
      { enabled: true, phases: ["01"] },
      ["01-requirements"],
    ],
    ["a full key selects its phase", { enabled: true, phases: ["06-implementation"] }, ["06-implementation"]],
  ])("%s", ([, supervision, gates]) => {
    expect(gatesOf(supervision)).toEqual(gates);
  });

  test.for<[string, unknown]>([
    ["the file is missing", undefined],
    ["the block is missing", { other: 1 }],
    ["the block says no", { supervised_mode: { enabled: false } }],
  ])("SM-AC-01c, SM-AC-03f, SM-AC-07b: none in an autonomous run while %s", ([, file]) => {
    expect(gatesOf(autonomous, readSettings(file))).toEqual([]);
  });

  test("a rule may ask for a gate whatever the settings say", () => {
    const player = startRun({ plan: [phaseRule({ gate: "always" })] });
    report(advance(player, "complete"), completed({ is: "set", enabled: false, phases: "all", minimal: false }));
    expect(openWait(player).kind).toBe("gate");
  });

  test.for<[number, boolean]>([
    [80, false],
    [81, true],
  ])("an artifact of %i lines under the rule for large ones: %s", ([lines, gate]) => {
    const player = startRun({ plan: [phaseRule({ gate: "large" })] });
    report(advance(player, "complete"), completed(absent, lines));
    expect(next(player.state).is === "wait").toBe(gate);
  });
});

describe("the gate", () => {
  const atGate = (): Player => {
    const player = startRun({ supervision: everyPhase });
    report(advance(player, "complete"), completed(keeps));
    return player;
  };

  test("SM-AC-03a: offers Continue, Review and Redo", () => {
    expect(next(atGate().state)).toMatchObject({ is: "wait", options: ["continue", "review", "redo"] });
  });

  test("SM-AC-07a: comes after the phase was completed and before the index moves", () => {
    const player = atGate();
    expect(player.events.slice(-2).map((event) => event.type)).toEqual(["phase.completed", "gate.opened"]);
    expect(activeRun(player)).toMatchObject({ index: 0, phases: [{ status: "completed" }, {}, {}] });
    advance(player, "enter");
    expect(activeRun(player).index).toBe(1);
  });

  test("SM-AC-03b: Continue leads to the next phase without another question", () => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "continue"));
    for (const step of ["recheck", "commit"] as const) {
      expect(next(player.state)).toMatchObject({ is: "action", step });
      report(player, good(step));
    }
    expect(next(player.state)).toMatchObject({ is: "action", step: "enter", attempt: "03-architecture#1" });
  });

  test("SM-AC-03c: Review pauses the run; the same gate stays open, days and crashes later", () => {
    const player = atGate();
    const gate = openWait(player);
    accepted(player, gateAnswer(gate, "review"));
    player.reload();
    expect(next(player.state)).toEqual({ is: "wait", wait: gate, options: ["continue", "redo"] });
    expect(activeRun(player).stage).toMatchObject({ is: "produced", pausedAt: player.events.at(-1)?.at });
  });

  test("SM-AC-03d: Redo runs the phase again", () => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "redo"));
    expect(next(player.state)).toMatchObject({ is: "action", step: "enter", attempt: "01-requirements#2" });
  });

  test("SM-AC-03g, SM-AC-07d: after the last phase it comes before the run is finished", () => {
    const player = startRun({ supervision: everyPhase, plan: [phaseRule()] });
    advance(player, "gate");
    expect(player.events.some((event) => event.type.startsWith("finish"))).toBe(false);
    advance(player, "finish");
    expect(player.events.map((event) => event.type).slice(-5)).toEqual([
      "phase.rechecked",
      "phase.accepted",
      "phase.committed",
      "phase.left",
      "finish.chosen",
    ]);
  });

  test("SM-AC-04c, SM-AC-04e: Continue ends a pause, and both times are kept", () => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "review"));
    const pausedAt = player.events.at(-1)?.at;
    accepted(player, gateAnswer(openWait(player), "continue"));
    const resumedAt = player.events.at(-1)?.at;
    report(player, good("recheck"));
    expect(activeRun(player).stage).toEqual({ is: "accepting", pausedAt, resumedAt });
    advance(player, "enter");
    expect(activeRun(player).index).toBe(1);
  });

  test("nothing but an answer moves it", () => {
    const player = atGate();
    const gate = openWait(player);
    const tickets = player.events.map((event) => `01-requirements#1@${event.seq}`);
    for (const step of ["complete", "recheck", "commit", "enter"] as const)
      for (const ticket of tickets)
        expect(decide(player.state, { do: "report", ticket, outcome: good(step) }).ok).toBe(false);
    expect(openWait(player)).toBe(gate);
  });
});

describe("settings that change during a run", () => {
  const reading = (enabled: boolean, phases: "all" | string[]): SettingsReading => ({
    is: "set",
    enabled,
    phases,
    minimal: false,
  });

  test.for<[string, Supervision, SettingsReading, string[]]>([
    ["switched on: gates from now on", autonomous, reading(true, "all"), keys],
    ["one phase more", { enabled: true, phases: ["01"] }, reading(true, ["01", "06"]), [keys[0]!, keys[2]!]],
    ["switched off: no gate is lost", everyPhase, reading(false, "all"), keys],
    ["fewer phases: no gate is lost", everyPhase, reading(true, ["03"]), keys],
    ["file gone: no gate is lost", everyPhase, absent, keys],
    ["unreadable: no gate is lost", everyPhase, { is: "unreadable" }, keys],
  ])("%s", ([, supervision, found, gates]) => {
    expect(gatesOf(supervision, found)).toEqual(gates);
  });

  test("loosening takes effect only when a person agrees at the gate, and this gate still needs its answer", () => {
    const player = startRun({ supervision: everyPhase });
    report(advance(player, "complete"), completed(reading(false, "all")));
    const gate = openWait(player);
    expect(gate).toMatchObject({ loosened: { enabled: false } });
    accepted(player, { do: "loosen", by: ada, wait: gate.id });
    expect(activeRun(player)).toMatchObject({ supervision: { enabled: false }, wait: { id: gate.id, loosened: null } });
    accepted(player, gateAnswer(gate, "continue"));
    advance(player, "done");
    expect(player.events.filter((event) => event.type === "gate.opened")).toHaveLength(1);
  });
});

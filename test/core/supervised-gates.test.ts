import { describe, expect, test } from "vitest";
import { decide } from "../../src/core/decide/decide.ts";
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

/** Phases with a gate, if every reading of the settings file returns `reading`. */
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

describe("phases with a gate", () => {
  test.for<[string, Supervision, string[]]>([
    ["are the selected ones if enabled [SM-AC-01a]", { enabled: true, phases: ["03", "06"] }, keys.slice(1)],
    ["do not exist if disabled [SM-AC-01b]", { enabled: false, phases: ["03"] }, []],
    ['are all phases with "all" [SM-AC-01d]', everyPhase, keys],
    ["are only those of a list [SM-AC-01e]", { enabled: true, phases: ["03"] }, ["03-architecture"]],
    [
      "exclude phases that are not selected [SM-AC-03e, SM-AC-07c]",
      { enabled: true, phases: ["01"] },
      ["01-requirements"],
    ],
    ["are selected by full key", { enabled: true, phases: ["06-implementation"] }, ["06-implementation"]],
  ])("%s", ([, supervision, gates]) => {
    expect(gatesOf(supervision)).toEqual(gates);
  });

  test.for<[string, unknown]>([
    ["the file is missing", undefined],
    ["the block is missing", { other: 1 }],
    ["supervision is disabled", { supervised_mode: { enabled: false } }],
  ])("do not exist in an autonomous run if %s [SM-AC-01c, SM-AC-03f, SM-AC-07b]", ([, file]) => {
    expect(gatesOf(autonomous, readSettings(file))).toEqual([]);
  });

  test("include a phase whose rule requires a gate, regardless of settings", () => {
    const player = startRun({ plan: [phaseRule({ gate: "always" })] });
    report(advance(player, "complete"), completed({ is: "set", enabled: false, phases: "all", minimal: false }));
    expect(openWait(player).kind).toBe("gate");
  });

  test.for<[number, boolean]>([
    [80, false],
    [81, true],
  ])("include a phase with an artifact of %i lines: %s", ([lines, gate]) => {
    const player = startRun({ plan: [phaseRule({ gate: "large" })] });
    report(advance(player, "complete"), completed(absent, lines));
    expect(next(player.state).is === "wait").toBe(gate);
  });
});

describe("supervised gate", () => {
  const atGate = (): Player => {
    const player = startRun({ supervision: everyPhase });
    report(advance(player, "complete"), completed(keeps));
    return player;
  };

  test("offers Continue, Review and Redo [SM-AC-03a]", () => {
    expect(next(atGate().state)).toMatchObject({ is: "wait", options: ["continue", "review", "redo"] });
  });

  test("opens after the phase is completed and before the index advances [SM-AC-07a]", () => {
    const player = atGate();
    expect(player.events.slice(-2).map((event) => event.type)).toEqual(["phase.completed", "gate.opened"]);
    expect(activeRun(player)).toMatchObject({ index: 0, phases: [{ status: "completed" }, {}, {}] });
    advance(player, "enter");
    expect(activeRun(player).index).toBe(1);
  });

  test("enters the next phase after Continue without another question [SM-AC-03b]", () => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "continue"));
    for (const step of ["recheck", "commit"] as const) {
      expect(next(player.state)).toMatchObject({ is: "action", step });
      report(player, good(step));
    }
    expect(next(player.state)).toMatchObject({ is: "action", step: "enter", attempt: "03-architecture#1" });
  });

  test("stays open after Review and a crash [SM-AC-03c]", () => {
    const player = atGate();
    const gate = openWait(player);
    accepted(player, gateAnswer(gate, "review"));
    player.reload();
    expect(next(player.state)).toEqual({ is: "wait", wait: gate, options: ["continue", "redo"] });
    expect(activeRun(player).stage).toMatchObject({ is: "produced", pausedAt: player.events.at(-1)?.at });
  });

  test("runs the phase again after Redo [SM-AC-03d]", () => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "redo"));
    expect(next(player.state)).toMatchObject({ is: "action", step: "enter", attempt: "01-requirements#2" });
  });

  test("opens after the last phase before the run finishes [SM-AC-03g, SM-AC-07d]", () => {
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

  test("ends a pause with Continue and keeps both times [SM-AC-04c, SM-AC-04e]", () => {
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

  test("closes only with an answer", () => {
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
    ["add gates if switched on", autonomous, reading(true, "all"), keys],
    [
      "add a gate for one more phase",
      { enabled: true, phases: ["01"] },
      reading(true, ["01", "06"]),
      [keys[0]!, keys[2]!],
    ],
    ["keep all gates if switched off", everyPhase, reading(false, "all"), keys],
    ["keep all gates if phases are removed", everyPhase, reading(true, ["03"]), keys],
    ["keep all gates if the file is deleted", everyPhase, absent, keys],
    ["keep all gates if the file is unreadable", everyPhase, { is: "unreadable" }, keys],
  ])("%s", ([, supervision, found, gates]) => {
    expect(gatesOf(supervision, found)).toEqual(gates);
  });

  test("relax only if the approver agrees, and this gate still needs an answer", () => {
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

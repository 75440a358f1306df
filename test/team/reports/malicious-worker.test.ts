import { describe, expect, test } from "vitest";
import type { Command, Report } from "../../../src/core/command.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { type ActiveRun, currentPhase, noRun, type RunState } from "../../../src/core/run.ts";
import type { EventDraft } from "../../../src/schema/event.ts";
import { admitReport } from "../../../team/src/reports/admit-report.ts";
import { toReport } from "../../../team/src/reports/start-facts.ts";
import { type Dice, rollDice } from "../../support/dice.ts";
import { forgeReport, pathsIn, withValue } from "./forge-report.ts";
import { answerTo, type RunRequest, honestReport, createStart, findWait } from "./honest-worker.ts";

const NO_POLICY = { isFourEyes: false, isSigned: false, phases: [] };
const FOUR_EYES = { ...NO_POLICY, isFourEyes: true };
const ABSENT = { is: "absent" } as const;
const FEATURE = { what: "run", workflow: "feature", title: "a", isSupervised: false, choices: [] } as const;
const AGREES = [{ flag: "--yes", option: "yes" }] as const;

type Row = {
  readonly name: string;
  readonly asked: RunRequest;
  /** Phases that a person must accept. */
  readonly gates: "all" | readonly string[];
  /** Questions that a person must answer. */
  readonly asks: readonly ("sizing.decided" | "finish.chosen")[];
};

const ROWS: readonly Row[] = [
  {
    name: "a supervised feature",
    asked: { start: { ...FEATURE, isSupervised: true, choices: [] }, policy: NO_POLICY, settings: ABSENT },
    gates: "all",
    asks: ["sizing.decided", "finish.chosen"],
  },
  {
    name: "a change under four eyes",
    asked: { start: { ...FEATURE, workflow: "change", choices: [...AGREES] }, policy: FOUR_EYES, settings: ABSENT },
    gates: ["plan", "final-review"],
    asks: ["finish.chosen"],
  },
  {
    name: "a feature with a named reviewer of one phase",
    asked: {
      start: { ...FEATURE, choices: [...AGREES] },
      policy: { ...NO_POLICY, phases: ["03-architecture", "finish"] },
      settings: ABSENT,
    },
    gates: ["03-architecture"],
    asks: ["sizing.decided", "finish.chosen"],
  },
  {
    name: "a feature with signed answers and committed settings",
    asked: {
      start: { ...FEATURE, choices: [] },
      policy: { ...NO_POLICY, isSigned: true },
      settings: { is: "set", enabled: true, phases: ["01"], minimal: false },
    },
    gates: ["01-requirements"],
    asks: ["sizing.decided", "finish.chosen"],
  },
];

type Seen = { readonly run: ActiveRun; readonly event: EventDraft };

/** The violation that reports must never cause. */
function violation(row: Row, { run, event }: Seen, shown: string | null): string | null {
  if (event.type === "phase.accepted")
    return wrongAcceptance(row, { run, event }, event.by === "engine" ? null : { shown });
  if (event.type === "sizing.decided" || event.type === "finish.chosen")
    return row.asks.includes(event.type) && typeof event.by === "string" ? `${event.type} by ${event.by}` : null;
  if (event.type === "phase.skipped" || event.type === "supervision.loosened") return `${event.type} without an answer`;
  return event.type === "run.finished" && event.merged !== null ? "a worker merged" : null;
}

function wrongAcceptance({ gates }: Row, { run }: Seen, gate: { readonly shown: string | null } | null): string | null {
  const phase = currentPhase(run);
  const key = phase?.rule.key ?? "";
  if (gate === null) return gates === "all" || gates.includes(key) ? `${key} was accepted without a person` : null;
  return phase?.made?.tree === gate.shown ? null : `${key} was accepted with another tree than its gate showed`;
}

type Send = (run: ActiveRun, honest: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** A run whose events are compared with the rules. */
function watchRun(row: Row) {
  let state: RunState = noRun;
  let seq = 0;
  let shown: string | null = null;
  return {
    state: (): RunState => state,
    apply: (drafts: readonly EventDraft[]): void => {
      for (const event of drafts) {
        const wrong = state.is === "active" ? violation(row, { run: state, event }, shown) : null;
        if (wrong !== null) throw new Error(wrong);
        state = evolve(state, { ...event, seq: ++seq, at: "2026-11-16T10:00:00.000Z" });
        if (event.type === "gate.opened" && state.is === "active") shown = currentPhase(state)?.made?.tree ?? null;
      }
    },
  };
}

const eventsOf = (state: RunState, command: Command | null): readonly EventDraft[] | null => {
  const decision = command === null ? null : decide(state, command);
  return decision?.ok === true ? decision.events : null;
};

/** Drives a run with the reports of the worker. Returns the numbers of accepted and refused forged reports. */
function driveRun(row: Row, send: Send) {
  const { state, apply } = watchRun(row);
  const count = { accepted: 0, refused: 0 };
  apply(eventsOf(state(), createStart(row.asked)) ?? []);
  for (let step = 0; step < 1500; step++) {
    const run = state();
    if (run.is !== "active") return count;
    const wait = findWait(run);
    if (wait !== null) {
      apply(eventsOf(run, answerTo(run, wait)) ?? []);
      continue;
    }
    const honest = toReport(honestReport(run));
    const sent = send(run, honest);
    const events = eventsOf(run, admitted(run, sent));
    if (sent !== honest) count[events === null ? "refused" : "accepted"]++;
    else expect(events, `an honest report of ${honestReport(run).outcome.of}`).not.toBeNull();
    apply(events ?? []);
  }
  return count;
}

/** Null if the report was refused. Any other error fails the test. */
function admitted(run: ActiveRun, sent: Readonly<Record<string, unknown>>): Report | null {
  try {
    return admitReport(run, sent);
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

/** Forged reports of each row. */
const COMBINATIONS = Number(process.env["ISDLC_FORGED_REPORTS"] ?? 2000) / ROWS.length;
const FIRST_SEED = Number(process.env["ISDLC_SEED"] ?? Date.now() % 1_000_000);

const forging =
  (dice: Dice): Send =>
  (_run, honest) =>
    dice.chance(25) ? forgeReport(honest, dice) : honest;

describe.each(ROWS)("worker that forges reports of $name [S7]", (row) => {
  test("opens no gate in an honest run, which ends", () => {
    expect(driveRun(row, (_run, honest) => honest)).toEqual({ accepted: 0, refused: 0 });
  });

  test("opens no gate with single forged fields", () => {
    const tried = new Set<string>();
    const values = [null, false, true, "main", [], {}, 0, "b".repeat(40)];
    let fresh = true;
    while (fresh) {
      fresh = false;
      driveRun(row, (run, honest) => {
        for (const path of pathsIn(honest))
          for (const [index, value] of values.entries()) {
            const gate = currentPhase(run)?.rule.gate ?? "none";
            const name = `${gate} ${(honest["outcome"] as { of: string }).of} ${path.join(".")} ${index}`;
            if (path[0] === "do" || tried.has(name)) continue;
            tried.add(name);
            fresh = true;
            const forged = withValue(honest, path, () => value) as Readonly<Record<string, unknown>>;
            if (admitted(run, forged) !== null) return forged;
          }
        return honest;
      });
    }
    expect(tried.size).toBeGreaterThan(300);
  });

  test("opens no gate with random combinations of forged fields", () => {
    let sent = 0;
    let accepted = 0;
    for (let seed = FIRST_SEED; sent < COMBINATIONS; seed++) {
      try {
        const count = driveRun(row, forging(rollDice(seed)));
        sent += count.accepted + count.refused;
        accepted += count.accepted;
      } catch (error) {
        throw new Error(`seed ${seed} (ISDLC_SEED=${seed})`, { cause: error });
      }
    }
    console.log(`${row.name}: seeds from ${FIRST_SEED}, ${sent} forged reports, ${accepted} accepted`);
    expect(accepted).toBeGreaterThan(0);
  });
});

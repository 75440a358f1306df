import type { Command, Decision, Outcome, PersonCommand, StartCommand } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { evolve } from "../../src/core/evolve/evolve.ts";
import { next } from "../../src/core/next.ts";
import { type ActiveRun, noRun, type PhaseRecord, type RunState, type Wait } from "../../src/core/run.ts";
import type { EventDraft, RunEvent, Step } from "../../src/schema/event.ts";
import type { CheckResult, Intensity, SettingsReading } from "../../src/schema/facts.ts";
import type { Agent, Person } from "../../src/schema/people.ts";
import type { PhaseRule, RunOptions } from "../../src/schema/plan.ts";

/** The three functions under test, or those of a copy with a planted bug. */
export type Core = { readonly decide: typeof decide; readonly evolve: typeof evolve; readonly next: typeof next };

export const core: Core = { decide, evolve, next };

export const ada: Person = { name: "ada", channel: "terminal" };
export const robot: Agent = { name: "robot", channel: "agent" };

export const phaseRule = (change: Partial<PhaseRule> = {}): PhaseRule => ({
  key: "03-architecture",
  name: "Architecture",
  persona: "architect",
  personaDigest: "sha256:persona",
  reviewer: "architecture-reviewer",
  inputs: [],
  outputs: ["architecture.md"],
  needs: "a design that can be built",
  writes: "item",
  tests: false,
  checks: { limit: 10, breaker: 3 },
  gate: "supervised",
  minutes: 10,
  articles: [],
  analysis: false,
  whenLight: "keep",
  after: [],
  verdicts: 1,
  ...change,
});

export const threePhases: PhaseRule[] = ["01-requirements", "03-architecture", "06-implementation"].map((key) =>
  phaseRule({ key }),
);

export const everyPhase = { enabled: true, phases: "all" as const };
export const autonomous = { enabled: false, phases: "all" as const };

export const runOptions = (change: Partial<RunOptions> = {}): RunOptions => ({
  mode: "standard",
  light: false,
  commits: "phase",
  finish: "keep",
  sizing: "ask",
  thresholds: { light_max_files: 5, epic_min_files: 20 },
  ...change,
});

export const start = (change: Partial<StartCommand["facts"]> = {}): StartCommand => ({
  do: "start",
  facts: {
    run: "20260105-101500123-k3f9",
    scope: "tree",
    analysed: [],
    workflow: "feature",
    title: "Say hello",
    item: "docs/requirements/say-hello",
    plan: threePhases,
    options: runOptions(),
    supervision: autonomous,
    minimalSummary: false,
    agent: { name: "replay", digest: "sha256:agent" },
    reviewer: null,
    git: { branch: "feature/say-hello", base: "main", commit: "c0ffee" },
    tests: null,
    warnings: [],
    by: ada,
    ...change,
  },
});

export interface Player {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  submit(command: Command): Decision;
  /** Discards everything but the journal, like a crash. */
  reload(): void;
}

/** Plays commands like the engine. Everything is frozen: a core that changes its inputs throws. */
export function createPlayer(played: Core = core): Player {
  let state: RunState = noRun;
  let events: readonly RunEvent[] = [];
  return {
    get state() {
      return state;
    },
    get events() {
      return events;
    },
    submit(command) {
      const decision = played.decide(state, freeze(command));
      if (!decision.ok) return decision;
      const placed = decision.events.map((draft, index) => place(draft, events.length + index + 1));
      state = placed.reduce((before, event) => freeze(played.evolve(before, freeze(event))), state);
      events = [...events, ...placed];
      return decision;
    },
    reload() {
      const journal = JSON.parse(JSON.stringify(events)) as RunEvent[]; // the journal is JSON on disk
      state = freeze(journal.reduce(played.evolve, noRun));
    },
  };
}

/** Starts a run; by default autonomous, with three phases. */
export function startRun(change: Partial<StartCommand["facts"]> = {}): Player {
  const player = createPlayer();
  accepted(player, start(change));
  return player;
}

/** Submits a command that must be accepted, and returns the types of its events. */
export function accepted(player: Player, command: Command): string[] {
  const decision = player.submit(command);
  if (!decision.ok) throw new Error(`refused: ${JSON.stringify(decision.refusal)} for ${JSON.stringify(command)}`);
  return decision.events.map((event) => event.type);
}

/** Reports an outcome of the current step, with its ticket. */
export const report = (player: Player, outcome: Outcome): string[] =>
  accepted(player, { do: "report", ticket: ticketAtHand(player), outcome });

export function ticketAtHand(player: Player): string {
  const now = next(player.state);
  if (now.is !== "action") throw new Error(`nothing to report on: ${JSON.stringify(now)}`);
  return now.ticket;
}

/** Continues with good outcomes and answers until the given step or wait is due, or the run ends. */
export function advance(player: Player, until: Step | Wait["kind"] | "done"): Player {
  for (let steps = 0; steps < 200; steps += 1) {
    const now = next(player.state);
    const at = now.is === "action" ? now.step : now.is === "wait" ? now.wait.kind : "done";
    if (at === until) return player;
    if (now.is === "done") break;
    if (now.is === "action") report(player, good(now.step));
    else accepted(player, goodAnswer(now.wait));
  }
  throw new Error(`never came to ${until}`);
}

export const good = (step: Step): Outcome => goodOutcomes[step];

export const failed = (step: Step): Outcome => ({ of: step, failed: "impossible", detail: `${step} cannot be done` });

export const execution = { execution: "x1", usage: null, session: null };

export const result = (name: string, ok: boolean | null): CheckResult => ({ name, ok, detail: `${name} said so` });

export const checked = (...results: CheckResult[]): Outcome => ({
  of: "check",
  results,
  digest: results.map((one) => `${one.name}:${one.ok}`).join(),
  testsChanged: null,
});

export const rechecked = (...results: CheckResult[]): Outcome => ({
  of: "recheck",
  edited: [],
  tree: "tree-2",
  results,
  digest: "shown-2",
});

export const completed = (settings: SettingsReading, lines = 10): Extract<Outcome, { settings: SettingsReading }> => ({
  of: "complete",
  made: {
    artifacts: ["architecture.md"],
    changed: [],
    changedSinceSeen: null,
    unexpected: [],
    tree: "tree-1",
    lines,
  },
  settings,
  digest: "shown-1",
});

export const verdict = (approved: boolean, ...blockers: string[]): Outcome => ({
  of: "review",
  verdict: {
    approved,
    issues: blockers.map((description) => ({ severity: "blocker" as const, description, location: null })),
    summary: approved ? "fine" : "not yet",
  },
  ...execution,
});

export const produced: Outcome = {
  of: "produce",
  result: { status: "done", summary: "made it", decisions: ["d1"], artifacts: ["architecture.md"], questions: [] },
  ...execution,
};

export const measured = (recommended: Intensity): Outcome => ({
  of: "measure",
  sizing: {
    recommended,
    rationale: `it looks ${recommended}`,
    metrics: { file_count: 7, module_count: 2, risk_score: "low", coupling: "medium", coverage_gaps: 1 },
    source: "impact-analysis",
  },
});

export const refined = (...problems: string[]): Outcome => ({
  of: "refine",
  artifact: "docs/requirements/say-hello/tasks.md",
  tasks: 3,
  problems,
  ...execution,
});

/** Settings equal to those at the start of a supervised run: they add and remove no gate. */
export const keeps: SettingsReading = { is: "set", enabled: true, phases: "all", minimal: false };
export const absent: SettingsReading = { is: "absent" };

const goodOutcomes: { readonly [S in Step]: Outcome } = {
  prepare: { of: "prepare" },
  baseline: { of: "baseline", result: result("tests", true) },
  enter: { of: "enter", commit: "c0ffee", tree: "tree-0" },
  produce: produced,
  check: checked(result("artifacts", true)),
  review: verdict(true),
  complete: completed(absent),
  recheck: rechecked(),
  commit: { of: "commit", commit: "beef" },
  measure: measured("standard"),
  refine: refined(),
  rewind: { of: "rewind", kept: "refs/isdlc/run/back-1", restored: ["a.md"], commit: "bacc" },
  finish: { of: "finish", merged: null },
};

/** Returns the answer that leads toward the end of the run. */
export function goodAnswer(wait: Wait): PersonCommand {
  switch (wait.kind) {
    case "gate":
      return { do: "continue", by: ada, wait: wait.id, shown: wait.digest };
    case "questions":
      return { do: "reply", by: ada, wait: wait.id, replies: wait.questions.map(({ id }) => ({ id, text: "yes" })) };
    case "escalation":
      return { do: "retry", by: ada, wait: wait.id };
    case "sizing":
      return { do: "size", by: ada, wait: wait.id, choice: "accept" };
    case "budget":
      return { do: "raise", by: ada, wait: wait.id, budget: { usd: (wait.budget.usd ?? 0) + 1000, tokens: null } };
    case "finish":
      return { do: "finish", by: ada, wait: wait.id, how: "keep" };
    default:
      return wait satisfies never;
  }
}

export function openWait(player: Player): Wait {
  const now = next(player.state);
  if (now.is !== "wait") throw new Error(`nothing waits: ${JSON.stringify(now)}`);
  return now.wait;
}

export function activeRun(player: Player): ActiveRun {
  if (player.state.is !== "active") throw new Error(`the run is ${player.state.is}`);
  return player.state;
}

export function phaseAt(player: Player, index: number): PhaseRecord {
  const phase = player.state.is === "none" ? undefined : player.state.phases[index];
  if (phase === undefined) throw new Error(`no phase ${index}`);
  return phase;
}

export function redo(player: Player, guidance: string): PersonCommand {
  const wait = openWait(player);
  return { do: "redo", by: ada, wait: wait.id, shown: shownAt(wait), guidance };
}

/** Returns the digest shown at a gate; empty for other waits. */
export const shownAt = (wait: Wait): string => (wait.kind === "gate" ? wait.digest : "");

const place = (draft: EventDraft, seq: number): RunEvent => ({
  ...draft,
  seq,
  at: new Date(Date.UTC(2026, 0, 5) + seq * 1000).toISOString(),
});

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}

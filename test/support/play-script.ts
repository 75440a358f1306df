import { isDeepStrictEqual } from "node:util";
import type { Command, Decision, Report } from "../../src/core/command.ts";
import type { ActiveRun, RunState, Wait, AttemptState } from "../../src/core/run.ts";
import { EventDraft, type RunEvent } from "../../src/schema/event.ts";
import { brokenByGoingBack } from "./back-rules.ts";
import { rollDice } from "./dice.ts";
import { anyAnswer, forbiddenCommands } from "./forbidden-commands.ts";
import { journalViolations, lostGates, type Violation } from "./journal-rules.ts";
import { ada, type Core, createPlayer, failed, good, goodAnswer, type Player } from "./run-builder.ts";
import { commandFor, toMove, type Roll, type Script } from "./run-scripts.ts";

export type PlayedScript = {
  readonly player: Player;
  readonly violations: readonly Violation[];
  /** Everything the script reached, with one entry per occurrence. */
  readonly reached: readonly string[];
};

type Table = {
  readonly core: Core;
  readonly script: Script;
  readonly player: Player;
  readonly violations: Violation[];
  readonly reached: string[];
  readonly reports: Report[];
  readonly waits: Wait[];
};

export type Scope = { readonly finishFromEveryState: boolean };

/** Plays a script, and checks the guarantees of the core in each state. */
export function playScript(core: Core, script: Script, scope: Scope = { finishFromEveryState: false }): PlayedScript {
  const player = createPlayer(core);
  const table: Table = { core, script, player, violations: [], reached: [], reports: [], waits: [] };
  try {
    submit(table, script.begin);
    for (const roll of script.rolls) {
      playRoll(table, roll);
      if (scope.finishFromEveryState) table.violations.push(...finishViolations(core, player));
    }
    reload(table);
    table.violations.push(...finishViolations(core, player));
  } catch (error) {
    table.violations.push({ rule: "no function throws or changes its input", where: String(error) });
  }
  table.violations.push(...readable(() => journalViolations(player.events)), ...countViolations(player));
  return { player, violations: table.violations, reached: [...table.reached, ...player.events.flatMap(landmarks)] };
}

/** Reports a journal with errors that make its reader throw. */
function readable(read: () => Violation[]): Violation[] {
  try {
    return read();
  } catch (error) {
    return [{ rule: "a journal can be read to its end", where: String(error) }];
  }
}

function playRoll(table: Table, roll: Roll): void {
  const { core, player, script, reports, waits } = table;
  const now = core.next(player.state);
  const move = toMove(script.temper, roll);
  if (move === "crash") {
    reload(table);
    return;
  }
  if (move === "forbidden") {
    const forbidden = forbiddenCommands({ state: player.state, now, reports, waits, redos: redosAtHand(player) });
    const dice = rollDice(roll.pick);
    const kinds = [...new Set(forbidden.map((one) => one.what))];
    const answers = kinds.filter((kind) => /^an? (?:answer that|redo|review|retry at)/.test(kind));
    const what = dice.of(answers.length > 0 && dice.chance(30) ? answers : kinds);
    const { command } = dice.of(forbidden.filter((one) => one.what === what));
    const decision = submit(table, command);
    table.reached.push(`forbidden: ${what}`);
    if (decision.ok)
      table.violations.push({ rule: "forbidden commands are refused", where: `${what} ${JSON.stringify(command)}` });
    return;
  }
  const command =
    player.state.is === "active" ? commandFor(script.temper, move, { run: player.state, now, pick: roll.pick }) : null;
  if (command !== null) submit(table, command);
}

function submit(table: Table, command: Command): Decision {
  const { core, player, reached, violations } = table;
  const before = player.state;
  const decision = player.submit(command);
  if (!decision.ok) {
    reached.push(`refused: ${decision.refusal.why}`);
    if (player.state !== before) violations.push({ rule: "a refusal changes nothing", where: JSON.stringify(command) });
    return decision;
  }
  if (command.do === "report") table.reports.push(command);
  if (before.is === "active" && before.wait !== null && readWaitId(player.state) !== before.wait.id)
    table.waits.push(before.wait);
  violations.push(...changeViolations(before, player.state, decision.events), ...stateViolations(core, player));
  return decision;
}

/** Checks the changes made by one decision. */
function changeViolations(before: RunState, after: RunState, events: readonly EventDraft[]): Violation[] {
  const broken: string[] = [];
  if (!events.every((event) => EventDraft.safeParse(event).success)) broken.push("every event matches its schema");
  if (before.is === "active" && after.is === "active") {
    const back = events.find((event) => event.type === "run.wentBack");
    if (back !== undefined) broken.push(...brokenByGoingBack(before, after, back));
    else if (after.index !== before.index + stepForward(after, before.index, events))
      broken.push("phase.left makes the next remaining phase current");
    const loosened = events.some((event) => event.type === "supervision.loosened");
    const plan = after.phases.map((phase) => phase.rule);
    if (!loosened && lostGates(plan, before.supervision, after.supervision))
      broken.push("settings never remove a gate");
    const anew = events.some(isNewBeginning);
    if (anew && !isUnproven(after)) broken.push("a new attempt starts without results");
  }
  return broken.map((rule) => ({ rule, where: events.map((event) => event.type).join(" + ") }));
}

/** Returns the distance to the next phase that is not dropped, for `phase.left`; otherwise 0. */
function stepForward({ phases }: ActiveRun, from: number, events: readonly EventDraft[]): number {
  if (!events.some((event) => event.type === "phase.left")) return 0;
  const kept = phases.slice(from + 1).findIndex((phase) => !phase.dropped);
  return kept === -1 ? phases.length - from : kept + 1;
}

function isNewBeginning(event: EventDraft): boolean {
  if (event.type === "gate.answered") return event.choice === "redo";
  if (event.type === "step.retried") return ["enter", "produce", "check"].includes(event.from);
  return ["attempt.started", "phase.restarted", "run.wentBack"].includes(event.type);
}

function isUnproven(run: ActiveRun): boolean {
  const phase = run.phases[run.index];
  const work = "work" in run.stage ? run.stage.work : null;
  const begins = phase?.status === "in_progress" || (phase?.status === "pending" && work === null);
  return phase?.made === null && begins && phase.completedAt === null && (work === null || isFresh(work));
}

/** Ignores the agent's conversation, which may continue and is no evidence. */
function isFresh({ turns, verdicts, failures, broken, replies, sameFailure }: AttemptState): boolean {
  const counted = turns + verdicts + failures + broken + replies.length;
  return counted === 0 && sameFailure === null;
}

/** Checks the guarantees that apply to each state. */
function stateViolations(core: Core, player: Player): Violation[] {
  const { state } = player;
  if (state.is !== "active") return [];
  const broken: string[] = [];
  const now = core.next(state);
  const would = (command: Command): boolean => core.decide(state, command).ok;
  if (state.phases[state.index]?.dropped === true) broken.push("the current phase is not dropped");
  if (!would({ do: "cancel", by: ada, reason: "enough" })) broken.push("an open run can be cancelled");
  if (now.is === "action") {
    const { ticket, step } = now;
    const answerable = [good(step), failed(step)].every((outcome) => would({ do: "report", ticket, outcome }));
    if (!answerable) broken.push("every action accepts a successful and a failed outcome");
  }
  if (now.is === "wait") {
    const offered = now.options.filter((option) => option !== "cancel").toSorted();
    const taken = anyAnswer(now.wait).filter(would).map(toOption).toSorted();
    if (!isDeepStrictEqual(offered, taken)) broken.push("offered and accepted commands are the same");
    if (now.wait.kind === "gate" && now.options.includes("redo") !== redosAtHand(player) < 3)
      broken.push("redo is offered three times, counted in the journal");
  }
  return broken.map((rule) => ({ rule, where: JSON.stringify(now) }));
}

function toOption(command: ReturnType<typeof anyAnswer>[number]): string {
  if (command.do === "reply") return "answer";
  if (command.do === "size") return command.choice;
  if (command.do === "revert") return "revert";
  return command.do === "finish" ? command.how : command.do;
}

/** Continues from the journal, as after a crash. */
function reload({ player, violations }: Table): void {
  const live = player.state;
  player.reload();
  if (!isDeepStrictEqual(player.state, live))
    violations.push({ rule: "replaying the journal returns the live state", where: JSON.stringify(player.state) });
}

/** Expects good outcomes and answers to bring the run to its end from this state. */
function finishViolations(core: Core, from: Player): Violation[] {
  let { state } = from;
  let seq = from.events.length;
  for (let steps = 0; steps < 150; steps += 1) {
    const now = core.next(state);
    if (now.is === "done") return [];
    const command: Command =
      now.is === "wait" ? goodAnswer(now.wait) : { do: "report", ticket: now.ticket, outcome: good(now.step) };
    const decision = core.decide(state, command);
    if (!decision.ok) return [{ rule: "every run can be finished", where: `${JSON.stringify(command)} is refused` }];
    for (const draft of decision.events)
      state = core.evolve(state, { ...draft, seq: (seq += 1), at: "2026-01-06T00:00:00.000Z" });
  }
  return [{ rule: "every run can be finished", where: "no end after 150 good steps" }];
}

/** Compares the counters of the state with the journal. */
function countViolations({ state, events }: Player): Violation[] {
  if (state.is === "none") return [];
  const byPhase = eventsByPhase(events);
  const counted = state.phases.map((phase) => {
    const own = byPhase.get(phase.rule.key) ?? [];
    const times = (type: RunEvent["type"]): number => own.filter((event) => event.type === type).length;
    const used = own.map((event) => (event.type === "execution.ended" ? (event.usage?.input ?? 0) : 0));
    return (
      phase.redos === redosIn(own).length &&
      isDeepStrictEqual(phase.guidance, redosIn(own)) &&
      phase.attempts === times("attempt.started") &&
      phase.iterations.length === times("verdict.given") &&
      phase.checkFailures === times("checks.failed") &&
      phase.executions === times("execution.started") &&
      (phase.usage.input ?? 0) === used.reduce((sum, more) => sum + more, 0)
    );
  });
  const answered = events.filter((event) => event.type === "gate.answered").length + skipsAtGates(events);
  return [
    ...(counted.every(Boolean) ? [] : [{ rule: "counters match the journal", where: JSON.stringify(counted) }]),
    ...(state.answers.length === answered
      ? []
      : [{ rule: "every answer at a gate is recorded", where: `${answered}` }]),
  ];
}

/** Counts phases skipped at their open gate. */
function skipsAtGates(events: readonly RunEvent[]): number {
  let [open, skips] = [false, 0];
  for (const event of events) {
    skips += Number(open && event.type === "phase.skipped");
    const stays = LEAVES_GATE_OPEN.has(event.type) || (event.type === "gate.answered" && event.choice === "review");
    open = event.type === "gate.opened" || (open && stays);
  }
  return skips;
}

const LEAVES_GATE_OPEN = new Set(["supervision.loosened", "writes.takenOut", "agents.changed"]);

/** Groups the events by phase, in any order of phases. */
function eventsByPhase(events: readonly RunEvent[]): ReadonlyMap<string, readonly RunEvent[]> {
  const byPhase = new Map<string, RunEvent[]>();
  let phase = "";
  for (const event of events) {
    if (event.type === "attempt.started") phase = event.phase;
    const own = byPhase.get(phase) ?? [];
    own.push(event);
    byPhase.set(phase, own);
  }
  return byPhase;
}

/** Counts the redos of the current phase from the journal alone. */
function redosAtHand({ state, events }: Player): number {
  const key = state.is === "active" ? state.phases[state.index]?.rule.key : undefined;
  return key === undefined ? 0 : redosIn(eventsByPhase(events).get(key) ?? []).length;
}

/** Lists the guidance of each redo. */
const redosIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === "gate.answered" && event.choice === "redo" ? [event.guidance ?? ""] : []));

const readWaitId = (state: RunState): string | null => (state.is === "active" ? (state.wait?.id ?? null) : null);

/** Returns labels for what a script reached with an event. */
function landmarks(event: RunEvent): string[] {
  const label = labels[event.type] as ((event: RunEvent) => string[]) | undefined; // keyed by the type of the event
  return label?.(event) ?? [event.type];
}

const labels: { readonly [T in RunEvent["type"]]?: (event: Extract<RunEvent, { type: T }>) => string[] } = {
  "step.escalated": ({ from, reason }) => [`escalated: ${from}`, `because: ${reason}`],
  "step.retried": ({ type, from }) => [`${type}: ${from}`],
  "step.skipped": ({ type, from }) => [`${type}: ${from}`],
  "gate.answered": ({ choice }) => [`gate: ${choice}`],
  "gate.opened": ({ failures, loosened }) => [
    failures.length > 0 ? "gate: after failed re-check" : loosened === null ? "gate: opened" : "gate: opened loosened",
  ],
  "sizing.decided": ({ by, drop, effective }) => [
    `sizing: ${effective} by ${typeof by === "object" ? "person" : by}`,
    ...(drop.length > 0 ? ["sizing: phases dropped"] : []),
  ],
  "after.started": ({ type, step }) => [`${type}: ${step}`],
  "tasks.refined": ({ type, artifact }) => [`${type}: ${artifact === null ? "none" : "list"}`],
  "run.wentBack": ({ type, tree }) => [`${type}: ${tree}`],
  "execution.ended": ({ how }) => [`execution: ${how}`],
  "finish.chosen": ({ how, by }) => [`finish: ${how} by ${by === "engine" ? "engine" : "person"}`],
  "verdict.given": ({ approved, leadsTo, summary }) => [
    `verdict: ${approved ? "approved" : leadsTo === "complete" ? "at the limit" : "sent back"}`,
    ...(summary.startsWith("No verdict") ? ["verdict: none"] : []),
  ],
};

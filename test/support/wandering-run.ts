import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { commandRun } from "../../src/app/answer/command-run.ts";
import { currentRun, record } from "../../src/app/project/current-run.ts";
import { openRun } from "../../src/app/start/open-run.ts";
import { planRun } from "../../src/app/start/plan-run.ts";
import { runRequest } from "../../src/surfaces/cli/grammar/run-request.ts";
import { composeEngine } from "../../src/compose/compose-engine.ts";
import { type LocalProject, openProject } from "../../src/compose/project.ts";
import { phasesToGoBackTo } from "../../src/core/decide/person.ts";
import { type ActiveRun, currentPhase, redoLimit, type Wait } from "../../src/core/run.ts";
import { drive } from "../../src/engine/loop/drive.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { noProgress } from "../../src/ports/progress.ts";
import type { PhaseRule } from "../../src/schema/plan.ts";
import type { Dice } from "./dice.ts";
import { ADA, initRepository, invocationFor, newBase, placeIn, remove } from "./instant-run.ts";
import { edit, markingAgent, section, SHARED, update } from "./marking-agent.ts";
import {
  checkCommits,
  checkNotices,
  checkOptions,
  type Move,
  MOVES,
  PHASES,
  readGate,
  type World,
} from "./wandering-checks.ts";

type GateMove = Exclude<(typeof MOVES)[number], "restart">;

const GATE_MOVES = MOVES.filter((move): move is GateMove => move !== "restart");

export type WanderingResult = {
  readonly violations: readonly string[];
  readonly did: readonly string[];
  /** Pairs of consecutive moves: `back keep, redo`. */
  readonly transitions: ReadonlySet<string>;
  readonly committedMarks: number;
  readonly lostEdits: number;
};

const MAX_MOVES = 32;
const LAST_MOVES = 8; // lead to the end of the run

/**
 * Plays a run with real git and files and a wandering user: back, redo, skip, edit, restart and update in any order.
 * Each line written by an agent names its phase, to compare each gate with the accepted lines. `due`: transitions to
 * reach, such as `back keep, redo`.
 */
export async function wanderingRun(dice: Dice, due: readonly string[]): Promise<WanderingResult> {
  const place = placeIn(newBase());
  const env = { ...place.env, HOME: join(place.base, "home"), GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: place.root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const world: World = { place, dice, git, did: [], transitions: new Set(), violations: [], ...untouched(due) };
  const saved = { ...process.env };
  try {
    mkdirSync(join(place.base, "home"), { recursive: true });
    Object.assign(process.env, { HOME: env.HOME });
    writeFileSync(join(place.base, "home/.gitconfig"), "[user]\n\tname = P\n\temail = p@example.org\n");
    mkdirSync(join(place.root, "src"), { recursive: true });
    writeFileSync(join(place.root, SHARED), `${PHASES.map((key) => section(key)).join("\n\n\n\n")}\n`);
    initRepository(place);
    await play(await openWandering(world), world);
    return world;
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
    remove(place.base);
  }
}
const untouched = (due: readonly string[]) => ({
  due: [...due],
  failsNext: false,
  last: "start" as const,
  count: 0,
  committedMarks: 0,
  shown: new Set<string>(),
  inTree: new Set<string>(),
  acceptedWith: null,
  ungated: new Set<string>(),
  edited: new Set<string>(),
  pendingEdits: [],
  lostEdits: 0,
  events: 0,
  key: "",
});

async function openWandering({ place, dice }: World): Promise<LocalProject> {
  const project = openProject(place.root, place.env, nodeFiles);
  const chosen = { supervised: true, tests: "without", "agent-command": process.execPath };
  const wanted = { workflow: "feature", title: "wander", by: ADA };
  const planned = await planRun(project, runRequest(invocationFor(place, "feature", chosen), wanted));
  if (!planned.ok) throw new Error(planned.choices.map(({ about }) => about.join("\n")).join("\n"));
  const { facts } = planned.plan;
  const plan = facts.plan
    .filter(({ key }) => PHASES.includes(key))
    .map((rule): PhaseRule => {
      const { mustChange: _mustChange, ...kept } = rule;
      return { ...kept, after: [], tests: false, verdicts: 0, reviewer: null };
    });
  const gated = PHASES.filter((key) => key === PHASES.at(-1) || dice.chance(75));
  const supervision = { enabled: true, phases: gated };
  const options = { ...facts.options, finish: "ask" as const };
  await openRun({ ...planned.plan, facts: { ...facts, plan, supervision, options } });
  return project;
}

async function play(project: LocalProject, world: World): Promise<void> {
  for (let moves = 0; moves < MAX_MOVES; moves++) {
    const { state: found } = await currentRun(project);
    if (found.is !== "active") return;
    const engine = createEngine(project, found, world);
    const { state } = await drive(engine, new AbortController().signal);
    await checkCommits(project, world);
    if (state.is !== "active") return;
    checkOptions(state, world);
    checkNotices(state, world);
    await answer(engine, { project, run: state, isLast: moves > MAX_MOVES - LAST_MOVES }, world);
  }
}

type AnswerContext = { readonly project: LocalProject; readonly run: ActiveRun; readonly isLast: boolean };

async function answer(engine: Engine, answering: AnswerContext, world: World): Promise<void> {
  const { project, run, isLast } = answering;
  const { wait } = run;
  if (wait?.kind === "gate") return answerGate(engine, { ...answering, wait }, world);
  if (wait?.kind === "escalation") {
    if (world.last !== "restart") moved(world, "restart", run);
    return void (await commandRun(project, run, { do: "retry", by: ADA }));
  }
  if (wait?.kind !== "finish") throw new Error(`asked for ${JSON.stringify(wait)} after ${world.did.join(", ")}`);
  if (isLast || world.dice.chance(40))
    return void (await record(project, run.run.run, { do: "finish", by: ADA, wait: wait.id, how: "merge" }));
  moved(world, "back from the end", run);
  return goBack(project, run, { to: world.dice.of(PHASES.slice(1)), tree: "keep" });
}

type AtGate = AnswerContext & { readonly wait: Extract<Wait, { kind: "gate" }> };

async function answerGate(engine: Engine, { project, run, isLast, wait }: AtGate, world: World): Promise<void> {
  const move = isLast ? "continue" : nextMove(world, run);
  const { run: id } = run.run;
  const shown = { by: ADA, wait: wait.id, shown: wait.digest };
  const targets = phasesToGoBackTo(run).map(({ rule }) => rule.key);
  const backs = {
    fresh: { to: targets.at(-1) ?? "", tree: "restore" },
    "back keep": { to: world.dice.of(targets), tree: "keep" },
    "back restore": { to: world.dice.of(targets), tree: "restore" },
  } as const;
  moved(world, move, run);
  if (move === "redo") return void (await record(project, id, { do: "redo", ...shown, guidance: "again" }));
  if (move === "skip") return void (await commandRun(project, run, { do: "skip", by: ADA }));
  if (move === "fresh" || move === "back keep" || move === "back restore") {
    forgetRestored(world, backs[move]);
    return goBack(project, run, backs[move]);
  }
  if (changesFiles(world, run, move) && world.dice.chance(50)) return; // the next move finds the edit
  await readGate(engine, run, world);
  await record(project, id, { do: "continue", ...shown });
}

/** Prefers a move that completes a due transition, then one that starts it. */
function nextMove(world: World, run: ActiveRun): GateMove {
  const canRedo = (currentPhase(run)?.redos ?? 0) < redoLimit(run);
  const possible = GATE_MOVES.filter((move) => move !== "redo" || canRedo);
  const leads = possible.find((move) => world.due.includes(`${world.last}, ${move}`));
  const begins = possible.find((move) => world.due.some((pair) => pair.startsWith(`${move}, `)));
  const restarts = world.due.some((pair) => pair.startsWith("restart, "));
  const move = leads ?? begins ?? (restarts ? "fresh" : world.dice.of(possible));
  world.failsNext = world.due.includes(`${move}, restart`) || (leads === undefined && begins === undefined && restarts);
  return move;
}

type Back = { readonly to: string; readonly tree: "keep" | "restore" };

/** Edits or updates if the move says so. True if the user edited a file. */
function changesFiles(world: World, run: ActiveRun, move: GateMove): boolean {
  if (move === "edit") edit(world, currentPhase(run)?.rule.key ?? "");
  if (move === "update") update(world);
  return move === "edit";
}

/** A return that restores the files removes later lines of the user. */
function forgetRestored(world: World, { to, tree }: Back): void {
  if (tree === "restore") world.pendingEdits = world.pendingEdits.filter(({ phase }) => phase < to);
}

async function goBack(project: LocalProject, run: ActiveRun, { to, tree }: Back): Promise<void> {
  const isReached = phasesToGoBackTo(run).some(({ rule }) => rule.key === to);
  const target = isReached ? to : (phasesToGoBackTo(run).at(-1)?.rule.key ?? "");
  await commandRun(project, run, { do: "back", by: ADA, to: target, tree });
}

function moved(world: World, move: Move, run: ActiveRun): void {
  world.due = world.due.filter((pair) => pair !== `${world.last}, ${move}`);
  world.did.push(`${move} at ${currentPhase(run)?.rule.key ?? "the end"}`);
  world.transitions.add(`${world.last}, ${move}`);
  world.last = move;
}

function createEngine(project: LocalProject, run: ActiveRun, world: World): Engine {
  const command = { name: "command", argv: [process.execPath] };
  const agents = { phase: command, reviewer: command };
  const engine = composeEngine(project, run, { agents, progress: noProgress, warn: () => {} });
  const agent = markingAgent(world);
  return {
    ...engine,
    agents: { phase: () => agent, reviewer: () => agent },
    processes: { ...engine.processes, endAll: () => Promise.resolve() },
    transcript: () => ({ write: () => {}, close: () => {} }),
    toldUsage: () => null,
  };
}

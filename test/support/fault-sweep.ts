import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { errorCode, type FileSystem } from "../../src/adapters/files/file-system.ts";
import { currentRun, record } from "../../src/app/project/current-run.ts";
import { openProject } from "../../src/compose/project.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { type RunState, chosenFinish } from "../../src/core/run.ts";
import type { RunEvent } from "../../src/schema/event.ts";
import { hastyFiles } from "../journal-file/sample-run.ts";
import { createFaultFiles, Killed, type Fault } from "./fault-files.ts";
import {
  ADA,
  begin,
  createRepository,
  decide,
  ended,
  continueRun,
  initRepository,
  newBase,
  type TestProject,
  placeIn,
  remove,
  type Repository,
} from "./instant-run.ts";

/** A deciding command, and the decisions before it. */
export type Verb = { readonly name: string; readonly before: readonly string[] };

export const decidingVerbs: readonly Verb[] = [
  { name: "start", before: [] },
  { name: "continue", before: ["start", "continue", "continue"] },
  { name: "review", before: ["start"] },
  { name: "redo", before: ["start", "redo"] },
  { name: "finish", before: ["start", "continue", "continue", "continue"] },
  { name: "cancel", before: ["start", "review"] },
];

export type Sweep = {
  /** Names of the command's file calls without a fault. */
  readonly calls: readonly string[];
  /** Makes the call with this number fail, then recovers. False if that call was never reached. */
  at(index: number, fault: Fault, toTheEnd: boolean): Promise<boolean>;
  /** Counts of cases with and without the recorded decision after the restart. */
  readonly found: { recorded: number; missing: number };
  close(): void;
};

type World = { readonly place: TestProject; readonly repository: Repository };

/** Repeats one command from the same state, and checks the result of each fault. */
export async function createSweep(verb: Verb): Promise<Sweep> {
  const base = newBase();
  const fresh = (): World => ({ place: placeIn(join(base, "now")), repository: createRepository() });
  const first = fresh();
  if (verb.before.length > 0) initRepository(first.place);
  for (const name of verb.before) await perform(first, hastyFiles, name);
  remove(join(first.place.root, ".git")); // from here on, the repository is simulated in memory
  const beforehand = (await seenIn(first.place)).events;
  cpSync(join(base, "now"), join(base, "template"), { recursive: true });
  const again = (): World => {
    remove(join(base, "now"));
    cpSync(join(base, "template"), join(base, "now"), { recursive: true });
    return fresh();
  };
  const counting = createFaultFiles(0, "EIO", hastyFiles);
  const reference = again();
  await perform(reference, counting.files, verb.name);
  const whole = await seenIn(reference.place);
  expect(whole.events.length).toBeGreaterThan(beforehand.length);
  const found = { recorded: 0, missing: 0 };

  const at: Sweep["at"] = async (index, fault, toTheEnd) => {
    const world = again();
    const when = `${verb.name}: ${fault} at call ${index}, ${counting.calls[index - 1] ?? "none"}`;
    const faulty = createFaultFiles(index, fault, hastyFiles);
    const outcome = await perform(world, faulty.files, verb.name).then(
      () => null,
      (error: unknown) => error ?? new Error("no reason"),
    );
    expectProper(outcome, fault, when);
    ended(world.place);
    const left = (await seenIn(world.place)).events;
    if (fault.startsWith("kill")) expect(kinds(whole.events).slice(0, left.length), when).toEqual(kinds(left));
    const recorded = left.length > beforehand.length;
    if (outcome === null && fault !== "killBefore") expect(recorded, when).toBe(true);
    found[recorded ? "recorded" : "missing"]++;
    await recover(world, recorded ? null : verb.name);
    expectSame(await seenIn(world.place), whole, when);
    if (toTheEnd) await finish(world, when);
    return faulty.hit();
  };
  return { calls: counting.calls, at, found, close: () => remove(base) };
}

/** Runs a command like the program: first the decision, then its effects. */
async function perform({ place, repository }: World, files: FileSystem, name: string): Promise<void> {
  const git = existsSync(join(place.root, ".git")) ? {} : { "no-git": true };
  const project = name === "start" ? await begin(place, files, git) : openProject(place.root, place.env, files);
  if (name !== "start") await decide(project, name);
  if (name !== "review" && name !== "cancel") await continueRun(project, repository);
}

/** Repeats the decision if it was not recorded, and drives the run until it waits or ends. */
async function recover({ place, repository }: World, missing: string | null): Promise<void> {
  if (missing !== null) return perform({ place, repository }, hastyFiles, missing);
  const project = openProject(place.root, place.env, hastyFiles);
  let state = await continueRun(project, repository);
  for (let tries = 0; state.is === "active" && state.wait?.kind === "escalation" && tries < 3; tries++) {
    await record(project, state.run.run, { do: "retry", by: ADA, wait: state.wait.id });
    state = await continueRun(project, repository);
  }
}

function expectProper(outcome: unknown, fault: Fault, when: string): void {
  if (outcome === null) return;
  if (fault.startsWith("kill")) return expect(outcome, when).toBeInstanceOf(Killed);
  const isTold = outcome instanceof ProblemError || errorCode(outcome) !== null;
  expect(isTold, `${when}: ${outcome instanceof Error ? outcome.stack : "no error"}`).toBe(true);
  expect(fault, when).not.toBe("shortWrite");
}

type JournalView = { readonly events: readonly RunEvent[]; readonly state: RunState };

/** Expects each decision once, the same position in the plan, and no unrequested redo. */
function expectSame(seen: JournalView, wanted: JournalView, when: string): void {
  const decisions = ({ events }: JournalView): string[] =>
    events.flatMap((event) =>
      event.type === "gate.answered" ? [event.choice] : DECISIONS.has(event.type) ? [event.type] : [],
    );
  expect(decisions(seen), when).toEqual(decisions(wanted));
  expect(standing(seen.state), when).toEqual(standing(wanted.state));
}

const DECISIONS = new Set(["run.started", "run.cancelled", "finish.chosen", "run.finished"]);

function standing(state: RunState): unknown {
  if (state.is === "none") return "none";
  const phases = state.phases.map(({ rule, status, redos, guidance }) => ({ key: rule.key, status, redos, guidance }));
  const open = state.is === "active" ? (state.wait?.kind ?? "nothing") : `${state.how} ${chosenFinish(state)}`;
  return { is: state.is, phases, open, answers: state.answers.map(({ phase, choice, redo }) => [phase, choice, redo]) };
}

async function finish({ place, repository }: World, when: string): Promise<void> {
  const project = openProject(place.root, place.env, hastyFiles);
  let state = (await currentRun(project)).state;
  for (let steps = 0; state.is === "active" && steps < 10; steps++) {
    await decide(project, state.wait?.kind === "finish" ? "merge" : "continue");
    state = await continueRun(project, repository);
  }
  expect(state.is, when).toBe("ended");
  if (state.is !== "ended" || state.how === "cancelled") return;
  const asked = state.run.git !== null;
  expect([state.how, state.finish, repository.merges], when).toEqual([
    "finished",
    ...(asked ? ["merge", 1] : ["keep", 0]),
  ]);
  const committed = [...repository.commits.keys()].map((attempt) => attempt.replace(/^.*\/(.*)#.*$/, "$1"));
  expect(new Set(committed).size, when).toBe(committed.length);
  expect(
    project.journal.events(state.run.run).filter(({ type }) => type === "run.finished"),
    when,
  ).toHaveLength(1);
}

const kinds = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

async function seenIn({ root, env }: TestProject): Promise<JournalView> {
  const project = openProject(root, env, hastyFiles);
  const { run, state } = await currentRun(project);
  return { state, events: run === null ? [] : project.journal.events(run) };
}

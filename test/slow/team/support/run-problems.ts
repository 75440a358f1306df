import { execFileSync } from "node:child_process";
import type { RunEvent } from "../../../../src/schema/event.ts";
import { journalViolations } from "../../../support/journal-rules.ts";
import type { Team } from "./team.ts";
import { look } from "./team-runs.ts";

/** Problems of an ended run: lost, doubled or skipped work, whatever faults happened. */
export async function findProblems(
  team: Team,
  run: string,
  acknowledged: readonly string[] = [],
): Promise<readonly string[]> {
  const { events } = await look(team, run);
  const row = await team.row(run);
  const gaps = events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`a gap before event ${seq}`]));
  const broken = journalViolations(events).map(({ rule, where }) => `${where}: ${rule}`);
  const rest = row.rests === "ended" && row.refused === null ? [] : [`it rests: ${row.rests}, ${row.refused}`];
  return [
    ...gaps,
    ...broken,
    ...rest,
    ...findAnswerProblems(events, acknowledged),
    ...findExecutionProblems(events, await readEpochs(team, run)),
    ...findRemoteProblems(team, events, row.left_tree.branch as string),
  ];
}

/** Every gate has one answer, and every acknowledged answer is recorded. */
function findAnswerProblems(events: readonly RunEvent[], acknowledged: readonly string[]): readonly string[] {
  const count = (type: RunEvent["type"]): number => events.filter((event) => event.type === type).length;
  const gates = events.flatMap((event) => (event.type === "gate.answered" ? [event.wait] : []));
  const answered = new Set(events.flatMap((event) => ("wait" in event ? [event.wait] : [])));
  const finishes = acknowledged.filter((wait) => !answered.has(wait)); // an answer of this kind names no wait
  return [
    ...(gates.length < 3 ? [`${gates.length} gates were answered of 3`] : []),
    ...(new Set(gates).size === gates.length ? [] : [`answered twice: ${gates.join(" ")}`]),
    ...(count("phase.accepted") === 3 ? [] : [`${count("phase.accepted")} phases were accepted of 3`]),
    ...(finishes.length <= count("finish.chosen") ? [] : [`acknowledged and lost: one of ${finishes.join(" ")}`]),
  ];
}

/** Epoch of the worker that recorded an event, by the event's number. Null for a person or the server. */
type Epochs = ReadonlyMap<number, number | null>;

async function readEpochs({ database }: Team, run: string): Promise<Epochs> {
  const { rows } = await database.pool.query<{ seq: number; epoch: number | null }>(
    `select generate_series(seq, seq + events - 1) as seq, epoch from isdlc.decision where run = $1 order by 1`,
    [run],
  );
  return new Map(rows.map(({ seq, epoch }) => [seq, epoch]));
}

/** Every execution ends once. Unless it is lost, the end comes from the lease under which it started. */
function findExecutionProblems(events: readonly RunEvent[], epochs: Epochs): readonly string[] {
  const begun = events.flatMap((event) => (event.type === "execution.started" ? [event] : []));
  const ended = events.flatMap((event) => (event.type === "execution.ended" ? [event] : []));
  const names = begun.map(({ claim }) => claim.execution);
  const late = ended.filter(({ execution, how, seq }) => {
    const start = begun.find(({ claim }) => claim.execution === execution);
    return how !== "lost" && start !== undefined && epochs.get(start.seq) !== epochs.get(seq);
  });
  const held = [...epochs.values()].filter((epoch) => epoch !== null);
  return [
    ...(new Set(names).size === names.length ? [] : [`an execution was claimed twice: ${names.join(" ")}`]),
    ...(ended.length === begun.length && names.every((name) => ended.some(({ execution }) => execution === name))
      ? []
      : [`begun: ${names.join(" ")}; ended: ${ended.map(({ execution }) => execution).join(" ")}`]),
    ...late.map(({ execution }) => `${execution} was reported by a worker that had lost the run`),
    ...(held.every((epoch, index) => epoch >= (held[index - 1] ?? 0)) ? [] : [`epochs: ${held.join(" ")}`]),
  ];
}

/** Each phase commit is at the remote once, and the base has no new commit. */
function findRemoteProblems({ remote, ada }: Team, events: readonly RunEvent[], branch: string): readonly string[] {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: remote, encoding: "utf8" }).trim();
  const listed = git("log", "--format=%H %(trailers:key=Isdlc-Attempt,valueonly,separator=%x2C)", `main..${branch}`);
  const commits = listed.split("\n").map((line) => line.split(" "));
  const attempts = commits.map(([, attempt]) => attempt);
  const recorded = events.flatMap((event) =>
    event.type === "phase.committed" && event.commit !== null ? [event.commit] : [],
  );
  const missing = recorded.filter((commit) => !commits.some(([id]) => id === commit));
  return [
    ...(new Set(attempts).size === attempts.length ? [] : [`committed twice: ${attempts.join(" ")}`]),
    ...(missing.length === 0 ? [] : [`not at the remote: ${missing.join(" ")}`]),
    ...(git("rev-parse", "main") === ada.git("rev-parse", "main") ? [] : ["something came onto the base"]),
  ];
}

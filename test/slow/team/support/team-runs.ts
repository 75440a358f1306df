import { execFileSync } from "node:child_process";
import { expect, vi } from "vitest";
import { emptyCursor } from "../../../../src/adapters/journal-file/fold.ts";
import { readLines } from "../../../../src/adapters/team/read-lines.ts";
import { createReaderSeal, publicKeysOf } from "../../../../src/adapters/team/reader-seal.ts";
import { shownOf } from "../../../../src/app/answer/answer.ts";
import type { RunState } from "../../../../src/core/run.ts";
import type { RunEvent } from "../../../../src/schema/event.ts";
import type { Team } from "./team.ts";

/** What people do with a team's runs, over HTTP, and what must hold of a run whatever happened to it. */

export const PATIENCE = { timeout: 240_000, interval: 50 };

export type Wanted = { readonly title?: string; readonly workflow?: string };

export async function beginRun(team: Team, wanted: Wanted = {}): Promise<string> {
  const { title = "add a greeting", workflow = "change" } = wanted;
  const choices = [{ flag: "--tests", option: "without" }];
  const start = { what: "run", workflow, title, isSupervised: true, choices };
  const { status, body } = await team.ask(team.adas, "/api/runs", { repository: "sample", start });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.run as string;
}

export type Seen = { readonly state: RunState; readonly events: readonly RunEvent[] };

/** The run as its lines tell it, every one checked against the server's keys. */
export async function look(team: Team, run: string): Promise<Seen> {
  const { body } = await team.ask(team.adas, `/api/runs/${run}/lines`);
  const keys = (await team.ask(team.adas, "/api/team")).body.keys as string[];
  const { cursor, events } = readLines(emptyCursor(run), body.lines as string[], createReaderSeal(publicKeysOf(keys)));
  return { state: cursor.state, events };
}

/** Answers what is open in the way that leads on. Gives the status of the reply. */
export async function answerOpen(team: Team, run: string): Promise<number> {
  const { state } = await look(team, run);
  if (state.is !== "active" || state.wait === null) return 0;
  const { id, kind } = state.wait;
  const option = kind === "finish" ? "keep" : kind === "escalation" ? "retry" : "continue";
  return (await team.ask(team.adas, `/api/runs/${run}/answer`, { wait: id, shown: shownOf(state), option })).status;
}

/** Until nobody drives it any more. A server or a database that is away meanwhile is waited for. */
export function untilRests(team: Team, run: string, patience = PATIENCE): Promise<string> {
  return vi.waitFor(async () => {
    const { rests } = await team.row(run);
    expect(rests).not.toBe("action");
    return rests as string;
  }, patience);
}

/** Until it waits for a person, further on than it was. */
export function untilWaits(team: Team, run: string, seq: number): Promise<void> {
  return vi.waitFor(async () => {
    const row = await team.row(run);
    expect(row).toMatchObject({ rests: "wait", refused: null });
    expect(row.head_seq).toBeGreaterThan(seq);
  }, PATIENCE);
}

/** Answers until the run has ended. */
export async function untilEnded(team: Team, run: string, patience = PATIENCE): Promise<void> {
  while ((await untilRests(team, run, patience)) !== "ended") await vi.waitFor(() => answerOpen(team, run), patience);
}

/** What is wrong with a run that has ended: nothing may be lost, doubled or skipped, whoever was killed meanwhile. */
export async function problemsOf(team: Team, run: string): Promise<readonly string[]> {
  const { events } = await look(team, run);
  const row = await team.row(run);
  const problems = events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`a gap before event ${seq}`]));
  const begun = events.flatMap((event) => (event.type === "execution.started" ? [event.claim.execution] : []));
  const ended = events.flatMap((event) => (event.type === "execution.ended" ? [event.execution] : []));
  if (new Set(begun).size !== begun.length) problems.push(`an execution was claimed twice: ${begun.join(" ")}`);
  if (ended.length !== begun.length || !begun.every((one) => ended.includes(one)))
    problems.push(`begun: ${begun.join(" ")}; ended: ${ended.join(" ")}`);
  const accepted = events.filter(({ type }) => type === "phase.accepted").length;
  const answered = events.filter(({ type }) => type === "gate.answered").length;
  if (answered < 3) problems.push(`${answered} gates were answered of 3`);
  if (accepted !== 3) problems.push(`${accepted} phases were accepted of 3`);
  if (row.rests !== "ended" || row.refused !== null) problems.push(`it rests: ${row.rests}, ${row.refused}`);
  return [...problems, ...problemsAtRemote(team, events, row.left_tree.branch as string)];
}

/** Each commit of a phase is at the remote once, and nothing came onto the base. */
function problemsAtRemote({ remote, ada }: Team, events: readonly RunEvent[], branch: string): readonly string[] {
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

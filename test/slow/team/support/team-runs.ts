import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import { emptyCursor } from "../../../../src/adapters/journal/fold.ts";
import { withCountermarks } from "../../../../src/adapters/files/countermarks.ts";
import { createReaderSeal, parsePublicKeys } from "../../../../src/adapters/remote/reader-seal.ts";
import { shownDigest } from "../../../../src/app/answer/answer.ts";
import type { RunState } from "../../../../src/core/run.ts";
import type { RunEvent } from "../../../../src/schema/event.ts";
import { GENERATION } from "../../../../team/src/server/drive-queue.ts";
import type { Json } from "../../../support/cli.ts";
import type { Team } from "./team.ts";
import { readLines } from "../../../../src/adapters/remote/server-client.ts";

/** Actions of users on a team's runs, over HTTP. */

export const PATIENCE = { timeout: 240_000, interval: 50 };

export type StartOptions = { readonly title?: string; readonly workflow?: string; readonly repository?: string };

export async function beginRun(team: Team, wanted: StartOptions = {}): Promise<string> {
  const { title = "add a greeting", workflow = "change", repository = "sample" } = wanted;
  const choices = [{ flag: "--tests", option: "without" }];
  const start = { what: "run", workflow, title, isSupervised: true, choices };
  const { status, body } = await team.ask(team.adas, "/api/runs", { repository, start });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.run as string;
}

/** Claims one run for a new worker process, by moving it to the front of the queue. */
export async function claimRun(team: Team, token: string, run: string): Promise<Json> {
  await team.database.pool.query("update isdlc.run set takeovers = 1, asked_at = '-infinity' where run = $1", [run]);
  const process = { instance: randomUUID(), generation: GENERATION };
  await team.ask(token, "/api/worker/beat", { ...process, runs: [], version: "" });
  const { body } = await team.ask(token, "/api/worker/claim", { ...process, claim: randomUUID(), labels: [] });
  if (body.lease !== null) expect(body.lease.run).toBe(run);
  return body.lease;
}

export type RunView = { readonly state: RunState; readonly events: readonly RunEvent[] };

/** The run according to its lines, each verified with the server's keys. */
export async function look(team: Team, run: string): Promise<RunView> {
  const { body } = await team.ask(team.adas, `/api/runs/${run}/lines`);
  const keys = (await team.ask(team.adas, "/api/team")).body.keys as string[];
  const seal = withCountermarks(createReaderSeal(parsePublicKeys(keys)), (hash) => body.countermarks[hash]);
  const { cursor, events } = readLines(emptyCursor(run), body.lines as string[], seal);
  return { state: cursor.state, events };
}

/** Answers the open wait to make the run continue. Returns the status of the reply. */
export async function answerOpen(team: Team, run: string): Promise<number> {
  return (await answer(team, run))?.status ?? 0;
}

type AnsweredWait = { readonly wait: string; readonly status: number };

/** Null if no wait is open. */
async function answer(team: Team, run: string): Promise<AnsweredWait | null> {
  const { state } = await look(team, run);
  if (state.is !== "active" || state.wait === null) return null;
  const { id, kind } = state.wait;
  const option = kind === "finish" ? "keep" : kind === "escalation" ? "retry" : "continue";
  const { status } = await team.ask(team.adas, `/api/runs/${run}/answer`, {
    wait: id,
    shown: shownDigest(state),
    option,
  });
  return { wait: id, status };
}

/** Waits until the run waits or ends, even if server or database are unavailable in between. */
export function untilRests(team: Team, run: string, patience = PATIENCE): Promise<string> {
  return vi.waitFor(async () => {
    const { rests } = await team.row(run);
    expect(rests).not.toBe("action");
    return rests as string;
  }, patience);
}

/** Waits until the run waits for a person at a later event than before. */
export function untilWaits(team: Team, run: string, seq: number): Promise<void> {
  return vi.waitFor(async () => {
    const row = await team.row(run);
    expect(row).toMatchObject({ rests: "wait", refused: null });
    expect(row.head_seq).toBeGreaterThan(seq);
  }, PATIENCE);
}

/** Answers until the run has ended. Returns the waits whose answers the server acknowledged. */
export async function untilEnded(team: Team, run: string, patience = PATIENCE): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  while ((await untilRests(team, run, patience)) !== "ended") {
    const answered = await vi.waitFor(() => answer(team, run), patience);
    if (answered?.status === 200) acknowledged.push(answered.wait);
  }
  return acknowledged;
}

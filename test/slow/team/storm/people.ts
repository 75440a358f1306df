import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { vi } from "vitest";
import { shownDigest } from "../../../../src/app/answer/answer.ts";
import type { Team } from "../support/team.ts";
import { beginRun, look } from "../support/team-runs.ts";
import type { AcknowledgedAnswer } from "./check-storm.mjs";
import type { Draws } from "../../../support/draws.ts";
import { askAny, PEOPLE, type StormPlace, type StormRepository } from "./storm-place.ts";

export type RunLog = { readonly runs: string[]; readonly answers: AcknowledgedAnswer[] };

export type Living = {
  readonly place: StormPlace;
  readonly repository: StormRepository;
  readonly draws: Draws;
  readonly log: RunLog;
  readonly patience: { readonly timeout: number; readonly interval: number };
};

/** Begins a run and answers everything until it has ended. */
export async function liveRun(living: Living, title: string): Promise<void> {
  const { place, repository, log, patience } = living;
  const asAda = asPerson(place, "ada");
  const wanted = { title, repository: repository.name };
  const run = await vi.waitFor(() => beginRun(asAda, wanted), patience);
  log.runs.push(run);
  await continueRun(living, run);
}

/** Answers everything until the run has ended. Each answer is given by another person. */
export async function continueRun({ place, draws, log, patience }: Living, run: string): Promise<void> {
  const { team } = place;
  while ((await untilRested(team, run, patience)) !== "ended") {
    const person = draws.pick(PEOPLE);
    await delay(draws.below(500));
    const answered = await vi.waitFor(() => answerAs(place, run, person), patience);
    if (answered !== null) log.answers.push(answered);
  }
}

/** The team for the functions that ask a server as Ada. */
const asPerson = (place: StormPlace, person: string): Team => ({
  ...place.team,
  ask: (_token, ...request) => askAny(place, person, ...request),
});

const untilRested = ({ database }: Team, run: string, patience: Living["patience"]): Promise<string> =>
  vi.waitFor(async () => {
    const { rows } = await database.pool.query<{ rests: string }>("select rests from isdlc.run where run = $1", [run]);
    const rests = rows[0]?.rests ?? "action";
    if (rests === "action") throw new Error(`${run} is driven`);
    return rests;
  }, patience);

/** Answers what is open; the answer at the end is a merge. Null if nothing is open or the answer was rejected. */
async function answerAs(place: StormPlace, run: string, person: string): Promise<AcknowledgedAnswer | null> {
  const { state } = await look(asPerson(place, "ada"), run);
  if (state.is !== "active" || state.wait === null) return null;
  const { id: wait, kind } = state.wait;
  const option = kind === "finish" ? "merge" : kind === "escalation" ? "retry" : "continue";
  const body = { wait, shown: shownDigest(state), option };
  const { status } = await askAny(place, person, `/api/runs/${run}/answer`, body);
  return status === 200 ? { run, wait, kind, option, by: person } : null;
}

export type Pushing = Pick<Living, "place" | "repository" | "draws"> & { readonly signal: AbortSignal };

/** Pushes to main as people without isdlc do. Returns the commits that the remote accepted. */
export async function pushUntil({ place, repository, draws, signal }: Pushing): Promise<readonly string[]> {
  const { ada } = place.team;
  const clone = mkdtempSync(join(ada.base, "theirs-"));
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)("git", args, { cwd: clone, env: ada.env })).stdout.trim();
  const who = ["-c", "user.name=dora", "-c", "user.email=dora@example.org"];
  await git("clone", "--quiet", repository.remote, ".");
  const accepted: string[] = [];
  for (let number = 0; !signal.aborted; number++) {
    await git("fetch", "--quiet", "origin");
    await git("checkout", "--quiet", "--detach", "origin/main");
    writeFileSync(join(clone, `theirs-${number}.txt`), `${number}\n`);
    await git("add", ".");
    await git(...who, "commit", "--quiet", "--message", `Theirs ${number}`);
    try {
      await git("push", "--quiet", "origin", "HEAD:refs/heads/main");
      accepted.push(await git("rev-parse", "HEAD"));
    } catch {
      // rejected: a merge was first, or the host is read-only
    }
    await delay(draws.between(2000, 8000), null, { signal }).catch(() => undefined);
  }
  return accepted;
}

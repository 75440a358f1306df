import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import { shownDigest } from "../../../../src/app/answer/answer.ts";
import { startGitHost } from "../support/git-host.ts";
import { createLineProxy } from "../support/line-proxy.ts";
import { createOwnTeam } from "../support/own-team.ts";
import { hasPostgres } from "../support/team-database.ts";
import type { Team } from "../support/team.ts";
import { beginRun, look, untilRests } from "../support/team-runs.ts";
import { createWorkerFaults } from "../support/worker-faults.ts";
import { type AcknowledgedAnswer, checkStorm, type DecisionRow } from "./check-storm.mjs";

/** A large one: `npm run storm`. */
const FAULTS = Number(process.env["ISDLC_STORM_FAULTS"] ?? 4);
const RUNS = Number(process.env["ISDLC_STORM_RUNS"] ?? 3);
const WITHIN = Math.max(900_000, FAULTS * 30_000); // milliseconds
const STORM_PATIENCE = { timeout: WITHIN, interval: 250 };
const WORKERS = ["w1", "w2", "w3"];
const PUSH_PAUSE_MS = 4000;
const OUTAGE_MS = 4000;
/** 15 of 100, by the number of a reply. */
const isLost = (reply: number): boolean => (reply * 7) % 20 < 3;

describe.runIf(hasPostgres)("storm of faults, merges and pushes", { timeout: WITHIN }, () => {
  test(`loses, doubles and skips nothing with ${RUNS} runs and ${FAULTS} faults`, async () => {
    const own = await createOwnTeam();
    const { team } = own;
    const host = await startGitHost(team.remote);
    await team.administer("repository", "sample", host.url);
    team.ada.plan({
      always: { delay: 300 },
      turns: {
        implement: Array.from({ length: 8 }, (_, at) => ({ writes: { [`src/made-${at}.js`]: "made\n" }, delay: 800 })),
      },
    });
    const line = await createLineProxy(team.url);
    afterAll(() => line.close());
    const faults = await createWorkerFaults({ own, url: line.url, workers: WORKERS });
    line.loseReplies(isLost);

    const answers: AcknowledgedAnswer[] = [];
    const runs: string[] = [];
    const isOver = new AbortController();
    const pushing = pushUntil(team, isOver.signal);
    const failing = failHost(host, isOver.signal);
    const live = async (number: number): Promise<void> => {
      const run = await vi.waitFor(() => beginRun(team, { title: `storm ${number}` }), STORM_PATIENCE);
      runs.push(run);
      while ((await untilRests(team, run, STORM_PATIENCE)) !== "ended") {
        const answered = await vi.waitFor(() => answer(team, run), STORM_PATIENCE);
        if (answered !== null) answers.push(answered);
      }
    };
    const storm = faults.inflict(FAULTS).finally(() => isOver.abort());
    await Promise.all([storm, ...Array.from({ length: RUNS }, (_, number) => live(number))]);
    const pushes = await pushing;
    const outages = await failing;
    await faults.stop();

    const query = "select run, seq, line, sender_kind, sender from isdlc.decision order by run, seq";
    const { rows: decisions } = await team.database.pool.query<DecisionRow>(query);
    const evidence = { runs, decisions, answers, pushes, leftovers: findLeftovers(team) };
    expect(checkStorm(team.remote, evidence)).toEqual([]);
    const merged = decisions.filter((row) => /"type":"run.finished".*"merged":"/.test(row.line)).length;
    console.log(
      JSON.stringify({
        runs: runs.length,
        merged,
        pushes: pushes.length,
        outages,
        ...faults.inflicted,
        ...line.replies,
      }),
    );
    expect(merged).toBe(RUNS);
    expect(pushes.length).toBeGreaterThan(0);
    expect(outages).toBeGreaterThan(0);
  });
});

/** Answers what is open. At the end it asks for a merge. Null if nothing is open or the answer was rejected. */
async function answer(team: Team, run: string): Promise<AcknowledgedAnswer | null> {
  const { state } = await look(team, run);
  if (state.is !== "active" || state.wait === null) return null;
  const { id: wait, kind } = state.wait;
  const option = kind === "finish" ? "merge" : kind === "escalation" ? "retry" : "continue";
  const body = { wait, shown: shownDigest(state), option };
  const { status } = await team.ask(team.adas, `/api/runs/${run}/answer`, body);
  return status === 200 ? { run, wait, kind, option, by: "ada" } : null;
}

/** Pushes to main as a person does. Returns the commits that the remote accepted. */
async function pushUntil({ ada, remote }: Team, signal: AbortSignal): Promise<readonly string[]> {
  const clone = mkdtempSync(join(ada.base, "theirs-"));
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: clone,
      env: ada.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const who = ["-c", "user.name=bob", "-c", "user.email=bob@example.org"];
  git("clone", "--quiet", remote, ".");
  const accepted: string[] = [];
  for (let number = 0; !signal.aborted; number++) {
    git("fetch", "--quiet", "origin");
    git("checkout", "--quiet", "--detach", "origin/main");
    writeFileSync(join(clone, `theirs-${number}.txt`), `${number}\n`);
    git("add", ".");
    git(...who, "commit", "--quiet", "--message", `Theirs ${number}`);
    try {
      git("push", "--quiet", "origin", "HEAD:refs/heads/main");
      accepted.push(git("rev-parse", "HEAD"));
    } catch {
      // rejected: a merge was first, or the host is read-only
    }
    await delay(PUSH_PAUSE_MS, null, { signal }).catch(() => undefined);
  }
  return accepted;
}

/** Cuts the git host off and makes it read-only in turn. Returns the number of outages. */
async function failHost(host: Awaited<ReturnType<typeof startGitHost>>, signal: AbortSignal): Promise<number> {
  let outages = 0;
  while (!signal.aborted) {
    await delay(3 * OUTAGE_MS, null, { signal }).catch(() => undefined);
    if (outages++ % 2 === 0) host.cut();
    else host.setReadOnly(true);
    await delay(OUTAGE_MS);
    host.restore();
    host.setReadOnly(false);
  }
  return outages;
}

function findLeftovers({ ada }: Team): readonly string[] {
  const agents = ada.log().filter(({ pid }) => isAgent(pid));
  const data = join(ada.base, "workers");
  const trees = readdirSync(data).flatMap((worker) => {
    const folder = join(data, worker, "trees");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.filter((name) => name !== "spare").map((name) => join(folder, name)); // spare trees are kept on purpose
  });
  return [...agents.map(({ pid }) => `agent ${pid}`), ...trees];
}

/** Checks the command line, because the system reuses process ids. */
const isAgent = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("by-plan.mjs");

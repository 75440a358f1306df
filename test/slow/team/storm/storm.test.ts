import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasPostgres } from "../support/team-database.ts";
import { LEASE_SECONDS } from "../support/team.ts";
import {
  type AcknowledgedAnswer,
  checkFaults,
  checkStorm,
  checkTakeovers,
  type DecisionRow,
  takeoverP99,
} from "./check-storm.mjs";
import { createDraws } from "../../../support/draws.ts";
import { type FaultCounts, type FaultPace, type FaultPlan, inflictFaults } from "./faults.ts";
import { watchTakeovers } from "./leases.ts";
import { findLeftovers } from "./leftovers.ts";
import { continueRun, liveRun, type Living, pushUntil } from "./people.ts";
import { createStormPlace, DRIVES, type StormPlace, type StormRepository } from "./storm-place.ts";

/** The large storm: `npm run storm`. */
const IS_LARGE = process.env["ISDLC_STORM"] === "large";
const SEED = Number(process.env["ISDLC_STORM_SEED"] ?? (IS_LARGE ? Date.now() % 1_000_000 : 1));
const RUNS = Number(process.env["ISDLC_STORM_RUNS"] ?? (IS_LARGE ? 60 : 4));
/** Of these, new runs follow ended ones until all faults are inflicted. */
const FOLLOWED = 6;

const SMALL_COUNTS: FaultCounts = {
  kill: 3,
  sleep: 1,
  serverKill: 1,
  diskFull: 1,
  clock: 1,
  cutReply: 2,
  doubledReply: 2,
  database: 1,
  unreachable: 1,
  readOnly: 1,
};
const LARGE_COUNTS: FaultCounts = {
  kill: 70,
  sleep: 40,
  serverKill: 14,
  diskFull: 12,
  clock: 14,
  cutReply: 16,
  doubledReply: 14,
  database: 10,
  unreachable: 10,
  readOnly: 10,
};
const AWAY = IS_LARGE
  ? { databaseAwayMs: 30_000, hostAwayMs: 60_000, betweenOutagesMs: 40_000 }
  : { databaseAwayMs: 3000, hostAwayMs: 4000, betweenOutagesMs: 2000 };
const WITHIN = IS_LARGE ? 2 * 3_600_000 : 600_000; // milliseconds
const PATIENCE = { timeout: WITHIN, interval: 250 };
const PACE: FaultPace = IS_LARGE
  ? { decisions: 4, maxWaitMs: 6000, maxPauseMs: 1000 }
  : { decisions: 2, maxWaitMs: 2000, maxPauseMs: 300 };
const COUNTS = IS_LARGE ? LARGE_COUNTS : SMALL_COUNTS;
const PLAN: FaultPlan = { seed: SEED, counts: COUNTS, ...AWAY, pace: PACE, patience: PATIENCE };
const MAX_TAKEOVER_MS = (LEASE_SECONDS + 5) * 1000;
const MEASURED_TAKEOVERS = 100;

type StormLog = { readonly runs: string[]; readonly answers: AcknowledgedAnswer[] };

describe.runIf(hasPostgres)("storm of faults, merges and pushes", { timeout: WITHIN }, () => {
  test(`loses, doubles and skips nothing with ${RUNS} runs and seed ${SEED}`, async () => {
    console.log(`storm with seed ${SEED}: repeat it with ISDLC_STORM_SEED=${SEED}`);
    const place = await createStormPlace();
    planAgents(place);
    const watch = watchTakeovers(place, DRIVES);
    const isOver = new AbortController();
    const draws = createDraws(SEED);
    const { repositories } = place;
    const pushing = repositories.map((repository) =>
      pushUntil({ place, repository, draws: draws.fork(`pushes ${repository.name}`), signal: isOver.signal }),
    );
    const log: StormLog = { runs: [], answers: [] };
    const living = (repository: StormRepository, part: string): Living => ({
      place,
      repository,
      draws: draws.fork(part),
      log,
      patience: PATIENCE,
    });
    const live = async (number: number): Promise<void> => {
      const repository = repositories[number % repositories.length]!;
      await liveRun(living(repository, `run ${number}`), `storm ${number}`);
      if (number < FOLLOWED && !isOver.signal.aborted) await live(number);
    };
    const storm = inflictFaults(place, PLAN, watch).finally(() => isOver.abort());
    const [inflicted] = await Promise.all([storm, ...Array.from({ length: RUNS }, (_, number) => live(number))]);
    const pushes = await Promise.all(pushing);
    await continueUnknown(living(repositories[0]!, "unknown"));
    await watch.stop();
    await place.stop();

    const problems = await checkPlace(place, log, pushes);
    const wanted = Object.fromEntries(Object.entries(PLAN.counts));
    const { took } = watch;
    problems.push(...checkFaults({ wanted, hits: inflicted.hits }));
    if (IS_LARGE) problems.push(...checkTakeovers({ took, most: MAX_TAKEOVER_MS, atLeast: MEASURED_TAKEOVERS }));
    console.log(
      JSON.stringify({
        seed: SEED,
        runs: log.runs.length,
        pushes: pushes.flat().length,
        answers: log.answers.length,
        ...inflicted.hits,
        fullDisksSeen: inflicted.seen.fullDisks,
        fenced: place.said().split('"end":"fenced"').length - 1,
        takeovers: took.length,
        takeoverP99Ms: Math.round(takeoverP99(took)),
      }),
    );
    if (problems.length > 0) keepOutput(place);
    expect(problems).toEqual([]);
    expect(pushes.every((commits) => commits.length > 0)).toBe(true);
  });
});

function planAgents({ team }: StormPlace): void {
  const turn = (at: number) => ({ writes: { [`src/made-${at}.js`]: "made\n" }, delay: 800 });
  team.ada.plan({
    always: { delay: 300 },
    turns: { implement: Array.from({ length: 200 }, (_, at) => turn(at)) },
  });
}

/** The reply to the request that began a run may have been lost with its server: the run exists all the same. */
async function continueUnknown(living: Living): Promise<void> {
  const { pool } = living.place.team.database;
  const { rows } = await pool.query<{ run: string }>("select run from isdlc.run where rests <> 'ended'");
  for (const { run } of rows) await continueRun(living, run);
}

/** Checks each repository with the independent checker. */
async function checkPlace(place: StormPlace, log: StormLog, pushes: readonly (readonly string[])[]): Promise<string[]> {
  const leftovers = await vi.waitFor(() => findLeftovers(place), PATIENCE);
  const problems: string[] = leftovers.map((what) => `left behind: ${what}`);
  for (const [at, { name, remote }] of place.repositories.entries()) {
    const query = `select run, seq, line, sender_kind, sender from isdlc.decision join isdlc.run using (run)
      where repository = $1 order by run, seq`;
    const { rows: decisions } = await place.team.database.pool.query<DecisionRow>(query, [name]);
    const { rows: all } = await place.team.database.pool.query<{ run: string }>(
      "select run from isdlc.run where repository = $1",
      [name],
    );
    const runs = all.map(({ run }) => run);
    const answers = log.answers.filter(({ run }) => runs.includes(run));
    problems.push(...checkStorm(remote, { runs, decisions, answers, pushes: pushes[at] ?? [], leftovers: [] }));
  }
  const { rows: known } = await place.team.database.pool.query<{ run: string }>("select run from isdlc.run");
  const missing = log.runs.filter((run) => !known.some((row) => row.run === run));
  return [...problems, ...missing.map((run) => `lost: the run ${run}`)];
}

function keepOutput(place: StormPlace): void {
  const file = join(tmpdir(), `isdlc-storm-${SEED}.log`);
  writeFileSync(file, place.said());
  console.log(`output of all processes: ${file}`);
}

import * as z from "zod/mini";
import type { Report } from "../../../src/core/command.ts";
import { decideReport } from "../../../src/core/decide/report.ts";
import { isLastPhase } from "../../../src/core/changes/last-reviewed-tree.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import { CheckResult } from "../../../src/schema/facts.ts";
import { FencedError } from "../journal-postgres/submit-decision.ts";
import { GENERATION } from "./drive-queue.ts";
import type { TeamServer } from "./team-server.ts";

const FirstCheck = z.object({
  /** Last event of the run at the time of the checks. */
  seq: z.int(),
  worker: z.string(),
  results: z.array(CheckResult),
  testsChanged: z.nullable(z.string()),
});
type FirstCheck = z.infer<typeof FirstCheck>;

/** A report of a worker that drives the run in this epoch. */
export type HeldReport = { readonly report: Report; readonly worker: string; readonly epoch: number };

/**
 * If the repository asks for it, a second worker repeats the passed checks of the last phase. The first report is stored
 * and the run returns to the queue, for another worker. The report of that worker then gets both results. @throws
 * FencedError for the first report
 */
export async function withSecondCheck(pool: TeamServer["pool"], run: ActiveRun, held: HeldReport): Promise<Report> {
  const { report, worker } = held;
  const { outcome } = report;
  if (outcome.of !== "check" || "failed" in outcome || !isLastPhase(run) || !isPassed(run, report)) return report;
  const row = await readCheckPolicy(pool, run, held);
  if (!row.recheck) return report;
  const { results, testsChanged } = outcome;
  const { data: known } = FirstCheck.safeParse(row.first_check);
  if (known === undefined || known.seq !== run.seq || known.worker === worker) {
    await releaseToOther(pool, held, { run, first: { seq: run.seq, worker, results: [...results], testsChanged } });
    throw new FencedError(`Another worker repeats the checks of run ${run.run.run}.`);
  }
  const twice = {
    results: combineResults(known, { worker, results }),
    testsChanged: testsChanged ?? known.testsChanged,
    checkedBy: [known.worker, worker],
  };
  return { ...report, outcome: { ...outcome, ...twice } };
}

function isPassed(run: ActiveRun, report: Report): boolean {
  const decision = decideReport(run, report);
  return decision.ok && decision.events.some(({ type }) => type === "checks.passed");
}

type CheckPolicy = { readonly recheck: boolean; readonly first_check: unknown };

/** @throws FencedError if another worker drives the run */
async function readCheckPolicy(
  pool: TeamServer["pool"],
  { run, seq }: ActiveRun,
  { worker, epoch }: HeldReport,
): Promise<CheckPolicy> {
  const { rows } = await pool.query<CheckPolicy>(
    `select p.recheck, r.first_check from isdlc.run r join isdlc.repository p on p.name = r.repository
     where r.run = $1 and r.worker = $2 and r.epoch = $3 and r.head_seq = $4`,
    [run.run, worker, epoch, seq],
  );
  if (rows[0] === undefined) throw new FencedError(`${worker} does not drive run ${run.run} any more.`);
  return rows[0];
}

type FirstReport = { readonly run: ActiveRun; readonly first: FirstCheck };

/** Queues the run for every worker except this one. */
async function releaseToOther(
  pool: TeamServer["pool"],
  { worker, epoch }: HeldReport,
  { run, first }: FirstReport,
): Promise<void> {
  await pool.query(
    `update isdlc.run set first_check = $5, worker = null, instance = null, claim = null, epoch = epoch + 1,
       asked_at = now(), due_at = now(), asked_generation = ${GENERATION}
     where run = $1 and worker = $2 and epoch = $3 and head_seq = $4`,
    [run.run.run, worker, epoch, first.seq, JSON.stringify(first)],
  );
}

export type WorkerResults = { readonly worker: string; readonly results: readonly CheckResult[] };

/** A check fails if the workers do not report the same result. */
export function combineResults(first: WorkerResults, second: WorkerResults): CheckResult[] {
  const names = [...new Set([...second.results, ...first.results].map(({ name }) => name))];
  return names.flatMap((name) => {
    const one = first.results.find((result) => result.name === name);
    const other = second.results.find((result) => result.name === name);
    const result = other ?? one;
    if (result === undefined || one?.ok === other?.ok) return result ?? [];
    const said = `${first.worker}: ${describeResult(one)}; ${second.worker}: ${describeResult(other)}`;
    return { name, ok: false, detail: `Two workers report different results. ${said}.\n${result.detail}`.trim() };
  });
}

function describeResult(result: CheckResult | undefined): string {
  if (result === undefined) return "not reported";
  if (result.ok === null) return "not run";
  return result.ok ? "passed" : "failed";
}

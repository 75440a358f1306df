import type { Pool } from "pg";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import { findSignatures } from "../../../src/core/attestation/find-signatures.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import { verifySignatures } from "../../../src/adapters/identity/verify-signatures.ts";
import { emptyCursor, fold } from "../../../src/adapters/journal/fold.ts";
import { joinLines, linesAfter, sourceOfLines } from "../journal-postgres/read-run.ts";
import type { Seal } from "../../../src/ports/journal.ts";

export type RunsVerification = {
  readonly runs: number;
  readonly decisions: number;
  readonly problems: readonly string[];
};

const RUNS_AT_ONCE = 200;

/**
 * Verifies every run's journal from the beginning: hashes, seals, numbers, passkey signatures, and the head stored in
 * the run's row.
 */
export async function verifyRuns(pool: Pool, seal: Seal): Promise<RunsVerification> {
  let [runs, decisions, after] = [0, 0, "0"];
  const problems: string[] = [];
  for (;;) {
    const { rows } = await pool.query<{ run: string; place: string }>(
      "select run, number::text as place from isdlc.run where number > $1 order by number limit $2",
      [after, RUNS_AT_ONCE],
    );
    if (rows.length === 0) return { runs, decisions, problems };
    for (const { run, place } of rows) {
      after = place;
      const verdict = await verifyRun(pool, seal, run);
      decisions += verdict.decisions;
      runs++;
      if (verdict.problem !== null) problems.push(`${run}: ${verdict.problem}`);
    }
  }
}

async function verifyRun(pool: Pool, seal: Seal, run: string): Promise<{ decisions: number; problem: string | null }> {
  const { head, ...read } = await linesAfter(pool, run, 0);
  const decisions = read.lines.length;
  if (head === null || head.seq === 0) return { decisions, problem: null };
  try {
    const events: RunEvent[] = [];
    const onEvents = (more: readonly RunEvent[]): void => void events.push(...more);
    fold(emptyCursor(run), joinLines(read), { ...sourceOfLines({ seal }, run, read), witnesses: [head], onEvents });
    const [wrong] = await verifySignatures(findSignatures(events, []));
    return { decisions, problem: wrong === undefined ? null : `event ${wrong.seq}: ${wrong.detail}` };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { decisions, problem: `${error.problem.code}: ${describe(error.problem).what}` };
  }
}

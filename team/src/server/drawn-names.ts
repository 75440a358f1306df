import type { Pool } from "pg";
import type { RunId } from "../../../src/schema/ids.ts";
import { FencedError } from "../journal-postgres/submit-decision.ts";

type Holder = { readonly run: RunId; readonly worker: string; readonly epoch: number };

/**
 * A name for a run that is about to begin: false where another run of its repository has it. A name is drawn once, also
 * where what had it is gone; a run that is begun again gets the same ones.
 * @throws FencedError when the worker does not hold the run any more.
 */
export async function drawName(pool: Pool, { run, worker, epoch }: Holder, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ run: RunId | null }>(
    `with held as (select run, repository from isdlc.run where run = $1 and worker = $2 and epoch = $3),
     drawn as (
       insert into isdlc.drawn_name as d (repository, name, run) select repository, $4, run from held
       on conflict (repository, name) do update set run = d.run where d.run = excluded.run returning run)
     select (select run from drawn) as run from held`,
    [run, worker, epoch, name],
  );
  const [held] = rows;
  if (held === undefined) throw new FencedError(`${worker} does not drive run ${run} any more.`);
  return held.run !== null;
}

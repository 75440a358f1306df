import type { Pool } from "pg";
import type { RunId } from "../../../src/schema/ids.ts";
import { FencedError } from "../journal-postgres/submit-decision.ts";

type Holder = { readonly run: RunId; readonly worker: string; readonly epoch: number };

/**
 * Reserves a name for a run about to start. Returns false if another run of the repository has it. Reserved names are
 * never reused, even after their branch or folder is deleted; a restarted run gets the same ones. @throws FencedError
 * if the worker no longer holds the run
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

import type { Pool } from "pg";
import type { Principal } from "./principals.ts";

/** Repositories that a worker's token may drive and read. Null: no limit. */
export type WorkerScope = {
  readonly repositories: readonly string[] | null;
  /** Labels of repositories. */
  readonly labels: readonly string[] | null;
};

/** SQL condition: the worker `p` may drive and read the repository `y`. */
export const IN_SCOPE =
  "(p.repositories is null or y.name = any(p.repositories)) and (p.labels is null or y.label = any(p.labels))";

export async function setWorkerScope(pool: Pool, worker: string, { repositories, labels }: WorkerScope): Promise<void> {
  const text = "update isdlc.principal set repositories = $2, labels = $3 where id = $1 and kind = 'worker'";
  await pool.query(text, [worker, repositories, labels]);
}

/** Returns true if a worker may read the runs of a repository. */
export async function isInScope(pool: Pool, { id }: Principal, repository: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "isdlc-worker-scope",
    text: `select 1 from isdlc.principal p cross join isdlc.repository y where p.id = $1 and y.name = $2 and ${IN_SCOPE}`,
    values: [id, repository],
  });
  return rowCount === 1;
}

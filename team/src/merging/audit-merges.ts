import type { Pool } from "pg";
import { must } from "../../../src/adapters/git/process/git.ts";
import { isObjectId } from "../../../src/adapters/git/process/ref-name.ts";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { RepositoryCopies, RepositoryCopy } from "../copies/repository-copies.ts";
import { mergedRef } from "./merge-onto-base.ts";

/** A recorded merge that is not reachable from its base at the remote, and not acknowledged by an operator. */
export type MissingMerge = {
  readonly run: RunId;
  readonly repository: string;
  readonly base: string;
  readonly commit: string;
  /** Command that adds the merge to the base again. */
  readonly restore: string;
};

/** A remote that could not be read. Its merges keep their last result. */
export type UnreadRemote = { readonly repository: string; readonly detail: string };

export type MergeAudit = {
  readonly checked: number;
  readonly missing: readonly MissingMerge[];
  readonly unread: readonly UnreadRemote[];
};

export type AuditContext = { readonly pool: Pool; readonly copies: RepositoryCopies };

type MergeRow = {
  readonly run: RunId;
  readonly commit: string;
  readonly base: string;
  readonly repository: string;
  readonly remote: string;
};

const RECORDED = `select m.run, m.commit, m.base, y.name as repository, y.remote
  from isdlc.merge m join isdlc.run r using (run) join isdlc.repository y on y.name = r.repository
  where m.recorded_at is not null and m.acknowledged_at is null order by m.noted_at`;

/** Compares all recorded, unacknowledged merges with the remote and stores the results. */
export async function auditMerges({ pool, copies }: AuditContext): Promise<MergeAudit> {
  const { rows } = await pool.query<MergeRow>(RECORDED);
  const missing: MissingMerge[] = [];
  const unread: UnreadRemote[] = [];
  for (const merges of groupByBase(rows)) {
    const [{ repository, remote, base }] = merges;
    try {
      const lost = await findMissing(await copies.open(remote), base, merges);
      await storeResults(pool, merges, lost);
      missing.push(...merges.filter(({ commit }) => lost.has(commit)).map(toMissing));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { what } = describe(error.problem);
      unread.push({ repository, detail: what });
    }
  }
  return { checked: rows.length, missing, unread };
}

type Merges = readonly [MergeRow, ...(readonly MergeRow[])];

function groupByBase(rows: readonly MergeRow[]): readonly Merges[] {
  const groups = new Map<string, [MergeRow, ...MergeRow[]]>();
  for (const row of rows) {
    const key = `${row.repository} ${row.base}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** Returns commits not reachable from the base. If the base is missing, all of them. */
async function findMissing(copy: RepositoryCopy, base: string, merges: Merges): Promise<ReadonlySet<string>> {
  const ref = `refs/heads/${base}`;
  const tip = (await copy.fetch([ref])).get(ref);
  const commits = merges.map(({ commit }) => commit);
  if (tip === undefined) return new Set(commits);
  const known = commits.filter(isObjectId);
  // The fetch brought everything reachable from the base: commits missing in the copy are not reachable.
  const present = await presentAmong(copy, known);
  const input = Buffer.from([...present, `^${tip}`].map((line) => `${line}\n`).join(""));
  const listed = await must(copy.git(["rev-list", "--stdin"], { input }), "rev-list");
  const unreachable = new Set(listed.toString("latin1").split("\n"));
  return new Set(commits.filter((commit) => !present.has(commit) || unreachable.has(commit)));
}

async function presentAmong({ git }: RepositoryCopy, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const input = Buffer.from(commits.map((commit) => `${commit}\n`).join(""));
  const listed = await must(git(["cat-file", "--batch-check"], { input }), "cat-file");
  const lines = listed.toString("latin1").split("\n");
  return new Set(lines.flatMap((line) => (/^[0-9a-f]+ commit /.test(line) ? [line.split(" ")[0] ?? ""] : [])));
}

async function storeResults(pool: Pool, merges: Merges, lost: ReadonlySet<string>): Promise<void> {
  await pool.query(
    `update isdlc.merge m set checked_at = now(),
       missing_since = case when found.is_lost then coalesce(m.missing_since, now()) end
     from unnest($1::text[], $2::text[], $3::boolean[]) as found (run, commit, is_lost)
     where m.run = found.run and m.commit = found.commit`,
    [merges.map(({ run }) => run), merges.map(({ commit }) => commit), merges.map(({ commit }) => lost.has(commit))],
  );
}

const toMissing = ({ run, repository, base, commit }: MergeRow): MissingMerge => ({
  run,
  repository,
  base,
  commit,
  restore: `git fetch origin ${base} ${mergedRef(run)} && git switch --detach origin/${base} && git merge ${commit} && git push origin HEAD:${base}`,
});

/** Acknowledges the missing merges of a run, which ends their reports. Returns false if it has none. */
export async function acknowledgeMerges(pool: Pool, run: string, why: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update isdlc.merge set acknowledged_at = now(), acknowledged_why = $2
     where run = $1 and missing_since is not null and acknowledged_at is null`,
    [run, why],
  );
  return (rowCount ?? 0) > 0;
}

import type { Pool } from "pg";
import { MIGRATION_COUNT } from "../journal-postgres/migrate-database.ts";
import type { RepositoryCopies } from "../copies/repository-copies.ts";
import { auditMerges } from "../merging/audit-merges.ts";
import { IN_SCOPE } from "../people/worker-scope.ts";
import { GENERATION } from "../server/drive-queue.ts";
import type { Seal } from "../../../src/ports/journal.ts";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import { findSignatures } from "../../../src/core/attestation/find-signatures.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import { verifySignatures } from "../../../src/adapters/identity/verify-signatures.ts";
import { emptyCursor, fold } from "../../../src/adapters/journal/fold.ts";
import { joinLines, linesAfter, sourceOfLines } from "../journal-postgres/read-run.ts";

export type ServerFinding = { readonly what: string; readonly isFine: boolean; readonly detail: string };

/** Silence longer than any sensible lease. */
const SILENT = 120; // seconds
/** Waiting time that is too long for any queue. */
const UNTAKEN = 600; // seconds

export type Examination = { readonly pool: Pool; readonly seal: Seal; readonly copies: RepositoryCopies };

/** Checks the database, the signatures and the recorded merges. Changes only the stored results of the merge check. */
export async function examineServer({ pool, seal, copies }: Examination): Promise<readonly ServerFinding[]> {
  const database = await databaseFinding(pool);
  if (!database.isFine) return [database];
  return [
    database,
    await journalFinding(pool, seal),
    await mergeFinding(pool, copies),
    await credentialFinding(pool),
    await workerFinding(pool),
    await waitingFinding(pool),
    await hostFinding(pool),
    await keptFinding(pool),
    await broughtFinding(pool),
    await notificationFinding(pool),
  ];
}

async function databaseFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ version: string; hasOurs: boolean }>(
    `select current_setting('server_version') as version,
       to_regclass('public.isdlc_migration') is not null as "hasOurs"`,
  );
  const { version = "?", hasOurs = false } = rows[0] ?? {};
  const migrated = hasOurs ? await migrationsIn(pool) : 0;
  const told = (isFine: boolean, detail: string): ServerFinding => ({ what: "database", isFine, detail });
  if (migrated > MIGRATION_COUNT)
    return told(false, `its tables are of a later version of isdlc (${migrated}, known here: ${MIGRATION_COUNT})`);
  if (migrated < MIGRATION_COUNT)
    return told(
      false,
      `its tables are of an earlier version of isdlc (${migrated} of ${MIGRATION_COUNT}): isdlc server migrate`,
    );
  return told(true, `PostgreSQL ${version}, ${migrated} migrations`);
}

async function migrationsIn(pool: Pool): Promise<number> {
  const text = "select count(*)::int as migrated from public.isdlc_migration";
  return (await pool.query<{ migrated: number }>(text)).rows[0]?.migrated ?? 0;
}

async function journalFinding(pool: Pool, seal: Seal): Promise<ServerFinding> {
  const { runs, decisions, problems } = await verifyRuns(pool, seal);
  const detail = problems.length === 0 ? `${runs} runs with ${decisions} decisions hold` : problems.join("; ");
  return { what: "journals", isFine: problems.length === 0, detail };
}

async function mergeFinding(pool: Pool, copies: RepositoryCopies): Promise<ServerFinding> {
  const { checked, missing, unread } = await auditMerges({ pool, copies });
  const lost = missing.map(
    ({ run, base, commit, restore }) =>
      `the merge ${commit} of run ${run} is missing from ${base}: restore it with "${restore}", or accept the loss with "isdlc server acknowledge-merge ${run} <reason>"`,
  );
  const unchecked = unread.map(({ repository, detail }) => `${repository} could not be checked: ${detail}`);
  const detail = [`${checked} recorded merges checked`, ...lost, ...unchecked].join("; ");
  return { what: "merges", isFine: lost.length === 0 && unchecked.length === 0, detail };
}

/** The server has no access to branch protection of a git host: the operator states it. */
async function credentialFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ name: string }>(
    "select name from isdlc.repository where not workers_restricted order by name",
  );
  const names = rows.map(({ name }) => name).join(", ");
  const fix =
    "restrict their credentials at the git host, then state it with isdlc server repository … --workers restricted";
  const detail =
    rows.length === 0 ? "workers cannot write to the base" : `any worker can write to main in ${names}: ${fix}`;
  return { what: "worker credentials", isFine: true, detail };
}

async function workerFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<WorkerRow>(
    `select id, trouble, trouble_since as "since", extract(epoch from now() - beat_at)::int as silent, generation,
       (select count(*)::int from isdlc.run r
        where r.worker = w.id and r.instance = w.instance and r.rests = 'action') as holds
     from isdlc.worker w order by id`,
  );
  const { rows: unknown } = await pool.query<{ run: string; worker: string }>(
    `select run, worker from isdlc.run r where rests = 'action' and worker is not null
       and not exists (select 1 from isdlc.worker w where w.id = r.worker and w.instance = r.instance) order by run`,
  );
  const { rows: unscoped } = await pool.query<{ run: string; worker: string }>(
    `select r.run, r.worker from isdlc.run r join isdlc.principal p on p.id = r.worker
       join isdlc.repository y on y.name = r.repository
     where r.rests = 'action' and (${IN_SCOPE}) is not true order by r.run`,
  );
  const lost = rows.filter(({ silent, holds }) => silent > SILENT && holds > 0);
  const alive = rows.filter(({ silent }) => silent <= SILENT);
  const other = alive.filter(({ generation }) => generation !== GENERATION);
  const faulty = alive.filter(({ trouble }) => trouble !== null);
  const detail = [
    `${alive.length} of ${rows.length} processes reported in the last ${SILENT} seconds`,
    ...sharedTokens(alive),
    ...faulty.map(({ id, trouble, since }) => `${id} takes no runs since ${since?.toISOString() ?? "?"}: ${trouble}`),
    ...unknown.map(({ run, worker }) => `run ${run} is held by an unknown process of ${worker}: is a server running?`),
    ...unscoped.map(({ run, worker }) => `run ${run} is held by ${worker}, whose token is not for its repository`),
    ...lost.map(({ id, silent, holds }) => `${id} is silent for ${silent} s and holds ${holds}: is a server running?`),
    ...other.map(({ id, generation }) => `${id} is of generation ${generation}, the server of ${GENERATION}`),
  ];
  return {
    what: "workers",
    isFine: [...lost, ...unknown, ...unscoped, ...faulty].length === 0,
    detail: detail.join("; "),
  };
}

type WorkerRow = {
  readonly id: string;
  readonly trouble: string | null;
  readonly since: Date | null;
  readonly silent: number;
  readonly generation: number;
  readonly holds: number;
};

/** Reports tokens used by several processes. */
function sharedTokens(alive: readonly { readonly id: string }[]): readonly string[] {
  const ids = alive.map(({ id }) => id);
  return [...new Set(ids)].flatMap((id) => {
    const processes = ids.filter((other) => other === id).length;
    return processes > 1 ? [`${processes} processes use the token of ${id}`] : [];
  });
}

async function waitingFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ run: string; label: string | null; checker: string | null }>(
    `select run, (select label from isdlc.repository where name = r.repository) as label,
       case when (first_check->>'seq')::int = head_seq then first_check->>'worker' end as checker from isdlc.run r
     where rests = 'action' and worker is null and asked_at < now() - make_interval(secs => $1) order by number`,
    [UNTAKEN],
  );
  const named = rows.map(({ run, label, checker }) => {
    const needs = [
      ...(label === null ? [] : [`a worker with --labels ${label}`]),
      ...(checker === null ? [] : [`another worker than ${checker}, to repeat its checks`]),
    ];
    return needs.length === 0 ? run : `${run} (needs ${needs.join(" and ")})`;
  });
  const detail =
    rows.length === 0 ? "no run waits for a worker for long" : `these wait for a worker: ${named.join(", ")}`;
  return { what: "queue", isFine: rows.length === 0, detail };
}

async function hostFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ run: string; since: Date; detail: string }>(
    `select run, host_since as since, host_detail as detail from isdlc.run
     where rests = 'action' and host_since is not null order by host_since`,
  );
  const named = rows.map(
    ({ run, since, detail }) => `${run} has been waiting since ${since.toISOString()} (${detail})`,
  );
  const detail = rows.length === 0 ? "no run waits for the git host" : named.join("; ");
  return { what: "git host", isFine: rows.length === 0, detail };
}

/** Always passes: an unreachable address of a user is reported, but not the fault of the server. */
async function notificationFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ waiting: number; givenUp: readonly string[] }>(
    `select count(*) filter (where due_at is not null)::int as waiting,
       coalesce(array_agg(distinct person || ' by ' || channel)
         filter (where outcome = 'given-up' and settled_at > now() - interval '1 day'), '{}') as "givenUp"
     from isdlc.notification`,
  );
  const { waiting = 0, givenUp = [] } = rows[0] ?? {};
  const detail = [
    `${waiting} are still to be sent`,
    ...(givenUp.length === 0 ? [] : [`since yesterday some were given up: ${givenUp.join(", ")}`]),
  ];
  return { what: "notifications", isFine: true, detail: detail.join("; ") };
}

async function keptFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ ref: string }>(
    "select ref from isdlc.kept_work k join isdlc.run r using (run) where r.rests <> 'ended' order by k.at",
  );
  const detail =
    rows.length === 0 ? "none" : `${rows.map(({ ref }) => ref).join(", ")} (does not count; git fetch origin <ref>)`;
  return { what: "work of lost workers", isFine: true, detail };
}

/** Lists open runs with decisions from users' machines, which no server checked. */
async function broughtFinding(pool: Pool): Promise<ServerFinding> {
  const { rows } = await pool.query<{ run: string; people: readonly string[]; decisions: number }>(
    `select run, array_agg(distinct d.sender order by d.sender) as people, count(*)::int as decisions
     from isdlc.decision d join isdlc.run r using (run)
     where d.countermark is not null and r.rests <> 'ended' group by run order by run`,
  );
  const named = rows.map(
    ({ run, people, decisions }) => `${run} by ${people.join(", ")} (${decisions} unverified decisions)`,
  );
  return { what: "brought runs", isFine: true, detail: named.length === 0 ? "none" : named.join("; ") };
}

type RunsVerification = {
  readonly runs: number;
  readonly decisions: number;
  readonly problems: readonly string[];
};

const RUNS_AT_ONCE = 200;

/**
 * Verifies every run's journal from the beginning: hashes, seals, numbers, passkey signatures, and the head stored in
 * the run's row.
 */
async function verifyRuns(pool: Pool, seal: Seal): Promise<RunsVerification> {
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

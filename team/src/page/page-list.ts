import type { Pool } from "pg";
import { phaseDisplayName } from "../../../src/core/phase-names.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { type RunList, type RunRow, type TreeLocation, WaitKind } from "../../../src/schema/api.ts";

export type PageListQuery = { readonly person: string; readonly before: string | null; readonly search: string };

/** Ended runs per response, and maximum number of open runs. */
const PAGE = 60;
const MAX_OPEN = 1000;

type ListedRun = {
  readonly run: string;
  readonly repository: string;
  readonly title: string;
  readonly workflow: string | null;
  readonly rests: "action" | "wait" | "ended";
  readonly wait_id: string | null;
  readonly wait_kind: string | null;
  readonly phase: string | null;
  readonly refused: string | null;
  readonly opened_at: Date;
  readonly moved_at: Date | null;
  readonly is_cancelled: boolean;
  readonly moved_to: string | null;
  readonly moved_by: string | null;
};

/**
 * Lists runs visible to a user: waiting runs first, longest wait first, then running ones, then ended ones, newest
 * first.
 */
export async function listForPage(pool: Pool, wanted: PageListQuery): Promise<RunList> {
  const { person, before, search } = wanted;
  const open = before === null ? (await pool.query<ListedRun>(OPEN, [person, MAX_OPEN])).rows : [];
  const { rows: ended } = await pool.query<ListedRun>(ENDED, [person, PAGE + 1, before, toLikePattern(search)]);
  const { rows: counted } = await pool.query<{ ended: number }>(COUNT_ENDED, [person]);
  const waiting = open.filter(({ rests }) => rests === "wait");
  const running = open.filter(({ rests }) => rests === "action");
  const found = [...waiting, ...running].map(toRow).filter((row) => fits(row, search));
  const shown = ended.slice(0, PAGE);
  return visibleView({
    runs: [...found, ...shown.map(toRow)],
    next: ended.length > PAGE ? (shown.at(-1)?.run ?? null) : null,
    counts: { waiting: waiting.length, running: running.length, ended: counted[0]?.ended ?? 0 },
    problems: [],
  });
}

export const repositoryPlace = (repository: string): TreeLocation => ({
  tree: repository,
  path: repository,
  item: null,
  isHere: false,
});

/** Returns a list row, or null if the run is unknown or not visible to the user. */
export async function listedRun(pool: Pool, person: string, run: RunId): Promise<RunRow | null> {
  const [found] = (await pool.query<ListedRun>(`select ${COLUMNS} where r.run = $2`, [person, run])).rows;
  return found === undefined ? null : toRow(found);
}

/** Uses only the run's row: thousands of runs are listed without reading a journal. */
function toRow(listed: ListedRun): RunRow {
  const { run, title, workflow, phase, rests } = listed;
  const movedAt = (listed.moved_at ?? listed.opened_at).toISOString();
  const kind = WaitKind.safeParse(listed.wait_kind);
  return {
    id: run,
    workflow: workflow ?? "",
    title,
    item: "",
    place: repositoryPlace(listed.repository),
    status: rests === "wait" ? "waiting" : rests === "action" ? "running" : endStatus(listed),
    branch: null,
    phase: phase === null ? null : { key: phase, name: phaseDisplayName(phase) },
    progress: { done: 0, total: 0 },
    startedAt: listed.opened_at.toISOString(),
    endedAt: rests === "ended" ? movedAt : null,
    wait:
      rests === "wait" && kind.success
        ? { id: listed.wait_id ?? "", kind: kind.data, since: movedAt, toRead: { lines: null, minutes: null } }
        : null,
    usage: { input: null, output: null, usd: null },
    redos: 0,
    ...toMoved(listed),
    ...(listed.refused === null ? {} : { notBegun: listed.refused }),
  };
}

const endStatus = ({ is_cancelled, refused }: ListedRun): RunRow["status"] =>
  is_cancelled || refused !== null ? "cancelled" : "completed";

type MovedColumns = Pick<ListedRun, "moved_to" | "moved_by">;

/** Returns the place of a run that left the team. */
export const toMoved = ({ moved_to, moved_by }: MovedColumns): Pick<RunRow, "movedTo"> =>
  moved_to === null ? {} : { movedTo: moved_by === null ? moved_to : `${moved_to}, by ${moved_by}` };

const fits = ({ id, title, workflow, place }: RunRow, search: string): boolean =>
  [id, title, workflow, place.tree].join(" ").toLowerCase().includes(search.toLowerCase());

const toLikePattern = (search: string): string => `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** The time of the last decision serves as start of the wait or end of the run. */
const COLUMNS = `r.run, r.repository, r.title, r.start->>'workflow' as workflow, r.rests, r.wait_id, r.wait_kind, r.phase,
    r.refused, r.opened_at, r.moved_to, r.moved_by, d.at as moved_at, coalesce(d.line like '%"type":"run.cancelled"%', false) as is_cancelled
  from isdlc.run r
  join isdlc.member m on m.repository = r.repository and m.person = $1
  left join lateral (select at, line from isdlc.decision where run = r.run order by seq desc limit 1) d on true`;

const OPEN = `select ${COLUMNS} where r.rests <> 'ended' order by moved_at, r.number limit $2`;

const ENDED = `select ${COLUMNS} where r.rests = 'ended'
    and ($3::text is null or r.number < (select number from isdlc.run where run = $3))
    and concat_ws(' ', r.run, r.title, r.repository, r.start->>'workflow') ilike $4
  order by r.number desc limit $2`;

const COUNT_ENDED = `select count(*)::int as ended from isdlc.run r
  join isdlc.member m on m.repository = r.repository and m.person = $1 where r.rests = 'ended'`;

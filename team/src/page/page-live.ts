import type { Hono } from "hono";
import type { Pool } from "pg";
import { setTimeout as delay } from "node:timers/promises";
import { eventStream } from "../../../src/surfaces/web-ui/live-response.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { needRun } from "../people/roles.ts";
import { parseRunId, type TeamEnv } from "../server/team-server.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";
import { personAtPage } from "./page-cookie.ts";
import type { LiveMessage } from "../../../src/schema/api-status.ts";

/** Milliseconds. */
const RUN_POLL_INTERVAL_MS = 1000;
/** Maximum number of concurrent listeners per server. */
const MAX_LISTENING = 200;

/** Adds the event stream with changes in the runs visible to a user. */
export function addPageLive(app: Hono<TeamEnv>, page: TeamPage): void {
  const { pool, version } = page.server;
  let listening = 0;
  app.get(`${PAGE_API}/live`, async (context) => {
    const principal = context.get("principal");
    const named = context.req.query("run");
    const watched = named === undefined ? null : parseRunId(named);
    if (watched !== null) await needRun(pool, principal, { run: watched, role: "viewer" });
    if (listening >= MAX_LISTENING) return context.json({ problem: BUSY }, 503);
    listening += 1;
    return eventStream(async ({ tell, signal }) => {
      try {
        tell({ is: "hello", version });
        const isSignedIn = async (): Promise<boolean> => (await personAtPage(page, context)) !== null;
        await follow(pool, { person: principal.id, watched, isSignedIn }, { tell, signal });
      } finally {
        listening -= 1;
      }
    });
  });
}

const BUSY = { code: "UNAVAILABLE", what: "Too many pages are open at this server.", fix: "Close some." };

type Follower = {
  readonly person: string;
  readonly watched: RunId | null;
  readonly isSignedIn: () => Promise<boolean>;
};
type LiveTeller = { readonly tell: (message: LiveMessage) => void; readonly signal: AbortSignal };

async function follow(
  pool: Pool,
  { person, watched, isSignedIn }: Follower,
  { tell, signal }: LiveTeller,
): Promise<void> {
  let known: ReadonlyMap<RunId, number> | null = null;
  let waiting = -1;
  let said = await newestSaid(pool, watched);
  while (!signal.aborted && (await isSignedIn())) {
    const { rows } = await pool.query<OpenRunRow>(OPEN, [person]);
    const now = new Map(rows.map(({ run, head_seq }) => [run, head_seq]));
    for (const [run, seq] of moved(known, now)) tell({ is: "changed", run, seq });
    known = now;
    const count = rows.filter(({ rests }) => rests === "wait").length;
    if (count !== waiting) tell({ is: "waiting", count });
    waiting = count;
    if (watched !== null) said = await tellActivity(pool, { run: watched, after: said }, tell);
    await delay(RUN_POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined); // the browser disconnected
  }
}

type OpenRunRow = { readonly run: RunId; readonly head_seq: number; readonly rests: string };

/** Includes runs that are no longer open. */
const moved = (before: ReadonlyMap<RunId, number> | null, now: ReadonlyMap<RunId, number>): [RunId, number][] =>
  before === null
    ? []
    : [...[...now].filter(([run, seq]) => before.get(run) !== seq), ...[...before].filter(([run]) => !now.has(run))];

const OPEN = `select r.run, r.head_seq, r.rests from isdlc.run r
  join isdlc.member m on m.repository = r.repository and m.person = $1 where r.rests <> 'ended'`;

async function newestSaid(pool: Pool, run: RunId | null): Promise<string> {
  const text = "select coalesce(max(number), 0)::text as number from isdlc.activity where run = $1";
  const { rows } = await pool.query<{ number: string }>(text, [run]);
  return rows[0]?.number ?? "0";
}

type ListenRequest = { readonly run: RunId; readonly after: string };

/** Returns the number of the last message sent. */
async function tellActivity(pool: Pool, { run, after }: ListenRequest, tell: LiveTeller["tell"]): Promise<string> {
  const { rows } = await pool.query<{ number: string; execution: string; lines: string[] }>(
    "select number::text, execution, lines from isdlc.activity where run = $1 and number > $2 order by number",
    [run, after],
  );
  for (const { execution, lines } of rows) tell({ is: "activity", run, execution, lines });
  return rows.at(-1)?.number ?? after;
}

import { ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun, RunState } from "../../../src/core/run.ts";
import type { Role } from "../../../src/schema/api-team.ts";
import type { Occasion, WaitNotice } from "../../../src/schema/api-notifications.ts";
import { plainLine } from "../../../src/views/plain-text.ts";
import { waitNotice } from "../../../src/views/wait-notice.ts";
import type { PostgresJournal } from "../journal-postgres/create-postgres-journal.ts";
import type { Pool } from "../journal-postgres/open-pool.ts";
import { needPolicy } from "../people/answer-policy.ts";
import type { ClaimedNotification } from "./notification-outbox.ts";

/** A message in the form sent to webhooks. */
export type NotificationMessage = {
  /** Id of the notification; stays the same for repeated deliveries. */
  readonly id: string;
  readonly occasion: Occasion | "test";
  /** One line of text. Control characters in user-supplied parts are shown visibly and have no effect. */
  readonly text: string;
  /** Link to the web UI; null if the message concerns no run. */
  readonly link: string | null;
  readonly repository: string | null;
  readonly run: string | null;
  readonly title: string | null;
  readonly wait: WaitNotice["wait"] | null;
};

export type MessageSource = { readonly pool: Pool; readonly journal: PostgresJournal; readonly origin: () => string };

const MAX_TEXT = 600; // characters
const MAX_TITLE = 200;

/**
 * Builds the message from the current state. Returns null if the event is outdated or the user may no longer receive
 * it.
 */
export async function messageFor(
  source: MessageSource,
  claimed: ClaimedNotification,
): Promise<NotificationMessage | null> {
  const { id, occasion, run, repository, phase } = claimed;
  const message = (text: string, more: Partial<Omit<NotificationMessage, "text">> = {}): NotificationMessage => ({
    id,
    occasion,
    text: plainLine(text, MAX_TEXT),
    link: null,
    repository,
    run,
    title: null,
    wait: null,
    ...more,
  });
  if (occasion === "test") return message("This is what notifications of isdlc look like.", { link: source.origin() });
  if (occasion === "reviewer")
    return (await isNamed(source.pool, claimed))
      ? message(`${repository}: you were named as reviewer of ${phase}.`, { link: source.origin() })
      : null;
  if (occasion === "worker") {
    const text = await faultText(source.pool, claimed);
    return text === null ? null : message(text, { link: source.origin() });
  }
  const told = await runToTell(source, claimed);
  if (told === null) return null;
  const { text, wait } = told;
  const link = `${source.origin()}/runs/${run}${occasion === "gate" ? "/gate" : ""}`;
  return message(text, { link, wait, repository: told.repository, title: plainLine(told.title, MAX_TITLE) });
}

/** Null if the fault is over, or the user is no longer an admin. */
async function faultText(pool: Pool, { person, worker }: ClaimedNotification): Promise<string | null> {
  const { rows } = await pool.query<{ trouble: string; since: Date }>(
    `select trouble, trouble_since as since from isdlc.worker
     where id = $2 and trouble is not null
       and exists (select 1 from isdlc.member where person = $1 and role = 'admin') order by trouble_since limit 1`,
    [person, worker],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : `The worker ${worker} takes no runs since ${row.since.toISOString()}: ${row.trouble}`;
}

async function isNamed(pool: Pool, { person, repository, phase }: ClaimedNotification): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from isdlc.phase_reviewer r join isdlc.member using (repository, person)
     where person = $1 and repository = $2 and r.phase = $3`,
    [person, repository, phase],
  );
  return rowCount === 1;
}

type RunRow = {
  readonly repository: string;
  readonly title: string;
  readonly refused: string | null;
  readonly cancelled_by: string | null;
  readonly begun_by: string;
  readonly role: Role;
};
type NoticeSource = Pick<RunRow, "repository" | "title"> & {
  readonly text: string;
  readonly wait: WaitNotice["wait"] | null;
};

async function runToTell({ pool, journal }: MessageSource, claimed: ClaimedNotification): Promise<NoticeSource | null> {
  const { run, person, occasion, wait_id } = claimed;
  const { rows } = await pool.query<RunRow>(
    `select r.repository, r.title, r.refused, r.cancelled_by, r.begun_by, m.role
     from isdlc.run r join isdlc.member m on m.repository = r.repository and m.person = $2
     where r.run = $1 and r.moved_place is null`,
    [run, person],
  );
  const [row] = rows;
  if (run === null || row === undefined) return null;
  const { state } = await journal.load(run);
  if (occasion === "ended") return state.is === "active" ? null : { ...row, text: endText(row, state), wait: null };
  if (state.is !== "active" || state.wait === null || state.wait.id !== wait_id) return null;
  if (occasion === "gate" && !(await mayAccept(pool, { row, person, run: state }))) return null;
  const { text, wait } = waitNotice(state, state.wait, row.repository);
  return { ...row, text, wait };
}

/** Applies the same policy as an answer. */
async function mayAccept(
  pool: Pool,
  { row, person, run }: { readonly row: RunRow; readonly person: string; readonly run: ActiveRun },
): Promise<boolean> {
  if (row.role === "viewer") return false;
  const access = { repository: row.repository, begunBy: row.begun_by };
  try {
    await needPolicy(pool, access, { run, by: { person, option: "continue" } });
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "NOT_ALLOWED") return false;
    throw error;
  }
}

function endText({ repository, title, refused, cancelled_by }: RunRow, state: Exclude<RunState, ActiveRun>): string {
  const named = `${repository}: “${plainLine(title, MAX_TITLE)}”`;
  if (cancelled_by !== null) return `${named} was cancelled by ${cancelled_by} before a worker started it.`;
  if (state.is === "none") return `${named} could not be started: ${refused ?? "no reason was given"}`;
  return state.how === "cancelled" ? `${named} was cancelled.` : `${named} is finished.`;
}

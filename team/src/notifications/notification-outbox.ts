import type { NotificationChannel, Occasion } from "../../../src/schema/api-notifications.ts";
import type { Pool } from "../journal-postgres/open-pool.ts";

/** A notification claimed by this server. If the server does not settle it in time, the claim expires. */
export type ClaimedNotification = {
  readonly number: string;
  readonly id: string;
  readonly person: string;
  readonly channel: NotificationChannel;
  readonly occasion: Occasion | "test";
  readonly run: string | null;
  readonly wait_id: string | null;
  readonly repository: string | null;
  readonly phase: string | null;
  readonly worker: string | null;
  /** Includes the current one. */
  readonly attempts: number;
  readonly address: string;
  readonly secret: string | null;
  readonly isOld: boolean;
};

export type DeliveryOutcome = "sent" | "given-up" | "outdated";

/** Longer than a delivery can take. */
const CLAIMED_FOR = 60; // seconds
/** Notifications about older events are not sent. */
const OLD_AFTER = 24 * 60 * 60; // seconds
/** Seconds before each retry. */
const PAUSES = [10, 30, 120, 600, 1800, 7200, 21_600] as const;

/** Claims at most one notification per channel, the oldest due one: a slow channel delays only itself. */
const CLAIM = `with oldest as (
    select number from (
      select number, row_number() over (partition by person, channel order by number) as place
      from isdlc.notification where due_at <= now() and person || ' ' || channel <> all($1::text[])) due
    where place = 1 order by number limit $2),
  picked as (
    select number from isdlc.notification
    where number in (select number from oldest) and due_at <= now() for update skip locked)
  update isdlc.notification n set attempts = n.attempts + 1, due_at = now() + make_interval(secs => ${CLAIMED_FOR})
  from picked, isdlc.notification_channel c
  where n.number = picked.number and c.person = n.person and c.channel = n.channel
  returning n.number::text, n.id, n.person, n.channel, n.occasion, n.run, n.wait_id, n.repository, n.phase, n.worker, n.attempts,
    c.address, c.secret, n.made_at < now() - make_interval(secs => ${OLD_AFTER}) as "isOld"`;

export const channelKey = ({ person, channel }: Pick<ClaimedNotification, "person" | "channel">): string =>
  `${person} ${channel}`;

/**
 * Claims due notifications, except those of busy channels. Each one is claimed by a single server, even if several ask
 * at once.
 */
export async function claimDue(
  pool: Pool,
  busy: readonly string[],
  most: number,
): Promise<readonly ClaimedNotification[]> {
  return (await pool.query<ClaimedNotification>({ name: "isdlc-claim", text: CLAIM, values: [busy, most] })).rows;
}

/** Settles a notification, unless another server claimed it in the meantime. */
export async function settle(
  pool: Pool,
  { number, attempts }: ClaimedNotification,
  { outcome, why }: { readonly outcome: DeliveryOutcome; readonly why: string | null },
): Promise<void> {
  await pool.query(
    `update isdlc.notification set due_at = null, settled_at = now(), outcome = $3, why = $4
     where number = $1 and attempts = $2 and due_at is not null`,
    [number, attempts, outcome, why],
  );
}

export const hasPauseLeft = ({ attempts }: ClaimedNotification): boolean => attempts <= PAUSES.length;

/** Schedules a retry after a pause. Pauses grow with each attempt. */
export async function postpone(pool: Pool, { number, attempts }: ClaimedNotification, why: string): Promise<void> {
  await pool.query(
    `update isdlc.notification set due_at = now() + make_interval(secs => $3), why = $4
     where number = $1 and attempts = $2 and due_at is not null`,
    [number, attempts, PAUSES[attempts - 1] ?? PAUSES[0], why],
  );
}

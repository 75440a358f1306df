import type { ClientBase } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ChannelChange, ChannelRow, NotificationChannel } from "../../../src/schema/api-notifications.ts";
import type { Pool } from "../journal-postgres/open-pool.ts";
import { checkHook, HookRefused, readHook } from "./hook-address.ts";
import type { NotificationSettings } from "./notification-settings.ts";
import { isMailAddress } from "./send-mail.ts";
import { newHookSecret } from "./sign-hook.ts";

/**
 * Sets or replaces a channel. Returns the new secret of a webhook, null for other channels. @throws ProblemError USAGE
 */
export async function setChannel(
  pool: Pool,
  settings: NotificationSettings,
  { person, change }: { readonly person: string; readonly change: ChannelChange },
): Promise<string | null> {
  const { channel, occasions } = change;
  const address = channel === "email" ? mailAddress(change, settings) : await hookAddress(change, settings);
  const secret = channel === "webhook" ? newHookSecret() : null;
  await pool.query(
    `insert into isdlc.notification_channel (person, channel, address, secret, occasions) values ($1, $2, $3, $4, $5)
     on conflict (person, channel) do update set address = $3, secret = $4, occasions = $5`,
    [person, channel, address, secret, [...new Set(occasions)]],
  );
  return secret;
}

function mailAddress({ address }: ChannelChange, { mailer }: NotificationSettings): string {
  if (mailer === null) throw refused("This server cannot send e-mail. Its operator can enable it with ISDLC_SMTP_URL.");
  if (!isMailAddress(address)) throw refused("This is not a valid e-mail address.");
  return address;
}

/** Accepts a host that fails to resolve now: it is checked again before each message. */
async function hookAddress({ address }: ChannelChange, { hooks }: NotificationSettings): Promise<string> {
  try {
    const { href } = readHook(address, hooks.allowed);
    await checkHook(href, hooks).catch((error: unknown) => {
      if (error instanceof HookRefused) throw error;
    });
    return href;
  } catch (error) {
    if (!(error instanceof HookRefused)) throw error;
    throw refused(`This address is rejected: ${error.message}. The operator of the server can allow a host by name.`);
  }
}

const refused = (detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: "isdlc team notify webhook|slack|teams|email <address>|off" });

export async function removeChannel(pool: Pool, person: string, channel: NotificationChannel): Promise<boolean> {
  const text = "delete from isdlc.notification_channel where person = $1 and channel = $2";
  return (await pool.query(text, [person, channel])).rowCount === 1;
}

/** Removes all channels of a revoked account. */
export async function removeChannels(pool: Pool, person: string): Promise<void> {
  await pool.query("delete from isdlc.notification_channel where person = $1", [person]);
}

/** Queues a test message for a channel, at most one per minute. */
export async function askForTest(pool: Pool, person: string, channel: NotificationChannel): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into isdlc.notification (person, channel, occasion, about)
     select person, channel, 'test', 'test ' || date_trunc('minute', now())
     from isdlc.notification_channel where person = $1 and channel = $2 on conflict do nothing`,
    [person, channel],
  );
  return rowCount === 1;
}

/** Notifies users named as reviewers. Runs in the transaction that names them. */
export async function tellNamed(
  client: ClientBase,
  people: readonly string[],
  { repository, phase }: { readonly repository: string; readonly phase: string },
): Promise<void> {
  await client.query(
    `insert into isdlc.notification (person, channel, occasion, about, repository, phase)
     select person, channel, 'reviewer', 'reviewer ' || gen_random_uuid(), $2, $3
     from isdlc.notification_channel where person = any($1) and 'reviewer' = any(occasions)`,
    [people, repository, phase],
  );
}

type ChannelRecord = Omit<ChannelRow, "sentAt" | "givenUp"> & {
  readonly sent_at: Date | null;
  readonly given_up_at: Date | null;
  readonly why: string | null;
};

export async function listChannels(pool: Pool, person: string): Promise<ChannelRow[]> {
  const { rows } = await pool.query<ChannelRecord>(
    `select c.channel, c.address, c.occasions, n.waiting, n.sent_at, g.settled_at as given_up_at, g.why
     from isdlc.notification_channel c
     left join lateral (
       select count(*) filter (where due_at is not null)::int as waiting,
         max(settled_at) filter (where outcome = 'sent') as sent_at
       from isdlc.notification where person = c.person and channel = c.channel) n on true
     left join lateral (
       select settled_at, why from isdlc.notification
       where person = c.person and channel = c.channel and outcome = 'given-up' order by settled_at desc limit 1) g on true
     where c.person = $1 order by c.channel`,
    [person],
  );
  return rows.map(({ channel, address, occasions, waiting, sent_at, given_up_at, why }) => ({
    channel,
    address: channel === "email" ? address : `${new URL(address).origin}/…`,
    occasions,
    waiting,
    sentAt: sent_at?.toISOString() ?? null,
    givenUp:
      given_up_at === null || (sent_at !== null && sent_at > given_up_at)
        ? null
        : { at: given_up_at.toISOString(), why: why ?? "" },
  }));
}

import { setTimeout as delay } from "node:timers/promises";
import type { ServerMetrics } from "../operations/metrics.ts";
import type { Log } from "../structured-log.ts";
import { messageFor, type MessageSource, type NotificationMessage } from "./notification-message.ts";
import {
  channelKey,
  claimDue,
  type ClaimedNotification,
  hasPauseLeft,
  type DeliveryOutcome,
  postpone,
  settle,
} from "./notification-outbox.ts";
import type { NotificationSettings } from "./notification-settings.ts";
import { type Hook, postHook, type DeliveryResult } from "./post-hook.ts";
import { hookHeaders } from "./sign-hook.ts";
import { noticeBody } from "../../../src/views/wait-notice.ts";

export type Sender = MessageSource & {
  readonly settings: NotificationSettings;
  readonly log: Log;
  readonly metrics: ServerMetrics;
};

const NOTIFICATION_POLL_INTERVAL_MS = 1000; // milliseconds
/** Maximum number of concurrent deliveries of one server. */
const AT_ONCE = 20;
/** Time that a stopping server waits for current deliveries. */
const ENDS_WITHIN = 2000; // milliseconds

/**
 * Sends due notifications; any number of servers can do so concurrently. Deliveries are independent of the decisions
 * that they report, and delay none of them.
 */
export function startNotifications(sender: Sender): { stop(): Promise<void> } {
  const { pool, log } = sender;
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      for (const claimed of await claimDue(pool, [...busy.keys()], AT_ONCE - busy.size)) begin(claimed);
    } catch (error) {
      log.error({ error }, "notifications could not be looked for");
    }
  };
  const lookOnce = (): void => {
    if (looking !== null || stopping.signal.aborted || busy.size >= AT_ONCE) return;
    looking = look().finally(() => (looking = null));
  };
  function begin(claimed: ClaimedNotification): void {
    const ended = deliver(sender, claimed, stopping.signal)
      .catch((error: unknown) => log.error({ error, id: claimed.id }, "a notification could not be dealt with"))
      .finally(() => {
        busy.delete(channelKey(claimed));
        lookOnce();
      });
    busy.set(channelKey(claimed), ended);
  }
  const timer = setInterval(lookOnce, NOTIFICATION_POLL_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      await Promise.race([Promise.all(busy.values()), delay(ENDS_WITHIN, undefined, { ref: false })]);
      stopping.abort();
      await Promise.all(busy.values());
    },
  };
}

async function deliver(sender: Sender, claimed: ClaimedNotification, stop: AbortSignal): Promise<void> {
  const { pool, log, metrics } = sender;
  const { id, person, channel, occasion, attempts } = claimed;
  const end = async (outcome: DeliveryOutcome, why: string | null): Promise<void> => {
    await settle(pool, claimed, { outcome, why });
    metrics.notification({ channel, outcome });
  };
  const message = claimed.isOld ? null : await messageFor(sender, claimed);
  if (message === null) return end("outdated", null);
  const sent = await send(sender, { claimed, message, stop });
  if (sent.ok) return end("sent", null);
  if (!sent.isFinal && hasPauseLeft(claimed)) return postpone(pool, claimed, sent.why);
  log.warn({ id, person, channel, occasion, attempts, why: sent.why }, "a notification was given up");
  return end("given-up", sent.why);
}

type DeliveryContext = {
  readonly claimed: ClaimedNotification;
  readonly message: NotificationMessage;
  readonly stop: AbortSignal;
};

function send({ settings }: Sender, { claimed, message, stop }: DeliveryContext): Promise<DeliveryResult> {
  const { channel, address } = claimed;
  const post = (body: object, headers: (text: string) => Hook["headers"] = () => ({})): Promise<DeliveryResult> => {
    const text = JSON.stringify(body);
    return postHook({ address, body: text, headers: headers(text) }, settings.hooks, stop);
  };
  switch (channel) {
    case "webhook":
      return post(message, (body) => hookHeaders(claimed.secret ?? "", { id: message.id, body, at: new Date() }));
    case "slack":
      return post(slackBody(message));
    case "teams":
      return post(teamsBody(message));
    case "email":
      return settings.mailer === null ? Promise.resolve(NO_MAIL) : settings.mailer(address, message);
    default:
      return channel satisfies never;
  }
}

const NO_MAIL: DeliveryResult = { ok: false, why: "the server sends no mail any more", isFinal: true };

/**
 * Builds a Slack message in plain text. Markup, mentions and links other than the link to the web UI have no effect.
 */
export const slackBody = (message: NotificationMessage): object => ({
  ...noticeBody(message, "slack"),
  unfurl_links: false,
  unfurl_media: false,
  blocks: [
    { type: "section", text: { type: "plain_text", text: message.text, emoji: false } },
    ...(message.link === null
      ? []
      : [{ type: "section", text: { type: "mrkdwn", text: `<${message.link}|Open the page>`, verbatim: true } }]),
  ],
});

export const teamsBody = (message: NotificationMessage): object => noticeBody({ text: textWithLink(message) }, "teams");

const textWithLink = ({ text, link }: NotificationMessage): string => (link === null ? text : `${text} ${link}`);

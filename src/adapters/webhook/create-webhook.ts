import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Notifier } from "../../ports/notifier.ts";

/** Where to and in what form; a person's own settings, never a repository's. */
export type WebhookSettings = {
  readonly url: string;
  /** Signs the body; null: it is not signed. */
  readonly secret: string | null;
  readonly body: (notice: Parameters<Notifier["tell"]>[0]) => object;
};

const POST_TIMEOUT_MS = 5_000; // milliseconds for one try
/** Milliseconds before each try but the first. */
const AGAIN_AFTER = [500, 2_000] as const;

/** Posts to a web address. Tried three times; redirects are not followed. */
export function createWebhook({ url, secret, body }: WebhookSettings): Notifier {
  return {
    async tell(notice) {
      const text = JSON.stringify(body(notice));
      const headers = { "Content-Type": "application/json", "User-Agent": "isdlc", ...signature(text, secret) };
      let trouble = await post(url, text, headers);
      for (const pause of AGAIN_AFTER) {
        if (trouble === null || !trouble.again) break;
        await delay(pause);
        trouble = await post(url, text, headers);
      }
      return trouble === null ? null : `The webhook could not be reached: ${trouble.why}`;
    },
  };
}

const signature = (text: string, secret: string | null): Record<string, string> =>
  secret === null ? {} : { "X-Isdlc-Signature": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}` };

type Trouble = { readonly why: string; readonly again: boolean };

/** Whoever refuses for good is not asked again. */
async function post(url: string, body: string, headers: Record<string, string>): Promise<Trouble | null> {
  try {
    const signal = AbortSignal.timeout(POST_TIMEOUT_MS);
    const response = await fetch(url, { method: "POST", body, headers, signal, redirect: "manual" });
    await response.body?.cancel();
    if (response.ok) return null;
    return { why: `it answered ${response.status}`, again: response.status >= 500 || response.status === 429 };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error), again: true };
  }
}

import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Notifier } from "../../ports/progress.ts";

/** Webhook settings of the user, never of a repository. */
export type WebhookSettings = {
  readonly url: string;
  /** Key to sign the body; null for no signature. */
  readonly secret: string | null;
  readonly body: (notice: Parameters<Notifier["tell"]>[0]) => object;
};

const POST_TIMEOUT_MS = 5_000; // milliseconds per attempt
/** Milliseconds before each retry. */
const AGAIN_AFTER = [500, 2_000] as const;

/** Posts notifications to a URL, with up to three attempts. Does not follow redirects. */
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

/** Returns null on success. Only network errors, 429 and 5xx are retried. */
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

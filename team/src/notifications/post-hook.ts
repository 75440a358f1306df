import { request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIPv4, type LookupFunction } from "node:net";
import { type CheckedHook, checkHook, HookRefused, type HookRules } from "./hook-address.ts";

/** `isFinal`: a retry would fail in the same way. `why` is shown to the user and contains no internal addresses. */
export type DeliveryResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: string; readonly isFinal: boolean };

export type Hook = {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const POST_TIMEOUT_MS = 10_000; // milliseconds up to the response headers, including name resolution
const MAX_HEADERS = 8192; // bytes

/**
 * Posts to a user's webhook. Connects only to checked addresses, or to a host allowed by the operator. Does not follow
 * redirects; reads only the status of the response.
 */
export async function postHook(
  { address, headers, body }: Hook,
  rules: HookRules,
  stop: AbortSignal,
): Promise<DeliveryResult> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, POST_TIMEOUT_MS);
  stop.addEventListener("abort", end);
  try {
    const hook = await checkHook(address, rules);
    const length = String(Buffer.byteLength(body));
    const sent = { "content-type": "application/json", "user-agent": "isdlc", "content-length": length, ...headers };
    return answered(await requestStatus(hook, body, { headers: sent, signal: ending.signal }));
  } catch (error) {
    if (error instanceof HookRefused) return { ok: false, why: error.message, isFinal: true };
    return { ok: false, why: describeError(error), isFinal: false };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", end);
  }
}

type PostOptions = { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal };

function requestStatus(
  { url, addresses }: CheckedHook,
  body: string,
  { headers, signal }: PostOptions,
): Promise<number> {
  const options: RequestOptions = {
    method: "POST",
    headers,
    signal,
    agent: false,
    maxHeaderSize: MAX_HEADERS,
    ...(addresses === null ? {} : { lookup: createLookup(addresses) }),
  };
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === "https:" ? tlsRequest : plainRequest)(url, options, (response) => {
      response.on("error", () => undefined); // the body is not read
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Pins the connection to the checked addresses, even if the name resolves differently by now. */
function createLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  return (_host, { all }, tell) => {
    const [first = { address: "", family: 0 }] = found;
    if (all === true) tell(null, found);
    else tell(null, first.address, first.family);
  };
}

/** Only 408, 429 and 5xx are worth a retry. */
function answered(status: number): DeliveryResult {
  if (status >= 200 && status < 300) return { ok: true };
  const isFinal = status < 500 && status !== 408 && status !== 429;
  return { ok: false, why: `it answered ${status}`, isFinal };
}

function describeError(error: unknown): string {
  if (error instanceof Error && error.name === "AbortError") return "it did not answer in time";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `it could not be reached (${code})` : "it could not be reached";
}

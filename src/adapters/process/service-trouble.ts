import type { FailureReason } from "../../ports/agent-backend.ts";

/** What an agent told of a call to its model service that failed. */
export type ServiceSign = {
  /** The status of HTTP where the agent tells it apart from the text. */
  readonly status: number | null;
  readonly text: string;
};

/**
 * unavailable: busy or out of reach, which passes. unauthorized: the person has to sign in.
 * refused: the request, or the person's plan, will be refused again.
 */
export type ServiceTrouble = "unavailable" | "unauthorized" | "refused";

export type ServiceFailure = {
  readonly reason: FailureReason;
  readonly detail: string;
  readonly again: boolean;
};

/** Null when it is no failure of the service, as far as one can tell. */
export function serviceTrouble({ status, text }: ServiceSign): ServiceTrouble | null {
  const start = text.slice(0, MAX_TEXT_LENGTH);
  if (USED_UP.test(start) || NO_MODEL.test(start)) return "refused"; // told with 429 or 500 too, and does not pass
  const told = ofStatus(status ?? statusIn(start));
  if (told !== null) return told;
  return WORDS.find(([, words]) => words.test(start))?.[0] ?? null;
}

/** The same as the end of an execution. `signIn` is what the person has to do where they are not signed in. */
export function serviceFailure(sign: ServiceSign, signIn: string | null): ServiceFailure | null {
  const fault = serviceTrouble(sign);
  if (fault === null) return null;
  if (fault === "unavailable") return { reason: "unavailable", detail: sign.text, again: true };
  const detail = fault === "unauthorized" && signIn !== null ? `${sign.text} (${signIn})` : sign.text;
  return { reason: "agent_failed", detail, again: false };
}

/** Characters; what happened is told at the beginning. */
const MAX_TEXT_LENGTH = 2000;

function ofStatus(status: number | null): ServiceTrouble | null {
  if (status === null || status < 400) return null;
  if (status === 401 || status === 403) return "unauthorized";
  return status === 408 || status === 429 || status >= 500 ? "unavailable" : "refused";
}

/** Agents differ in how they say it: "API Error: 500 …", "unexpected status 401 …", "last status: 429 …". */
function statusIn(text: string): number | null {
  const found = /(?:status(?: code)?:?|error:?|http) \(?([45][0-9]{2})\b/i.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

const USED_UP = /usage limit|hit your limit|quota exceeded|insufficient_quota|credit balance/i;
/** A model that is not there, as services and agents say it. */
const NO_MODEL =
  /model_not_found|unknown model|no such model|(?:model|models\/)[^.\n]{0,100}(?:not found|does not exist|may not exist|is not supported)/i;

/** In this order: what a service refuses is named more exactly than a broken connection. */
const WORDS: readonly (readonly [ServiceTrouble, RegExp])[] = [
  [
    "unauthorized",
    /not logged in|please run \/login|(?:invalid|incorrect|missing|no) api.?key|api.?key (?:is )?(?:not valid|invalid|missing)|authentication(?: (?:required|failed)|_error)|unauthorized|failed to authenticate/i,
  ],
  ["refused", /invalid_request_error|context window|prompt is too long/i],
  [
    "unavailable",
    /ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket hang up|fetch failed|network error|connection (?:error|dropped|lost|reset|refused|closed)|connection to the api was lost|unable to connect|stream (?:disconnected|closed|ended)|error sending request|malformed response|high demand|overloaded|rate.?limit|too many requests|service unavailable|internal server error|bad gateway|gateway timeout/i,
  ],
];

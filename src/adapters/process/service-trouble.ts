import type { FailureReason } from "../../ports/agent-backend.ts";

/** A failed call to a model service, as reported by an agent. */
export type ServiceSign = {
  /** HTTP status, if the agent reports it separately. */
  readonly status: number | null;
  readonly text: string;
};

/**
 * unavailable: overloaded or unreachable, temporary. unauthorized: the user must sign in. refused: the request or the
 * user's plan will be refused again.
 */
export type ServiceTrouble = "unavailable" | "unauthorized" | "refused";

export type ServiceFailure = {
  readonly reason: FailureReason;
  readonly detail: string;
  readonly again: boolean;
};

/** Returns null if the text does not indicate a failure of the service. */
export function serviceTrouble({ status, text }: ServiceSign): ServiceTrouble | null {
  const start = text.slice(0, MAX_FAILURE_TEXT_LENGTH);
  if (USED_UP.test(start) || NO_MODEL.test(start)) return "refused"; // permanent, even if reported with 429 or 500
  const told = ofStatus(status ?? statusIn(start));
  if (told !== null) return told;
  return WORDS.find(([, words]) => words.test(start))?.[0] ?? null;
}

/** Classifies a failure as the end of an execution. `signIn`: instruction for a user who is not signed in. */
export function serviceFailure(sign: ServiceSign, signIn: string | null): ServiceFailure | null {
  const fault = serviceTrouble(sign);
  if (fault === null) return null;
  if (fault === "unavailable") return { reason: "unavailable", detail: sign.text, again: true };
  const detail = fault === "unauthorized" && signIn !== null ? `${sign.text} (${signIn})` : sign.text;
  return { reason: "agent_failed", detail, again: false };
}

/** Characters. The reason is at the start. */
const MAX_FAILURE_TEXT_LENGTH = 2000;

function ofStatus(status: number | null): ServiceTrouble | null {
  if (status === null || status < 400) return null;
  if (status === 401 || status === 403) return "unauthorized";
  return status === 408 || status === 429 || status >= 500 ? "unavailable" : "refused";
}

/** Formats differ between agents: "API Error: 500 …", "unexpected status 401 …", "last status: 429 …". */
function statusIn(text: string): number | null {
  const found = /(?:status(?: code)?:?|error:?|http) \(?([45][0-9]{2})\b/i.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

const USED_UP = /usage limit|hit your limit|quota exceeded|insufficient_quota|credit balance/i;
/** Messages of services and agents about a missing model. */
const NO_MODEL =
  /model_not_found|unknown model|no such model|(?:model|models\/)[^.\n]{0,100}(?:not found|does not exist|may not exist|is not supported)/i;

/** Ordered by precision: refusals by a service are more specific than connection errors. */
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

import type { CheckResult } from "../schema/facts.ts";

/**
 * What failed, without what differs between two runs of the same failure: durations, times, temporary paths, ports,
 * addresses, process numbers, seeds, and the order in which parallel tests happened to end. Equal texts: same failure.
 */
export function failureDigest(results: readonly CheckResult[]): string {
  return results
    .filter((result) => result.ok === false)
    .map((result) => [result.name, ...steadyLines(result.detail)].join("\n"))
    .join("\n\n");
}

function steadyLines(detail: string): string[] {
  const lines = detail.split("\n").map(steady);
  return [...new Set(lines)].filter((line) => line !== "").sort();
}

const steady = (line: string): string =>
  UNSTEADY.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
    .replace(/\s+/g, " ")
    .trim();

const SEGMENT = String.raw`[^\s/\\:'")]{1,255}`;
/** Names that are drawn by chance or counted up: of `mkdtemp`, `mktemp`, `tempfile`, pytest and Go. */
const DRAWN = [
  String.raw`pytest-of-${SEGMENT}`,
  String.raw`pytest-\d+`,
  String.raw`${SEGMENT}?[-.](?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,12}`,
  String.raw`tmp[a-z0-9_]{8}`,
  String.raw`Test[A-Za-z0-9_]{1,200}?\d{6,}/\d{3}`,
].join("|");
/**
 * A folder for temporary ones, wherever it lies, and a name in it. It may hold another with a name that was drawn: next
 * to the first, or up to three folders deeper.
 */
const TEMPORARY = new RegExp(
  String.raw`(?:/${SEGMENT}){0,8}?/(?:tmp|_temp|temp|\.tmp)/${SEGMENT}` +
    String.raw`(?:/[^\s/\\:'")]*-[A-Za-z0-9]{6}(?![A-Za-z0-9]))?(?:(?:/${SEGMENT}){0,3}?/(?:${DRAWN})(?=[\s/\\:'")]|$))*`,
  "g",
);

/** In this order: a later pattern would otherwise eat a part of an earlier one. */
const UNSTEADY: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}\[[0-9;?]*[A-Za-z]/gu, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, "<time>"],
  [/(?<![\w.:/)])\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?![\w:])/g, "<time>"],
  [/(?:\/private)?\/var\/folders\/[^\s/]+\/[^\s/]+\/T\/[^\s/\\:'")]+/g, "<temporary>"],
  [TEMPORARY, "<temporary>"],
  [/[A-Za-z]:\\[^\s:'"]*\\_?Temp\\[^\s/\\:'")]+/gi, "<temporary>"],
  [/\b0x[0-9a-f]{4,}\b/gi, "<address>"],
  [/(\blocalhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d+/g, "$1:<port>"],
  [
    /\b(duration_ms|duration|elapsed|port|pid|process|seed|worker|thread|goroutine)\b(["']?\s?[ :=#]\s?)[\d.]+/gi,
    "$1$2<number>",
  ],
  [
    /(?<![\w.])\d+(?:[.,]\d+)?(?:\s?(?:ns|µs|μs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)|m|h)(?![\w])/g,
    "<duration>",
  ],
];

/** Name of the finding that files changed after a person was shown them. */
export const UNSEEN = "shown as it is";

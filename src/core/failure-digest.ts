import type { CheckResult } from "../schema/facts.ts";

/**
 * Returns failures without details that vary between runs: durations, times, temporary paths, ports, addresses,
 * process ids, seeds, and the order of parallel tests. Equal texts mean the same failure.
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
/** Random or counted names of `mkdtemp`, `mktemp`, `tempfile`, pytest and Go. */
const DRAWN = [
  String.raw`pytest-of-${SEGMENT}`,
  String.raw`pytest-\d+`,
  String.raw`${SEGMENT}?[-.](?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,12}`,
  String.raw`tmp[a-z0-9_]{8}`,
  String.raw`Test[A-Za-z0-9_]{1,200}?\d{6,}/\d{3}`,
].join("|");
/**
 * A folder for temporary files at any place, and a name in it. A random name may follow directly or up to three
 * folders deeper.
 */
const TEMPORARY = new RegExp(
  String.raw`(?:/${SEGMENT}){0,8}?/(?:tmp|_temp|temp|\.tmp)/${SEGMENT}` +
    String.raw`(?:/[^\s/\\:'")]*-[A-Za-z0-9]{6}(?![A-Za-z0-9]))?(?:(?:/${SEGMENT}){0,3}?/(?:${DRAWN})(?=[\s/\\:'")]|$))*`,
  "g",
);

/** The order matters: a later pattern would match part of an earlier one. */
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

/** Name of the check for files that changed after the summary was shown. */
export const UNSEEN = "shown as it is";

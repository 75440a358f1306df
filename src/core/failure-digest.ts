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

/** In this order: a later pattern would otherwise eat a part of an earlier one. */
const UNSTEADY: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}\[[0-9;?]*[A-Za-z]/gu, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, "<time>"],
  [/(?<![\w.:/)])\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?![\w:])/g, "<time>"],
  [/(?:\/private)?\/var\/folders\/[^\s/]+\/[^\s/]+\/T\/[^\s/\\:'")]+/g, "<temporary>"],
  // A folder for temporary ones may hold another with a name that was drawn by chance.
  [/(?:\/private)?\/(?:var\/)?tmp\/[^\s/\\:'")]+(?:\/[^\s/\\:'")]*-[A-Za-z0-9]{6}(?![A-Za-z0-9]))?/g, "<temporary>"],
  [/[A-Za-z]:\\[^\s:'"]*\\Temp\\[^\s/\\:'")]+/gi, "<temporary>"],
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

import { beforeAll, describe, expect, test } from "vitest";
import { meanOf, simulateReviewers, type Tally } from "../../bench/reviewers.ts";
import { afterVerdict } from "../../src/core/findings/loop-policy.ts";
import { KINDS, VERDICT_LIMITS, type LoopPolicy, type Mode } from "./simulated-reviewer.ts";

/** Loops per kind and mode: a thousand per kind. */
const RUNS = 250;

describe("a thousand simulated loops per kind of reviewer", () => {
  let tallies: readonly Tally[] = [];
  const of = (kind: string, mode?: Mode): readonly Tally[] =>
    tallies.filter((tally) => tally.kind === kind && (mode === undefined || tally.mode === mode));
  beforeAll(() => {
    tallies = simulateReviewers(afterVerdict, RUNS);
  });

  test("end within the limit of their mode and never approve a blocker", () => {
    expect(tallies.flatMap(({ broken }) => broken)).toEqual([]);
    for (const { verdicts, mode } of tallies) expect(verdicts).toBeLessThanOrEqual(VERDICT_LIMITS[mode]);
  });

  test.each(KINDS)("take fewer verdicts than a limit of three in every mode: %s", (kind) => {
    const own = of(kind);
    expect(meanOf(own, ({ verdicts }) => verdicts)).toBeLessThan(meanOf(own, ({ fixed }) => fixed));
  });

  test("take fewer verdicts than a limit of three overall", () => {
    expect(meanOf(tallies, ({ verdicts }) => verdicts)).toBeLessThan(meanOf(tallies, ({ fixed }) => fixed));
  });

  test.each(["plateau", "flip-flop", "causing"])(
    "save at least one of five verdicts without convergence: %s",
    (kind) => {
      for (const { verdicts, limitAlone } of of(kind, "full")) expect(verdicts).toBeLessThan(limitAlone - 1);
    },
  );

  test("are rarely cut short if they converge", () => {
    for (const { cutShort } of of("converging")) expect(cutShort).toBeLessThanOrEqual(0.02);
    for (const { approved } of of("converging", "full")) expect(approved).toBeGreaterThan(0.95);
  });

  test("reach every reason to stop, each kind its own", () => {
    const seen = new Set(tallies.flatMap(({ stops }) => Object.keys(stops)));
    expect(seen).toEqual(new Set(["approved", "limit", "recurring", "flipping", "causing"]));
    const usual = { plateau: "recurring", "flip-flop": "flipping", causing: "causing", converging: "approved" };
    for (const [kind, reason] of Object.entries(usual))
      for (const { stops } of of(kind, "full")) expect(stops[reason]).toBeGreaterThan(RUNS / 2);
  });
});

describe("policy with a planted bug", () => {
  const over = (reason: "approved" | "limit") => ({ leadsTo: "complete", stopped: reason, why: null }) as const;
  const goesOn = { leadsTo: "produce", stopped: null, why: null } as const;

  test.each<[string, LoopPolicy, string]>([
    [
      "trusts an approval with a blocker",
      (loop) =>
        loop.iterations.at(-1)?.approved === true ? { ...afterVerdict(loop), ...over("approved") } : afterVerdict(loop),
      "a blocker was called approved",
    ],
    [
      "takes missing blockers for approval",
      (loop) => {
        const result = afterVerdict(loop);
        return result.open.every(({ severity }) => severity !== "blocker")
          ? { ...result, ...over("approved") }
          : result;
      },
      "it was called approved though the reviewer did not",
    ],
    [
      "approves at the limit",
      (loop) => {
        const result = afterVerdict(loop);
        return result.stopped === "limit" ? { ...result, ...over("approved") } : result;
      },
      "a blocker was called approved",
    ],
    [
      "allows one verdict too many",
      (loop) => afterVerdict({ ...loop, limit: loop.limit + 1 }),
      "it went past its limit",
    ],
    [
      "continues until approval",
      (loop) => {
        const result = afterVerdict(loop);
        return result.stopped === "approved" ? result : { ...result, ...goesOn };
      },
      "it did not end",
    ],
    [
      "continues for warnings",
      (loop) => {
        const result = afterVerdict(loop);
        const another = result.stopped === "approved" && result.open.length > 0 && loop.iterations.length < loop.limit;
        return another ? { ...result, ...goesOn } : result;
      },
      "approved work continued",
    ],
    [
      "lists only the first blocker",
      (loop) => {
        const result = afterVerdict(loop);
        return { ...result, open: result.open.slice(0, 1) };
      },
      "a blocker was not told",
    ],
  ])("is detected if it %s", (_, policy, promise) => {
    const broken = simulateReviewers(policy, 25).flatMap((tally) => tally.broken);
    expect(broken.some((what) => what.endsWith(promise))).toBe(true);
  });

  test("is detected if it stops at the first revision without effect", () => {
    const eager: LoopPolicy = (loop) => {
      const [before, now] = loop.iterations.slice(-2).map(({ issues }) => issues.length);
      const result = afterVerdict(loop);
      return result.stopped === null && now !== undefined && now === before ? { ...result, ...over("limit") } : result;
    };
    const converging = simulateReviewers(eager, 50).filter(
      ({ kind, mode }) => kind === "converging" && mode === "full",
    );
    expect(meanOf(converging, ({ cutShort }) => cutShort)).toBeGreaterThan(0.02);
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOpen, type Ledger, buildLedger, type Mention, type Iteration } from "../../src/core/findings/ledger.ts";
import { afterVerdict } from "../../src/core/findings/loop-policy.ts";
import { SAME_FINDING } from "./rewordings.ts";

const RUNS = { numRuns: 200, seed: 20_261_115 };

const descriptions = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SAME_FINDING.slice(0, 6).flat()) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);
const locations = fc.constantFrom("src/a.ts:1", "src/a.ts:40", "a.ts", "src/b.ts:7", "section 2", null);
const issues = fc.array(
  fc.record({
    severity: fc.constantFrom("blocker" as const, "warning" as const, "note" as const),
    description: descriptions,
    location: locations,
  }),
  { maxLength: 7 },
);
const changes = fc.option(fc.subarray(["src/a.ts", "src/b.ts"]), { nil: null });
const iterations = fc.array(fc.record({ issues, approved: fc.boolean(), changed: changes }), {
  minLength: 1,
  maxLength: 6,
});

const idsWith = (mentions: readonly Mention[], ...states: Mention["state"][]): string[] =>
  mentions
    .filter(({ state }) => states.includes(state))
    .map(({ id }) => id)
    .sort();

function eachRound(
  { iterations: told }: Ledger,
  look: (now: readonly Mention[], before: readonly Mention[]) => void,
): void {
  for (const [index, now] of told.entries()) look(now, told[index - 1] ?? []);
}

describe("random verdicts", () => {
  test("give the same ledger for any order of issues in a round", () => {
    const reordered = iterations.chain((given) =>
      fc.tuple(
        fc.constant(given),
        fc.tuple(...given.map((round) => fc.shuffledSubarray(round.issues, { minLength: round.issues.length }))),
      ),
    );
    fc.assert(
      fc.property(reordered, ([given, orders]) => {
        const other = given.map((round, index): Iteration => ({ ...round, issues: orders[index] ?? [] }));
        expect(buildLedger(other)).toEqual(buildLedger(given));
      }),
      RUNS,
    );
  });

  test("leave each open finding either recurring or resolved", () => {
    fc.assert(
      fc.property(iterations, (given) => {
        eachRound(buildLedger(given), (now, before) => {
          expect(new Set(now.map(({ id }) => id)).size).toBe(now.length);
          const open = before.filter(isOpen).map(({ id }) => id);
          expect(idsWith(now, "recurring", "resolved")).toEqual(open.sort());
        });
      }),
      RUNS,
    );
  });

  test("map each issue to one unresolved finding", () => {
    fc.assert(
      fc.property(iterations, (given) => {
        const { iterations: told } = buildLedger(given);
        for (const [index, { issues: said }] of given.entries()) {
          const different = new Set(
            said.map(({ description, location }) => JSON.stringify([description.trim(), location])),
          );
          expect(told[index]?.filter(isOpen)).toHaveLength(different.size);
        }
      }),
      RUNS,
    );
  });

  test("mark findings as new only once, and as returned only later", () => {
    fc.assert(
      fc.property(iterations, (given) => {
        const known = new Set<string>();
        eachRound(buildLedger(given), (now) => {
          for (const id of idsWith(now, "new", "caused")) expect(known).not.toContain(id);
          for (const id of idsWith(now, "returned")) expect(known).toContain(id);
          for (const { id } of now) known.add(id);
        });
      }),
      RUNS,
    );
  });

  test("never change earlier iterations", () => {
    fc.assert(
      fc.property(iterations, (given) => {
        const all = buildLedger(given);
        expect(buildLedger(given.slice(0, -1)).iterations).toEqual(all.iterations.slice(0, -1));
      }),
      RUNS,
    );
  });

  test("stop as approved exactly for an approving verdict without blockers", () => {
    fc.assert(
      fc.property(iterations, fc.integer({ min: 1, max: 6 }), (given, limit) => {
        const last = given.at(-1);
        const clean = last?.issues.every(({ severity }) => severity !== "blocker") === true && last.approved;
        const { stopped, leadsTo } = afterVerdict({ iterations: given, limit });
        expect(stopped === "approved").toBe(clean);
        expect(leadsTo === "produce").toBe(stopped === null);
        if (given.length >= limit) expect(leadsTo).toBe("complete");
      }),
      RUNS,
    );
  });

  test("reach every state and every reason to stop", () => {
    const seen = new Set<string | null>();
    for (const given of fc.sample(iterations, { ...RUNS, numRuns: 1200 })) {
      for (const mentions of buildLedger(given).iterations) for (const { state } of mentions) seen.add(state);
      seen.add(afterVerdict({ iterations: given, limit: 6 }).stopped);
    }
    const states = ["new", "caused", "recurring", "returned", "resolved"];
    expect(seen).toEqual(new Set([...states, null, "approved", "limit", "recurring", "flipping", "causing"]));
  });
});

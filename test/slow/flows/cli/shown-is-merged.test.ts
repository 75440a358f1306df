import { expect, test } from "vitest";
import { createGitWorkspace } from "../../../../src/adapters/git/git-workspace.ts";
import type { Engine } from "../../../../src/engine/engine.ts";
import { rollDice } from "../../../support/dice.ts";
import { marksIn, STEPS, troubledRun, TROUBLES } from "../../../support/troubled-run.ts";

const SEEDS = Array.from({ length: 16 }, (_, at) => at + 1);

/** Marks in the merge that were not shown and that the run does not name. */
async function unseen(seed: number, plant?: (engine: Engine) => Engine): Promise<string[]> {
  const { merged, read, did, reached: pairs } = await troubledRun(seed, rollDice(seed), plant);
  const seen = new Set(marksIn(read));
  for (const what of [...did.map((one) => one.split(" ")[0] ?? ""), ...pairs]) reached.add(what);
  mergedMarks += merged.length;
  return merged.filter((mark) => !seen.has(mark)).map((mark) => `${mark} of ${did.join(", ")}`);
}

const reached = new Set<string>();
let mergedMarks = 0;

test.each(SEEDS)("shows or names every merged byte: seed %d", async (seed) => {
  expect(await unseen(seed)).toEqual([]);
});

test("covers every outside change at every step", () => {
  expect([...reached]).toEqual(expect.arrayContaining([...TROUBLES, "continue", "review"]));
  const pairs = STEPS.flatMap((step) => TROUBLES.map((what) => `${what} at ${step}`));
  expect(pairs.filter((pair) => !reached.has(pair))).toEqual([]);
  expect(mergedMarks).toBeGreaterThan(SEEDS.length * 2);
});

test("catches an engine that commits the working tree unchecked", async () => {
  const taken: (engine: Engine) => Engine = (engine) => ({
    ...engine,
    vcs: engine.vcs && {
      ...engine.vcs,
      compose: async (request) => {
        const now = await createGitWorkspace(engine.root, { run: engine.run, env: process.env }).now([
          ...request.include,
        ]);
        return (engine.vcs as NonNullable<Engine["vcs"]>).compose({ ...request, to: now ?? request.to });
      },
    },
  });
  const found: string[] = [];
  for (const seed of SEEDS) {
    found.push(...(await unseen(seed, taken)));
    if (found.length > 0) break;
  }
  expect(found).not.toEqual([]);
});

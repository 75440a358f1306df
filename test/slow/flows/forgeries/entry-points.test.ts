import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";
import {
  allRows,
  CLONE_KINDS,
  createStage,
  ENTRY_POINT_NAMES,
  type Row,
  someRows,
  type Stage,
} from "./entry-points.ts";

/** Set by `npm run forgeries -- --all`, which takes about an hour. */
const IS_EVERY_ROW = process.env["ISDLC_FORGERY_ROWS"] === "all";
/** Repositories verified at the same time: each verification mostly waits for git. */
const AT_ONCE = 4;
const GROUP_TIMEOUT_MS = IS_EVERY_ROW ? 3_600_000 : 300_000;

const base = mkdtempSync(join(tmpdir(), "isdlc-entry-points-"));
let stage: Stage;
beforeAll(async () => {
  stage = createStage(base, await builtProgram());
});
afterAll(() => removeTemporary(base));

const rows = IS_EVERY_ROW ? allRows() : someRows();
const byPlace = new Map<string, Row[]>();
for (const row of rows) {
  const place = `${row.entryPoint}, ${row.kind} clone, ${row.digits} digits`;
  byPlace.set(place, [...(byPlace.get(place) ?? []), row]);
}
const groups = [...byPlace].map(([place, found]) => [`${place}, ${found.length} cases`, found] as const);

/** Names and output of the rows that ended in another way than expected. */
async function checkAll(found: readonly Row[]): Promise<string[]> {
  const left = [...found];
  const unexpected: string[] = [];
  const work = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const difference = await stage.check(row);
      if (difference !== null) unexpected.push(`${row.source.name} (${row.source.code ?? "accepted"}): ${difference}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return unexpected;
}

describe("in real repositories", () => {
  test("every entry point meets every kind of clone and of ids", () => {
    expect(groups.length).toBe(ENTRY_POINT_NAMES.length * CLONE_KINDS.length * 2);
    expect(rows.length).toBeGreaterThan(250);
  });

  test.for(groups)("gives the expected verdict and reason: %s", { timeout: GROUP_TIMEOUT_MS }, async ([, found]) => {
    expect(await checkAll(found)).toEqual([]);
  });
});

import { createHash } from "node:crypto";
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

/** Set by `npm run forgeries -- --all`: `3/16` is the third of 16 equal parts of all rows, `1/1` are all. */
const PART = /^([1-9]\d*)\/([1-9]\d*)$/.exec(process.env["ISDLC_FORGERY_ROWS"] ?? "");
/** Repositories verified at the same time: each verification mostly waits for git. */
const AT_ONCE = 4;
const GROUP_TIMEOUT_MS = PART === null ? 300_000 : 7_200_000;

const base = mkdtempSync(join(tmpdir(), "isdlc-entry-points-"));
let stage: Stage;
beforeAll(async () => {
  stage = createStage(base, await builtProgram());
});
afterAll(() => removeTemporary(base));

const rows = PART === null ? someRows() : partOfRows(allRows(), Number(PART[1]), Number(PART[2]));
const byPlace = new Map<string, Row[]>();
for (const row of rows) {
  const place = `${row.entryPoint}, ${row.kind} clone, ${row.digits} digits`;
  byPlace.set(place, [...(byPlace.get(place) ?? []), row]);
}
const groups = [...byPlace].map(([place, found]) => [`${place}, ${found.length} cases`, found] as const);

/** Rows whose place in a fixed shuffled order is `part` modulo `parts`. */
function partOfRows(all: readonly Row[], part: number, parts: number): Row[] {
  const place = (row: Row): string => `${row.source.name} ${row.entryPoint} ${row.kind} ${row.digits}`;
  const hash = (row: Row): string => createHash("sha256").update(place(row)).digest("hex");
  const shuffled = all.map((row) => ({ row, hash: hash(row) })).toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  return shuffled.filter((_row, index) => index % parts === part % parts).map(({ row }) => row);
}

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
    console.log(`${rows.length} of ${allRows().length} rows`);
  });

  test.for(groups)("gives the expected verdict and reason: %s", { timeout: GROUP_TIMEOUT_MS }, async ([, found]) => {
    expect(await checkAll(found)).toEqual([]);
  });
});

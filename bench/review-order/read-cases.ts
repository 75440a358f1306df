import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ReviewFile } from "../../src/core/review-order/review-order.ts";

/** A change with lines that a later fix removed. The format is described in docs/performance.md. */
export type ReviewCase = {
  readonly set: string;
  readonly repo: string;
  readonly files: readonly CaseFile[];
  /** Changed lines above the first defective line of a file, by index of the file. */
  readonly firstDefects: ReadonlyMap<number, number>;
};

export type CaseFile = ReviewFile & { readonly index: number };

/**
 * Reads cases from JSON Lines, compressed or not.
 * @throws Error if a line is not a case, or if a case has no defect.
 */
export function readCases(file: string): ReviewCase[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === GZIP[0] && bytes[1] === GZIP[1] ? gunzipSync(bytes) : bytes).toString("utf8");
  const [head, ...rows] = text.split("\n").filter((line) => line !== "");
  const fields = (JSON.parse(head ?? "{}") as { fileFields?: readonly string[] }).fileFields;
  if (fields === undefined) throw new Error(`${file}: the first line has no fileFields`);
  const cases = rows.map((row, at) => toCase(JSON.parse(row) as Row, { fields, where: `${file}:${at + 2}` }));
  if (cases.length === 0) throw new Error(`${file} has no cases`);
  return cases;
}

const GZIP = [0x1f, 0x8b];

type Row = {
  readonly set: string;
  readonly repo: string;
  readonly files: readonly (readonly unknown[])[];
  readonly defects: readonly (readonly [file: number, hunk: number, before: number, line: number])[];
};

type RowSource = { readonly fields: readonly string[]; readonly where: string };

function toCase({ set, repo, files: rows, defects }: Row, { fields, where }: RowSource): ReviewCase {
  const named = rows.map((row) => Object.fromEntries(fields.map((field, at) => [field, row[at]])));
  const firstDefects = new Map<number, number>();
  for (const [index, hunk, before] of defects) {
    const hunks = numbers(named[index]?.["hunks"], where);
    const read = hunks.slice(0, hunk).reduce((sum, lines) => sum + lines, 0) + before;
    firstDefects.set(index, Math.min(read, firstDefects.get(index) ?? Number.POSITIVE_INFINITY));
  }
  if (firstDefects.size === 0) throw new Error(`${where}: the case has no defective line`);
  return { set, repo, files: named.map((file, index) => toFile(file, { index, where })), firstDefects };
}

function toFile(
  file: Readonly<Record<string, unknown>>,
  { index, where }: { readonly index: number; readonly where: string },
): CaseFile {
  const { path, added, removed, branching, binary = 0, generated = 0 } = file;
  if (typeof path !== "string") throw new Error(`${where}: a file has no path`);
  const [lines, gone, deciding] = numbers([added, removed, branching], where);
  return {
    index,
    path,
    added: lines ?? 0,
    removed: gone ?? 0,
    deciding: deciding ?? 0,
    isBinary: binary === 1,
    generated: generated === 1 ? "its first lines, or an attribute, say that it is generated" : null,
  };
}

function numbers(values: unknown, where: string): number[] {
  if (!Array.isArray(values) || values.some((value) => typeof value !== "number"))
    throw new Error(`${where}: line counts must be numbers`);
  return values as number[]; // each was checked
}

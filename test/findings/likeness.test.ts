import { describe, expect, test } from "vitest";
import { likeness, type ComparedText } from "../../src/core/findings/likeness.ts";
import { isSameFile, parseLocation } from "../../src/core/findings/location.ts";
import { parseWording } from "../../src/core/findings/wording.ts";
import { OTHER_FINDING, SAME_FINDING, UNSEEN_REWORDINGS } from "./rewordings.ts";

const at = (location: string | null, description: string): ComparedText => {
  const place = parseLocation(location);
  return { place, wording: parseWording({ description, location, file: place.file }) };
};
const onOneFile = (one: string, other: string): number =>
  likeness(at("src/upload.ts:10", one), at("src/upload.ts:25", other));

describe("likeness", () => {
  test.each(SAME_FINDING)("matches %j with %j", (one, other) => {
    expect(onOneFile(one, other)).toBeGreaterThan(0);
    expect(onOneFile(other, one)).toBe(onOneFile(one, other));
  });

  test.each(OTHER_FINDING)("distinguishes %j from %j", (one, other) => {
    expect(onOneFile(one, other)).toBe(0);
    expect(onOneFile(other, one)).toBe(0);
  });

  test("distinguishes each finding of the tables from all others", () => {
    const rows = [...SAME_FINDING, ...UNSEEN_REWORDINGS];
    const merged = rows.flatMap((row, index) =>
      rows.slice(index + 1).flatMap((other) => row.flatMap((one) => other.filter((two) => onOneFile(one, two) > 0))),
    );
    expect(merged).toEqual([]);
  });

  test("matches at least 70 % of unseen rewordings", () => {
    const found = UNSEEN_REWORDINGS.filter(([one, other]) => onOneFile(one, other) > 0);
    expect(found.length / UNSEEN_REWORDINGS.length).toBeGreaterThanOrEqual(0.7);
  });

  test.for<[string, string | null, string | null, number]>([
    ["a different file", "src/a.ts:1", "src/b.ts:1", 0],
    ["a shortened path", "src/a.ts:1", "a.ts:90", 1],
    ["an absolute and a relative path", "/tmp/tree/src/a.ts", "./src/a.ts#L3", 1],
    ["a path that only ends alike", "src/extra.ts", "src/tra.ts", 0],
    ["one missing location", "src/a.ts:1", null, 1],
    ["no location", null, null, 1],
    ["a different section", "section 2", "section 5", 0],
    ["the same section of a file", "design.md, section 2", "design.md (section 2, line 40)", 1],
    ["a different section of a file", "design.md, section 2", "design.md, section 5", 0],
  ])("compares equal words with %s", ([, one, other, score]) => {
    const words = "Acceptance criteria are missing here";
    expect(likeness(at(one, words), at(other, words))).toBe(score);
  });

  test("requires more similarity if only one location names a file", () => {
    const [one, other] = ["The API key is hard-coded", "Hard-coded API key must be moved to the configuration"];
    expect(likeness(at("src/a.ts", one), at("src/a.ts", other))).toBeGreaterThan(0);
    expect(likeness(at("src/a.ts", one), at(null, other))).toBe(0);
  });
});

test.each([
  ["src/a.ts:42", "src/a.ts", 42],
  ["./src/a.ts:42:7", "src/a.ts", 42],
  ["src/a.ts:42-50", "src/a.ts", 42],
  ["src/a.ts#L42-L50", "src/a.ts", 42],
  ["`src/a.ts` (line 42)", "src/a.ts", 42],
  ["In src/a.ts, lines 42-50", "src/a.ts", 42],
  [String.raw`src\win\a.ts:3`, "src/win/a.ts", 3],
  ["app/[id]/page.tsx:8", "app/[id]/page.tsx", 8],
  ["Makefile:12", "Makefile", 12],
  ["design.md, section 3", "design.md", null],
  ["design.md § Interfaces", "design.md", null],
  ["Section 3", null, null],
  ["line 42", null, 42],
  ["the whole document", null, null],
  ["", null, null],
  [null, null, null],
])("parses the location %j as file %j, line %j", (location, file, line) => {
  expect(parseLocation(location)).toEqual({ file, line });
});

test("matches a short path only at a folder boundary", () => {
  expect(isSameFile("src/a/index.ts", "a/index.ts")).toBe(true);
  expect(isSameFile("src/aa/index.ts", "a/index.ts")).toBe(false);
});

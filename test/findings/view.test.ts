import { expect, test } from "vitest";
import { buildLedger } from "../../src/core/findings/ledger.ts";
import type { Issue } from "../../src/schema/agent.ts";
import { renderFindings } from "../../src/views/reviews.ts";

const issue = (severity: Issue["severity"], description: string, location: string | null): Issue => ({
  severity,
  description,
  location,
});
const leak = issue("blocker", "The file handle is never closed", "./src/a.ts:10");
const bound = issue("blocker", "The retry loop has no upper bound", "src/b.ts");
const secret = issue("blocker", "The password is written to the log", "section 3");
const naming = issue("note", "The name `x` says little", null);
const round = (...issues: Issue[]) => ({ issues, approved: false, changed: ["src/b.ts"] });

test("prints one line per finding: open ones first, then blockers", () => {
  const iterations = [round(leak, naming, secret), round(naming, secret), round(bound, leak, naming)];
  expect(renderFindings(buildLedger(iterations))).toEqual([
    "F1  blocker  src/a.ts:10  came back  The file handle is never closed",
    "F4  blocker  src/b.ts  caused by the last fix  The retry loop has no upper bound",
    "F3  note  recurring  The name `x` says little",
    "F2  blocker  section 3  resolved  The password is written to the log",
  ]);
});

test("prints hostile text of a reviewer as one plain line", () => {
  const hostile = issue(
    "blocker",
    "\u001b[2Jgone\r\nF9  note\u202e resolved\u0007",
    "\u001b]0;title\u0007src/a.ts:3\n\u001b[31m",
  );
  const ledger = buildLedger([round(hostile)]);
  const shown = renderFindings(ledger);
  expect(shown).toHaveLength(1);
  for (const line of shown) {
    expect(line).not.toMatch(/\p{Cc}|\u202e/u);
    expect(line).toContain("␛[2Jgone F9 note<U+202E> resolved␇");
  }
});

test("limits the length of a line", () => {
  const [line] = renderFindings(
    buildLedger([round(issue("blocker", "long ".repeat(800), `${"a/".repeat(200)}b.ts:1`))]),
  );
  expect(line?.length).toBeLessThan(400);
});

import { expect, test } from "vitest";
import { listAnswers } from "../../src/app/answer/answer.ts";
import { toCharts, type RunFigures } from "../../src/views/page/charts.ts";
import { diffFiles, type DiffLimits } from "../../src/views/page/diff-files.ts";
import { runDetail } from "../../src/views/page/run-detail.ts";
import { buildTimeline, buildStory } from "../../src/views/page/timeline.ts";
import { RunDetail } from "../../src/schema/api.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  completed,
  everyPhase,
  keeps,
  report,
  startRun,
} from "../support/run-builder.ts";
import { listFailures } from "../../src/views/page/gate-view.ts";

const hash = (text: string): string => text.length.toString(16).padStart(16, "0");

const PATCH = `diff --git a/README.md b/README.md
index 1..2 100644
--- a/README.md
+++ b/README.md
@@ -1 +1,2 @@
 # Sample
+More
diff --git a/src/a b.ts b/src/a b.ts
new file mode 100644
index 0..3
--- /dev/null
+++ b/src/a b.ts\t
@@ -0,0 +1,2 @@
+--- not a header
++++ nor this
diff --git a/old.ts b/src/new.ts
similarity index 100%
rename from old.ts
rename to src/new.ts
diff --git "a/src/\\303\\244.bin" "b/src/\\303\\244.bin"
index 1..2 100644
Binary files "a/src/\\303\\244.bin" and "b/src/\\303\\244.bin" differ
diff --git a/my icon.png b/my icon.png
index 1..2 100644
Binary files a/my icon.png and b/my icon.png differ
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
index 1..0
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/BACKLOG.md b/BACKLOG.md
index 1..2 100644
--- a/BACKLOG.md
+++ b/BACKLOG.md
@@ -1 +1 @@
-a
+b
`;

test("lists files of a patch in review order, then files written by isdlc", () => {
  const { files } = diffFiles(PATCH, hash);
  expect(
    files.map(({ path, was, change, added, removed, isBinary }) => [path, was, change, added, removed, isBinary]),
  ).toEqual([
    ["gone.ts", null, "deleted", 0, 1, false],
    ["src/a b.ts", null, "added", 2, 0, false],
    ["src/new.ts", "old.ts", "renamed", 0, 0, false],
    ["README.md", null, "modified", 1, 0, false],
    ["my icon.png", null, "modified", 0, 0, true],
    ["src/ä.bin", null, "modified", 0, 0, true],
    ["BACKLOG.md", null, "modified", 1, 1, false],
  ]);
  expect(files.filter(({ isBookkeeping }) => isBookkeeping).map(({ path }) => path)).toEqual(["BACKLOG.md"]);
  expect(files[1]?.patch.startsWith("@@ -0,0 +1,2 @@\n+--- not a header")).toBe(true);
  expect(diffFiles("", hash)).toEqual({ files: [], groups: [], orders: { tree: [], name: [] } });
});

test("lists all files of a patch beyond the limits, cuts after whole lines, and states the missing bytes", () => {
  const file = (name: string, ...lines: readonly string[]): string =>
    `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1,2 @@\n${lines.join("\n")}\n`;
  const patch = file("a.ts", "-é", "\\ No newline at end of file", "+b", "+c") + file("b.ts", "-d", "+e");
  const shown = (limits: DiffLimits) =>
    diffFiles(patch, hash, { limits }).files.map((one) => [one.isCut, one.patch, one.notShown]);
  expect(shown({ fileChars: 22, diffChars: 100 })).toEqual([
    [true, "@@ -1 +1,2 @@\n", "38 of 52 bytes of the diff"], // never a line without git's note about it
    [false, "@@ -1 +1,2 @@\n-d\n+e\n", ""],
  ]);
  expect(shown({ fileChars: 100, diffChars: 54 })).toEqual([
    [false, expect.stringContaining("+c\n"), ""],
    [true, "", "20 of 20 bytes of the diff"],
  ]);
});

test("ignores a carriage return inside a line", () => {
  const hidden =
    "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\rdiff --git a/b b/b\r@@ -1 +1 @@\n";
  expect(diffFiles(hidden, hash).files).toMatchObject([
    { path: "a.ts", added: 1, removed: 1, patch: "@@ -1 +1 @@\n-x\n+y␍diff --git a/b b/b␍@@ -1 +1 @@\n" },
  ]);
});

test("finds the file and line of each failure, if its report has them", () => {
  const failing = [
    { name: "totals", message: "expected 1\n    at total (/tree/src/cart.ts:12:5)" },
    { name: "no place", message: null },
    { name: "a clock is no file", message: "at 12:30 it was 5.5:1" },
  ];
  const checks = [
    { name: "tests", ok: false, detail: "3 failed", failing },
    { name: "lint", ok: false, detail: "test/cart.test.ts:3 unused" },
    { name: "artifacts", ok: true, detail: "src/a.ts:1" },
    { name: "not measured", ok: null, detail: "src/a.ts:1" },
  ];
  expect(listFailures(checks).map(({ name, file, line }) => [name, file, line])).toEqual([
    ["totals", "tree/src/cart.ts", 12],
    ["no place", null, null],
    ["a clock is no file", null, null],
    ["lint", "test/cart.test.ts", 3],
  ]);
});

test("lists a failure once, even if two checks results name it", () => {
  const check = { name: "tests", ok: false, detail: "1 failed", failing: [{ name: "totals", message: "expected 1" }] };
  const lint = { name: "lint", ok: false, detail: "unused" };
  expect(listFailures([check, lint, check]).map(({ check: by, name }) => [by, name])).toEqual([
    ["tests", "totals"],
    ["lint", "lint"],
  ]);
});

test("returns a span with outcome for each attempt, agent, check, review and wait", () => {
  const player = startRun({ supervision: everyPhase });
  report(advance(player, "complete"), completed(keeps));
  const spans = buildTimeline(player.events).map(({ kind, name, outcome, to }) => [kind, name, outcome, to !== null]);
  expect(spans).toContainEqual(["attempt", "01-requirements#1", "completed", true]);
  expect(spans).toContainEqual(["check", "checks", "passed", true]);
  expect(spans.at(-1)).toEqual(["wait", "gate", null, false]);
  accepted(player, { do: "continue", by: ada, wait: activeRun(player).wait?.id ?? "", shown: "shown-1" });
  expect(buildTimeline(player.events).findLast(({ kind }) => kind === "wait")).toMatchObject({ outcome: "continue" });
});

test("returns the story in parts without gaps", () => {
  const player = advance(startRun(), "done");
  const whole = buildStory(player.events, 0);
  expect(whole.next).toBeNull();
  expect(whole.entries).toHaveLength(player.events.length);
  expect(buildStory(player.events, 5).entries[0]?.seq).toBe(5);
  expect(whole.entries.every(({ text }) => text !== "")).toBe(true);
});

test("fits the run schema at every stage of a run", () => {
  const player = startRun({ supervision: everyPhase });
  const place = { tree: "tree", path: "/tree", item: null, isHere: true };
  let looked = 0;
  for (const until of ["produce", "check", "review", "gate", "finish", "done"] as const) {
    if (until === "gate") report(advance(player, "complete"), completed(keeps));
    advance(player, until);
    if (player.state.is === "none") throw new Error("no run");
    const options = player.state.is === "active" ? listAnswers(player.state) : [];
    const detail = runDetail(player.state, { place, isDriven: true, events: player.events, options, shown: "s" });
    expect(RunDetail.parse(JSON.parse(JSON.stringify(detail)))).toEqual(detail);
    expect(detail.wait?.options.every(({ label, effect }) => label !== "" && effect !== "") ?? true).toBe(true);
    looked++;
  }
  expect(looked).toBe(6);
});

const figures = (minutes: number | null, isRedone: boolean, gate: number): RunFigures => ({
  run: {
    id: "20260105-101500123-k3f9",
    title: "t",
    workflow: "change",
    endedAt: "",
    how: "merged",
    minutes,
    usd: null,
    tokens: null,
    redos: 0,
  },
  phases: [{ phase: "plan", name: "Plan", minutes, isRedone }],
  gates: [{ phase: "plan", name: "Plan", minutes: gate }],
  findings: [{ reviewer: "r", severity: "note" }],
});

test("computes median and slowest for charts and ignores unknown values", () => {
  const { leadTime, gates, redoRate, findings } = toCharts([
    figures(10, false, 1),
    figures(30, true, 5),
    figures(null, false, 9),
    figures(20, false, 3),
  ]);
  expect(leadTime).toEqual([{ phase: "plan", name: "Plan", median: 20, slowest: 30, runs: 3 }]);
  expect(gates).toEqual([{ phase: "plan", name: "Plan", median: 4, slowest: 9, answers: 4 }]);
  expect(redoRate).toEqual([{ phase: "plan", name: "Plan", redone: 1, completed: 4 }]);
  expect(findings).toEqual([{ reviewer: "r", blocker: 0, warning: 0, note: 4 }]);
  expect(toCharts([]).leadTime).toEqual([]);
});

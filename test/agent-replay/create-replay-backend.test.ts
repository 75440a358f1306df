import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createReplayBackend } from "../../src/adapters/agents/replay/backend.ts";
import { parseRecording, type Recording } from "../../src/adapters/agents/replay/recording.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import { agentTask, collect, describeBackend } from "../contracts/agent-backend.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const PHASE = "03-architecture";

describeBackend("replay", ({ says, writes, hangs, result, verdict, usage }) => {
  const spoken = says.map((say) => ({ say }));
  const wait = hangs ? [{ after: 600_000 }] : [];
  const executions = [
    { phase: PHASE, role: "phase", steps: [...spoken, ...writes.map((write) => ({ write })), ...wait], result, usage },
    { phase: PHASE, role: "reviewer", steps: [...spoken, ...wait], verdict, usage },
  ];
  return createReplayBackend(parseRecording(JSON.stringify({ recording: 1, executions })));
});

let cwd = "";
let outside = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "replay-"));
  outside = mkdtempSync(join(tmpdir(), "outside-"));
});
afterEach(() => {
  for (const folder of [cwd, outside]) removeTemporary(folder);
});

const result = { status: "done" as const };
const recorded = (executions: readonly object[]): Recording =>
  parseRecording(JSON.stringify({ recording: 1, executions }));
const play = (recording: Recording, task: Partial<AgentTask> = {}, speed = Infinity) =>
  collect(createReplayBackend(recording, { speed }).run(agentTask({ cwd, ...task }), new AbortController().signal));

describe("recording", () => {
  const summaries = recorded([
    { phase: PHASE, role: "phase", attempt: 1, iteration: 1, result: { ...result, summary: "first" } },
    { phase: PHASE, role: "phase", attempt: 1, iteration: 2, result: { ...result, summary: "second turn" } },
    { phase: PHASE, role: "phase", attempt: 2, result: { ...result, summary: "redone" } },
    { phase: "05-code", role: "phase", artifact: "{item}/tasks.md", result: { ...result, summary: "tasks" } },
    { phase: "05-code", role: "phase", result: { ...result, summary: "whenever" } },
  ]);
  const code = { phase: "05-code", attempt: "05-code#1", item: "docs/x" } as const;

  test.each<[string, Partial<AgentTask>, string]>([
    ["attempt and turn", { attempt: `${PHASE}#1`, iteration: 1 }, "first"],
    ["a later turn", { attempt: `${PHASE}#1`, iteration: 2 }, "second turn"],
    ["any turn of an attempt", { attempt: `${PHASE}#2`, iteration: 7 }, "redone"],
    ["the required file", { ...code, artifacts: ["docs/x/tasks.md"] }, "tasks"],
    ["any other file", { ...code, artifacts: ["docs/x/plan.md"] }, "whenever"],
    ["any attempt", { phase: "05-code", attempt: "05-code#9", iteration: 3 }, "whenever"],
  ])("is found by %s", async (_, task, summary) => {
    expect((await play(summaries, task)).ends).toMatchObject([{ how: "result", result: { summary } }]);
  });

  test.each<[string, Partial<AgentTask>]>([
    ["attempt", { attempt: `${PHASE}#3` }],
    ["turn", { iteration: 3 }],
    ["role", { role: "reviewer" }],
    ["phase", { phase: "01-requirements" }],
  ])("fails without a matching %s and reports the gap", async (_, task) => {
    const { ends } = await play(summaries, task);
    expect(ends).toMatchObject([{ how: "failed", reason: "no_result", again: false }]);
    expect(ends).toMatchObject([{ detail: expect.stringContaining("the recording has nothing for") }]);
  });

  test("writes, overwrites and deletes files in the item's folder", async () => {
    writeFileSync(join(cwd, "old.md"), "old");
    writeFileSync(join(cwd, "gone.md"), "gone");
    const steps = [
      { write: { path: "{item}/made.md", contents: "made" } },
      { write: { path: "old.md", contents: "new" }, delete: "gone.md" },
      { delete: "never/was.md" },
    ];
    const artifacts = ["{item}/made.md"];
    const { ends } = await play(recorded([{ phase: PHASE, role: "phase", steps, result: { ...result, artifacts } }]), {
      item: "docs/x",
    });
    expect(ends).toMatchObject([{ result: { artifacts: ["docs/x/made.md"] } }]);
    expect(readFileSync(join(cwd, "docs/x/made.md"), "utf8")).toBe("made");
    expect(readFileSync(join(cwd, "old.md"), "utf8")).toBe("new");
    expect(existsSync(join(cwd, "gone.md"))).toBe(false);
  });

  test("is played at the given speed", async () => {
    const steps = [{ after: 60_000, say: "a" }];
    const recording = recorded([{ phase: PHASE, role: "phase", steps, result }]);
    const began = performance.now();
    await play(recording, {}, 400);
    expect(performance.now() - began).toBeGreaterThan(140);
    expect(performance.now() - began).toBeLessThan(50_000);
  });
});

describe("paths outside of the working directory", () => {
  const x = `outside-${process.pid}`; // A name that does not exist in the temporary folder.
  test.each([
    `../${x}`,
    join(tmpdir(), x),
    `a/../../${x}`,
    "",
    "a//b",
    "./x",
    `link/${x}`,
    "file-link",
    "folder",
    "..\\x",
  ])("are refused: %j", async (path) => {
    symlinkSync(outside, join(cwd, "link"));
    writeFileSync(join(outside, "target"), "mine");
    symlinkSync(join(outside, "target"), join(cwd, "file-link"));
    mkdirSync(join(cwd, "folder"));
    const recording: Recording = {
      recording: 1,
      executions: [
        {
          phase: PHASE,
          role: "phase",
          usage: null,
          steps: [{ after: 0, write: { path, contents: "owned" } }],
          result: { ...result, summary: "", decisions: [], artifacts: [], questions: [] },
        },
      ],
    };
    const { ends } = await play(recording);
    expect(ends).toMatchObject([{ how: "failed", reason: "agent_failed" }]);
    expect(readFileSync(join(outside, "target"), "utf8")).toBe("mine");
    expect(existsSync(join(outside, x))).toBe(false);
    expect(existsSync(join(cwd, "..", x))).toBe(false);
  });
});

test.each([
  ["invalid JSON", "{"],
  ["a different version", '{"recording":2,"executions":[]}'],
  ["a missing result", '{"recording":1,"executions":[{"phase":"a","role":"phase"}]}'],
  [
    "a reviewer that writes",
    '{"recording":1,"executions":[{"phase":"a","role":"reviewer","verdict":null,"steps":[{"write":{"path":"a","contents":""}}]}]}',
  ],
])("rejects a file with %s", (_, text) => {
  expect(() => parseRecording(text)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ code: "AGENT_MISSING", agent: "replay" }) }),
  );
});

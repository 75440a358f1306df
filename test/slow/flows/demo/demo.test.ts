import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { systemProcessTable } from "../../../../src/adapters/process/process-table.ts";
import type { RunEvent } from "../../../../src/schema/event.ts";
import { type DemoResult, playDemo } from "./play-demo.ts";

const PHASES = 9;

describe("the demo without a terminal", () => {
  let played: DemoResult;
  beforeAll(async () => {
    played = await playDemo();
    process.stdout.write(`the demo's first gate came after ${((played.firstGate ?? NaN) / 1000).toFixed(1)} s\n`);
  });

  test("finishes, even in an agent's terminal", () => {
    expect(played).toMatchObject({ code: 0 });
    expect(played.out).toMatch(/^Finished: Percentage discount with a cap$/m);
    expect(played.out).toMatch(/^Merged into main as [0-9a-f]{12}\.$/m);
  });

  test("announces each answer of the demo script", () => {
    const answers = [...played.out.matchAll(/^demo script answers: (\w+)/gm)].map(([, answer]) => answer);
    expect(answers).toEqual(["redo", "continue", "continue", "continue", "merge"]);
  });

  test("shows the failed check, the rejected draft and the redone work", () => {
    expect(played.out).toMatch(/✗ tests: npm test ended with exit code 1 · discount: half a cent is rounded up/);
    expect(played.out).toContain("✓ split into 5 tasks");
    expect(played.out).toMatch(/✗ reviewer: Nothing says whether free shipping/);
    const [before = "", after = ""] = played.out.split("demo script answers: redo");
    expect(before).not.toContain("AD-3");
    expect(after).toContain("AD-3 Round once, on the sum of the goods");
  });

  // Twice the promised time for a quiet machine, because tests run in parallel.
  test("reaches the first gate within 20 seconds", () => expect(played.firstGate).toBeLessThan(20_000));

  test("leaves no process and no file behind", () => {
    expect(played.left).toEqual({ home: [], temporary: [] });
    expect(listProcesses(played.temporary)).toEqual([]);
  });

  test("prints the next step at the end", () => expect(played.out).toContain("Now try it on your code."));
});

test("prints one object with --json and keeps the project with --keep", async () => {
  const seen: { events: RunEvent[]; merged: string; files: string; tests: string } = {
    events: [],
    merged: "",
    files: "",
    tests: "",
  };
  const { code, out, left } = await playDemo({
    args: ["--json", "--keep"],
    look(temporary) {
      const [folder = ""] = readdirSync(temporary);
      const root = join(temporary, folder, "corner-shop");
      const git = (...args: string[]): string => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" });
      seen.events = readJournal(root);
      seen.merged = git("rev-parse", "main");
      seen.files = git("ls-tree", "-r", "--name-only", "main");
      seen.tests = execFileSync(process.execPath, ["--test"], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      expect(git("status", "--porcelain")).toBe("");
    },
  });
  expect(code).toBe(0);
  const told = JSON.parse(out) as { merged: string; folder: string; gates: unknown[] };
  expect(told).toMatchObject({ ok: true, run: { status: "completed", agent: "replay", supervised: true } });
  expect(told.gates).toMatchObject([
    { phase: "03-architecture", choice: "redo", by: { name: "demo script", channel: "prompt" } },
    { phase: "03-architecture", choice: "continue" },
    { phase: "06-implementation", choice: "continue" },
    { phase: "08-code-review", choice: "continue" },
  ]);
  expect(seen.merged.trim()).toBe(told.merged);
  expect(told.folder).toContain("corner-shop");
  expect(left.temporary).toHaveLength(1);
  expect(seen.files).toContain("src/discount.js");
  expect(seen.tests).toMatch(/fail 0/);

  const { events } = seen;
  const types = events.map(({ type }) => type);
  expect(events.filter((event) => event.type === "gate.answered" && event.choice === "redo")).toHaveLength(1);
  const failed = events.findIndex((event) => event.type === "checks.failed" && hasTests(event, false));
  const passed = events.findIndex(
    (event, at) => at > failed && event.type === "checks.passed" && hasTests(event, true),
  );
  expect(failed).toBeGreaterThan(0);
  expect(passed).toBeGreaterThan(failed);
  expect(events.filter((event) => event.type === "verdict.given" && !event.approved)).toHaveLength(1);
  expect(types.filter((type) => type === "phase.left")).toHaveLength(PHASES);
  expect(events.find((event) => event.type === "sizing.decided")).toMatchObject({ effective: "standard", drop: [] });
  expect(events.find((event) => event.type === "tasks.refined")).toMatchObject({ tasks: 5 });
  expect(types).not.toContain("step.escalated");
});

test.each(["▸ Quick Scan", "runs npm test"])(
  "leaves nothing behind if it is interrupted at %j",
  async (interruptAt) => {
    const { code, left, temporary, out } = await playDemo({ interruptAt });
    expect(code).toBe(130);
    expect(out).not.toContain("Merged into");
    expect(left).toEqual({ home: [], temporary: [] });
    expect(listProcesses(temporary).filter((pid) => !isEnding(pid))).toEqual([]);
    await expect.poll(() => listProcesses(temporary)).toEqual([]);
  },
);

function hasTests(event: Extract<RunEvent, { type: "checks.failed" | "checks.passed" }>, ok: boolean): boolean {
  return event.results.some((result) => result.name === "tests" && result.ok === ok);
}

function readJournal(root: string): RunEvent[] {
  const folder = join(root, ".isdlc", "journal");
  const file = readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "";
  const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
  return lines.flatMap((line) => (JSON.parse(line) as { events: RunEvent[] }).events);
}

/** Processes started with this folder or a subfolder for temporary files. */
function listProcesses(folder: string): number[] {
  if (!existsSync("/proc")) return [];
  const table = systemProcessTable();
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .map(Number)
    .filter((pid) => (table.environment(pid) ?? []).some((entry) => entry.startsWith(`TMPDIR=${folder}`)));
}

const SIGKILL_BIT = 1n << 8n;

/** The kernel may need a moment for a killed process. A remaining git process ends with its input. */
function isEnding(pid: number): boolean {
  const read = (name: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "utf8");
    } catch {
      return ""; // missing
    }
  };
  const pending = [...read("status").matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm)].map(([, bits]) =>
    BigInt(`0x${bits}`),
  );
  return (
    pending.length === 0 || pending.some((bits) => (bits & SIGKILL_BIT) !== 0n) || read("cmdline").startsWith("git\0")
  );
}

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installedHookCommands } from "../src/adapters/agents/installation/hook-commands.ts";
import type { Settings } from "./benches.ts";
import { type Cost, interleave, least, timedWithChildren } from "./measure.ts";
import { programsStarted } from "./programs-started.ts";
import { averagedRatios, type ReportLine, milliseconds, ratios } from "./report.ts";

const EVENT = JSON.stringify({
  session_id: "s",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "npm test 2>&1 | tail -20", description: "Runs the tests" },
});
const MARKER = { run: "20261116-010000000-aaaa", seq: 9, phase: "06-implementation", attempt: "06-implementation#1" };
const REST = { item: "docs/requirements/REQ-0001-a", writes: "tree", wait: null, session: "s", outputs: [], later: [] };
const MANY_EVENTS = 10_000;
const KILOBYTE = 1024;

/** Measures the cost of the hook for each tool call of a session. */
export async function measureHook({ program, scratch, quick }: Settings): Promise<readonly ReportLine[]> {
  const bin = dirname(program());
  const hook = join(bin, "hook.cjs");
  const { closed, start } = installedHookCommands(hook, program());
  const place = (name: string): string => {
    mkdirSync(join(scratch, name, ".isdlc", "journal"), { recursive: true });
    return join(scratch, name);
  };
  const [none, open, long] = [place("hook-none"), place("hook-open"), place("hook-long")];
  for (const folder of [open, long])
    writeFileSync(join(folder, ".isdlc/active"), JSON.stringify({ ...MARKER, ...REST }));
  writeFileSync(join(long, ".isdlc/journal/run.jsonl"), `${"x".repeat(KILOBYTE)}\n`.repeat(MANY_EVENTS));
  const samples = await interleave(quick ? 10 : 60, {
    shell: () => run("sh", ["-c", ":"], none),
    none: () => run("sh", ["-c", closed], none),
    node: () => run(process.execPath, ["-e", "0"], open),
    hook: () => run(process.execPath, [hook, open], open),
    long: () => run(process.execPath, [hook, long], long),
    guarded: () => run("sh", ["-c", closed], open),
    start: () => run("sh", ["-c", start], open),
  });
  const node = `node -e 0, min ${milliseconds(least(samples.node.wall))}`;
  const size = statSync(hook).size / KILOBYTE;
  const isAlone = !/require\("(?!node:)/.test(readFileSync(hook, "utf8"));
  return [
    {
      what: "hook, a run open",
      base: node,
      figures: ratios({ of: samples.hook, to: samples.node }),
      goal: 1.15,
      unit: "x",
    },
    {
      what: "all hooks of a tool call",
      base: node,
      figures: averagedRatios({ of: samples.guarded, to: samples.node }),
      goal: 1.2,
      unit: "x",
    },
    {
      what: "hook at the start of a session",
      base: node,
      figures: averagedRatios({ of: samples.start, to: samples.node }),
      goal: 3,
      unit: "x",
    },
    {
      what: "hook command, no run open",
      base: `sh -c :, min ${milliseconds(least(samples.shell.wall))}`,
      figures: ratios({ of: samples.none, to: samples.shell }),
      goal: 1.5,
      unit: "x",
    },
    {
      what: `hook, ${MANY_EVENTS} events`,
      base: "the same with none",
      figures: ratios({ of: samples.long, to: samples.hook }),
      goal: 1.1,
      unit: "x",
    },
    {
      what: "hook, its file",
      base: isAlone ? "no dependencies" : "WITH dependencies",
      figures: [{ name: "", value: size }],
      goal: 20,
      unit: " kB",
    },
    ...processLines(closed, open),
  ];
}

/**
 * Counts only processes of Node, which cause the cost. The shell belongs to the host, and `timeout` is a small
 * program.
 */
function processLines(command: string, cwd: string): readonly ReportLine[] {
  const started = programsStarted({ command, cwd, env: environment(cwd), input: EVENT });
  if (started === null) return [];
  const isNode = (name: string): boolean => name === "node";
  const others = started.filter((name) => !isNode(name)).join(" and ");
  const value = started.filter(isNode).length;
  return [
    { what: "hook, processes of Node", base: `besides ${others}`, figures: [{ name: "", value }], goal: 1, unit: "" },
  ];
}

const environment = (cwd: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: cwd,
  CLAUDE_PROJECT_DIR: cwd,
});

const run = (command: string, args: readonly string[], cwd: string): Promise<Cost> =>
  timedWithChildren(() => {
    const { status } = spawnSync(command, [...args], { cwd, env: environment(cwd), input: EVENT });
    if (status !== 0) throw new Error(`${command} ended with ${status}`);
  });

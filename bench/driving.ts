import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "./benches.ts";
import { newRepository } from "./git-place.ts";
import { type Cost, createNodeRunner, mean, median } from "./measure.ts";
import type { ReportLine } from "./report.ts";

type PhaseCost = { readonly phase: string; readonly cpu: number; readonly driver: number | null };

type Driven = Cost & { readonly rss: number; readonly told: readonly PhaseCost[]; readonly gits: number };

/** Measures the cost of driving a run, with an agent that does almost nothing. */
export function measureDriving(settings: Settings): readonly ReportLine[] {
  driveRun(settings, 0); // fills the cache of compiled code
  const rounds = Array.from({ length: settings.quick ? 1 : 5 }, (_, round) => driveRun(settings, round + 1));
  const perPhase = rounds.map(({ cpu, told }) => (cpu ?? 0) / phasesIn(told));
  const agents = rounds.flatMap(({ told }) => told.map(({ cpu }) => cpu));
  const memory = rounds.flatMap(({ told }) => told.flatMap(({ driver }) => driver ?? []));
  const [first] = rounds;
  const count = `${phasesIn(first?.told ?? [])} phases, ${first?.told.length ?? 0} executions`;
  return [
    {
      what: `CPU of isdlc per phase (${count})`,
      base: "an agent that answers at once",
      figures: [{ name: "p50", value: median(perPhase) }],
      goal: 100,
      unit: " ms",
    },
    {
      what: "git processes per phase, about half of that CPU", // independent of the load of the machine
      base: "-",
      figures: [{ name: "p50", value: median(rounds.map(({ gits, told }) => gits / phasesIn(told))) }],
      goal: 12,
      unit: "",
    },
    {
      what: "CPU of that agent per execution",
      base: "-",
      figures: [{ name: "mean", value: mean(agents) }],
      goal: null,
      unit: " ms",
    },
    {
      what: "wall time per phase, git included",
      base: "-",
      figures: [{ name: "p50", value: median(rounds.map(({ wall, told }) => wall / phasesIn(told))) }],
      goal: 200,
      unit: " ms",
    },
    {
      what: "memory of isdlc while an agent runs",
      base: "-",
      figures: [
        { name: "max RSS", value: Math.max(...(memory.length > 0 ? memory : rounds.map(({ rss }) => rss / 1000))) },
      ],
      goal: 80,
      unit: " MB",
    },
  ];
}

function driveRun({ program, root, scratch }: Settings, round: number): Driven {
  const { tree, env } = newRepository(scratch, `driving-${round}`, 200);
  const log = join(scratch, `driving-${round}.jsonl`);
  const agent = [process.execPath, join(root, "bench", "instant-agent.mjs"), log].map((part) => `"${part}"`).join(" ");
  const counted = join(scratch, `driving-${round}.gits`);
  const args = [
    "--require",
    gitCounter(scratch, counted),
    program(),
    "feature",
    "Show the opening hours",
    "--agent-command",
    agent,
    "--tests",
    "without",
    "--yes",
    "--json",
  ];
  // the agent writes its measurements outside of the working tree, which a sandbox would prevent
  const cost = createNodeRunner(scratch)({ args, cwd: tree, env: { ...env, ISDLC_SANDBOX: "off" } });
  const told = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PhaseCost);
  return { ...cost, told, gits: readFileSync(counted, "utf8").length };
}

/** Creates a module that adds one byte to the file for each git process started. */
function gitCounter(scratch: string, file: string): string {
  const counter = join(scratch, "git-counter.cjs");
  writeFileSync(
    counter,
    `const processes = require("node:child_process");
const { spawn } = processes;
let started = "";
processes.spawn = (program, ...rest) => {
  if (program === "git") started += ".";
  return spawn(program, ...rest);
};
process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(file)}, started));
`,
  );
  return counter;
}

const phasesIn = (told: readonly PhaseCost[]): number => new Set(told.map(({ phase }) => phase)).size;

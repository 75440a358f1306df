import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "./benches.ts";
import { newRepository } from "./git-place.ts";
import { type Cost, createNodeRunner, mean, median } from "./measure.ts";
import type { Line } from "./report.ts";

type Told = { readonly role: string; readonly cpu: number; readonly driver: number | null };

type Driven = Cost & { readonly rss: number; readonly told: readonly Told[] };

/** What driving a run costs beside the agents that do the work: here one that does next to nothing. */
export function measureDriving(settings: Settings): readonly Line[] {
  const rounds = Array.from({ length: settings.quick ? 1 : 5 }, (_, round) => driveRun(settings, round));
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
      goal: 150,
      unit: " ms",
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
      goal: null,
      unit: " ms",
    },
    {
      what: "memory of isdlc while an agent runs",
      base: "-",
      figures: [{ name: "p50 RSS", value: median(memory.length > 0 ? memory : rounds.map(({ rss }) => rss / 1000)) }],
      goal: 80,
      unit: " MB",
    },
  ];
}

function driveRun({ program, root, scratch }: Settings, round: number): Driven {
  const { tree, env } = newRepository(scratch, `driving-${round}`, 200);
  const log = join(scratch, `driving-${round}.jsonl`);
  const agent = [process.execPath, join(root, "bench", "instant-agent.mjs"), log].map((part) => `"${part}"`).join(" ");
  const args = [
    program(),
    "feature",
    "Show the opening hours",
    "--agent-command",
    agent,
    "--tests",
    "without",
    "--json",
  ];
  const cost = createNodeRunner(scratch)({ args, cwd: tree, env });
  const told = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Told);
  return { ...cost, told };
}

const phasesIn = (told: readonly Told[]): number => told.filter(({ role }) => role === "phase").length;

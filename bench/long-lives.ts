import type { Settings } from "./benches.ts";
import { writeItems } from "./detection.ts";
import { newRepository, type BenchRepository } from "./git-place.ts";
import { type Cost, createNodeRunner, interleave, timed } from "./measure.ts";
import { type ReportLine, ratios } from "./report.ts";
import { bringToRest, cancelRun, finishRuns, growRun, runId } from "./sample-run.ts";

type Life = { readonly runs: number; readonly events: number };

const FULL: Life = { runs: 10_000, events: 100_000 };
const SMALL: Life = { runs: 1_000, events: 10_000 };

/** Frequent commands. The young and the old place contain the same items. */
const VERBS: readonly (readonly string[])[] = [["status"], [], ["history"]];

/** Measures the program in a place with many finished runs, compared to an almost empty one. */
export async function measureLongLives(settings: Settings): Promise<readonly ReportLine[]> {
  const { root, scratch, quick, large } = settings;
  const life = large ? FULL : SMALL;
  const young = await livedIn(settings, "young", { runs: 1, events: 20 });
  const old = await livedIn(settings, "old", life);
  const run = createNodeRunner(scratch);
  const program = settings.program();
  const call = ({ tree, env }: BenchRepository, verb: readonly string[]) =>
    run({ args: [program, ...verb], cwd: tree, env });
  const started = { young: 2, old: life.runs + 1 };
  /** Includes the work of each start: archiving the previous run, and packing one of the oldest. */
  const start = async (name: keyof typeof started, place: BenchRepository): Promise<Cost> => {
    const { tree, env } = place;
    await cancelRun(place, runId(started[name]));
    started[name]++;
    const began = await timed(() => growRun(root, place, { events: 2, after: started[name] - 1 }));
    await bringToRest(place, runId(started[name]));
    const shown = run({ args: [program, "status"], cwd: tree, env });
    return { wall: began.wall + shown.wall, cpu: (began.cpu ?? 0) + (shown.cpu ?? 0) };
  };
  const lines: ReportLine[] = [];
  const rounds = quick ? 5 : 20;
  const flat = { goal: 1.2, unit: "x" };
  for (const verb of VERBS) {
    const samples = await interleave(rounds, { young: () => call(young, verb), old: () => call(old, verb) });
    const what = `${["isdlc", ...verb].join(" ")}, ${life.runs} finished runs, a run of ${life.events} events`;
    lines.push({
      what,
      base: "1 finished run, 20 events",
      figures: ratios({ of: samples.old, to: samples.young }),
      ...flat,
    });
  }
  const samples = await interleave(quick ? 3 : 10, {
    young: () => start("young", young),
    old: () => start("old", old),
  });
  lines.push({
    what: "starting one more run, and its status",
    base: "the same there",
    figures: ratios({ of: samples.old, to: samples.young }),
    ...flat,
  });
  return lines;
}

async function livedIn({ root, scratch }: Settings, name: string, { runs, events }: Life): Promise<BenchRepository> {
  const place = newRepository(scratch, `lives-${name}`, 20);
  writeItems(place, [place.git("rev-parse", "HEAD")]);
  await finishRuns(root, place, runs);
  await bringToRest(place, await growRun(root, place, { events, after: runs }));
  return place;
}

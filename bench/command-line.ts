import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "./benches.ts";
import { createNodeRunner, interleave, least } from "./measure.ts";
import { type ReportLine, milliseconds, ratios } from "./report.ts";
import { bringToRest, finishRuns, growRun, newPlace, openPlace, type Place } from "./sample-run.ts";

const FINISHED = 1000;

/** Measures the program, compared to starting node. */
export async function measureCommandLine({
  root,
  program: copyProgram,
  scratch,
  quick,
}: Settings): Promise<readonly ReportLine[]> {
  const run = createNodeRunner(scratch);
  const program = copyProgram();
  const places = await makePlaces(root, scratch);
  const isdlc = ({ tree, env }: Place, verb: string) => run({ args: [program, verb], cwd: tree, env });
  const samples = await interleave(quick ? 10 : 60, {
    node: () => run({ args: ["-e", "0"], cwd: places.empty.tree, env: places.empty.env }),
    version: () => isdlc(places.empty, "--version"),
    empty: () => isdlc(places.empty, "status"),
    open: () => isdlc(places.open, "status"),
    replayed: () => isdlc(places.replayed, "status"),
    openAfterMany: () => isdlc(places.openAfterMany, "status"),
    one: () => isdlc(places.one, "status"),
    many: () => isdlc(places.many, "status"),
  });
  const base = `node -e 0, min ${milliseconds(least(samples.node.wall))}`;
  const flat = { goal: 1.1, unit: "x" };
  return [
    { what: "isdlc --version", base, figures: ratios({ of: samples.version, to: samples.node }), goal: 1.6, unit: "x" },
    {
      what: "isdlc status, a run open",
      base,
      figures: ratios({ of: samples.open, to: samples.node }),
      goal: 1.6,
      unit: "x",
    },
    {
      what: "isdlc status, a run of 20 events without its snapshot",
      base,
      figures: ratios({ of: samples.replayed, to: samples.node }),
      goal: null,
      unit: "x",
    },
    {
      what: "isdlc status, a run open, 1,000 finished",
      base: "a run open, none finished",
      figures: ratios({ of: samples.openAfterMany, to: samples.open }),
      ...flat,
    },
    {
      what: "isdlc status, none open, 1,000 finished",
      base: "none open, none finished",
      figures: ratios({ of: samples.many, to: samples.empty }),
      ...flat,
    },
    {
      what: "isdlc status, none open, 1,000 finished",
      base: "none open, one finished",
      figures: ratios({ of: samples.many, to: samples.one }),
      goal: null,
      unit: "x",
    },
  ];
}

async function makePlaces(root: string, scratch: string) {
  const [empty, open] = [newPlace(scratch, "empty"), newPlace(scratch, "open")];
  const [many, openAfterMany] = [newPlace(scratch, "many"), newPlace(scratch, "open-after-many")];
  openPlace(empty);
  await bringToRest(open, await growRun(root, open, 20));
  const replayed = newPlace(scratch, "replayed");
  const run = await growRun(root, replayed, 20);
  await bringToRest(replayed, run);
  rmSync(join(replayed.tree, ".isdlc", "journal", `${run}.snap`));
  const one = newPlace(scratch, "one");
  await finishRuns(root, one, 1);
  await finishRuns(root, many, FINISHED);
  await finishRuns(root, openAfterMany, FINISHED);
  await bringToRest(openAfterMany, await growRun(root, openAfterMany, { events: 20, after: FINISHED }));
  return { empty, open, replayed, one, many, openAfterMany };
}

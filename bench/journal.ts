import { closeSync, constants, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "./benches.ts";
import { type Contestant, interleave, least, median, timed } from "./measure.ts";
import { type Line, milliseconds, ratios, wallRatios } from "./report.ts";
import { growRun, newPlace, onward, openPlace, opened, type Place } from "./sample-run.ts";

const LONG = 10_000; // events
const SHORT = 10;

/** What it costs to record one decision, and to open a run, however long its journal is. */
export async function measureJournal(settings: Settings): Promise<readonly Line[]> {
  const long = newPlace(settings.scratch, "long");
  const short = newPlace(settings.scratch, "short");
  const run = await growRun(settings.root, long, LONG);
  await growRun(settings.root, short, SHORT);
  return [...(await appending(settings, short)), ...(await lasting({ settings, long, short, run })), ...(await opening({ settings, long, run }))];
}

async function appending({ quick }: Settings, place: Place): Promise<readonly Line[]> {
  const { journal } = openPlace(place);
  const run = journal.newest() ?? "";
  const raw = openRaw(join(place.tree, ".isdlc", "journal", "raw.bench"));
  try {
    const samples = await interleave(quick ? 40 : 200, {
      base: raw.append,
      submit: () => timed(() => journal.submit(run, onward)),
    });
    const figures = wallRatios({ of: samples.submit, to: samples.base });
    const base = `4 kB append + fdatasync, min ${milliseconds(least(samples.base.wall))}, p50 ${milliseconds(median(samples.base.wall))}`;
    return [{ what: "one decision recorded durably", base, figures, goal: 2.5, unit: "x" }];
  } finally {
    raw.close();
  }
}

function openRaw(file: string): { append: Contestant; close: () => void } {
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  const block = Buffer.alloc(4096, 120);
  let at = 0;
  const append = (): void => {
    writeSync(fd, block, 0, block.length, at);
    fdatasyncSync(fd);
    at += block.length;
  };
  return { append: () => timed(append), close: () => closeSync(fd) };
}

type Long = { readonly settings: Settings; readonly long: Place; readonly run: string };

async function lasting({ settings, long, short, run }: Long & { short: Place }): Promise<readonly Line[]> {
  const [many, few] = [openPlace(long).journal, openPlace(short).journal];
  const samples = await interleave(settings.quick ? 40 : 200, {
    few: () => timed(() => few.submit(run, onward)),
    many: () => timed(() => many.submit(run, onward)),
  });
  const figures = wallRatios({ of: samples.many, to: samples.few });
  return [{ what: "one decision after 10,000 events", base: "after 10 events", figures, goal: 1.5, unit: "x" }];
}

async function opening({ settings, long, run }: Long): Promise<readonly Line[]> {
  const snapshot = join(long.tree, ".isdlc", "journal", `${run}.snap`);
  const text = readFileSync(snapshot, "utf8").split("\n")[0] ?? "";
  const load = (): void => void opened(openPlace(long).journal.load(run).state);
  const samples = await interleave(settings.quick ? 40 : 100, {
    parse: () => timed(() => JSON.parse(text) as unknown, 20),
    read: () => timed(() => JSON.parse(readFileSync(snapshot, "utf8").split("\n")[0] ?? "") as unknown, 5),
    open: () => timed(load),
  });
  const replay = await interleave(settings.quick ? 3 : 10, {
    replay: () => timed(() => openPlace(long).journal.events(run)),
  });
  const size = `${(text.length / 1000).toFixed(1)} kB`;
  const base = `reading and parsing its snapshot (${size}), min ${milliseconds(least(samples.read.wall))}`;
  return [
    { what: "opening a run of 10,000 events", base, figures: ratios({ of: samples.open, to: samples.read }), goal: 5, unit: "x" },
    { what: "the same", base: `JSON.parse alone, min ${milliseconds(least(samples.parse.wall))}`, figures: ratios({ of: samples.open, to: samples.parse }), goal: null, unit: "x" },
    { what: "the same", base: "-", figures: [{ name: "min wall", value: least(samples.open.wall) }], goal: 20, unit: " ms" },
    { what: "reading it whole, every record checked", base: "-", figures: [{ name: "min wall", value: least(replay.replay.wall) }], goal: null, unit: " ms" },
  ];
}

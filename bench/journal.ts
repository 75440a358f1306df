import { closeSync, constants, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createFileJournal } from "../src/adapters/journal/create-file-journal.ts";
import { createFileAnchors } from "../src/adapters/files/anchors.ts";
import { userFolders } from "../src/adapters/files/user-folders.ts";
import { loadUserKey, sealWith } from "../src/adapters/files/user-key.ts";
import { systemClock } from "../src/compose/project-location.ts";
import { decide } from "../src/core/decide/decide.ts";
import type { LocalJournal } from "../src/ports/journal.ts";
import type { Settings } from "./benches.ts";
import { type Contestant, interleave, least, median, timed } from "./measure.ts";
import { type ReportLine, milliseconds, ratios, wallRatios } from "./report.ts";
import { growRun, newPlace, onward, openPlace, type Place } from "./sample-run.ts";

/** Set by run.mjs, as the build sets it for the program. */
declare const ISDLC_STATE_VERSION: string;

const LONG = 10_000; // events
const SHORT = 10;
/** Number of events directly after a snapshot: a multiple of the records between two snapshots. */
const JUST_SNAPPED = 9984;

/** Measures recording one decision, and opening a run, for short and long journals. */
export async function measureJournal(settings: Settings): Promise<readonly ReportLine[]> {
  const long = newPlace(settings.scratch, "long");
  const short = newPlace(settings.scratch, "short");
  const fresh = newPlace(settings.scratch, "fresh");
  const run = await growRun(settings.root, long, LONG);
  await growRun(settings.root, fresh, JUST_SNAPPED);
  await growRun(settings.root, short, SHORT);
  // Measured before anything is appended, to keep the number of records after the last snapshot constant.
  const opened = await opening({ settings, long, fresh, run });
  return [...(await appending(settings, short)), ...(await lasting({ settings, long, short, run })), ...opened];
}

async function appending({ quick }: Settings, place: Place): Promise<readonly ReportLine[]> {
  const { journal } = openPlace(place);
  const run = journal.newest() ?? "";
  const raw = openRaw(join(place.tree, ".isdlc", "journal", "raw.bench"));
  try {
    const samples = await interleave(quick ? 40 : 200, {
      base: raw.append,
      submit: deciding(journal, run),
    });
    const figures = wallRatios({ of: samples.submit, to: samples.base });
    const base = `4 kB append + fdatasync, min ${milliseconds(least(samples.base.wall))}, p50 ${milliseconds(median(samples.base.wall))}`;
    return [{ what: "one decision recorded durably", base, figures, goal: 2.5, unit: "x" }];
  } finally {
    raw.close();
  }
}

/** Creates the command before the clock starts. */
function deciding(journal: LocalJournal, run: string): Contestant {
  return () => {
    const command = onward(journal.load(run).state);
    return timed(() => journal.submit(run, command));
  };
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

async function lasting({ settings, long, short, run }: Long & { short: Place }): Promise<readonly ReportLine[]> {
  const [many, few] = [openPlace(long).journal, openPlace(short).journal];
  const samples = await interleave(settings.quick ? 40 : 200, {
    few: deciding(few, run),
    many: deciding(many, run),
  });
  const figures = wallRatios({ of: samples.many, to: samples.few });
  return [{ what: "one decision after 10,000 events", base: "after 10 events", figures, goal: 1.5, unit: "x" }];
}

async function opening({ settings, long, fresh, run }: Long & { fresh: Place }): Promise<readonly ReportLine[]> {
  const snapshot = join(long.tree, ".isdlc", "journal", `${run}.snap`);
  const contentOf = (file: string): string => readFileSync(file, "utf8").split("\n")[1] ?? "";
  const text = contentOf(snapshot);
  const [load, loadFresh] = [newInstance(long, run), newInstance(fresh, run)];
  const samples = await interleave(settings.quick ? 40 : 100, {
    parse: () => timed(() => JSON.parse(text) as unknown, 20),
    read: () => timed(() => JSON.parse(contentOf(snapshot)) as unknown),
    open: () => timed(load),
    openFresh: () => timed(loadFresh),
  });
  const replay = await interleave(settings.quick ? 3 : 10, {
    replay: () => timed(newInstance(long, run, null)),
  });
  const size = `${(text.length / 1000).toFixed(1)} kB`;
  const base = `reading and parsing its snapshot (${size}), min ${milliseconds(least(samples.read.wall))}`;
  return [
    {
      what: "opening a run of 10,000 events, 16 past its snapshot",
      base,
      figures: ratios({ of: samples.open, to: samples.read }),
      goal: 5,
      unit: "x",
    },
    {
      what: "opening it right after its snapshot",
      base,
      figures: ratios({ of: samples.openFresh, to: samples.read }),
      goal: null,
      unit: "x",
    },
    {
      what: "opening it, 16 past its snapshot",
      base: `JSON.parse alone, min ${milliseconds(least(samples.parse.wall))}`,
      figures: ratios({ of: samples.open, to: samples.parse }),
      goal: null,
      unit: "x",
    },
    {
      what: "opening it, 16 past its snapshot",
      base: "-",
      figures: [{ name: "min wall", value: least(samples.open.wall) }],
      goal: 20,
      unit: " ms",
    },
    {
      what: "replaying it whole, every record checked",
      base: "-",
      figures: [{ name: "min wall", value: least(replay.replay.wall) }],
      goal: null,
      unit: " ms",
    },
  ];
}

/** Returns a function that reads the state of a run like a new process. Without a version, it replays all records. */
function newInstance({ tree, env }: Place, run: string, version: string | null = ISDLC_STATE_VERSION): () => void {
  const { state } = userFolders(env);
  const seal = sealWith(loadUserKey(state));
  return () => {
    const journal = createFileJournal({
      directory: join(tree, ".isdlc", "journal"),
      anchors: createFileAnchors(state, tree),
      seal,
      decide,
      clock: systemClock,
      ...(version === null ? {} : { version }),
    });
    if (journal.load(run).head.seq < JUST_SNAPPED) throw new Error("events are missing");
  };
}

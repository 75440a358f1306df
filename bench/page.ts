import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { RunId } from "../src/schema/ids.ts";
import type { Settings } from "./benches.ts";
import { toEnd } from "./ending.ts";
import { least, median } from "./measure.ts";
import type { Figure, ReportLine } from "./report.ts";
import { growRun, newPlace, onward, openPlace, type Place, runId } from "./sample-run.ts";

const ENDED = 1000; // runs
const EVENTS = 20_000; // in the open run

/**
 * Measures the web UI: size of the first view, response times of its server, and the delay until a change is visible.
 */
export async function measurePage(settings: Settings): Promise<readonly ReportLine[]> {
  const place = newPlace(settings.scratch, "page");
  const run = await growRun(settings.root, place, EVENTS);
  endRuns(place);
  const served = await serve(settings.program(), place);
  try {
    const list = await asked(served, "/api/runs", settings.quick ? 5 : 20);
    const story = await asked(served, `/api/runs/${run}/story?from=19000`, settings.quick ? 3 : 10);
    const seen = await seeing(served, place, { run, times: settings.quick ? 10 : 50 });
    return [
      line("the page's first view, compressed", { figures: one(firstView(settings)), goal: 300, unit: " kB" }),
      line("list of 1,000 runs at the server", { figures: list.figures, goal: 200, unit: " ms" }),
      line("size of that list", { figures: one(list.bytes / 1000), goal: 100, unit: " kB" }),
      line("part of a story of 20,000 events", { figures: story.figures, goal: 200, unit: " ms" }),
      line("a recorded event reaches the browser's connection", { figures: seen, goal: 50, unit: " ms" }),
      line("memory of the page's server", { figures: one(residentMegabytes(served.child)), goal: 90, unit: " MB" }),
    ];
  } finally {
    await served.end();
  }
}

type LineFigures = Pick<ReportLine, "figures" | "goal" | "unit">;

const line = (what: string, told: LineFigures): ReportLine => ({ what, base: "-", ...told });
const one = (value: number): Figure[] => [{ name: "", value }];

/** Adds up the page and each script and style named in it. */
function firstView({ program }: Settings): number {
  const web = join(dirname(program()), "..", "web");
  const html = readFileSync(join(web, "index.html"), "utf8");
  const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  const bytes = [html, ...named.map((path) => readFileSync(join(web, path)))].map(
    (content) => gzipSync(content).length,
  );
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}

function endRuns({ tree }: Place): void {
  const folder = join(tree, ".isdlc", "history");
  mkdirSync(folder, { recursive: true });
  for (let number = 2; number < ENDED + 2; number++) {
    const entry = {
      type: "feature",
      id: runId(number),
      description: `Show the opening hours on page ${number}`,
      status: "completed",
      started_at: "2026-11-15T10:00:00.000Z",
      completed_at: "2026-11-15T12:00:00.000Z",
      artifact_folder: "REQ-0001-opening-hours",
      metrics: {
        total_phases: 9,
        phases_completed: 9,
        total_duration_minutes: 120,
        tokens_total: 100_000,
        cost_usd: 2,
      },
    };
    writeFileSync(join(folder, `${runId(number)}.json`), JSON.stringify(entry));
  }
}

type PageProcess = {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly session: Record<string, string>;
  readonly end: () => Promise<void>;
};

type StartedPage = Pick<PageProcess, "child" | "end"> & { readonly link: string };

/** Starts `isdlc ui`, and returns its link when it is served. */
export async function startPage(program: string, { tree, env }: Place): Promise<StartedPage> {
  const child = spawn(process.execPath, [program, "ui", "--no-open"], {
    cwd: tree,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const end = toEnd(() => void child.kill("SIGKILL"));
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (part: Buffer) => {
      const found = /http:\S+/.exec(part.toString("utf8"))?.[0];
      if (found !== undefined) resolve(found);
    });
    child.on("close", () => reject(new Error("the page was not served")));
  });
  return { child, end, link };
}

async function serve(program: string, place: Place): Promise<PageProcess> {
  const { child, end, link } = await startPage(program, place);
  const { origin, hash } = new URL(link);
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ secret: hash.slice(1) });
  const answered = await fetch(`${origin}/api/session`, { method: "POST", headers, body });
  const { session } = (await answered.json()) as { session: string };
  return { child, origin, end, session: { Authorization: `Bearer ${session}` } };
}

async function asked({ origin, session }: PageProcess, path: string, times: number) {
  const took: number[] = [];
  let bytes = 0;
  for (let time = 0; time <= times; time++) {
    const began = performance.now();
    const text = await (await fetch(`${origin}${path}`, { headers: session })).text();
    if (time > 0) took.push(performance.now() - began);
    bytes = Buffer.byteLength(text);
  }
  return { bytes, figures: spread(took) };
}

const spread = (took: readonly number[]): Figure[] => [
  { name: "min", value: least(took) },
  { name: "p50", value: median(took) },
];

/** Measures from the moment a decision is durable until its message arrives. */
async function seeing({ origin, session }: PageProcess, place: Place, { run, times }: { run: RunId; times: number }) {
  const { journal } = openPlace(place);
  const stopped = new AbortController();
  const response = await fetch(`${origin}/api/live`, { headers: session, signal: stopped.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader(); // the response to a GET has a body
  const next = async (): Promise<void> => {
    for (;;) {
      const { value } = await reader.read();
      if (value !== undefined && Buffer.from(value).includes('"changed"')) return;
    }
  };
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const arrives = next();
    await journal.submit(run, onward(journal.load(run).state));
    const began = performance.now();
    await arrives;
    took.push(performance.now() - began);
  }
  stopped.abort();
  return spread(took);
}

/** NaN if the system does not report it. */
function residentMegabytes({ pid }: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

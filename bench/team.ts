import { createPrivateKey, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../src/compose/project-location.ts";
import { decide } from "../src/core/decide/decide.ts";
import type { Command } from "../src/core/command.ts";
import type { RunState } from "../src/core/run.ts";
import type { SubmitResult } from "../src/ports/journal.ts";
import { BeatAnswer, ClaimAnswer, TeamRunList } from "../src/schema/api-team.ts";
import { createPostgresJournal } from "../team/src/journal-postgres/create-postgres-journal.ts";
import type { Pool } from "../team/src/journal-postgres/open-pool.ts";
import { createTeamSeal } from "../team/src/seal/team-seal.ts";
import { GENERATION } from "../team/src/server/drive-queue.ts";
import { createHttpJournal } from "../team/src/worker/http-journal.ts";
import type { Bench, Settings } from "./benches.ts";
import { type Contestant, interleave, least, median, timed } from "./measure.ts";
import { type ReportLine, milliseconds } from "./report.ts";
import { growRun, newPlace, onward, openPlace, startCommand } from "./sample-run.ts";
import { measureGitWorkers } from "./team-git.ts";
import { drivenToEnd, newTimes, PHASES, startBareWorkers } from "./team-load.ts";
import { openTeamPlace, type TeamPlace } from "./team-place.ts";

type Part = (settings: Settings, place: TeamPlace) => Promise<readonly ReportLine[]>;

/** Measures the server, its database and its workers, without the work of agents. Each bench has its own database. */
export const teamBenches: Readonly<Record<string, Bench>> = {
  "team-decisions": withTeam(deciding),
  "team-load": withTeam(underLoad),
  "team-gates": withTeam(withOpenGates),
  "team-many": withTeam(manyRuns),
  "team-git": withTeam(measureGitWorkers),
};

function withTeam(part: Part): Bench {
  return async (settings) => {
    const place = await openTeamPlace(settings);
    await place.pool.query("insert into isdlc.repository (name, remote) values ('bench', '/nowhere')");
    await place.pool.query("insert into isdlc.member (repository, person, role) values ('bench', 'ada', 'admin')");
    const lines = await part(settings, place);
    await place.close();
    return lines;
  };
}

type Recorder = {
  load(run: string): { state: RunState } | Promise<{ state: RunState }>;
  submit(run: string, command: Command): Promise<SubmitResult>;
};

const decidingOn =
  (journal: Recorder, run: string): Contestant =>
  async () => {
    const command = onward((await journal.load(run)).state);
    return timed(() => journal.submit(run, command));
  };

async function deciding(settings: Settings, place: TeamPlace): Promise<readonly ReportLine[]> {
  const { quick, root, scratch } = settings;
  const here = newPlace(scratch, "team-file");
  const fileRun = await growRun(root, here, 2);
  const database = await inDatabase(place, root);
  const http = await overHttp(place, root);
  const samples = await interleave(quick ? 60 : 1000, {
    file: decidingOn(openPlace(here).journal, fileRun),
    database: decidingOn(database.journal, database.run),
    http: decidingOn(http.journal, http.run),
  });
  const base = `the journal in a file, p50 ${milliseconds(median(samples.file.wall))}`;
  const figures = (of: readonly number[]) => [
    { name: "min", value: least(of) / least(samples.file.wall) },
    { name: "p50", value: median(of) / median(samples.file.wall) },
  ];
  return [
    { what: "one decision in PostgreSQL", base, figures: figures(samples.database.wall), goal: 2, unit: "x" },
    { what: "one decision over HTTP", base, figures: figures(samples.http.wall), goal: 3, unit: "x" },
  ];
}

async function inDatabase({ pool, keyFile }: TeamPlace, root: string) {
  const seal = createTeamSeal(createPrivateKey(readFileSync(keyFile)));
  const journal = createPostgresJournal({ pool, seal, clock: systemClock, decide, place: "bench", sender: "ada" });
  const run = "20261116-000000001-aaaa";
  await journal.create(run, startCommand(root, run));
  return { journal, run };
}

/** Acts as a worker that holds a run and records results. */
async function overHttp(place: TeamPlace, root: string) {
  const { ask } = await place.worker("http");
  const run = await place.begin("bench");
  const process = { instance: "http", generation: GENERATION };
  const beating = { ...process, replaces: null, runs: [], version: "" };
  await ask({ method: "POST", path: "/api/worker/beat", body: beating, answer: BeatAnswer });
  const body = { ...process, claim: randomUUID(), labels: [] };
  const { lease } = await ask({ method: "POST", path: "/api/worker/claim", body, answer: ClaimAnswer });
  if (lease === null) throw new Error("no run to claim");
  const withoutGit = { beforeRecord: () => Promise.resolve(null), afterRecord: () => undefined };
  const journal = createHttpJournal({ ask, run, epoch: lease.epoch, seal: place.seal, ...withoutGit });
  await journal.create(run, startCommand(root, run));
  return { journal, run };
}

const WORKERS = 4;

async function underLoad(settings: Settings, place: TeamPlace): Promise<readonly ReportLine[]> {
  const count = settings.quick ? 20 : 100;
  const times = newTimes();
  const stop = await startBareWorkers(settings, place, { count: WORKERS, times });
  const load = await drivenToEnd(place, count, times);
  await stop();
  const took = load.answerToWork.toSorted((one, other) => one - other);
  const at = (part: number): number => took[Math.floor(took.length * part)] ?? Number.NaN;
  return [
    {
      what: `seconds per phase, no git (${count} runs x ${PHASES} gated phases, ${WORKERS} workers)`,
      base: `${load.perSecond.toFixed(1)} phases/s`,
      figures: [{ name: "", value: 1 / load.perSecond }],
      goal: 0.1,
      unit: " s",
    },
    {
      what: "from an answer to work, under that load",
      base: `p50 ${milliseconds(at(0.5))}`,
      figures: [{ name: "p95", value: at(0.95) }],
      goal: 1000,
      unit: " ms",
    },
    {
      what: "connections to the database under that load",
      base: "-",
      figures: [{ name: "max", value: load.connections }],
      goal: 25,
      unit: "",
    },
  ];
}

const IDLE_SECONDS = 10;
/** PostgreSQL updates the counters of a connection up to 10 seconds after it becomes idle. */
const COUNTED_WITHIN = 11_000; // milliseconds

async function withOpenGates(settings: Settings, place: TeamPlace): Promise<readonly ReportLine[]> {
  const stop = await startBareWorkers(settings, place, { count: WORKERS, times: newTimes() });
  const idle = await transactionsPerSecond(place.pool);
  const gates = await openGates(place, settings.quick ? 100 : 1000);
  const held = await transactionsPerSecond(place.pool);
  await stop();
  return [
    {
      what: `transactions with ${gates.open} open gates, ${WORKERS} workers`,
      base: `idle, ${idle.toFixed(1)}/s`,
      figures: [{ name: "", value: held / idle }],
      goal: 1.5,
      unit: "x",
    },
    {
      what: `workflows that are open for ${gates.open} open gates`,
      base: "-",
      figures: [{ name: "", value: gates.workflows }],
      goal: 0,
      unit: "",
    },
  ];
}

async function openGates(place: TeamPlace, count: number): Promise<{ open: number; workflows: number }> {
  const { pool } = place;
  const runs: string[] = [];
  for (let begun = 0; begun < count; begun += 50)
    runs.push(...(await Promise.all(Array.from({ length: Math.min(50, count - begun) }, () => place.begin("bench")))));
  for (let open = 0; open < count; await delay(100)) {
    const text = "select count(*)::int as open from isdlc.run where rests = 'wait' and run = any($1)";
    open = (await pool.query<{ open: number }>(text, [runs])).rows[0]?.open ?? 0;
  }
  await delay(1000); // for the last workflows to end
  const { rows } = await pool.query<{ workflows: number }>(
    "select count(*)::int as workflows from isdlc.run where rests = 'action'",
  );
  return { open: count, workflows: rows[0]?.workflows ?? Number.NaN };
}

async function transactionsPerSecond(pool: Pool): Promise<number> {
  const count = async (): Promise<number> => {
    const text = "select xact_commit::int as n from pg_stat_database where datname = current_database()";
    return (await pool.query<{ n: number }>(text)).rows[0]?.n ?? Number.NaN;
  };
  await delay(COUNTED_WITHIN);
  const before = await count();
  await delay(IDLE_SECONDS * 1000);
  return ((await count()) - before) / IDLE_SECONDS;
}

const MANY = 10_000;

/** Measures with many ended runs, which must not slow down anything. */
async function manyRuns(settings: Settings, place: TeamPlace): Promise<readonly ReportLine[]> {
  const { quick, root } = settings;
  const http = await overHttp(place, root);
  const rounds = quick ? 40 : 200;
  const list: Contestant = () => timed(() => place.person({ method: "GET", path: "/api/runs", answer: TeamRunList }));
  const contestants = { list, decision: decidingOn(http.journal, http.run) };
  const few = await interleave(rounds, contestants);
  await place.pool.query(
    `insert into isdlc.run (run, place, repository, title, begun_by, start, head_hash, rests)
     select run, run, 'bench', 'A run', 'ada', '{}', '', 'ended'
     from generate_series(1, $1::int) n, lateral (select '20261116-' || lpad(n::text, 9, '0') || '-bbbb' as run) named`,
    [MANY],
  );
  await place.pool.query("analyze isdlc.run");
  const many = await interleave(rounds, contestants);
  return [
    {
      what: `listing the newest of ${MANY} ended runs`,
      base: "-",
      figures: [{ name: "p50", value: median(many.list.wall) }],
      goal: 200,
      unit: " ms",
    },
    {
      what: `one decision over HTTP beside ${MANY} ended runs`,
      base: "before them",
      figures: [
        { name: "min", value: least(many.decision.wall) / least(few.decision.wall) },
        { name: "p50", value: median(many.decision.wall) / median(few.decision.wall) },
      ],
      goal: 1.2,
      unit: "x",
    },
  ];
}

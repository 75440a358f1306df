import { createServer, type ServerResponse } from "node:http";
import type { Pool } from "pg";
import { collectDefaultMetrics, Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from "prom-client";
import { FencedError } from "../journal-postgres/submit-decision.ts";
import { version } from "../../../src/compose/version.ts";
import { type ListeningServer, listenAt } from "../server/listen-at.ts";

/** Seconds. A decision takes milliseconds, a backup of thousands of runs minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export type ServerMetrics = {
  readonly registry: Registry;
  /** Records an answered request. Labels use the route pattern, to avoid a series per run. */
  request(labels: { method: string; route: string; status: string }, seconds: number): void;
  /** Counts a decision: recorded or repeated, refused by the rules, or fenced. */
  decision(how: "recorded" | "refused" | "fenced", by: string): void;
  /** Counts runs taken from lost workers. */
  takeover(runs: number): void;
  /** Counts a notification: sent, given up or outdated. */
  notification(labels: { channel: string; outcome: string }): void;
  /** Sets the number of recorded merges missing from their bases. */
  missingMerges(count: number): void;
};

/**
 * Creates the Prometheus metrics of a server. Values from the database are identical on all servers: aggregate them
 * with max.
 */
export function createServerMetrics(pool: Pool): ServerMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: "isdlc_http_request_seconds",
    help: "Time to answer a request",
    labelNames: ["method", "route", "status"],
    buckets: BUCKETS,
    registers,
  });
  const decisions = new Counter({
    name: "isdlc_decisions_total",
    help: "Decisions that were sent to this server",
    labelNames: ["how", "by"],
    registers,
  });
  const takeovers = new Counter({
    name: "isdlc_takeovers_total",
    help: "Runs that were taken from a lost worker",
    registers,
  });
  const notifications = new Counter({
    name: "isdlc_notifications_total",
    help: "Notifications that this server sent, gave up, or found outdated",
    labelNames: ["channel", "outcome"],
    registers,
  });
  const missingMerges = new Gauge({
    name: "isdlc_merges_missing",
    help: "Recorded merges that are not reachable from their bases and not acknowledged",
    registers,
  });
  addGauges(pool, registers);
  return {
    registry,
    request: (labels, seconds) => requests.observe(labels, seconds),
    decision: (how, by) => decisions.inc({ how, by }),
    takeover: (runs) => takeovers.inc(runs),
    notification: (labels) => notifications.inc(labels),
    missingMerges: (count) => missingMerges.set(count),
  };
}

/** Gauges read at each scrape. */
function addGauges(pool: Pool, registers: Registry[]): void {
  const add: AddGauge = (gauge) => new Gauge({ ...gauge, registers });
  add({ name: "isdlc_build", help: "The version", labelNames: ["version"] }).set({ version }, 1);
  add({
    name: "isdlc_runs",
    help: "Open runs by state: waiting for a worker, waiting for a person, or driven",
    labelNames: ["state"],
    async collect() {
      const { rows } = await pool.query<{ driven: number; queued: number; waiting: number }>(
        `select count(*) filter (where rests = 'action' and worker is not null)::int as driven,
           count(*) filter (where rests = 'action' and worker is null)::int as queued,
           count(*) filter (where rests = 'wait')::int as waiting
         from isdlc.run where rests <> 'ended'`,
      );
      for (const [state, count] of Object.entries(rows[0] ?? {})) this.set({ state }, count);
    },
  });
  addWorkerGauges(pool, add);
  add({
    name: "isdlc_database_connections",
    help: "Connections of this server",
    labelNames: ["state"],
    collect() {
      this.set({ state: "open" }, pool.totalCount);
      this.set({ state: "idle" }, pool.idleCount);
      this.set({ state: "wanted" }, pool.waitingCount);
    },
  });
}

type AddGauge = (gauge: GaugeConfiguration<string>) => Gauge;

function addWorkerGauges(pool: Pool, add: AddGauge): void {
  add({
    name: "isdlc_worker_silent_seconds",
    help: "Time since a worker was last heard of",
    labelNames: ["worker"],
    async collect() {
      this.reset();
      const { rows } = await pool.query<{ id: string; silent: number }>(
        "select id, min(extract(epoch from now() - beat_at))::float8 as silent from isdlc.worker group by id",
      );
      for (const { id, silent } of rows) this.set({ worker: id }, silent);
    },
  });
  add({
    name: "isdlc_worker_faults",
    help: "Processes that take no runs because of a fault of their machine",
    labelNames: ["worker"],
    async collect() {
      this.reset();
      const { rows } = await pool.query<{ id: string; faults: number }>(
        "select id, count(trouble)::int as faults from isdlc.worker group by id",
      );
      for (const { id, faults } of rows) this.set({ worker: id }, faults);
    },
  });
}

/** Counts the result of a decision. */
export async function counted<Done extends { readonly ok: boolean }>(
  metrics: ServerMetrics,
  by: string,
  decide: () => Promise<Done>,
): Promise<Done> {
  try {
    const done = await decide();
    metrics.decision(done.ok ? "recorded" : "refused", by);
    return done;
  } catch (error) {
    if (error instanceof FencedError) metrics.decision("fenced", by);
    throw error;
  }
}

async function tellMetrics(registry: Registry, response: ServerResponse): Promise<void> {
  try {
    const text = await registry.metrics();
    response.writeHead(200, { "content-type": registry.contentType }).end(text);
  } catch {
    response.writeHead(503).end(); // the database is unavailable
  }
}

/** Serves metrics on a separate port of this machine: they name workers and need no token. */
export function serveMetrics(registry: Registry, port: number): Promise<ListeningServer> {
  const http = createServer((request, response) => {
    const isAsked = request.method === "GET" && request.url === "/metrics";
    if (isAsked) void tellMetrics(registry, response);
    else response.writeHead(404).end();
  });
  return listenAt(http, { host: "127.0.0.1", port, option: "metrics" });
}
